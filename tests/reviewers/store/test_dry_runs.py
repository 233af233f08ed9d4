"""Guards that the dry run is kept with the review, on both databases and in an export,
and that a newer look takes its place.
"""

import json
from dataclasses import replace
from typing import Any

import pytest

from reviewers.errors import BundleError
from reviewers.exports.jsonl import export_lines
from reviewers.records import DryRun, Failure, Followed, Span
from reviewers.store import Store
from reviewers.store.record_json import from_json, to_json
from reviewers.store.restore import import_lines
from reviewers.store.submission import load_submission
from tests.reviewers.store.making import make_review, make_submission

ODD = "NUL \0, <b>\n\u202e \ud800 halves \ud83d\ude00 " + "x" * 5_000
DRY_RUN = DryRun(
    (Followed("install", "uv sync", 1), Followed("main", ODD, 4, 2, 2)),
    (
        Failure(
            step="main",
            command=ODD,
            run="a",
            mode="trial",
            error="KeyError",
            message=ODD,
            place=Span("src/train.py", 3, 4),
            chain=(Span("src/main.py", 9), Span(ODD)),
            certain=False,
            starts=2,
            finding="f1",
        ),
    ),
    (ODD, "rules stopped"),
    7,
)
REVIEW = replace(make_review("rules"), dry_run=DRY_RUN, version="a" * 64)


def kept_of(store: Store) -> DryRun | None:
    (stored,) = load_submission(store, make_submission().id).reviews
    return stored.review.dry_run


def test_a_dry_run_comes_back_equal(store: Store) -> None:
    store.add(make_submission(), (REVIEW,))
    assert kept_of(store) == DRY_RUN


def test_a_review_from_before_has_none_until_a_newer_areachair_looks(store: Store) -> None:
    store.add(make_submission(), (replace(REVIEW, dry_run=None, version=None),))
    assert kept_of(store) is None
    store.add(make_submission(), (REVIEW,))
    assert kept_of(store) == DRY_RUN


def test_an_export_brings_it_along(store: Store) -> None:
    store.add(make_submission(), (REVIEW,))
    lines = list(export_lines(store))
    (line,) = [one for one in lines if '"dry_run"' in one]
    other = json.loads(line)
    assert len(other["dry_run"]["failures"]) == 1
    import_lines(store, iter(lines), "lines")
    assert kept_of(store) == DRY_RUN
    wrong = line.replace('"starts": 2', '"starts": "two"').replace('"starts":2', '"starts":"two"')
    assert wrong != line
    with pytest.raises(BundleError, match="starts"):
        import_lines(store, iter([wrong if one is line else one for one in lines]), "lines")


@pytest.mark.parametrize(
    "broken",
    [
        {"commands": 1},
        {"failures": [{}]},
        {"left_out": [1]},
        {"unsure": "7"},
        {"failures": [{"place": ["a"], "chain": []}]},
    ],
    ids=["commands", "failures", "left out", "number", "place"],
)
def test_what_is_not_a_dry_run_is_refused(broken: dict[str, Any]) -> None:
    kept = to_json(DRY_RUN)
    assert from_json(DryRun, kept) == DRY_RUN
    with pytest.raises(ValueError, match="the field"):
        from_json(DryRun, {**kept, **broken})
