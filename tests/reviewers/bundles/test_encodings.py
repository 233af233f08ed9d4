"""Guards that files that are not plain UTF-8 are loaded, kept, shown and found fault with."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from reviewers.bundles import open_bundle, read_submission_json, submission_to_json
from reviewers.panel.prompts import build_prompt
from reviewers.panel.review import review_all
from reviewers.records import SourceFile, Submission
from reviewers.store import Store
from reviewers.store.submission import load_submission
from tests.cases import cases
from tests.reviewers.bundles.bundle_files import (
    TREE,
    log_text,
    run_text,
    write_log,
    write_tree,
    zipped,
)

NUL = b"# one\nx = 'a\0b'\n"
UTF_16 = "# caf\u00e9\nx = 1\n".encode("utf-16")
LATIN_1 = "# one\n# caf\u00e9\n".encode("latin-1")
_RULE = {".py": "IM01", ".yaml": "RC01", ".toml": "FS04"}


@pytest.mark.parametrize(
    "path", ["src/train.py", "config/config.yaml", "config/runs/a.yaml", "pyproject.toml"]
)
@cases(
    ("data", "line", "words"),
    {
        "NUL": (NUL, 2, "null byte|#x0000|\\\\x00|not valid TOML"),
        "UTF-16": (UTF_16, 1, "0xff|xff"),
        "Latin-1": (LATIN_1, 2, "0xe9|xe9"),
    },
)
def test_a_file_that_is_no_utf_8_text_is_loaded_and_found_fault_with(
    tmp_path: Path, path: str, data: bytes, line: int, words: str
) -> None:
    folder = open_bundle(write_tree(tmp_path / "folder", TREE | {path: data}))
    (tmp_path / "k.zip").write_bytes(zipped(TREE | {path: data}))
    assert folder.by_path[path].data == data
    assert open_bundle(tmp_path / "k.zip").id == folder.id
    (review,) = review_all(folder, ("rules",))
    assert review.partial == ()
    found = [
        each
        for each in review.findings
        if each.rule == _RULE[Path(path).suffix] and each.span and each.span.file == path
    ]
    assert [each.span.line for each in found if each.span] in ([line], [None])
    assert any(word in found[0].message for word in words.replace("\\\\", "\\").split("|"))


def test_what_is_no_text_is_shown_as_what_it_is() -> None:
    assert SourceFile("a.py", LATIN_1).reading == "# one\n# caf\\xe9\n"
    assert SourceFile("a.py", UTF_16).reading == "# caf\u00e9\nx = 1\n"
    assert SourceFile("a.py", b"\xff\xfea\n\nb\n").reading == "\\xff\\xfea\n\nb\n"
    assert SourceFile("a.py", "# \ufffd\n".encode()).reading == "# \ufffd\n"


@cases(
    ("log", "data"),
    {
        "NUL in a file": (log_text(code={"train_py": "a\0b"}).encode(), b"a\0b"),
        "half a surrogate pair": (
            log_text(code='{"train_py": "\\n\\ud83d"}').encode(),
            b"\n\xed\xa0\xbd",
        ),
        "Latin-1": (log_text(code='{"train_py": "caf\u00e9"}').encode("latin-1"), b"caf\xe9"),
        "NUL in the prompt": (log_text(method="a\0b", code={"train_py": ""}).encode(), b""),
        "NUL in a run config": (
            log_text(runs=run_text(yaml="a: '\0'"), code={"train_py": ""}).encode(),
            b"",
        ),
    },
)
def test_a_log_is_read_whatever_bytes_it_holds(tmp_path: Path, log: bytes, data: bytes) -> None:
    (tmp_path / "kite.txt").write_bytes(log)
    kite = open_bundle(tmp_path / "kite.txt")
    assert kite.by_path["src/train.py"].data == data
    assert kite.context.method in ("Shorten the tail.\nRepeat.", "a\ufffdb")
    assert (b"\0" in kite.runs[0].file.data) == (b"a: '\0'" in log)
    comes_back(kite, tmp_path)


def comes_back(submission: Submission, folder: Path) -> None:
    text = json.dumps(submission_to_json(submission))
    assert read_submission_json(json.loads(text), submission.source) == submission
    with closing(Store.open(f"sqlite:///{folder / 'store'}")) as store:
        store.add(submission, review_all(submission))
        kept = load_submission(store, submission.id).submission
    assert kept.by_path == submission.by_path


def test_a_prompt_shows_a_nul_byte_as_a_mark(tmp_path: Path) -> None:
    kite = open_bundle(write_log(tmp_path / "kite.txt", log_text(code={"train_py": "a\0b"})))
    prompt = "".join(message.text for message in build_prompt(kite, "findings").messages)
    assert "\0" not in prompt
    assert "a⟦U+0000⟧b" in prompt
