"""What the code says to a claim that was read: the answer to its proposition as a fact check."""

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from reviewers import settings
from reviewers.claims.blocks import blocks
from reviewers.claims.categories import filed
from reviewers.claims.report import ClaimsReport, judged_together
from reviewers.facts import Facts
from reviewers.propositions import (
    Answer,
    Mark,
    Part,
    Truth,
    World,
    evaluate,
    mark,
    sentence,
    to_json,
)
from reviewers.propositions.terms import AllOf, Atom, Because, Not, Proposition
from reviewers.readers.reading import Reading
from reviewers.records import (
    NOTHING_PROVES,
    Check,
    FactCheck,
    Failure,
    Finding,
    Misreading,
    Span,
    Statement,
    Understood,
)
from reviewers.steps import OutOfSteps, Steps, leave_out, part

_log = logging.getLogger(__name__)
_MOST_SHOWN = 3
_LONGEST = 300
_MOST_READ = 60_000
_LONGEST_HEAD = 220  # a number and a place
_CHECKS = {
    Truth.TRUE: Check.CONFIRMED,
    Truth.FALSE: Check.REFUTED,
    Truth.UNKNOWN: Check.UNVERIFIED,
}
_RESULTS = {
    Mark.CONFIRMED: Check.CONFIRMED,
    Mark.REFUTED: Check.REFUTED,
    Mark.PARTLY: Check.UNVERIFIED,
    Mark.UNVERIFIED: Check.UNVERIFIED,
}
_AGAINST = {Check.CONFIRMED: Truth.FALSE, Check.REFUTED: Truth.TRUE}
_UNLINKED = "it is so, but nothing shows that the one leads to the other"


def understood(
    findings: Sequence[Finding],
    readings: Mapping[str, Sequence[Reading]],
    facts: Facts,
    failures: Sequence[Failure],
    said: str = "",
) -> ClaimsReport:
    """Return the findings, those that were read with what the code says to their readings.

    Args:
        readings: by finding, that which counts first.
        failures: what is known to stop a documented command, in the order of a run.
        said: the review as it was written, which tells whole findings from statements.
    """
    items = _items(said)
    steps = Steps(settings.review_seconds())
    world = World(facts, failures)
    with steps.counted():
        judged = tuple(
            _understood(each, readings.get(each.id, ()), world, items) for each in findings
        )
    return ClaimsReport(judged, tuple(steps.left_out), steps.timed_out)


def _understood(finding: Finding, readings: Sequence[Reading], world: World, items: str) -> Finding:
    if not readings:
        return finding
    first = next(
        (each for each in readings if each.proposition is not None or each.is_final), readings[0]
    )
    if first.proposition is None:
        unread = Understood(reader=first.reader, why_not=first.why_not)
        return replace(finding, understood=unread)
    proposition = first.proposition
    try:
        with part():
            answer = evaluate(proposition, world)
            others = [
                evaluate(each.proposition, world).truth
                for each in readings
                if each.proposition is not None and not first.is_final
            ]
    except OutOfSteps as error:
        return _stopped(finding, first, str(error))
    except Exception as error:  # noqa: BLE001  a named boundary: one claim of a review
        _log.warning("a reading could not be judged", exc_info=error)
        return _stopped(finding, first, f"it stopped with {type(error).__name__}")
    parts = tuple(_statements(proposition, answer))
    said = Understood(
        reader=first.reader,
        proposition=json.dumps(to_json(proposition)),
        sentence=sentence(proposition),
        looked_at=answer.looked_at,
        otherwise=tuple(
            (each.reader, sentence(each.proposition))
            for each in readings
            if each.proposition not in (None, proposition)
        ),
    )
    counting = [statement.check for statement, counts in parts if counts]
    marked = mark(proposition, answer, is_finding=_is_whole(finding.claim or "", items))
    check = judged_together(counting or [parts[0][0].check], _RESULTS[marked])
    if _AGAINST.get(check.result) in others:  # one reader is wrong, and nobody knows which
        evidence = f"Read in two ways, to which the code says different things; {check.evidence}"
        check = FactCheck(Check.UNVERIFIED, evidence, check.span)
    told = tuple(statement for statement, _ in parts) if len(parts) > 1 else ()
    return filed(finding.judged(check, told, said))


