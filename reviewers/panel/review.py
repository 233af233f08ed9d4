"""Ask several reviewers about one submission; all of them and every fact check share one set of
facts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reviewers.claims.categories import weighed
from reviewers.claims.check import check_claims, cut_claims
from reviewers.claims.report import ClaimsReport
from reviewers.claims.understanding import understood
from reviewers.errors import ReviewerError
from reviewers.panel import DEFAULT_REVIEWERS
from reviewers.panel.checking import OwnFindings, known_of
from reviewers.panel.stated import StatedFinding, as_text
from reviewers.panel.version import own_version
from reviewers.readers.from_file import FileReader, ReadClaim
from reviewers.records import (
    RecordedAnswer,
    Review,
    Severity,
    Submission,
    Verdict,
    partial_words,
)
from reviewers.rules.run import RulesReport


def check_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names without repetition.

    Raises:
        ReviewerError: none is given, or no reviewer has one of them.
    """
    known = tuple(dict.fromkeys(name.strip() for name in names if name.strip()))
    for name in known:
        if name not in DEFAULT_REVIEWERS:
            raise ReviewerError(
                f"there is no reviewer {name!r}; choose from {', '.join(DEFAULT_REVIEWERS)}"
            )
    if not known:
        raise ReviewerError(f"no reviewer is named; choose from {', '.join(DEFAULT_REVIEWERS)}")
    return known


def review_all(
    submission: Submission,
    reviewers: Sequence[str] = DEFAULT_REVIEWERS,
    reader: FileReader | None = None,
) -> tuple[Review, ...]:
    """Return each reviewer's reviews, in the order asked; `recorded` gives one for each answer that
    the bundle brings along.

    Args:
        reader: where it has claims of the submission, they are those of the first recorded answer.

    Raises:
        ReviewerError: no reviewer has one of the names.
    """
    names = check_names(reviewers)
    known = known_of(submission)
    claims = reader.of(submission) if reader else ()
    return tuple(review for name in names for review in _reviews(name, submission, known, claims))


def _reviews(
    name: str, submission: Submission, known: OwnFindings, claims: Sequence[ReadClaim]
) -> Iterator[Review]:
    if name == "rules":
        yield _by_rules(known.report, known.seconds, known.facts.contract.mildest)
    else:
        for number, answer in enumerate(submission.recorded):
            yield (
                _read(answer, claims, known) if claims and not number else _recorded(answer, known)
            )


def _by_rules(report: RulesReport, seconds: float, mildest: Severity) -> Review:
    """A confirmed blocker decides, or whatever else the contract refuses; where there is none, what
    was not looked at leaves the answer open.
    """
    blocked = any(finding.severity.rank <= mildest.rank for finding in report.findings)
    failure = partial_words(report.partial) or None if not blocked else None
    verdict = None if failure else Verdict.NOT_READY if blocked else Verdict.READY
    return Review(
        reviewer="rules",
        verdict=verdict,
        failure=failure,
        findings=report.findings,
        seconds=seconds,
        version=_whole_by(report),
        partial=report.partial,
        dry_run=report.dry_run,
    )


def _recorded(answer: RecordedAnswer, known: OwnFindings) -> Review:
    checked = check_claims(answer.text or "", known.facts, known.failures)
    return _of_answer(answer, checked, None if checked.timed_out else _whole_by(known.report))


def _read(answer: RecordedAnswer, claims: Sequence[ReadClaim], known: OwnFindings) -> Review:
    """A recorded answer whose claims somebody cut and read."""
    text, stated = as_text([StatedFinding(message=claim.text) for claim in claims])
    cited = [each.cited for each in stated]
    cut = cut_claims(text, known.facts, cited)
    at = {part.start: claim for part, claim in zip(cited, claims, strict=True)}
    readings = {
        finding.id: [at[finding.claim_at[0]].reading]
        for finding in cut.findings
        if finding.claim_at
    }
    said = answer.text or ""
    judged = understood(cut.findings, readings, known.facts, known.failures, said)
    partial = tuple(dict.fromkeys((*cut.partial, *judged.partial)))
    findings = tuple(map(weighed, judged.findings))
    report = replace(judged, findings=findings, partial=partial)
    return _of_answer(replace(answer, text=text), report, None)


def _of_answer(answer: RecordedAnswer, checked: ClaimsReport, version: str | None) -> Review:
    return Review(
        reviewer="recorded",
        model=answer.model,
        verdict=answer.verdict,
        failure=answer.failure if answer.verdict is None else None,
        findings=checked.findings,
        text=answer.text,
        raw=answer.raw,
        version=version,
        partial=checked.partial,
    )


def _whole_by(report: RulesReport) -> str | None:
    """The version of the code that made a review; None for one of which another run may find more,
    which is made again wherever it could be kept.
    """
    return None if report.crashed or report.timed_out else own_version()
