"""Plain functions that make small submissions, findings and members for the tests on attempts."""

from collections.abc import Mapping, Sequence
from typing import Any

from reviewers.attempts.members import Member
from reviewers.facts import Facts
from reviewers.facts.fingerprint import distinct, fingerprint
from reviewers.matching.traces import Side
from reviewers.records import Check, FactCheck, Finding, Severity, SourceFile, Span, Submission

HYPOTHESIS = {
    "open_problems": "Plain networks waste the units that they were given.",
    "method": "Gate each unit.",
}
METHOD = (
    "Each hidden unit is multiplied by a learned gate, and the gates are pulled towards zero while"
    " training goes on."
)


def make_member(id: str, code: str = "", **fields: Any) -> Member:
    """A member of the one experiment that all of them share unless a test says otherwise."""
    made: dict[str, Any] = {
        "hypothesis": HYPOTHESIS,
        "method": METHOD,
        "runs": ("proposed-1", "baseline-1"),
        "digest": f"digest of {id}",
        "files": {"src/train.py": code} if code else {},
    }
    return Member(id=id, **{**made, **fields})


def make_submission(files: Mapping[str, str], name: str = "sample") -> Submission:
    """A submission of these files alone."""
    return Submission(
        name=name,
        source=name,
        files=tuple(
            SourceFile(path, text.encode("utf-8", "surrogatepass"))
            for path, text in sorted(files.items())
        ),
    )


def make_side(
    files: Mapping[str, str],
    marks: Sequence[tuple[str, str | None, int | None, str]],
    claims: bool = False,
) -> Side:
    """A side with a finding for each (rule or kind, file, line, message), its id made as the rules
    make it; a rule names what its message quotes.
    """
    submission = make_submission(files)
    facts = Facts(submission)
    found = (
        _finding(facts, says, Span(file, line) if file else None, message, claims)
        for says, file, line, message in marks
    )
    return Side(submission, tuple(distinct(found)))


def _finding(facts: Facts, says: str, span: Span | None, message: str, claim: bool) -> Finding:
    told = message if claim or span is None or span.line is None else ""
    return Finding(
        id=fingerprint(facts, says, span, told),
        rule=None if claim else says,
        kind=says if claim else None,
        claim=message if claim else None,
        category="tensor-or-runtime",
        severity=Severity.MAJOR,
        message=message,
        span=span,
        check=FactCheck(Check.UNVERIFIED if claim else Check.CONFIRMED, message, span),
        names=() if claim else tuple(message.split("`")[1::2]),
    )
