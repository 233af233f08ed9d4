"""Inserts a submission and its reviews; every function runs within its caller's transaction."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import Connection, Insert, Table, delete, insert, select, text, update
from sqlalchemy.dialects import postgresql, sqlite

from reviewers.errors import StoreError, UnknownSubmission
from reviewers.records import OFFLINE, Finding, RecordedAnswer, Review, SourceFile, Submission
from reviewers.rubric.choice import contract_of
from reviewers.store.finding_continuity import as_spoken_of
from reviewers.store.rows import (
    answer_values,
    as_read_values,
    context_bytes,
    contract_values,
    date_values,
    finding_values,
    review_values,
    sha256,
    shown_submission,
)
from reviewers.store.tables import (
    answers,
    contents,
    contexts,
    findings,
    readings,
    repair_plans,
    reviews,
    run_configs,
    submission_files,
    submissions,
)

HEX = re.compile("[0-9a-f]{1,64}")

# Names end up in indexes, which PostgreSQL bounds.
LONGEST_NAME = 200
_AT_ONCE = 500
_ADDING = 0x616464  # "add"

_Key = TypeVar("_Key", int, str)


def numbered(connection: Connection, submission_id: str) -> int:
    """Return a submission's number and lock the submission until the transaction ends, so that its
    derived data has one writer.

    Raises:
        UnknownSubmission: there is none with this id.
    """
    number = _number(connection, submission_id) if HEX.fullmatch(submission_id) else None
    if number is None:
        raise UnknownSubmission(f"the store has no submission {submission_id[:64]!r}")
    return number


def held(connection: Connection, ids: Iterable[str]) -> Mapping[str, int]:
    """Return the numbers of the stored submissions by id, and lock each until the transaction ends.

    They are locked in the order of their ids, so that two such transactions never deadlock.
    """
    numbers: dict[str, int] = {}
    for some in parts(sorted({id for id in ids if HEX.fullmatch(id)})):
        wanted = select(submissions.c.id, submissions.c.number).where(submissions.c.id.in_(some))
        rows = connection.execute(wanted.order_by(submissions.c.id).with_for_update(key_share=True))
        numbers |= {row.id: row.number for row in rows}
    return numbers


def parts(of: Sequence[_Key]) -> Iterator[Sequence[_Key]]:
    """Split values into chunks of the size that databases accept in one statement."""
    return (of[start : start + _AT_ONCE] for start in range(0, len(of), _AT_ONCE))


def keep_submission(
    connection: Connection, submission: Submission, at: datetime
) -> tuple[int, bool]:
    """Store a submission; return its number, and whether it, one of its recorded answers, its
    generator or its date is new.
    """
    base = None
    if submission.base is not None:
        base = keep_submission(connection, submission.base, at)[0]
    known = _number(connection, submission.id)
    if known is None:
        values = {
            "base": base,
            "passed_over": [astuple(each) for each in submission.passed_over] or None,
            "id": submission.id,
            "imported_at": at,
            "attempt": submission.attempt,
            "name": submission.name,
            "source": submission.source,
            "lineage": submission.lineage,
            "generator": submission.generator,
            **date_values(submission.generated),
            **contract_values(submission.contract),
            "contract": contract_of(submission).contract.name,
        }
        made = (
            _insert_unless_known(connection, submissions)
            .values(values)
            .returning(submissions.c.number)
        )
        number: int | None = connection.execute(made).scalar_one_or_none()
        if number is not None:
            _keep_parts(connection, submission, number)
            _keep_answers(connection, number, submission.recorded)
            return number, True
        # Another process was faster; after waiting for its transaction, its rows count.
        known = numbered(connection, submission.id)
    filled = _fill(connection, known, submission, base)
    return known, _keep_answers(connection, known, submission.recorded) > 0 or filled


def keep_review(connection: Connection, submission: int, review: Review, at: datetime) -> bool:
    """Make a review the current one of its reviewer; False if it already is, apart from seconds,
    cost and code version.

    If a model fails, the failure is stored and its earlier verdict stays current.
    """
    _check_names(review)
    values = review_values(review)
    known = connection.execute(
        select(reviews.c.number, reviews.c.current, reviews.c.version).where(
            reviews.c.submission == submission, reviews.c.digest == values["digest"]
        )
    ).one_or_none()
    if known is not None and review.version not in (None, known.version):
        own = update(reviews).where(reviews.c.number == known.number)
        connection.execute(own.values(version=review.version, dry_run=values["dry_run"]))
    if known is not None and known.current:
        return False
    same_slot = (reviews.c.submission == submission) & (reviews.c.slot == values["slot"])
    if review.request is not None and review.verdict is None:
        judged = select(reviews.c.number).where(
            same_slot, reviews.c.current, reviews.c.verdict.is_not(None)
        )
        if connection.execute(judged).first() is not None:
            if known is None:
                insert_review(connection, submission, values, at, (), current=False)
            return known is None
    kept = as_spoken_of(connection, submission, review, values["slot"])
    connection.execute(update(reviews).where(same_slot, reviews.c.current).values(current=False))
    if known is not None:
        # The reviewer returned to an earlier result, as rules do when a release reverts a mistake.
        connection.execute(
            update(reviews).where(reviews.c.number == known.number).values(current=True, at=at)
        )
        return True
    read = _as_read_before(connection, submission)
    rows = [
        {**finding_values(each), **_as_read(each, read.get(each.claim), review.version)}
        for each in kept
    ]
    insert_review(connection, submission, values, at, rows)
    _keep_its_readings(connection, submission, review, at)
    return True


def insert_review(
    connection: Connection,
    submission: int,
    values: Mapping[str, Any],
    at: datetime,
    rows: Iterable[Mapping[str, Any]],
    *,
    current: bool = True,
) -> None:
    """Insert a review, given by its columns, with its findings, given by theirs in order."""
    made = connection.execute(
        insert(reviews).values(submission=submission, current=current, at=at, **values)
    )
    (review,) = made.inserted_primary_key or (None,)
    numbered = [{"review": review, "position": place, **row} for place, row in enumerate(rows)]
    _insert_all(connection, findings, numbered)


def _as_read(finding: Finding, before: Mapping[str, Any] | None, version: str | None) -> Any:
    """The columns of a claim's current reading; a stored reading of another reader counts."""
    said = finding.understood
    known = before["as_read"]["understood"]["reader"] if before else OFFLINE
    if said is None or (known not in (OFFLINE, said.reader)):
        return before or _UNREAD
    return as_read_values(finding, version or "")


