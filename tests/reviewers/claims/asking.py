"""Puts a review's text to the claims layer, over a submission laid out for the test.

What `propositions.sentence` says is always read, so that a test of what happens to a claim does not
depend on how much English the reader knows.
"""

from collections.abc import Mapping
from typing import Any

from reviewers.claims.check import check_claims
from reviewers.facts import Facts
from reviewers.records import Check, Finding
from tests.builders import make_submission


def claims(
    text: str,
    files: Mapping[str, str | None] | None = None,
    runs: Mapping[str, str] | None = None,
    **more: Any,
) -> tuple[Finding, ...]:
    """Every statement of a text, checked against the sound submission with these files added to
    it.
    """
    found = check_claims(text, Facts(make_submission(files, runs, **more))).findings
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
