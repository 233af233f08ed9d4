"""Guards what persons find and remark: it is signed, placed and bounded, and it counts wherever
findings are counted.
"""

from typing import Any

import pytest

from reviewers.errors import StoreError, UnknownSubmission
from reviewers.records import Check, Ruling, Severity, SourceFile, Span
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, InboxRow, inbox
from reviewers.store.submission import load_submission
from tests.cases import cases
from tests.reviewers.store.making import (
    NOT_READY,
    READY,
    Clock,
    content_of,
    make_finding,
    make_review,
    make_submission,
    rules_found,
    sql,
)

PAPER = make_submission(
    files=(SourceFile("src/train.py", b"one\ntwo\n"), SourceFile("src/model.py", b"LAYERS = 2\n"))
)
LEAK: dict[str, Any] = {
    "severity": Severity.BLOCKER,
    "category": "data-leakage",
    "message": "it trains on the test set",
}
HERE = Span("src/train.py", 1, 2)


def row_of(store: Store) -> InboxRow:
    (row,) = inbox(store, InboxQuery()).rows
    return row


def chips_of(store: Store) -> list[tuple[int, int | None]]:
    return [(chip.blockers, chip.missed) for chip in row_of(store).chips]


def tallies_in(url: str) -> set[tuple[Any, ...]]:
    return set(sql(url, "SELECT reviewer, category, criterion, confirmed, refuted FROM tallies"))


