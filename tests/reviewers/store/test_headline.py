"""Guards the headline figures: what is counted, what is not, and that nothing is said of too
few.
"""

from collections import Counter, defaultdict
from contextlib import closing

import pytest

from reviewers.exports.stats_page import stats_page
from reviewers.records import Check, Severity, Span, Verdict
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, inbox
from reviewers.store.stats_summary import NOT_READ, ClaimCount, headline
from reviewers.store.submission import load_submission
from tests.benchmarks.big_pattern import Clock, write_pattern
from tests.reviewers.store.making import (
    make_finding,
    make_review,
    make_submission,
    plans,
    rules_found,
)

PACKAGING = {"category": "packaging-invalid", "span": Span("pyproject.toml")}


@pytest.fixture
def filled(store: Store) -> Store:
    claims = [make_finding(f"s{n}", Check.REFUTED, kind="parses") for n in range(4)]
    claims += [
        make_finding("s4", Check.CONFIRMED, kind="parses"),
        make_finding("o", Check.UNVERIFIED, kind=None),
    ]
    store.add(
        make_submission("a"),
        (
            make_review("recorded", Verdict.NOT_READY, *claims, model="m"),
            rules_found("r1", **PACKAGING),
        ),
    )
    store.add(
        make_submission("b"),
        (make_review("recorded", Verdict.READY, model="m"), rules_found("r2", "r3", **PACKAGING)),
    )
    store.add(
        make_submission("c"), (make_review("recorded", Verdict.READY, model="m"), rules_found())
    )
    store.add(
        make_submission("d"),
        (make_review("recorded", None, raw="cut"), rules_found("r4", **PACKAGING)),
    )
    return store


def test_a_share_of_too_few_is_not_told(filled: Store) -> None:
    assert ClaimCount(1, 3, 0).refuted_share is None
    page = stats_page(headline(filled))
    (row,) = (line for line in page.splitlines() if "fewer than 5" in line)
    assert [cell.strip() for cell in row.split("|")[1:-1]] == [
        "1 with fewer than 5 claims each",
        "1",
        "0",
        "0",
        "1",
        "too few",
    ]


def test_an_empty_store_says_so_without_shares(store: Store) -> None:
    assert stats_page(headline(store)) == "0 submissions\n"


def test_a_name_cannot_break_the_table(store: Store) -> None:
    review = make_review("recorded", Verdict.NOT_READY, make_finding(), model="a|b\n\x1b[31m")
    store.add(make_submission(), (review,))
    rows = [line for line in stats_page(headline(store)).splitlines() if line.startswith("|")]
    assert "recorded a\\|b\\n\\x1b[31m" in rows[2]


def test_the_figures_are_those_of_the_submissions_one_by_one(url: str) -> None:
    clock = Clock()
    with closing(Store.open(url, clock=clock)) as store:
        ids = [id for lineage in write_pattern(store, clock, 30) for id in lineage]
        reviewed: dict[tuple[str, str | None], Counter[str]] = defaultdict(Counter)
        said: dict[str, Counter[str]] = defaultdict(Counter)
        for id in ids:
            current = [stored.review for stored in load_submission(store, id).reviews]
            blocked = any(
                found.severity is Severity.BLOCKER and found.check.result is Check.CONFIRMED
                for review in current
                if review.reviewer == "rules"
                for found in review.findings
            )
            for review in (each for each in current if each.reviewer != "rules"):
                counts = reviewed[review.reviewer, review.model]
                counts["reviews" if review.verdict else "failed"] += 1
                counts["ready"] += review.verdict is Verdict.READY
                counts["contradicted"] += review.verdict is Verdict.READY and blocked
                for found in review.findings:
                    counts[found.check.result] += 1
                    said[found.kind or NOT_READ][found.check.result] += 1
        figures = headline(store)
        rows = inbox(store, InboxQuery(limit=100)).rows
    assert {
        (each.reviewer, each.model): (
            each.reviews,
            each.failed,
            each.ready,
            each.contradicted,
            each.claims,
        )
        for each in figures.reviewers
    } == {
        key: (
            *(counts[name] for name in ("reviews", "failed", "ready", "contradicted")),
            ClaimCount(*(counts[check] for check in Check)),
        )
        for key, counts in reviewed.items()
    }
    assert sum(each.contradicted for each in figures.reviewers) > 0
    assert dict(figures.said) == {
        kind: ClaimCount(*(counts[check] for check in Check)) for kind, counts in said.items()
    }
    missed = [row.missed for row in rows if row.missed is not None]
    assert (figures.submissions, figures.compared) == (len(ids), len(missed))
    assert (figures.missed, figures.missing) == (sum(missed), sum(map(bool, missed)))


def test_no_question_is_asked_review_by_review(sqlite_url: str) -> None:
    with closing(Store.open(sqlite_url)) as store, plans("EXPLAIN QUERY PLAN") as found:
        headline(store)
    assert found
    assert "CORRELATED" not in "\n".join(found)
