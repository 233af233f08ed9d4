"""Guards the samples' history: the shipped file is what its descriptions give, and areachair says
of every attempt what they claim.
"""

import lzma
from collections import Counter

import pytest

from docs.history.__main__ import LINEAGES, attempts, lines
from reviewers.claims.check import check_claims
from reviewers.facts import Facts
from reviewers.records import Check
from reviewers.rubric.choice import contract_of
from reviewers.rules import run_rules
from reviewers.settings import sample_history

LARGEST = 40_000


def test_the_shipped_history_is_made_again_byte_for_byte_and_is_small() -> None:
    packed = sample_history().read_bytes()
    assert lzma.decompress(packed) == "".join(f"{line}\n" for line in lines()).encode()
    assert len(packed) < LARGEST


def test_it_has_three_lineages_over_six_weeks_under_two_contracts() -> None:
    found = {lineage: [each.submission for each in attempts(lineage)] for lineage in LINEAGES}
    every = [each for of in found.values() for each in of]
    days = [each.generated.at.date() for each in every if each.generated]
    assert [len(of) for of in found.values()] == [9, 8, 7]
    assert len({each.id for each in every}) == 24
    assert 35 < (max(days) - min(days)).days < 42
    assert {contract_of(each).contract.name for each in every} == {"nine-modes", "tide-lab"}
    # Enough in each week that has any to show a trend.
    assert min(Counter(day.isocalendar().week for day in days).values()) >= 5


@pytest.mark.long
@pytest.mark.parametrize("lineage", LINEAGES)
def test_rules_and_fact_checks_say_of_each_attempt_what_is_true(lineage: str) -> None:
    results: Counter[Check] = Counter()
    for attempt in attempts(lineage):
        facts = Facts(attempt.submission)
        report = run_rules(facts)
        assert sorted(str(each.rule) for each in report.findings) == sorted(attempt.rules)
        failures = report.dry_run.failures if report.dry_run else ()
        for answer in attempt.submission.recorded:
            for claim in check_claims(answer.text or "", facts, failures).findings:
                said = (claim.claim or "").rstrip(".")
                (deserved,) = {
                    check for words, check in attempt.checks.items() if said and said in words
                }
                # What is not read stays open; it is never called what it is not.
                assert claim.check.result in (Check(deserved), Check.UNVERIFIED), claim
                results[claim.check.result] += 1
    assert set(results) == set(Check)