def test_a_finding_comes_back_as_it_was_written(store: Store, clock: Clock) -> None:
    store.add(PAPER)
    at = clock.now + clock.step
    id = store.add_finding(PAPER.id, span=HERE, author=" ada ", criterion=3, **LEAK)
    (own,) = load_submission(store, PAPER.id).own
    found = own.finding
    assert (own.author.name, own.at, found.id, found.span, found.criterion) == (
        "ada",
        at,
        id,
        HERE,
        3,
    )
    assert (found.severity, found.category, found.message) == tuple(LEAK.values())
    assert (found.check.result, found.check.evidence) == (Check.CONFIRMED, "seen by ada")
    assert (found.rule, found.claim, found.kind) == (None, None, None)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"message": " \u200b"}, "needs a message"),
        ({"message": "x" * 2_001}, "at most 2,000"),
        ({"author": ""}, "needs an author"),
        ({"author": "x" * 41}, "at most 40"),
        ({"category": "taste"}, "no category 'taste'; choose one of: placeholder-or-truncated,"),
        ({"criterion": 10}, "no criterion 10"),
        (
            {"span": Span("src/train.py", 2, 3)},
            "'src/train.py' has 2 lines; lines 2 to 3 do not exist",
        ),
        ({"span": Span("src/train.py", 0)}, "lines 0 to 0 do not"),
        ({"span": Span("src/train.py", 2, 1)}, "lines 2 to 1 do not"),
        ({"span": Span("gone.py", 1)}, "no file 'gone.py'"),
        ({"span": Span("")}, "needs a file"),
        ({"span": Span("x" * 501)}, "needs a file"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_finding_that_cannot_be_kept_is_refused_in_one_line(
    store: Store, changed: dict[str, Any], says: str
) -> None:
    store.add(PAPER)
    with pytest.raises(StoreError) as caught:
        store.add_finding(PAPER.id, **{"span": HERE, "author": "ada", **LEAK, **changed})
    assert says in str(caught.value)
    assert str(caught.value).isprintable(), "an error is one line"
    assert not load_submission(store, PAPER.id).own


def test_a_file_as_a_whole_a_run_config_and_a_file_that_is_absent_can_be_meant(
    store: Store,
) -> None:
    store.add(PAPER)
    spans = (Span("src/train.py"), Span("config/runs/proposed-1.yaml", 1), Span("src/evaluate.py"))
    for span in spans:
        store.add_finding(PAPER.id, span=span, author="ada", **LEAK)
    assert tuple(own.finding.span for own in load_submission(store, PAPER.id).own) == spans


def test_the_same_finding_is_kept_once_until_somebody_dismisses_it(store: Store) -> None:
    store.add(PAPER)

    def found(**changed: Any) -> str:
        return store.add_finding(PAPER.id, **{"span": HERE, "author": "ada", **LEAK, **changed})

    first = found()
    store.rule_on(PAPER.id, first, Ruling.CONFIRM, "", "bob")
    assert found() == first
    others = {
        found(author="bob"),
        found(severity=Severity.MINOR),
        found(span=Span("src/train.py", 1)),
    }
    assert len(others | {first}) == 4
    store.rule_on(PAPER.id, first, Ruling.DISMISS, "it does not", "bob")
    again = found()
    assert again not in others | {first}
    assert found() == again


def test_a_blocker_that_a_person_found_is_missed_by_every_model_that_does_not_name_it(
    store: Store, url: str
) -> None:
    named = make_finding(
        "c1", Check.UNVERIFIED, category="data-leakage", span=HERE, message=LEAK["message"]
    )
    models = (
        make_review("openai:a", NOT_READY, named),
        make_review("openai:b", NOT_READY, make_finding("c2")),
    )
    store.add(PAPER, (*models, rules_found()))
    assert chips_of(store) == [(0, 0), (1, 0), (0, None)]
    id = store.add_finding(PAPER.id, span=HERE, author="ada", criterion=3, **LEAK)
    assert chips_of(store) == [(0, 0), (1, 1), (0, None)]
    assert row_of(store).missed == 0, "one of them names it"
    assert ("people", "data-leakage", 3, 1, 0) in tallies_in(url)
    store.rule_on(PAPER.id, id, Ruling.DISMISS, "it does not", "bob")
    assert chips_of(store) == [(0, 0), (1, 0), (0, None)]
    assert ("people", "data-leakage", 3, 0, 1) in tallies_in(url)


CASES = {
    "nothing else": ((), "ada found a blocker", 10),
    "a model says ready": (
        (make_review("openai:a", READY),),
        "openai:a says ready, but ada found a blocker",
        60,
    ),
    "the rules found one, too": (
        (make_review("openai:a", READY), rules_found("r1")),
        "openai:a says ready, but 1 confirmed blocker",
        60,
    ),
    "a model names something else": ((make_review("openai:a", NOT_READY),), "1 blocker missed", 20),
    "all blockers of a model are refuted": (
        (make_review("openai:a", NOT_READY, make_finding("c1", Check.REFUTED)),),
        "1 claim refuted, 1 blocker missed",
        20,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_inbox_says_that_a_person_found_a_blocker_where_nothing_else_explains_it(
    store: Store, name: str
) -> None:
    reviews, words, rank = CASES[name]
    store.add(PAPER, reviews)
    id = store.add_finding(PAPER.id, span=HERE, author="ada", **LEAK)
    assert (row_of(store).attention, row_of(store).rank) == (words, rank)
    store.remark(PAPER.id, id, author="bob", severity=Severity.MINOR)
    assert "ada" not in row_of(store).attention


def test_what_a_person_found_is_found_by_its_words(store: Store) -> None:
    store.add(PAPER)
    store.add_finding(PAPER.id, span=HERE, author="ada", **{**LEAK, "message": "the wombat leaks"})
    assert inbox(store, InboxQuery(text="wombat")).total == 1


def test_a_blocker_that_a_person_set_to_minor_is_none_any_more_until_it_is_set_back(
    store: Store,
) -> None:
    store.add(PAPER, (make_review("recorded", READY), rules_found("r1", "r2")))
    assert row_of(store).attention == "recorded says ready, but 2 confirmed blockers"
    for id in ("r1", "r2"):
        store.remark(PAPER.id, id, author="ada", severity=Severity.MINOR, comment="it only warns")
    record = load_submission(store, PAPER.id)
    assert record.severity_of == {"r1": Severity.MINOR, "r2": Severity.MINOR}
    assert record.missed == frozenset()
    assert chips_of(store) == [(0, 0), (0, None)]
    assert row_of(store).attention == "reviewers disagree"
    store.remark(PAPER.id, "r1", author="bob", severity=Severity.BLOCKER)
    record = load_submission(store, PAPER.id)
    assert record.severity_of == {"r2": Severity.MINOR}
    assert (record.missed, row_of(store).missed) == ({"r1"}, 1)
    assert [(each.finding_id, each.author.name) for each in record.remarks] == [
        ("r1", "bob"),
        ("r2", "ada"),
        ("r1", "ada"),
    ]


def test_a_comment_changes_no_severity_and_the_same_word_is_kept_once(
    store: Store, url: str
) -> None:
    store.add(PAPER, (rules_found("r1"),))
    store.remark(PAPER.id, "r1", author="ada", severity=Severity.MAJOR)
    derived = content_of(url, ("standings", "chips", "tallies"))
    for _ in range(2):
        store.remark(PAPER.id, "r1", author="ada", comment=" see line 3 ")
    record = load_submission(store, PAPER.id)
    assert [(each.severity, each.comment) for each in record.remarks] == [
        (None, "see line 3"),
        (Severity.MAJOR, ""),
    ]
    assert record.severity_of == {"r1": Severity.MAJOR}
    assert content_of(url, ("standings", "chips", "tallies")) == derived


@cases(
    ("changed", "says"),
    {
        "nothing": ({}, "needs a severity or a comment"),
        "nothing visible": ({"comment": "\u200b"}, "needs a severity or a comment"),
        "too long": ({"comment": "x" * 2_001}, "at most 2,000"),
        "nobody": ({"author": " ", "comment": "x"}, "needs an author"),
        "no finding": ({"finding_id": "r2", "comment": "x"}, "load the submission again"),
    },
)
def test_a_remark_that_says_nothing_or_too_much_or_of_nothing_is_refused(
    store: Store, changed: dict[str, Any], says: str
) -> None:
    store.add(PAPER, (rules_found("r1"),))
    with pytest.raises(StoreError, match=says):
        store.remark(PAPER.id, **{"finding_id": "r1", "author": "ada", **changed})


def test_only_what_is_there_can_be_spoken_of(store: Store) -> None:
    store.add(PAPER, (rules_found("r1"),))
    for id in ("f" * 64, "not an id"):
        with pytest.raises(UnknownSubmission):
            store.add_finding(id, span=HERE, author="ada", **LEAK)
        with pytest.raises(UnknownSubmission):
            store.remark(id, "r1", author="ada", comment="x")
