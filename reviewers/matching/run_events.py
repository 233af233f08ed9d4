"""Whether a finding had told what came about in a run."""

from dataclasses import dataclass

from reviewers.matching.defects import ComparedFinding, families_of
from reviewers.matching.place import Located, nearness
from reviewers.matching.thresholds import (
    KIN_CATEGORIES,
    QUOTED_WORDS,
    TELLING_WORDS,
    Nearness,
)
from reviewers.matching.words import Words


@dataclass(frozen=True)
class RunEvent:
    """What came about in a run, or was mended, as a finding could have told it.

    Attributes:
        places: where; empty where no place is known.
        categories: those that a finding may have; empty where none is known.
        words: its message with the names of what it is about.
    """

    places: tuple[Located, ...]
    categories: frozenset[str]
    words: Words

    @property
    def errors(self) -> frozenset[str]:
        """The errors that it names."""
        return self.words.errors

    @property
    def tells_nothing(self) -> bool:
        """Whether only its place is known."""
        return not self.categories and not self.errors


def may_mean(one: ComparedFinding, event: RunEvent) -> bool:
    """Whether a finding may speak of what happened; who asks has to leave out what is refuted.

    | they agree on | and lie |
    |---|---|
    | the very message, and the error or a kindred category | anywhere |
    | the error, a name, the category or the wording | near, unless they name other errors |
    | the category, or a name where the category is kindred | in one whole file |
    | a name, and the error or a kindred category | in one file |
    | a kindred category, a name and the error; or a name that hardly anything else has | anywhere |
    """
    near = nearness(one.all_places, event.places)
    names = bool(one.words.share_names(event.words))
    errors = _share_an_error(one, event)
    clash = bool(one.errors and event.errors and not errors)
    category = bool(one.categories & event.categories)
    kin = category or any(
        one.categories & family and event.categories & family for family in KIN_CATEGORIES
    )
    if (errors or kin) and one.words.holds(event.words) >= QUOTED_WORDS:
        return True
    if near is Nearness.SAME_LINES and event.tells_nothing:
        return True
    if near >= Nearness.NEAR:
        return (
            errors
            or (names and (not clash or kin))
            or (category and not clash)
            or one.words.likeness(event.words) >= TELLING_WORDS
        )
    if near is Nearness.WHOLE_FILE and (
        (category and not event.errors) or (kin and bool(one.words.names & event.words.names))
    ):
        return True
    if near >= Nearness.SAME_FILE and names and (errors or kin):
        return True
    return names and kin and (errors or one.words.share_telling(event.words))


def spells_out(one: ComparedFinding, event: RunEvent) -> bool:
    """Whether a finding names the error and what it is about, in the same file."""
    return (
        nearness(one.all_places, event.places) >= Nearness.SAME_FILE
        and _share_an_error(one, event)
        and bool(one.words.share_names(event.words))
    )


def _share_an_error(one: ComparedFinding, event: RunEvent) -> bool:
    return bool(families_of(one.errors) & families_of(event.errors))
