"""One reviewer's verdicts beside what is taken for true, as a table whose cells open the inbox on
what they count.
"""

from collections.abc import Mapping
from typing import Any

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
    words = (
        dict(zip(_WORDS, _AGREEMENT, strict=True)) if against.truth is GroundTruth.REVIEWER else {}
    )

    def cell(said: Verdict | None, truly: Verdict) -> dict[str, Any]:
        href = inbox_address(cell_query(record, against, said, truly))
        if said is None:
            return {
                "count": number(record.silent[_TRULY.index(truly)]),
                "href": href,
                "share": "",
                "words": "failed",
                "kind": "silent",
            }
        count, (told, kind) = counts[said, truly], _WORDS[said, truly]
        share = f"{count / beside.cases:.0%}" if beside.cases else UNKNOWN
        return {
            "count": number(count),
            "href": href,
            "share": share,
            "words": words.get((said, truly), told),
            "kind": kind,
        }

    other = one_line(against.reviewer, 60)
    columns = _COLUMNS.get(against.truth, (f"{other}: not ready", f"{other}: ready"))
    rows = [
        {"label": label, "cells": [cell(said, truly) for truly in _TRULY]}
        for said, label in _ROWS.items()
    ]
    _mount(
        key=key,
        data={
            "title": "Verdicts compared with the reference, in submissions",
            "columns": columns,
            "rows": rows,
        },
    )


def rulings_matrix(ruled: Ruled, *, key: str) -> None:
    """Draw people's rulings on a reviewer's findings against their fact checks."""
    right = {Check.CONFIRMED: 0, Check.REFUTED: 1}
    rows = []
    for check in Check:
        counts = (ruled.upheld.get(check, 0), ruled.dismissed.get(check, 0))
        kinds = [
            "silent" if check is Check.UNVERIFIED else "right" if right[check] == place else "wrong"
            for place in (0, 1)
        ]
        cells = [
            {
                "count": number(count),
                "href": "",
                "share": f"{count / ruled.cases:.0%}" if ruled.cases else UNKNOWN,
                "words": "",
                "kind": kind,
            }
            for count, kind in zip(counts, kinds, strict=True)
        ]
        rows.append({"label": f"the code: {check}", "cells": cells})
    columns = ("people: upheld", "people: dismissed")
    _mount(
        key=key,
        data={
            "title": "People's rulings compared with fact checks, in findings",
            "columns": columns,
            "rows": rows,
        },
    )
