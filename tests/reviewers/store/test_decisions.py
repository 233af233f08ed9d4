"""Guards that a person's word is signed, reasoned, never changed and never deleted, by whatever way
one tries.
"""

import sqlite3
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from reviewers.errors import StoreError
from reviewers.outcomes import Stage, outcome_of_run
from reviewers.records import Ruling, Severity, Span
from reviewers.store import Store
from reviewers.store.contracts import choose_contract
from reviewers.store.inbox import InboxQuery, inbox
from reviewers.store.lineages import relate
from reviewers.store.outcomes import add_outcome
from reviewers.store.readings import NewReading, keep_readings
from reviewers.store.submission import load_submission
from tests.reviewers.store.making import (
    NOT_READY,
    READY,
    Clock,
    behind,
    content_of,
    make_experiment,
    make_finding,
    make_review,
    make_submission,
    rules_found,
    sql,
)

PAPER = make_submission()
OTHER = make_experiment("another", "other")
REVIEWS = (make_review("recorded", READY, make_finding("c1")), rules_found("r1"))


LEAK: dict[str, Any] = {"severity": Severity.BLOCKER, "category": "data-leakage"}


def fill(store: Store) -> None:
    """One decision, one ruling, and reviews behind them."""
    store.add(PAPER, REVIEWS)
    store.rule_on(PAPER.id, "r1", Ruling.CONFIRM, "seen it", "Ann")
    store.decide(PAPER.id, NOT_READY, "r1 stops it", "Ann")
    store.add_finding(
        PAPER.id, span=Span("src/train.py", 1), author="Ann", message="it leaks", **LEAK
    )
    store.remark(PAPER.id, "c1", author="Ann", severity=Severity.MINOR, comment="it only warns")


def fill_up(store: Store) -> None:
    """A record of every other kind, on a submission that nobody decided on among them."""
    store.add(OTHER)
    relate(store, PAPER.id, OTHER.id, False, "a new start", "Ann")
    choose_contract(store, PAPER.id, 'extends = "plain"\n', "Ann")
    unread = NewReading(claim="c", vocabulary="0" * 64, reader="m", proposition=None, why_not="no")
    keep_readings(store, PAPER.id, [unread])
    add_outcome(store, outcome_of_run(PAPER, "", 1, Stage.TRIAL, store.now())[0])


@pytest.fixture
def decided(store: Store) -> Store:
    fill(store)
    return store


