"""Run every rule on one submission."""

import logging
from dataclasses import dataclass

from reviewers.facts import Facts
from reviewers.facts.fingerprint import distinct
from reviewers.records import Finding
from reviewers.rules.base import registered

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RulesReport:
    """What the rules found.

    Attributes:
        findings: worst first, then by place; ids are unique among them.
        crashed: one line for each rule that stopped with an error of its own, with the rule's id.
    """

    findings: tuple[Finding, ...]
    crashed: tuple[str, ...]


def run_rules(facts: Facts) -> RulesReport:
    """Run every rule; one that crashes on hostile input takes no other with it."""
    findings: list[Finding] = []
    crashed: list[str] = []
    for rule in registered().values():
        try:
            findings.extend(rule(facts))
        except Exception as error:  # noqa: BLE001  the named boundary: one rule on one submission
            _log.warning("rule %s stopped on %s", rule.id, facts.submission.id[:12], exc_info=True)
            crashed.append(f"{rule.id}: {type(error).__name__}")
    return RulesReport(tuple(distinct(sorted(findings, key=_order))), tuple(crashed))


def _order(finding: Finding) -> tuple[int, str, int, str]:
    span = finding.span
    return (finding.severity.rank, span.file if span else "", (span.line or 0) if span else 0, finding.rule or "")
