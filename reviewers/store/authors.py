"""The authors of records: what distinguishes two authors, and the name that is shown.

A name given at the desk is its author's identity; whom a provider knows is identified by issuer
and subject, whatever the name. Records from before authors had keys keep their name as an
author of its own. Names are rows that are only added: the newest one of an author counts.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Table, insert, select

from reviewers.errors import StoreError
from reviewers.store.tables import authors

LONGEST_NAME = 40
"""In characters; shorter than a key, so that no name is one."""


class Given(StrEnum):
    """How an author's name became known."""

    RECORDED = "recorded"  # it is on records from before authors had keys
    NAMED = "named"  # a person gave it
    PROVIDER = "provider"  # the provider says so of who signed in


@dataclass(frozen=True, slots=True)
class Signer:
    """Who is about to write a record.

    Attributes:
        name: as a person gave it, or as the provider shows it.
        issuer, subject: what the provider knows the person by; None without a provider.
    """

    name: str
    issuer: str | None = None
    subject: str | None = None

    @property
    def id(self) -> str:
        """What tells this author from every other one, as `Author.id`."""
        if self.issuer is None or self.subject is None:
            return self.name
        return _digest(Given.PROVIDER, self.issuer, self.subject)


@dataclass(frozen=True, slots=True)
class Author:
    """Who wrote a record.

    Attributes:
        name: as it counts now.
        id: what tells this author from every other one: the name that was given at the desk, else a
            key of 64 hexadecimal digits. Names may be equal where authors are not.
        signed: the name as it is on the record.
        until: when `name` took the place of `signed`; None if it did not.
        key: of the rows with its names; None on records from before authors had keys.
    """

    name: str
    id: str
    signed: str
    until: datetime | None = None
    key: str | None = None

    @classmethod
    def unknown(cls, signed: str, key: str | None) -> Author:
        """Return an author of whom only the record is known."""
        return cls(signed, key or recorded_key(signed), signed, None, key)

    @property
    def is_earlier(self) -> bool:
        """Whether the record is from before authors had keys."""
        return self.key is None

    def __str__(self) -> str:
        """The name, and the one that was signed with where it is another one."""
        if self.until is None:
            return self.name
        return f"{self.name} (signed as “{self.signed}” until {self.until:%Y-%m-%d})"


@dataclass(frozen=True, slots=True)
class AuthorName:
    """One record of an author's name; the newest of a key counts.

    Attributes:
        key: what records of this author point at.
    """

    key: str
    given: Given
    name: str
    at: datetime
    issuer: str | None = None
    subject: str | None = None


def checked_name(name: str) -> str:
    """Return a name as it is kept.

    Raises:
        StoreError: it is empty or too long, or part of it cannot be seen.
    """
    name = unicodedata.normalize("NFC", name).strip()
    if not name:
        raise StoreError("a name needs at least one letter: enter your name")
    if len(name) > LONGEST_NAME:
        raise StoreError(
            f"a name has at most {LONGEST_NAME} characters, this one has {len(name):,}: give a"
            " shorter one"
        )
    if not name.isprintable():
        raise StoreError("the name contains invisible characters: type it again")
    return name


def shortened_name(name: str) -> str:
    """Return a provider's name as it can be kept: it is for display, so it is never refused."""
    seen = unicodedata.normalize("NFC", "".join(filter(str.isprintable, name))).strip()
    return seen if len(seen) <= LONGEST_NAME else seen[: LONGEST_NAME - 1].rstrip() + "…"


def signer_of(author: str | Signer) -> Signer:
    """Return who writes, with a name that can be kept.

    Raises:
        StoreError: the name that a person gave cannot.
    """
    if isinstance(author, str):
        return Signer(checked_name(author))
    if author.issuer is None or author.subject is None:
        return Signer(checked_name(author.name))
    return author


