"""Claims that a rule's finding bears out; a rule's silence refutes only where a check of its own says so."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from reviewers.claims.checks.base import Answer, Case, check, confirmed
from reviewers.records import Finding


@dataclass(frozen=True, slots=True)
class Ruling:
    """How a claim must speak for a rule's finding to confirm it; see `rulings.toml`."""

    said: re.Pattern[str]
    rule: str | None
    decides: str | None
    named: bool


@cache
def rulings() -> tuple[Ruling, ...]:
    """Every ruling."""
    tables = tomllib.loads((files("reviewers.claims") / "rulings.toml").read_text("utf-8"))
    return tuple(
        Ruling(re.compile(table["said"]), table.get("rule"), table.get("decides"), table.get("named", False))
        for table in tables.values()
    )


@check("by_rule")
def by_rule(case: Case) -> Answer:
    """A claim is true where a rule found just that in the file it speaks of."""
    if case.claim.hedged:
        return None
    for ruling in rulings():
        if not ruling.said.search(case.said):
            continue
        findings = (
            case.decided_by(ruling.decides) if ruling.decides else (each for each in case.found if each.rule == ruling.rule)
        )
        for finding in findings:
            if _fits(case, finding) and (not ruling.named or _names(case, finding)):
                return confirmed(finding.check.evidence, finding.span)
    return None


def _fits(case: Case, finding: Finding) -> bool:
    """Whether a claim that names files names the finding's among them."""
    code = [path for path in case.claim.own.files if path.endswith(".py")]
    return not code or (finding.span is not None and finding.span.file in code)


def _names(case: Case, finding: Finding) -> bool:
    span = finding.span
    if span is None or span.line is None:
        return False
    lines = " ".join(case.facts.lines(span.file)[span.line - 1 : span.end_line])
    near = (case.claim.own, *case.claim.around[:2])
    return any(re.search(rf"\b{re.escape(name.rpartition('.')[2])}\b", lines) for about in near for name in about.names)
