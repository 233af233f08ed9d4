"""Puts a plan into the plain records that are offered to a person."""

from collections.abc import Iterator, Sequence

from reviewers.offers import Edit, Offer, Offers, ProvenWay
from reviewers.records import Failure, counted
from reviewers.repairs.base import Proposal
from reviewers.repairs.patch import patch
from reviewers.repairs.plan import Plan, Repair
from reviewers.repairs.proof import Proven


def offers(plan: Plan) -> Offers:
    """Put a plan into plain records."""
    made: list[Proposal] = []
    told = []
    for repair in plan.repairs:
        told.append(_offer(repair, made))
        made.append(repair.proof.proposal)
    stop = next(iter(plan.last.failures), None)
    return Offers(
        repairs=tuple(told),
        left=tuple(f"{finding.span}: {finding.message}" for finding, _ in plan.unrepaired),
        is_ready=plan.is_ready,
        stops=_stop(stop) if stop else "",
    )


def _offer(repair: Repair, made: Sequence[Proposal]) -> Offer:
    finding, proof = repair.finding, repair.proof
    return Offer(
        finding=finding.id,
        rule=finding.rule or "",
        span=finding.span,
        message=finding.message,
        ways=tuple(_way(each, made) for each in (proof, *repair.others)),
        asks=proof.proposal.asks,
        proof=proof_words(proof),
        gone=tuple(each.id for each in proof.gone),
        shown=tuple(f"{each.span}: {each.message}" for each in proof.shown),
    )


def _way(proven: Proven, made: Sequence[Proposal]) -> ProvenWay:
    proposal = proven.proposal
    return ProvenWay(
        intent=proposal.intent,
        patch=patch(proven.on, proven.made),
        consequence=proposal.consequence,
        choice=proposal.choice,
        edits=() if proposal.moves else tuple(_in_first(proposal.edits, made)),
    )


def proof_words(proven: Proven) -> str:
    """Say what the review of the repaired version showed: "composes for 4 of 4 runs"."""
    before, after = proven.before.failures, proven.after.failures
    commands = proven.after.report.dry_run.commands if proven.after.report.dry_run else ()
    runs = max((each.runs for each in commands), default=0)
    others = proven.others
    beside = f" with {counted(others, 'other repair')}" if others else ""
    parts = [f"reviewed again{beside}, the finding is gone"]
    if len(proven.gone) > 1:
        parts[0] += f", and {counted(len(proven.gone) - 1, 'other')} with it"
    if before and not after:
        parts.append("no command meets a failure any more")
    elif before and after and before[0].finding != after[0].finding:
        parts.append(f"the first failure is now at {after[0].place}")
    if runs:
        modes = max(each.modes for each in commands)
        where = f" in {counted(modes, 'mode')}" if modes else ""
        parts.append(f"{counted(runs, 'run')}{where} followed")
    return "; ".join(parts)


def _stop(failure: Failure) -> str:
    return f"{failure.place}: {failure.message}"


def _in_first(edits: Sequence[Edit], made: Sequence[Proposal]) -> Iterator[Edit]:
    """The edits in the files as they were before all that was made; none if one touches what was
    written since.
    """
    found = []
    for edit in edits:
        start: int | None = edit.start
        end: int | None = edit.end
        path = edit.path
        for earlier in reversed(made):
            path = next((old for old, new in earlier.moves if new == path), path)
            of_file = sorted(each for each in earlier.edits if each.path == path)
            start = None if start is None else _before(start, of_file, is_end=False)
            end = None if end is None else _before(end, of_file, is_end=True)
        if start is None or end is None or end < start:
            return
        found.append(Edit(path, start, end, edit.text))
    yield from found


def _before(at: int, edits: Sequence[Edit], *, is_end: bool) -> int | None:
    """Where a character was before some edits; None if they wrote it."""
    shift = 0
    for edit in edits:
        start = edit.start + shift
        end = start + len(edit.text)
        if at < start or (at == start and is_end):
            break
        if at < end:
            return edit.start if at == start else None
        shift += len(edit.text) - (edit.end - edit.start)
    return at - shift
