"""The dashboard's sessions, stored so that each of its server processes knows which have ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from reviewers.errors import StoreError
from reviewers.roles import Act
from reviewers.store.store import Store
from reviewers.store.tables import login_sessions

_KEPT = timedelta(days=30)
_COLUMNS = login_sessions.c


@dataclass(frozen=True, slots=True)
class LoginSession:
    """One signing in with the provider.

    Attributes:
        id: a hash of what the browser's cookie holds; the cookie cannot be had from it.
        issuer, subject: who it is, as the provider guarantees it; `name` is for display.
        agent: what the browser calls itself.
        until: when it ends by itself.
        ended: when somebody ended it before; None if nobody did.
        role: by the provider's groups, a `Role`; None if they gave none.
    """

    id: str
    issuer: str
    subject: str
    name: str
    agent: str
    began: datetime
    until: datetime
    ended: datetime | None = None
    role: str | None = None

    def lives(self, now: datetime) -> bool:
        """Whether who holds it is in."""
        return self.ended is None and now < self.until


def begin_session(store: Store, session: LoginSession) -> None:
    """Keep a session; what ended more than a month ago is forgotten.

    Raises:
        StoreError: there was a session of this id: what ended is never begun again.
    """
    with store.writing(Act.SIGN_IN) as connection:
        connection.execute(delete(login_sessions).where(_COLUMNS.until < session.began - _KEPT))
        try:
            connection.execute(insert(login_sessions).values(**asdict(session)))
        except IntegrityError:
            raise StoreError("this session already exists; sign in again") from None


def find_session(store: Store, id: str) -> LoginSession | None:
    """Return a session, whether it lives or not; None if none was ever begun so."""
    return next(iter(_found(store, _COLUMNS.id == id)), None)


def live_sessions(
    store: Store, issuer: str | None = None, subject: str | None = None
) -> tuple[LoginSession, ...]:
    """Return the sessions that have not ended, of one person or of all, the newest first."""
    wanted = [_COLUMNS.ended.is_(None), _COLUMNS.until > store.now()]
    wanted += [] if issuer is None else [_COLUMNS.issuer == issuer]
    wanted += [] if subject is None else [_COLUMNS.subject == subject]
    return _found(store, *wanted)


def end_sessions(store: Store, ids: Iterable[str]) -> None:
    """End sessions; one that has ended stays so."""
    with store.writing(Act.END_SESSION) as connection:
        connection.execute(
            update(login_sessions)
            .where(_COLUMNS.id.in_(list(ids)), _COLUMNS.ended.is_(None))
            .values(ended=store.now())
        )


def _found(store: Store, *wanted: ColumnElement[bool]) -> tuple[LoginSession, ...]:
    asked = select(login_sessions).where(*wanted).order_by(_COLUMNS.began.desc(), _COLUMNS.id)
    with store.reading() as connection:
        return tuple(LoginSession(**row) for row in connection.execute(asked).mappings())
