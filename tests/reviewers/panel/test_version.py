"""Guards the version of our own code: it changes with all that has a say in a review, and with
nothing else.
"""

import ast
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

from packaging.utils import canonicalize_name

import reviewers
from reviewers.panel.version import LIBRARIES, WITHOUT_A_SAY, own_version

PACKAGE = Path(str(reviewers.__file__)).parent
ASKS_MODELS = {"backends", "settings.py"}  # which no static review needs


def version_of(copy: Path) -> str:
    code = "from reviewers.panel.version import own_version; print(own_version())"
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, cwd=copy, capture_output=True, text=True, check=True, timeout=60
    ).stdout.strip()


def test_code_and_data_of_the_rules_make_another_version_and_the_stores_do_not(
    tmp_path: Path,
) -> None:
    copy = tmp_path / "reviewers"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    same = own_version()
    assert version_of(tmp_path) == same, "where it lies does not matter"
    (copy / "store" / "inbox.py").write_text("changed = True\n", "utf-8")
    assert version_of(tmp_path) == same
    seen = {same}
    for changed in ("rules/packaging.py", "facts/distributions.toml", "facts/torch_names.toml"):
        with (copy / changed).open("a", encoding="utf-8") as file:
            file.write("\n")
        seen.add(version_of(tmp_path))
    (copy / "rules" / "new.py").write_text("", "utf-8")
    assert len(seen | {version_of(tmp_path)}) == 5


def test_what_has_no_say_is_not_loaded_for_a_review() -> None:
    code = "import sys, reviewers.panel.review, reviewers.bundles; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    ).stdout.split()
    parts = {name.split(".")[1] for name in loaded if name.startswith("reviewers.")}
    assert "rules" in parts
    assert not parts & WITHOUT_A_SAY


def test_every_library_that_a_review_rests_on_is_part_of_the_version() -> None:
    distributions = packages_distributions()
    found = {
        canonicalize_name(distributions[name][0])
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).parts[0] not in WITHOUT_A_SAY | ASKS_MODELS | {"cli"}
        and "building" not in path.parts  # makes the index that a review rests on
        for name in imported(path)
        if name in distributions and name != "reviewers"
    }
    assert found == set(LIBRARIES)


def imported(path: Path) -> set[str]:
    """The first part of each module that a file imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(str(node.module).partition(".")[0])
    return names
