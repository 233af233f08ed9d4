"""The files of every submission as hashes, without their contents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import select

from reviewers.store.store import Store
from reviewers.store.tables import run_configs, submission_files, submissions


@dataclass(frozen=True, slots=True)
class KeptFiles:
    """The files of one submission, run configs included.

    Attributes:
        source: its bundle's path, as it was given.
        hashes: SHA-256 in hexadecimal by path.
    """

    id: str
    source: str
    hashes: Mapping[str, str]


def kept_files(store: Store) -> tuple[KeptFiles, ...]:
    """Return the files of every submission, in the order of import."""
    with store.reading() as connection:
        wanted = select(submissions.c.number, submissions.c.id, submissions.c.source).order_by(
            submissions.c.number
        )
        found = {
            row.number: KeptFiles(row.id, row.source, {}) for row in connection.execute(wanted)
        }
        hashes: dict[int, dict[str, str]] = {number: {} for number in found}
        for files in (submission_files, run_configs):
            for row in connection.execute(
                select(files.c.submission, files.c.path, files.c.content)
            ):
                hashes[row.submission][row.path] = row.content
    return tuple(KeptFiles(each.id, each.source, hashes[number]) for number, each in found.items())
