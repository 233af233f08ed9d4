"""What servers of models allow, for all workers of a store together.

A lane is one model of one server with one key. Times are the database server's. Of two workers one
waits for the other, so that both count what both sent.
"""

from datetime import timedelta

from sqlalchemy import Connection, delete, func, insert, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from reviewers.backends.limited import is_full
from reviewers.roles import Act
from reviewers.store.jobs import server_time
from reviewers.store.store import Store
from reviewers.store.tables import rate_limits, requests_sent

_MINUTE = timedelta(minutes=1)
_LONGEST = timedelta(minutes=10)


def take_turn(
    store: Store, lane: str, tokens: int, most_requests: int | None, most_tokens: int | None
) -> tuple[float, int]:
    """Count a request as sent now, if within sixty seconds no more than these would be.

    A request that is larger than a minute's tokens goes through when nothing else was sent for a
    minute.

    Args:
        tokens: the most that it can take.
        most_requests, most_tokens: None for no limit.

    Returns:
        0 and its number, which is 0 where nothing is to be counted; else the seconds until
        something may have changed.
    """
    if most_requests is None and most_tokens is None:
        with store.reading() as connection:
            return _closed(connection, lane, store), 0
    with store.writing(Act.WORK) as connection:
        _hold(connection, lane)
        if wait := _closed(connection, lane, store):
            return wait, 0
        now = server_time(connection, store)
        own = requests_sent.c.lane == lane
        # Of a clock that was set back nothing lies in the future.
        over = or_(requests_sent.c.at <= now - _MINUTE, requests_sent.c.at > now)
        connection.execute(delete(requests_sent).where(own, over))
        told = select(
            func.count().label("sent"),
            func.coalesce(func.sum(requests_sent.c.tokens), 0).label("tokens"),
            func.min(requests_sent.c.at).label("oldest"),
        )
        last = connection.execute(told.where(own)).one()
        if is_full(last.sent, last.tokens + tokens, most_requests, most_tokens):
            return (last.oldest + _MINUTE - now).total_seconds(), 0
        made = connection.execute(insert(requests_sent).values(lane=lane, at=now, tokens=tokens))
        (number,) = made.inserted_primary_key or (0,)
        return 0.0, int(number)


def settle_turn(store: Store, number: int, tokens: int) -> None:
    """Say how many tokens a request took."""
    with store.writing(Act.WORK) as connection:
        took = update(requests_sent).where(requests_sent.c.number == number)
        connection.execute(took.values(tokens=tokens))


def close_lane(store: Store, lane: str, seconds: float) -> None:
    """Let no worker ask for so long."""
    with store.writing(Act.WORK) as connection:
        _hold(connection, lane)
        until = server_time(connection, store) + timedelta(seconds=seconds)
        earlier = or_(rate_limits.c.closed.is_(None), rate_limits.c.closed < until)
        closed = update(rate_limits).where(rate_limits.c.lane == lane, earlier)
        connection.execute(closed.values(closed=until))


def _hold(connection: Connection, lane: str) -> None:
    """Keep others from the lane until the end of the transaction."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    connection.execute(dialect.insert(rate_limits).values(lane=lane).on_conflict_do_nothing())
    held = select(rate_limits.c.lane).where(rate_limits.c.lane == lane)
    connection.execute(held.with_for_update())


def _closed(connection: Connection, lane: str, store: Store) -> float:
    """For how many seconds it is closed."""
    until = connection.scalar(select(rate_limits.c.closed).where(rate_limits.c.lane == lane))
    if until is None:
        return 0.0
    left = until - server_time(connection, store)
    return left.total_seconds() if timedelta() < left <= _LONGEST else 0.0
