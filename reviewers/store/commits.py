"""The commits in which a submission was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, insert, select

from reviewers.roles import Act
from reviewers.store.insert import numbered
from reviewers.store.store import Store
from reviewers.store.tables import commits


@dataclass(frozen=True, slots=True)
class StoredCommit:
    """A commit in which a submission first appears.

    Attributes:
        repository: path of the repository, as given.
        commit: its id in full.
        at: when it was written, in UTC; None if it does not say.
        branches: branches and tags that contain it.
    """

    repository: str
    commit: str
    at: datetime | None
    message: str
    branches: tuple[str, ...] = ()


def add_commit(store: Store, submission_id: str, commit: StoredCommit) -> bool:
    """Store the commit in which a submission was found; False if it is stored already.

    Raises:
        UnknownSubmission: the store has no submission with this id.
    """
    with store.writing(Act.IMPORT) as connection:
        return keep_commits(connection, numbered(connection, submission_id), [commit]) > 0


def commits_in(connection: Connection, number: int) -> tuple[StoredCommit, ...]:
    """Return the commits of the submission with this number, oldest first."""
    rows = connection.execute(select(commits).where(commits.c.submission == number)).all()
    found = [
        StoredCommit(row.repository, row.commit, row.at, row.message, tuple(row.branches))
        for row in rows
    ]
    return tuple(sorted(found, key=lambda each: (each.at is None, each.at, each.commit)))


def keep_commits(connection: Connection, number: int, found: Sequence[StoredCommit]) -> int:
    """Store the commits that are new, and return how many there were."""
    known = set(connection.scalars(select(commits.c.commit).where(commits.c.submission == number)))
    new = {each.commit: each for each in found if each.commit not in known}
    for each in new.values():
        values = {
            "repository": each.repository,
            "at": each.at,
            "message": each.message,
            "branches": list(each.branches),
        }
        connection.execute(insert(commits).values(submission=number, commit=each.commit, **values))
    return len(new)