def sign(connection: Connection, signer: Signer, at: datetime) -> dict[str, str]:
    """Return the columns of a record that tell its author; a name that is new is kept before."""
    names = Authors(connection)
    if signer.issuer is None or signer.subject is None:
        given = Given.NAMED
        key = next(iter(names.keys(signer.id)), None) or secrets.token_hex(32)
    else:
        given, key = Given.PROVIDER, signer.id
    if names.name_of(key) != signer.name:
        new = AuthorName(key, given, signer.name, at, signer.issuer, signer.subject)
        connection.execute(insert(authors), [asdict(new)])
    return {"author": signer.name, "signer": key}


def signature_values(author: Author) -> dict[str, str | None]:
    """Return the columns of a record that is kept as it was written elsewhere."""
    return {"author": author.signed, "signer": author.key}


class Authors:
    """All names, as they are at the moment at which they are first asked for."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @cached_property
    def every(self) -> Mapping[str, Sequence[AuthorName]]:
        """All names by key, the oldest first."""
        names: dict[str, list[AuthorName]] = defaultdict(list)
        for row in self._connection.execute(
            select(authors).order_by(authors.c.at, authors.c.number)
        ):
            names[row.key].append(_name_of(row))
        return dict(names)

    def of(self, row: Row[Any]) -> Author:
        """Return the author of a record, given by its row."""
        return self._author(row.author, row.signer)

    def by_key(self, key: str) -> Author:
        """Return an author as one who signs now is shown."""
        return self._author(self.name_of(key) or "?", key)

    def known(self, author: Author) -> Author:
        """Return the author of a record as the store knows it by now."""
        return self._author(author.signed, author.key)

    def _author(self, signed: str, signer: str | None) -> Author:
        key = signer or recorded_key(signed)
        if key not in self.every:
            return Author.unknown(signed, signer)
        names = self.every[key]
        last = names[-1]
        id = last.name if last.given is Given.NAMED else key
        if last.name == signed:
            return Author(signed, id, signed, None, signer)
        # The last time that another name took the place of the one on the record.
        before = max((nth for nth, each in enumerate(names) if each.name == signed), default=-1)
        return Author(last.name, id, signed, names[before + 1].at, signer)

    def keys(self, id: str) -> Sequence[str]:
        """Return the keys of the author with this id, the oldest first."""
        return [
            key
            for key, names in self.every.items()
            if id == (names[-1].name if names[-1].given is Given.NAMED else key)
        ]

    def name_of(self, key: str) -> str | None:
        """Return the name of a key that counts; None if it is not known."""
        return self.every[key][-1].name if key in self.every else None

    def called(self, name: str) -> Sequence[str]:
        """Return the keys of all authors that are shown by this name and are not a provider's."""
        return [
            key
            for key, names in self.every.items()
            if names[-1].name == name and names[-1].given is not Given.PROVIDER
        ]


def signed_rows(
    connection: Connection, table: Table, submission_id: str
) -> Iterator[tuple[Row[Any], Author]]:
    """Yield the records of a table that people wrote on a submission, the oldest first, each with
    its author.
    """
    names = Authors(connection)
    wanted = select(table).where(table.c.submission_id == submission_id).order_by(table.c.number)
    for row in connection.execute(wanted):
        yield row, names.of(row)


def written_by(connection: Connection, table: Table, id: str) -> ColumnElement[bool]:
    """Return the condition that a record is of the author with this id, who signs today."""
    return table.c.signer.in_(Authors(connection).keys(id))


def keep_names(connection: Connection, names: Iterable[AuthorName]) -> Sequence[AuthorName]:
    """Keep names that the store lacks; return those."""
    known = {each for some in Authors(connection).every.values() for each in some}
    new = [each for each in dict.fromkeys(names) if each not in known]
    if new:
        connection.execute(insert(authors), list(map(asdict, new)))
    return new


def recorded_key(name: str) -> str:
    """Return the key of the author of whom nothing is known but a name on old records."""
    return _digest(Given.RECORDED, name)


def author_key(record: Row[Any]) -> str:
    """Return the key of a record's author."""
    key: str = record.signer or recorded_key(record.author)
    return key


def _digest(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _name_of(row: Row[Any]) -> AuthorName:
    return AuthorName(row.key, Given(row.given), row.name, row.at, row.issuer, row.subject)
