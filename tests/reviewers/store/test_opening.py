"""Guards how a store is opened, migrated and refused: in one line that says what to do and never
shows a password.
"""

import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import make_url

from reviewers.errors import StoreError
from reviewers.records import DatedBy, Generated, Ruling, Severity, Span
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, inbox, progress
from reviewers.store.migrate import alembic_config, revisions
from reviewers.store.submission import load_submission
from reviewers.store.trends import TrendsQuery, by_reviewer, looked_at
from tests.reviewers.store.conftest import Older
from tests.reviewers.store.making import (
    READY,
    behind,
    content_of,
    make_finding,
    make_review,
    make_submission,
    row_counts,
    rules_found,
    sql,
    table_names,
)

ROOT = Path(__file__).resolve().parents[3]


def run_python(code: str, *arguments: str) -> subprocess.Popen[str]:
    """Start another process that knows our packages."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def refused(url: str) -> str:
    with pytest.raises(StoreError) as caught:
        Store.open(url)
    message = str(caught.value)
    assert message.isprintable(), "an error is one line"
    return message


def test_a_new_store_is_empty_and_opens_again(url: str) -> None:
    for _ in range(2):
        with closing(Store.open(url)) as store:
            assert progress(store) == (0, 0)


def test_the_migrations_make_the_tables_that_the_code_speaks_of(store: Store) -> None:
    with store.writing() as connection:
        command.check(alembic_config(connection))


def test_the_names_of_the_scripts_tell_the_revisions(store: Store) -> None:
    with store.reading() as connection:
        script = ScriptDirectory.from_config(alembic_config(connection))
    told = [each.revision for each in script.walk_revisions()]
    assert list(revisions()) == told[::-1], "alembic's way from the first one to the newest"


def test_a_store_of_today_opens_without_alembic(url: str) -> None:
    Store.open(url).close()
    code = "import sys; from reviewers.store import Store; Store.open(sys.argv[1]).close();"
    opening = run_python(code + "print(*sys.modules)", url)
    loaded, problem = opening.communicate()
    assert opening.returncode == 0, problem
    assert "alembic" not in loaded.split(), "it takes as long to load as the rest of the store"


def test_a_sqlite_store_is_made_with_its_folder_and_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "not" / "there yet ü" / "store.sqlite3"
    with closing(Store.open(f"sqlite:///{path}")) as store:
        store.add(make_submission())
        assert {stat.S_IMODE(os.stat(file).st_mode) for file in path.parent.iterdir()} == {0o600}
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("", "cannot be read"),
        ("store.sqlite3", "cannot be read"),
        ("postgresql://me:secret@host:port/db", "cannot be read"),
        ("mysql://me:secret@host/db", "cannot be a mysql database"),
        ("postgresql+psycopg2://me:secret@host/db", "cannot be a postgresql+psycopg2 database"),
        ("sqlite://", "plain file"),
        ("sqlite:///:memory:", "plain file"),
        ("sqlite:///file:store?mode=memory&uri=true", "plain file"),
        ("sqlite://host/store.sqlite3", "plain file"),
        ("sqlite:////dev/null/store.sqlite3", "cannot be opened"),
        ("sqlite:///store.sqlite3?timeout=soon", "cannot be read"),
        ("postgresql://me:half@secret@host/db", "%40"),
        ("postgresql://me:secret@127.0.0.1:9/db", "Connection refused"),
        ("postgresql://me:secret@127.0.0.1:9/db?sslmode=secret", "the database refused"),
    ],
)
def test_a_url_that_cannot_be_opened_is_refused_in_one_line(
    url: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    message = refused(url)
    assert says in message
    assert "secret" not in message


def test_a_folder_instead_of_a_file_is_refused(tmp_path: Path) -> None:
    assert "cannot be opened" in refused(f"sqlite:///{tmp_path}")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert "cannot be opened" in refused(f"sqlite:///{tmp_path / 'store.sqlite3'}")


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("these are my notes\n" * 100)
    assert "not a database" in refused(f"sqlite:///{path}")
    assert path.read_text() == "these are my notes\n" * 100


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE invoices (total INTEGER)")
    assert "another program" in refused(f"sqlite:///{path}")
    assert sql(f"sqlite:///{path}", "SELECT name FROM sqlite_master") == [("invoices",)]


def test_a_store_of_the_first_version_opens_with_all_that_it_held(older: Older) -> None:
    first = older("0001")
    sql(first, "UPDATE standings SET version = 3")
    with closing(Store.open(first)) as store:
        record = load_submission(store, make_submission().id)
        assert record.decision is not None
        assert record.decision.reason == "ran it"
        assert record.decision.blind is None, "nobody asked then"
        assert [stored.review.findings for stored in record.reviews] == [
            (make_finding(),),
            rules_found("r1").findings,
        ]
        (row,) = inbox(store, InboxQuery()).rows
        assert [chip.missed for chip in row.chips] == [
            0,
            None,
        ], "what is derived is worked out anew"
        said = {"message": "it leaks", "author": "ada", "category": "data-leakage"}
        assert store.add_finding(
            row.id, span=Span("src/train.py", 1), severity=Severity.MAJOR, **said
        )


def test_an_older_store_is_searched_and_counted_without_being_worked_out_anew(
    older: Older, url: str
) -> None:
    before = older("0008")
    later = ("dated_at", "assigned", "assigned_by", "assigned_at")
    standings = content_of(before, ["standings"], *later)
    with closing(Store.open(before)) as store, closing(Store.open(url)) as today:
        assert content_of(before, ["standings"], *later) == standings
        assert inbox(store, InboxQuery(text="sparse gates layers")).total == 1
        assert inbox(store, InboxQuery(text="sparse gate nowhere")).total == 0
        for _ in range(2):
            counts = by_reviewer(looked_at(store, TrendsQuery()))
            assert counts == by_reviewer(looked_at(today, TrendsQuery())) != []
            for each in (store, today):
                each.rule_on(make_submission().id, "r1", Ruling.DISMISS, "it runs", "ana")


def test_reviews_from_before_there_were_partial_ones_are_whole_and_new_ones_stand_beside_them(
    older: Older,
) -> None:
    part = "src/model.py: not read"
    with closing(Store.open(older("0013"))) as store:
        id = make_submission().id
        before = load_submission(store, id).reviews
        assert [stored.review.partial for stored in before] == [(), ()]
        store.add(make_submission(), (replace(make_review("second", READY), partial=(part,)),))
        after = load_submission(store, id).reviews
        assert [stored.review.partial for stored in after] == [(), (), (part,)]
        (row,) = inbox(store, InboxQuery()).rows
        assert [chip.partial for chip in row.chips] == [0, 0, 1]


def test_an_older_store_knows_by_which_contracts_its_submissions_are_judged(older: Older) -> None:
    before = older("0017")
    with closing(Store.open(before)) as store:
        (row,) = inbox(store, InboxQuery(contract="plain")).rows
        assert (row.id, row.contract) == (make_submission().id, "plain")
        assert not store.add(make_submission()), "nothing is left to be learnt at an import"


def test_an_older_store_learns_from_names_and_commits_when_its_submissions_were_generated(
    older: Older,
) -> None:
    before = older("0014")
    for number, name in enumerate(("20251020-120659_05", "20051014_01", "20991014_01"), 90):
        copied = (
            f"SELECT {number}, '{number}', imported_at, '{name}', source, likeness"
            " FROM submissions WHERE number = 1"
        )
        columns = "number, id, imported_at, name, source, likeness"
        sql(before, f"INSERT INTO submissions ({columns}) {copied}")
    moments = ["2025-03-01T07:00:00+00:00", "2025-02-01T07:00:00+00:00"]
    with behind(before) as connection:
        for commit, at in enumerate(moments):
            seconds = int(datetime.fromisoformat(at).timestamp())
            said = f"'{at}'" if "postgresql" in before else f"{seconds * 1_000_000}"
            connection.execute(
                'INSERT INTO commits (submission, "commit", at, repository, message, branches)'
                f" VALUES (1, '{commit}', {said}, 'r', '', '[]')"
            )
    with closing(Store.open(before)) as store:
        (row,) = inbox(store, InboxQuery(since=date(2025, 2, 1), until=date(2025, 2, 1))).rows
        assert row.generated == Generated(datetime.fromisoformat(moments[1]), DatedBy.COMMIT)
    dated = sql(before, "SELECT number, dated_by FROM submissions WHERE number > 1 ORDER BY 1")
    assert dated == [(90, "name"), (91, None), (92, None)]


def test_a_store_of_a_newer_areachair_is_refused(url: str) -> None:
    Store.open(url).close()
    sql(url, "UPDATE areachair_version SET version_num = '9999'")
    assert "newer areachair" in refused(url)


def test_a_migration_is_made_as_a_whole_or_not_at_all(url: str) -> None:
    sql(url, "CREATE TABLE areachair_version (version_num VARCHAR(32) NOT NULL)")
    sql(url, "CREATE TABLE tallies (in_the_way INTEGER)")
    assert "already exists" in refused(url)
    assert table_names(url) == ["areachair_version", "tallies"]
    sql(url, "DROP TABLE tallies")
    with closing(Store.open(url)) as store:
        assert store.add(make_submission())


def test_what_an_older_areachair_worked_out_is_worked_out_anew(url: str) -> None:
    with closing(Store.open(url)) as store:
        store.add(make_submission(), (make_review("recorded", READY), rules_found("r1")))
        before = inbox(store, InboxQuery())
    sql(url, "UPDATE standings SET version = 0, rank = 1, attention = 'an older wording'")
    sql(url, "DELETE FROM tallies")
    with closing(Store.open(url)) as store:
        assert inbox(store, InboxQuery()) == before
        assert inbox(store, InboxQuery(category="cli-contract")).total == 1


@pytest.mark.postgresql
def test_other_tables_may_share_a_postgresql_database(postgresql_url: str) -> None:
    sql(postgresql_url, "CREATE TABLE alembic_version (version_num text)")
    sql(postgresql_url, "INSERT INTO alembic_version VALUES ('of another program')")
    with closing(Store.open(postgresql_url)) as store:
        assert store.add(make_submission())


@pytest.mark.postgresql
def test_a_postgresql_database_that_cannot_hold_every_text_is_refused(
    postgresql_server: str,
) -> None:
    sql(postgresql_server, "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    url = make_url(postgresql_server).set(database="latin").render_as_string(hide_password=False)
    assert "ENCODING 'UTF8'" in refused(url)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
@pytest.mark.postgresql
def test_every_usual_name_of_postgresql_opens(postgresql_url: str, scheme: str) -> None:
    Store.open(postgresql_url.replace("postgresql", scheme, 1)).close()


def test_a_missing_driver_is_named_with_what_to_install() -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None; from reviewers.store import Store;"
        " Store.open('postgresql://host/db')"
    )
    with run_python(code) as process:
        _, errors = process.communicate(timeout=60)
    assert (
        errors.splitlines()[-1]
        == "reviewers.errors.StoreError: PostgreSQL needs its driver: pip install"
        " 'areachair[postgresql]'"
    )


@pytest.mark.long
def test_processes_that_open_and_fill_a_new_store_at_once_make_one_store(url: str) -> None:
    code = """