def _items(said: str) -> str:
    """A review's paragraphs and list items, each on a line of its own."""
    found = (" ".join(said[block.start : block.end].split()) for block in blocks(said[:_MOST_READ]))
    return "\n".join(found)


def _is_whole(claim: str, items: str) -> bool:
    """Whether a claim is a whole item of the review, its number and place aside: a finding with its
    reasons and consequences, and no statement that was cut out of one.
    """
    words = " ".join(claim.split())
    return any(
        line.endswith(words) and len(line) - len(words) <= _LONGEST_HEAD
        for line in items.split("\n")
        if words
    )


def _stopped(finding: Finding, reading: Reading, why: str) -> Finding:
    leave_out(f"a claim's reading: {why}")
    check = FactCheck(Check.UNVERIFIED, f"Not looked at to the end: {why}")
    proposition = reading.proposition
    assert proposition is not None
    said = Understood(
        reader=reading.reader,
        proposition=json.dumps(to_json(proposition)),
        sentence=sentence(proposition),
    )
    return finding.judged(check, (), said)


def _statements(proposition: Proposition, answer: Answer) -> Iterator[tuple[Statement, bool]]:
    """Each part of a proposition that is judged by itself, with its fact check."""
    for leaf in _leaves(Part(proposition, answer)):
        counts = not _is_opinion(leaf.proposition)
        yield Statement(sentence(leaf.proposition), _told(leaf.answer)), counts


def _leaves(whole: Part) -> Iterator[Part]:
    made_of = whole.answer.parts
    if not made_of or not isinstance(whole.proposition, AllOf | Because):
        yield whole
        return
    if isinstance(whole.proposition, AllOf):
        for each in made_of:
            yield from _leaves(each)
        return
    cause, effect = made_of
    yield from _leaves(cause)
    is_linked = whole.answer.truth is not Truth.UNKNOWN or Truth.UNKNOWN in (
        cause.answer.truth,
        effect.answer.truth,
    )
    for each in _leaves(effect):
        is_proved = each.answer.truth is Truth.TRUE
        yield (
            Part(each.proposition, _unlinked(each.answer)) if is_proved and not is_linked else each
        )


def _unlinked(answer: Answer) -> Answer:
    return replace(answer, truth=Truth.UNKNOWN, gaps=(_UNLINKED,))


def _is_opinion(proposition: Proposition) -> bool:
    inner = proposition.part if isinstance(proposition, Not) else proposition
    return isinstance(inner, Atom) and inner.predicate == "judgement"


def _told(answer: Answer) -> FactCheck:
    """An answer as a fact check, with what a person needs to verify it in seconds."""
    result = _CHECKS[answer.truth]
    span = _first_place(answer)
    if result is Check.UNVERIFIED:
        gaps = "; ".join(answer.gaps[:_MOST_SHOWN])
        return FactCheck(result, f"{NOTHING_PROVES}; {gaps}"[:_LONGEST] if gaps else NOTHING_PROVES)
    seen = [f"{witness.span}: {witness.said}" for witness in answer.witnesses[:_MOST_SHOWN]]
    if more := len(answer.witnesses) - len(seen):
        seen.append(f"and {more} more")
    if not seen:
        seen = [f"looked at {', '.join(answer.looked_at[:_MOST_SHOWN])}"]
    why = Misreading.MISREAD_CODE if result is Check.REFUTED else None
    return FactCheck(result, "; ".join(seen)[:_LONGEST], span, why)


def _first_place(answer: Answer) -> Span | None:
    return next((witness.span for witness in answer.witnesses), None)
