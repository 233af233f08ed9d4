"""Guards that any folder or archive with Python files is opened, and that what is not kept of it is
told.
"""

import json
import time
from contextlib import closing
from pathlib import Path

import pytest

from reviewers.bundles import bundle_paths, open_bundle, read_submission_json, submission_to_json
from reviewers.errors import BundleError
from reviewers.exports.review_json import submission_head
from reviewers.facts import Facts
from reviewers.store import Store
from reviewers.store.submission import load_submission
from tests.reviewers.bundles.bundle_files import log_text, tarred, write_tree, zipped

Tree = dict[str, str | bytes]


def notebook(*sources: object, **more: object) -> str:
    cells: list[object] = [{"cell_type": "code", "source": each, **more} for each in sources]
    cells.insert(1, {"cell_type": "markdown", "source": ["# Not code\n"]})
    return json.dumps({"cells": cells, "nbformat": 4})


PROJECT: Tree = {
    "experiment.py": "import plot\n",
    "plot.py": "x = 1\n",
    "notes.tex": "\\section{Kites}",
    "figures/loss.png": b"\x89PNG\r\n\x1a\n\0",
    "figures/curve": b"\0\1\2",
    "weights.npy": b"x" * 2_500_000,
    "table.csv": b"1,2\n" * 600_000,
    "data/raw/a.csv": "1",
    "data/raw/b.csv": "22",
    "src/data/__init__.py": "",
    "src/data/words.txt": "kite",
    "env/pyvenv.cfg": "home = /usr",
    "env/lib/x.py": "1",
    ".venv/lib/y.py": "1",
    "src/__pycache__/a.pyc": b"\0",
    ".git/config": "",
    "look.ipynb": notebook(["%matplotlib inline\n", "y = 2\n"], "!ls\nprint(y)"),
}
KEPT = {
    "experiment.py",
    "plot.py",
    "notes.tex",
    "src/data/__init__.py",
    "src/data/words.txt",
    "look.ipynb.py",
}
TOLD = {
    "figures/loss.png": ("not text", 9),
    "figures/curve": ("not text", 3),
    "weights.npy": ("not text", 2_500_000),
    "table.csv": ("larger than 2 MB", 2_400_000),
    "data/": ("a data folder without code, 2 files", 3),
    "env/": ("a virtual environment", None),
    ".venv/": ("a virtual environment", None),
    "src/__pycache__/": ("a cache", None),
    "look.ipynb": (
        "a notebook; its 2 code cells are look.ipynb.py",
        len(PROJECT["look.ipynb"]),
    ),
}


@pytest.mark.parametrize("form", ["folder", "zip", "tar.gz"])
def test_a_project_of_any_kind_is_opened_and_what_is_not_kept_is_told(
    tmp_path: Path, form: str
) -> None:
    path = tmp_path / f"kite.{form}"
    if form == "folder":
        write_tree(path, PROJECT)
    else:
        path.write_bytes(zipped(PROJECT) if form == "zip" else tarred(PROJECT, "w:gz"))
    kite = open_bundle(path)
    assert set(kite.by_path) == KEPT
    assert {each.path: (each.reason, each.size) for each in kite.passed_over} == TOLD
    assert kite.by_path["look.ipynb.py"].text == (
        "# %%\n# %matplotlib inline\ny = 2\n# %%\n# !ls\nprint(y)\n"
    )
    assert Facts(kite).python["look.ipynb.py"].syntax_error is None
    again = read_submission_json(json.loads(json.dumps(submission_to_json(kite))), kite.source)
    assert again == kite
    told = submission_head(kite)["passed_over"]
    assert {"path": "figures/curve", "reason": "not text", "size": 3} in told
    with closing(Store.open(f"sqlite:///{tmp_path / 'store'}")) as store:
        store.add(kite)
        assert load_submission(store, kite.id).submission.passed_over == kite.passed_over


def test_a_folder_of_such_folders_is_searched_through(tmp_path: Path) -> None:
    shelf = write_tree(
        tmp_path / "shelf",
        {"a/experiment.py": "", "b/look.ipynb": "{}", "c/run.txt": log_text(), "c/load.py": ""},
    )
    assert [path.name for path in bundle_paths([shelf])] == ["a", "b", "run.txt"]


def test_an_archive_of_a_package_keeps_the_packages_folder(tmp_path: Path) -> None:
    (tmp_path / "k.zip").write_bytes(zipped({"kite/__init__.py": "", "kite/tail.py": ""}))
    assert set(open_bundle(tmp_path / "k.zip").by_path) == {"kite/__init__.py", "kite/tail.py"}


