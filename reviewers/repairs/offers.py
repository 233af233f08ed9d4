"""What is offered to a person: the repairs of a plan as plain records, which can be stored."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from reviewers.records import Failure, Span, counted
from reviewers.repairs.edits import Edit
from reviewers.repairs.patch import patch
from reviewers.repairs.plan import Plan, Repair
from reviewers.repairs.proof import Proven

SCHEMA = "areachair.repairs/1"


@dataclass(frozen=True, slots=True)
class Way:
    """One proven way to repair a finding.

    Attributes:
        intent, consequence, choice: as in `Proposal`.
        patch: from the version before it to the version after it.
        edits: the same in the files of the submission itself; empty where it edits what an earlier
            repair wrote.
    """

    intent: str
    patch: str
    consequence: str = ""
    choice: str = ""
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    """The repair of one finding.

    Attributes:
        finding: its id; `message` and `span` as the version says that the repair is made on.
        ways: what the plan takes, then the others.
        asks: the question of which each way is an answer; empty if there is nothing to ask.
        proof: what the review of the repaired version showed, in one sentence.
        gone: ids of the findings that are gone with it, its own among them.
        shown: what a run comes to only now, a line each.
    """

    finding: str
    rule: str
    span: Span | None
    message: str
    ways: tuple[Way, ...]
    asks: str
    proof: str
    gone: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Offers:
    """The plan of a submission.

    Attributes:
        repairs: in the order in which they are made.
        left: what no repair is offered for: place and message, a line each.
        is_ready: whether the dry run meets no failure and no blocker is left.
        stops: where the last version stops, and why; empty if nowhere.
    """

    repairs: tuple[Offer, ...] = ()
    left: tuple[str, ...] = ()
    is_ready: bool = False
    stops: str = ""

    @property
    def questions(self) -> int:
        """How many repairs a person has to choose the answer of."""
        return sum(bool(each.asks) for each in self.repairs)


def offers(plan: Plan) -> Offers:
    """Put a plan into plain records."""
    made: list[Sequence[Edit]] = []
    told = []
    for repair in plan.repairs:
        told.append(_offer(repair, made))
        made.append(repair.proof.proposal.edits)
    stop = next(iter(plan.last.failures), None)
    return Offers(
        repairs=tuple(told),
        left=tuple(f"{finding.span}: {finding.message}" for finding, _ in plan.unrepaired),
        is_ready=plan.is_ready,
        stops=_stop(stop) if stop else "",
    )


def offers_json(told: Offers) -> dict[str, Any]:
    """The object `areachair.repairs/1`."""
    return {"schema": SCHEMA, **asdict(told), "questions": told.questions}


def offers_of(value: Mapping[str, Any]) -> Offers:
    """The records of such an object."""
    return Offers(
        repairs=tuple(_read(each) for each in value["repairs"]),
        left=tuple(value["left"]),
        is_ready=value["is_ready"],
        stops=value["stops"],
    )


def _read(value: Mapping[str, Any]) -> Offer:
    ways = tuple(
        Way(**{**way, "edits": tuple(Edit(**edit) for edit in way["edits"])})
        for way in value["ways"]
    )
    span = Span(**value["span"]) if value["span"] else None
    lists = {"gone": tuple(value["gone"]), "shown": tuple(value["shown"])}
    return Offer(**{**value, "ways": ways, "span": span, **lists})


def _offer(repair: Repair, made: Sequence[Sequence[Edit]]) -> Offer:
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


def _way(proven: Proven, made: Sequence[Sequence[Edit]]) -> Way:
    proposal = proven.proposal
    return Way(
        intent=proposal.intent,
        patch=patch(proven.before.submission, proven.after.submission),
        consequence=proposal.consequence,
        choice=proposal.choice,
        edits=tuple(_in_first(proposal.edits, made)),
    )


def proof_words(proven: Proven) -> str:
    """Say what the review of the repaired version showed: "composes for 4 of 4 runs"."""
    before, after = proven.before.failures, proven.after.failures
    commands = proven.after.report.dry_run.commands if proven.after.report.dry_run else ()
    runs = max((each.runs for each in commands), default=0)
    parts = ["reviewed again, the finding is gone"]
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


def _in_first(edits: Sequence[Edit], made: Sequence[Sequence[Edit]]) -> Iterator[Edit]:
    """The edits in the files as they were before all that was made; none if one touches what was
    written since.
    """
    found = []
    for edit in edits:
        start: int | None = edit.start
        end: int | None = edit.end
        for earlier in reversed(made):
            of_file = sorted(each for each in earlier if each.path == edit.path)
            start = None if start is None else _before(start, of_file, is_end=False)
            end = None if end is None else _before(end, of_file, is_end=True)
        if start is None or end is None or end < start:
            return
        found.append(Edit(edit.path, start, end, edit.text))
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
