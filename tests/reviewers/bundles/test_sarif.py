"""Guards the reading of SARIF: every way to name a file, a rule or a message, and one line of error
for what is damaged.
"""

import json
from typing import Any

import pytest

from reviewers.bundles.sarif import MAX_RESULTS, ToolPlace, ToolResult, read_sarif
from reviewers.errors import BundleError
from tests.cases import cases


def log(*results: Any, **run: Any) -> bytes:
    driver = {"name": "tool", "version": "1.2", **run.pop("driver", {})}
    tool = {"driver": driver, **run.pop("tool", {})}
    return json.dumps(
        {"version": "2.1.0", "runs": [{"tool": tool, "results": list(results), **run}]}
    ).encode()


def read(result: Any, **run: Any) -> ToolResult:
    return read_sarif(log(result, **run), "a.sarif")[0].results[0]


def at(uri: str, base: str | None = None, **region: Any) -> dict[str, Any]:
    artifact = {"uri": uri} | ({"uriBaseId": base} if base else {})
    place = {"artifactLocation": artifact, **({"region": region} if region else {})}
    return {"locations": [{"physicalLocation": place}]}


BASES = {
    "ROOT": {"uri": "file:///home/me/"},
    "SRC": {"uri": "code%20base/", "uriBaseId": "ROOT"},
    "LOOP": {"uri": "x/", "uriBaseId": "LOOP"},
    "BARE": {"description": {"text": "nothing"}},
}


@pytest.mark.parametrize(
    ("uri", "base", "path"),
    [
        ("src/train.py", None, "src/train.py"),
        ("./src/../src/train.py", None, "src/train.py"),
        ("src/a%20b%C3%BC.py", None, "src/a bü.py"),
        ("file:///work/x/src/train.py", None, "/work/x/src/train.py"),
        ("file:///C:/x/src/train.py", None, "C:/x/src/train.py"),
        ("file://C:/x/train.py", None, "C:/x/train.py"),
        ("C:\\x\\src\\train.py", None, "C:/x/src/train.py"),
        ("src\\train.py", None, "src/train.py"),
        ("file://host/share/train.py", None, "/share/train.py"),
        ("https://host/repo/src/train.py?raw=1#L3", None, "/repo/src/train.py"),
        ("train.py", "SRC", "/home/me/code base/train.py"),
        ("/abs/train.py", "SRC", "/abs/train.py"),
        ("train.py", "%SRCROOT%", "train.py"),
        ("train.py", "BARE", "train.py"),
    ],
)
def test_every_form_of_uri_becomes_a_path(uri: str, base: str | None, path: str) -> None:
    assert read(at(uri, base), originalUriBaseIds=BASES).places[0].path == path


def test_a_base_that_builds_on_itself_comes_to_an_end() -> None:
    assert (
        read(at("train.py", "LOOP"), originalUriBaseIds=BASES).places[0].path.endswith("x/train.py")
    )


def test_a_file_can_be_named_by_its_number() -> None:
    result = {"locations": [{"physicalLocation": {"artifactLocation": {"index": 1}}}]}
    artifacts = [{"location": {"uri": "a.py"}}, {"location": {"uri": "b.py"}}]
    assert read(result, artifacts=artifacts).places == (ToolPlace(path="b.py"),)


@cases(
    ("region", "place"),
    {
        "whole file": ({}, {}),
        "a line": ({"startLine": 3}, {"line": 3, "end_line": 3}),
        "lines": ({"startLine": 3, "endLine": 5}, {"line": 3, "end_line": 5}),
        "before the first column": (
            {"startLine": 3, "endLine": 5, "endColumn": 1},
            {"line": 3, "end_line": 4},
        ),
        "end before start": ({"startLine": 3, "endLine": 1}, {"line": 3, "end_line": 3}),
        "line 0": ({"startLine": 0}, {}),
        "characters": ({"charOffset": 7, "charLength": 2}, {"offset": 7, "length": 2}),
        "snippet": ({"snippet": {"text": "x = 1"}}, {"snippet": "x = 1"}),
    },
)
def test_every_form_of_region_is_read(region: dict[str, Any], place: dict[str, Any]) -> None:
    assert read(at("a.py", **region)).places == (ToolPlace(path="a.py", **place),)


RULES = [
    {
        "id": "A1",
        "name": "first",
        "defaultConfiguration": {"level": "note"},
        "messageStrings": {"m": {"text": "{0} in {1}"}},
    },
    {"id": "B2", "shortDescription": {"text": "B in short"}},
]
PLUGIN = {
    "name": "plugin",
    "rules": [{"id": "P1", "name": "of the plugin", "defaultConfiguration": {"level": "error"}}],
}


