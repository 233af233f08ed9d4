"""The table of reviewers with their reliability and its intervals; selecting a row shows its
details.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dashboard.parts.component import load
from dashboard.parts.figures import UNKNOWN, duration, money, number
from dashboard.parts.plain import one_line
from dashboard.reviewer_marks import reviewer_marks
from dashboard.trust import Trust
from reviewers.agreement import FEW, Confusion, Interval
from reviewers.records import Reliability, counted, reliability_name
from reviewers.store.agreement import GroundTruth, Ruled, TrackRecord
from reviewers.store.spending import Spending

_mount = load("agreement_table")

_CASES = {GroundTruth.DECISIONS: "decision", GroundTruth.OUTCOMES: "run"}
_REVIEWER = ("Reviewer", "Reviews with a verdict")
_VERDICTS = (
    ("Agrees", "Share of its verdicts that match the reference, with 95 % interval"),
    (
        "Cohen's κ",
        "Cohen's kappa: agreement beyond chance; 1 is perfect, 0 is chance; asymptotic 95 %"
        " interval",
    ),
    ("Precision", "Of its “not ready” verdicts, the share that is correct"),
    ("Recall", "Of the submissions that are not ready, the share it reports"),
    ("F1", "Harmonic mean of precision and recall for “not ready”"),
)
_FINDINGS = (("Upheld", "Of its findings that people ruled on, the share that they confirmed"),)
_ALWAYS = (
    ("Refuted", "Share of all its findings that the code or a person refutes"),
    ("Missed", "Confirmed blockers that it misses, mean per review"),
    ("Cost", "US dollars per review, median"),
    ("Time", "Time per review, median"),
    ("Weight", "Weight of its vote in the consensus, 0 to 1; 0.50 without history"),
)
_Cell = dict[str, Any]


def agreement_table(
    trust: Trust, past: Mapping[str, Reliability], *, key: str, on_events: Callable[[], None]
) -> None:
    """Draw one row a reviewer; choosing one queues `choose` with its `name`.

    Args:
        past: what each reviewer's word weighs, by `reliability_name`.
    """
    marks = reviewer_marks(record.reviewer for record in trust.records)
    spent = {each.name: each for each in trust.spending}
    by_findings = trust.against.truth is GroundTruth.RULINGS
    rows = [
        {
            "name": record.name,
            "title": one_line(record.name),
            "mark": marks[record.reviewer]["mark"],
            "note": _reviews(record),
            "chosen": trust.chosen is not None and record.name == trust.chosen.name,
            "cells": [
                *(
                    [_upheld(trust.ruled.get(record.name))]
                    if by_findings
                    else _beside(record.beside, trust.against.truth)
                ),
                *_always(
                    record,
                    spent.get(record.name),
                    past.get(reliability_name(record.reviewer, record.model)),
                ),
            ],
        }
        for record in trust.records
    ]
    columns = [_REVIEWER, *(_FINDINGS if by_findings else _VERDICTS), *_ALWAYS]
    _mount(key=key, data={"columns": columns, "rows": rows}, on_events=on_events)


def share_text(share: Interval | None) -> str:
    """Say a share; what is not known is a dash."""
    return UNKNOWN if share is None else f"{share.share:.0%}"


def range_text(share: Interval) -> str:
    """Say the interval of a share."""
    return f"{share.low:.0%}–{share.high:.0%}".replace("%–", "–")


def plot(low: float, at: float, high: float) -> list[float]:
    """Return the positions of a value and its interval on a scale from 0 to 1."""
    return [min(1.0, max(0.0, each)) for each in (low, at, high)]


def signed(value: float) -> str:
    """Return a value between -1 and 1 with a true minus; what rounds to nothing has no sign."""
    return f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")


def few(cases: int, noun: str) -> str:
    """Say that so many cases say little; nothing if they are enough."""
    return f"{counted(cases, noun)}: too few" if 0 < cases < FEW else ""


def _reviews(record: TrackRecord) -> str:
    failed = f", {record.failed:,} failed" if record.failed else ""
    return f"{counted(record.reviews, 'review')}{failed}"


def _beside(beside: Confusion | None, truth: GroundTruth) -> Sequence[_Cell]:
    if beside is None:
        return [_cell(UNKNOWN, "is the reference"), *([_cell(UNKNOWN)] * 4)]
    if beside.cases == 0:
        return [_cell(UNKNOWN, "nothing to compare"), *([_cell(UNKNOWN)] * 4)]
    noun = _CASES.get(truth, "submission")
    return [
        _share(beside.accuracy, beside.caught + beside.passed, beside.cases),
        _kappa(beside, noun),
        _share(beside.precision, beside.caught, beside.caught + beside.alarms),
        _share(beside.recall, beside.caught, beside.caught + beside.missed),
        _cell(UNKNOWN if beside.f1 is None else f"{beside.f1:.2f}"),
    ]


def _kappa(beside: Confusion, noun: str) -> _Cell:
    little = few(beside.cases, noun)
    found = beside.kappa
    if found is None:
        return _cell(
            UNKNOWN,
            little or "neither side varies",
            title="Both sides give one verdict only, so chance explains everything",
        )
    if found.low is None or found.high is None:
        why = "always agrees" if found.value == 1 else "one side never varies"
        return _cell(
            signed(found.value), little or why, title="The cases vary too little for an interval"
        )
    between = f"{signed(found.low)} to {signed(found.high)}"
    # From -1 to 1, with a mark where chance is.
    drawn = plot(*((each + 1) / 2 for each in (found.low, found.value, found.high)))
    cell = _cell(
        signed(found.value),
        little or f"{between}, {found.words}",
        drawn,
        title=f"{between}, {found.words}",
    )
    return {**cell, "middle": True}


def _upheld(ruled: Ruled | None) -> _Cell:
    if ruled is None or ruled.share is None:
        return _cell(UNKNOWN, "no rulings on its findings")
    cell = _share(ruled.share, sum(ruled.upheld.values()), ruled.cases)
    return {**cell, "note": few(ruled.cases, "ruling") or cell["note"]}


def _always(
    record: TrackRecord, spent: Spending | None, worth: Reliability | None
) -> Sequence[_Cell]:
    missed = record.missed_mean
    cost, seconds = (spent.cost, spent.seconds) if spent else (None, None)
    return [
        _share(
            record.refuted_share,
            record.refuted,
            record.confirmed + record.refuted + record.unverified,
        ),
        _cell(
            UNKNOWN if missed is None else f"{missed:.1f}",
            "" if missed is None else f"in {number(record.measured)}",
        ),
        _cell(money(cost.median if cost else None), _known(cost.known if cost else 0)),
        _cell(
            duration(seconds.median if seconds else None), _known(seconds.known if seconds else 0)
        ),
        _cell(f"{worth.weight:.2f}" if worth else UNKNOWN, title=str(worth) if worth else ""),
    ]


def _known(cases: int) -> str:
    return f"of {number(cases)}" if cases else ""


def _share(share: Interval | None, hits: int, cases: int) -> _Cell:
    if share is None:
        return _cell(UNKNOWN)
    drawn = plot(share.low, share.share, share.high)
    return _cell(
        share_text(share),
        f"{number(hits)} of {number(cases)}",
        drawn,
        title=f"95 % interval: {range_text(share)}",
    )


def _cell(text: str, note: str = "", drawn: list[float] | None = None, title: str = "") -> _Cell:
    return {"text": text, "note": note, "plot": drawn, "middle": False, "title": title}
