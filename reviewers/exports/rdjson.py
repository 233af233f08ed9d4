"""Reviews as reviewdog's rdjson, for comments on the lines of a change."""

from typing import Any

from reviewers.exports.fixes import suggestions
from reviewers.exports.sarif_rules import rule_id
from reviewers.exports.wording import ToldFinding, related_places, voices, writable
from reviewers.records import Check, Severity, Span
from reviewers.store.submission import SubmissionRecord

_SEVERITIES = {Severity.BLOCKER: "ERROR", Severity.MAJOR: "WARNING", Severity.MINOR: "INFO"}


def rdjson(record: SubmissionRecord) -> dict[str, Any]:
    """Return one DiagnosticResult with what no fact check and no person refutes, in the order of
    the record.

    A finding without a place, or about a file that is not there, names no line that a comment could
    are under; reviewdog shows it all the same where its path is empty, as it does that a review
    is partial.
    """
    diagnostics = [
        _diagnostic(told, voice.name, record)
        for voice in voices(record)
        for told in voice.told
        if told.check is not Check.REFUTED
    ]
    diagnostics += [
        {
            "message": writable(f"{voice.name}: {voice.stored.review.partial_words}"),
            "location": {"path": ""},
            "severity": "WARNING",
            "source": {"name": "areachair"},
            "code": {"value": "partial"},
        }
        for voice in voices(record)
        if voice.stored.review.partial
    ]
    return {"source": {"name": "areachair"}, "diagnostics": diagnostics}


def _diagnostic(told: ToldFinding, reviewer: str, record: SubmissionRecord) -> dict[str, Any]:
    finding = told.finding
    places = related_places(finding).items()
    others = [
        {"message": words, "location": _location(span)}
        for span, words in places
        if span != finding.span
    ]
    repairs = suggestions(record.submission, record.offers, finding.id)
    said = "" if told.check is Check.CONFIRMED else " (not verified)"
    return {
        "message": writable(f"{reviewer}: {finding.message}{said}"),
        "location": _location(finding.span),
        "severity": _SEVERITIES[finding.severity],
        "source": {"name": "areachair"},
        "code": {"value": rule_id(finding)},
        **({"relatedLocations": others} if others else {}),
        **({"suggestions": repairs} if repairs else {}),
    }


def _location(span: Span | None) -> dict[str, Any]:
    if span is None:
        return {"path": ""}
    location: dict[str, Any] = {"path": writable(span.file)}
    if span.line is not None:
        # Both lines belong to the place; without columns, reviewdog takes whole lines.
        location["range"] = {
            "start": {"line": span.line},
            "end": {"line": span.end_line or span.line},
        }
    return location
