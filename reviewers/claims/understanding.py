"""What the code says to claims: each is read into a proposition, by whoever was asked or offline,
and the answer to that is its fact check.
"""

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reviewers import settings
from reviewers.claims.blocks import blocks
from reviewers.claims.categories import filed
from reviewers.claims.claim import Claim, read_claims
from reviewers.claims.clauses import Link
from reviewers.claims.locate import named
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
    parse,
    sentence,
    to_json,
)
from reviewers.propositions.terms import AllOf, Atom, Because, Not, Proposition
from reviewers.readers.linking import SymbolTable, table_of
from reviewers.readers.offline import READER, read_all
from reviewers.readers.reading import Reading
from reviewers.records import (
    NOT_READ,
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
MOST_CHECKED = 400
"""Claims of one review that are looked at; a text with more is no review."""
MOST_READ = 30_000
"""Characters of a review's claims that are looked at; real reviews have a few thousand."""
_TOO_MANY = (
    f"only the first {MOST_CHECKED} claims of a review are checked, and of these {MOST_READ:,}"
    " characters"
)
_MOST_SHOWN = 3
_LONGEST = 300
_MOST_READ = 60_000
_LONGEST_HEAD = 220  # a number and a place
_LONGEST_CLAIM = 2_000  # characters that are read
_PLAIN = str.maketrans("“”„«»‘’", '"""""\'\'')
_LONGEST_RUN = 200  # of one that has no spaces, as no word or name is longer
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
_AGAINST = {Check.CONFIRMED: Check.REFUTED, Check.REFUTED: Check.CONFIRMED}
_NOT_WHOLE = "not all of it is understood"
_UNLINKED = "it is so, but nothing shows that the one leads to the other"


def understood(
    findings: Sequence[Finding],
    readings: Mapping[str, Sequence[Reading]],
    facts: Facts,
    failures: Sequence[Failure],
    said: str = "",
) -> ClaimsReport:
    """Return the findings, each claim with what the code says to it: as those read it who were
    asked to, else as it is read offline.

    Args:
        readings: by a finding's id, or by the words of one of its statements; that which counts
            first.
        failures: what is known to stop a documented command, in the order of a run.
        said: the review as it was written; `claim_at` of each finding counts in it.
    """
    steps = Steps(settings.review_seconds())
    judged = tuple(findings)
    with steps.counted():
        try:
            judged = tuple(_judged(findings, readings, World(facts, failures), said))
        except OutOfSteps as error:
            leave_out(f"the claims' readings: {error}")
    return ClaimsReport(judged, tuple(steps.left_out), steps.timed_out)


def statements_of(findings: Sequence[Finding], said: str) -> Iterator[str]:
    """Yield the words of each finding's statements, as the review is cut; of a finding that is not
    cut out of it, all its words.
    """
    cut = read_claims(said)
    for finding in findings:
        if finding.claim:
            yield from [each.written for each in _within(finding, cut)] or [finding.claim]


def _judged(
    findings: Sequence[Finding],
    readings: Mapping[str, Sequence[Reading]],
    world: World,
    said: str,
) -> Iterator[Finding]:
    items = _items(said)
    claims = [each for each in findings if each.claim]
    kept = _within_bounds(claims)
    if passed_over := len(claims) - len(kept):
        leave_out(f"{passed_over:,} of {len(claims):,} claims: {_TOO_MANY}")
    offline = dict(zip(map(id, kept), _read_offline(kept, world.facts, said), strict=True))
    for finding in findings:
        if not finding.claim:
            yield finding
        elif id(finding) not in offline:
            why = FactCheck(Check.UNVERIFIED, f"Not looked at: {_TOO_MANY}")
            yield replace(finding, check=why)
        else:
            own = offline[id(finding)]
            asked = readings.get(finding.id, ())
            if any(each.is_final for each in asked):  # of the whole, whatever its statements are
                own = _Offline(own.whole)
            told = [readings.get(each.claim, ()) for each in own.statements]
            if any(told) and not any(each.proposition for each in asked):
                if len(told) > 1:
                    yield filed(_by_statements(finding, told, own, world))
                    continue
                asked = told[0]
            whole = _is_whole(finding.claim, items)
            yield filed(_one(finding, asked, own, world, is_finding=whole))


def _within_bounds(claims: Sequence[Finding]) -> list[Finding]:
    kept, read = [], 0
    for finding in claims[:MOST_CHECKED]:
        read += min(len(finding.claim or ""), _LONGEST_CLAIM)
        if read > MOST_READ:
            break
        kept.append(finding)
    return kept


@dataclass(frozen=True, slots=True)
class _Offline:
    """A claim as it is read offline.

    Attributes:
        whole: None where nobody has to read it.
        statements: of which it is made.
        parts: its statements where it has several.
        head: which of them is the main thing said.
    """

    whole: Reading | None = None
    statements: tuple[Statement, ...] = ()
    parts: tuple[tuple[Statement, Reading], ...] = ()
    head: int = 0


def _read_offline(findings: Sequence[Finding], facts: Facts, said: str) -> list[_Offline]:
    """Each claim as a whole, and where it is several statements, each of them."""
    with part():
        statements = read_claims(said) if findings else []
        table = table_of(facts)
    within = [_within(each, statements) for each in findings]
    wholes = [
        (own[0].words if len(own) == 1 else finding.claim or "", _scope(own, table))
        for finding, own in zip(findings, within, strict=True)
    ]
    read = _read_all(wholes, table)
    told = []
    for finding, own, (whole, _) in zip(
        findings, within, zip(read, wholes, strict=True), strict=True
    ):
        if finding.claim_at and not any(each.asserts for each in own):
            whole = Reading(reader=READER, why_not="it only advises or sums up")
        made_of = tuple(_parts(finding, own))
        parts: tuple[tuple[Statement, Reading], ...] = ()
        if len(own) > 1:
            each = _read_all([(one.words, _scope([one], table)) for one in own], table)
            # What is not understood beside them may say what they mean.
            is_open = bool(whole.proposition is None or whole.unread)
            if is_open:
                whole = replace(whole, proposition=None, why_not=whole.why_not or _NOT_WHOLE)
            is_open &= any(one.proposition is None or one.unread for one in each)
            each = [replace(one, disproves=False) if is_open else one for one in each]
            parts = tuple(zip(made_of, each, strict=True))
        turn = next((at for at, one in enumerate(own) if one.link is Link.BUT), 0)
        told.append(_Offline(whole, made_of, parts, turn))
    return told


def _within(finding: Finding, statements: Sequence[Claim]) -> list[Claim]:
    """The statements of which a finding is made, as the review is cut."""
    start, end = finding.claim_at or (0, 0)
    return [each for each in statements if start <= each.start and each.end <= end]


def _parts(finding: Finding, own: Sequence[Claim]) -> list[Statement]:
    """A finding's statements, each where it stands if that is known."""
    known = {each.claim: each for each in finding.parts}
    open_ = FactCheck(Check.UNVERIFIED, NOTHING_PROVES)
    return [known.get(each.written) or Statement(each.written, open_) for each in own]


def _scope(own: Sequence[Claim], table: SymbolTable) -> str:
    """The file that the nearest heading or label above a claim names."""
    above = (named(readable(each), table) for one in own[:1] for each in reversed(one.under))
    return next((each.file or "" for each in above if each.files), "")


def _read_all(claims: Sequence[tuple[str, str]], table: SymbolTable) -> list[Reading]:
    """Claims, each with its scope, read in their order; those that stop the reader by themselves
    are not read.
    """
    words = [readable(each) for each, _ in claims]
    try:
        with part():
            return read_all(words, table, [scope for _, scope in claims])
    except OutOfSteps as error:
        why = str(error)
    except Exception as error:  # noqa: BLE001  a named boundary: the claims of one review
        _log.warning("claims could not be read", exc_info=error)
        if len(claims) > 1:
            return [one for each in claims for one in _read_all([each], table)]
        why = f"it stopped with {type(error).__name__}"
    leave_out(f"a claim's reading: {why}")
    return [Reading(reader=READER, why_not=why)] * len(claims)


def readable(text: str) -> str:
    """Return a text as it is read: its first characters, with plain quotation marks, and of what no
    word, name or piece of code can be only the beginning.
    """
    words = text[:_LONGEST_CLAIM].translate(_PLAIN).split(" ")
    return " ".join(each[:_LONGEST_RUN] for each in words)


def _one(
    finding: Finding,
    asked: Sequence[Reading],
    offline: _Offline,
    world: World,
    *,
    is_finding: bool,
) -> Finding:
    """One claim as it is read: what the first says who could read it counts, unless another reading
    says the opposite. What those could not read who were asked is not read offline.
    """
    readings = [*asked, *([offline.whole] if offline.whole else [])]
    told = asked or readings
    first = next((each for each in told if each.proposition or each.is_final), told[0])
    try:
        with part():
            if first.proposition is None:
                unread = _in_parts(finding, first, offline, world, is_asked=bool(asked))
                return _beside(unread, first, readings) if first.is_final else unread
            parts = offline.parts if first is offline.whole else ()
            return _as_read(finding, first, readings, parts, world, is_finding=is_finding)
    except OutOfSteps as error:
        why = str(error)
    except Exception as error:  # noqa: BLE001  a named boundary: one claim of a review
        _log.warning("a reading could not be judged", exc_info=error)
        why = f"it stopped with {type(error).__name__}"
    leave_out(f"a claim's reading: {why}")
    check = FactCheck(Check.UNVERIFIED, f"Not looked at to the end: {why}")
    return finding.judged(check, (), _understood(first, first.proposition))


def _as_read(
    finding: Finding,
    first: Reading,
    readings: Sequence[Reading],
    stated: Sequence[tuple[Statement, Reading]],
    world: World,
    *,
    is_finding: bool,
) -> Finding:
    """A claim of which a reading is known.

    Args:
        stated: its statements, where each is read by itself, too; else its parts are those of the
            proposition.
    """
    assert first.proposition is not None
    answer, check = _verdict(first, world, is_finding=is_finding)
    parts = tuple(_statements(first.proposition, answer))
    told = tuple(statement for statement, _ in parts) if len(parts) > 1 else ()
    if stated:
        told = tuple(replace(each, check=_alone(reading, world)) for each, reading in stated)
    if not first.is_final:
        results = {
            _verdict(each, world, is_finding=is_finding)[1].result
            for each in _others(first, readings)
        }
        if _AGAINST.get(check.result) in results:  # one is wrong, and nobody knows which
            ways = "Read in two ways, to which the code says different things"
            check = FactCheck(Check.UNVERIFIED, f"{ways}; {check.evidence}", check.span)
    said = _understood(first, first.proposition, answer.looked_at)
    return filed(_beside(finding.judged(_noted(check, finding), told, said), first, readings))


def _others(first: Reading, readings: Sequence[Reading]) -> list[Reading]:
    return [each for each in readings if each.proposition not in (None, first.proposition)]


def _beside(finding: Finding, first: Reading, readings: Sequence[Reading]) -> Finding:
    """A finding judged by the first reading, with who reads it otherwise."""
    others = _others(first, readings)
    otherwise = tuple((each.reader, sentence(each.proposition)) for each in others)  # type: ignore[arg-type]
    assert finding.understood is not None
    return replace(finding, understood=replace(finding.understood, otherwise=otherwise))


def _verdict(reading: Reading, world: World, *, is_finding: bool) -> tuple[Answer, FactCheck]:
    """What the code says to a reading, and what that comes to; what it leaves open, the words that
    it leaves over or what else they may mean, leaves the claim open.
    """
    assert reading.proposition is not None
    answer, check = _answered(reading.proposition, world, is_finding=is_finding)
    others = (_answered(each, world, is_finding=is_finding)[1] for each in reading.otherwise)
    doubt = ""
    if any(other.result is not check.result for other in others):
        doubt = "It may mean several things, to which the code says different things"
    elif check.result is Check.CONFIRMED and not reading.proves:
        doubt = f"So far it is so, and more is said: {_more(reading)}"
    elif check.result is Check.REFUTED and not reading.disproves:
        doubt = f"So far it is not so, and more is said: {_more(reading)}"
    if doubt:
        evidence = f"{doubt}; {check.evidence}"[:_LONGEST]
        check = FactCheck(Check.UNVERIFIED, evidence, check.span)
    return answer, check


def _more(reading: Reading) -> str:
    return ", ".join((*reading.leftover, *reading.unread))


def _answered(
    proposition: Proposition, world: World, *, is_finding: bool
) -> tuple[Answer, FactCheck]:
    answer = evaluate(proposition, world)
    parts = list(_statements(proposition, answer))
    counting = [statement.check for statement, counts in parts if counts]
    marked = mark(proposition, answer, is_finding=is_finding)
    return answer, judged_together(counting or [parts[0][0].check], _RESULTS[marked])


def _by_statements(
    finding: Finding, asked: Sequence[Sequence[Reading]], offline: _Offline, world: World
) -> Finding:
    """A claim whose statements were read one by one, each as a claim by itself; offline those that
    nobody who was asked has read.
    """
    own = {statement.claim: reading for statement, reading in offline.parts}
    read = [
        _one(
            replace(finding, claim=each.claim, span=each.span, places=(), parts=()),
            readings,
            _Offline(own.get(each.claim) or Reading(reader=READER)),
            world,
            is_finding=False,
        )
        for each, readings in zip(offline.statements, asked, strict=True)
    ]
    checks = [each.check for each in read]
    told = tuple(
        replace(each, check=check) for each, check in zip(offline.statements, checks, strict=True)
    )
    head = offline.head
    readers = [each.understood for each in (*read[head:], *read[:head]) if each.understood]
    found = [
        parse(json.loads(each.understood.proposition))
        for each in read
        if each.understood and each.understood.proposition
    ]
    first = Reading(reader=readers[0].reader, why_not=readers[0].why_not)
    whole = AllOf(tuple(found)) if len(found) > 1 else next(iter(found), None)
    check = _noted(judged_together([*checks[head:], *checks[:head]]), finding)
    return finding.judged(check, told, _understood(first, whole))


def _in_parts(
    finding: Finding,
    unread: Reading,
    offline: _Offline,
    world: World,
    *,
    is_asked: bool,
) -> Finding:
    """A claim that is not read as a whole: what the code says to those of its statements that
    are.
    """
    parts, head = offline.parts, offline.head
    if is_asked or not any(reading.proposition for _, reading in parts):
        said = Understood(reader=unread.reader, why_not=unread.why_not)
        told = tuple(
            replace(each, check=_unread(unread if is_asked else own)) for each, own in parts
        )
        return finding.judged(_noted(_unread(unread), finding), told, said)
    checks = [_alone(reading, world) for _, reading in parts]
    told = tuple(replace(each, check=check) for (each, _), check in zip(parts, checks, strict=True))
    read = tuple(each.proposition for _, each in parts if each.proposition)
    whole = read[0] if len(read) == 1 else AllOf(read)
    check = judged_together([*checks[head:], *checks[:head]])
    if check.result is Check.CONFIRMED and not unread.proves:
        evidence = f"So far it is so, and more is said: {_more(unread)}; {check.evidence}"
        check = FactCheck(Check.UNVERIFIED, evidence[:_LONGEST], check.span)
    check = _noted(check, finding)
    return filed(finding.judged(check, told, _understood(parts[head][1], whole)))


def _alone(reading: Reading, world: World) -> FactCheck:
    """What the code says to a statement by itself."""
    if reading.proposition is None:
        return _unread(reading)
    return _verdict(reading, world, is_finding=False)[1]


def _unread(reading: Reading) -> FactCheck:
    why = f"{NOT_READ}: {reading.why_not}" if reading.why_not else NOT_READ
    return FactCheck(Check.UNVERIFIED, why[:_LONGEST])


def _understood(
    reading: Reading, proposition: Proposition | None, looked_at: tuple[str, ...] = ()
) -> Understood:
    if proposition is None:
        return Understood(reader=reading.reader, why_not=reading.why_not)
    return Understood(
        reader=reading.reader,
        proposition=json.dumps(to_json(proposition)),
        sentence=sentence(proposition),
        looked_at=looked_at,
    )


def _noted(check: FactCheck, finding: Finding) -> FactCheck:
    """An open check with what a person should know of the places: a wrong line, a quote that is
    nowhere.
    """
    notes = [place.note for place in finding.places if place.note]
    if check.result is not Check.UNVERIFIED or not notes:
        return check
    return replace(check, evidence="; ".join((check.evidence, *notes)))


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
