"""The roles that people were given at the desk, beside those that the provider's groups give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection, delete, func, insert, select

from reviewers.errors import StoreError
from reviewers.roles import Act, Role, highest
from reviewers.store.authors import Given, Signer, shortened_name, sign, signer_of
from reviewers.store.change_log import ChangeKind, keep_change
from reviewers.store.store import Store
from reviewers.store.tables import authors, login_sessions, roles

_LEAST = 6  # characters of a person's key


@dataclass(frozen=True, slots=True)
class PersonRole:
    """Somebody who signs in.

    Attributes:
        issuer, subject: who it is, as the provider guarantees it; `name` is for display.
        given: the role that was given at the desk; None if none was.
        by_groups: what the provider's groups gave when the person signed in last, within a month;
            None if they gave none.
    """

    issuer: str
    subject: str
    name: str
    given: Role | None = None
    by_groups: Role | None = None

    @property
    def key(self) -> str:
        """The person's identity, as `Signer.id`."""
        return Signer(self.name, self.issuer, self.subject).id

    def role(self, otherwise: Role) -> Role:
        """The role that counts: the higher one, `otherwise` where neither is known."""
        return highest((self.given, self.by_groups), otherwise)


def role_given(store: Store, person: str) -> Role | None:
    """Return the role that a person was given at the desk; None if none was.

    Args:
        person: as `Signer.id`.
    """
    with store.reading() as connection:
        return _given(connection, person)


def has_operator(store: Store) -> bool:
    """Whether somebody was given the role of an operator."""
    with store.reading() as connection:
        operators = select(func.count()).where(roles.c.role == Role.OPERATOR)
        return connection.execute(operators).scalar_one() > 0


def people_with_roles(store: Store) -> Sequence[PersonRole]:
    """Return everybody who signed a record, signed in within a month, or was given a role, by
    name.
    """
    found: dict[str, PersonRole] = {}
    with store.reading() as connection:
        signed = select(authors).where(authors.c.given == Given.PROVIDER)
        for row in connection.execute(signed.order_by(authors.c.number)):
            found[row.key] = PersonRole(row.issuer, row.subject, row.name)
        for row in connection.execute(select(login_sessions).order_by(login_sessions.c.began)):
            role = Role(row.role) if row.role else None
            person = PersonRole(row.issuer, row.subject, row.name, by_groups=role)
            found[person.key] = person
        for row in connection.execute(select(roles)):
            known = found.get(row.person) or PersonRole(row.issuer, row.subject, row.name)
            found[row.person] = replace(known, given=Role(row.role))
    return sorted(found.values(), key=lambda each: (each.name, each.key))


def find_person(store: Store, word: str, issuer: str | None = None) -> PersonRole:
    """Return the person with this name, subject, or beginning of a key.

    Args:
        issuer: the provider of a subject who need not have signed in yet.

    Raises:
        StoreError: there is none, or there are several.
    """
    known = people_with_roles(store)
    if issuer is not None:
        new = PersonRole(issuer, word, word)
        return next((each for each in known if each.key == new.key), new)
    found = [
        each
        for each in known
        if word in (each.name, each.subject) or (len(word) >= _LEAST and each.key.startswith(word))
    ]
    if not found:
        raise StoreError(
            f"nobody called {word[:100]!r} has signed in: let them sign in once, or give their"
            " subject and --issuer ISSUER"
        )
    if len(found) > 1:
        keys = ", ".join(f"{each.key[:10]} ({each.subject})" for each in found)
        raise StoreError(f"{word[:100]!r} is not the only one: name one of {keys}")
    return found[0]


def give_role(store: Store, person: PersonRole, role: Role | None, author: str | Signer) -> bool:
    """Give a person a role at the desk, or take it back with None, and log it; False if nothing
    changed.

    Raises:
        NotPermitted: the person who acts is no operator.
        StoreError: the author's name cannot be kept.
    """
    signer = signer_of(author)
    with store.writing(Act.GIVE_ROLE) as connection:
        before = _given(connection, person.key)
        if before is role:
            return False
        connection.execute(delete(roles).where(roles.c.person == person.key))
        who = {"issuer": person.issuer, "subject": person.subject, "name": person.name}
        if role is not None:
            connection.execute(insert(roles).values(person=person.key, role=role, **who))
        at = store.now()
        about = f"{shortened_name(person.name)} ({person.subject} at {person.issuer})"
        by = sign(connection, signer, at)
        keep_change(connection, ChangeKind.ROLE, about, (before, role), by, at)
        return True


def _given(connection: Connection, person: str) -> Role | None:
    found = connection.scalar(select(roles.c.role).where(roles.c.person == person))
    return None if found is None else Role(found)
