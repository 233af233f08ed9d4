"""Guards that no log, however broken or hostile, does more than be refused in one line."""

import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reviewers.bundles import open_bundle, open_bundles
from reviewers.errors import BundleError
from reviewers.panel.review import review_all
from tests.cases import cases
from tests.reviewers.bundles.bundle_files import (
    TREE,
    log_text,
    run_text,
    tarred,
    write_log,
    write_tree,
    zipped,
)
from tests.reviewers.bundles.test_yaml_text import BROKEN, HOSTILE

DEEP = '{"train_py": ' + "[" * 10_000 + "]" * 10_000 + "}"


@cases(
    ("text", "reason"),
    {
        "empty file": ("", "the file is empty"),
        "blank file": (" \n\n", "not a recorded review log"),
        "another text": ("Dear diary", "not a recorded review log"),
        "cut off before the code": (
            log_text()[:400],
            "shows no code: looked for .*; saw the headings `Ins",
        ),
        "code cut off": (log_text(code='{"train_py": "x = 1', answer=""), "a text is not closed"),
        "code cut off after a file": (
            log_text(code='{"train_py": "x = 1"', answer=""),
            "cannot be read: line",
        ),
        "code that is not JSON": (log_text(code="print('no JSON')"), "shows no code: looked for"),
        "one file twice": (
            log_text(code='{"train_py": "1", "train_py": "2"}'),
            "'train_py' occurs twice",
        ),
        "a file that is a number": (log_text(code={"train_py": 3}), "'train_py' is not a text"),
        "a file that is an object": (
            log_text(code={"train_py": {"a": "b"}}),
            "'train_py' is not a text",
        ),
        "code nested 10,000 deep": (log_text(code=DEEP), "nested deeper than 64"),
        "a number of 50,000 digits": (
            log_text(code='{"train_py": ' + "9" * 50_000 + "}"),
            "cannot be read",
        ),
        "path that leaves the folder": (log_text(code={"../evil.py": "1"}), "leaves the folder"),
        "absolute path": (log_text(code={"/etc/evil.py": "1"}), "is absolute"),
        "backslash": (log_text(code={"src\\evil.py": "1"}), "backslash"),
        "two files at one path": (
            log_text(code={"train_py": "1", "src/train.py": "2"}),
            "two files at 'src/train.py'",
        ),
        "more than 500 files": (
            log_text(code={f"f{n}_py": "" for n in range(500)}),
            "more than 500 files",
        ),
        "a file over 2 MB": (log_text(code={"train_py": "x" * 2_000_001}), "larger than 2 MB"),
        "over 20 MB": (
            log_text(code={f"f{n}_py": "x" * 1_999_999 for n in range(11)}),
            "larger than 20 MB",
        ),
        "run that leaves the folder": (
            log_text(runs=run_text(run_id="../../x")),
            "leaves the folder",
        ),
        "run with an absolute name": (log_text(runs=run_text(run_id="/x")), "cannot be the name"),
        "run without a name": (log_text(runs=run_text(run_id="")), "cannot be the name"),
        "one run twice": (log_text(runs=run_text() * 2), "two runs|two files"),
        "more than 200 runs": (
            log_text(runs="".join(run_text(run_id=f"r{n}") for n in range(201))),
            "more than 200 runs",
        ),
    },
)
def test_logs_that_cannot_be_read_are_refused_in_one_line(
    tmp_path: Path, text: str, reason: str
) -> None:
    with pytest.raises(BundleError, match=reason) as caught:
        open_bundle(write_log(tmp_path / "kite.txt", text))
    assert str(caught.value).startswith(str(tmp_path / "kite.txt"))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(tmp_path))


@pytest.mark.parametrize(("yaml", "message"), HOSTILE)
def test_hostile_yaml_is_a_finding_in_any_format(tmp_path: Path, yaml: str, message: str) -> None:
    tree = TREE | {"config/runs/a.yaml": yaml}
    (tmp_path / "k.zip").write_bytes(zipped(tree))
    (tmp_path / "k.tgz").write_bytes(tarred(tree, "w:gz"))
    bundles = [
        write_tree(tmp_path / "folder", tree),
        tmp_path / "k.zip",
        tmp_path / "k.tgz",
        write_log(tmp_path / "run.txt", log_text(runs=run_text(yaml=yaml))),
        write_log(tmp_path / "config.txt", log_text(code={"config_yaml": yaml})),
    ]
    for bundle in bundles:
        opened = open_bundle(bundle)
    (review,) = review_all(opened, ("rules",))
    assert any(message in found.message for found in review.findings if found.rule == "RC01")
    assert all("is not composed" in line for line in review.partial)


