"""Guards backups: a copy is the store, row by row, in either database, or there is none."""

import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from reviewers.errors import StoreError
from reviewers.records import Ruling
from reviewers.store import Store
from reviewers.store.copying import back_up, damage_in, restore
from reviewers.store.inbox import InboxQuery, inbox
from reviewers.store.packing import DICTIONARY, MARK, packed
from reviewers.store.submission import load_submission
from tests.reviewers.store.conftest import Older
from tests.reviewers.store.making import (
    KEPT,
    READY,
    content_of,
    drop_guards,
    make_finding,
    make_review,
    make_submission,
    rules_found,
)

HARD = "nul \x00, lone \ud800, \x1a, ünï"
FIRST, SECOND = make_submission("first"), make_submission("second")


@pytest.fixture
def filled(store: Store) -> Store:
    for submission in (FIRST, SECOND):
        reviews = (make_review("recorded", READY, make_finding(claim=HARD)), rules_found("r1"))
        store.add(submission, reviews)
    store.decide(FIRST.id, READY, HARD, "ana")
    store.rule_on(FIRST.id, "f1", Ruling.DISMISS, "no", "ana")
    return store


def restored(path: Path, url: str) -> None:
    with closing(Store.open(url)) as empty:
        restore(path, empty)


def refused(path: Path, url: str) -> str:
    with pytest.raises(StoreError) as caught:
        restored(path, url)
    return str(caught.value)


def test_a_backup_is_a_store_from_which_any_database_is_restored(
    filled: Store, tmp_path: Path, new_url: Callable[[], str]
) -> None:
    path = tmp_path / "backups" / "monday.sqlite3"
    path.parent.mkdir()
    counts = back_up(filled, path)
    assert (counts["submissions"], counts["decisions"], counts["rulings"]) == (2, 1, 1)
    assert [file.name for file in path.parent.iterdir()] == ["monday.sqlite3"]
    again = new_url()
    restored(path, again)
    for url in (f"sqlite:///{path}", again):
        with closing(Store.open(url)) as store:
            for each in (FIRST, SECOND):
                assert load_submission(store, each.id) == load_submission(filled, each.id)
            assert inbox(store, InboxQuery(text="sparse gates")) == inbox(
                filled, InboxQuery(text="sparse gates")
            )
            store.decide(SECOND.id, READY, "seen", "ben")  # its number is the next one
            assert len(load_submission(store, SECOND.id).decisions) == 1


def test_a_backup_keeps_what_stood_there_when_it_began_and_later_work_goes_on(
    filled: Store, tmp_path: Path, sqlite_url: str
) -> None:
    with filled.reading() as snapshot:
        snapshot.exec_driver_sql("SELECT count(*) FROM decisions").scalar_one()
        back_up(filled, tmp_path / "one.sqlite3")
        filled.decide(SECOND.id, READY, "later", "ben")
    back_up(filled, tmp_path / "two.sqlite3")
    found = [
        content_of(f"sqlite:///{tmp_path / name}.sqlite3", ["decisions"])["decisions"]
        for name in ("one", "two")
    ]
    assert [len(rows) for rows in found] == [1, 2]


def test_a_file_is_never_written_over_and_a_filled_store_never_added_to(
    filled: Store, url: str, tmp_path: Path
) -> None:
    path = tmp_path / "kept.sqlite3"
    back_up(filled, path)
    before = path.read_bytes(), content_of(url, KEPT)
    with pytest.raises(StoreError, match="the file exists"):
        back_up(filled, path)
    assert "holds 2 submissions; restore into an empty one" in refused(path, url)
    assert "no such backup" in refused(tmp_path / "missing", url)
    assert (path.read_bytes(), content_of(url, KEPT)) == before


def test_what_is_left_of_a_backup_that_was_killed_is_cleared_away(
    filled: Store, tmp_path: Path
) -> None:
    (tmp_path / "b.sqlite3.unfinished").write_bytes(b"half")
    (tmp_path / "b.sqlite3.unfinished-wal").write_bytes(b"half")
    back_up(filled, tmp_path / "b.sqlite3")
    assert [file.name for file in tmp_path.glob("b.sqlite3*")] == ["b.sqlite3"]


def test_a_damaged_backup_is_refused_and_leaves_the_store_empty(
    filled: Store, tmp_path: Path
) -> None:
    path = tmp_path / "damaged.sqlite3"
    back_up(filled, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        drop_guards(connection, "contents")
        connection.execute("DELETE FROM contents")
        connection.commit()
    empty = f"sqlite:///{tmp_path / 'empty.sqlite3'}"
    assert "the backup is damaged" in refused(path, empty)
    assert content_of(empty, ["findings"]) == {"findings": []}


BOMB = zlib.compressobj(9, zlib.DEFLATED, 15, 9, 0, DICTIONARY)
PACKED = {
    "unpacks to more than 64 MB": MARK + BOMB.compress(bytes(70_000_000)) + BOMB.flush(),
    "is damaged": MARK + b"no such stream",
    "is cut off": packed(bytes(range(256)))[:-9],
    "files are not what they were": packed(b"another"),
}


@pytest.mark.parametrize("says", PACKED)
@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_backup_whose_files_were_tampered_with_is_refused_within_bounds(
    filled: Store, tmp_path: Path, says: str
) -> None:
    path = tmp_path / "tampered.sqlite3"
    back_up(filled, path)
    with closing(sqlite3.connect(path)) as connection:
        drop_guards(connection, "contents")
        connection.execute("UPDATE contents SET data = ?", [PACKED[says]])
        connection.commit()
    with closing(Store.open(f"sqlite:///{path}")) as tampered:
        assert says in damage_in(tampered)[0]
    assert "the backup is damaged" in refused(path, f"sqlite:///{tmp_path / 'empty.sqlite3'}")


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_backup_of_an_older_areachair_is_brought_up_to_date_and_stays_as_it_is(
    older: Older, tmp_path: Path
) -> None:
    before = older("0012")
    path = Path(before.removeprefix("sqlite:///"))
    held = path.read_bytes()
    again = f"sqlite:///{tmp_path / 'again.sqlite3'}"
    restored(path, again)
    with closing(Store.open(again)) as store:
        assert load_submission(store, FIRST.id).decision is not None
    assert path.read_bytes() == held