def _keep_its_readings(
    connection: Connection, submission: int, review: Review, at: datetime
) -> None:
    """Store the readings that come with claims: a model's own, or those of a file."""
    own = {
        each.claim: each.understood
        for each in review.findings
        if each.claim and each.understood and each.understood.reader != OFFLINE
    }
    if not own:
        return
    from reviewers.propositions.json_schema import vocabulary_version  # imports all facts

    id = connection.scalar(select(submissions.c.id).where(submissions.c.number == submission))
    rows = [
        {
            "submission_id": id,
            "claim": claim,
            "vocabulary": vocabulary_version(),
            "reader": said.reader,
            "proposition": json.loads(said.proposition or "null"),
            "why_not": said.why_not,
            "at": at,
        }
        for claim, said in own.items()
    ]
    _insert_all(connection, readings, rows)


_UNREAD = {"as_read": None, "read_result": None}


def _as_read_before(connection: Connection, submission: int) -> Mapping[str | None, dict[str, Any]]:
    """What the code was last found to say to a submission's claims as they are read, by a claim's
    words: the same until it is judged again.
    """
    names = (*_UNREAD, "kind")
    wanted = (
        select(findings.c.claim, *(findings.c[name] for name in names))
        .join(reviews, reviews.c.number == findings.c.review)
        .where(reviews.c.submission == submission, findings.c.as_read.is_not(None))
        .order_by(findings.c.review)
    )
    return {
        row.claim: {name: getattr(row, name) for name in names}
        for row in connection.execute(wanted)
    }


def _number(connection: Connection, submission_id: str) -> int | None:
    wanted = select(submissions.c.number).where(submissions.c.id == submission_id)
    # SQLite has one writer at a time anyway; there, FOR UPDATE is left out.
    return connection.execute(wanted.with_for_update(key_share=True)).scalar_one_or_none()


