"""The inbox's table: one row a submission, a link to it, one cell a reviewer."""

from collections.abc import Sequence
from typing import Any

from dashboard.addresses import submission_address
from dashboard.parts.component import load
from dashboard.parts.plain import one_line
from dashboard.parts.words import verdict_words
from reviewers.store.inbox import InboxQuery, InboxRow, ReviewChip

_mount = load("inbox_table")


def inbox_table(rows: Sequence[InboxRow], reviewers: Sequence[str], query: InboxQuery, *, key: str) -> None:
    """Draw the rows in the order given.

    Args:
        reviewers: one column each, in this order.
        query: goes along with each link.
    """
    _mount(
        key=key, data={"reviewers": [one_line(name) for name in reviewers], "rows": [_row(row, reviewers, query) for row in rows]}
    )


def _row(row: InboxRow, reviewers: Sequence[str], query: InboxQuery) -> dict[str, Any]:
    return {
        "href": submission_address(row.id, query),
        "name": one_line(row.name),
        "attempt": row.attempt,
        "title": one_line(row.title, 240),
        "imported": row.imported_at.isoformat(),
        "cells": [[_review(chip) for chip in row.chips if chip.reviewer == name] for name in reviewers],
        "missed": row.missed,
        "attention": one_line(row.attention),
        "decision": row.decision and str(row.decision),
        "decided": verdict_words(row.decision) if row.decision else "",
        "decided_by": one_line(row.decided_by or ""),
        "decided_at": row.decided_at and row.decided_at.isoformat(),
    }


def _review(chip: ReviewChip) -> dict[str, Any]:
    return {
        "verdict": chip.verdict and str(chip.verdict),
        "words": verdict_words(chip.verdict),
        "model": one_line(chip.model or ""),
        "failure": one_line(chip.failure or ""),
        "counts": {"confirmed": chip.confirmed, "refuted": chip.refuted, "unverified": chip.unverified},
        "blockers": chip.blockers,
    }
