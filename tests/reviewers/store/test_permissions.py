"""Guards who may write what: each act through the guarded store in each role, that no write goes
without an act, and that what is logged stays.
"""

import ast
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import delete

from reviewers.errors import NotPermitted, StoreError
from reviewers.exports.jsonl import export_lines
from reviewers.outcomes import Stage, outcome_of_run
from reviewers.records import Ruling, Severity, Span
from reviewers.roles import Act, Role, refusal
from reviewers.store import Store
from reviewers.store.aside import set_aside
from reviewers.store.assignments import claim as claim_submissions
from reviewers.store.batches import end_batch
from reviewers.store.change_log import ChangeKind, changes, note_configuration
from reviewers.store.commits import StoredCommit, add_commit
from reviewers.store.contracts import choose_contract
from reviewers.store.copying import copy_rows
from reviewers.store.corrections import correct_name
from reviewers.store.dating import date_submission
from reviewers.store.deletion import delete_submissions
from reviewers.store.desk_choices import choose_columns, save_view
from reviewers.store.jobs import NewJob, cancel, enqueue_jobs, put_away, retry
from reviewers.store.jobs import claim as claim_jobs
from reviewers.store.lineages import relate
from reviewers.store.outcomes import add_outcome
from reviewers.store.person_roles import PersonRole, give_role, has_operator, role_given
from reviewers.store.rate_limits import take_turn
from reviewers.store.readings import NewReading, keep_readings
from reviewers.store.repairs import Wanted, choose_repairs
from reviewers.store.restore import import_lines
from reviewers.store.sessions import LoginSession, begin_session, end_sessions
from reviewers.store.tables import METADATA, decisions, login_sessions
from reviewers.store.uncategorised import OpenClaim, file_claims
from tests.dashboard.desk import ANSWER
from tests.reviewers.store.making import READY, behind, content_of, make_submission, rules_found
from tests.reviewers.store.test_decisions import OTHER, PAPER, fill, fill_up

ROOT = Path(__file__).resolve().parents[3]
SOURCES = sorted([*(ROOT / "reviewers").rglob("*.py"), *(ROOT / "dashboard").rglob("*.py")])
GRACE = PersonRole("https://sso", "grace", "Grace")
VIEWERS, REVIEWERS, OPERATORS = {*Role}, {Role.REVIEWER, Role.OPERATOR}, {Role.OPERATOR}
NEW = make_submission("new")
SPAN = {"span": Span("src/train.py", 1), "severity": Severity.MINOR, "category": "cli-contract"}
SAID = NewReading(claim="c1", vocabulary="0" * 64, reader="m", proposition=None, why_not="no")


def session(store: Store) -> LoginSession:
    until = store.now() + timedelta(hours=1)
    return LoginSession("a" * 64, "https://sso", "grace", "Grace", "", store.now(), until)


def handed_in(task: str) -> Callable[[Store], object]:
    return lambda store: enqueue_jobs(store, [NewJob(task=task, submission_id=PAPER.id)])


