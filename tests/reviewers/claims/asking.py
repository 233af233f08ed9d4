"""Puts a review's text to the claims layer, over a submission laid out for the test."""

from collections.abc import Mapping
from typing import Any

from reviewers.claims.check import check_text
from reviewers.facts import Facts
from reviewers.records import Check, Finding
from reviewers.rules import run_rules
from tests.builders import make_submission


def claims(
    text: str,
    files: Mapping[str, str | None] | None = None,
    runs: Mapping[str, str] | None = None,
    **more: Any,
) -> tuple[Finding, ...]:
    """Every statement of a text, checked against the sound submission with these files laid over
    it.
    """
    facts = Facts(make_submission(files, runs, **more))
    found = check_text(text, facts, run_rules(facts).findings)
    return tuple(statement for finding in found for statement in finding.statements)


def claim(
    text: str,
    files: Mapping[str, str | None] | None = None,
    runs: Mapping[str, str] | None = None,
    **more: Any,
) -> Finding:
    """The first claim of a text that is decided, else its first."""
    found = claims(text, files, runs, **more)
    assert found, f"no claim was found in {text!r}"
    return next(
        (finding for finding in found if finding.check.result is not Check.UNVERIFIED), found[0]
    )