@pytest.mark.parametrize(("yaml", "line"), BROKEN)
def test_broken_yaml_is_opened_since_it_is_the_submissions_defect(
    tmp_path: Path, yaml: str, line: int | None
) -> None:
    kite = open_bundle(
        write_log(
            tmp_path / "kite.txt", log_text(runs=run_text(yaml=yaml), code={"config_yaml": yaml})
        )
    )
    assert kite.runs[0].file.text == kite.files[0].text == yaml


ROWS_OF_BLANKS = [
    pytest.param({"runs": run_text() + "```" + " " * 300_000 + "x"}, id="after a fence"),
    pytest.param(
        {"runs": "- Run ID: a\n```yaml\n" + ("```" + " " * 1000 + "\n") * 1000}, id="between fences"
    ),
    pytest.param(
        {"runs": "- Run ID: a\nMethod: a" + " " * 300_000 + "b\n"}, id="in a method's name"
    ),
    pytest.param({"hypothesis": "a=x " * 100_000}, id="between fields"),
    pytest.param({"model": "a" + " " * 300_000 + "b"}, id="in the model's name"),
    pytest.param(
        {"method": "# Generated Experiment Code\n" + "\n" * 300_000 + "```" + " " * 300_000},
        id="after a heading",
    ),
    pytest.param({"answer": '{"' + " " * 300_000 + "ready"}, id="in the answer"),
    pytest.param({"design": "- Strategy: s\n" * 50_000}, id="the same label again and again"),
]


@pytest.mark.parametrize("parts", ROWS_OF_BLANKS)
def test_long_rows_cost_no_more_than_their_length(tmp_path: Path, parts: dict[str, str]) -> None:
    path = write_log(tmp_path / "kite.txt", log_text(**parts))  # type: ignore[arg-type]
    start = time.process_time()
    assert open_bundle(path).files
    assert time.process_time() - start < 60


PLAIN = log_text(answer={"is_code_ready": False, "code_issue": 'It says "no".'}).encode()
EACH_FORMAT = {
    "k.txt": PLAIN,
    "k.zip": zipped(TREE | {"context.json": '{"method": "m"}'}, top="k/"),
    "k.tar": tarred(TREE),
    "k.tgz": tarred(TREE, "w:gz"),
    "k.json": (
        b'{"schema": "areachair.submission/1", "name": "k", "files": {"src/a.py": {"base64":'
        b' "eA=="}}, "recorded": []}'
    ),
}
GENTLE = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def opened_or_refused(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    refusal = ""
    try:
        open_bundles(path)
    except BundleError as error:
        refusal = str(error)
    assert "\n" not in refusal


@GENTLE
@given(name=st.sampled_from(sorted(EACH_FORMAT)), data=st.data())
def test_a_bundle_cut_off_anywhere_is_opened_or_refused(
    tmp_path: Path, name: str, data: st.DataObject
) -> None:
    whole = EACH_FORMAT[name]
    opened_or_refused(tmp_path / name, whole[: data.draw(st.integers(0, len(whole) - 1))])


@GENTLE
@given(name=st.sampled_from(sorted(EACH_FORMAT)), data=st.data())
def test_a_bundle_with_any_bytes_changed_is_opened_or_refused(
    tmp_path: Path, name: str, data: st.DataObject
) -> None:
    changed = bytearray(EACH_FORMAT[name])
    for at, byte in data.draw(
        st.lists(
            st.tuples(st.integers(0, len(changed) - 1), st.integers(0, 255)), min_size=1, max_size=8
        )
    ):
        changed[at] = byte
    opened_or_refused(tmp_path / name, bytes(changed))


@GENTLE
@given(
    ending=st.sampled_from([".txt", ".json", ".jsonl", ".zip", ".tar", ".tgz"]),
    start=st.sampled_from(
        [b"", b"PK\x03\x04", b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\x00", b"{", b"\xff\xfe"]
    ),
    rest=st.binary(max_size=400),
)
def test_any_bytes_are_opened_or_refused(
    tmp_path: Path, ending: str, start: bytes, rest: bytes
) -> None:
    opened_or_refused(tmp_path / f"k{ending}", start + rest)


@GENTLE
@given(
    hypothesis=st.text(),
    method=st.text(),
    design=st.text(),
    answer=st.text(),
    criteria=st.text(),
    runs=st.text() | st.builds(run_text, yaml=st.text()),
)
def test_any_free_texts_are_opened_or_refused(tmp_path: Path, **parts: str) -> None:
    opened_or_refused(tmp_path / "k.txt", log_text(**parts).encode("utf-8", "replace"))  # type: ignore[arg-type]
