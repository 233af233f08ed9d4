"""What a person arranged for themselves at the desk: saved views, and the columns of a table.

They belong to the author, so a name that is corrected keeps them. They are no record of anything:
their owner changes and deletes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, delete, func, insert, select, update

from reviewers.errors import StoreError
from reviewers.roles import Act
from reviewers.store.authors import Authors, Signer, sign
from reviewers.store.people import signed
from reviewers.store.store import Store
from reviewers.store.tables import desk_choices

LONGEST_VIEW_NAME = 60
MOST_VIEWS = 30
_LONGEST_ADDRESS = 4_000
_VIEW, _COLUMNS = "view", "columns"
_C = desk_choices.c


def saved_views(store: Store, owner: str) -> Mapping[str, str]:
    """Return the query strings of a person's saved views by name, the oldest first.

    Args:
        owner: the author's id; nobody has none.
    """
    with store.reading() as connection:
        found = connection.execute(_of(connection, owner, _VIEW).order_by(_C.number))
        return {row.name: row.value for row in found}


def save_view(store: Store, name: str, address: str, author: str | Signer) -> None:
    """Keep a view under a name.

    Args:
        address: the query string of the inbox.

    Raises:
        StoreError: the name or the address cannot be kept, or the person has a view of this name,
            or 30 views.
    """
    if len(address) > _LONGEST_ADDRESS:
        raise StoreError("this view's address is too long to be saved: remove a filter")
    with store.writing(Act.ARRANGE) as connection:
        owner = _owner(connection, store, author)
        name = _new_name(connection, owner, name)
        count = select(func.count()).where(_theirs(owner, _VIEW))
        if connection.execute(count).scalar_one() >= MOST_VIEWS:
            raise StoreError(f"you have {MOST_VIEWS} saved views: delete one first")
        values = {"owner": owner, "kind": _VIEW, "name": name, "value": address}
        connection.execute(insert(desk_choices).values(values))


def rename_view(store: Store, old: str, new: str, author: str | Signer) -> None:
    """Give a saved view another name.

    Raises:
        StoreError: the name cannot be kept or is taken, or there is no such view.
    """
    with store.writing(Act.ARRANGE) as connection:
        owner = _owner(connection, store, author)
        if new.strip() != old:
            wanted = update(desk_choices).where(_theirs(owner, _VIEW), _C.name == old)
            done = connection.execute(wanted.values(name=_new_name(connection, owner, new)))
            if not done.rowcount:
                raise StoreError(f"you have no saved view called {old[:LONGEST_VIEW_NAME]!r}")


def delete_view(store: Store, name: str, author: str | Signer) -> None:
    """Delete a saved view; nothing happens if it is gone already."""
    with store.writing(Act.ARRANGE) as connection:
        owner = _owner(connection, store, author)
        connection.execute(delete(desk_choices).where(_theirs(owner, _VIEW), _C.name == name))


def shown_columns(store: Store, owner: str, table: str) -> Mapping[str, bool]:
    """Return which columns a person shows or hides in a table; the others are as they come.

    Args:
        owner: the author's id; nobody chose anything.
    """
    with store.reading() as connection:
        chosen = _of(connection, owner, _COLUMNS).where(_C.name == table).limit(1)
        row = connection.execute(chosen).one_or_none()
        return {} if row is None else dict(row.value)


def choose_columns(
    store: Store, table: str, shown: Mapping[str, bool], author: str | Signer
) -> None:
    """Keep which columns a person shows or hides in a table, in place of what they chose before."""
    with store.writing(Act.ARRANGE) as connection:
        owner = _owner(connection, store, author)
        connection.execute(delete(desk_choices).where(_theirs(owner, _COLUMNS), _C.name == table))
        if shown:
            values = {"owner": owner, "kind": _COLUMNS, "name": table, "value": dict(shown)}
            connection.execute(insert(desk_choices).values(values))


def _of(connection: Connection, owner: str, kind: str) -> Select[Any]:
    keys = Authors(connection).keys(owner) if owner else ()
    return select(desk_choices).where(_C.owner.in_(keys), _C.kind == kind)


def _theirs(owner: str, kind: str) -> ColumnElement[bool]:
    return (_C.owner == owner) & (_C.kind == kind)


def _owner(connection: Connection, store: Store, author: str | Signer) -> str:
    _, signer = signed("", author, needs_reason=False, deed="a saved view")
    return sign(connection, signer, store.now())["signer"]


def _new_name(connection: Connection, owner: str, name: str) -> str:
    name = " ".join(name.split())
    if not name or not name.isprintable():
        raise StoreError("a view needs a name: one that can be read")
    if len(name) > LONGEST_VIEW_NAME:
        raise StoreError(f"a view's name has at most {LONGEST_VIEW_NAME} characters")
    taken = select(_C.number).where(_theirs(owner, _VIEW), _C.name == name)
    if connection.execute(taken).first() is not None:
        raise StoreError(f"you have a saved view called {name!r} already: choose another name")
    return name