def test_a_context_file_with_none_of_our_fields_is_a_file_like_any_other(tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "k", {"a.py": "", "context.json": '{"users": [1]}'})
    assert "context.json" in open_bundle(folder).by_path


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("", "not a notebook: line 1", id="empty"),
        pytest.param("[1]", "not a notebook: it has no list of cells", id="a list"),
        pytest.param('{"cells": {}}', "no list of cells", id="cells as an object"),
        pytest.param('{"cells": [', "it breaks off", id="cut off"),
        pytest.param('{"cells": ' + "[" * 100_000, "nested deeper", id="nested without end"),
        pytest.param('{"cells": [], "cells": []}', "occurs twice", id="a key twice"),
        pytest.param(b"\xff\xfe{}", "byte 0 is not UTF-8", id="no text"),
    ],
)
def test_a_notebook_that_cannot_be_read_is_told(
    tmp_path: Path, text: str | bytes, reason: str
) -> None:
    kite = open_bundle(write_tree(tmp_path / "k", {"a.py": "", "look.ipynb": text}))
    assert set(kite.by_path) == {"a.py"}
    (told,) = kite.passed_over
    assert told.path == "look.ipynb"
    assert reason in told.reason


def test_of_a_notebook_only_code_is_kept_whatever_its_cells_hold(tmp_path: Path) -> None:
    text = notebook(
        None, 3, ["a = 1\n", 4], "%%bash\nrm -rf x", "b\nhelp?\n\ud83d", outputs="x" * 2_000_000
    )
    kite = open_bundle(write_tree(tmp_path / "k", {"look.ipynb": text}))
    data = kite.by_path["look.ipynb.py"].data
    assert data.startswith(b"# %%\n\n# %%\n\n# %%\na = 1\n# %%\n# %%bash\n# rm -rf x\n")
    assert data.endswith(b"b\n# help?\n\xed\xa0\xbd\n")


def test_what_ipython_takes_leaves_the_block_around_it_whole(tmp_path: Path) -> None:
    cell = "if colab:\n    %pip install x\n    !ls\n%time fit = train(1)\n%time\n%matplotlib inline"
    kite = open_bundle(write_tree(tmp_path / "k", {"look.ipynb": notebook(cell)}))
    assert kite.by_path["look.ipynb.py"].text == (
        "# %%\nif colab:\n    pass  # %pip install x\n    pass  # !ls\nfit = train(1)\n# %time\n"
        "# %matplotlib inline\n"
    )


def test_a_notebook_gives_way_to_a_file_of_its_name(tmp_path: Path) -> None:
    tree: Tree = {"a.ipynb": notebook("x"), "a.ipynb.py": "own"}
    kite = open_bundle(write_tree(tmp_path / "k", tree))
    assert kite.by_path["a.ipynb.py"].text == "own"
    assert [each.reason for each in kite.passed_over] == ["not read, since a.ipynb.py is there"]


def test_notebooks_cannot_take_more_memory_than_a_bundle(tmp_path: Path) -> None:
    large = notebook("x = 1", outputs="x" * 8_000_000)
    tree = {f"{number}.ipynb": large for number in range(4)} | {"a.py": ""}
    kite = open_bundle(write_tree(tmp_path / "k", tree))
    assert set(kite.by_path) == {"a.py", "0.ipynb.py", "1.ipynb.py"}
    assert "too large to be read" in kite.passed_over[-1].reason


def test_thousands_of_files_are_told_or_refused_in_seconds(tmp_path: Path) -> None:
    names = [f"{number}" for number in range(10_000)]
    (tmp_path / "k.zip").write_bytes(zipped({"a.py": ""} | {f"d/{name}": "" for name in names}))
    begun = time.process_time()
    with pytest.raises(BundleError, match="contains more than 5000 members"):
        open_bundle(tmp_path / "k.zip")
    folder = write_tree(tmp_path / "k", {"a.py": ""})
    (folder / "data").mkdir()
    for name in names:
        (folder / "data" / name).touch()
    (told,) = open_bundle(folder).passed_over
    assert told.reason == "a data folder without code, 10,000 files"
    assert time.process_time() - begun < 5


def test_code_is_read_before_texts_and_what_finds_no_room_is_told(tmp_path: Path) -> None:
    papers: Tree = {f"papers/{number}.txt": "" for number in range(600)}
    kite = open_bundle(write_tree(tmp_path / "k", papers | {"src/z.py": "x = 1", "z.yaml": ""}))
    assert {"src/z.py", "z.yaml"} < set(kite.by_path)
    assert len(kite.by_path) == 500
    assert "more than 500 files" in kite.passed_over[0].reason
    large: Tree = {f"{number}.txt": "x" * 1_900_000 for number in range(12)}
    told = open_bundle(write_tree(tmp_path / "l", large | {"src/z.py": ""})).passed_over
    assert [each.path for each in told] == ["8.txt", "9.txt"]
    code: Tree = {f"{number}.py": "" for number in range(501)}
    with pytest.raises(BundleError, match="more than 500 files; name a folder in it"):
        open_bundle(write_tree(tmp_path / "m", code))


def test_what_is_passed_over_without_end_is_told_up_to_a_number(tmp_path: Path) -> None:
    tree: Tree = {f"{number}.png": b"\0" for number in range(400)} | {"a.py": ""}
    told = open_bundle(write_tree(tmp_path / "k", tree)).passed_over
    assert len(told) == 301
    assert (told[-1].reason, told[-1].size) == ("100 more of such", 100)
