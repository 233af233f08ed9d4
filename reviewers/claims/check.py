"""From a review's text to findings: each whole thought with its place, read and held against the
code.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from reviewers import settings
from reviewers.claims.categories import category_named, criterion_of, severity_of, weighed
from reviewers.claims.cited import Cited
from reviewers.claims.claim import Claim, head_of, read_claims
from reviewers.claims.evidence import OPEN
from reviewers.claims.locate import named, named_above, places
from reviewers.claims.report import ClaimsReport
from reviewers.claims.understanding import MOST_CHECKED, understood
from reviewers.facts import Facts
from reviewers.facts.fingerprint import distinct, fingerprint
from reviewers.facts.quotes import Search
from reviewers.readers.linking import table_of
from reviewers.records import Failure, Finding, Found, Place, Span, Statement
from reviewers.rubric import UNCATEGORISED
from reviewers.steps import Steps, attempted, part

_SURE = (Found.LINE, Found.QUOTE, Found.DEFINITION)


def check_claims(
    text: str, facts: Facts, failures: Sequence[Failure] = (), cited: Sequence[Cited] = ()
) -> ClaimsReport:
    """Turn every claim of a review into a finding, read offline and held against the code; whatever
    stops on the way is said, and loses neither the claims before it nor the review.

    Args:
        text: the review's free text; `claim_at` of each finding counts in it.
        failures: what is known to stop a documented command, in the order of a run.
        cited: places that the reviewer gave for parts of the text, apart from its words.
    """
    cut = cut_claims(text, facts, cited)
    told = understood(cut.findings, {}, facts, failures, text)
    partial = tuple(dict.fromkeys((*cut.partial, *told.partial)))
    findings = tuple(map(weighed, told.findings))
    return ClaimsReport(findings, partial, cut.timed_out or told.timed_out)


def cut_claims(text: str, facts: Facts, cited: Sequence[Cited] = ()) -> ClaimsReport:
    """Turn every claim of a review into a finding with its place, which nobody has checked."""
    steps = Steps(settings.review_seconds())
    findings: list[Finding] = []
    with steps.counted():
        attempted(
            "the claims of the review", lambda: findings.extend(_findings(text, facts, cited))
        )
    return ClaimsReport(tuple(distinct(findings)), tuple(steps.left_out), steps.timed_out)


def _findings(text: str, facts: Facts, cited: Sequence[Cited]) -> Iterator[Finding]:
    with part():
        claims = read_claims(text, cited)
    cut = _Cut(facts)
    for number, ((start, end), group) in enumerate(groupby(claims, lambda each: each.thought)):
        with part():
            yield cut.finding(list(group), text[start:end], start, is_placed=number < MOST_CHECKED)


class _Cut:
    """Makes findings of thoughts, in the order of the review: "this" is shown where that is of
    which it speaks.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._table = table_of(facts)
        self._search = Search(facts)
        self._last: tuple[int, Span] | None = None

    def finding(
        self, statements: Sequence[Claim], written: str, start: int, *, is_placed: bool
    ) -> Finding:
        """One whole thought; the statements in it are its parts, and of "… but …" the head is what
        follows.
        """
        told = [self._told(each) if is_placed else ((), UNCATEGORISED) for each in statements]
        turn = head_of(statements)
        order = (*range(turn, len(statements)), *range(turn))
        head = next((at for at in order if told[at][1] != UNCATEGORISED), turn)
        where, category = told[head]
        span = where[0].span if where else None
        words = " ".join(written.split())
        return Finding(
            id=fingerprint(self._facts, "claim", span, words),
            criterion=criterion_of(category),
            category=category,
            severity=severity_of(category),
            message=words,
            claim=written,
            claim_at=(start, start + len(written)),
            span=span,
            check=OPEN,
            places=where,
            parts=tuple(
                Statement(each.written, OPEN, found[0].span if found else None, category)
                for each, (found, category) in zip(statements, told, strict=True)
            )
            if len(statements) > 1
            else (),
        )

    def _told(self, claim: Claim) -> tuple[tuple[Place, ...], str]:
        """The places that a claim is about, and the category that its names tell."""
        before = self._last[1] if self._last and self._last[0] == claim.piece.block else None
        said, under = named(claim.words, self._table), named_above(claim.under, self._table)
        found = places(said, under, claim.cited, self._search, self._table, before)
        sure = (each.span for each in found if each.found in _SURE and each.span.line is not None)
        if (span := next(sure, found[0].span if found else None)) is not None:
            self._last = claim.piece.block, span
        return found, category_named(said, span)
