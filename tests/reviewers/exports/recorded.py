"""One small record with everything in it that an export can meet."""

from datetime import UTC, datetime
from typing import Any

from reviewers.records import (
    Check,
    FactCheck,
    Finding,
    Found,
    Misreading,
    Place,
    Review,
    Ruling,
    Severity,
    Span,
    Verdict,
)
from reviewers.store.authors import Author
from reviewers.store.human_input import OwnFinding, Remark, own_finding
from reviewers.store.submission import Decision, FindingRuling, StoredReview, SubmissionRecord
from tests.builders import make_submission

AT = datetime(2026, 3, 1, 12, 0, 0, 250, tzinfo=UTC)


def make_finding(id: str, result: Check = Check.CONFIRMED, **fields: Any) -> Finding:
    """A claim at line 3 of train.py; with `rule` a rule's finding."""
    made: dict[str, Any] = {
        "category": "undefined-name",
        "severity": Severity.BLOCKER,
        "message": f"message of {id}",
        "criterion": 1,
        "span": Span("src/train.py", 3, 4),
        "claim": None if fields.get("rule") else f"claim of {id}",
        "kind": None if fields.get("rule") else "undefined-name",
        "check": FactCheck(result, f"evidence of {id}", Span("src/model.py", 2)),
    }
    return Finding(id=id, **{**made, **fields})


REFUTED = make_finding(
    "f-refuted",
    severity=Severity.MAJOR,
    check=FactCheck(
        Check.REFUTED, "it is defined", Span("src/model.py", 2), Misreading.MISREAD_CODE
    ),
    places=(
        Place(Span("src/train.py", 3, 4), Found.LINE),
        Place(Span("src/main.py", 1), Found.USE),
    ),
)


def make_record(*findings: Finding, **fields: Any) -> SubmissionRecord:
    """A record whose `recorded` reviewer has these findings, beside rules that found one."""
    reviews = (
        Review(
            reviewer="recorded",
            verdict=Verdict.NOT_READY,
            findings=findings,
            model="o3",
            text="its words",
            raw="its words",
        ),
        Review(
            reviewer="rules", verdict=Verdict.NOT_READY, findings=(make_finding("r1", rule="IM02"),)
        ),
    )
    made: dict[str, Any] = {
        "submission": make_submission(),
        "imported_at": AT,
        "reviews": tuple(StoredReview(review, AT) for review in reviews),
        "decisions": (),
        "rulings": (),
    }
    return SubmissionRecord(**{**made, **fields})


def dismissed(
    id: str, ruling: Ruling = Ruling.DISMISS, reason: str = "the code is right"
) -> FindingRuling:
    """A person's word on a finding."""
    return FindingRuling(id, ruling, reason, Author.unknown("Ann", None), AT)


def remarked(
    id: str, severity: Severity | None = None, comment: str = "", author: str = "Ann"
) -> Remark:
    """A person's remark on a finding."""
    return Remark(id, severity, comment, Author.unknown(author, None), AT)


def seen(
    id: str, span: Span, message: str = "it trains on the test set", author: str = "Ann"
) -> OwnFinding:
    """A blocker that a person found."""
    return OwnFinding(
        own_finding(id, span, Severity.BLOCKER, "data-leakage", 3, message, author),
        Author.unknown(author, None),
        AT,
    )


def decided(verdict: Verdict | None, reason: str = "it ran") -> Decision:
    """A person's verdict."""
    return Decision(verdict, reason, Author.unknown("Bob", None), AT)
