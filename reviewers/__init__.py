"""The chair's desk for generated experiment code, as a library: open a bundle, review it, and tell
the generator what is so.

    import reviewers

    for found in reviewers.review("submission.txt")[0].findings:
        print(found.span, found.check.result, found.message)

Each name is loaded when it is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reviewers.bundles import (
        open_bundle,
        open_bundles,
        read_submission_json,
        submission_to_json,
    )
    from reviewers.errors import (
        AreachairError,
        BackendError,
        BundleError,
        ContractError,
        ReviewerError,
        RubricError,
        StoreError,
        UnknownRule,
        UnknownSubmission,
    )
    from reviewers.exports.feedback import CorrectedReview
    from reviewers.library import evaluate, feedback, propose_repairs, review, reviews_frame
    from reviewers.propositions import Answer, InvalidReading, Proposition, Truth
    from reviewers.records import (
        Check,
        DryRun,
        FactCheck,
        Failure,
        Finding,
        Place,
        RecordedAnswer,
        ResearchContext,
        Review,
        Ruling,
        RunConfig,
        Severity,
        SourceFile,
        Span,
        Submission,
        Verdict,
    )
    from reviewers.store import Store

__all__ = [
    "Answer", "AreachairError", "BackendError", "BundleError", "Check", "ContractError",
    "CorrectedReview", "DryRun", "FactCheck", "Failure", "Finding", "InvalidReading", "Place",
    "Proposition", "RecordedAnswer", "ResearchContext", "Review", "ReviewerError", "RubricError",
    "Ruling", "RunConfig", "Severity", "SourceFile", "Span", "Store", "StoreError", "Submission",
    "Truth", "UnknownRule", "UnknownSubmission", "Verdict", "evaluate", "feedback", "open_bundle",
    "open_bundles", "propose_repairs", "read_submission_json", "review", "reviews_frame",
    "submission_to_json",
]  # fmt: skip

_HOMES = {
    "reviewers.bundles": (
        "open_bundle",
        "open_bundles",
        "read_submission_json",
        "submission_to_json",
    ),
    "reviewers.errors": (
        "AreachairError", "BackendError", "BundleError", "ContractError", "ReviewerError",
        "RubricError", "StoreError", "UnknownRule", "UnknownSubmission",
    ),
    "reviewers.exports.feedback": ("CorrectedReview",),
    "reviewers.library": (
        "evaluate",
        "feedback",
        "propose_repairs",
        "review",
        "reviews_frame",
    ),
    "reviewers.propositions": (
        "Answer",
        "InvalidReading",
        "Proposition",
        "Truth",
    ),
    "reviewers.records": (
        "Check", "DryRun", "FactCheck", "Failure", "Finding", "Place", "RecordedAnswer",
        "ResearchContext", "Review", "Ruling", "RunConfig", "Severity", "SourceFile", "Span",
        "Submission", "Verdict",
    ),
    "reviewers.store": ("Store",),
}  # fmt: skip
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
