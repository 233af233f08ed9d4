"""Guards that our own export is read back to an equal submission, and JSON lines all or not at
all.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewers.bundles import open_bundle, open_bundles, read_submission_json, submission_to_json
from reviewers.errors import BundleError
from reviewers.records import RecordedAnswer, RunConfig, SourceFile, Submission, Verdict
from tests.builders import make_submission
from tests.cases import cases

KITE = make_submission(
    {
        "src/latin.py": b"# caf\xe9 \xff\n",
        "src/bom.py": b"\xef\xbb\xbfx = 1\r\n",
        "src/empty.py": b"",
    },
    recorded=(
        RecordedAnswer(
            raw='{"is_code_ready": false}',
            verdict=Verdict.NOT_READY,
            text="No tail.",
            model="wind-1",
        ),
        RecordedAnswer(raw="??", verdict=None, failure="unreadable"),
    ),
    lineage="kites",
    attempt=3,
)


def through_json(submission: Submission) -> Submission:
    return read_submission_json(
        json.loads(json.dumps(submission_to_json(submission))), submission.source
    )


def test_an_export_is_read_back_to_an_equal_submission() -> None:
    again = through_json(KITE)
    assert again == KITE
    assert again.id == KITE.id
    assert again.by_path["src/latin.py"].data == b"# caf\xe9 \xff\n"


@given(
    st.dictionaries(
        st.from_regex(r"\A[a-z]{1,8}\.py\Z"),
        st.binary(max_size=50).filter(lambda data: b"\0" not in data),
        max_size=4,
    ),
    st.text(max_size=30).filter(lambda text: "\0" not in text and text.isascii()),
)
def test_any_bytes_survive_the_export(files: dict[str, bytes], yaml: str) -> None:
    kite = Submission(
        name="kite",
        source="kite.json",
        files=tuple(SourceFile(f"src/{name}", data) for name, data in sorted(files.items())),
        runs=(RunConfig("a", SourceFile("config/runs/a.txt", yaml.encode())),),
    )
    again = through_json(kite)
    assert again.id == kite.id
    assert {path: file.data for path, file in again.by_path.items()} == {
        path: file.data for path, file in kite.by_path.items()
    }


def test_the_exports_own_source_is_not_believed(tmp_path: Path) -> None:
    (tmp_path / "k.json").write_text(json.dumps(submission_to_json(KITE)))
    assert open_bundle(tmp_path / "k.json").source == str(tmp_path / "k.json")


def test_a_json_lines_file_holds_many(tmp_path: Path) -> None:
    lines = [
        json.dumps(
            submission_to_json(make_submission({"src/x.py": f"x = {number}\n"}, name=f"k{number}"))
        )
        for number in range(3)
    ]
    path = tmp_path / "k.jsonl"
    path.write_text("\n".join(["", *lines, ""]))
    assert [kite.name for kite in open_bundles(path)] == ["k0", "k1", "k2"]
    with pytest.raises(BundleError, match="3 submissions"):
        open_bundle(path)
    path.write_text(lines[0])
    assert open_bundle(path).name == "k0"


@cases(
    ("second", "reason"),
    {
        "cut off": (
            '{"schema": "areachair.sub',
            r"line 2 is not valid JSON: column \d+: it breaks off",
        ),
        "no object": ("[]", "line 2: .*object"),
        "another schema": ('{"schema": "areachair.review/1"}', "line 2: it is not an export"),
    },
)
def test_one_bad_line_and_nothing_is_read(tmp_path: Path, second: str, reason: str) -> None:
    path = tmp_path / "k.jsonl"
    path.write_text(f"{json.dumps(submission_to_json(KITE))}\n{second}\n")
    with pytest.raises(BundleError, match=reason):
        open_bundles(path)


def changed(**fields: object) -> dict[str, object]:
    return submission_to_json(KITE) | fields


def run(**fields: object) -> list[dict[str, object]]:
    return [{"run_id": "a", "path": "config/runs/a.yaml", "yaml": "a: 1"} | fields]


@cases(
    ("value", "reason"),
    {
        "no schema": ({}, "its `schema` is not"),
        "a list": ([], "must be an object"),
        "newer schema": (changed(schema="areachair.submission/2"), "its `schema` is not"),
        "unknown field": (changed(extra=1), "extra is not a field"),
        "no name": (changed(name=None), "name is missing"),
        "blank name": (changed(name="  "), "name must have"),
        "endless name": (changed(name="x" * 1000), "name must have"),
        "NUL byte in the name": (changed(name="a\0"), "name contains a NUL byte"),
        "half a surrogate pair in the name": (changed(name="\ud800"), "surrogate"),
        "attempt as text": (changed(attempt="3"), "attempt must be a number"),
        "attempt as boolean": (changed(attempt=True), "attempt must be a number"),
        "attempt below 0": (changed(attempt=-1), "attempt must be a number"),
        "endless attempt": (changed(attempt=10**30), "attempt must be a number"),
        "files as a list": (changed(files=["a"]), "files must be an object"),
        "content as a number": (changed(files={"src/a.py": 1}), "must be a text or"),
        "broken base64": (changed(files={"src/a.py": {"base64": "*"}}), "must be a text or"),
        "another coding": (changed(files={"src/a.py": {"hex": "00"}}), "must be a text or"),
        "path that leaves the folder": (changed(files={"../a.py": "1"}), "leaves the folder"),
        "absolute path": (changed(files={"/a.py": "1"}), "is absolute"),
        "path that is not plain": (changed(files={"src//a.py": "1"}), "`.` part; remove it"),
        "empty path": (changed(files={"": "1"}), "names no file"),
        "half a surrogate pair in a path": (changed(files={"\ud800": "1"}), "is not UTF-8"),
        "NUL byte in a path": (changed(files={"a\0": "1"}), "NUL byte"),
        "run and file at one path": (
            changed(files={"config/runs/a.yaml": ""}, runs=run()),
            "two files at",
        ),
        "more than 500 files": (
            changed(files={str(n): "" for n in range(501)}, runs=[]),
            "more than 500 files",
        ),
        "a file over 2 MB": (changed(files={"a": "x" * 2_000_001}), "larger than 2 MB"),
        "over 20 MB": (
            changed(files={str(n): "x" * 1_999_999 for n in range(11)}),
            "more than 20 MB",
        ),
        "runs as an object": (changed(runs={}), "runs must be a list"),
        "run without a path": (changed(runs=run(path=None)), r"runs\[0\].path is missing"),
        "run without YAML": (changed(runs=run(yaml=None)), r"runs\[0\].yaml is missing"),
        "run that leaves the folder": (changed(runs=run(path="../a.yaml")), "leaves the folder"),
        "method as a number": (changed(runs=run(method=1)), r"runs\[0\].method must be a text"),
        "one run id twice": (
            changed(runs=run() + run(path="config/runs/b.yaml")),
            "two runs are called 'a'",
        ),
        "hypothesis as a number": (
            changed(context={"hypothesis": {"a": 1}}),
            r"context.hypothesis.a must be a text",
        ),
        "context as a number": (changed(context=3), "context must be an object"),
        "unknown verdict": (
            changed(recorded=[{"raw": "x", "verdict": "maybe"}]),
            r"recorded\[0\].verdict",
        ),
        "answer as a number": (changed(recorded=[1]), r"recorded\[0\] must be an object"),
    },
)
def test_an_export_with_a_wrong_field_is_refused_by_name(value: object, reason: str) -> None:
    with pytest.raises(BundleError, match=reason) as caught:
        read_submission_json(value, "k.json")
    assert str(caught.value).startswith("k.json: ")
    assert "\n" not in str(caught.value)


def deep(levels: int) -> str:
    return json.dumps(changed()).replace(
        '"context": {', '"context": {"x": ' + "[" * levels + "]" * levels + ", ", 1
    )


@cases(
    ("text", "reason"),
    {
        "empty file": ("", "empty"),
        "blank file": (" \n", "breaks off"),
        "cut off": (
            json.dumps(submission_to_json(KITE))[:-10],
            "not valid JSON: line 1, column .*breaks off",
        ),
        "something follows": (json.dumps(submission_to_json(KITE)) + "x", "follows after"),
        "nested 10,000 deep": (deep(10_000), "nested deeper than 64"),
        "10,000 open brackets": ("[" * 10_000, "nested deeper than 64"),
        "one key twice": ('{"schema": 1, "schema": 2}', "twice"),
        "a number of 100,000 digits": ('{"attempt": ' + "9" * 100_000 + "}", "not valid JSON"),
        "not UTF-8": ("\xff", "not UTF-8"),
    },
)
@pytest.mark.parametrize("ending", [".json", ".jsonl"])
def test_a_file_that_is_no_json_is_refused(
    tmp_path: Path, text: str, reason: str, ending: str
) -> None:
    path = tmp_path / f"k{ending}"
    path.write_bytes(text.encode("latin-1"))
    if ending == ".jsonl":
        reason = reason.replace("line 1, column", "column").replace(
            "breaks off", "breaks off|contains no submission"
        )
    with pytest.raises(BundleError, match=reason) as caught:
        open_bundles(path)
    assert "\n" not in str(caught.value)


def test_a_large_file_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "k.json"
    with path.open("wb") as stream:
        stream.truncate(10**12)
    with pytest.raises(BundleError, match="larger than 20 MB"):
        open_bundle(path)


type_of: Callable[[object], type] = type


def test_the_export_holds_plain_values_only() -> None:
    def walk(value: object) -> None:
        assert type_of(value) in (dict, list, str, int, type(None)) or isinstance(value, Verdict)
        for item in (
            value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        ):
            walk(item)

    walk(submission_to_json(KITE))
