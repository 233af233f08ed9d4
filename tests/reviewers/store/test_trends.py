"""Guards the trends' numbers, by data small enough to count by hand, and that trends, which keep
what they read, count just what a first reading counts.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import insert

from reviewers.errors import StoreError
from reviewers.outcomes.outcome import Outcome, Stage
from reviewers.records import (
    Check,
    Finding,
    Review,
    Ruling,
    RunConfig,
    Severity,
    SourceFile,
    Span,
    Verdict,
)
from reviewers.store import Store
from reviewers.store.engine import make_engine
from reviewers.store.inbox import InboxQuery, inbox
from reviewers.store.lineages import relate
from reviewers.store.outcomes import add_outcome
from reviewers.store.refresh import refresh
from reviewers.store.tables import rulings
from reviewers.store.trends import (
    CategoryCount,
    Dimension,
    Looked,
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
    names_of,
)
from reviewers.store.trends_change import struck
from reviewers.store.trends_history import by_claims, by_fate, survival
from tests.reviewers.store.making import (
    NOT_READY,
    READY,
    Clock,
    make_experiment,
    make_finding,
    make_review,
    make_submission,
    rules_found,
    sql,
    watched,
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
        ("before-2", 2),
        ("cause:XX01", 3),
        ("cause:people", 0),
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


CATEGORIES = ("cli-contract", "hydra-composition", "packaging-invalid")
NAMES = ("reviewer", "category", "generator", "lineage", "model", "dataset", "fate")


def everything(looked: Looked) -> dict[str, Any]:
    """All that the trends say."""
    return {
        "categories": by_category(looked, halves(looked)),
        "periods": [by_period(looked, over) for over in Over],
        "reviewers": by_reviewer(looked),
        "groups": [by_dimension(looked, dimension) for dimension in Dimension],
        "survival": survival(looked),
        "claims": [by_claims(looked, over) for over in Over],
        "fates": by_fate(looked),
        "names": [names_of(looked, name) for name in NAMES],
    }


def read_first(url: str) -> dict[str, Any]:
    """All that the trends say to one who has kept nothing."""
    with closing(Store(make_engine(url))) as store:
        return everything(looked_at(store, TrendsQuery()))


class Walk:
    """Changes a store at random, as people and reviewers do."""

    def __init__(self, store: Store, seed: int) -> None:
        self.store, self.dice = store, random.Random(seed)
        self.ids: list[str] = []

    def step(self) -> None:
        deeds = [self.add, self._review, self._rule, self._decide, self._relate, self._run]
        with suppress(StoreError):  # nothing to withdraw, or a submission related to itself
            self.dice.choice([self.add, *deeds, self._find] if self.ids else [self.add])()

    def _reviews(self) -> list[Review]:
        return [
            make_review(
                self.dice.choice(("recorded", "openai:x", "openai:y")),
                self.dice.choice((*Verdict, None)),
                *(
                    make_finding(
                        f"c{each}",
                        self.dice.choice(list(Check)),
                        category=self.dice.choice(CATEGORIES),
                        criterion=self.dice.choice((None, 2, 8)),
                    )
                    for each in range(self.dice.randrange(4))
                ),
            ),
            rules_found(
                *(f"r{each}" for each in range(self.dice.randrange(3))),
                category=self.dice.choice(CATEGORIES),
            ),
        ]

    def add(self) -> None:
        name = f"{len(self.ids)}"
        run = RunConfig(
            name,
            SourceFile(f"config/runs/{name}.yaml", b"run_id: x\n"),
            model=self.dice.choice((None, "bert", "gpt2")),
            dataset=self.dice.choice((None, "sst2")),
        )
        # Lineages of one name are distinguished as soon as there are two.
        submission = make_experiment(
            self.dice.choice("abc"),
            name,
            runs=(run,),
            lineage=self.dice.choice((None, "called", "named")),
            generator=self.dice.choice((None, "o3", "o4")),
        )
        self.store.add(submission, tuple(self._reviews()))
        self.ids.append(submission.id)

    def _review(self) -> None:
        self.store.add_review(self._one(), self.dice.choice(self._reviews()))

    def _rule(self) -> None:
        finding = self.dice.choice(("c0", "c1", "r0", "r1"))
        ruling = self.dice.choice(list(Ruling))
        self.store.rule_on(self._one(), finding, ruling, "seen", "Ann")

    def _find(self) -> None:
        self.store.add_finding(
            self._one(),
            span=Span("src/train.py", 1),
            severity=Severity.BLOCKER,
            category=self.dice.choice(CATEGORIES),
            message="it fails",
            author=self.dice.choice(("Ann", "Bob")),
        )

    def _decide(self) -> None:
        self.store.decide(self._one(), self.dice.choice((*Verdict, None)), "seen", "Ann")

    def _relate(self) -> None:
        together = self.dice.random() < 0.5
        relate(self.store, self._one(), self._one(), together, "seen", self.dice.choice("ab"))

    def _run(self) -> None:
        happened = Outcome(
            submission=self._one(),
            stage=Stage.TRIAL,
            exit_code=1,
            at=datetime(2026, 4, 1, tzinfo=UTC),
            source="run",
            digest=str(self.dice.randrange(9)),
            error="KeyError",
            category=self.dice.choice(CATEGORIES),
        )
        add_outcome(self.store, happened)

    def _one(self) -> str:
        return self.dice.choice(self.ids)


@pytest.mark.parametrize("seed", range(2))
def test_what_is_kept_and_renewed_equals_a_first_reading(store: Store, url: str, seed: int) -> None:
    walk = Walk(store, seed)
    everything(looked_at(store, TrendsQuery()))
    for _ in range(20):
        for _ in range(walk.dice.randrange(3)):
            walk.step()
        assert everything(looked_at(store, TrendsQuery())) == read_first(url)
    assert len(walk.ids) > 3


def test_all_that_is_worked_out_anew_is_read_again(store: Store, url: str) -> None:
    walk = Walk(store, 3)
    for _ in range(8):
        walk.step()
    before = everything(looked_at(store, TrendsQuery()))
    sql(url, "DELETE FROM attempts")
    store.recompute()
    assert everything(looked_at(store, TrendsQuery())) == before == read_first(url)


def test_what_comes_in_between_two_questions_is_counted_whole_or_not_at_all(
    store: Store, url: str
) -> None:
    with closing(Store.open(url)) as other:
        mine = Walk(store, 4)
        mine.step()
        looked_at(store, TrendsQuery())
        theirs = Walk(other, 5)
        theirs.ids = mine.ids
        for place in range(1, 8):
            mine.add()
            left = place

            def see(*_: object) -> None:
                nonlocal left
                left -= 1
                if left == 0:
                    theirs.add()

            with watched(see):
                looked = looked_at(store, TrendsQuery())
            held = looked.facts.submissions["number"]
            assert left < 0, "there were so many questions"
            assert len(mine.ids) - len(held) in (0, 1)
            for table in (looked.facts.looks, looked.facts.tallies, looked.facts.runs):
                assert table["submission"].max() < len(held)
            everything(looked)
            assert everything(looked_at(store, TrendsQuery())) == read_first(url)


@pytest.mark.postgresql
def test_a_change_that_was_still_under_way_is_not_missed(postgresql_url: str, clock: Clock) -> None:
    with (
        closing(Store.open(postgresql_url, clock=clock)) as store,
        closing(Store.open(postgresql_url, clock=clock)) as other,
    ):
        first, second = make_submission("first"), make_submission("second")
        for each in (first, second):
            store.add(each, (rules_found("r1"),))
        said = {"finding_id": "r1", "ruling": Ruling.DISMISS, "reason": "no", "author": "Ann"}
        with other.writing() as connection:
            values = {**said, "submission_id": first.id, "at": clock()}
            connection.execute(insert(rulings).values(values))
            refresh(connection, 1, texts=False)
            # This one began later, and is there and counted before.
            store.rule_on(second.id, "r1", Ruling.DISMISS, "no", "Ann")
            (left,) = by_category(looked_at(store, TrendsQuery()))
            assert left.submissions == 1
        assert by_category(looked_at(store, TrendsQuery())) == []


@pytest.mark.postgresql
def test_a_database_that_moved_to_another_server_is_not_read_again_and_again(
    postgresql_url: str,
) -> None:
    with closing(Store.open(postgresql_url)) as store:
        store.add(make_submission(), (rules_found("r1"),))
        sql(postgresql_url, f"INSERT INTO changed_submissions VALUES ({2**40}, 1)")
        moments = {looked_at(store, TrendsQuery()).facts.moment for _ in range(3)}
        assert len(moments) == 1
        store.rule_on(make_submission().id, "r1", Ruling.DISMISS, "no", "Ann")
        assert by_category(looked_at(store, TrendsQuery())) == []
