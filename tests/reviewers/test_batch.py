"""Guards reviewing many bundles at once: processes change nothing in what is said, nor in its
order.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from reviewers import settings
from reviewers.batch import Reviewed, Unread, review_bundles, useful_jobs
from reviewers.bundles import bundle_paths


def said(items: Iterator[Reviewed | Unread]) -> list[object]:
    """What happened to each bundle, without the time that it took."""
    return [
        (
            [item.submission.id, *(replace(review, seconds=None) for review in item.reviews)]
            if isinstance(item, Reviewed)
            else item
        )
        for item in items
    ]


def test_two_processes_say_what_one_says(tmp_path: Path) -> None:
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"no archive")
    paths = [broken, *bundle_paths([str(settings.sample_bundles())])[:4], broken]
    assert said(review_bundles(paths, ("rules",), 2)) == said(review_bundles(paths, ("rules",)))


@pytest.mark.parametrize(
    ("bundles", "least", "most"), [(0, 1, 1), (7, 1, 1), (8, 1, 2), (1_000_000, 1, 1_000)]
)
def test_processes_are_only_started_where_there_is_work_for_them(
    bundles: int, least: int, most: int
) -> None:
    assert least <= useful_jobs(bundles) <= most
