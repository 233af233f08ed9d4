"""An order of repairs after which the documented commands meet no failure, each proven on the
version that the ones before it leave.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from reviewers.facts import Facts
from reviewers.records import Finding, Severity, Submission
from reviewers.repairs.base import Proposal, registered
from reviewers.repairs.edits import CannotEdit
from reviewers.repairs.proof import Proven, Refused, Reviewed, prove, reviewed
from reviewers.steps import OutOfSteps

_MOST = 40  # repairs of one submission
_MOST_SECONDS = 60.0  # of processor time, after which no further one is begun; real ones take 3
_WAYS = 4  # of repairing one finding, that are tried


Choose = Callable[[Finding, list[Proven]], Proven | None]
"""Which of the ways that hold is taken; None for none of them."""


@dataclass(frozen=True, eq=False)
class Repair:
    """A finding with a proven way to repair it.

    Attributes:
        finding: as the version before says it.
        proof: of the way that comes first.
        others: the further ways that hold on the same version, or the further answers if it asks.
    """

    finding: Finding
    proof: Proven
    others: tuple[Proven, ...] = ()

    @property
    def intent(self) -> str:
        """What it does, in one sentence."""
        return self.proof.proposal.intent


@dataclass(frozen=True, eq=False)
class Plan:
    """The repairs of a submission, in the order in which they are made.

    Attributes:
        first, last: the versions before the first and after the last one.
        unrepaired: blockers that nothing repairs, each with the reasons why its proposals do not
            hold.
    """

    first: Reviewed
    last: Reviewed
    repairs: tuple[Repair, ...] = ()
    unrepaired: tuple[tuple[Finding, tuple[str, ...]], ...] = field(default=())

    @property
    def questions(self) -> tuple[Repair, ...]:
        """The repairs that take the first answer for granted."""
        return tuple(each for each in self.repairs if each.proof.proposal.asks)

    @property
    def is_ready(self) -> bool:
        """Whether no command meets a failure, and nothing is left that its contract refuses."""
        mildest = self.last.facts.contract.mildest
        return not self.last.failures and not any(
            each.severity.rank <= mildest.rank for each in self.last.report.findings
        )


def _first(finding: Finding, proven: list[Proven]) -> Proven | None:
    return proven[0]


def planned(
    submission: Submission,
    *,
    only_first: bool = False,
    only_rule: str = "",
    choose: Choose = _first,
) -> Plan:
    """Plan the repairs of a submission; nothing of it is run.

    Args:
        only_first: only the repair of what stops a run first.
        only_rule: only the findings of this rule, whatever their severity.
        choose: is asked for each finding that can be repaired.
    """
    end = time.thread_time() + _MOST_SECONDS
    first = now = reviewed(submission)
    repairs: list[Repair] = []
    refused: dict[str, tuple[Finding, tuple[str, ...]]] = {}
    while len(repairs) < _MOST and time.thread_time() < end:
        finding = next(
            (each for each in in_order(now, only_rule) if each.id not in refused),
            None,
        )
        if finding is None:
            break
        proven, reasons = ways(now, finding)
        if proven and (taken := choose(finding, proven)):
            others = tuple(each for each in proven if each is not taken)
            repairs.append(Repair(finding, taken, others))
            now = taken.after
        else:
            refused[finding.id] = (finding, tuple(reasons))
        if only_first:
            break
    left = {each.id for each in now.report.findings}
    unrepaired = tuple(each for id, each in refused.items() if id in left)
    return Plan(first, now, tuple(repairs), unrepaired)


def in_order(version: Reviewed, rule: str = "") -> Iterator[Finding]:
    """What is to be repaired: first what stops a run, in its order, then the other blockers; of one
    rule all that it finds.
    """
    if rule:
        yield from (each for each in version.report.findings if each.rule == rule)
        return
    by_id = {each.id: each for each in version.report.findings}
    run = version.report.dry_run
    told = dict.fromkeys(each.finding for each in (run.failures if run else ()) if each.finding)
    met = [by_id[id] for id in told if id in by_id]
    yield from met
    yield from (
        each
        for each in version.report.findings
        if each.severity is Severity.BLOCKER and each.id not in told
    )


def ways(version: Reviewed, finding: Finding) -> tuple[list[Proven], list[str]]:
    """The ways to repair a finding that hold, what shows nothing new first, and why the others do
    not.
    """
    proven: list[Proven] = []
    reasons: list[str] = []
    for proposal in _proposals(version.facts, finding):
        told = prove(version, finding, proposal)
        if isinstance(told, Refused):
            reasons.append(f"{proposal.intent}: {told.reason}")
        else:
            proven.append(told)
    return sorted(proven, key=lambda each: len(each.shown)), reasons


def _proposals(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    tried = 0
    for propose in registered().get(finding.rule or "", ()):
        found: list[Proposal] = []
        try:
            with facts.steps.counted(), facts.steps.part():
                for proposal in propose(facts, finding):
                    found.append(proposal)
                    if len(found) + tried >= _WAYS:
                        break
        except (CannotEdit, OutOfSteps):
            pass
        tried += len(found)
        yield from found
