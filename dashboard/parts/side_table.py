"""The reviewers side by side: a row for each defect, a column for each reviewer, and in each cell
that reviewer's own words with their fact check.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from zlib import crc32

from dashboard.panels import AskedReviewer, PanelState
from dashboard.parts.cards import NO_PLACE
from dashboard.parts.component import load
from dashboard.parts.figures import duration
from dashboard.parts.plain import one_line, visible
from dashboard.parts.verdict_columns import took
from dashboard.parts.words import DISMISSALS, author_words, verdict_words
from dashboard.reviewer_marks import reviewer_marks
from reviewers.batch.effective_reviews import EffectiveReviews
from reviewers.matching.defects import ComparedFinding, same_defect
from reviewers.matching.rows import Mention, MergedFinding
from reviewers.panel.consensus import Consensus
from reviewers.records import Check, Ruling
from reviewers.store.submission import FindingRuling
from reviewers.store.triage import RECORDED, RULES

_LONGEST = 2_000
_TITLE = 400
_MOST_GONE, _MOST_COMPARED = 30, 400
_SUREST = (Check.CONFIRMED, Check.UNVERIFIED, Check.REFUTED)

_mount = load("side_table")


def side_table(
    reviews: EffectiveReviews,
    found: Consensus,
    asked: Sequence[AskedReviewer],
    *,
    address: str,
    key: str,
    on_events: Callable[[], None],
) -> None:
    """Draw the table; rows are drawn where a person marks.

    Events: `rule` (key, word, reason), as of a card. A place that is asked for is told to the code
    pane as `areachair:look`.

    Args:
        asked: who is or was lately asked; what came is among the reviews.
        address: of the submission's own page.
    """
    waiting = [each for each in asked if each.state is not PanelState.ARRIVED]
    names = [*reviews.stored, *{each.reviewer for each in waiting}]
    order = sorted(dict.fromkeys(names), key=lambda name: (name != RECORDED, name))
    marks = reviewer_marks(order)
    told, rulings = {each.reviewer: each for each in waiting}, reviews.record.ruling_of
    missed = {name: {each.id for each in found} for name, found in reviews.missed.items()}
    back = _taken_back(reviews, found.rows)
    _mount(
        key=key,
        data={
            "agreement": one_line(_agreement(found)),
            "because": one_line(found.because, _TITLE),
            "reviewers": [marks[name] | _head(name, reviews, told.get(name)) for name in order],
            "rows": [
                _row(row, order, missed, rulings)
                | {"back": [order.index(name) for name in order if at in back.get(name, ())]}
                for at, row in enumerate(found.rows)
            ],
            "reasons": DISMISSALS,
            "submission": address,
        },
        on_events=on_events,
    )


def _taken_back(
    reviews: EffectiveReviews, rows: Sequence[MergedFinding]
) -> Mapping[str, frozenset[int]]:
    """Which rows each reviewer spoke of until it was shown the evidence, by their numbers."""
    back: dict[str, frozenset[int]] = {}
    for name in reviews.stored:
        changed = reviews.changes(name)
        gone = [ComparedFinding(each) for each in changed.withdrawn[:_MOST_GONE]] if changed else []
        back[name] = frozenset(
            at
            for at, row in enumerate(rows[:_MOST_COMPARED] if gone else ())
            if name not in row.mentions
            and any(
                same_defect(one, ComparedFinding(other)) for other in row.findings for one in gone
            )
        )
    return back


def _head(name: str, reviews: EffectiveReviews, asked: AskedReviewer | None) -> dict[str, Any]:
    live = asked is not None and asked.state.live
    head: dict[str, Any] = {
        "started": asked.started.isoformat() if asked and live else None,
        "failure": "" if asked is None or live else _ended(asked),
        # One that has not spoken can be neither of one mind with others nor of another.
        "spoke": False,
        "verdict": None,
        "words": "",
    }
    if name not in reviews.stored:
        return head | {"about": one_line(asked.model) if asked else "", "counts": None}
    review = reviews.reviews[name]
    checks = Counter(finding.check.result for finding in review.findings)
    about = review.model or ("static checks" if review.reviewer == RULES else "")
    return head | {
        "spoke": review.verdict is not None or bool(review.findings),
        "verdict": review.verdict and str(review.verdict),
        "words": verdict_words(review.verdict, partial=bool(review.partial)),
        "failure": head["failure"] or visible(review.failure or review.partial_words),
        "about": " · ".join(filter(None, [one_line(about), took(review)])),
        "counts": {str(check): checks[check] for check in Check} if review.verdict else None,
    }


def _ended(asked: AskedReviewer) -> str:
    if asked.state is PanelState.CANCELLED:
        return f"cancelled after {duration(asked.seconds)}"
    return visible(asked.problem)


def _row(
    row: MergedFinding,
    names: Sequence[str],
    missed: Mapping[str, set[str]],
    rulings: Mapping[str, FindingRuling],
) -> dict[str, Any]:
    told = {name: sorted(said, key=_order) for name, said in row.mentions.items()}
    ids = {finding.id for finding in row.findings}
    lead, first = min(
        ((name, said[0]) for name, said in told.items()),
        key=lambda each: (
            each[1].words != row.title,
            each[1].finding.rule is None,
            *_order(each[1]),
        ),
    )
    return {
        # The same after a ruling, which may give the row another title and another place in order.
        "id": " ".join(
            sorted(_part(name, mention) for name, said in told.items() for mention in said)
        ),
        "title": one_line(row.title, _TITLE),
        "severity": str(row.severity),
        "state": str(row.state),
        "odd": row.contradictory,
        "place": visible(str(row.span)) if row.span else "",
        "lead": names.index(lead),
        "finding": first.finding.id,
        "file": first.finding.span.file if first.finding.span else NO_PLACE,
        "cells": {
            names.index(name): [_said(name, mention, row.title, rulings) for mention in said]
            for name, said in told.items()
        },
        "missed": [at for at, name in enumerate(names) if ids & missed.get(name, set())],
    }


def _said(
    name: str, mention: Mention, title: str, rulings: Mapping[str, FindingRuling]
) -> dict[str, Any]:
    finding, ruling = mention.finding, rulings.get(mention.finding.id)
    return {
        "key": f"{name}/{finding.id}",
        "words": one_line(mention.words, _LONGEST),
        "same": mention.words == title,
        "evidence": one_line(mention.head.check.evidence, 300),
        "part_of": one_line(finding.message, _LONGEST) if mention.parts else "",
        "check": str(mention.check),
        "severity": str(finding.severity),
        "file": finding.span.file if finding.span else NO_PLACE,
        "ruling": ruling
        and {
            "word": "confirm" if ruling.ruling is Ruling.CONFIRM else "dismiss",
            "author": one_line(author_words(ruling.author), 160),
            "reason": one_line(ruling.reason, 500),
        },
    }


def _part(name: str, mention: Mention) -> str:
    """Which finding it is, and of one that stands in several rows, which part."""
    said = "\0".join(part.message for part in mention.parts)
    return f"{name}/{mention.finding.id}#{crc32(said.encode('utf-8', 'surrogatepass'))}"


def _order(mention: Mention) -> tuple[int, int]:
    return _SUREST.index(mention.check), mention.finding.severity.rank


def _agreement(found: Consensus) -> str:
    """Say which reviewers gave which verdict."""
    sides = [(found.ready, "ready"), (found.not_ready, "not ready")]
    said = [(len(names), words) for names, words in sides if names]
    failed = f", {len(found.failed)} failed" if found.failed else ""
    if not said:
        return "No reviewer gave a verdict."
    if len(said) == 1:
        count, words = said[0]
        return f"{_everyone(count)} {words}{failed}."
    return (
        f"The reviewers disagree: {', '.join(f'{count} {words}' for count, words in said)}{failed}."
    )


def _everyone(count: int) -> str:
    return {1: "The only verdict is", 2: "Both say"}.get(count, f"All {count} say")
