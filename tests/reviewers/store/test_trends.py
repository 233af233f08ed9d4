"""Guards the trends' numbers, by data small enough to count by hand."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from reviewers.records import Check, Finding, Ruling, RunConfig, SourceFile
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, inbox
from reviewers.store.trends import (
    CategoryCount,
    Dimension,
    Over,
    TrendsQuery,
    by_category,
    by_dimension,
    by_period,
    by_reviewer,
    fitting,
    halves,
    lineages,
    looked_at,
)
from reviewers.store.trends_change import struck
from reviewers.store.trends_history import survival
from tests.reviewers.store.making import (
    NOT_READY,
    READY,
    Clock,
    make_experiment,
    make_finding,
    make_review,
    make_submission,
)

CLI, HYDRA, PACKAGING = "cli-contract", "hydra-composition", "packaging-invalid"


def claim(
    id: str, category: str, criterion: int | None, result: Check = Check.UNVERIFIED
) -> Finding:
    return make_finding(id, result, category=category, criterion=criterion)


def proof(id: str, category: str, criterion: int) -> Finding:
    return make_finding(id, category=category, criterion=criterion, rule="XX01")


@pytest.fixture(scope="module")
def filled(new_url: Callable[[], str]) -> Iterator[Store]:
    """Four submissions on two days, a minute before and after midnight in UTC, and one that nobody
    looked at.
    """
    clock = Clock()
    clock.now, clock.step = datetime(2026, 3, 1, 23, 58, tzinfo=UTC), timedelta(seconds=30)
    with closing(Store.open(new_url(), clock=clock)) as store:
        a = make_submission("a", lineage="x", attempt=1)
        b = make_submission("b", lineage="x", attempt=2, generator="o3")
        yaml = SourceFile("config/runs/a.yaml", b"run_id: a\n")
        runs = [
            RunConfig("a", yaml, model="bert"),
            RunConfig("b", replace(yaml, path="config/runs/b.yaml"), None, "gpt2", "sst2"),
        ]
        c = make_experiment("y", "c", lineage="y", attempt=1, runs=tuple(runs))
        d = make_experiment("d", "d")
        recorded = [
            claim("a1", CLI, 8),
            claim("a2", HYDRA, 2, Check.REFUTED),
            claim("a3", "uncategorised", None),
        ]
        store.add(
            a,
            (
                make_review("recorded", NOT_READY, *recorded),
                make_review("rules", NOT_READY, proof("r1", CLI, 8)),
            ),
        )
        superseded = make_review("recorded", NOT_READY, claim("b0", HYDRA, 2), model="old")
        store.add(
            b,
            (
                superseded,
                make_review(
                    "rules", NOT_READY, proof("r1", PACKAGING, 5), proof("r2", PACKAGING, 5)
                ),
            ),
        )
        clock.now = datetime(2026, 3, 2, 0, 1, tzinfo=UTC)
        store.add_review(b.id, make_review("recorded", READY, model="new"))
        store.add(
            c,
            (
                make_review("recorded", None),
                make_review("rules", NOT_READY, proof("r1", CLI, 2), proof("r9", CLI, 8)),
            ),
        )
        store.rule_on(c.id, "r9", Ruling.DISMISS, "it takes both forms", "Ann")
        store.add(d, (make_review("openai:x", READY, claim("d1", HYDRA, 2, Check.REFUTED)),))
        store.rule_on(d.id, "d1", Ruling.CONFIRM, "", "Ann")
        store.add(make_experiment("e", "e"), (make_review("recorded", None),))
        yield store


def test_categories_are_counted_by_submissions_most_first(filled: Store) -> None:
    assert by_category(looked_at(filled, TrendsQuery())) == [
        CategoryCount(CLI, submissions=2, of=4, findings=3),
        CategoryCount(PACKAGING, submissions=1, of=4, findings=2),
        CategoryCount(HYDRA, submissions=1, of=4, findings=1),
        CategoryCount("uncategorised", submissions=1, of=4, findings=1),
    ]


def test_of_many_chances_a_small_one_is_less_of_a_surprise() -> None:
    assert struck([0.04]) == [True]
    assert struck([0.04, 0.5, 0.6, 0.7]) == [False] * 4
    # The largest that lies under its line takes those before it along.
    assert struck([0.03, 0.9, 0.02, 0.04, 0.05]) == [False] * 5
    assert struck([0.03, 0.9, 0.02, 0.001, 0.025]) == [True, False, True, True, True]
    assert struck([]) == []


@pytest.mark.parametrize("reviewer", [None, "recorded", "rules"])
@pytest.mark.parametrize("lineage", [None, "x"])
@pytest.mark.parametrize("refuted", [False, True], ids=["counting", "refuted"])
def test_the_inbox_behind_a_bar_holds_as_many_as_the_bar_says(
    filled: Store, reviewer: str | None, lineage: str | None, refuted: bool
) -> None:
    for bar in by_category(
        looked_at(filled, TrendsQuery(reviewer=reviewer, lineage=lineage, refuted=refuted))
    ):
        behind = InboxQuery(
            category=bar.category, reviewer=reviewer, lineage=lineage, refuted=refuted
        )
        assert inbox(filled, behind).total == bar.submissions


@pytest.mark.parametrize(
    ("mark", "submissions"),
    [
        ("confirmed", 4),
        ("refuted", 2),
        ("unverified", 1),
        ("blocked", 4),
        ("attempt-2", 1),
        (f"kept-0:{CLI}", 2),
        (f"kept-1:{CLI}", 0),
        (f"missed:{CLI}", 0),
        ("blocked:all", 0),
        ("attempt", 0),
        ("", 0),
    ],
)
def test_the_inbox_takes_the_words_of_marks_and_holds_nothing_where_they_make_no_sense(
    filled: Store, mark: str, submissions: int
) -> None:
    assert inbox(filled, InboxQuery(mark=mark)).total == submissions


def test_an_empty_store_has_no_trends(store: Store) -> None:
    looked = looked_at(store, TrendsQuery())
    assert (looked.size, looked.days, halves(looked), fitting(looked)) == (
        0,
        None,
        None,
        Over.ATTEMPT,
    )
    assert [list(ask(looked)) for ask in (by_category, by_reviewer, survival)] == [[], [], []]
    assert [list(by_period(looked, over)) for over in Over] == [[]] * 4
    assert [list(by_dimension(looked, dimension)) for dimension in Dimension] == [[]] * len(
        Dimension
    )
    assert lineages(store) == []
