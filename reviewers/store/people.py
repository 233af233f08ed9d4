"""Inserts what people write: signed, bounded, and about a record that exists. Functions that take a
connection run within its transaction.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, insert, select

from reviewers.errors import StoreError
from reviewers.records import Finding, Ruling, Severity, SourceFile, Span, lines_of
from reviewers.rubric import rubric
from reviewers.store.authors import Signer, sign, signer_of
from reviewers.store.human_input import (
    counted_rulings,
    finding_columns,
    own_finding,
    own_in,
    remarks_in,
)
from reviewers.store.tables import (
    contents,
    findings,
    own_findings,
    remarks,
    reviews,
    run_configs,
    submission_files,
)

LONGEST_MESSAGE = 2_000
LONGEST_COMMENT = 2_000
LONGEST_PATH = 500
"""All in characters."""


def signed(
    reason: str, author: str | Signer, *, needs_reason: bool, deed: str
) -> tuple[str, Signer]:
    """Return a reason without spaces around it, and who signs.

    Raises:
        StoreError: the author's name cannot be kept, or a reason that is needed says nothing.
    """
    if isinstance(author, str) and not _says_something(author):
        raise StoreError(f"{deed} needs an author: set AREACHAIR_AUTHOR or sign in")
    if needs_reason and not _says_something(reason):
        raise StoreError(f"{deed} needs a reason: say why in a few words")
    return reason.strip(), signer_of(author)


def written_finding(
    span: Span,
    severity: Severity,
    category: str,
    criterion: int | None,
    message: str,
    author: str | Signer,
) -> tuple[Finding, Signer]:
    """Return a person's finding, without an id, and who signs it, after looking at what needs no
    database.

    Raises:
        StoreError: the author or message says nothing or too much, or the rubric has no such
            category or criterion.
    """
    message, signer = _bounded(message, author, "a finding")
    if not message:
        raise StoreError("a finding needs a message: say what is wrong in a few words")
    known = rubric()
    if category not in known.categories:
        raise StoreError(
            f"there is no category {category[:100]!r}; choose one of: {', '.join(known.categories)}"
        )
    if criterion is not None and criterion not in known.criteria:
        raise StoreError(
            f"there is no criterion {criterion}; choose one of:"
            f" {', '.join(map(str, known.criteria))}"
        )
    found = own_finding("", span, Severity(severity), category, criterion, message, signer.name)
    return found, signer


def keep_finding(
    connection: Connection,
    number: int,
    submission_id: str,
    found: Finding,
    signer: Signer,
    at: datetime,
) -> str:
    """Keep a person's finding and return its id; the same by the same person is kept once, until
    somebody dismisses it.

    Raises:
        StoreError: its place is not in the submission.
    """
    span = _placed(connection, number, found.span)
    said = [
        found.severity,
        found.category,
        found.criterion,
        found.message,
        signer.id,
        span.file,
        span.line,
        span.end_line,
    ]
    ruled = counted_rulings(connection, submission_id)
    known = {own.finding.id for own in own_in(connection, submission_id)}
    nth = 1
    while (id := _id(submission_id, nth, said)) in known:
        if ruled.get(id) is not Ruling.DISMISS:
            return id
        nth += 1
    values = finding_columns(replace(found, id=id, span=span))
    by = sign(connection, signer, at)
    connection.execute(
        insert(own_findings).values(submission_id=submission_id, **values, **by, at=at)
    )
    return id


def keep_remark(
    connection: Connection,
    number: int,
    submission_id: str,
    finding_id: str,
    severity: Severity | None,
    comment: str,
    author: str | Signer,
    at: datetime,
) -> bool:
    """Keep a person's remark on a finding; False if it is the last word of that person on it
    already.

    Raises:
        StoreError: nobody has the finding, author or comment is too long or empty, or it says
            nothing.
    """
    comment, signer = _bounded(comment, author, "a remark")
    if severity is None and not comment:
        raise StoreError("a remark needs a severity or a comment")
    if not has_finding(connection, number, submission_id, finding_id):
        raise StoreError("no review of this submission has this finding; load the submission again")
    last = [
        each for each in remarks_in(connection, submission_id) if each.finding_id == finding_id
    ][-1:]
    if any(
        (each.severity, each.comment, each.author.id) == (severity, comment, signer.id)
        for each in last
    ):
        return False
    connection.execute(
        insert(remarks).values(
            submission_id=submission_id,
            **sign(connection, signer, at),
            at=at,
            finding_id=finding_id,
            severity=severity,
            comment=comment,
        )
    )
    return True


def has_finding(connection: Connection, number: int, submission_id: str, finding_id: str) -> bool:
    """Whether a review of the submission, or a person, has the finding."""
    by_reviewers = select(findings.c.review).join(reviews, reviews.c.number == findings.c.review)
    by_reviewers = by_reviewers.where(reviews.c.submission == number, findings.c.id == finding_id)
    by_people = select(own_findings.c.number).where(
        own_findings.c.submission_id == submission_id, own_findings.c.id == finding_id
    )
    return any(
        connection.execute(wanted.limit(1)).first() is not None
        for wanted in (by_reviewers, by_people)
    )


def _bounded(words: str, author: str | Signer, deed: str) -> tuple[str, Signer]:
    """The words, empty if nothing of them can be seen, and who signs them."""
    words, signer = signed(words, author, needs_reason=False, deed=deed)
    if len(words) > LONGEST_MESSAGE:
        raise StoreError(
            f"{deed} has {len(words):,} characters; at most {LONGEST_MESSAGE:,} can be kept"
        )
    return words if _says_something(words) else "", signer


def _placed(connection: Connection, number: int, span: Span | None) -> Span:
    """The span, where the submission has its lines; a file that it lacks can be named as a
    whole.
    """
    if span is None or not 0 < len(span.file) <= LONGEST_PATH:
        raise StoreError(f"a finding needs a file, in 1 to {LONGEST_PATH} characters")
    if span.line is None:
        return Span(span.file)
    end = span.end_line or span.line
    lines = _line_count(connection, number, span.file)
    if lines is None:
        raise StoreError(f"the submission has no file {span.file!r}, so it has no such line")
    if not 1 <= span.line <= end <= lines:
        raise StoreError(
            f"{span.file!r} has {lines} lines; lines {span.line} to {end} do not exist"
        )
    return Span(span.file, span.line, end)


def _line_count(connection: Connection, number: int, path: str) -> int | None:
    for table in (submission_files, run_configs):
        wanted = select(contents.c.data, table.c.repaired).join(
            table, table.c.content == contents.c.sha256
        )
        row = connection.execute(
            wanted.where(table.c.submission == number, table.c.path == path).limit(1)
        ).one_or_none()
        if row is not None:
            return len(lines_of(SourceFile(path, row.data, row.repaired).reading))
    return None


def _id(submission_id: str, nth: int, said: list[str | int | None]) -> str:
    """Sixteen hexadecimal digits, as every finding's id has."""
    return hashlib.sha256(json.dumps([submission_id, nth, *said]).encode()).hexdigest()[:16]


def _says_something(words: str) -> bool:
    """Whether anything of it can be seen; spaces of no width count as nothing, as spaces do."""
    return any(character.isprintable() and not character.isspace() for character in words)
