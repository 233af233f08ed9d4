"""What the code says to claims: each is read into a proposition, by whoever was asked or offline,
and the answer to that is its fact check.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate

from reviewers import settings
from reviewers.claims.blocks import blocks
from reviewers.claims.categories import filed
from reviewers.claims.claim import Claim, head_of, read_claims
from reviewers.claims.clauses import Link
from reviewers.claims.evidence import (
    LONGEST,
    OPEN,
    OPPOSITE,
    answered,
    has_open_failure,
    judged_together,
)
from reviewers.claims.locate import LONGEST_CLAIM, code_names, readable
from reviewers.claims.report import ClaimsReport
from reviewers.claims.roles import PieceRole
from reviewers.facts import Facts
from reviewers.propositions import Proposition, World, parse, sentence, to_json
from reviewers.propositions.marks import is_failure, is_neutral, is_opinion
from reviewers.propositions.terms import AllOf, Atom, Only
from reviewers.readers.linking import SymbolTable, table_of
from reviewers.readers.offline import READER, has_subject, read_all
from reviewers.readers.reading import Reading
from reviewers.records import NOT_READ, Check, FactCheck, Failure, Finding, Statement, Understood
from reviewers.steps import OutOfSteps, Steps, attempted, leave_out, part

MOST_CHECKED = 400
"""Claims of one review that are looked at; a text with more is no review."""
MOST_READ = 30_000
"""Characters of a review's claims that are looked at; real reviews have a few thousand."""
_TOO_MANY = (
    f"only the first {MOST_CHECKED} claims of a review are checked, and of these {MOST_READ:,}"
    " characters"
)
_LONGEST_SAID = 60_000  # characters of a review whose items are told apart
_LONGEST_HEAD = 220  # a number and a place
_Answered = Callable[..., tuple[FactCheck, tuple[Statement, ...], tuple[str, ...]]]
_NOT_WHOLE = "only part of it is understood"


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
    claims = [each for each in findings if each.claim]
    read = accumulate(min(len(each.claim or ""), LONGEST_CLAIM) for each in claims)
    within = [each for each, so_far in zip(claims, read, strict=True) if so_far <= MOST_READ]
    kept = within[:MOST_CHECKED]
    if passed_over := len(claims) - len(kept):
        leave_out(f"{passed_over:,} of {len(claims):,} claims: {_TOO_MANY}")
    items = _items(said)
    with part():
        table = table_of(world.facts)
    offline = dict(zip(map(id, kept), _read_offline(kept, table, said), strict=True))
    for finding in findings:
        if not finding.claim:
            yield finding
        elif (own := offline.get(id(finding))) is not None:
            is_whole = _is_whole(finding.claim, items)
            spoken_of = replace(world, about=code_names(finding.claim, table))
            yield filed(_concluded(finding, readings, own, spoken_of, is_finding=is_whole))
        else:
            why = FactCheck(Check.UNVERIFIED, f"Not looked at: {_TOO_MANY}")
            yield replace(finding, check=why)


@dataclass(frozen=True, slots=True)
class _Offline:
    """A claim as it is read offline.

    Attributes:
        statements: of which it is made, each as it is read by itself.
        head: which of them is the main thing said.
        beside: whether each stands beside another, and is no consequence.
    """

    whole: Reading
    statements: tuple[tuple[Statement, Reading], ...] = ()
    head: int = 0
    beside: tuple[bool, ...] = ()


def _read_offline(findings: Sequence[Finding], table: SymbolTable, said: str) -> Iterator[_Offline]:
    """Each claim as a whole, and where it is several statements, each of them."""
    with part():
        cut = read_claims(said) if findings else []
    within = [_within(each, cut) for each in findings]
    wholes = [
        (own[0].words if len(own) == 1 else finding.claim or "", _scope(own))
        for finding, own in zip(findings, within, strict=True)
    ]
    for finding, own, whole in zip(findings, within, _read_all(wholes, table), strict=True):
        if finding.claim_at and all(each.piece.role is not PieceRole.CLAIM for each in own):
            whole = Reading(reader=READER, why_not="it only advises or sums up")
        read = [whole] * len(own)
        if len(own) > 1:
            read = _read_all([(each.words, _scope([each])) for each in own], table)
            if not _is_understood(whole):
                whole = replace(whole, proposition=None, why_not=whole.why_not or _NOT_WHOLE)
            read = list(_beside(own, read, table))
        placed = {each.claim: each for each in finding.parts}
        made_of = [placed.get(each.written) or Statement(each.written, OPEN) for each in own]
        beside = tuple(each.piece.link in (Link.AND, Link.LIST) for each in own)
        yield _Offline(whole, tuple(zip(made_of, read, strict=True)), head_of(own), beside)


