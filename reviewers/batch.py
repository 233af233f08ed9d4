"""Many bundles in one go: one that cannot be read or reviewed is reported and takes no other with it."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from reviewers.bundles import open_bundles
from reviewers.errors import AreachairError, BundleError
from reviewers.panel import DEFAULT_REVIEWERS, review_all
from reviewers.records import Review, Submission
from reviewers.store import Store

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reviewed:
    """One submission with what the reviewers said."""

    submission: Submission
    reviews: tuple[Review, ...]

    @property
    def failures(self) -> tuple[str, ...]:
        """One line for each reviewer that gave no verdict, and one where nobody gave a review."""
        if not self.reviews:
            return (f"{self.submission.source}: nobody reviewed it; it brings no recorded answer along",)
        return tuple(
            f"{self.submission.source}: {review.reviewer}: {review.failure}" for review in self.reviews if review.failure
        )


@dataclass(frozen=True, slots=True)
class Unread:
    """A bundle of which nothing was kept, with the reason in one line."""

    path: Path
    problem: str


def review_bundles(paths: Iterable[Path], reviewers: Sequence[str] = DEFAULT_REVIEWERS) -> Iterator[Reviewed | Unread]:
    """Yield what became of each submission, in the order of the paths; a bundle with an unreadable part is unread as a whole."""
    for path in paths:
        try:
            yield from [Reviewed(submission, review_all(submission, reviewers)) for submission in open_bundles(path)]
        except BundleError as error:
            yield Unread(path, str(error))
        except AreachairError:
            raise
        except Exception as error:  # noqa: BLE001  the named boundary: one submission in a batch
            _log.warning("%s could not be reviewed", path, exc_info=True)
            yield Unread(path, f"{path}: could not be reviewed ({type(error).__name__}); please report this bundle")


def import_bundles(store: Store, paths: Iterable[Path]) -> Iterator[tuple[Reviewed | Unread, bool]]:
    """Review each bundle, keep it, and yield it with whether anything of it was new; unread ones are never new."""
    for item in review_bundles(paths):
        yield item, isinstance(item, Reviewed) and store.add(item.submission, item.reviews)
