"""Guards the inbox' filters and orders: each is true on both databases, over pages, and for what
comes next.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, date, datetime

import pytest

from reviewers.outcomes.outcome import Outcome, Stage
from reviewers.records import Check, RunConfig, SourceFile
from reviewers.store import Store
from reviewers.store.inbox import (
    InboxQuery,
    Sort,
    decided_ids,
    inbox,
    next_undecided,
    undecided_count,
)
from reviewers.store.inbox_choices import choices
from reviewers.store.outcomes import add_outcome
from tests.reviewers.store.making import (
    NOT_READY,
    READY,
    Clock,
    make_experiment,
    make_finding,
    make_review,
    rules_found,
)

REFUTED = Check.REFUTED


FILTERED = {
    "one": {"lineage": "x", "attempt": 1, "generator": "gen-1"},
    "two": {"lineage": "x", "attempt": 2, "generator": "gen-2"},
    "three": {"lineage": "y"},
    "four": {"runs": (RunConfig("r", SourceFile("r.yaml", b"a: 1"), "m", "bert", "sst2"),)},
}


@pytest.fixture(scope="module")
def varied(new_url: Callable[[], str]) -> Iterator[Store]:
    """Imported on four days: what only the newer filters and orders tell apart."""
    clock = Clock()
    made = {
        name: make_experiment(str(fields.get("lineage", name)), name, **fields)
        for name, fields in FILTERED.items()
    }
    reviews = {
        "one": (
            make_review("openai:x", READY),
            make_review("openai:y", NOT_READY),
            rules_found("a", "b"),
        ),
        "two": (
            make_review(
                "openai:x", NOT_READY, make_finding("c1", REFUTED), make_finding("c2", REFUTED)
            ),
            rules_found(),
        ),
        "three": (
            make_review("openai:x", NOT_READY, make_finding("c3", REFUTED)),
            rules_found("d"),
        ),
        "four": (),
    }
    with closing(Store.open(new_url(), clock=clock)) as store:
        for day, name in enumerate(FILTERED, 1):
            clock.now = datetime(2026, 3, day, tzinfo=UTC) - clock.step
            store.add(made[name], reviews[name])
        store.decide(made["one"].id, READY, "it runs", "Ann")
        store.decide(made["two"].id, READY, "it runs", "Ann")
        store.decide(made["two"].id, None, "", "Ann")
        store.decide(made["three"].id, READY, "it runs", "Bob")
        at = datetime(2026, 4, 1, tzinfo=UTC)
        add_outcome(
            store,
            Outcome(submission=made["one"].id, stage=Stage.TRIAL, exit_code=0, at=at, source="run"),
        )
        failure = {"error": "ValueError", "category": "cli-contract"}
        add_outcome(
            store,
            Outcome(
                submission=made["two"].id,
                stage=Stage.TRIAL,
                exit_code=1,
                at=at,
                source="run",
                **failure,
            ),
        )
        yield store


def names(store: Store, **query: object) -> list[str]:
    page = inbox(store, InboxQuery(**query))
    assert page.total == len(page.rows)
    return [row.name for row in page.rows]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"undecided_by": "Ann"}, {"two", "three", "four"}),
        ({"undecided_by": "Bob", "decision": READY}, {"one"}),
        ({"undecided_by": "nobody"}, {"one", "two", "three", "four"}),
        ({"since": date(2026, 3, 3)}, {"three", "four"}),
        ({"until": date(2026, 3, 1)}, {"one"}),
        ({"since": date(2026, 3, 2), "until": date(2026, 3, 3)}, {"two", "three"}),
        ({"until": date.max}, {"one", "two", "three", "four"}),
        ({"attempt": 2}, {"two"}),
        ({"attempt": 1, "lineage": "y"}, {"three"}),
        ({"model": "bert"}, {"four"}),
        ({"dataset": "sst2"}, {"four"}),
        ({"generator": "gen-1"}, {"one"}),
        (
            {
                "reviewer": "openai:x",
                "verdict": READY,
                "other": "openai:y",
                "other_verdict": NOT_READY,
            },
            {"one"},
        ),
        (
            {
                "reviewer": "openai:x",
                "verdict": NOT_READY,
                "other": "rules",
                "other_verdict": READY,
            },
            {"two"},
        ),
        ({"other": "openai:y"}, {"one"}),
        ({"missed_by": "openai:x"}, {"one", "three"}),
        ({"missed_by": "rules"}, set()),
        ({"outcome": "failed"}, {"two"}),
        ({"outcome": "ran"}, {"one"}),
    ],
    ids=lambda value: (
        " ".join(f"{key}={part}" for key, part in value.items()) if isinstance(value, dict) else ""
    ),
)
def test_every_filter_is_true(varied: Store, query: dict[str, object], found: set[str]) -> None:
    assert set(names(varied, **query)) == found


SORTED = {
    Sort.NEEDED: ["two", "four", "three", "one"],
    Sort.NEWEST: ["four", "three", "two", "one"],
    Sort.OLDEST: ["one", "two", "three", "four"],
    Sort.NAME: ["four", "one", "three", "two"],
    Sort.BLOCKERS: ["one", "three", "four", "two"],
    Sort.REFUTED: ["two", "three", "four", "one"],
    Sort.MISSED: ["one", "three", "two", "four"],
}


@pytest.mark.parametrize("sort", Sort)
def test_an_order_holds_over_pages_and_for_what_comes_next(varied: Store, sort: Sort) -> None:
    assert names(varied, sort=sort) == SORTED[sort]
    pages = [inbox(varied, InboxQuery(sort=sort, limit=1, offset=at)).rows for at in range(4)]
    assert [row.name for (row,) in pages] == SORTED[sort]
    ids = {row.name: row.id for (row,) in pages}
    undecided = [name for name in SORTED[sort] if name in ("two", "four")]
    assert next_undecided(varied, ids[undecided[0]], InboxQuery(sort=sort)) == ids[undecided[1]]


def test_a_person_is_told_what_is_left_for_them(varied: Store) -> None:
    ids = {row.name: row.id for row in inbox(varied, InboxQuery()).rows}
    assert (
        undecided_count(varied, "Ann"),
        undecided_count(varied, "Bob"),
        undecided_count(varied, "Eve"),
    ) == (3, 3, 4)
    assert decided_ids(varied, "Ann", ids.values()) == {ids["one"]}
    page = inbox(varied, InboxQuery(lineage="x"))
    assert (page.total, page.decided) == (2, 1)
    assert {(row.name, row.attempt, row.attempts) for row in page.rows} == {
        ("one", 1, 2),
        ("two", 2, 2),
    }


def test_filters_can_be_set_to_what_the_store_holds(varied: Store) -> None:
    known = choices(varied)
    assert (known.reviewers, known.lineages) == (("openai:x", "openai:y", "rules"), ("x", "y"))
    assert (known.models, known.datasets, known.generators) == (
        ("bert",),
        ("sst2",),
        ("gen-1", "gen-2"),
    )


def test_a_search_in_names_finds_nothing_that_anybody_said(varied: Store) -> None:
    def found(text: str, **how: bool) -> set[str]:
        return {row.name for row in inbox(varied, InboxQuery(text=text, **how)).rows}

    assert found("message"), "a reviewer's finding has the word"
    assert found("message", in_names=True) == set()
    assert found("WO", in_names=True) == {"two"}, "anywhere in a name, in any case"
    assert found("adapters gated", in_names=True) == set(FILTERED), "every word, in the title"
    assert found("% _ ' \0", in_names=True) == set()
