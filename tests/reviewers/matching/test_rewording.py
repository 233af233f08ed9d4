"""Guards that no wording of a rule decides what is one defect: a rule can be worded anew."""

from dataclasses import replace
from pathlib import Path

import pytest

from reviewers.bundles import open_bundle
from reviewers.matching.attempts import match
from reviewers.matching.missed import missed_blockers
from reviewers.matching.rows import merged
from reviewers.matching.traces import Side
from reviewers.panel.review import review_all
from reviewers.records import Finding, Review

SAMPLES = sorted((Path(__file__).resolve().parents[3] / "sample_bundles").glob("*.txt"))


def reworded(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return tuple(
        replace(each, message="`cfg` and `model.py` are told in other words") for each in findings
    )


def rows(reviews: tuple[Review, ...]) -> set[frozenset[str]]:
    made = merged({review.reviewer: review.findings for review in reviews})
    return {frozenset(finding.id for finding in row.findings) for row in made}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_rules_that_are_worded_anew_match_as_before(path: Path) -> None:
    submission = open_bundle(path)
    rules, *others = review_all(submission, ("rules", "recorded"))
    anew = replace(rules, findings=reworded(rules.findings))
    assert rows((anew, *others)) == rows((rules, *others))
    claims = [claim for review in others for claim in review.findings]
    assert missed_blockers(claims, anew.findings) == missed_blockers(claims, rules.findings)
    pairs = match(Side(submission, rules.findings), Side(submission, anew.findings)).pairs
    assert [pair.after.id for pair in pairs] == [pair.before.id for pair in pairs]
    assert len(pairs) == len(rules.findings)
