"""One row for one defect, however many speak of it: findings of several reviewers put together by
place, predicate and wording.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from reviewers.claims.missed import covers
from reviewers.panel.sameness import ReviewerFinding, continues, opposed, sameness, say_the_same
from reviewers.records import Check, Finding, Severity, Span

_MOST_COMPARED = 30
"""Rows that a finding is compared with, those at its own lines first, so that 10,000 findings take
seconds.
"""
_LONGEST_SENTENCE = 5
"""Claims of one sentence; a text of a thousand consequences is no sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedFinding:
    """One defect.

    Attributes:
        title: a rule's words, else those of the best claim: confirmed before unverified before
            refuted, the worst first.
        span: where the finding stands that gave the title, else the first place that any gives;
            None where none does.
        category, criterion: of the finding that gave the title.
        severity: the worst that is not refuted; where all are, the worst.
        found: by reviewer, sorted by name, what each says of it, in the order of its review.
        state: confirmed where anything of it is; refuted where all of it is.
        contradictory: whether one finding of it is confirmed and another refuted although they say
            the same of one place.
        proof: the confirmed finding of it that decides the verdict, the worst and then a rule's
            first, with its reviewer; None where there is none.
        spoken_of_by: reviewers with a claim in another row that may mean this proof too; they
            have not missed it.
    """

    title: str
    span: Span | None
    category: str
    criterion: int | None
    severity: Severity
    found: Mapping[str, tuple[Finding, ...]]
    state: Check
    contradictory: bool
    proof: tuple[str, Finding] | None = None
    spoken_of_by: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All of them, reviewers by name."""
        return tuple(finding for findings in self.found.values() for finding in findings)


class _Row:
    """A row while it grows: what it is about is what was first put into it, so no chain of
    neighbours can stretch it.
    """

    def __init__(self, sentence: Sequence[ReviewerFinding]) -> None:
        self.centre = sentence[0]
        self.members: list[ReviewerFinding] = []
        self._checked: dict[tuple[Check, str], ReviewerFinding] = {}
        self.add(sentence)

    def add(self, sentence: Sequence[ReviewerFinding]) -> None:
        self.members.extend(sentence)
        self._checked.update(
            {(said.finding.check.result, said.finding.id): said for said in sentence}
        )

    def fits(self, sentence: Sequence[ReviewerFinding]) -> float:
        """How surely the row is about what the sentence says, 0 where it is about something
        else.
        """
        # What is refuted covers nothing, so it takes nothing else along into the row of what is
        # proven.
        heard = [said for said in sentence if not said.refuted] or sentence
        best = max(sameness(said, self.centre) for said in heard)
        return best if best and all(map(self._admits, sentence)) else 0.0

    def _admits(self, said: ReviewerFinding) -> bool:
        if said.finding.check.result is Check.UNVERIFIED:
            return True
        return all(
            say_the_same(said, other) for other in self._checked.values() if opposed(said, other)
        )


def merged(
    findings: Mapping[str, Sequence[Finding]], mildest: Severity = Severity.BLOCKER
) -> tuple[MergedFinding, ...]:
    """Return one row for each defect: what is proven first, then what is open, then what is
    refuted; the worst first in each.

    Every finding is in exactly one row. A rule's finding has a claim in its row only if
    `missed_blockers` sees that claim cover it too. The order of the reviewers changes nothing.

    Args:
        findings: by reviewer; each in the order of its review.
        mildest: the mildest severity with which the contract calls a submission not ready.
    """
    sentences = [sentence for name in findings for sentence in _sentences(name, findings[name])]
    rows: list[_Row] = []
    near = _Nearby()
    for sentence in sorted(sentences, key=lambda sentence: sentence[0].order):
        fitting = [(row.fits(sentence), -number) for number, row in near.rows(sentence, rows)]
        best, number = max(fitting, default=(0.0, 0))
        if best:
            rows[-number].add(sentence)
        else:
            near.add(len(rows), sentence[0])
            rows.append(_Row(sentence))
    shown = [_shown(row, mildest) for row in rows]
    return tuple(sorted(_with_speakers(shown, findings, mildest), key=_order))


def _decides(finding: Finding, mildest: Severity) -> bool:
    """Whether the submission is not ready for it alone."""
    return finding.severity.rank <= mildest.rank and finding.check.result is Check.CONFIRMED


def _sentences(reviewer: str, findings: Sequence[Finding]) -> Iterator[list[ReviewerFinding]]:
    """What a reviewer says in one breath, the claim that matters most first: a claim and the
    consequences drawn from it.
    """
    sentence: list[ReviewerFinding] = []
    for place, finding in enumerate(findings):
        said = ReviewerFinding(finding, reviewer, place)
        if sentence and not (len(sentence) < _LONGEST_SENTENCE and continues(said, sentence)):
            yield sorted(sentence, key=lambda said: said.order)
            sentence = []
        sentence.append(said)
    if sentence:
        yield sorted(sentence, key=lambda said: said.order)


class _Nearby:
    """Finds the rows that a sentence may belong to without looking at all of them."""

    def __init__(self) -> None:
        self._numbers: dict[object, list[int]] = defaultdict(list)

    def add(self, number: int, centre: ReviewerFinding) -> None:
        for ground in centre.grounds:
            self._numbers[ground].append(number)

    def rows(
        self, sentence: Iterable[ReviewerFinding], rows: Sequence[_Row]
    ) -> Iterator[tuple[int, _Row]]:
        grounds = dict.fromkeys(ground for said in sentence for ground in said.grounds)
        numbers = dict.fromkeys(
            chain.from_iterable(self._numbers[ground][:_MOST_COMPARED] for ground in grounds)
        )
        return ((number, rows[number]) for number in islice(numbers, _MOST_COMPARED))


def _shown(row: _Row, mildest: Severity) -> MergedFinding:
    members = sorted(row.members, key=lambda said: said.order)
    held = [said for said in members if not said.refuted] or members
    title = min(
        members, key=lambda said: (*said.order[:2], said.is_fragment, *said.order[2:])
    ).finding
    results = {said.finding.check.result for said in members}
    found: dict[str, list[ReviewerFinding]] = defaultdict(list)
    for said in members:
        found[said.reviewer].append(said)
    proofs = [
        (said.finding.severity.rank, said.finding.rule is None, said.reviewer, said.place, said)
        for said in members
        if _decides(said.finding, mildest)
    ]
    proof = min(proofs, key=lambda proof: proof[:4])[-1] if proofs else None
    return MergedFinding(
        title=title.message,
        span=title.span or next((said.finding.span for said in members if said.finding.span), None),
        category=title.category,
        criterion=title.criterion,
        severity=min((said.finding.severity for said in held), key=lambda severity: severity.rank),
        found={
            name: tuple(said.finding for said in sorted(found[name], key=lambda said: said.place))
            for name in sorted(found)
        },
        state=(
            Check.CONFIRMED
            if Check.CONFIRMED in results
            else Check.UNVERIFIED
            if Check.UNVERIFIED in results
            else Check.REFUTED
        ),
        contradictory=results >= {Check.CONFIRMED, Check.REFUTED},
        proof=(proof.reviewer, proof.finding) if proof else None,
    )


def _with_speakers(
    rows: Iterable[MergedFinding], findings: Mapping[str, Sequence[Finding]], mildest: Severity
) -> Iterator[MergedFinding]:
    """Add to each row with a rule's proof who else may mean it; one claim may mean several proofs,
    but stands in one row.
    """
    claims = {name: _by_file(findings[name]) for name in sorted(findings)}
    for row in rows:
        proofs = [
            proof for proof in row.findings if proof.rule is not None and _decides(proof, mildest)
        ]
        yield replace(
            row,
            spoken_of_by=tuple(
                name
                for name, by_file in claims.items()
                if not any(finding.rule is None for finding in row.found.get(name, ()))
                and any(
                    covers(claim, proof) for proof in proofs for claim in _about(by_file, proof)
                )
            ),
        )


def _by_file(findings: Iterable[Finding]) -> Mapping[str | None, Sequence[Finding]]:
    """Claims that can cover something, by each file that they speak of; under None those that may
    mean any file.
    """
    by_file: dict[str | None, list[Finding]] = defaultdict(list)
    for claim in findings:
        if claim.rule is None and claim.check.result is not Check.REFUTED:
            for file in {file for part in claim.statements for file in _files_of(part)}:
                by_file[file].append(claim)
    return by_file


def _files_of(claim: Finding) -> set[str | None]:
    files: set[str | None] = {span.file for span in (claim.span, claim.check.span) if span}
    return files or {None}


def _about(by_file: Mapping[str | None, Sequence[Finding]], proof: Finding) -> Iterable[Finding]:
    if proof.span is None:
        return chain.from_iterable(by_file.values())
    return chain(by_file.get(None, ()), by_file.get(proof.span.file, ()))


def _order(row: MergedFinding) -> tuple[object, ...]:
    place = (row.span.file, row.span.line or 0, row.span.end_line or 0) if row.span else ("", 0, 0)
    states = (Check.CONFIRMED, Check.UNVERIFIED, Check.REFUTED)
    return (
        states.index(row.state),
        row.severity.rank,
        row.span is None,
        *place,
        row.title,
        [f.id for f in row.findings],
    )