DECISION = "INSERT INTO decisions (submission_id, verdict, reason, author, at) SELECT"
RULING = "INSERT INTO rulings (submission_id, finding_id, ruling, reason, author, at) SELECT"
OWN = (
    "INSERT INTO own_findings (submission_id, author, at, id, category, severity, file, message)"
    " SELECT"
)
REMARK = "INSERT INTO remarks (submission_id, author, at, finding_id, severity, comment) SELECT"
# Decided on by nobody, so that only what else was said stands against its removal.
UNDECIDED = f"DELETE FROM submissions WHERE id = '{OTHER.id}'"
CHANGED = {
    "authors": "name = 'Eve'",
    "contract_choices": "text = ''",
    "outcomes": "exit_code = 0",
    "readings": "reader = 'x'",
    "relations": "together = NOT together",
}
EVERYWHERE = [
    *(f"UPDATE {table} SET {change}" for table, change in CHANGED.items()),
    *(f"DELETE FROM {table}" for table in CHANGED),
    UNDECIDED,
    "UPDATE decisions SET verdict = 'ready'",
    "UPDATE decisions SET reason = 'another', author = 'Bob'",
    "UPDATE decisions SET number = 7",
    "DELETE FROM decisions",
    "DELETE FROM decisions WHERE number = 1",
    "UPDATE rulings SET ruling = 'dismiss'",
    "DELETE FROM rulings",
    "UPDATE own_findings SET severity = 'minor'",
    "DELETE FROM own_findings",
    f"{OWN} submission_id, author, at, id, category, severity, file, message FROM own_findings",
    f"{OWN} submission_id, author, at, 'new', category, 'bad', file, message FROM own_findings",
    f"{OWN} submission_id, author, at, 'new', category, severity, file, '' FROM own_findings",
    f"{OWN} submission_id, '', at, 'new', category, severity, file, message FROM own_findings",
    "UPDATE remarks SET severity = NULL",
    "DELETE FROM remarks WHERE number = 1",
    f"{REMARK} submission_id, author, at, finding_id, NULL, '' FROM remarks",
    f"{REMARK} submission_id, author, at, finding_id, 'bad', '' FROM remarks",
    f"{REMARK} submission_id, '', at, finding_id, severity, '' FROM remarks",
    "UPDATE reviews SET verdict = 'ready'",
    "UPDATE reviews SET failure = 'none', raw = 'another'",
    "DELETE FROM reviews",
    "DELETE FROM submissions",
    "UPDATE submissions SET id = 'another'",
    f"{DECISION} submission_id, 'maybe', 'r', 'a', at FROM decisions",
    f"{DECISION} submission_id, 'ready', '', 'a', at FROM decisions",
    f"{DECISION} submission_id, 'ready', 'r', '', at FROM decisions",
    f"{RULING} submission_id, 'r1', 'dismiss', '', 'a', at FROM rulings",
    f"{RULING} submission_id, 'r1', 'maybe', 'r', 'a', at FROM rulings",
]
SQLITE = [
    "INSERT OR REPLACE INTO decisions SELECT * FROM decisions",
    "REPLACE INTO rulings SELECT * FROM rulings",
    "REPLACE INTO own_findings SELECT * FROM own_findings",
    (
        "INSERT OR REPLACE INTO own_findings (submission_id, author, at, id, category, severity,"
        " file, message) SELECT submission_id, 'Eve', at, id, category, severity, file, message"
        " FROM own_findings"
    ),
    "REPLACE INTO remarks SELECT * FROM remarks",
    "UPDATE OR REPLACE decisions SET reason = 'another'",
    "INSERT OR REPLACE INTO reviews SELECT * FROM reviews",
    "INSERT OR REPLACE INTO submissions SELECT * FROM submissions",
    (
        "INSERT OR REPLACE INTO submissions (number, id, imported_at, name, source) VALUES (1,"
        " 'another', 0, 'n', 's')"
    ),
]
POSTGRESQL = [
    "TRUNCATE decisions",
    "TRUNCATE rulings",
    "TRUNCATE own_findings",
    "TRUNCATE remarks",
    "TRUNCATE submissions CASCADE",
    "TRUNCATE submissions",
    (
        "INSERT INTO decisions SELECT * FROM decisions ON CONFLICT (number) DO UPDATE SET reason ="
        " 'another'"
    ),
    (
        "MERGE INTO decisions d USING rulings r ON d.submission_id = r.submission_id WHEN MATCHED"
        " THEN DELETE"
    ),
    f"{DECISION} 'nothing', 'ready', 'r', 'a', now()",
]


def test_the_database_itself_refuses_to_change_what_was_said(decided: Store, url: str) -> None:
    fill_up(decided)
    kept = ("decisions", "rulings", "own_findings", "remarks", "reviews", "submissions", *CHANGED)
    assert all(content_of(url, CHANGED).values())
    before = content_of(url, kept)
    sqlite = url.startswith("sqlite")
    with behind(url) as connection:
        for statement in (*EVERYWHERE, *(SQLITE if sqlite else POSTGRESQL)):
            with pytest.raises(sqlite3.IntegrityError if sqlite else psycopg.Error):
                connection.execute(statement)
            assert content_of(url, kept) == before, statement


def test_decisions_are_listed_newest_first_and_the_newest_counts(
    store: Store, clock: Clock
) -> None:
    store.add(PAPER, REVIEWS)
    store.decide(PAPER.id, READY, "looks fine", "Ann")
    store.decide(PAPER.id, NOT_READY, "it does not", "Bob")
    record = load_submission(store, PAPER.id)
    assert [(d.verdict, d.reason, d.author.name) for d in record.decisions] == [
        (NOT_READY, "it does not", "Bob"),
        (READY, "looks fine", "Ann"),
    ]
    assert record.decision == record.decisions[0]
    assert record.decisions[0].at == clock.now
    (row,) = inbox(store, InboxQuery()).rows
    assert row.decided_by is not None
    assert (row.decision, row.decided_by.name, row.decided_at) == (NOT_READY, "Bob", clock.now)
    clock.step = timedelta(days=-1)
    store.decide(PAPER.id, READY, "it does", "Cid")
    decision = load_submission(store, PAPER.id).decision
    assert decision is not None
    assert decision.author.name == "Cid", "whatever the clock says"


