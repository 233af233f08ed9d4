"""One submission's reviews as the JSON object of the command line, `areachair.review/1`."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from reviewers.bundles.dating import date_json
from reviewers.bundles.submission_json import passed_over_json
from reviewers.outcomes.masking import without_keys
from reviewers.records import (
    DryRun,
    Failure,
    Finding,
    Review,
    Span,
    Statement,
    Submission,
    Understood,
)
from reviewers.rubric.choice import contract_of

SCHEMA = "areachair.review/1"


def review_json(submission: Submission, reviews: Sequence[Review]) -> dict[str, Any]:
    """Return the object; what is not known is None, lines are 1-based and both ends are
    included.
    """
    return {
        "schema": SCHEMA,
        "submission": submission_head(submission),
        "reviews": [_review(review) for review in reviews],
    }


def submission_head(submission: Submission) -> dict[str, Any]:
    """Return what names a submission."""
    return {
        "id": submission.id,
        "name": submission.name,
        "source": submission.source,
        "lineage": submission.lineage,
        "attempt": submission.attempt,
        "contract": contract_json(submission),
        **date_json(submission.generated),
        "base": None if submission.base is None else submission.base.id,
        "files": [file.path for file in submission.files],
        "passed_over": passed_over_json(submission.passed_over),
    }


def contract_json(submission: Submission) -> dict[str, str]:
    """Return which contract a submission is judged by, and how it is known."""
    chosen = contract_of(submission)
    return {"name": chosen.contract.name, "source": chosen.source}


def finding_json(finding: Finding) -> dict[str, Any]:
    """Return one finding; a rule's has no claim, a claim no rule."""
    span, check = finding.span, finding.check
    return {
        "id": finding.id,
        "rule": finding.rule,
        "kind": finding.kind,
        "claim": finding.claim and without_keys(finding.claim),
        "criterion": finding.criterion,
        "category": finding.category,
        "severity": finding.severity,
        "message": without_keys(finding.message),
        "file": span.file if span else None,
        "line": span.line if span else None,
        "end_line": span.end_line if span else None,
        "check": check.result,
        "evidence": without_keys(check.evidence),
        "misreading": check.misreading,
        "places": [{**_place(place.span), "found": place.found} for place in finding.places],
        "parts": [_part(part) for part in finding.parts],
        "proposition": _proposition(finding.proposition),
        **_understood(finding.understood),
    }


def _part(part: Statement) -> dict[str, Any]:
    span = part.check.span or part.span
    return {
        "claim": without_keys(part.claim),
        "check": part.check.result,
        "evidence": without_keys(part.check.evidence),
        "proposition": _proposition(part.says),
        "file": span and span.file,
        "line": span and span.line,
        "end_line": span and span.end_line,
    }


def _understood(said: Understood | None) -> dict[str, Any]:
    """How a claim was read; None if nobody read it."""
    if said is None:
        return {"understood_as": None, "reading": None}
    return {
        "understood_as": without_keys(said.sentence) or None,
        "reading": {
            "reader": said.reader,
            "proposition": _proposition(said.proposition),
            "why_not": without_keys(said.why_not) or None,
            "looked_at": [without_keys(each) for each in said.looked_at],
            "otherwise": [
                {"reader": reader, "understood_as": without_keys(sentence)}
                for reader, sentence in said.otherwise
            ],
        },
    }


def _proposition(text: str) -> Any:
    return json.loads(without_keys(text)) if text else None


def _dry_run(dry_run: DryRun | None) -> dict[str, Any]:
    """What a run would meet, and what was followed to know it; None if nobody looked."""
    if dry_run is None:
        return {"failures": None, "followed": None}
    return {
        "failures": [_failure(failure) for failure in dry_run.failures],
        "followed": {
            "commands": [asdict(command) for command in dry_run.commands],
            "left_out": list(dry_run.left_out),
            "unsure": dry_run.unsure,
        },
    }


def _failure(failure: Failure) -> dict[str, Any]:
    return {
        "step": failure.step,
        "command": without_keys(failure.command),
        "run": failure.run or None,
        "mode": failure.mode or None,
        "error": failure.error or None,
        "message": without_keys(failure.message),
        **_place(failure.place),
        "chain": [_place(span) for span in failure.chain],
        "certain": failure.certain,
        "starts": failure.starts,
        "finding": failure.finding,
        "proposition": failure.says,
    }


def _place(span: Span) -> dict[str, Any]:
    return {"file": span.file, "line": span.line, "end_line": span.end_line}


def _review(review: Review) -> dict[str, Any]:
    return {
        "reviewer": review.reviewer,
        "model": review.model,
        "verdict": review.verdict,
        "failure": review.failure,
        "partial": list(review.partial),
        **_dry_run(review.dry_run),
        "seconds": None if review.seconds is None else round(review.seconds, 3),
        "cost_usd": review.cost_usd,
        "findings": [finding_json(finding) for finding in review.findings],
    }
