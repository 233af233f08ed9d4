"""Guards that a person's word is signed, reasoned, never changed and never deleted, by whatever way
one tries; and that words on many submissions at once are all or none.
"""

import sqlite3
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from reviewers.errors import StoreError, UnknownSubmission
from reviewers.offers import Offers
from reviewers.outcomes import Stage, outcome_of_run
from reviewers.records import Ruling, Severity, Span
from reviewers.store import Store
from reviewers.store.assignments import assign
from reviewers.store.contracts import choose_contract
from reviewers.store.inbox import InboxQuery, given_reasons, inbox, matching_ids, progress
from reviewers.store.lineages import relate
from reviewers.store.outcomes import add_outcome
from reviewers.store.readings import NewReading, keep_readings
from reviewers.store.repairs import ProvenRepairs, Wanted, choose_repairs, keep_repairs
from reviewers.store.submission import load_submission
from tests.reviewers.store.making import (
    DERIVED,
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
    assign(store, [PAPER.id], "Bob", "Ann")
    choose_repairs(store, PAPER.id, [Wanted("r1", "XX01", "Mend it")], "Ann")
    keep_repairs(store, PAPER.id, "0" * 64, ProvenRepairs(Offers(), "", PAPER.id))
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
REPAIR = (
    "INSERT INTO repair_choices (submission_id, finding_id, rule, way, taken, author, at) SELECT"
)
# Decided on by nobody, so that only what else was said stands against its removal.
UNDECIDED = f"DELETE FROM submissions WHERE id = '{OTHER.id}'"
CHANGED = {
    "assignments": "assignee = 'Eve'",
    "authors": "name = 'Eve'",
    "contract_choices": "text = ''",
    "outcomes": "exit_code = 0",
    "readings": "reader = 'x'",
    "relations": "together = NOT together",
    "repair_choices": "taken = NOT taken",
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
    f"{REPAIR} submission_id, 'r1', 'XX01', '', NOT (1 = 0), 'a', at FROM rulings",
    f"{REPAIR} submission_id, 'r1', 'XX01', 'Mend it', NOT (1 = 0), '', at FROM rulings",
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


CONTRADICTED = (make_review("recorded", READY), rules_found("r1"))


def many_added(store: Store, count: int) -> list[str]:
    """Return the ids of so many submissions that a reviewer calls ready and a rule does not."""
    made = [make_experiment(str(number), f"s{number}") for number in range(count)]
    for each in made:
        store.add(each, CONTRADICTED)
    return [each.id for each in made]


def test_each_gets_a_record_of_its_own(store: Store) -> None:
    ids = many_added(store, 3)
    assert store.decide_many([*ids[:2], ids[0]], NOT_READY, " r1 stops it ", "ada") == 2
    for id in ids[:2]:
        (record,) = load_submission(store, id).decisions
        assert (record.verdict, record.reason, record.author.name) == (
            NOT_READY,
            "r1 stops it",
            "ada",
        )
    assert load_submission(store, ids[2]).decisions == ()
    assert progress(store) == (2, 3)


def test_each_record_says_whether_it_was_made_blind(store: Store) -> None:
    ids = many_added(store, 3)
    store.decide_many(ids, READY, "they run", "ada", blind=ids[:1])
    store.decide(ids[2], NOT_READY, "it does not", "bob")
    said = [load_submission(store, id).decisions[0].blind for id in ids]
    assert said == [True, False, None], "of what nobody told it is not known"


def test_what_is_derived_is_as_if_decided_one_by_one(store: Store, url: str) -> None:
    ids = many_added(store, 4)
    store.decide_many(ids[:3], READY, "they run", "ada")
    store.decide_many(ids[:1], NOT_READY, "it does not", "bob")
    store.decide_many(ids[1:], None, "", "ada")
    before = content_of(url, DERIVED)
    store.recompute()
    assert content_of(url, DERIVED) == before
    attention = {row.id: row.attention for row in inbox(store, InboxQuery()).rows}
    assert attention == {
        ids[0]: "",
        **dict.fromkeys(ids[1:], "recorded says ready, but 1 confirmed blocker"),
    }


@pytest.mark.parametrize(
    ("more", "reason", "author", "error"),
    [
        pytest.param(["0" * 64], "fine", "ada", UnknownSubmission, id="one is unknown"),
        pytest.param([""], "fine", "ada", UnknownSubmission, id="one is empty"),
        pytest.param([], " ", "ada", StoreError, id="no reason"),
        pytest.param([], "fine", "\u200b", StoreError, id="no author"),
    ],
)
def test_all_or_none(
    store: Store, more: list[str], reason: str, author: str, error: type[StoreError]
) -> None:
    ids = many_added(store, 2)
    with pytest.raises(error):
        store.decide_many([*ids, *more], READY, reason, author)
    assert progress(store) == (0, 2)
    assert load_submission(store, ids[0]).decisions == ()


def test_all_that_match_are_found_whatever_the_page_shows(store: Store) -> None:
    ids = many_added(store, 5)
    store.decide(ids[0], READY, "it runs", "ada")
    query = InboxQuery(limit=2, offset=2, reviewer="rules", verdict=NOT_READY)
    assert set(matching_ids(store, query)) == set(ids)
    assert set(matching_ids(store, query, undecided=True)) == set(ids[1:])


def test_reasons_come_back_by_verdict_the_frequent_first(store: Store) -> None:
    ids = many_added(store, 4)
    store.decide(ids[0], READY, "rare", "ada")
    store.decide_many(ids, READY, "often", "ada")
    store.decide_many(ids, NOT_READY, "no", "ada")
    store.decide_many(ids, READY, "somebody else's", "bob")
    store.decide(ids[0], READY, "x" * 1000, "ada")
    assert given_reasons(store, "ada") == {READY: ("often", "rare"), NOT_READY: ("no",)}
