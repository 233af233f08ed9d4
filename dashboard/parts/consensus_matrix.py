"""Each defect once, with what every reviewer reports about it; a click opens its place."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dashboard.parts.cards import NO_PLACE
from dashboard.parts.colours import reviewer_looks
from dashboard.parts.component import load
from dashboard.parts.plain import one_line, visible
from reviewers.matching.rows import Mention, MergedFinding
from reviewers.panel.consensus import Consensus
from reviewers.records import Check, Finding, Review

MAX_ROWS = 400
_mount = load("consensus_matrix")
_SUREST = (Check.CONFIRMED, Check.UNVERIFIED, Check.REFUTED)


def consensus_matrix(
    found: Consensus, reviews: Mapping[str, Review], *, key: str, on_events: Callable[[], None]
) -> None:
    """Draw rows of defects and columns of reviewers; a click on a row that the code view does not
    show queues `open`.

    Args:
        reviews: by name on screen, rulings counted in; those without a verdict get no column.
    """
    names = [name for name, review in reviews.items() if review.verdict is not None]
    rows = [_row(row, names) for row in found.rows[:MAX_ROWS]]
    looks = reviewer_looks(list(reviews))
    _mount(
        key=key,
        data={
            "reviewers": [looks[name] for name in names],
            "rows": rows,
            "left_out": len(found.rows) - len(rows),
        },
        on_events=on_events,
    )


def _row(row: MergedFinding, names: Sequence[str]) -> dict[str, Any]:
    cells = [_cell(row, name) for name in names]
    reviewer, finding = _shown(row)
    return {
        "key": f"{reviewer}/{finding.id}",
        "keys": [
            f"{name}/{each.finding.id}" for name, told in row.mentions.items() for each in told
        ],
        "file": finding.span.file if finding.span else NO_PLACE,
        "place": visible(str(row.span)) if row.span else "",
        "title": one_line(row.title, 300),
        "severity": str(row.severity),
        "state": str(row.state),
        "cells": cells,
        "differs": len({cell["check"] for cell in cells}) > 1,
        "contradictory": row.contradictory,
    }


def _cell(row: MergedFinding, name: str) -> dict[str, str]:
    """What a reviewer says of a defect, the surest first, the worst of those."""
    told = sorted(row.mentions.get(name, ()), key=_order)
    if not told:
        return {"check": "", "severity": "", "said": "does not report it"}
    return {
        "check": str(told[0].check),
        "severity": str(told[0].finding.severity),
        "said": one_line(" · ".join(map(_said, told)), 300),
    }


def _said(mention: Mention) -> str:
    part_of = f" (part of: {mention.finding.message})" if mention.parts else ""
    return mention.words + part_of


def _shown(row: MergedFinding) -> tuple[str, Finding]:
    """The finding to go to: the one that gave the title, else the surest."""
    everyone = [(name, each) for name, told in row.mentions.items() for each in told]
    name, best = min(everyone, key=lambda said: (said[1].words != row.title, *_order(said[1])))
    return name, best.finding


def _order(mention: Mention) -> tuple[int, int]:
    return _SUREST.index(mention.check), mention.finding.severity.rank
