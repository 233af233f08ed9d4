"""Guards the other half: which confirmed blockers of the rules a review leaves out."""

from dataclasses import replace

from reviewers.claims.check import check_claims
from reviewers.facts import Facts
from reviewers.matching.missed import missed_blockers
from reviewers.records import Check, FactCheck, Severity
from reviewers.rules import run_rules
from tests.builders import make_submission

BROKEN = {
    "src/train.py": "from .helpers import seed_all\n",
    "pyproject.toml": "[project]\nname = 3\n",
}
FACTS = Facts(make_submission(BROKEN))
FOUND = run_rules(FACTS).findings
BLOCKERS = {finding.id for finding in FOUND if finding.severity is Severity.BLOCKER}


def _missed(text: str) -> set[str]:
    return set(missed_blockers(check_claims(text, FACTS).findings, FOUND))


def _category(ids: set[str]) -> set[str]:
    return {finding.category for finding in FOUND if finding.id in ids}


def test_a_silent_review_misses_every_blocker() -> None:
    assert _missed("") == BLOCKERS
    assert {"packaging-invalid", "cross-file-mismatch"} <= _category(BLOCKERS)


def test_a_claim_covers_the_blocker_it_speaks_of() -> None:
    missed = _missed(
        "train.py imports `from .helpers import seed_all` but src/helpers.py is not provided."
    )
    assert "cross-file-mismatch" not in _category(missed)
    assert "packaging-invalid" in _category(missed)


def test_a_refuted_claim_covers_nothing() -> None:
    (claim,) = check_claims("src/helpers.py is not provided.", FACTS).findings
    assert "cross-file-mismatch" not in _category(set(missed_blockers([claim], FOUND)))
    refuted = replace(claim, check=FactCheck(Check.REFUTED, "it does not"))
    assert "cross-file-mismatch" in _category(set(missed_blockers([refuted], FOUND)))


def test_what_is_not_a_blocker_is_never_missed() -> None:
    assert (
        missed_blockers([], [replace(finding, severity=Severity.MINOR) for finding in FOUND])
        == frozenset()
    )


def test_a_blocker_that_a_further_part_of_a_finding_speaks_of_is_not_missed() -> None:
    said = "The design is too large, and src/helpers.py is not provided."
    (claim,) = check_claims(said, FACTS).findings
    assert len(claim.parts) == 2
    assert "cross-file-mismatch" not in _category(set(missed_blockers([claim], FOUND)))
