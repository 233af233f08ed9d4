"""Corrections of people's names: the new name is stored beside the old one, which stays on the
records.
"""

from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, Connection, Table, and_, or_, select
from sqlalchemy.sql.functions import count

from reviewers.errors import NameInUse, StoreError
from reviewers.roles import Act
from reviewers.store.authors import AuthorName, Authors, Given, checked_name, keep_names
from reviewers.store.refresh import refresh
from reviewers.store.store import Store
from reviewers.store.tables import METADATA, own_findings, submissions


def known_authors(store: Store) -> tuple[tuple[AuthorName, ...], ...]:
    """Return the names of all signers, oldest first."""
    with store.reading() as connection:
        return tuple(map(tuple, Authors(connection).every.values()))


def has_signed(store: Store, id: str) -> bool:
    """Whether records are signed by the author with this id."""
    with store.reading() as connection:
        return bool(Authors(connection).keys(id))


def correct_name(
    store: Store, old: str, new: str, *, earlier: bool = False, join: bool = False
) -> None:
    """Show records signed with a name under another one from now on; both names stay known.

    Args:
        earlier: whether to include records from before authors had keys; their authors stay
            separate.
        join: whether the person who already signs with the new name is the same; if both names were
            entered at the desk, they become one author.

    Raises:
        NameInUse: the new name is in use, and `join` is not set.
        StoreError: nobody at the desk signed with the old name, or the new one cannot be stored.
    """
    new = checked_name(new)
    if new == old:
        return
    with store.writing(Act.CORRECT_NAME) as connection:
        names = Authors(connection)
        keys = names.called(old) if earlier else names.keys(old)
        meant = [key for key in keys if names.every[key][-1].given is not Given.PROVIDER]
        if not meant:
            raise StoreError(f"no record is signed with a name {old[:100]!r} that was entered here")
        others = set(names.called(new) if earlier else names.keys(new)).difference(meant)
        if others and not join:
            raise NameInUse(new, _count(connection, others))
        at = store.now()
        added = [AuthorName(key, names.every[key][-1].given, new, at) for key in meant]
        refresh_named(connection, keep_names(connection, added))


def refresh_named(connection: Connection, names: Sequence[AuthorName]) -> None:
    """Update derived data that contains the names of these authors."""
    theirs = _signed_by(connection, own_findings, {each.key for each in names})
    wanted = select(submissions.c.number).where(
        submissions.c.id.in_(select(own_findings.c.submission_id).where(theirs))
    )
    for number in connection.scalars(wanted.order_by(submissions.c.number)).all():
        refresh(connection, number, texts=False)


def _signed_by(connection: Connection, table: Table, keys: Collection[str]) -> ColumnElement[bool]:
    """The condition that a record is signed by one of the authors with these keys."""
    every = Authors(connection).every
    earlier = [every[key][0].name for key in keys if every[key][0].given is Given.RECORDED]
    return or_(
        table.c.signer.in_(keys),
        and_(table.c.signer.is_(None), table.c.author.in_(earlier)),
    )


def _count(connection: Connection, keys: Collection[str]) -> int:
    """How many records are signed by the authors with these keys."""
    return sum(
        connection.scalars(
            select(count()).select_from(table).where(_signed_by(connection, table, keys))
        ).one()
        for table in METADATA.sorted_tables
        if "signer" in table.c
    )
