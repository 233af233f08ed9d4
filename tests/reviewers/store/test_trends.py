"""Guards the trends' numbers, by data small enough to count by hand."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from reviewers.records import Check, Finding, Ruling, RunConfig, SourceFile
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, inbox
from reviewers.store.trends import (
    CategoryCount,
    Dimension,
    GroupCount,
    Over,
    Period,
    PeriodCount,
    ReviewerCount,
    ShareChange,
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
from reviewers.store.trends_change import fisher, struck
from reviewers.store.trends_history import SurvivalCount, survival
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
FIRST, SECOND = date(2026, 3, 1), date(2026, 3, 2)


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


@pytest.mark.parametrize(
    ("query", "counts"),
    [
        (TrendsQuery(reviewer="recorded"), [(CLI, 1, 2, 1), ("uncategorised", 1, 2, 1)]),
        (TrendsQuery(reviewer="rules"), [(CLI, 2, 3, 2), (PACKAGING, 1, 3, 2)]),
        (TrendsQuery(reviewer="nobody"), []),
        (TrendsQuery(criterion=8), [(CLI, 1, 4, 2)]),
        (TrendsQuery(criterion=2, reviewer="rules"), [(CLI, 1, 3, 1)]),
        (TrendsQuery(category=HYDRA), [(HYDRA, 1, 4, 1)]),
        (
            TrendsQuery(lineage="x"),
            [(CLI, 1, 2, 2), (PACKAGING, 1, 2, 2), ("uncategorised", 1, 2, 1)],
        ),
        (TrendsQuery(lineage="y", reviewer="recorded"), []),
        (TrendsQuery(since=SECOND), [(CLI, 1, 2, 1), (HYDRA, 1, 2, 1)]),
        (TrendsQuery(until=FIRST, reviewer="rules"), [(PACKAGING, 1, 2, 2), (CLI, 1, 2, 1)]),
        (TrendsQuery(generator="o3"), [(PACKAGING, 1, 1, 2)]),
        (TrendsQuery(generator="O3"), []),
        (TrendsQuery(model="bert"), [(CLI, 1, 1, 1)]),
        (TrendsQuery(dataset="sst2", model="gpt2"), [(CLI, 1, 1, 1)]),
        (TrendsQuery(refuted=True), [(CLI, 1, 4, 1), (HYDRA, 1, 4, 1)]),
        (TrendsQuery(refuted=True, reviewer="rules"), [(CLI, 1, 3, 1)]),
    ],
    ids=str,
)
def test_a_query_says_which_findings_count(
    filled: Store, query: TrendsQuery, counts: list[tuple[str, int, int, int]]
) -> None:
    assert by_category(looked_at(filled, query)) == [CategoryCount(*count) for count in counts]


def test_days_are_days_in_utc_with_zeros_where_nothing_was_found(filled: Store) -> None:
    looked = looked_at(filled, TrendsQuery())
    assert fitting(looked) is Over.DAY
    assert [count for count in by_period(looked, Over.DAY) if count.criterion in (2, 9)] == [
        PeriodCount(2, Period(FIRST, FIRST), submissions=0, of=2, findings=0),
        PeriodCount(2, Period(SECOND, SECOND), submissions=2, of=2, findings=2),
        PeriodCount(9, Period(FIRST, FIRST), submissions=0, of=2, findings=0),
        PeriodCount(9, Period(SECOND, SECOND), submissions=0, of=2, findings=0),
    ]


def test_weeks_begin_on_monday_and_months_on_their_first_day(filled: Store) -> None:
    looked = looked_at(filled, TrendsQuery())
    # The first of March 2026 is a Sunday.
    weeks = [
        Period(date(2026, 2, 23), date(2026, 3, 1)),
        Period(date(2026, 3, 2), date(2026, 3, 8)),
    ]
    assert list(dict.fromkeys(count.period for count in by_period(looked, Over.WEEK))) == weeks
    months = {count.period for count in by_period(looked, Over.MONTH)}
    assert months == {Period(date(2026, 3, 1), date(2026, 3, 31))}
    assert [str(period) for period in (*weeks, *months)] == ["2026-02-23", "2026-03-02", "2026-03"]


def test_attempts_are_counted_over_all_lineages_or_in_one(filled: Store) -> None:
    everywhere = by_period(looked_at(filled, TrendsQuery()), Over.ATTEMPT)
    assert [
        (count.period.attempt, count.submissions, count.of)
        for count in everywhere
        if count.criterion == 8
    ] == [
        (1, 1, 2),
        (2, 0, 1),
    ]
    (alone,) = by_period(looked_at(filled, TrendsQuery(lineage="y", criterion=2)), Over.ATTEMPT)
    assert alone == PeriodCount(2, Period(attempt=1), submissions=1, of=1, findings=1)


def test_reviewers_are_split_by_fact_check_with_rulings_counted_in(filled: Store) -> None:
    assert by_reviewer(looked_at(filled, TrendsQuery())) == [
        ReviewerCount("openai:x", HYDRA, Check.CONFIRMED, findings=1, submissions=1, of=1),
        ReviewerCount("recorded", CLI, Check.UNVERIFIED, findings=1, submissions=1, of=2),
        ReviewerCount("recorded", HYDRA, Check.REFUTED, findings=1, submissions=1, of=2),
        ReviewerCount(
            "recorded", "uncategorised", Check.UNVERIFIED, findings=1, submissions=1, of=2
        ),
        ReviewerCount("rules", CLI, Check.CONFIRMED, findings=2, submissions=2, of=3),
        ReviewerCount("rules", CLI, Check.REFUTED, findings=1, submissions=1, of=3),
        ReviewerCount("rules", PACKAGING, Check.CONFIRMED, findings=2, submissions=1, of=3),
    ]
    assert by_reviewer(looked_at(filled, TrendsQuery(refuted=True))) == [
        ReviewerCount("recorded", HYDRA, Check.REFUTED, findings=1, submissions=1, of=2),
        ReviewerCount("rules", CLI, Check.REFUTED, findings=1, submissions=1, of=3),
    ]


def test_groups_are_told_apart_and_the_unknown_is_told_last(filled: Store) -> None:
    looked = looked_at(filled, TrendsQuery())
    assert by_dimension(looked, Dimension.GENERATOR) == [
        GroupCount("o3", 1, 1),
        GroupCount(None, 3, 3),
    ]
    assert by_dimension(looked, Dimension.LINEAGE) == [
        GroupCount("x", 2, 2),
        GroupCount("y", 1, 1),
        GroupCount(None, 1, 1),
    ]
    # One submission has two run configs of different models.
    assert by_dimension(looked, Dimension.MODEL) == [
        GroupCount("bert", 1, 1),
        GroupCount("gpt2", 1, 1),
        GroupCount(None, 3, 3),
    ]
    hydra = looked_at(filled, TrendsQuery(category=HYDRA))
    assert by_dimension(hydra, Dimension.GENERATOR) == [
        GroupCount("o3", 0, 1),
        GroupCount(None, 1, 3),
    ]


def test_lineages_are_listed(filled: Store) -> None:
    assert lineages(filled) == ["x", "y"]


def test_a_category_survives_until_an_attempt_without_it(store: Store) -> None:
    has = {"x": "110", "y": "1011", "z": "0"}
    for lineage, attempts in has.items():
        for number, present in enumerate(attempts, 1):
            found = [proof("r1", CLI, 8)] if present == "1" else []
            one = make_experiment(lineage, f"{lineage}{number}", lineage=lineage, attempt=number)
            store.add(one, (make_review("rules", NOT_READY, *found),))
    # It came three times: in x, where three attempts follow on another, and twice in y.
    assert survival(looked_at(store, TrendsQuery())) == [
        SurvivalCount(CLI, attempts=0, submissions=3, of=3, followed=3, share=1.0),
        SurvivalCount(CLI, attempts=1, submissions=2, of=3, followed=3, share=2 / 3),
        SurvivalCount(CLI, attempts=2, submissions=0, of=1, followed=2, share=0.0),
        SurvivalCount(CLI, attempts=3, submissions=0, of=0, followed=1, share=0.0),
    ]


def test_what_survives_never_rises_and_is_unknown_once_nobody_is_left_to_tell(store: Store) -> None:
    # Two lineages end while they have it still, so the longest one alone must not lift the line to
    # a half.
    for lineage, attempts in {
        "u": "11",
        "v": "11",
        "w": "1110",
        "x": "10000",
        "y": "1000",
        "z": "100",
    }.items():
        for number, present in enumerate(attempts, 1):
            found = [proof("r1", CLI, 8)] if present == "1" else []
            one = make_experiment(lineage, f"{lineage}{number}", lineage=lineage, attempt=number)
            store.add(one, (make_review("rules", NOT_READY, *found),))
    counted = [
        (each.submissions, each.of, each.followed, each.share)
        for each in survival(looked_at(store, TrendsQuery()))
    ]
    assert counted == [
        (6, 6, 6, 1.0),
        (3, 6, 6, 0.5),
        (1, 1, 4, 0.5),
        (0, 1, 3, 0.0),
        (0, 0, 1, 0.0),
    ]
    (last,) = [
        each for each in survival(looked_at(store, TrendsQuery(lineage="u"))) if each.attempts == 1
    ]
    assert (last.submissions, last.of, last.share) == (1, 1, 1.0)


@pytest.mark.parametrize(
    ("table", "p"),
    [
        ((3, 4, 1, 4), 34 / 70),
        ((8, 10, 1, 6), 280 / 8008),
        ((0, 10, 5, 10), 504 / 15504),
        ((7, 7, 7, 7), 1.0),
    ],
    ids=str,
)
def test_fisher_adds_up_the_tables_no_likelier_than_the_one_seen(
    table: tuple[int, int, int, int], p: float
) -> None:
    assert fisher(*table) == pytest.approx(p)


def test_of_many_chances_a_small_one_is_less_of_a_surprise() -> None:
    assert struck([0.04]) == [True]
    assert struck([0.04, 0.5, 0.6, 0.7]) == [False] * 4
    # The largest that lies under its line takes those before it along.
    assert struck([0.03, 0.9, 0.02, 0.04, 0.05]) == [False] * 5
    assert struck([0.03, 0.9, 0.02, 0.001, 0.025]) == [True, False, True, True, True]
    assert struck([]) == []


def test_what_is_new_or_falls_is_told_where_there_is_enough_to_compare(
    store: Store, clock: Clock
) -> None:
    for number in range(24):
        clock.now = datetime(2026, 3, 1 + number, 12, tzinfo=UTC)
        later = number >= 12
        found = [proof("r1", PACKAGING if later else HYDRA, 5), proof("r2", CLI, 8)]
        store.add(
            make_experiment(str(number), str(number)), (make_review("rules", NOT_READY, *found),)
        )
    looked = looked_at(store, TrendsQuery())
    compared = halves(looked)
    assert compared is not None
    assert (compared.since, compared.sizes) == (date(2026, 3, 13), (12, 12))
    changes = {count.category: count.change for count in by_category(looked, compared)}
    assert changes == {CLI: None, HYDRA: ShareChange.FALLING, PACKAGING: ShareChange.NEW}
    # The ten days before a span of ten, and too few where they were three.
    before = halves(looked_at(store, TrendsQuery(since=date(2026, 3, 15))))
    assert before is not None
    assert before.sizes == (10, 10)
    assert halves(looked_at(store, TrendsQuery(since=date(2026, 3, 22)))) is None


def test_what_changes_in_the_store_is_counted_at_once(store: Store) -> None:
    def counted(query: TrendsQuery = TrendsQuery()) -> list[tuple[str, int]]:  # noqa: B008
        return [
            (count.category, count.submissions) for count in by_category(looked_at(store, query))
        ]

    one = make_submission("one")
    store.add(one, (make_review("rules", NOT_READY, proof("r1", CLI, 8)),))
    assert counted() == [(CLI, 1)]
    store.rule_on(one.id, "r1", Ruling.DISMISS, "it takes both forms", "Ann")
    assert counted() == []
    store.add_review(one.id, make_review("rules", NOT_READY, proof("r2", HYDRA, 2)))
    assert counted() == [(HYDRA, 1)]
    store.add_review(one.id, make_review("rules", NOT_READY, proof("r3", PACKAGING, 5)))
    assert counted() == [(PACKAGING, 1)]
    store.add_review(
        one.id, make_review("rules", NOT_READY, proof("r2", HYDRA, 2))
    )  # said before, and current again
    assert counted() == [(HYDRA, 1)]
    assert counted(TrendsQuery(generator="o3")) == []
    store.add(make_submission("one", generator="o3"))
    assert counted(TrendsQuery(generator="o3")) == [(HYDRA, 1)]


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
