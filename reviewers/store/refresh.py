"""Writes anew what is derived of a submission: its standing, its tallies and the text to search in."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Row, Table, delete, insert, select

from reviewers.records import ResearchContext, Review, Ruling, Verdict
from reviewers.store.columns import sortable
from reviewers.store.rows import findings_of, review_of
from reviewers.store.search import searchable
from reviewers.store.standing import DECIDED, RECORDED, VERSION, Standing, standing
from reviewers.store.tables import (
    contexts,
    decisions,
    reviews,
    rulings,
    run_configs,
    search_texts,
    standings,
    submissions,
    tallies,
)
from reviewers.store.title import title

_LONGEST_SORT_NAME = 200


def refresh(connection: Connection, number: int, *, texts: bool = True) -> None:
    """Write anew what is derived of one submission, within the transaction that changed something about it.

    Args:
        texts: whether the text to search in may have changed too.
    """
    row = connection.execute(
        select(submissions, contexts.c.hypothesis, contexts.c.method)
        .join(contexts, contexts.c.submission == submissions.c.number)
        .where(submissions.c.number == number)
    ).one()
    current = [review for review, _ in current_reviews(connection, number)]
    result = standing(current, counted_rulings(connection, row.id))
    decision = _last_decision(connection, row.id)
    runs = tuple(connection.scalars(select(run_configs.c.run_id).where(run_configs.c.submission == number)))
    derived = {
        standings: [_standing_values(row, result, decision, runs)],
        tallies: [{**asdict(tally), "submission": number} for tally in result.tallies],
    }
    if texts:
        derived[search_texts] = [_search_values(row, current, runs)]
    for table, rows in derived.items():
        _replace(connection, table, number, rows)


def outdated(connection: Connection) -> list[int]:
    """Return the submissions whose standing an older areachair worked out."""
    return list(connection.scalars(select(standings.c.submission).where(standings.c.version < VERSION)))


def current_reviews(connection: Connection, number: int) -> list[tuple[Review, Row[Any]]]:
    """Return the current review of each reviewer with its row, recorded ones first, then by name."""
    wanted = select(reviews).where(reviews.c.submission == number, reviews.c.current)
    rows = sorted(connection.execute(wanted), key=lambda row: (row.reviewer != RECORDED, row.reviewer, row.number))
    found = findings_of(connection, [row.number for row in rows])
    return [(review_of(row, found.get(row.number, ())), row) for row in rows]


def counted_rulings(connection: Connection, submission_id: str) -> Mapping[str, Ruling]:
    """Return the ruling that counts by finding id, withdrawn ones left out."""
    wanted = select(rulings.c.finding_id, rulings.c.ruling).where(rulings.c.submission_id == submission_id)
    newest = {row.finding_id: Ruling(row.ruling) for row in connection.execute(wanted.order_by(rulings.c.number))}
    return {id: ruling for id, ruling in newest.items() if ruling is not Ruling.WITHDRAWN}


def _last_decision(connection: Connection, submission_id: str) -> Row[Any] | None:
    """The decision that counts; None where the last one took back the one before."""
    wanted = select(decisions).where(decisions.c.submission_id == submission_id).order_by(decisions.c.number.desc()).limit(1)
    last = connection.execute(wanted).one_or_none()
    return None if last is None or last.verdict is None else last


def _standing_values(row: Row[Any], result: Standing, decision: Row[Any] | None, runs: tuple[str, ...]) -> dict[str, Any]:
    context = ResearchContext(hypothesis=row.hypothesis, method=row.method)
    return {
        "submission": row.number,
        "version": VERSION,
        "rank": result.open_rank if decision is None else DECIDED,
        "open_rank": result.open_rank,
        "imported_at": row.imported_at,
        "sort_name": sortable(row.name[:_LONGEST_SORT_NAME]),
        "decided": decision is not None,
        "disagree": result.disagree,
        "contradicted": result.contradicted,
        "refuted": result.refuted,
        "missed": result.missed,
        "decision": None if decision is None else Verdict(decision.verdict),
        "decided_at": None if decision is None else decision.at,
        "decided_by": None if decision is None else decision.author,
        "title": title(context, runs),
        "attention": result.attention if decision is None else "",
        "chips": [asdict(chip) for chip in result.chips],
    }


def _search_values(row: Row[Any], current: list[Review], runs: tuple[str, ...]) -> dict[str, Any]:
    said = [text for review in current for finding in review.findings for text in (finding.message, finding.claim)]
    text, words = searchable([row.name, *runs, row.method, *row.hypothesis.values(), *said])
    return {"submission": row.number, "text": text, "words": words}


def _replace(connection: Connection, table: Table, number: int, rows: list[dict[str, Any]]) -> None:
    connection.execute(delete(table).where(table.c.submission == number))
    if rows:
        connection.execute(insert(table), rows)
