"""Guards that a hostile answer costs about what others cost: no check is quadratic in a long run of
letters, digits, marks or spaces, and no review is read without end.
"""

import json
import time
from dataclasses import replace

import pytest

from reviewers.claims.understanding import understood
from reviewers.facts import Facts
from reviewers.panel.reply import check_answer, read_reply
from reviewers.propositions import parse
from reviewers.readers.reading import Reading
from reviewers.records import Finding, Severity
from tests.builders import make_submission
from tests.reviewers.claims.test_readings_judged import claim

_LETTERS = 3_000
_SECONDS = 6.0
"""Of CPU; before, three of the letters alone took as long."""


def checked(messages: list[str]) -> tuple[tuple[Finding, ...], float]:
    facts = Facts(make_submission())
    finding = {
        "criterion": 4,
        "category": "tensor-or-runtime",
        "severity": Severity.MINOR,
        "file": "src/model.py",
        "line": None,
        "end_line": None,
        "quote": None,
    }
    findings = [{**finding, "message": message} for message in messages]
    answer = read_reply(json.dumps({"verdict": "not_ready", "findings": findings}), "findings")
    begin = time.process_time()
    return check_answer(answer, facts, ()).findings, time.process_time() - begin


def test_long_runs_cost_no_more_than_words() -> None:
    runs = ["a", "aB", "a.", "_", "1", "`", ",", "a,", "(", "f()", " ", "-", "/", "=", "{", '"']
    messages = [f"{run * (_LETTERS // len(run))} is odd." for run in runs]
    found, seconds = checked([f"x{message}" for message in messages])
    assert len(found) >= len(runs)
    assert seconds < _SECONDS


@pytest.mark.long
def test_sixty_long_findings_end_and_say_what_was_left_out() -> None:
    runs = ["`q`, ", "- no\n", "It fails. "]
    long = [run * (_LETTERS // len(run) - 4) for run in runs]
    found, seconds = checked([f"{number} {long[number % 3]}" for number in range(60)])
    assert len(found) >= 60
    assert "Not looked at" in found[-1].check.evidence
    assert "Not looked at" not in found[0].check.evidence
    assert seconds < _SECONDS


def test_a_hundred_readings_of_sixty_atoms_each_end_and_say_what_was_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AREACHAIR_REVIEW_SECONDS", "1")
    claims, readings = [], {}
    for number in range(100):
        claims.append(replace(claim(), id=f"c{number}", claim=f"claim {number} of `x`"))
        told = [
            {"p": "derives_from", "scope": "code", "value": f"*x{number}_{at}*", "source": "random"}
            for at in range(60)
        ]
        reading = Reading(reader="m", proposition=parse({"all": told}))
        readings[f"c{number}"] = [reading]
    facts = Facts(make_submission())
    begin = time.process_time()
    report = understood(claims, readings, facts, ())
    assert time.process_time() - begin < 5
    assert len(report.findings) == 100
    assert report.timed_out is bool(report.partial)
    last = report.findings[-1].check.evidence
    assert ("Not looked at" in last) is report.timed_out
