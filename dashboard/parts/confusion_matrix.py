"""One reviewer's verdicts against the reference verdicts, as a table whose cells open the inbox."""

from collections.abc import Mapping

from dashboard.addresses import inbox_address
from dashboard.parts.component import load
from dashboard.parts.figures import UNKNOWN, number
from dashboard.parts.plain import one_line
from dashboard.trust import cell_query
from reviewers.records import Check, Verdict
from reviewers.store.agreement import Against, GroundTruth, Ruled, TrackRecord

_mount = load("confusion_matrix")

_COLUMNS: Mapping[GroundTruth, tuple[str, str]] = {
    GroundTruth.DECISIONS: ("people: not ready", "people: ready"),
    GroundTruth.BLOCKERS: ("confirmed blocker", "no confirmed blocker"),
    GroundTruth.OUTCOMES: ("failed when run", "ran"),
}
_WORDS = {
    (Verdict.NOT_READY, Verdict.NOT_READY): ("caught", "right"),
    (Verdict.NOT_READY, Verdict.READY): ("false alarm", "wrong"),
    (Verdict.READY, Verdict.NOT_READY): ("wrongly passed", "wrong"),
    (Verdict.READY, Verdict.READY): ("correctly passed", "right"),
}
_AGREEMENT = ("agree", "differ", "differ", "agree")
_ROWS: Mapping[Verdict | None, str] = {
    Verdict.NOT_READY: "says not ready",
    Verdict.READY: "says ready",
    None: "no verdict",
}
_TRULY = (Verdict.NOT_READY, Verdict.READY)


def confusion_matrix(record: TrackRecord, against: Against, *, key: str) -> None:
    """Draw counts and shares; each cell links to the inbox filtered to its submissions."""
    beside = record.beside
    if beside is None:
        return
    counts = dict(
        zip(_WORDS, (beside.caught, beside.alarms, beside.missed, beside.passed), strict=True)
    )
    agreement = (
        dict(zip(_WORDS, _AGREEMENT, strict=True)) if against.truth is GroundTruth.REVIEWER else {}
    )

    def cell(said: Verdict | None, truly: Verdict) -> dict[str, str]:
        href = inbox_address(cell_query(record, against, said, truly))
        if said is None:
            failed = record.silent[_TRULY.index(truly)]
            return _cell(failed, None, "silent", words="failed", href=href)
        told, kind = _WORDS[said, truly]
        words = agreement.get((said, truly), told)
        return _cell(counts[said, truly], beside.cases, kind, words=words, href=href)

    other = one_line(against.reviewer, 60)
    columns = _COLUMNS.get(against.truth, (f"{other}: not ready", f"{other}: ready"))
    rows = [
        {"label": label, "cells": [cell(said, truly) for truly in _TRULY]}
        for said, label in _ROWS.items()
    ]
    title = "Verdicts compared with the reference, in submissions"
    _mount(key=key, data={"title": title, "columns": columns, "rows": rows})


def rulings_matrix(ruled: Ruled, *, key: str) -> None:
    """Draw people's rulings on a reviewer's findings against their fact checks."""
    kinds = {
        Check.CONFIRMED: ("right", "wrong"),
        Check.REFUTED: ("wrong", "right"),
        Check.UNVERIFIED: ("silent", "silent"),
    }
    rows = []
    for check in Check:
        counts = (ruled.upheld.get(check, 0), ruled.dismissed.get(check, 0))
        cells = [
            _cell(count, ruled.cases, kind)
            for count, kind in zip(counts, kinds[check], strict=True)
        ]
        rows.append({"label": f"the code: {check}", "cells": cells})
    title = "People's rulings compared with fact checks, in findings"
    columns = ("people: upheld", "people: dismissed")
    _mount(key=key, data={"title": title, "columns": columns, "rows": rows})


def _cell(
    count: int, cases: int | None, kind: str, *, words: str = "", href: str = ""
) -> dict[str, str]:
    """A count with its share of the cases; None if it is not one of them."""
    share = "" if cases is None else f"{count / cases:.0%}" if cases else UNKNOWN
    return {"count": number(count), "href": href, "share": share, "words": words, "kind": kind}
