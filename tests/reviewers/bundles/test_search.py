"""Guards which bundles are meant by what a user names: files, patterns, folders of bundles."""

import json
import os
from pathlib import Path

import pytest

from reviewers.bundles import bundle_paths, open_bundle, open_bundles, submission_to_json
from reviewers.errors import BundleError
from tests.builders import make_submission
from tests.reviewers.bundles.bundle_files import (
    TREE,
    log_text,
    tarred,
    write_log,
    write_tree,
    zipped,
)


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A folder with one bundle of each format, and files that are not bundles."""
    shelf = tmp_path / "shelf"
    write_tree(
        shelf,
        {
            "b_log.txt": log_text(),
            "a_export.json": json.dumps(submission_to_json(make_submission())),
            "c_lines.jsonl": json.dumps(submission_to_json(make_submission())),
            "d.zip": zipped(TREE),
            "e.tar.gz": tarred(TREE, "w:gz"),
            "notes.txt": "Remember the tail.",
            "README.md": "# Kites",
            "expected.toml": "a = 1",
            "metrics.json": '{"score": 1}',
            "inner/more/z_log.txt": log_text(),
            ".git/log.txt": log_text(),
        }
        | {f"inner/folder/{path}": content for path, content in TREE.items()},
    )
    return shelf


def names(shelf: Path, paths: list[Path]) -> list[str]:
    return [path.relative_to(shelf).as_posix() for path in paths]


def test_a_folder_of_bundles_is_searched_through(shelf: Path) -> None:
    found = bundle_paths([shelf])
    assert names(shelf, found) == [
        "a_export.json",
        "b_log.txt",
        "c_lines.jsonl",
        "d.zip",
        "e.tar.gz",
        "inner/folder",
        "inner/more/z_log.txt",
    ]
    assert all(open_bundles(path) for path in found)


def test_patterns_and_names_are_joined_sorted_and_none_comes_twice(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shelf)
    (shelf / "link.txt").symlink_to("b_log.txt")
    found = bundle_paths(
        ["d.zip", "*_log.txt", "./b_log.txt", str(shelf / "b_log.txt"), "**/z_*.txt"]
    )
    assert [str(path) for path in found] == ["b_log.txt", "d.zip", "inner/more/z_log.txt"]


def test_a_folder_that_is_a_bundle_is_one_source(shelf: Path) -> None:
    assert bundle_paths([shelf / "inner/folder"]) == [shelf / "inner/folder"]


def test_a_file_whose_name_looks_like_a_pattern_is_taken_by_its_name(tmp_path: Path) -> None:
    path = write_log(tmp_path / "kite[1].txt")
    assert bundle_paths([path]) == [path]


def test_a_text_that_is_no_log_is_an_error_when_it_is_named(shelf: Path) -> None:
    assert bundle_paths([shelf / "notes.txt"]) == [shelf / "notes.txt"]
    with pytest.raises(BundleError, match="not a recorded review log"):
        open_bundle(shelf / "notes.txt")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("x.txt", b"", id="empty log"),
        pytest.param("x.txt", log_text()[:300].encode(), id="log cut off early"),
        pytest.param("x.txt", log_text().encode("utf-16")[:-200], id="log in UTF-16, cut off"),
        pytest.param("x.json", b"", id="empty JSON"),
        pytest.param("x.json", b'{"schema": "areachair.submission/1", "na', id="JSON cut off"),
        pytest.param("x.zip", b"", id="empty archive"),
    ],
)
def test_a_damaged_bundle_in_a_folder_is_not_passed_over(
    shelf: Path, name: str, content: bytes
) -> None:
    (shelf / name).write_bytes(content)
    assert shelf / name in bundle_paths([shelf])
    with pytest.raises(BundleError):
        open_bundles(shelf / name)


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        pytest.param(["nowhere.txt"], "no such file or folder", id="missing path"),
        pytest.param(["nowhere/*.txt"], "no file matches", id="pattern without a match"),
        pytest.param(["empty"], "no bundle is in this folder", id="empty folder"),
        pytest.param([], "none is named", id="nothing named"),
        pytest.param(["a\0b"], "NUL byte", id="NUL byte"),
        pytest.param(["x" * 5000], "no such file or folder", id="endless name"),
        pytest.param([os.fsdecode(b"\xff.txt")], "not UTF-8", id="name that is not UTF-8"),
        pytest.param(["links"], "it is a link", id="folder with a link to a log"),
        pytest.param(["deep"], "nested deeper", id="folders too deep"),
    ],
)
def test_what_is_not_there_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: list[str], reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "links").mkdir()
    (tmp_path / "links/a.txt").symlink_to("/etc/passwd")
    (tmp_path / "deep/1/2/3/4/5/6/7/8").mkdir(parents=True)
    with pytest.raises(BundleError, match=reason) as caught:
        bundle_paths(named)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("path", ["nowhere.txt", "a\0b", "x" * 5000, os.fsdecode(b"\xff.txt"), ""])
def test_opening_a_missing_path_is_told_in_one_line(path: str) -> None:
    with pytest.raises(BundleError):
        open_bundle(path)


def test_a_folder_of_bundles_is_no_bundle(shelf: Path) -> None:
    with pytest.raises(BundleError, match="no Python file of its own"):
        open_bundle(shelf)
