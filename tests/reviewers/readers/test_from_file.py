"""Guards readings from a file: its lines become the claims of a submission; a bad file is one line
and exit code 2.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from reviewers.bundles.submission_json import submission_to_json
from reviewers.cli import build
from reviewers.records import RecordedAnswer, Verdict
from tests.builders import make_submission

Run = Callable[..., Result]


def line(text: str = "It imports json", submission: str = "made", **fields: Any) -> dict[str, Any]:
    reading = {"p": "imports", "scope": "src/train.py", "name": "json"}
    return {"submission": submission, "id": 1, "text": text, "reading": reading, **fields}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    answer = RecordedAnswer(raw="{}", verdict=Verdict.NOT_READY, text="Something is wrong.")
    submission = make_submission({"src/train.py": "import json\n"}, recorded=(answer,))
    bundle = tmp_path / "made.json"
    bundle.write_text(json.dumps(submission_to_json(submission)))

    def invoke(*lines: object, words: tuple[str, ...] = ("--format", "json")) -> Result:
        file = tmp_path / "readings.jsonl"
        file.write_text("".join(f"{json.dumps(each)}\n" for each in lines))
        reader = ["--reader", f"file:{file}"]
        return CliRunner().invoke(build(lambda _: None), ["review", str(bundle), *reader, *words])

    return invoke


def found(result: Result) -> list[dict[str, Any]]:
    (recorded,) = [
        review
        for review in json.loads(result.stdout)["reviews"]
        if review["reviewer"] == "recorded"
    ]
    findings: list[dict[str, Any]] = recorded["findings"]
    return findings


def test_its_lines_become_the_claims_each_checked_as_it_is_read(run: Run) -> None:
    name = make_submission().name
    absent = {"not": {"p": "exists", "file": "src/train.py"}}
    unknown = {"p": "smells", "scope": "src/train.py"}
    one, two, three = found(
        run(
            line("It imports json. So it does.", name),
            line("src/train.py is missing", name, reading={"all": [absent, line()["reading"]]}),
            line("The code smells", name, reading=unknown),
            line("of another", "another"),
        )
    )
    assert (one["claim"], one["check"]) == ("It imports json. So it does.", "confirmed")
    assert (one["file"], one["line"]) == ("src/train.py", 1)
    assert one["understood_as"] == "`src/train.py` imports `json`"
    assert one["reading"]["reader"] == "file"
    assert one["reading"]["proposition"]["p"] == "imports"
    assert two["check"] == "unverified"
    assert [part["check"] for part in two["parts"]] == ["refuted", "confirmed"]
    assert three["reading"]["proposition"] is None
    assert three["reading"]["why_not"] == "there is no predicate `smells`"


def test_the_text_says_how_a_claim_was_read(run: Run) -> None:
    shown = run(line(submission=make_submission().name), words=())
    assert "understood as: `src/train.py` imports `json` (file)" in shown.stdout


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "it holds no reading"),
        ([["x"]], "line 1: it is no object with `submission`, `text` and `reading`"),
        ([line(), {**line(), "text": 7}], "line 2: `text` is no text of 1 to 4,000 characters"),
        ([{"submission": "a", "text": "b"}], "line 1: it has no `reading`"),
        ([{**line(), "submission": ""}], "line 1: `submission` is no text"),
    ],
    ids=str,
)
def test_a_bad_file_is_one_line(run: Run, lines: list[object], said: str) -> None:
    result = run(*lines)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("path", ["nowhere.jsonl", ".", "/dev/null"])
def test_a_file_that_cannot_be_read_is_one_line(path: str, run: Run) -> None:
    result = run(words=("--reader", f"file:{path}"))
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


def test_a_nested_reading_is_refused_with_its_reason(run: Run) -> None:
    deep: dict[str, Any] = line()["reading"]
    for _ in range(20):
        deep = {"not": deep}
    (only,) = found(run(line("x is wrong", make_submission().name, reading=deep)))
    assert only["reading"]["why_not"] == "nested more than 12 deep"


def test_readings_of_nobody_asked_are_refused(run: Run) -> None:
    result = run(line(), words=("--reviewers", "rules"))
    assert result.exit_code == 2
    assert "name recorded with --reviewers" in result.stderr
