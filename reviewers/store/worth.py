"""What each reviewer's past is worth, counted from where the submissions stand."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from sqlalchemy import select

from reviewers.records import Verdict, Worth, worth_name
from reviewers.store.standing import RULES
from reviewers.store.store import Store
from reviewers.store.tables import standings, submissions


def worths(store: Store, without: str | None = None) -> Mapping[str, Worth]:
    """Return what the past of every reviewer says of it, by `worth_name`; rulings are counted in.

    It reads one small row of each submission: about 1.5 seconds for 100,000, so whoever asks often should keep the answer.

    Args:
        without: id of a submission that does not count, so that its own outcome says nothing for or against those who judge it.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    wanted = select(standings.c.chips, standings.c.decision)
    if without is not None:
        its_number = select(submissions.c.number).where(submissions.c.id == without)
        wanted = wanted.where(standings.c.submission.not_in(its_number))
    with store.reading() as connection:
        for chips, decision in connection.execute(wanted):
            proven = any(chip["reviewer"] == RULES and chip["blockers"] for chip in chips)
            for chip in chips:
                if chip["verdict"] is not None:
                    _count(counts[worth_name(chip["reviewer"], chip["model"])], chip, decision, proven)
    return {name: Worth(**counts[name]) for name in sorted(counts)}


def _count(count: Counter[str], chip: Mapping[str, Any], decision: str | None, proven: bool) -> None:
    by_rules = chip["reviewer"] == RULES
    if not by_rules:
        count["confirmed"] += chip["confirmed"]
        count["refuted"] += chip["refuted"]
    if decision is not None:
        count["agreed" if chip["verdict"] == decision else "disagreed"] += 1
    elif proven and not by_rules:
        count["contradicted" if chip["verdict"] == Verdict.READY else "upheld"] += 1
