"""From a review's text to findings: each claim with its kind, its place and what the code says to it."""

import re
from collections.abc import Iterator, Sequence

from reviewers.claims.checks import Case, checks
from reviewers.claims.claim import Claim, read_claims
from reviewers.claims.kinds import OTHER, Kind
from reviewers.claims.locate import Place, absent_note, places
from reviewers.claims.search import Search
from reviewers.facts import Facts
from reviewers.facts.fingerprint import distinct, fingerprint
from reviewers.records import Check, FactCheck, Finding, Span

MOST_CHECKED = 400
"""Claims of one review that are looked at; a text with more is no review, and its further claims stay unverified."""


def check_text(text: str, facts: Facts, found: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return every claim of a review as a finding, in the order of the text.

    Args:
        text: the review's free text; `claim_at` of each finding counts in it.
        found: the rules' findings on the same submission.
    """
    return tuple(distinct(_findings(text, facts, found)))


def _findings(text: str, facts: Facts, found: Sequence[Finding]) -> Iterator[Finding]:
    search = Search(facts)
    earlier: list[tuple[Claim, FactCheck]] = []
    last: Span | None = None
    claims = list(read_claims(text, facts.submission, search.defined, MOST_CHECKED))
    categories = frozenset(claim.kind.category for claim in claims)
    for claim in claims:
        if claim.index >= MOST_CHECKED:
            said = FactCheck(Check.UNVERIFIED, f"Not looked at: only the first {MOST_CHECKED} claims of a review are checked")
            yield _finding(claim, claim.kind, facts, None, said)
            continue
        if earlier and earlier[0][0].block != claim.block:
            earlier, last = [], None
        kind, answer = _ask(Case(claim, facts, found, search, tuple(earlier), categories))
        where = places(claim, search, last)
        span = _best(claim, where, answer, last)
        said = _with_notes(answer or _open(kind), claim, where)
        yield _finding(claim, kind, facts, span, said)
        earlier, last = [(claim, said), *earlier[:2]], _own_place(where) or span


def _ask(case: Case) -> tuple[Kind, FactCheck | None]:
    """The first answer that decides, else the first that tells something, with the kind whose check gave it."""
    first: tuple[Kind, FactCheck] | None = None
    asked: set[str] = set()
    for kind in case.claim.kinds:
        for name in (*kind.checks, *_FOR_EVERY_KIND):
            if name in asked:
                continue
            asked.add(name)
            answer = checks()[name](case)
            if answer is None:
                continue
            known = kind if name != "presence" else case.claim.kind
            answer = _without_more(case, name, answer)
            if answer.result is not Check.UNVERIFIED:
                return known, answer
            first = first or (known, answer)
    return first or (case.claim.kind, None)


_FOR_EVERY_KIND = ("by_rule", "knowledge")
_MORE = re.compile(
    r"\b(?:crash\w*|fail\w*|abort\w*|break\w*|malfunction\w*|stops?|raises?|throws?|causing|leading to|resulting in)\b"
)
_PROVES_ERROR = {
    "syntax": "syntaxerror",
    "missing_module": "importerror|modulenotfounderror",
    "undefined_name": "nameerror|unboundlocalerror",
    "signature": "typeerror",
    "placeholder": "notimplementederror",
    "stub": "notimplementederror",
    "relative_import": "importerror",
    "cli_contract": "jsondecodeerror|",
}


_OWN_ERRORS = frozenset(["knowledge", "config_error", "composition", "follows", "by_rule"])


def _without_more(case: Case, name: str, answer: FactCheck) -> FactCheck:
    """A claim that says on top which error its defect ends in is only half proved by the defect."""
    if answer.result is not Check.CONFIRMED or name in _OWN_ERRORS:
        return answer
    errors = [error.casefold() for error in case.claim.own.errors]
    proved = _PROVES_ERROR.get(name)
    if proved is not None and all(re.fullmatch(proved, error) for error in errors):
        return answer
    if not errors and not _MORE.search(case.said):
        return answer
    return FactCheck(Check.UNVERIFIED, f"{answer.evidence}; whether that ends as the claim says was not proved", answer.span)


def _open(kind: Kind) -> FactCheck:
    if kind.id == OTHER:
        return FactCheck(Check.UNVERIFIED, "No check knows what this claim speaks of")
    return FactCheck(Check.UNVERIFIED, "Nothing in the code that can be known without running it proves or disproves this")


def _best(claim: Claim, where: tuple[Place, ...], answer: FactCheck | None, before: Span | None) -> Span | None:
    """The place of a claim: what proves it where that has lines, else what it names, else that of the claim before it."""
    proof = answer.span if answer else None
    if proof is not None and (proof.line is not None or not where):
        return proof
    if claim.points_back and before is not None and before.line is not None and not any(place.how in _OWN for place in where):
        return before
    lined = next((place.span for place in where if place.span.line is not None), None)
    if lined is not None and (proof is None or lined.file == proof.file):
        return lined
    return proof or (where[0].span if where else before)


def _own_place(where: tuple[Place, ...]) -> Span | None:
    return next((place.span for place in where if place.how in _OWN and place.span.line is not None), None)


_OWN = ("line", "quote", "definition")


def _with_notes(said: FactCheck, claim: Claim, where: tuple[Place, ...]) -> FactCheck:
    """Add what a reader must know of the place: a wrong line number, a quote that is only near, a file that is not there."""
    if said.result is not Check.UNVERIFIED:
        return said
    notes = [
        note
        for note in (absent_note(claim), next((place.note for place in where if place.note), ""))
        if note and note not in said.evidence
    ]
    if not notes:
        return said
    return FactCheck(said.result, "; ".join((said.evidence, *notes)), said.span)


def _finding(claim: Claim, kind: Kind, facts: Facts, span: Span | None, said: FactCheck) -> Finding:
    words = " ".join(claim.text.split())
    return Finding(
        id=fingerprint(facts, kind.id, span, words),
        kind=kind.id,
        criterion=kind.criterion,
        category=kind.category,
        severity=kind.severity,
        message=words,
        claim=claim.text,
        claim_at=(claim.start, claim.end),
        span=span,
        check=said,
    )
