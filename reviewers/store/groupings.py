"""Which findings of a large submission are one defect, and which blockers each reviewer missed:
kept whenever it changes, so that nobody who opens it waits until thousands are compared.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reviewers.matching.defects import Comparisons
from reviewers.matching.missed import missed_blockers
from reviewers.matching.rows import Grouping, grouped
from reviewers.records import Finding, Review
from reviewers.store.human_input import HumanInput
from reviewers.store.triage import RULES, proven_findings

_FEWEST = 200
"""Findings; fewer are compared in a fraction of a second."""
_NUMBERS = 3

Findings = Mapping[str, Sequence[Finding]]


@dataclass(frozen=True, slots=True)
class Grouped:
    """What comparing the findings of a submission gave.

    Attributes:
        stamp: of what was compared.
        missed: ids by the name of each model with a verdict on screen.
    """

    stamp: str
    rows: Grouping
    missed: Mapping[str, frozenset[str]]

    def is_of(self, findings: Findings, proven: Iterable[Finding]) -> bool:
        """Whether these are what was compared."""
        return self.stamp == _stamp(findings, proven)


def grouping_values(
    reviews: Mapping[str, Review], said: HumanInput, known: Comparisons
) -> dict[str, Any] | None:
    """Return what is kept of a submission; None where it has few findings.

    Args:
        reviews: by their names on screen, as `HumanInput.ruled` gives them.
    """
    names = sorted(reviews)
    findings = {name: reviews[name].findings for name in names}
    if sum(map(len, findings.values())) < _FEWEST:
        return None
    proven = proven_findings(reviews.values(), said) or ()
    number = {name: at for at, name in enumerate(names)}
    return {
        "stamp": _stamp(findings, proven),
        "names": names,
        "rows": [
            [each for name, at, part in row for each in (number[name], at, part)]
            for row in grouped(findings, known)
        ],
        "missed": {
            name: sorted(missed_blockers(review.findings, proven, known=known))
            for name, review in reviews.items()
            if is_measured(review)
        },
    }


def is_measured(review: Review) -> bool:
    """Whether a review could miss a blocker: that of a model with a verdict."""
    return review.reviewer != RULES and review.verdict is not None


def grouped_of(told: Mapping[str, Any]) -> Grouped:
    """Return what `grouping_values` gave to be kept."""
    names = told["names"]
    return Grouped(
        told["stamp"],
        tuple(
            tuple((names[row[at]], row[at + 1], row[at + 2]) for at in range(0, len(row), _NUMBERS))
            for row in told["rows"]
        ),
        {name: frozenset(ids) for name, ids in told["missed"].items()},
    )


def _stamp(findings: Findings, proven: Iterable[Finding]) -> str:
    told = [
        [name, [[*_told(each), *(part.check.result for part in each.parts)] for each in given]]
        for name, given in findings.items()
    ]
    return hashlib.sha256(json.dumps([told, [*map(_told, proven)]]).encode()).hexdigest()


def _told(finding: Finding) -> list[object]:
    return [finding.id, finding.severity, finding.category, finding.check.result]
