"""Guards the samples: what areachair says about each is exactly what its `expected.toml` holds, no
more and no less.
"""

import json
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from reviewers.bundles import bundle_paths, open_bundle
from reviewers.claims.check import check_claims
from reviewers.exports.review_json import finding_json
from reviewers.facts import Facts
from reviewers.matching.missed import missed_blockers
from reviewers.propositions import Mark, evaluate, mark, parse
from reviewers.records import Check, Failure, Finding, Submission, Verdict
from reviewers.rubric.choice import contract_of
from reviewers.rules import run_rules

SAMPLES = Path(__file__).resolve().parents[1] / "sample_bundles"
EXPECTED = {
    path.name.removesuffix(".expected.toml"): path
    for path in sorted(SAMPLES.glob("*.expected.toml"))
}
BUNDLES = {path.name.removesuffix(".txt"): path for path in bundle_paths([SAMPLES])}
LOGS = [name for name, path in BUNDLES.items() if path.suffix == ".txt"]
OWN = "tide-gauge"
SEVEN_FILES = {
    "config/config.yaml",
    "pyproject.toml",
    "src/evaluate.py",
    "src/main.py",
    "src/model.py",
    "src/preprocess.py",
    "src/train.py",
}
HYPOTHESIS = [
    "open_problems",
    "method",
    "experimental_setup",
    "primary_metric",
    "experimental_code",
    "expected_result",
    "expected_conclusion",
]


def expected(name: str) -> dict[str, Any]:
    return tomllib.loads(EXPECTED[name].read_text("utf-8"))


def opened(name: str) -> Submission:
    return open_bundle(BUNDLES[name])


@cache
def reviewed(name: str) -> tuple[Facts, tuple[Finding, ...], tuple[str, ...], tuple[Failure, ...]]:
    """Open a sample and run the rules on it once for all tests."""
    facts = Facts(opened(name))
    report = run_rules(facts)
    failures = report.dry_run.failures if report.dry_run else ()
    return facts, report.findings, report.crashed, failures


def claims_of(name: str) -> tuple[Finding, ...]:
    facts, _, _, failures = reviewed(name)
    (answer,) = facts.submission.recorded
    assert answer.text is not None
    return check_claims(answer.text, facts, failures).findings


def place(finding: Finding) -> tuple[str | None, str | None, int | None]:
    return (
        (finding.rule, finding.span.file, finding.span.line)
        if finding.span
        else (finding.rule, None, None)
    )


def test_every_sample_has_an_expectation_and_every_expectation_a_sample():
    assert set(EXPECTED) == set(BUNDLES)
    assert (len(BUNDLES), len(LOGS)) == (7, 3)


@pytest.mark.parametrize("name", BUNDLES)
def test_rules_find_in_a_sample_what_is_expected_and_nothing_else(name):
    _, found, crashed, _ = reviewed(name)
    wanted = [
        (entry["rule"], entry["file"], entry.get("line"))
        for entry in expected(name).get("finding", [])
    ]
    assert sorted(map(place, found), key=str) == sorted(wanted, key=str)
    assert crashed == ()


@pytest.mark.parametrize("name", BUNDLES)
def test_what_a_rule_says_as_a_proposition_is_not_denied_by_the_code(name):
    facts, found, _, failures = reviewed(name)
    for failure in failures:
        parse(failure.says)
    for finding in found:
        stops = any(failure.finding == finding.id for failure in failures)
        assert bool(finding.says) or not stops, finding
        if finding.says:
            said = parse(json.loads(finding.says))
            told = mark(said, evaluate(said, facts, failures), is_finding=True)
            assert told in (Mark.CONFIRMED, Mark.UNVERIFIED), finding
            shown = finding_json(finding)
            assert shown["proposition"] == json.loads(finding.says)


def test_no_rule_fires_on_the_one_sample_that_is_ready():
    assert [name for name in EXPECTED if not expected(name).get("finding")] == ["gated-sam"]
    assert reviewed("gated-sam")[1] == ()


@pytest.mark.parametrize("name", LOGS)
def test_each_claim_of_a_recorded_review_has_the_expected_fact_check(name):
    findings = claims_of(name)
    entries = expected(name)["claim"]
    named = set()
    for entry in entries:
        # What is read as a whole has propositions as parts, and no more the reviewer's words.
        whole = next(each for each in findings if entry["words"] in (each.claim or ""))
        named.add(whole.id)
        parts = [each for each in whole.statements if entry["words"] in (each.claim or "")]
        claim = parts[0] if parts else whole
        # A claim that is not read stays open; it is never called what it is not.
        assert claim.check.result in (entry["check"], Check.UNVERIFIED), claim.check.evidence
        if claim.check.result is Check.UNVERIFIED:
            continue
        if "file" in entry:
            assert claim.span is not None
            assert claim.span.file == entry["file"]
        if "line" in entry:
            assert claim.span.line <= entry["line"] <= claim.span.end_line
    assert named == {finding.id for finding in findings}


@pytest.mark.parametrize("name", LOGS)
def test_blockers_that_a_recorded_review_passes_over_are_told(name):
    found = reviewed(name)[1]
    missed = missed_blockers(claims_of(name), found)
    told = {finding.rule for finding in found if finding.id in missed}
    assert told >= set(expected(name)["missed"])


@pytest.mark.parametrize("name", LOGS)
def test_recorded_review_is_by_the_sample_reviewer_with_the_expected_verdict(name):
    (answer,) = opened(name).recorded
    assert (answer.model, answer.verdict, answer.failure) == (
        "sample-reviewer",
        expected(name)["verdict"],
        None,
    )


def test_one_recorded_review_calls_ready_what_is_not():
    assert [name for name in LOGS if expected(name)["verdict"] == Verdict.READY] == [
        "retrieval-head"
    ]


def test_the_samples_show_a_contract_of_a_labs_own_beside_the_nine_criteria():
    names = {name: contract_of(opened(name)).contract.name for name in BUNDLES}
    assert [name for name in names if names[name] == "tide-lab"] == [OWN]
    assert "nine-modes" in names.values()
    without = replace(opened(OWN), contract=None)
    assert contract_of(without).contract.name == "plain"


@pytest.mark.parametrize("name", [name for name in BUNDLES if name != OWN])
def test_sample_brings_its_files_two_runs_and_the_whole_research_context(name):
    submission = opened(name)
    assert {file.path for file in submission.files} == SEVEN_FILES | set(
        expected(name).get("extra_files", [])
    )
    proposed, comparative = sorted((run.run_id for run in submission.runs), reverse=True)
    assert proposed.startswith("proposed-")
    assert comparative.startswith("comparative-1-")
    context = submission.context
    assert list(context.hypothesis) == HYPOTHESIS
    assert list(context.design) == ["Strategy", "Proposed Method", "Evaluation Metrics"]
    assert context.method
    assert context.primary_metric == context.hypothesis["primary_metric"]
    assert context.primary_metric in context.design["Evaluation Metrics"]
