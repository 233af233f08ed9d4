"""Guards every rule by its own examples: marked lines of the bad one are flagged, the good one and
a sound submission are not.
"""

import pytest

from reviewers.facts import Facts
from reviewers.rules import Rule, registered, run_rules
from tests.builders import make_submission, submission_from_example

each_rule = pytest.mark.parametrize(
    "rule", registered().values(), ids=lambda rule: f"{rule.id} {rule.name}"
)


@each_rule
def test_the_marked_lines_of_the_bad_example_are_flagged_and_no_other(rule: Rule) -> None:
    submission, flagged = submission_from_example(rule.bad)
    wanted = {(file, line) for id, file, line in flagged if id == rule.id}
    assert wanted, "the bad example marks no line"
    found = list(rule(Facts(submission)))
    assert {(finding.span.file, finding.span.line) for finding in found if finding.span} == wanted
    assert all(finding.span for finding in found)


@each_rule
def test_the_good_example_is_not_flagged(rule: Rule) -> None:
    submission, flagged = submission_from_example(rule.good)
    assert not flagged
    assert [finding.message for finding in rule(Facts(submission))] == []


def test_a_rule_says_why_and_fits_its_criterion() -> None:
    rules = registered().values()
    assert [rule.id for rule in rules if not rule.why] == [], "the docstring says why it is bad"
    assert [rule.id for rule in rules if not rule.summary.isprintable()] == []
    assert [rule.id for rule in rules if not (rule.id.isascii() and rule.id[:2].isupper())] == []
    verbs = ("avoid", "use", "prefer", "no_")
    assert [rule.name for rule in rules if rule.name.startswith(verbs)] == []


def test_there_is_a_rule_for_every_criterion() -> None:
    assert {rule.criterion for rule in registered().values()} == set(range(1, 10))


def test_no_rule_fires_on_the_sound_submission() -> None:
    report = run_rules(Facts(make_submission()))
    assert [
        f"{finding.rule} {finding.span}: {finding.message}" for finding in report.findings
    ] == []
    assert report.crashed == ()
