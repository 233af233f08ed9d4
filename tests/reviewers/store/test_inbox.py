"""Guards the inbox' questions, on both databases: views agree with their counts, pages with each
other, searches with what was written, and every filter and order is true.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest

from reviewers.outcomes.outcome import Outcome, Stage
from reviewers.records import Check, ResearchContext, Ruling, RunConfig, SourceFile
from reviewers.store import Store
from reviewers.store.inbox import (
    InboxQuery,
    Sort,
    View,
    decided_ids,
    inbox,
    next_undecided,
    progress,
    reviewers_seen,
    undecided_count,
    view_counts,
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
    make_submission,
    rules_found,
)

REFUTED, UNVERIFIED = Check.REFUTED, Check.UNVERIFIED

# What stands in the store of this module's tests: name, lineage, reviews.
FILLED = {
    "contradicted": (
        "x",
        [
            make_review("recorded", READY),
            rules_found("r1", category="packaging-invalid", criterion=5),
        ],
    ),
    "disagree": (
        "x",
        [make_review("recorded", NOT_READY, make_finding("c1", UNVERIFIED)), rules_found()],
    ),
    "refuted": (
        "x",
        [
            make_review(
                "recorded", NOT_READY, make_finding("c2", REFUTED, criterion=1), make_finding("c3")
            )
        ],
    ),
    "quiet": ("y", [make_review("openai:x", READY)]),
    "failed": ("y", [make_review("openai:x", None), rules_found("r4", criterion=5)]),
    "decided ready": (None, [make_review("recorded", READY)]),
    "decided not ready": (None, [make_review("recorded", READY), rules_found("r5")]),
    "dismissed": (None, [rules_found("r6", category="packaging-invalid", criterion=5)]),
}
IDS = {name: make_experiment(lineage or name, name).id for name, (lineage, _) in FILLED.items()}


@pytest.fixture(scope="module")
def filled(new_url: Callable[[], str]) -> Iterator[Store]:
    """A store that no test of this module writes to."""
    with closing(Store.open(new_url(), clock=Clock())) as store:
        for name, (lineage, reviews) in FILLED.items():
            store.add(make_experiment(lineage or name, name, lineage=lineage), tuple(reviews))
        store.decide(IDS["decided ready"], READY, "it runs", "Ann")
        store.decide(IDS["decided not ready"], NOT_READY, "r5 stops it", "Bob")
        store.rule_on(IDS["dismissed"], "r6", Ruling.DISMISS, "it is there", "Ann")
        yield store


def names(store: Store, **query: object) -> list[str]:
    page = inbox(store, InboxQuery(**query))
    assert page.total == len(page.rows)
    return [row.name for row in page.rows]


def test_what_needs_a_person_comes_first_and_the_newest_of_those(filled: Store) -> None:
    assert names(filled) == [
        "contradicted",
        "disagree",
        "failed",
        "refuted",
        "dismissed",
        "quiet",
        "decided not ready",
        "decided ready",
    ]


VIEWS = {
    View.NEEDS_DECISION: {"contradicted", "disagree", "failed", "refuted", "dismissed", "quiet"},
    View.DISAGREE: {"contradicted", "disagree", "decided not ready"},
    View.CONTRADICTED: {"contradicted", "decided not ready"},
    View.REFUTED: {"refuted"},
    View.DECIDED: {"decided ready", "decided not ready"},
    View.ALL: set(FILLED),
}


@pytest.mark.parametrize("view", View)
def test_a_view_holds_what_its_count_says(filled: Store, view: View) -> None:
    assert set(names(filled, view=view)) == VIEWS[view]
    assert view_counts(filled)[view] == len(VIEWS[view])


def test_progress_and_all_reviewers_are_told(filled: Store) -> None:
    assert progress(filled) == (2, 8)
    assert reviewers_seen(filled) == ("openai:x", "recorded", "rules")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"reviewer": "openai:x"}, {"quiet", "failed"}),
        (
            {"verdict": READY},
            {"contradicted", "disagree", "quiet", "decided ready", "decided not ready"},
        ),
        ({"reviewer": "rules", "verdict": READY}, {"disagree"}),
        ({"reviewer": "nobody"}, set()),
        ({"category": "cli-contract"}, {"disagree", "refuted", "failed", "decided not ready"}),
        (
            {"category": "cli-contract", "criterion": 8},
            {"disagree", "refuted", "decided not ready"},
        ),
        ({"category": "cli-contract", "criterion": 1}, set()),
        ({"category": "cli-contract", "criterion": 1, "refuted": True}, {"refuted"}),
        ({"category": "cli-contract", "reviewer": "rules"}, {"failed", "decided not ready"}),
        ({"category": "packaging-invalid"}, {"contradicted"}),
        ({"category": "packaging-invalid", "refuted": True}, {"dismissed"}),
        ({"criterion": 5}, {"contradicted", "failed"}),
        ({"lineage": "y"}, {"quiet", "failed"}),
        ({"decision": NOT_READY}, {"decided not ready"}),
        ({"decision": READY, "view": View.NEEDS_DECISION}, set()),
        (
            {"view": View.CONTRADICTED, "category": "cli-contract", "text": "decided"},
            {"decided not ready"},
        ),
    ],
    ids=lambda value: (
        " ".join(f"{key}={part}" for key, part in value.items()) if isinstance(value, dict) else ""
    ),
)
def test_filters_are_joined_by_and(
    filled: Store, query: dict[str, object], found: set[str]
) -> None:
    assert set(names(filled, **query)) == found


def test_pages_follow_each_other_without_gap_or_repetition(filled: Store) -> None:
    whole = inbox(filled, InboxQuery()).rows
    for size in (1, 3, 100):
        pages = [
            inbox(filled, InboxQuery(limit=size, offset=offset)) for offset in range(0, 9, size)
        ]
        assert tuple(row for page in pages for row in page.rows) == whole
        assert {page.total for page in pages} == {8}
    assert inbox(filled, InboxQuery(offset=-5)).rows == whole, "a negative offset is the beginning"


@pytest.mark.parametrize(("limit", "offset"), [(0, 0), (10, 8), (10, 10**6), (-1, 0)])
def test_a_page_beyond_everything_is_empty_and_still_counts(
    filled: Store, limit: int, offset: int
) -> None:
    page = inbox(filled, InboxQuery(limit=limit, offset=offset))
    assert (page.rows, page.total) == ((), 8)


def test_those_imported_at_once_are_sorted_by_name_on_every_database(
    store: Store, clock: Clock
) -> None:
    clock.step = timedelta(0)
    imported = ["b", "a", "Z", "ä", "a b", "_", "\U0001f600", "é\x00", "a-b"]
    for name in imported:
        store.add(make_submission(name))
    assert names(store) == sorted(imported)


def test_next_goes_through_the_undecided_in_order_and_around(filled: Store) -> None:
    order = ["contradicted", "disagree", "failed", "refuted", "dismissed", "quiet"]
    for here, following in pairwise([*order, order[0]]):
        assert next_undecided(filled, IDS[here], InboxQuery()) == IDS[following]


def test_next_after_a_decision_is_what_stood_below(store: Store) -> None:
    for name in "abc":
        store.add(make_submission(name), tuple(FILLED["contradicted"][1]))
    ids = [row.id for row in inbox(store, InboxQuery()).rows]
    store.decide(ids[1], READY, "fine", "Ann")
    assert next_undecided(store, ids[1], InboxQuery()) == ids[2]
    store.decide(ids[2], READY, "fine", "Ann")
    assert next_undecided(store, ids[2], InboxQuery()) == ids[0]
    store.decide(ids[0], READY, "fine", "Ann")
    assert next_undecided(store, ids[0], InboxQuery()) is None


@pytest.mark.parametrize(
    ("after", "query", "found"),
    [
        ("contradicted", {"lineage": "y"}, "failed"),
        ("failed", {"view": View.CONTRADICTED}, "contradicted"),
        ("failed", {"text": "quiet"}, "quiet"),
        ("quiet", {"text": "quiet"}, "quiet"),
        ("quiet", {"view": View.DECIDED}, None),
        ("decided ready", {}, "quiet"),
    ],
    ids=str,
)
def test_next_keeps_to_the_query(
    filled: Store, after: str, query: dict[str, object], found: str | None
) -> None:
    assert next_undecided(filled, IDS[after], InboxQuery(**query)) == (
        IDS[found] if found else None
    )


@pytest.mark.parametrize("after", ["", "0" * 64, "\x00", "%"])
def test_next_after_nothing_known_is_the_first(filled: Store, after: str) -> None:
    assert next_undecided(filled, after, InboxQuery()) == IDS["contradicted"]


CONTEXT = ResearchContext(
    hypothesis={
        "open_problems": "Energie‐Übertragung bei 100% load, ＦＵＬＬ width",
        "idea": "学習率の調整",
    },
    method="DistilBERT with LoRA_rank and src/eval_step.py; C:\\new 'quoted' it's \"both\"",
)
RUN = RunConfig("proposed-run-1", SourceFile("config/runs/p.yaml", b"a: 1"))
CLAIM = make_finding(
    "c1",
    claim="The line `lr=0.1` has a \\u003e escape & a <script> tag",
    message="ConfigKeyError: 'n_trials' 50_000",
)
RULED = rules_found("r1", message="DictConfig is not JSON serializable")


@pytest.fixture(scope="module")
def worded(new_url: Callable[[], str]) -> Iterator[Store]:
    with closing(Store.open(new_url())) as store:
        code = SourceFile(
            "src/model.py", b"layer = torch.nn.LazyLinear(my_width)  # r\xff\nprint(layer.weight)\n"
        )
        submission = make_submission(
            "20260301-175001_02", context=CONTEXT, runs=(RUN,), files=(code,)
        )
        store.add(submission, (make_review("recorded", NOT_READY, CLAIM), RULED))
        store.add(
            make_submission("plain", context=ResearchContext(method="1000 axb u003e"), runs=())
        )
        yield store


@pytest.mark.parametrize(
    "text",
    [
        "20260301-175001_02", "20260301", "175001", "proposed-run-1", "run", "energie",
        "ÜBERTRAGUNG", "full", "学習率", "調整", "distilbert", "bert", "rank", "LoRA_rank",
        "lorarank", "eval_step.py", "step.py", "src/eval", "C:\\new", "'quoted'", "it's",
        '"both"', "lr=0.1", "\\u003e", "<script>", "&", "n_trials", "trials", "50_000",
        "100%", "%", "DictConfig JSON",
        "LazyLinear", "torch.nn", "nn.lazylinear", "lazy", "my_width", "width",
        "dictconfig layer.weight", "json   \t dictconfig", "",
    ],
)  # fmt: skip
def test_a_search_finds_where_every_word_begins(worded: Store, text: str) -> None:
    assert "20260301-175001_02" in names(worded, text=text)


@pytest.mark.parametrize(
    "text",
    [
        "json missingword",
        "ranky",
        "100%%",
        "%json",
        "js%n",
        "json*",
        "jso_",
        "json OR missing",
        '"json',
        "NEAR(json dict)",
        "words:json",
        "json' OR '1'='1",
        "\\json",
        "dict\x00config",
        "\ud800",
        "'json':*",
        "x" * 100_000,
    ],
    ids=lambda text: ascii(text)[:30],
)
def test_nothing_in_a_search_is_more_than_text(worded: Store, text: str) -> None:
    assert names(worded, text=text) == []


def test_marks_that_are_asked_for_must_stand_there(worded: Store) -> None:
    assert names(worded, text="100") == ["plain", "20260301-175001_02"]
    assert names(worded, text="100%") == ["20260301-175001_02"]
    assert names(worded, text="a_b") == []


def test_a_withdrawn_claim_of_an_older_review_is_no_longer_found(store: Store) -> None:
    submission = make_submission()
    store.add(
        submission,
        (make_review("openai:x", NOT_READY, make_finding("c1", message="a unique mistake")),),
    )
    assert names(store, text="unique mistake") == ["first"]
    store.add_review(submission.id, make_review("openai:x", READY))
    assert names(store, text="unique mistake") == []


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
