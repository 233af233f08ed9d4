"""Guards other tools' results as a review: placed on the submission's lines, rated, and checked
where the code can tell.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reviewers.bundles.sarif import ToolPlace, ToolResult, ToolRun, read_sarif
from reviewers.panel.tool_review import MOST_SHOWN, tool_review
from reviewers.panel.tool_rules import tool_rule
from reviewers.records import Check, Finding, Review, Severity, Span, Verdict
from reviewers.rubric import UNCATEGORISED, rubric
from tests.builders import changed, make_submission
from tests.cases import cases

BROKEN = make_submission(
    changed("src/train.py", ("import hydra\n", "import colorsys\nimport hydra\n"))
    | {"src/extra.py": "x = undefined_thing\n"}
)


def result(path: str = "src/train.py", line: int | None = 1, **fields: Any) -> ToolResult:
    made: dict[str, Any] = {
        "rule": "X1",
        "name": None,
        "kind": "fail",
        "level": "warning",
        "rank": None,
        "message": "something is odd",
        "places": (ToolPlace(path=path, line=line, end_line=line),),
        "suppressed": False,
        "absent": False,
    }
    return ToolResult(**{**made, **fields})


def review(*results: ToolResult, tool: str = "tool", **fields: Any) -> Review:
    made = {"tool": tool, "version": "1.2", "results": results, "failure": None}
    return tool_review(BROKEN, ToolRun(**{**made, "source": "a.sarif", **fields}))


def only(*results: ToolResult, **fields: Any) -> Finding:
    (finding,) = review(*results, **fields).findings
    return finding


@pytest.mark.parametrize(
    "path",
    [
        "src/train.py",
        "/home/me/repo/src/train.py",
        "C:/x/src/train.py",
        "repo/src/train.py",
        "train.py",
    ],
)
def test_a_result_is_placed_by_the_end_of_its_path(path: str) -> None:
    assert only(result(path, 3)).span == Span("src/train.py", 3)


@pytest.mark.parametrize("path", ["other/file.py", "rain.py", "/train.py", ""])
def test_a_result_about_another_file_is_listed_without_a_place(path: str) -> None:
    finding = only(result(path, 3))
    assert (finding.span, finding.check.result) == (None, Check.UNVERIFIED)
    assert "something is odd" in finding.message


def test_two_files_of_one_name_leave_a_bare_name_open() -> None:
    submission = make_submission({"lib/train.py": "x = 1\n"})
    run = ToolRun(tool="t", version=None, results=(result("train.py"),), failure=None, source="a")
    assert tool_review(submission, run).findings[0].span is None


EXTRA = "src/extra.py"


@cases(
    ("region", "span"),
    {
        "whole file": ({}, Span(EXTRA)),
        "characters": ({"offset": 0, "length": 3}, Span(EXTRA, 1)),
        "snippet": ({"snippet": "undefined_thing"}, Span(EXTRA, 1)),
        "unknown snippet": ({"snippet": "not there"}, Span(EXTRA)),
        "end beyond": ({"line": 1, "end_line": 50}, Span(EXTRA, 1, 1)),
        "line beyond": ({"line": 50, "end_line": 50}, Span(EXTRA)),
        "character beyond": ({"offset": 10_000}, Span(EXTRA)),
    },
)
def test_every_region_comes_to_lines_that_are_there(region: dict[str, Any], span: Span) -> None:
    assert only(result(places=(ToolPlace(path=EXTRA, **region),))).span == span


def test_characters_are_counted_over_line_ends() -> None:
    text = BROKEN.by_path["src/train.py"].text
    place = ToolPlace(
        path="src/train.py", offset=text.index("\n") + 1, length=len(text.split("\n")[1])
    )
    assert only(result(places=(place,))).span == Span("src/train.py", 2)


@pytest.mark.parametrize(
    ("level", "severity", "verdict"),
    [
        ("error", Severity.BLOCKER, Verdict.NOT_READY),
        ("warning", Severity.MAJOR, Verdict.READY),
        ("note", Severity.MINOR, Verdict.READY),
        ("none", Severity.MINOR, Verdict.READY),
    ],
)
def test_the_level_gives_severity_and_verdict(
    level: str, severity: Severity, verdict: Verdict
) -> None:
    said = review(result(level=level))
    assert (said.findings[0].severity, said.verdict) == (severity, verdict)


@pytest.mark.parametrize(
    ("tool", "rule"), [("ruff", "F401"), ("ruff", "E731"), ("ruff", None), ("Bandit", "B324")]
)
def test_what_stops_no_run_is_minor_although_its_tool_calls_it_an_error(
    tool: str, rule: str | None
) -> None:
    said = review(result(rule=rule, level="error"), tool=tool)
    assert (said.findings[0].severity, said.verdict) == (Severity.MINOR, Verdict.READY)


def test_a_run_that_failed_has_no_verdict_and_keeps_what_it_found() -> None:
    said = review(result(level="error"), failure="no memory\nleft")
    assert (said.verdict, said.failure, len(said.findings)) == (None, "no memory\\nleft", 1)


@pytest.mark.parametrize(
    "fields", [{"suppressed": True}, {"absent": True}, {"kind": "pass"}, {"kind": "informational"}]
)
def test_what_is_no_defect_now_is_left_out(fields: dict[str, Any]) -> None:
    said = review(result(level="error", **fields))
    assert (said.findings, said.verdict, said.text) == ((), Verdict.READY, None)


def test_each_finding_knows_its_stretch_of_the_text() -> None:
    said = review(
        result(message="first\nin two lines"),
        result("other.py", message="second"),
        result(message=""),
    )
    stretches = [(said.text or "")[slice(*found.claim_at or ())] for found in said.findings]
    assert stretches == ["first in two lines (X1)", "second (X1)", "no message (X1)"]


def test_equal_results_stay_apart() -> None:
    first, second = review(result(), result()).findings
    assert first.id != second.id


@cases(
    ("message", "rule", "check", "told"),
    {
        "proven": ("Undefined name `undefined_thing`", "F821", Check.CONFIRMED, ""),
        "disproved": ("`src/extra.py` does not parse", None, Check.REFUTED, ""),
        "open": ("this might be slow", "X1", Check.UNVERIFIED, "no check of areachair decides it"),
    },
)
def test_a_message_is_checked_where_the_code_can_tell(
    message: str, rule: str | None, check: Check, told: str
) -> None:
    finding = only(result(EXTRA, 1, rule=rule, message=message), tool="ruff")
    assert finding.check.result is check
    assert told in finding.check.evidence
    assert (finding.category == "undefined-name") is (rule == "F821")


def test_hostile_names_and_messages_stay_one_line_and_bounded() -> None:
    said = review(*[result(message="\u202e\0 ```\n# x", rule="\u202e")] * 3, tool="t\u202e\n" * 100)
    assert len(said.reviewer) <= 200
    assert said.reviewer.isprintable()
    assert said.text is not None
    assert not set(said.text) & {"\u202e", "\0"}


def test_more_results_than_anybody_reads_are_counted() -> None:
    said = review(*[result("other.py")] * (MOST_SHOWN + 5))
    assert len(said.findings) == MOST_SHOWN
    assert said.text is not None
    assert said.text.endswith("5 further results are not shown.")


@pytest.mark.parametrize(
    ("tool", "rule", "category"),
    [
        ("ruff", "F821", "undefined-name"),
        ("Ruff", "E999", "syntax-invalid"),
        ("flake8", "F821", "undefined-name"),
        ("pyflakes", "UndefinedName", "undefined-name"),
        ("Pylint", "E0602", "undefined-name"),
        ("mypy", "call-arg", "call-signature"),
        ("Bandit", "B101", UNCATEGORISED),
        ("CodeQL", "py/clear-text-logging", UNCATEGORISED),
    ],
)
def test_well_known_rules_have_their_category(tool: str, rule: str, category: str) -> None:
    found = tool_rule(tool, rule)
    assert found.category == category
    assert category == UNCATEGORISED or (
        category in rubric().categories and found.criterion in rubric().criteria
    )


def test_ruff_itself_is_understood(tmp_path: Path) -> None:
    ruff = shutil.which("ruff", path=os.fspath(Path(sys.executable).parent)) or shutil.which("ruff")
    if ruff is None:
        pytest.skip("ruff is not installed")
    for path, file in BROKEN.by_path.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(file.data)
    words = [ruff, "check", "--isolated", "--no-cache", "--select", "F"]
    words += ["--output-format", "sarif", "."]
    output = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False).stdout
    assert json.loads(output)["version"] == "2.1.0"
    (run,) = read_sarif(output, "ruff.sarif")
    found = {
        (finding.message, str(finding.span), finding.check.result)
        for finding in tool_review(BROKEN, run).findings
    }
    assert ("Undefined name `undefined_thing` (F821)", "src/extra.py:1", Check.CONFIRMED) in found