def test_a_withdrawn_decision_stays_in_the_history_and_no_longer_counts(decided: Store) -> None:
    decided.decide(PAPER.id, None, "", "Ann")
    record = load_submission(decided, PAPER.id)
    assert record.decision is None
    assert [d.verdict for d in record.decisions] == [None, NOT_READY]
    (row,) = inbox(decided, InboxQuery()).rows
    assert row.decision is None
    assert row.attention == "recorded says ready, but 1 confirmed blocker"


def test_a_withdrawn_ruling_stays_in_the_history_and_no_longer_counts(decided: Store) -> None:
    decided.rule_on(PAPER.id, "r1", Ruling.DISMISS, "not so", "Ann")
    assert load_submission(decided, PAPER.id).ruling_of["r1"].ruling is Ruling.DISMISS
    decided.rule_on(PAPER.id, "r1", Ruling.WITHDRAWN, "", "Ann")
    record = load_submission(decided, PAPER.id)
    assert record.ruling_of == {}
    assert [ruling.ruling for ruling in record.rulings] == [
        Ruling.WITHDRAWN,
        Ruling.DISMISS,
        Ruling.CONFIRM,
    ]


@pytest.mark.parametrize(
    "blank", ["", "  \n\t", "\u200b\u2060", "\x00"], ids=["nothing", "spaces", "no width", "NUL"]
)
def test_a_decision_and_a_dismissal_need_a_reason_and_everything_a_name(
    store: Store, url: str, blank: str
) -> None:
    store.add(PAPER, REVIEWS)
    for verdict in (READY, NOT_READY):
        with pytest.raises(StoreError, match="reason"):
            store.decide(PAPER.id, verdict, blank, "Ann")
    with pytest.raises(StoreError, match="reason"):
        store.rule_on(PAPER.id, "r1", Ruling.DISMISS, blank, "Ann")
    with pytest.raises(StoreError, match="author"):
        store.decide(PAPER.id, READY, "fine", blank)
    with pytest.raises(StoreError, match="author"):
        store.rule_on(PAPER.id, "r1", Ruling.CONFIRM, "", blank)
    assert sql(url, "SELECT count(*) FROM decisions") == [(0,)]
    store.rule_on(PAPER.id, "r1", Ruling.CONFIRM, blank, "Ann")
    assert load_submission(store, PAPER.id).ruling_of["r1"].ruling is Ruling.CONFIRM


def test_only_what_stands_can_be_withdrawn(store: Store) -> None:
    store.add(PAPER, REVIEWS)
    with pytest.raises(StoreError, match="no decision to withdraw"):
        store.decide(PAPER.id, None, "", "Ann")
    with pytest.raises(StoreError, match="no ruling to withdraw"):
        store.rule_on(PAPER.id, "r1", Ruling.WITHDRAWN, "", "Ann")


def test_only_a_finding_of_this_submission_can_be_ruled_on(store: Store) -> None:
    other = make_submission("other")
    store.add(PAPER, REVIEWS)
    store.add(other)
    for submission, finding in [(other, "r1"), (PAPER, "r2"), (PAPER, "\x00")]:
        with pytest.raises(StoreError, match="no review of this submission has this finding"):
            store.rule_on(submission.id, finding, Ruling.CONFIRM, "", "Ann")


def test_a_ruling_holds_over_a_new_review_that_has_the_finding_again(decided: Store) -> None:
    decided.rule_on(PAPER.id, "c1", Ruling.DISMISS, "invented", "Ann")
    decided.add_review(PAPER.id, make_review("openai:x", NOT_READY, make_finding("c1")))
    chips = {chip.reviewer: chip for chip in inbox(decided, InboxQuery()).rows[0].chips}
    assert (chips["openai:x"].refuted, chips["openai:x"].blockers) == (1, 0)


def test_the_reviewers_word_is_what_it_was_after_a_person_overruled_it(decided: Store) -> None:
    decided.rule_on(PAPER.id, "c1", Ruling.DISMISS, "invented", "Ann")
    decided.decide(PAPER.id, READY, "all of it invented", "Ann")
    assert [stored.review for stored in load_submission(decided, PAPER.id).reviews] == list(REVIEWS)
