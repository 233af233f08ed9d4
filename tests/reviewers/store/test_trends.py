"""Guards the trends' numbers, by data small enough to count by hand."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta

import pytest

from reviewers.records import Check, Finding, Ruling
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, inbox
from reviewers.store.trends import (
    CategoryCount,
    CriterionCount,
    ReviewerCount,
    TimeCount,
    TrendsQuery,
    by_attempt,
    by_category,
    by_criterion,
    by_day,
    by_reviewer,
    lineages,
)
from tests.reviewers.store.making import (
    NOT_READY,
    READY,
    Clock,
    make_experiment,
    make_finding,
    make_review,
    make_schema,
    make_submission,
)

CLI, HYDRA, PACKAGING = "cli-contract", "hydra-composition", "packaging-invalid"
FIRST, SECOND = date(2026, 3, 1), date(2026, 3, 2)


def claim(id: str, category: str, criterion: int | None, result: Check = Check.UNVERIFIED) -> Finding:
    return make_finding(id, result, category=category, criterion=criterion)


def proof(id: str, category: str, criterion: int) -> Finding:
    return make_finding(id, category=category, criterion=criterion, rule="XX01")


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Four submissions on two days, a minute before and after midnight in UTC, and one that nobody looked at."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path_factory.mktemp('trends') / 'store.sqlite3'}"
    else:
        url = make_schema(request.getfixturevalue("postgresql_server"))
    clock = Clock()
    clock.now, clock.step = datetime(2026, 3, 1, 23, 58, tzinfo=UTC), timedelta(seconds=30)
    with closing(Store.open(url, clock=clock)) as store:
        a = make_submission("a", lineage="x", attempt=1)
        b = make_submission("b", lineage="x", attempt=2)
        c = make_experiment("y", "c", lineage="y", attempt=1)
        d = make_experiment("d", "d")
        recorded = [claim("a1", CLI, 8), claim("a2", HYDRA, 2, Check.REFUTED), claim("a3", "uncategorised", None)]
        store.add(a, (make_review("recorded", NOT_READY, *recorded), make_review("rules", NOT_READY, proof("r1", CLI, 8))))
        superseded = make_review("recorded", NOT_READY, claim("b0", HYDRA, 2), model="old")
        store.add(b, (superseded, make_review("rules", NOT_READY, proof("r1", PACKAGING, 5), proof("r2", PACKAGING, 5))))
        clock.now = datetime(2026, 3, 2, 0, 1, tzinfo=UTC)
        store.add_review(b.id, make_review("recorded", READY, model="new"))
        store.add(c, (make_review("recorded", None), make_review("rules", NOT_READY, proof("r1", CLI, 2), proof("r9", CLI, 8))))
        store.rule_on(c.id, "r9", Ruling.DISMISS, "it takes both forms", "Ann")
        store.add(d, (make_review("openai:x", READY, claim("d1", HYDRA, 2, Check.REFUTED)),))
        store.rule_on(d.id, "d1", Ruling.CONFIRM, "", "Ann")
        store.add(make_experiment("e", "e"), (make_review("recorded", None),))
        yield store


def test_categories_are_counted_by_submissions_most_first(filled: Store) -> None:
    assert by_category(filled, TrendsQuery()) == [
        CategoryCount(CLI, submissions=2, of=4, findings=3),
        CategoryCount(PACKAGING, submissions=1, of=4, findings=2),
        CategoryCount(HYDRA, submissions=1, of=4, findings=1),
        CategoryCount("uncategorised", submissions=1, of=4, findings=1),
    ]


@pytest.mark.parametrize(
    ("query", "counts"),
    [
        (TrendsQuery(reviewer="recorded"), [(CLI, 1, 2, 1), ("uncategorised", 1, 2, 1)]),
        (TrendsQuery(reviewer="rules"), [(CLI, 2, 3, 2), (PACKAGING, 1, 3, 2)]),
        (TrendsQuery(reviewer="nobody"), []),
        (TrendsQuery(criterion=8), [(CLI, 1, 4, 2)]),
        (TrendsQuery(criterion=2, reviewer="rules"), [(CLI, 1, 3, 1)]),
        (TrendsQuery(lineage="x"), [(CLI, 1, 2, 2), (PACKAGING, 1, 2, 2), ("uncategorised", 1, 2, 1)]),
        (TrendsQuery(lineage="y", reviewer="recorded"), []),
        (TrendsQuery(refuted=True), [(CLI, 1, 4, 1), (HYDRA, 1, 4, 1)]),
        (TrendsQuery(refuted=True, reviewer="rules"), [(CLI, 1, 3, 1)]),
    ],
    ids=str,
)
def test_a_query_says_which_findings_count(filled: Store, query: TrendsQuery, counts: list[tuple[str, int, int, int]]) -> None:
    assert by_category(filled, query) == [CategoryCount(*count) for count in counts]


def test_days_are_days_in_utc_with_zeros_where_nothing_was_found(filled: Store) -> None:
    assert by_day(filled, TrendsQuery()) == [
        TimeCount(FIRST, CLI, 1, 2),
        TimeCount(FIRST, HYDRA, 0, 2),
        TimeCount(FIRST, PACKAGING, 1, 2),
        TimeCount(FIRST, "uncategorised", 1, 2),
        TimeCount(SECOND, CLI, 1, 2),
        TimeCount(SECOND, HYDRA, 1, 2),
        TimeCount(SECOND, PACKAGING, 0, 2),
        TimeCount(SECOND, "uncategorised", 0, 2),
    ]


def test_attempts_are_counted_over_all_lineages_or_in_one(filled: Store) -> None:
    assert [count for count in by_attempt(filled, TrendsQuery()) if count.category == CLI] == [
        TimeCount(1, CLI, 2, 2),
        TimeCount(2, CLI, 0, 1),
    ]
    assert by_attempt(filled, TrendsQuery(lineage="y")) == [TimeCount(1, CLI, 1, 1)]


def test_reviewers_are_split_by_fact_check_with_rulings_counted_in(filled: Store) -> None:
    assert by_reviewer(filled, TrendsQuery()) == [
        ReviewerCount("openai:x", HYDRA, confirmed=1, refuted=0, unverified=0),
        ReviewerCount("recorded", CLI, confirmed=0, refuted=0, unverified=1),
        ReviewerCount("recorded", HYDRA, confirmed=0, refuted=1, unverified=0),
        ReviewerCount("recorded", "uncategorised", confirmed=0, refuted=0, unverified=1),
        ReviewerCount("rules", CLI, confirmed=2, refuted=1, unverified=0),
        ReviewerCount("rules", PACKAGING, confirmed=2, refuted=0, unverified=0),
    ]
    assert by_reviewer(filled, TrendsQuery(refuted=True)) == [
        ReviewerCount("recorded", HYDRA, confirmed=0, refuted=1, unverified=0),
        ReviewerCount("rules", CLI, confirmed=0, refuted=1, unverified=0),
    ]


def test_all_nine_criteria_are_counted(filled: Store) -> None:
    counts = by_criterion(filled, TrendsQuery())
    assert [count.criterion for count in counts] == list(range(1, 10))
    assert [count for count in counts if count.findings] == [
        CriterionCount(2, submissions=2, of=4, findings=2),
        CriterionCount(5, submissions=1, of=4, findings=2),
        CriterionCount(8, submissions=1, of=4, findings=2),
    ]


def test_lineages_are_listed(filled: Store) -> None:
    assert lineages(filled) == ["x", "y"]


@pytest.mark.parametrize("reviewer", [None, "recorded", "rules"])
@pytest.mark.parametrize("lineage", [None, "x"])
@pytest.mark.parametrize("refuted", [False, True], ids=["counting", "refuted"])
def test_the_inbox_behind_a_bar_holds_as_many_as_the_bar_says(
    filled: Store, reviewer: str | None, lineage: str | None, refuted: bool
) -> None:
    query = TrendsQuery(reviewer=reviewer, lineage=lineage, refuted=refuted)
    for bar in by_category(filled, query):
        behind = InboxQuery(category=bar.category, reviewer=reviewer, lineage=lineage, refuted=refuted)
        assert inbox(filled, behind).total == bar.submissions
    for row in by_criterion(filled, query):
        behind = InboxQuery(criterion=row.criterion, reviewer=reviewer, lineage=lineage, refuted=refuted)
        assert inbox(filled, behind).total == row.submissions


def test_an_empty_store_has_no_trends(store: Store) -> None:
    query = TrendsQuery()
    assert [list(ask(store, query)) for ask in (by_category, by_day, by_attempt, by_reviewer)] == [[], [], [], []]
    assert {(count.submissions, count.of, count.findings) for count in by_criterion(store, query)} == {(0, 0, 0)}
    assert lineages(store) == []