WRITES: Mapping[Act, tuple[set[Role], tuple[Callable[[Store], object], ...]]] = {
    Act.ARRANGE: (
        VIEWERS,
        (
            lambda store: save_view(store, "mine", "q=x", "Ann"),
            lambda store: choose_columns(store, "inbox", {"age": True}, "Ann"),
        ),
    ),
    Act.END_SESSION: (VIEWERS, (lambda store: end_sessions(store, ["b" * 64]),)),
    Act.EXPORT: (VIEWERS, (handed_in("export"),)),
    Act.PROVE: (VIEWERS, (handed_in("repairs"),)),
    Act.DECIDE: (
        REVIEWERS,
        (
            lambda store: store.decide(PAPER.id, READY, "fine", "Ann"),
            lambda store: store.decide_many([PAPER.id], READY, "fine", "Ann"),
            lambda store: store.decide(PAPER.id, None, "", "Ann"),
        ),
    ),
    Act.RULE: (
        REVIEWERS,
        (lambda store: store.rule_on(PAPER.id, "r1", Ruling.DISMISS, "no", "Ann"),),
    ),
    Act.COMMENT: (
        REVIEWERS,
        (lambda store: store.remark(PAPER.id, "r1", author="Ann", comment="hm"),),
    ),
    Act.FIND: (
        REVIEWERS,
        (lambda store: store.add_finding(PAPER.id, **SPAN, message="it", author="Ann"),),  # type: ignore[arg-type]
    ),
    Act.REPAIR: (
        REVIEWERS,
        (lambda store: choose_repairs(store, PAPER.id, [Wanted("r1", "HY01", "w")], "Ann"),),
    ),
    Act.READ_CLAIM: (
        REVIEWERS,
        (lambda store: keep_readings(store, PAPER.id, [SAID], "Ann"),),
    ),
    Act.CATEGORISE: (
        REVIEWERS,
        (
            lambda store: file_claims(
                store, [OpenClaim(PAPER.id, "n", "c1", "c")], "data-leakage", "Ann"
            ),
        ),
    ),
    Act.ASSIGN: (REVIEWERS, (lambda store: claim_submissions(store, [OTHER.id], "Ann"),)),
    Act.RELATE: (REVIEWERS, (lambda store: relate(store, PAPER.id, OTHER.id, True, "r", "Ann"),)),
    Act.DATE: (REVIEWERS, (lambda store: date_submission(store, PAPER.id, store.now()),)),
    Act.CHOOSE_CONTRACT: (
        REVIEWERS,
        (lambda store: choose_contract(store, PAPER.id, 'extends = "ten"\n', "Ann"),),
    ),
    Act.CORRECT_NAME: (REVIEWERS, (lambda store: correct_name(store, "Ann", "Anne"),)),
    Act.IMPORT: (
        REVIEWERS,
        (
            lambda store: store.add(NEW),
            handed_in("upload"),
            handed_in("mend"),
            lambda store: import_lines(store, [*export_lines(store)]),
            lambda store: add_commit(store, PAPER.id, StoredCommit("r", "1" * 40, None, "m")),
            lambda store: add_outcome(
                store, outcome_of_run(PAPER, "", 0, Stage.FULL, store.now())[0]
            ),
        ),
    ),
    Act.REVIEW: (
        REVIEWERS,
        (
            lambda store: store.add_review(PAPER.id, rules_found("r5")),
            handed_in("rules"),
            handed_in("claims"),
        ),
    ),
    Act.ASK: (
        REVIEWERS,
        (handed_in("ask"), handed_in("read"), lambda store: end_batch(store, "0" * 64)),
    ),
    Act.STEER: (
        REVIEWERS,
        (
            lambda store: cancel(store, work=1),
            lambda store: retry(store, 1),
            lambda store: put_away(store, 1),
        ),
    ),
    Act.SET_ASIDE: (REVIEWERS, (lambda store: set_aside(store, [PAPER.id], True, "Ann"),)),
    Act.CONFIGURE: (OPERATORS, (lambda store: note_configuration(store, "a", "b", "Ann"),)),
    Act.GIVE_ROLE: (
        OPERATORS,
        (lambda store: give_role(store, GRACE, Role.OPERATOR, "Ann"),),
    ),
    Act.DELETE: (OPERATORS, (lambda store: delete_submissions(store, [OTHER.id], "r", "Ann"),)),
    Act.RESTORE: (OPERATORS, (lambda store: copy_rows(store, store),)),
    Act.SIGN_IN: (OPERATORS, (lambda store: begin_session(store, session(store)),)),
    Act.WORK: (
        OPERATORS,
        (
            lambda store: claim_jobs(store, "me", {"rules": 1}, 60, alone=True),
            lambda store: take_turn(store, "0" * 64, 1, 1, 1),
        ),
    ),
    Act.IMPORT_PATHS: (OPERATORS, (handed_in("import"), handed_in("of another release"))),
    Act.UPKEEP: (OPERATORS, (lambda store: store.recompute(),)),
}
"""What is written for each act, and the roles that may."""


