"""Submissions with reviews for the dashboard's tests: what the reviewers say is made up, so that no
test depends on a rule.
"""

from dataclasses import replace
from typing import Any

from reviewers.records import (
    Check,
    FactCheck,
    Finding,
    Misreading,
    RecordedAnswer,
    Review,
    Severity,
    Span,
    Submission,
    Verdict,
)
from tests.builders import make_submission

TEXT = "1. Syntax error: train.py does not parse.\n2. utils.py is missing.\n3. The data may leak.\n"


def claim(words: str, result: Check = Check.UNVERIFIED, **fields: Any) -> Finding:
    """Return a claim; its place in `TEXT` is found by its words."""
    at = TEXT.find(words)
    defaults: dict[str, Any] = {
        "id": f"claim{abs(at):011d}",
        "category": "syntax-invalid",
        "severity": Severity.BLOCKER,
        "message": words,
        "claim": words,
        "claim_at": (at, at + len(words)) if at >= 0 else None,
        "kind": "syntax",
        "criterion": 1,
        "check": FactCheck(result, f"the code says it is {result}"),
    }
    return Finding(**defaults | fields)


def flag(rule: str, span: Span, **fields: Any) -> Finding:
    """Return a rule's finding."""
    defaults: dict[str, Any] = {
        "id": f"rule{rule}{span.line or 0:08d}",
        "rule": rule,
        "category": "cli-contract",
        "severity": Severity.BLOCKER,
        "message": f"{rule} flags {span}",
        "criterion": 8,
        "span": span,
        "check": FactCheck(Check.CONFIRMED, "look at the line", span),
    }
    return Finding(**defaults | fields)


REFUTED = claim(
    "Syntax error: train.py does not parse.",
    span=Span("src/train.py", 3),
    check=FactCheck(
        Check.REFUTED, "src/train.py parses", Span("src/train.py", 3), Misreading.PROMPT_ARTIFACT
    ),
)
CONFIRMED = claim(
    "utils.py is missing.",
    Check.CONFIRMED,
    span=Span("src/utils.py"),
    category="file-structure",
    criterion=5,
)
UNPLACED = claim(
    "The data may leak.", category="data-leakage", criterion=3, severity=Severity.MAJOR
)
MISSED = flag("EV02", Span("src/evaluate.py", 5, 7), names=("json.loads",))
NAMED = claim(
    "`json.loads` takes no such word.",
    Check.CONFIRMED,
    id="named",
    kind="cli-contract",
    category="cli-contract",
    span=MISSED.span,
    severity=Severity.MAJOR,
)
SMALL = flag(
    "TR01",
    Span("src/train.py", 9),
    severity=Severity.MINOR,
    category="tracking-mismatch",
    criterion=6,
)

RECORDED = Review(
    reviewer="recorded",
    verdict=Verdict.NOT_READY,
    findings=(REFUTED, CONFIRMED, UNPLACED),
    model="o9-mini",
    text=TEXT,
    raw="{}",
)
RULES = Review(reviewer="rules", verdict=Verdict.NOT_READY, findings=(MISSED, SMALL), seconds=0.25)
FAILED = Review(
    reviewer="recorded", verdict=None, failure="the answer is no JSON", raw="I am <b>sorry</b>"
)
ANSWER = RecordedAnswer(raw="{}", verdict=Verdict.NOT_READY, text=TEXT, model="o9-mini")


def lineage(name: str, attempts: int) -> list[Submission]:
    """Return submissions of one lineage that differ in a comment."""
    made = (
        make_submission({"src/extra.py": f"# attempt {n} of {name}\n"})
        for n in range(1, attempts + 1)
    )
    return [
        replace(one, name=f"{name}_{n:02d}", lineage=name, attempt=n)
        for n, one in enumerate(made, 1)
    ]