def _keep_parts(connection: Connection, submission: Submission, number: int) -> None:
    context = context_bytes(submission.context)
    files = (*submission.files, *(run.file for run in submission.runs))
    _keep_contents(
        connection,
        {sha256(data): data for data in (context, *(file.data for file in files))},
    )
    connection.execute(insert(contexts).values(submission=number, content=sha256(context)))
    _insert_all(
        connection,
        submission_files,
        [
            {"submission": number, "position": position, **_file(file)}
            for position, file in enumerate(submission.files)
        ],
    )
    runs = [
        {
            "run_id": run.run_id,
            "method": run.method,
            "model": run.model,
            "dataset": run.dataset,
            **_file(run.file),
        }
        for run in submission.runs
    ]
    _insert_all(
        connection,
        run_configs,
        [{"submission": number, "position": position, **run} for position, run in enumerate(runs)],
    )


def _keep_contents(connection: Connection, kept: dict[str, bytes]) -> None:
    known = set(connection.scalars(select(contents.c.sha256).where(contents.c.sha256.in_(kept))))
    # Sorted, so that two processes that store the same files never deadlock.
    new = [{"sha256": name, "data": kept[name]} for name in sorted(kept.keys() - known)]
    if new:
        connection.execute(_insert_unless_known(connection, contents), new)


def _file(file: SourceFile) -> dict[str, Any]:
    return {"content": sha256(file.data), "path": file.path, "repaired": file.repaired}


def _fill(connection: Connection, number: int, submission: Submission, base: int | None) -> bool:
    """Fill in missing columns of a submission; known values stay."""
    said = ({"generator": submission.generator}, date_values(submission.generated), {"base": base})
    return sum(fill_in(connection, number, values) for values in said) > 0


def unnamed(connection: Connection) -> list[int]:
    """Return the submissions that were stored before contracts had a column."""
    told = select(contexts.c.submission).join(submissions).where(submissions.c.contract.is_(None))
    return list(connection.scalars(told))


def name_contract(connection: Connection, number: int) -> None:
    """Store the name of a submission's contract; a plan of repairs by another one is dropped."""
    connection.execute(delete(repair_plans).where(repair_plans.c.submission == number))
    name = contract_of(shown_submission(connection, number)).contract.name
    told = update(submissions).where(submissions.c.number == number)
    connection.execute(told.values(contract=name))


def fill_in(connection: Connection, number: int, values: Mapping[str, Any]) -> bool:
    """Fill in empty columns of a submission; return whether any was empty."""
    if None in values.values():
        return False
    unknown = (submissions.c[name].is_(None) for name in values)
    told = update(submissions).where(submissions.c.number == number, *unknown)
    return connection.execute(told.values(values)).rowcount > 0


def _keep_answers(connection: Connection, number: int, recorded: Sequence[RecordedAnswer]) -> int:
    known = set(connection.scalars(select(answers.c.digest).where(answers.c.submission == number)))
    new = {
        values["digest"]: values
        for values in map(answer_values, recorded)
        if values["digest"] not in known
    }
    _insert_all(connection, answers, [{"submission": number, **values} for values in new.values()])
    return len(new)


def _check_names(review: Review) -> None:
    names: Iterable[str] = (review.reviewer, *(finding.category for finding in review.findings))
    if too_long := [name for name in names if not 0 < len(name) <= LONGEST_NAME]:
        raise StoreError(
            f"a reviewer's or category's name has {len(too_long[0])} characters; 1 to"
            f" {LONGEST_NAME} can be kept"
        )


def _insert_all(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.execute(insert(table), rows)


def _insert_unless_known(connection: Connection, table: Table) -> Insert:
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table).on_conflict_do_nothing()
    return sqlite.insert(table).on_conflict_do_nothing()


def hold_for_adding(connection: Connection, ids: Iterable[str]) -> None:
    """Let one transaction at a time add submissions, since each inserts many rows in its own order.

    SQLite does so by itself. What is kept of them already is held as `held` does.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _ADDING})
        held(connection, ids)


def hold_everything(connection: Connection) -> None:
    """Keep other writers out until the transaction ends; SQLite does so by itself."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("LOCK TABLE submissions IN EXCLUSIVE MODE"))