import sys
from contextlib import closing
from reviewers.store import Store
from tests.reviewers.store.making import make_review, make_submission, rules_found
print("started", flush=True)
sys.stdin.read()
with closing(Store.open(sys.argv[1])) as store:
    for name in "abcd":
        store.add(make_submission(name), (make_review("recorded"), rules_found("r1", "r2")))
"""
    with ExitStack() as stack:
        processes = [stack.enter_context(run_python(code, url)) for _ in range(2)]
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "started\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.close()  # they all begin now
            process.stdin = None
        assert [process.communicate(timeout=120)[1] for process in processes] == ["", ""]
    counts = row_counts(url)
    assert (counts["submissions"], counts["reviews"], counts["findings"], counts["contents"]) == (
        4,
        8,
        8,
        7,
    )
    with closing(Store.open(url)) as store:
        assert inbox(store, InboxQuery()).total == 4


def test_a_store_that_another_process_holds_is_reported_as_busy(sqlite_url: str) -> None:
    Store.open(sqlite_url).close()
    waiting = f"{sqlite_url}?timeout=0.1"
    with closing(Store.open(waiting)) as store, behind(sqlite_url) as connection:
        store.add(make_submission("before"))
        connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="busy"):
            store.add(make_submission("after"), (make_review(), rules_found()))
        assert inbox(store, InboxQuery()).total == 1, "reading goes on"
        Store.open(waiting).close()
        connection.execute("ROLLBACK")
        assert store.add(make_submission("after"))


def test_opening_a_store_twice_takes_nothing_from_who_has_it_open(store: Store, url: str) -> None:
    submission = make_submission("first")
    store.add(submission)
    # SQLite's locks are the process' own: closing any handle on the file drops all of them, and
    # another process would then take the log of writes away under the first store.
    with closing(Store.open(url)):
        pass
    code = (
        "import sys\nfrom contextlib import closing\nfrom reviewers.records import Verdict\n"
        "from reviewers.store import Store\n"
        "with closing(Store.open(sys.argv[1])) as store:\n"
        "    store.decide(sys.argv[2], Verdict.READY, 'it ran', 'Ann')\n"
        "with closing(Store.open(sys.argv[1])) as store:\n"
        "    store.decide(sys.argv[2], None, 'it did not', 'Ann')\n"
        "    print('written', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    writer = run_python(code, url, submission.id)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "written\n"
    decisions = load_submission(store, submission.id).decisions
    assert writer.communicate()[1] == ""
    assert len(decisions) == 2


def test_a_damaged_store_is_reported_when_it_is_asked(sqlite_url: str) -> None:
    path = Path(str(make_url(sqlite_url).database))
    with closing(Store.open(sqlite_url)) as store:
        store.add(make_submission())
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    assert "damaged" in refused(sqlite_url)
