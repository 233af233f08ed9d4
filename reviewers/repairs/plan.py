"""An order of repairs after which the documented commands meet no failure, each proven on the
version that the ones before it leave.
"""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from reviewers.facts import Facts
from reviewers.offers import Edit
from reviewers.records import Finding, Submission
from reviewers.repairs.base import Proposal, registered
from reviewers.repairs.edits import CannotEdit
from reviewers.repairs.proof import (
    Proven,
    ReviewedVersion,
    Unproven,
    prove,
    prove_together,
    reviewed,
)
from reviewers.steps import OutOfSteps

_log = logging.getLogger(__name__)
_MOST = 40  # repairs of one submission
_MOST_SECONDS = 60.0  # of processor time, after which no further one is begun; real ones take 3
_WAYS = 4  # of repairing one finding, that are tried
_LAYOUT = ("HY03", "HY04", "HY06", "HY10")  # their repairs move keys, or say where they are read
_OF_CONFIGURATION = ("HY", "RC")


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
        unrepaired: what stops a run or is refused by the contract, and nothing repairs, each with
            the reasons why its proposals do not hold.
    """

    first: ReviewedVersion
    last: ReviewedVersion
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


Choose = Callable[[Finding, Sequence[Proposal]], Proposal | None]
"""Which of the ways to repair a finding is wanted; None for none of them."""


def planned(
    submission: Submission,
    *,
    only_first: bool = False,
    only_rule: str = "",
    choose: Choose | None = None,
) -> Plan:
    """Plan the repairs of a submission; nothing of it is run.

    Args:
        only_first: only the repair of what stops a run first.
        only_rule: only the findings of this rule, whatever their severity.
        choose: is asked for each finding that can be repaired; None takes what holds.
    """
    end = time.thread_time() + _MOST_SECONDS
    first = now = reviewed(submission)
    repairs: list[Repair] = []
    refused: dict[str, tuple[Finding, tuple[str, ...]]] = {}
    since: dict[str, int] = {}  # repairs that were there when a finding was refused
    while len(repairs) < _MOST and time.thread_time() < end:
        left = [each for each in in_order(now, only_rule) if each.id not in refused]
        if not left:  # what did not hold may do so on the version that is there now
            refused = {id: each for id, each in refused.items() if since[id] == len(repairs)}
            left = [each for each in in_order(now, only_rule) if each.id not in refused]
        if not left:
            break
        wanted: list[tuple[Finding, Sequence[Proposal]]] = []
        for finding in left:
            proposals = _wanted(now.facts, finding, choose)
            if proposals:
                wanted.append((finding, proposals))
            elif wanted:
                break  # those before it may make a way to repair it
            else:
                refused[finding.id] = (finding, ())
                since[finding.id] = len(repairs)
            if only_first:
                break
        made, told = _together(now, wanted)
        repairs += made
        refused |= told
        since |= dict.fromkeys(told, len(repairs))
        if made:
            now = made[-1].proof.after
        if only_first:
            break
    known = {each.id for each in now.report.findings}
    unrepaired = tuple(each for id, each in refused.items() if id in known)
    return Plan(first, now, tuple(repairs), unrepaired)


def in_order(version: ReviewedVersion, rule: str = "") -> Iterator[Finding]:
    """What is to be repaired: first what stops a run, in its order, then what else the contract
    refuses, the most severe first; of one rule all that it finds.
    """
    if rule:
        yield from (each for each in version.report.findings if each.rule == rule)
        return
    by_id = {each.id: each for each in version.report.findings}
    run = version.report.dry_run
    told = dict.fromkeys(each.finding for each in (run.failures if run else ()) if each.finding)
    met = [by_id[id] for id in told if id in by_id]
    yield from met
    mildest = version.facts.contract.mildest.rank
    refused = [each for each in version.report.findings if each.severity.rank <= mildest]
    yield from (
        each for each in sorted(refused, key=lambda each: each.severity.rank) if each.id not in told
    )


def _together(
    version: ReviewedVersion, wanted: Sequence[tuple[Finding, Sequence[Proposal]]]
) -> tuple[list[Repair], dict[str, tuple[Finding, tuple[str, ...]]]]:
    """Repair as many findings as one review can prove: a version is reviewed for all of them, else
    for the first half, and so on. Where not even the first one holds, its other ways are tried, and
    it is refused if none does.
    """
    some = _apart(wanted)
    while len(some) > 1:
        told = prove_together(version, [(finding, ways[0]) for finding, ways in some])
        if not isinstance(told, Unproven):
            return [
                Repair(finding, proof, tuple(_proven(version, finding, _others(ways))[0]))
                for (finding, ways), proof in zip(some, told, strict=True)
            ], {}
        some = some[: len(some) // 2]
    if not some:
        return [], {}
    ((finding, ways),) = some
    proven, reasons = _proven(version, finding, ways)
    if not proven:
        return [], {finding.id: (finding, tuple(reasons))}
    if not ways[0].asks:  # answers stand in their own order
        proven.sort(key=lambda each: (each.proposal.is_last, len(each.shown)))
    return [Repair(finding, proven[0], tuple(proven[1:]))], {}


def _apart(
    wanted: Sequence[tuple[Finding, Sequence[Proposal]]],
) -> list[tuple[Finding, Sequence[Proposal]]]:
    """Those whose first ways do not touch each other; questions apart, whose answers may change a
    value of the configuration. Where some say where keys lie, what else is found of the
    configuration waits: it may be gone with that, or be about other paths.
    """
    found: list[tuple[Finding, Sequence[Proposal]]] = []
    taken: dict[str, list[Edit]] = {}
    lays_out = any(finding.rule in _LAYOUT for finding, _ in wanted)
    for finding, ways in wanted:
        edits = ways[0].edits
        rule = finding.rule or ""
        if lays_out and rule.startswith(_OF_CONFIGURATION) and rule not in _LAYOUT:
            continue
        if bool(ways[0].asks) != bool(wanted[0][1][0].asks):
            continue
        if all(edit in taken.get(edit.path, ()) for edit in edits):
            continue  # another finding asks for the same
        if not any(_clash(edit, other) for edit in edits for other in taken.get(edit.path, ())):
            found.append((finding, ways))
            for edit in edits:
                taken.setdefault(edit.path, []).append(edit)
    return found


def _clash(one: Edit, other: Edit) -> bool:
    """Whether two edits of a file touch; the same one twice does not, nor imports of two modules in
    one form, which are in order.
    """
    if one == other or one.start > other.end or other.start > one.end:
        return False
    are_imports = all(
        each.start == each.end and each.text.startswith(("import ", "from "))
        for each in (one, other)
    )
    words = [each.text.split()[:2] for each in (one, other)]
    return not (are_imports and words[0][0] == words[1][0] and words[0] != words[1])


def _proven(
    version: ReviewedVersion, finding: Finding, ways: Sequence[Proposal]
) -> tuple[list[Proven], list[str]]:
    """The ways to repair a finding that hold, and why the others do not."""
    proven: list[Proven] = []
    reasons: list[str] = []
    waiting = list(ways)
    while waiting:
        proposal = waiting.pop(0)
        told = prove(version, finding, proposal)
        if isinstance(told, Unproven):
            reasons.append(f"{proposal.intent}: {told.reason}")
        else:
            proven.append(told)
            waiting = _others([proposal, *waiting])
    return proven, reasons


def _others(ways: Sequence[Proposal]) -> list[Proposal]:
    """The ways behind the first one, without its own answer at another place."""
    first, *rest = ways
    return [each for each in rest if not first.asks or each.choice != first.choice]


def _wanted(facts: Facts, finding: Finding, choose: Choose | None) -> Sequence[Proposal]:
    found = [*_proposals(facts, finding)]
    if choose is None:
        return found
    chosen = choose(finding, found)
    return [] if chosen is None else [chosen]


def _proposals(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    tried = 0
    known: set[tuple[object, ...]] = set()
    for propose in registered().get(finding.rule or "", ()):
        found: list[Proposal] = []
        try:
            with facts.steps.counted(), facts.steps.part():
                for proposal in propose(facts, finding):
                    way = (frozenset(proposal.edits), *proposal.moves)
                    if way in known:
                        continue
                    known.add(way)
                    found.append(proposal)
                    if len(found) + tried >= _WAYS:
                        break
        except (CannotEdit, OutOfSteps):
            pass
        except Exception:  # noqa: BLE001  the boundary of rules: one repair on one submission
            _log.warning(
                "repair of %s stopped on %s", finding.rule, facts.submission.id[:12], exc_info=True
            )
        tried += len(found)
        yield from found
