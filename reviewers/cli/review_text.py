"""A submission's reviews as text for the terminal."""

from collections.abc import Iterator

from reviewers.batch import Reviewed
from reviewers.errors import printable
from reviewers.exports.dry_run_words import MOST_LEFT_OUT, limits, starts_words, summary
from reviewers.records import OFFLINE, Check, DryRun, Finding, Review

MARKS = {Check.CONFIRMED: "✓", Check.REFUTED: "✗", Check.UNVERIFIED: "?"}
_MOST_PASSED = 10


def reviewed_text(item: Reviewed) -> str:
    """Return a submission's reviews for a person, a line each finding."""
    lines = [printable(item.submission.name)]
    passed = item.submission.passed_over
    lines += [printable(f"  skipped: {each}") for each in passed[:_MOST_PASSED]]
    if len(passed) > _MOST_PASSED:
        lines.append(f"  skipped: {len(passed) - _MOST_PASSED} more, listed in the JSON")
    for dry_run in (review.dry_run for review in item.reviews):
        lines += _dry_run_lines(dry_run) if dry_run else []
    for review in item.reviews:
        lines += [
            f"  {_headline(review)}",
            *([f"    {printable(review.partial_words)}"] if review.partial else []),
            *(line for finding in review.findings for line in _finding_lines(finding)),
        ]
    return "\n".join(lines)


def _dry_run_lines(dry_run: DryRun) -> Iterator[str]:
    """The dry run: for each command the first failure, and the number of later ones."""
    yield f"  dry run: {'' if dry_run.first else summary(dry_run)}".rstrip()
    for command in dry_run.commands:
        first, *behind = dry_run.of(command.step) or [None]
        if first is None:
            continue
        told = [starts_words(first, command), f"{len(behind)} more after it" if behind else ""]
        more = ", ".join(filter(None, told))
        yield printable(f"    {first.sentence}{f' ({more})' if more else ''}")
    left = limits(dry_run)
    for line in left[:MOST_LEFT_OUT]:
        yield printable(f"    unknown: {line}")
    if len(left) > MOST_LEFT_OUT:
        yield f"    unknown: {len(left) - MOST_LEFT_OUT} more, listed in the JSON"


def _headline(review: Review) -> str:
    verdict = "failed" if review.verdict is None else review.verdict.replace("_", " ")
    counts = " ".join(f"{mark}{review.count(check)}" for check, mark in MARKS.items())
    return printable(
        "  ".join(filter(None, [f"{review.reviewer}: {verdict}", counts, review.model]))
    )


def _finding_lines(finding: Finding) -> Iterator[str]:
    """A finding, how it was read, and its parts."""
    yield f"    {_line(finding)}"
    said = finding.understood
    if said is not None and (said.sentence or said.reader != OFFLINE):
        read = f"understood as: {said.sentence}" if said.sentence else f"not read: {said.why_not}"
        yield printable(f"        {read} ({said.reader})")
        for reader, sentence in said.otherwise:
            yield printable(f"        {reader} reads it differently: {sentence}")
    for part in finding.parts:
        evidence = f"  [{part.check.evidence}]"
        yield printable(f"        {MARKS[part.check.result]} {part.claim}{evidence}")


def _line(finding: Finding) -> str:
    place = str(finding.span) if finding.span else "(no place found)"
    said = finding.claim or finding.message
    evidence = f"  [{finding.check.evidence}]" if finding.claim else ""
    return printable(
        f"{MARKS[finding.check.result]} {finding.severity:7} {place} "
        f" {finding.rule or finding.category}  {said}{evidence}"
    )