def _beside(own: Sequence[Claim], read: Sequence[Reading], table: SymbolTable) -> Iterator[Reading]:
    """The readings of statements; what is listed beside one may be a part of what it says."""
    listed = [
        each.piece.link is Link.LIST
        or (each.piece.link is Link.AND and not has_subject(each.written, table))
        for each in own
    ]
    number = list(accumulate(not one for one in listed))  # of the statement that begins each list
    for mine, one in zip(number, read, strict=True):
        beside = [
            other
            for at, (theirs, other) in enumerate(zip(number, read, strict=True))
            if theirs == mine and listed[at]
        ]
        is_open = not all(map(_is_understood, beside))
        is_narrower = bool(beside) and isinstance(one.proposition, Only)
        yield replace(one, disproves=False) if is_open or is_narrower else one


def _is_understood(reading: Reading) -> bool:
    return reading.proposition is not None and not reading.unread


def _within(finding: Finding, statements: Sequence[Claim]) -> list[Claim]:
    """The statements of which a finding is made, as the review is cut."""
    start, end = finding.claim_at or (0, 0)
    return [each for each in statements if start <= each.piece.start and each.piece.end <= end]


def _scope(own: Sequence[Claim]) -> str:
    """The headings and labels above a claim, nearest first."""
    return next(("\n".join(map(readable, reversed(each.under))) for each in own[:1]), "")


