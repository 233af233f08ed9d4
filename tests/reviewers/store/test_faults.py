"""Guards what is kept when the world is against it: a full disk, a store that cannot be written,
and a clock that goes back.
"""

import os
import resource
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sqlalchemy import insert, select

from reviewers.errors import StoreError
from reviewers.records import Ruling
from reviewers.store import Store
from reviewers.store.copying import back_up, damage_in
from reviewers.store.health import examine
from reviewers.store.inbox import InboxQuery, inbox
from reviewers.store.lineages import lineage_of, relate
from reviewers.store.migrations import versions
from reviewers.store.submission import load_submission
from reviewers.store.tables import upkeep
from tests.reviewers.store.making import (
    NOT_READY,
    READY,
    Clock,
    make_submission,
    rules_found,
    sql,
)

FIRST, SECOND = make_submission("first"), make_submission("second")


@contextmanager
def full_disk() -> Iterator[None]:
    """No file can grow beyond a page: what a full disk is to a program, without a disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_full_disk_takes_nothing_that_was_kept_and_says_what_to_do(
    store: Store, tmp_path: Path
) -> None:
    store.add(FIRST, (rules_found("r1"),))
    store.decide(FIRST.id, READY, "ran", "Ann")
    for keep in (
        lambda: store.add(SECOND),
        lambda: store.rule_on(FIRST.id, "r1", Ruling.CONFIRM, "so", "Ann"),
        lambda: back_up(store, tmp_path / "backup.sqlite3"),
    ):
        with full_disk(), pytest.raises(StoreError, match="make room and try again"):
            keep()
        assert not damage_in(store)
    assert not [*tmp_path.glob("backup*")]
    assert [each.id for each in inbox(store, InboxQuery()).rows] == [FIRST.id]
    record = load_submission(store, FIRST.id)
    assert (len(record.decisions), record.rulings) == (1, ())
    assert store.add(SECOND)


def test_a_clock_that_goes_back_an_hour_reorders_nothing(store: Store, clock: Clock) -> None:
    store.add_many([(FIRST, (rules_found("r1"),)), (SECOND, ())])
    store.decide(FIRST.id, READY, "first", "Ann")
    store.rule_on(FIRST.id, "r1", Ruling.CONFIRM, "so", "Ann")
    relate(store, FIRST.id, SECOND.id, True, "one experiment", "Ann")
    clock.now -= timedelta(hours=1)
    store.decide(FIRST.id, NOT_READY, "second", "Bob")
    store.rule_on(FIRST.id, "r1", Ruling.DISMISS, "not so", "Bob")
    relate(store, FIRST.id, SECOND.id, False, "another one", "Bob")
    record = load_submission(store, FIRST.id)
    assert record.decision is not None
    assert [each.reason for each in record.decisions] == ["second", "first"]
    assert record.ruling_of["r1"].ruling is Ruling.DISMISS
    assert len({each.id for each in lineage_of(store, FIRST.id).attempts}) == 1


@pytest.mark.parametrize(
    "url", [pytest.param("postgresql", marks=pytest.mark.postgresql)], indirect=True
)
def test_a_lost_connection_takes_what_was_under_way_and_nothing_else(
    store: Store, url: str
) -> None:
    """As when the server is started anew, or the network fails."""
    ends = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE pid <> pg_backend_pid() AND datname = current_database()"
    )
    store.add(FIRST)
    store.decide(FIRST.id, READY, "first", "Ann")
    sql(url, ends)
    store.decide(FIRST.id, NOT_READY, "second", "Ann")

    def lose() -> None:
        with store.writing() as connection:
            connection.execute(insert(upkeep).values(task="half", after=""))
            sql(url, ends)
            connection.execute(select(upkeep))

    with pytest.raises(StoreError, match="connection to the database was lost; see") as lost:
        lose()
    assert "\n" not in str(lost.value)
    with store.reading() as connection:
        assert connection.scalar(select(upkeep.c.task).where(upkeep.c.task == "half")) is None
    record = load_submission(store, FIRST.id)
    assert [each.reason for each in record.decisions] == ["second", "first"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody who may not write")
def test_a_store_that_cannot_be_written_is_read() -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "store.sqlite3")
        url = f"sqlite:///{path}"
        with closing(Store.open(url)) as store:
            store.add(FIRST)
            store.decide(FIRST.id, READY, "ran", "Ann")
        path.chmod(0o444)
        Path(folder).chmod(0o555)
        os.seteuid(65534)
        try:
            if not os.access(versions.__path__[0], os.R_OK, effective_ids=True):
                pytest.skip("nobody else may read this checkout")
            with closing(Store.open(url)) as store:
                assert load_submission(store, FIRST.id).submission == FIRST
                with pytest.raises(StoreError, match="can be read only; to keep anything"):
                    store.decide(FIRST.id, NOT_READY, "no", "Eve")
                found = {each.what: each for each in examine(store, url)}
        finally:
            os.seteuid(0)
    assert "the store can be read, and nothing is kept" in found["permissions"].found
