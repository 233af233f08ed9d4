"""Guards that a recorded answer is read under any of its key names, and never guessed where it
cannot be read.
"""

import json
from pathlib import Path

import pytest

from reviewers.bundles import open_bundle
from reviewers.records import RecordedAnswer, Verdict
from tests.cases import cases
from tests.reviewers.bundles.bundle_files import CODE, log_text, write_log

GIVEN = '{"is_code_ready": false, "code_issue": "The kite has no tail."}'


def read(folder: Path, answer: str) -> RecordedAnswer:
    kite = open_bundle(write_log(folder / "kite.txt", log_text(answer=answer)))
    assert len(kite.files) == 5
    return kite.recorded[0]


@pytest.mark.parametrize(
    "name",
    [
        "is_code_ready",
        "is_experiment_code_ready",
        "isCodeReady",
        "code_ready",
        "ready",
        "is-ready",
        "Is Code Ready",
    ],
)
@pytest.mark.parametrize(
    "text", ["code_issue", "experiment_code_issue", "code_issues", "issues", "codeIssue"]
)
def test_any_key_name_is_understood(tmp_path: Path, name: str, text: str) -> None:
    answer = read(tmp_path, json.dumps({name: False, text: "No tail."}))
    assert (answer.verdict, answer.text, answer.failure) == (Verdict.NOT_READY, "No tail.", None)


@cases(
    "raw",
    {
        "in a fence": f"```json\n{GIVEN}\n```",
        "words around it": f"Here is my {{verdict}}:\n{GIVEN}\nYours, W.",
        "given twice": f"{GIVEN}\n{GIVEN}",
        "boolean as text": GIVEN.replace("false", '"False"'),
        "issues as a list": GIVEN.replace('"The kite has no tail."', '["The kite has no tail."]'),
    },
)
def test_an_answer_is_found_and_its_raw_text_stays(tmp_path: Path, raw: str) -> None:
    answer = read(tmp_path, raw)
    assert (answer.verdict, answer.text) == (Verdict.NOT_READY, "The kite has no tail.")
    assert answer.raw == raw


@cases(
    ("raw", "reason"),
    {
        "missing": ("", "no answer"),
        "blank": (" \n", "no answer"),
        "prose": ("It looks fine to me.", "no JSON object"),
        "no object": ("[true]", "no JSON object"),
        "no verdict in it": ('{"score": 3}', "no JSON object"),
        "cut off in the text": (GIVEN[:-3], "breaks off"),
        "cut off at a key": (GIVEN[:40], "breaks off"),
        "cut off around another answer": (
            f"{GIVEN[:-2]} quoting {json.dumps({'is_code_ready': True})}",
            "",
        ),
        "null": (GIVEN.replace("false", "null"), "neither true nor false"),
        "number": (GIVEN.replace("false", "0.5"), "neither true nor false"),
        "not JSON": (GIVEN.replace("false", "maybe"), "line 1"),
        "two verdicts": (f'{GIVEN} {{"is_code_ready": true}}', "contradict"),
        "two keys": ('{"is_code_ready": true, "is_ready": false}', "contradict"),
        "one key twice": ('{"is_code_ready": true, "is_code_ready": false}', "twice"),
        "nested 10,000 deep": (
            '{"is_code_ready": true, "x": ' + "[" * 10_000 + "]" * 10_000 + "}",
            "nested deeper",
        ),
    },
)
def test_what_cannot_be_read_is_a_failure_with_its_raw_text(
    tmp_path: Path, raw: str, reason: str
) -> None:
    answer = read(tmp_path, raw)
    assert answer.verdict is None
    assert answer.failure is not None
    assert reason in answer.failure
    assert "\n" not in answer.failure
    assert answer.raw == raw
    assert answer.text is None


def test_an_answer_that_quotes_the_prompt_does_not_replace_the_code(tmp_path: Path) -> None:
    quoted = '# Generated Experiment Code (To be validated)\n{"train_py": "not this"}\n'
    kite = open_bundle(
        write_log(tmp_path / "kite.txt", log_text(answer=f"You gave me\n{quoted}My view:\n{GIVEN}"))
    )
    assert kite.by_path["src/train.py"].text == CODE["train_py"]
    assert kite.recorded[0].verdict is Verdict.NOT_READY


def test_characters_that_no_text_can_hold_are_shown_as_lost(tmp_path: Path) -> None:
    answer = read(
        tmp_path, '{"is_code_ready": false, "code_issue": "a\\u0000b\\ud800c\\ud83d\\ude00"}'
    )
    assert answer.text == "a\ufffdb\ufffdc\N{GRINNING FACE}"