def _read_all(claims: Sequence[tuple[str, str]], table: SymbolTable) -> list[Reading]:
    """Claims, each with its scope, read in their order; those that stop the reader by themselves
    are not read.
    """
    words, scopes = [readable(each) for each, _ in claims], [scope for _, scope in claims]
    read, why = attempted("a claim's reading", lambda: read_all(words, table, scopes))
    if read is None and len(claims) > 1:
        return [one for each in claims for one in _read_all([each], table)]
    return read or [Reading(reader=READER, why_not=why)] * len(claims)


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What the code says to a claim, or to one of its statements.

    Attributes:
        reading: the one that counts.
        parts: those of its proposition.
        looked_at: what was looked at to judge it.
        otherwise: the readings that say something else.
    """

    reading: Reading
    check: FactCheck
    parts: tuple[Statement, ...] = ()
    looked_at: tuple[str, ...] = ()
    otherwise: tuple[Reading, ...] = ()

    @property
    def understood(self) -> Understood:
        """How the claim was read."""
        others = [(each.reader, each.proposition) for each in self.otherwise]
        otherwise = tuple((who, sentence(said)) for who, said in others if said is not None)
        reader, said = self.reading.reader, self.reading.proposition
        if said is None:
            return Understood(reader=reader, why_not=self.reading.why_not, otherwise=otherwise)
        return Understood(
            reader=reader,
            proposition=json.dumps(to_json(said)),
            sentence=sentence(said),
            looked_at=self.looked_at,
            otherwise=otherwise,
        )


def _concluded(
    finding: Finding,
    readings: Mapping[str, Sequence[Reading]],
    own: _Offline,
    world: World,
    *,
    is_finding: bool,
) -> Finding:
    """A claim with what the code says to it: as a whole where somebody has read it so, else to each
    of its statements.
    """
    asked = readings.get(finding.id, ())
    statements = own.statements
    if any(each.is_final for each in asked):  # of the whole, whatever its statements are
        statements = ()
    told = [readings.get(each.claim, ()) for each, _ in statements]
    in_parts = any(told) and not any(each.proposition for each in asked)
    if len(statements) == 1:
        asked = told[0] if in_parts else asked
        statements, told, in_parts = (), [], False
    alone: list[_Verdict] = []
    if in_parts or not asked:
        said = [
            _counting(by, one).proposition for by, (_, one) in zip(told, statements, strict=True)
        ]
        alone = [
            _verdict(by, one, world, _beside_of(at, said))
            for at, (by, (_, one)) in enumerate(zip(told, statements, strict=True))
        ]
    if in_parts:
        whole = _together(alone, own, world)
    else:
        whole = _verdict(asked, own.whole, world, is_finding=is_finding)
        if whole.reading.proposition is None and any(each.reading.proposition for each in alone):
            whole = _together(alone, own, world, own.whole)
    parts = whole.parts
    if alone or whole.reading.proposition is None:
        told_of = alone or [whole] * len(statements)
        parts = tuple(
            replace(each, check=by.check, says=by.understood.proposition)
            for (each, _), by in zip(statements, told_of, strict=True)
        )
    # What a person should know of the places: a wrong line, a quote that is nowhere.
    notes = [place.note for place in finding.places if place.note]
    check = whole.check
    is_one = len(own.statements) == 1 and isinstance(whole.reading.proposition, AllOf)
    if check.result is Check.CONFIRMED and is_one and any(_is_open(each) for each in whole.parts):
        # Several statements may stay open behind the first; of one, all must be so.
        check = _doubted(check, "Confirmed in part")
    if check.result is Check.UNVERIFIED and notes:
        check = replace(check, evidence="; ".join((check.evidence, *notes)))
    return finding.judged(check, parts, whole.understood)


def _beside_of(at: int, said: Sequence[Proposition | None]) -> list[Proposition]:
    """What stands beside a statement, of which it may be the effect. A failure without its error
    may be that of one that is not read.
    """
    mine = said[at]
    is_bare = isinstance(mine, Atom) and mine.predicate == "fails" and mine.get("error") is None
    others = [each for each in (*said[:at], *said[at + 1 :]) if each is not None]
    return [] if is_bare and len(others) < len(said) - 1 else others


def _is_open(part: Statement) -> bool:
    """Whether the code leaves a part open that is no opinion."""
    said = parse(json.loads(part.says)) if part.says else None
    return part.check.result is Check.UNVERIFIED and not (said and is_opinion(said))


def _counting(asked: Sequence[Reading], offline: Reading) -> Reading:
    """The reading that counts: of the first who could read it. What those could not read who were
    asked is not read offline.
    """
    told = asked or [offline]
    return next((each for each in told if each.proposition or each.is_final), told[0])


def _verdict(
    asked: Sequence[Reading],
    offline: Reading,
    world: World,
    beside: Sequence[Proposition] = (),
    *,
    is_finding: bool = False,
) -> _Verdict:
    """What the code says to a claim: to the reading that counts, unless another says the opposite.

    Args:
        beside: what the other statements say of its finding.
    """
    first = _counting(asked, offline)
    others = tuple(
        each
        for each in (*asked, offline)
        if each.proposition not in (None, first.proposition)
        and (first.proposition or first.is_final)
    )
    if first.proposition is None:
        return _Verdict(first, _unread(first), otherwise=others)
    found, why = attempted(
        "a claim's reading",
        lambda: _held(
            first, others, partial(answered, world=world, is_finding=is_finding, beside=beside)
        ),
    )
    if found is None:
        return _Verdict(first, FactCheck(Check.UNVERIFIED, f"Not looked at to the end: {why}"))
    return found


def _held(first: Reading, others: Sequence[Reading], said: _Answered) -> _Verdict:
    check, parts, looked_at = _weighed(first, said)
    told = (_weighed(each, said)[0] for each in others)
    against = any(other.result is OPPOSITE.get(check.result) for other in told)
    if against and not first.is_final:  # one is wrong, and nobody knows which
        check = _doubted(check, "Read in two ways, to which the code says different things")
    return _Verdict(first, check, parts, looked_at, tuple(others))


def _weighed(
    reading: Reading, said: _Answered
) -> tuple[FactCheck, tuple[Statement, ...], tuple[str, ...]]:
    """What the code says to a reading, its parts, and what was looked at. What it leaves open, the
    words that it leaves over or what else they may mean, leaves the claim open.
    """
    assert reading.proposition is not None
    check, parts, looked_at = said(reading.proposition)
    for each in reading.falls_with:
        alone, _, _ = said(each, is_finding=False)
        if alone.result is Check.REFUTED:
            return alone, parts, looked_at
    others = (said(each)[0] for each in reading.otherwise)
    if any(other.result is not check.result for other in others):
        several = "It may mean several things, to which the code says different things"
        check = _doubted(check, several)
    elif check.result is Check.CONFIRMED and not reading.proves:
        check = _doubted(check, _in_part("Confirmed", reading))
    elif check.result is Check.REFUTED and not reading.disproves:
        check = _doubted(check, _in_part("Refuted", reading))
    return check, parts, looked_at


def _doubted(check: FactCheck, doubt: str) -> FactCheck:
    evidence = f"{doubt}; {check.evidence}"[:LONGEST]
    return FactCheck(Check.UNVERIFIED, evidence, check.span)


def _in_part(found: str, reading: Reading) -> str:
    more = ", ".join((*reading.leftover, *reading.unread))
    return f"{found} in part; not understood: {more}" if more else f"{found} in part"


def _together(
    alone: Sequence[_Verdict], offline: _Offline, world: World, unread: Reading | None = None
) -> _Verdict:
    """What verdicts on the statements of a claim come to.

    Args:
        unread: what of the whole is not read.
    """
    said = tuple(each.reading.proposition for each in alone if each.reading.proposition)
    whole = AllOf(said) if len(said) > 1 else next(iter(said), None)
    head = offline.head
    order = [*alone[head:]]
    if alone[head].check.result is not Check.REFUTED:
        order += alone[:head]  # what is granted before a "but" does not save it
    met = [
        each
        for each in order
        if each.check.result is Check.CONFIRMED and is_failure(each.reading.proposition)
    ]
    check = judged_together([each.check for each in met + [one for one in order if one not in met]])
    if met:  # what is proven to fail so, or there, needs no reason to be so
        return _Verdict(replace(alone[head].reading, proposition=whole), check)
    left = (each for each, is_beside in zip(alone, offline.beside, strict=True) if is_beside)
    if check.result is Check.REFUTED and any(each.reading.proposition is None for each in left):
        check = _doubted(check, "Refuted in part")
    if check.result is Check.CONFIRMED and unread and not unread.proves:
        check = _doubted(check, _in_part("Confirmed", unread))
    elif check.result is Check.CONFIRMED and whole:
        # "A, but B" is about both where B may be so in good code.
        is_first_open = alone[0].reading.proposition and alone[0].check.result is Check.UNVERIFIED
        is_aside = is_first_open and is_neutral(alone[head].reading.proposition or whole)
        is_open, _ = attempted("a claim's reading", lambda: has_open_failure(whole, world))
        if is_aside or is_open is not False:
            check = _doubted(check, "Confirmed as to how the code is, not that it is wrong")
    return _Verdict(replace(alone[head].reading, proposition=whole), check)


def _unread(reading: Reading) -> FactCheck:
    why = f"{NOT_READ}: {reading.why_not}" if reading.why_not else NOT_READ
    return FactCheck(Check.UNVERIFIED, why[:LONGEST])


def _items(said: str) -> list[str]:
    """A review's paragraphs and list items."""
    found = blocks(said[:_LONGEST_SAID])
    return [" ".join(said[block.start : block.end].split()) for block in found]


def _is_whole(claim: str, items: Sequence[str]) -> bool:
    """Whether a claim is a whole item of the review, its number and place aside: a finding with its
    reasons and consequences, and no statement that was cut out of one.
    """
    words = " ".join(claim.split())
    return bool(words) and any(
        item.endswith(words) and len(item) - len(words) <= _LONGEST_HEAD for item in items
    )