@pytest.mark.parametrize(
    ("result", "rule", "name", "level"),
    [
        ({"ruleId": "A1"}, "A1", "first", "note"),
        ({"ruleId": "A1/sub"}, "A1/sub", "first", "note"),
        ({"ruleIndex": 0}, "A1", "first", "note"),
        ({"rule": {"index": 1}}, "B2", None, "warning"),
        ({"rule": {"id": "P1", "toolComponent": {"index": 0}}}, "P1", "of the plugin", "error"),
        (
            {"rule": {"index": 0, "toolComponent": {"name": "plugin"}}},
            "P1",
            "of the plugin",
            "error",
        ),
        ({"ruleId": "P1"}, "P1", "of the plugin", "error"),
        ({"ruleId": "A1", "level": "error"}, "A1", "first", "error"),
        ({"ruleId": "?", "ruleIndex": 99}, "?", None, "warning"),
        ({}, None, None, "warning"),
    ],
)
def test_a_rule_is_found_by_id_by_number_and_in_plug_ins(
    result: Any, rule: str | None, name: str | None, level: str
) -> None:
    found = read(result, driver={"rules": RULES}, tool={"extensions": [PLUGIN]})
    assert (found.rule, found.name, found.level) == (rule, name, level)


@cases(
    ("result", "message"),
    {
        "markdown": ({"message": {"text": "plain", "markdown": "**bold**"}}, "plain"),
        "arguments": (
            {"message": {"text": "{0} and {{1}} and {7}", "arguments": ["one"]}},
            "one and {1} and {7}",
        ),
        "no arguments": ({"message": {"text": "braces {0} stay"}}, "braces {0} stay"),
        "by id": ({"ruleId": "A1", "message": {"id": "m", "arguments": ["x", "y"]}}, "x in y"),
        "global": ({"message": {"id": "everywhere"}}, "said of all"),
        "of the rule": ({"ruleId": "B2"}, "B in short"),
        "links": (
            {"message": {"text": "see [this call](1) and \\[no link\\]"}},
            "see this call and [no link]",
        ),
        "none": ({}, ""),
    },
)
def test_a_message_is_plain_text_with_its_arguments_in_it(result: Any, message: str) -> None:
    driver = {"rules": RULES, "globalMessageStrings": {"everywhere": {"text": "said of all"}}}
    assert read(result, driver=driver).message == message


@pytest.mark.parametrize(
    ("result", "kind", "level"),
    [
        ({"level": "error"}, "fail", "error"),
        ({"kind": "pass", "level": "error"}, "pass", "none"),
        ({"kind": "review"}, "review", "none"),
        ({"kind": "strange", "level": "strange"}, "fail", "warning"),
    ],
)
def test_only_what_fails_has_a_level(result: Any, kind: str, level: str) -> None:
    found = read(result)
    assert (found.kind, found.level) == (kind, level)


@pytest.mark.parametrize(
    ("suppressions", "suppressed"),
    [
        ([], False),
        ([{"kind": "inSource"}], True),
        ([{"status": "accepted"}], True),
        ([{"status": "rejected"}], False),
        ([{"status": "accepted"}, {"status": "underReview"}], False),
    ],
)
def test_a_suppression_counts_once_it_is_accepted(
    suppressions: list[Any], suppressed: bool
) -> None:
    assert read({"suppressions": suppressions}).suppressed is suppressed


FAILED: dict[str, Any] = {"executionSuccessful": False}
NO_MEMORY = {"toolExecutionNotifications": [{"message": {"text": "no memory"}}]}


@pytest.mark.parametrize(
    ("run", "failure"),
    [
        ({}, None),
        ({"invocations": [{"executionSuccessful": True}]}, None),
        ({"invocations": [FAILED]}, "the tool says that it failed, and not why"),
        ({"invocations": [FAILED | NO_MEMORY]}, "no memory"),
        ({"results": None}, "the run has no list of results, so the tool checked nothing"),
    ],
)
def test_a_run_that_did_not_end_well_says_why(run: dict[str, Any], failure: str | None) -> None:
    assert read_sarif(log(**run), "a.sarif")[0].failure == failure


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_encodings_that_tools_write_are_read(encoding: str) -> None:
    assert (
        read_sarif(log({"message": {"text": "ü"}}).decode().encode(encoding), "a.sarif")[0].tool
        == "tool"
    )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        log()[:-10],
        b"[]",
        b"null",
        b'{"version": "2.1.0"}',
        b'{"version": "1.0.0", "runs": []}',
        b'{"version": "2.1.0", "runs": [{}]}',
        b'{"version": "2.1.0", "runs": [3]}',
        b'{"version": 2, "runs": []}',
        b"\xff\xfe\x00",
        b"[" * 100_000,
        log({"ruleId": 3}),
        log({"locations": {}}),
        log({"locations": [{"physicalLocation": {"region": {"startLine": "3"}}}]}),
        log({"message": "text"}),
        log(results={}),
        log(driver={"name": " "}),
    ],
    ids=range(18),
)
def test_what_is_damaged_or_no_sarif_is_refused_in_one_line(data: bytes) -> None:
    with pytest.raises(BundleError, match=r"^a.sarif: [^\n]+$"):
        read_sarif(data, "a.sarif")


def test_more_results_than_the_limit_are_refused() -> None:
    with pytest.raises(BundleError, match="results"):
        read_sarif(log(*[{}] * (MAX_RESULTS + 1)), "a.sarif")


def test_a_message_that_repeats_a_long_argument_stays_bounded() -> None:
    found = read({"message": {"text": "{0}" * 1_000, "arguments": ["x" * 4_000]}})
    assert len(found.message) <= 4_000