def guarded(store: Store, role: Role) -> Store:
    """The store of a person of this role."""

    def refuse(act: Act | None) -> None:
        if not role.may(act):
            raise NotPermitted(refusal(role, act))

    return store.guarded(refuse)


def flat() -> Iterator[tuple[Act, tuple[set[Role], Callable[[Store], object]]]]:
    for act, (allowed, writes) in WRITES.items():
        for write in writes:
            yield act, (allowed, write)


def everything(url: str) -> object:
    return content_of(url, [*METADATA.tables])


def test_every_act_is_tried() -> None:
    assert WRITES.keys() == {*Act}


def is_refused(write: Callable[[Store], object], desk: Store) -> bool:
    """Whether a role does not allow it; that somebody did it before is another matter."""
    try:
        write(desk)
    except NotPermitted as error:
        return str(error).startswith("You are a")
    except StoreError:
        return False
    return False


def unnamed(store: Store) -> None:
    with store.writing() as connection:
        connection.execute(delete(login_sessions))


def outside(store: Store) -> None:
    with store.outside():
        pass


def test_each_role_does_what_it_may_and_nothing_else(store: Store, url: str) -> None:
    fill(store)
    fill_up(store)
    others = [(None, OPERATORS, unnamed), (None, OPERATORS, outside)]
    writes = [*((act, *each) for act, each in flat()), *others]
    for role in Role:
        desk, before = guarded(store, role), everything(url)
        for act, allowed, write in writes:
            assert role in allowed or is_refused(write, desk), (role, act)
        assert everything(url) == before
        for act, allowed, write in writes:
            assert role not in allowed or not is_refused(write, desk), (role, act)
        assert everything(url) != before


def test_who_only_reads_writes_nothing_by_a_reading_connection(store: Store, url: str) -> None:
    fill(store)
    before = everything(url)
    for statement in (
        "DELETE FROM standings",
        "UPDATE submissions SET aside = true",
        "CREATE TABLE mine (a int)",
    ):
        with pytest.raises(StoreError), store.reading() as connection:
            connection.exec_driver_sql(statement)
    with pytest.raises(StoreError), store.reading() as connection:
        connection.execute(delete(decisions))
    assert everything(url) == before
    store.decide(PAPER.id, READY, "the connection writes again", "Ann")


def nodes_of(*words: str) -> Iterator[tuple[str, ast.AST]]:
    """The parts of our modules that have one of these words, with their names."""
    for path in SOURCES:
        text = path.read_text("utf-8")
        if any(word in text for word in words):
            name = path.relative_to(ROOT).as_posix()
            yield from ((name, node) for node in ast.walk(ast.parse(text)))


def test_every_write_names_its_acts() -> None:
    named: set[str] = set()
    for name, node in nodes_of(".writing("):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "writing"
        ):
            assert node.args, f"{name}:{node.lineno} names no act"
            named |= {ast.unparse(each) for each in node.args}
    handed_in = {"Act.EXPORT", "Act.PROVE", "Act.IMPORT_PATHS"}
    assert named == {f"Act.{act.name}" for act in Act} - handed_in | {"*_acts(new)"}


def test_the_store_alone_opens_connections() -> None:
    words = "_engine", "raw_connection", "engine.connect"
    found = {
        name
        for name, node in nodes_of(*words)
        if isinstance(node, ast.Attribute) and ast.unparse(node).endswith(words)
    }
    assert found == {"reviewers/store/store.py", "reviewers/store/engine.py"}


