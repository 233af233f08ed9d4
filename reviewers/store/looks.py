"""Who has opened a submission with what others say of it: blind mode relies on that, in every web
process. A look belongs to the browser, and to the author once a name is known.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, Select, delete, func, insert, literal, select
from sqlalchemy.dialects import postgresql

from reviewers.roles import Act
from reviewers.store.columns import Hash, Moment
from reviewers.store.insert import parts
from reviewers.store.store import Store
from reviewers.store.tables import looks, submissions

_COOKIE_LASTS = timedelta(days=365)
_C = looks.c


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who looks: a browser, and who is known to use it.

    Attributes:
        browser: the key in its cookie; only a hash of it is kept.
        author: id; empty where nobody gave a name yet.
    """

    browser: str
    author: str

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys under which looks are kept."""
        browser = hashlib.sha256(f"browser {self.browser}".encode()).hexdigest()
        return (browser, self.author) if self.author else (browser,)


def keep_looks(store: Store, new: Mapping[Viewer, Collection[str]]) -> None:
    """Keep what was looked at.

    Who is known in a browser has seen what was looked at there, and takes it to every other one;
    what nameless people look at elsewhere stays with their browsers.

    Args:
        new: by viewer the ids of what they look at; none only joins what browser and author saw.
    """
    with store.writing(Act.ARRANGE) as connection:
        until = store.now() + _COOKIE_LASTS
        connection.execute(delete(looks).where(_C.until < store.now()))
        for viewer, ids in new.items():
            browser, *author = viewer.keys
            for few in parts([*ids]):
                wanted = select(submissions.c.number).where(submissions.c.id.in_(few))
                for key in viewer.keys:
                    _insert(connection, key, wanted, until if key == browser else None)
            for key in author:
                _insert(connection, key, _seen_by(browser), None)
                _insert(connection, browser, _seen_by(key), until)


def seen(store: Store, viewer: Viewer, ids: Collection[str]) -> frozenset[str]:
    """Return those of the submissions that a viewer has looked at."""
    with store.reading() as connection:
        joined = select(submissions.c.id).join(looks, _C.submission == submissions.c.number)
        return frozenset(
            id
            for few in parts([*ids])
            for id in connection.scalars(
                joined.where(submissions.c.id.in_(few), _C.viewer.in_(viewer.keys))
            )
        )


def seen_counts(store: Store, viewer: Viewer) -> Mapping[str, int]:
    """Return how much browser and author have seen, by key: as long as that stays, there is nothing
    to join.
    """
    counted = select(_C.viewer, func.count().label("seen")).group_by(_C.viewer)
    with store.reading() as connection:
        rows = connection.execute(counted.where(_C.viewer.in_(viewer.keys)))
        return {row.viewer: row.seen for row in rows}


def _seen_by(key: str) -> Select[Any]:
    return select(_C.submission).where(_C.viewer == key)


def _insert(connection: Connection, key: str, numbers: Select[Any], until: Any) -> None:
    if connection.dialect.name == "postgresql":
        new: Any = postgresql.insert(looks).on_conflict_do_nothing()
    else:
        new = insert(looks).prefix_with("OR IGNORE")
    rows = numbers.add_columns(literal(key, Hash), literal(until, Moment))
    connection.execute(new.from_select(["submission", "viewer", "until"], rows))
