"""Updates what is derived from a submission: its triage row, its tallies and its search text."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Row, Table, delete, insert, select

from reviewers.matching.defects import Comparisons
from reviewers.records import OWN_GENERATOR, ResearchContext, Review, Verdict
from reviewers.store.authors import author_key
from reviewers.store.changes import mark_changed
from reviewers.store.columns import sortable
from reviewers.store.groupings import grouping_values
from reviewers.store.human_input import HumanInput, said_in
from reviewers.store.outcome_predictions import fate_rows, outcomes_in
from reviewers.store.readers import readers_of
from reviewers.store.rollups import count_anew
from reviewers.store.rows import findings_of, review_of, with_context
from reviewers.store.search import searchable
from reviewers.store.submission_title import title
from reviewers.store.tables import (
    COUNTED,
    assignments,
    chips,
    contents,
    decisions,
    fates,
    findings,
    groupings,
    reader_tallies,
    reviews,
    run_configs,
    search_texts,
    standings,
    submission_files,
    submissions,
    tallies,
)
from reviewers.store.triage import (
    DECIDED,
    RECORDED,
    RULES,
    VERSION,
    ReviewChip,
    TriageSummary,
    names_on_screen,
    standing,
)

_LONGEST_SORT_NAME = 200


def refresh(connection: Connection, number: int, *, texts: bool = True) -> None:
    """Update what is derived from one submission, within the transaction that changed something
    about it.

    Args:
        texts: whether the text to search in may have changed too.
    """
    row = connection.execute(with_context(submissions).where(submissions.c.number == number)).one()
    current = [review for review, _ in current_reviews(connection, number)]
    said = said_in(connection, row.id)
    counted = list(map(said.ruled, current))
    known = Comparisons()
    result = standing(counted, said, known)
    named = zip(names_on_screen([each.reviewer for each in counted]), counted, strict=True)
    told = grouping_values(dict(named), said, known)
    decision = _last_decision(connection, row.id)
    assignment = last_assignment(connection, row.id)
    runs = tuple(
        connection.scalars(select(run_configs.c.run_id).where(run_configs.c.submission == number))
    )
    derived: dict[Table, list[dict[str, Any]]] = {
        standings: [
            {**_standing_values(row, result, decision, runs), **assigned_values(assignment)}
        ],
        chips: [
            {**_chip_values(chip), "submission": number, "position": place}
            for place, chip in enumerate(result.chips)
        ],
        tallies: [{**asdict(tally), "submission": number} for tally in result.tallies],
        reader_tallies: _reader_rows(connection, number, row.id, current, said),
        fates: [
            {**fate, "submission": number}
            for fate in fate_rows(outcomes_in(connection, row.id), counted)
        ],
        groupings: [{"submission": number, "version": VERSION, "told": told}] if told else [],
    }
    if row.attempt == 0 or row.aside or row.generator == OWN_GENERATOR:  # as `COUNTED` says
        derived = {table: [] for table in (*derived, search_texts)}
    elif texts:
        derived[search_texts] = [_search_values(connection, row, current, said, runs)]
    for table, rows in derived.items():
        _replace(connection, table, number, rows)
    count_anew(connection, [number])
    mark_changed(connection, submissions.c.number == number)


def count_readers(connection: Connection) -> None:
    """Count the results of claims by reader, where a store from before that was counted
    holds readings.
    """
    counted = select(reader_tallies.c.submission)
    read = (
        select(submissions.c.number, submissions.c.id)
        .join(reviews, reviews.c.submission == submissions.c.number)
        .join(findings, findings.c.review == reviews.c.number)
        .where(reviews.c.current, findings.c.as_read.is_not(None), COUNTED)
        .where(submissions.c.number.not_in(counted))
    )
    found = connection.execute(read.distinct().order_by(submissions.c.number)).all()
    for number, id in found:
        current = [review for review, _ in current_reviews(connection, number)]
        told = _reader_rows(connection, number, id, current, said_in(connection, id))
        _replace(connection, reader_tallies, number, told)
    count_anew(connection, [number for number, _ in found])


def outdated(connection: Connection) -> list[int]:
    """Return the submissions whose standing other code computed."""
    return list(
        connection.scalars(select(standings.c.submission).where(standings.c.version != VERSION))
    )


def current_reviews(connection: Connection, number: int) -> list[tuple[Review, Row[Any]]]:
    """Return the current review of each reviewer with its row, recorded ones first, then by
    name.
    """
    wanted = select(reviews).where(reviews.c.submission == number, reviews.c.current)
    rows = sorted(
        connection.execute(wanted),
        key=lambda row: (row.reviewer != RECORDED, row.reviewer, row.number),
    )
    found = findings_of(connection, [row.number for row in rows])
    return [(review_of(row, found.get(row.number, ())), row) for row in rows]


def _last_decision(connection: Connection, submission_id: str) -> Row[Any] | None:
    """The decision that counts; None if the last one took back the one before."""
    wanted = (
        select(decisions)
        .where(decisions.c.submission_id == submission_id)
        .order_by(decisions.c.number.desc())
        .limit(1)
    )
    last = connection.execute(wanted).one_or_none()
    return None if last is None or last.verdict is None else last


def last_assignment(connection: Connection, submission_id: str) -> Row[Any] | None:
    """Return the row of the assignment that counts; None if there is none."""
    its = select(assignments).where(assignments.c.submission_id == submission_id)
    last = connection.execute(its.order_by(assignments.c.number.desc()).limit(1)).one_or_none()
    return None if last is None or last.assigned is None else last


def assigned_values(assignment: Row[Any] | None) -> dict[str, Any]:
    """Return the columns of a standing that follow from its assignment."""
    return {
        "assigned": assignment and assignment.assigned,
        "assigned_by": assignment and author_key(assignment),
        "assigned_at": assignment and assignment.at,
    }


def _standing_values(
    row: Row[Any], result: TriageSummary, decision: Row[Any] | None, runs: tuple[str, ...]
) -> dict[str, Any]:
    context = ResearchContext(**row.context)
    return {
        "submission": row.number,
        "version": VERSION,
        "rank": result.open_rank if decision is None else DECIDED,
        "open_rank": result.open_rank,
        "imported_at": row.imported_at,
        "dated_at": row.generated_at or row.imported_at,
        "sort_name": sortable(row.name[:_LONGEST_SORT_NAME]),
        "decided": decision is not None,
        "disagree": result.disagree,
        "contradicted": result.contradicted,
        "refuted": result.refuted,
        "missed": result.missed,
        "blockers": max((chip.blockers for chip in result.chips), default=0),
        "claims_refuted": sum(chip.refuted for chip in result.chips if chip.reviewer != RULES),
        "known_missed": -1 if result.missed is None else result.missed,
        "decision": None if decision is None else Verdict(decision.verdict),
        "decided_at": None if decision is None else decision.at,
        "decided_by": None if decision is None else author_key(decision),
        "title": title(context, runs),
        "attention": result.attention,
        "chips": [asdict(chip) for chip in result.chips],
    }


def _reader_rows(
    connection: Connection, number: int, id: str, current: Sequence[Review], said: HumanInput
) -> list[dict[str, Any]]:
    found = readers_of(connection, id, current, said)
    return [{**asdict(tally), "submission": number} for tally in found]


def _chip_values(chip: ReviewChip) -> dict[str, Any]:
    return {name: value for name, value in asdict(chip).items() if name in chips.c}


def _search_values(
    connection: Connection,
    row: Row[Any],
    current: list[Review],
    said: HumanInput,
    runs: tuple[str, ...],
) -> dict[str, Any]:
    found = [
        text
        for review in current
        for finding in review.findings
        for text in (finding.message, finding.claim)
    ]
    found += [own.finding.message for own in said.own]
    code = _code(connection, row.number)
    told = row.context["method"], *row.context["hypothesis"].values()
    text, words = searchable([row.name, *runs, *told, *found], code)
    return {"submission": row.number, "text": text, "words": words}


def _code(connection: Connection, number: int) -> Sequence[bytes]:
    """All files of a submission, run configs last."""
    found: list[bytes] = []
    for files in (submission_files, run_configs):
        joined = select(contents.c.data).join(files, files.c.content == contents.c.sha256)
        found += connection.scalars(
            joined.where(files.c.submission == number).order_by(files.c.position)
        )
    return found


def _replace(connection: Connection, table: Table, number: int, rows: list[dict[str, Any]]) -> None:
    connection.execute(delete(table).where(table.c.submission == number))
    if rows:
        connection.execute(insert(table), rows)
