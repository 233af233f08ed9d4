"""The log of changes of configuration, roles and contracts: who changed what and when, from what to
what, in words and without secrets. Rows are only added; the database refuses everything else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from operator import attrgetter

from sqlalchemy import Connection, insert, select, text

from reviewers.roles import Act
from reviewers.store.authors import Author, Authors, Signer, sign, signer_of
from reviewers.store.store import Store
from reviewers.store.tables import change_log, deletions

_C = change_log.c


class ChangeKind(StrEnum):
    """What was changed."""

    CONFIGURATION = "configuration"
    ROLE = "role"
    CONTRACT = "contract"
    ASIDE = "set aside"
    DELETION = "deletion"


@dataclass(frozen=True, slots=True)
class LoggedChange:
    """One change.

    Attributes:
        about: what or who was changed.
        before, after: in words; None for nothing.
        author: None where a file was changed on disk, by somebody with access to it.
    """

    kind: ChangeKind
    about: str
    before: str | None
    after: str | None
    author: Author | None
    at: datetime


def keep_change(
    connection: Connection,
    kind: ChangeKind,
    about: str,
    change: tuple[str | None, str | None],
    by: Mapping[str, str | None],
    at: datetime,
) -> None:
    """Log a change within its transaction.

    Args:
        change: what was before, and what is after.
        by: the columns `author` and `signer`; nothing where nobody is known.
    """
    before, after = change
    values = {"kind": kind, "about": about, "before": before, "after": after, "at": at}
    connection.execute(insert(change_log).values({**values, **by}))


def note_configuration(
    store: Store, about: str, now: str | None, author: str | Signer | None = None
) -> bool:
    """Log what a configuration is now, where that is not what the log says last; return whether it
    changed.

    Args:
        now: in words and without secrets; None if there is none.
        author: who changed it; None if that is not known.
    """
    with store.reading() as connection:
        if _last(connection, about) == now:
            return False
    with store.writing(Act.CONFIGURE) as connection:
        if connection.dialect.name == "postgresql":
            # Of several processes that find it changed, one says so.
            connection.execute(text("LOCK TABLE change_log IN SHARE ROW EXCLUSIVE MODE"))
        before = _last(connection, about)
        if before == now:
            return False
        at = store.now()
        by = {} if author is None else sign(connection, signer_of(author), at)
        keep_change(connection, ChangeKind.CONFIGURATION, about, (before, now), by, at)
        return True


def changes(store: Store, most: int = 200) -> tuple[LoggedChange, ...]:
    """Return the last changes, the newest first, deletions of submissions among them."""
    with store.reading() as connection:
        names = Authors(connection)
        logged = connection.execute(select(change_log).order_by(_C.number.desc()).limit(most))
        found = [
            LoggedChange(
                ChangeKind(row.kind),
                row.about,
                row.before,
                row.after,
                names.of(row) if row.author else None,
                row.at,
            )
            for row in logged
        ]
        deleted = select(deletions).order_by(deletions.c.number.desc()).limit(most)
        found += [
            LoggedChange(
                ChangeKind.DELETION,
                f"submission {row.submission_id[:12]}",
                None,
                f"deleted: {row.reason}",
                names.of(row),
                row.at,
            )
            for row in connection.execute(deleted)
        ]
    return tuple(sorted(found, key=attrgetter("at"), reverse=True)[:most])


def _last(connection: Connection, about: str) -> str | None:
    wanted = select(_C.after).where(_C.kind == ChangeKind.CONFIGURATION, _C.about == about)
    return connection.scalar(wanted.order_by(_C.number.desc()).limit(1))
