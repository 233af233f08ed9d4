"""What a category is made of: the rules and the predicates of claims behind its findings, and what
runs would meet first.

Other than the rest of the trends, it reads the findings themselves, since tallies know no causes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Connection, or_, select

from reviewers.records import Check, DryRun, Ruling, Severity, Span
from reviewers.store.human_input import PEOPLE
from reviewers.store.insert import parts
from reviewers.store.record_json import from_json
from reviewers.store.store import Store
from reviewers.store.tables import (
    COUNTED,
    RESULT,
    contents,
    findings,
    own_findings,
    remarks,
    reviews,
    rulings,
    run_configs,
    submission_files,
    submissions,
)
from reviewers.store.trends_query import Looked, TrendsQuery
from reviewers.store.triage import RULES

UNREAD = "unread"
"""The cause of claims that nobody could read as a predicate; that of people's findings is
`people`.
"""
MOST_RUNS = 1_000
"""The number of dry runs considered, newest first."""
_LONGEST_LINE = 400


@dataclass(frozen=True, slots=True)
class Caused:
    """A finding that counts under a query.

    Attributes:
        row: of its submission, in the facts.
        cause: a rule's id, a predicate's name, `UNREAD` or `people`.
        span: None if it names no place.
    """

    row: int
    submission: str
    name: str
    finding: str
    cause: str
    rule: str | None
    severity: Severity
    span: Span | None


@dataclass(frozen=True, slots=True)
class Example:
    """One finding with the line of code that it is about; the line is empty if it has none."""

    found: Caused
    line: str


@dataclass(frozen=True, slots=True)
class CauseCount:
    """One cause within a query.

    Attributes:
        rule: whether it is a rule; else it is what claims say.
        example: of the newest submission in which it names a line.
    """

    cause: str
    rule: bool
    submissions: int
    of: int
    findings: int
    example: Example


@dataclass(frozen=True, slots=True)
class FirstFailures:
    """What the runs of submissions would meet first, as the dry run has it.

    Attributes:
        rules: in how many submissions a rule reports it, most first; by its id.
        known: submissions of which a first failure is known.
        followed: submissions whose runs were followed, the newest `MOST_RUNS` at most.
    """

    rules: Sequence[tuple[str, int]]
    known: int
    followed: int


def causes(store: Store, looked: Looked) -> Sequence[CauseCount]:
    """Return the causes of what a query counts, those in most submissions first."""
    by_cause: dict[str, list[Caused]] = defaultdict(list)
    with store.reading() as connection:
        for found in caused(connection, looked):
            by_cause[found.cause].append(found)
        examples = {cause: _example(held) for cause, held in by_cause.items()}
        lines = _lines(connection, looked, examples.values())
    counts = [
        CauseCount(
            cause,
            held[0].rule == cause,
            len({found.row for found in held}),
            looked.size,
            len(held),
            Example(examples[cause], lines.get(examples[cause], "")),
        )
        for cause, held in by_cause.items()
    ]
    return sorted(counts, key=lambda each: (-each.submissions, -each.findings, each.cause))


def first_failures(store: Store, looked: Looked) -> FirstFailures:
    """Return which rules report what runs would meet first."""
    rows = np.flatnonzero(looked.of)[-MOST_RUNS:]
    numbers = looked.facts.submissions["number"][rows].tolist()
    runs, known, by_rule = 0, 0, Counter[str]()
    with store.reading() as connection:
        for some in parts(numbers):
            wanted = select(reviews.c.number, reviews.c.dry_run).where(
                reviews.c.submission.in_(some), reviews.c.current, reviews.c.reviewer == RULES
            )
            first: dict[tuple[int, str], int] = {}
            for row in connection.execute(wanted):
                told = None if row.dry_run is None else from_json(DryRun, row.dry_run).first
                runs += row.dry_run is not None
                known += told is not None
                if told is not None and told.finding is not None:
                    first[row.number, told.finding] = row.number
            ids = select(findings.c.review, findings.c.id, findings.c.rule).where(
                findings.c.review.in_(list(first.values())), findings.c.rule.is_not(None)
            )
            # A finding that a review has twice is one failure.
            ruled = {(row.review, row.id): row.rule for row in connection.execute(ids)}
            by_rule.update(rule for key, rule in ruled.items() if key in first)
    ranked = sorted(by_rule.items(), key=lambda each: (-each[1], each[0]))
    return FirstFailures(ranked, known, runs)


def meant(
    store: Store, query: TrendsQuery, ids: Collection[str], cause: str = ""
) -> Mapping[str, str]:
    """Return by submission the finding that a query means: the gravest that counts, in the order
    of its review.

    Args:
        query: which findings count; what it says of submissions is not asked again.
        cause: only findings of this one.
    """
    found: dict[str, Any] = {}
    with store.reading() as connection:
        # Few: they are looked up, and no index of all current reviews is walked.
        held = select(submissions.c.number).where(submissions.c.id.in_(ids))
        numbers = connection.scalars(held).all()
        for each in _counting(connection, query, cause, ids, numbers):
            kept = found.get(each.submission)
            if kept is None or Severity(each.severity).rank < Severity(kept.severity).rank:
                found[each.submission] = each
    return {id: each.id for id, each in found.items()}


def caused(connection: Connection, looked: Looked, cause: str = "") -> Iterator[Caused]:
    """Yield the findings that count under a query, with what people said of them counted in.

    Args:
        cause: only findings of this one.
    """
    of, numbers = looked.of, looked.facts.submissions["number"]
    for row in _counting(connection, looked.query, cause):
        place = int(np.searchsorted(numbers, row.number))
        if place == len(numbers) or numbers[place] != row.number or not of[place]:
            continue
        span = None if row.file is None else Span(row.file, row.line, row.end_line)
        severity = Severity(row.severity)
        yield Caused(place, row.submission, row.name, row.id, _cause(row), row.rule, severity, span)


def _counting(
    connection: Connection,
    query: TrendsQuery,
    cause: str,
    ids: Collection[str] | None = None,
    among: Sequence[int] | None = None,
) -> Iterator[Any]:
    """Yield the rows of the findings that count, newest submissions first.

    Args:
        ids, among: ids and numbers of the submissions that are looked at; None for all.
    """
    ruled, filed = _ruled(connection, ids), _filed(connection, ids)
    for row in _rows(connection, query, cause, among):
        if not row.current:
            continue
        key = row.submission, row.id
        category = filed.get(key) or (row.as_read or {}).get("category") or row.category
        refuted = ruled.get(key, Check(row.result)) is Check.REFUTED
        if (
            refuted is query.refuted
            and query.reviewer in (None, row.reviewer)
            and query.criterion in (None, row.criterion)
            and query.category in (None, category)
            and (not cause or _cause(row) == cause)
        ):
            yield row


def _cause(row: Any) -> str:
    return PEOPLE if row.reviewer == PEOPLE else row.rule or row.kind or UNREAD


@dataclass(frozen=True, slots=True)
class _Own:
    """A person's finding, with the columns of a reviewer's."""

    number: int
    submission: str
    name: str
    id: str
    category: str
    criterion: int | None
    severity: str
    file: str
    line: int | None
    end_line: int | None
    reviewer: str = PEOPLE
    current: bool = True
    result: str = Check.CONFIRMED
    as_read: None = None
    rule: None = None
    kind: None = None


_TOLD = ("id", "category", "criterion", "severity", "file", "line", "end_line")


def _rows(
    connection: Connection, query: TrendsQuery, cause: str, among: Sequence[int] | None
) -> Iterator[Any]:
    about = [COUNTED] if among is None else [COUNTED, submissions.c.number.in_(among)]
    named = (submissions.c.number, submissions.c.id.label("submission"), submissions.c.name)
    if query.reviewer != PEOPLE and cause != PEOPLE:
        wanted = (
            select(
                *named,
                *(findings.c[name] for name in (*_TOLD, "as_read")),
                reviews.c.reviewer,
                reviews.c.current,
                findings.c.rule,
                findings.c.kind,
                RESULT.label("result"),
            )
            .join(reviews, reviews.c.submission == submissions.c.number)
            .join(findings, findings.c.review == reviews.c.number)
            .where(*about, reviews.c.verdict.is_not(None))
            .order_by(submissions.c.number.desc(), reviews.c.number, findings.c.position)
        )
        # SQLite would walk all current reviews, however few submissions are looked at.
        wanted = wanted.where(
            reviews.c.current if among is None else reviews.c.submission.in_(among)
        )
        if query.reviewer is not None:
            wanted = wanted.where(reviews.c.reviewer == query.reviewer)
        if cause and cause != UNREAD:
            wanted = wanted.where(or_(findings.c.rule == cause, findings.c.kind == cause))
        yield from connection.execute(wanted)
    if query.reviewer in (None, PEOPLE) and cause in ("", PEOPLE):
        mine = (
            select(*named, *(own_findings.c[name] for name in _TOLD))
            .join(own_findings, own_findings.c.submission_id == submissions.c.id)
            .where(*about)
            .order_by(submissions.c.number.desc(), own_findings.c.number)
        )
        yield from (_Own(*row) for row in connection.execute(mine))


def _ruled(connection: Connection, ids: Collection[str] | None) -> Mapping[tuple[str, str], Check]:
    """The rulings that count, as what they make of a fact check."""
    said = select(rulings.c.submission_id, rulings.c.finding_id, rulings.c.ruling)
    said = said if ids is None else said.where(rulings.c.submission_id.in_(ids))
    newest = {
        (row.submission_id, row.finding_id): Ruling(row.ruling)
        for row in connection.execute(said.order_by(rulings.c.number))
    }
    means = {Ruling.CONFIRM: Check.CONFIRMED, Ruling.DISMISS: Check.REFUTED}
    return {key: means[each] for key, each in newest.items() if each in means}


def _filed(connection: Connection, ids: Collection[str] | None) -> Mapping[tuple[str, str], str]:
    said = select(remarks.c.submission_id, remarks.c.finding_id, remarks.c.category)
    said = said if ids is None else said.where(remarks.c.submission_id.in_(ids))
    said = said.where(remarks.c.category.is_not(None)).order_by(remarks.c.number)
    return {(row.submission_id, row.finding_id): row.category for row in connection.execute(said)}


def _example(held: Sequence[Caused]) -> Caused:
    """The newest that names a line; they come newest first."""
    return next((found for found in held if found.span and found.span.line), held[0])


def _lines(
    connection: Connection, looked: Looked, examples: Collection[Caused]
) -> Mapping[Caused, str]:
    """The line of code of each example that names one."""
    numbers = looked.facts.submissions["number"]
    lines: dict[Caused, str] = {}
    for found in examples:
        if found.span is None or found.span.line is None:
            continue
        for files in (submission_files, run_configs):
            wanted = (
                select(contents.c.data, files.c.repaired)
                .join(contents, contents.c.sha256 == files.c.content)
                .where(
                    files.c.submission == int(numbers[found.row]), files.c.path == found.span.file
                )
            )
            row = connection.execute(wanted).first()
            if row is not None:
                text = row.data.decode("utf-8", "replace") if row.repaired is None else row.repaired
                read = text.splitlines()[found.span.line - 1 : found.span.line]
                lines[found] = read[0].strip()[:_LONGEST_LINE] if read else ""
    return lines