def test_roles_are_given_taken_back_and_logged(store: Store) -> None:
    assert role_given(store, GRACE.key) is None
    assert give_role(store, GRACE, Role.REVIEWER, "Ann")
    assert not give_role(store, GRACE, Role.REVIEWER, "Bob")
    assert (role_given(store, GRACE.key), has_operator(store)) == (Role.REVIEWER, False)
    assert give_role(store, GRACE, Role.OPERATOR, "Ann")
    assert (role_given(store, GRACE.key), has_operator(store)) == (Role.OPERATOR, True)
    assert give_role(store, GRACE, None, "Ann")
    assert role_given(store, GRACE.key) is None
    logged = [(each.before, each.after, str(each.author)) for each in changes(store)]
    assert logged == [
        ("operator", None, "Ann"),
        ("reviewer", "operator", "Ann"),
        (None, "reviewer", "Ann"),
    ]
    assert {(each.kind, each.about) for each in changes(store)} == {
        (ChangeKind.ROLE, "Grace (grace at https://sso)")
    }


def test_what_is_configured_is_logged_where_it_changed(store: Store) -> None:
    assert not note_configuration(store, "reviewers.toml", None)
    for now, changed in (("a", True), ("a", False), ("b", True), ("a", True), (None, True)):
        assert note_configuration(store, "reviewers.toml", now) == changed
    assert note_configuration(store, "keys.toml", "x", "Ann")
    logged = [(each.about, each.before, each.after) for each in reversed(changes(store))]
    steps = [(None, "a"), ("a", "b"), ("b", "a"), ("a", None)]
    assert logged == [*(("reviewers.toml", *each) for each in steps), ("keys.toml", None, "x")]
    assert [str(each.author) for each in changes(store)][:2] == ["Ann", "None"]


def test_contracts_samples_and_deletions_are_logged(store: Store) -> None:
    store.add_many([(PAPER, ()), (OTHER, ())])
    choose_contract(store, PAPER.id, 'extends = "plain"\n', "Ann")
    set_aside(store, [PAPER.id, OTHER.id], True, "Bob")
    delete_submissions(store, [OTHER.id], "asked for", "Cid")
    found = changes(store)
    assert [(each.kind, str(each.author)) for each in found] == [
        (ChangeKind.DELETION, "Cid"),
        (ChangeKind.ASIDE, "Bob"),
        (ChangeKind.CONTRACT, "Ann"),
    ]
    assert found[2].about == f"submission {PAPER.id[:12]}"
    assert found[2].after == "plain"
    assert found[0].after == "deleted: asked for"


MUTABLE = {
    "submissions": {
        *("generator", "generated_at", "dated_by", "base", "likeness", "contract", "aside")
    },
    "reviews": {"current", "at", "version", "dry_run"},
    "findings": {"as_read", "read_result", "kind"},
}
"""Columns that follow from later records, or are filled in."""
FINAL = (
    *("change_log", "submissions", "contents", "contexts", "submission_files", "run_configs"),
    *("answers", "reviews", "findings", "commits"),
)


def test_the_log_and_what_was_kept_of_a_submission_are_final(store: Store, url: str) -> None:
    fill(store)
    give_role(store, GRACE, Role.OPERATOR, "Ann")
    add_commit(store, PAPER.id, StoredCommit("r", "1" * 40, None, "m"))
    store.add(replace(NEW, recorded=(ANSWER,), generator="first"))
    before = content_of(url, FINAL)
    assert all(before.values())
    sqlite = url.startswith("sqlite")
    anew = "INSERT OR REPLACE INTO {0} SELECT * FROM {0}" if sqlite else "TRUNCATE {0} CASCADE"
    statements = ["UPDATE submissions SET generator = 'another'"]
    for table in FINAL:
        names = {each.name for each in METADATA.tables[table].columns} - MUTABLE.get(table, set())
        statements += [f'UPDATE {table} SET "{name}" = "{name}"' for name in names]
        statements += [f"DELETE FROM {table}", anew.format(table)]
    with behind(url) as connection:
        for statement in statements:
            refused = sqlite3.IntegrityError if sqlite else psycopg.Error
            with pytest.raises(refused):
                connection.execute(statement)
    assert content_of(url, FINAL) == before
    store.add_review(PAPER.id, rules_found("r2"))
    store.recompute()
    assert content_of(url, ["reviews"]) != before["reviews"]
