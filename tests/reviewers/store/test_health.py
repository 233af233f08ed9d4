"""Guards `doctor`: what is well is said to be, and each thing that is not with what to do."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from reviewers.store import Store
from reviewers.store.health import examine
from tests.reviewers.store.making import (
    READY,
    drop_guards,
    make_review,
    make_submission,
    rules_found,
)


def problems(store: Store, url: str) -> dict[str, str]:
    return {
        each.what: f"{each.found}; {each.remedy}"
        for each in examine(store, url)
        if each.remedy is not None
    }


def test_a_store_that_is_well_is_said_to_be(store: Store, url: str) -> None:
    store.add(make_submission(), (make_review("recorded", READY), rules_found("r1")))
    if url.startswith("sqlite"):
        Path(url.removeprefix("sqlite:///")).chmod(0o600)  # a copied file is open to others
    assert problems(store, url) == {}


@pytest.fixture
def tomorrow(url: str) -> Iterator[Store]:
    def clock() -> datetime:
        return datetime.now(UTC) + timedelta(days=1)

    with closing(Store.open(url, clock=clock)) as store:
        yield store


def test_a_record_from_the_future_is_told(tomorrow: Store, url: str) -> None:
    tomorrow.add(make_submission())
    assert "which is not yet" in problems(tomorrow, url)["clock"]


def test_others_eyes_and_damage_are_told(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    url = f"sqlite:///{path}"
    with closing(Store.open(url)) as store:
        store.add(make_submission(), (rules_found("r1"),))
    path.chmod(0o644)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        drop_guards(connection, "contents")
        connection.execute("DELETE FROM contents")
        connection.commit()
    with closing(Store.open(url)) as store:
        found = problems(store, url)
    assert f"chmod 600 {path}" in found["permissions"]
    assert "point at some that are missing" in found["integrity"]
    assert "restore the newest backup" in found["integrity"]
