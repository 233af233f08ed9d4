"""Guards the rules against submissions made to harm them: none crashes a rule, hangs it, or drowns
its reader in findings.
"""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from hydra.core.global_hydra import GlobalHydra

from reviewers.bundles import open_bundle
from reviewers.facts import Facts
from reviewers.records import Submission
from reviewers.rules import run_rules
from reviewers.rules.run import RulesReport
from tests.builders import make_submission
from tests.reviewers.rules.hostile_code import hostile
from tests.shared_data import LOGS, needs_shared

DEAR = [
    "10,000 settings read",
    "5,000 settings written",
    "5,000 merges",
    "5,000 nested ifs",
    "20,000 settings",
]  # though they are short
HOSTILE = {name: made for name, made in hostile(share=0.02).items() if name not in DEAR}
HOSTILE |= {name: hostile(share=0.3)[name] for name in DEAR}
PATIENCE = 10.0  # CPU seconds; what is not quadratic takes less than one


@pytest.mark.long
@pytest.mark.parametrize("name", HOSTILE)
def test_no_rule_crashes_or_hangs(name: str) -> None:
    made = HOSTILE[name]()
    start = time.process_time()
    report = run_rules(Facts(make_submission(made.files, made.runs)))
    assert report.crashed == ()
    assert report.partial or name not in DEAR
    assert time.process_time() - start < PATIENCE


def test_a_rule_lists_a_hundred_findings_and_counts_the_rest() -> None:
    lines = "".join(f"print(absent_{n})\n" for n in range(400))
    found = [
        finding
        for finding in run_rules(Facts(make_submission({"src/train.py": lines}))).findings
        if finding.rule == "IM02"
    ]
    assert len(found) == 100
    assert "absent_0" in found[0].message
    assert "and 300 more like this" in found[-1].message
    assert not any("more like this" in finding.message for finding in found[:-1])


def test_what_is_past_counting_is_said_to_be_at_least_so_much() -> None:
    lines = "".join(f"print(absent_{n})\n" for n in range(1_100))
    found = [
        finding
        for finding in run_rules(Facts(make_submission({"src/train.py": lines}))).findings
        if finding.rule == "IM02"
    ]
    assert len(found) == 100
    assert "and at least 900 more like this" in found[-1].message


@needs_shared
def test_threads_find_what_one_finds_and_leave_hydra_alone() -> None:
    submissions = [open_bundle(log) for log in LOGS[::48]]

    def reviewed(submission: Submission) -> RulesReport:
        return run_rules(Facts(submission))

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(reviewed, submissions))
    assert together == [reviewed(submission) for submission in submissions]
    assert Counter(line for report in together for line in report.crashed) == Counter()
    assert not GlobalHydra.instance().is_initialized()
