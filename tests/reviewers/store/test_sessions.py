"""Guards the list of who is signed in: what ended stays ended, and nobody ends another's."""

from datetime import UTC, datetime, timedelta

import pytest

from reviewers.errors import StoreError
from reviewers.store import Store
from reviewers.store.sessions import (
    LoginSession,
    begin_session,
    end_sessions,
    find_session,
    live_sessions,
)


def session(store: Store, id: str, subject: str = "grace", **fields: datetime) -> LoginSession:
    began = store.now()
    times = {"began": began, "until": began + timedelta(hours=8), **fields}
    return LoginSession(id * 64, "https://sso", subject, "Grace\0\ud800", "Firefox", **times)


def test_a_session_that_ended_is_never_begun_again(store: Store) -> None:
    begin_session(store, session(store, "a"))
    begin_session(store, session(store, "b"))
    begin_session(store, session(store, "c", "ada"))
    assert [each.id[0] for each in live_sessions(store, "https://sso", "grace")] == ["b", "a"]
    assert live_sessions(store, "https://elsewhere", "grace") == ()
    end_sessions(store, ["a" * 64])
    found = find_session(store, "a" * 64)
    assert found is not None
    assert found.name == "Grace\0\ud800"
    assert not found.lives(store.now())
    assert [each.id[0] for each in live_sessions(store)] == ["c", "b"]
    with pytest.raises(StoreError, match="sign in again"):
        begin_session(store, session(store, "a"))
    assert find_session(store, "d" * 64) is None


def test_a_session_ends_by_itself_and_is_forgotten_a_month_later(store: Store) -> None:
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    begin_session(store, session(store, "a", until=store.now() - timedelta(seconds=1)))
    begin_session(store, session(store, "b", began=long_ago, until=long_ago))
    assert live_sessions(store) == ()
    begin_session(store, session(store, "c"))
    assert [find_session(store, id * 64) is not None for id in "abc"] == [True, False, True]
