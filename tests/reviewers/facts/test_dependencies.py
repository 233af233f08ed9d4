"""Guards which imports are said to lack their distribution, by what installs the project."""

import pytest

from reviewers.facts import Facts
from reviewers.records import SourceFile, Submission
from reviewers.rules import find_rule
from tests.builders import contract

NONE = "[tool.pytest.ini_options]\n"
LISTED = '[project]\nname = "ours"\nversion = "1"\ndependencies = ["torch"]\n'
SETUP = "from setuptools import setup\n\nsetup(install_requires={})\n"
CODE = "import torch\nimport wandb\n"


def lacking(files: dict[str, str], contract_name: str = "plain") -> list[tuple[str, str]]:
    """What FS05 says, and where."""
    submission = Submission(
        name="sample",
        source="sample",
        files=tuple(SourceFile(path, text.encode()) for path, text in files.items()),
        contract=contract(contract_name),
    )
    found = find_rule("FS05")(Facts(submission))
    return [(each.span.file, each.message.partition(":")[2].split()[0]) for each in found]


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"pyproject.toml": NONE},
        {"pyproject.toml": LISTED, "requirements.txt": "-r other.txt\nwandb>=0.1  # tracking\n"},
        {"pyproject.toml": LISTED, "requirements/dev.txt": "wandb\n"},
        {"pyproject.toml": f"{LISTED}[project.optional-dependencies]\nlog = ['wandb']\n"},
        {"pyproject.toml": LISTED, "setup.cfg": "[options]\ninstall_requires =\n    wandb\n"},
        {"setup.py": SETUP.format('["torch", "wandb>=1"]')},
        {"setup.py": SETUP.format("read()"), "requirements.txt": "torch\n"},
        {"environment.yaml": "dependencies:\n  - pytorch=2\n  - pip:\n      - wandb\n"},
        {"requirements.txt": "torch\ngit+https://example.org/us/wandb.git@main\n"},
        {"pyproject.toml": LISTED, "wandb/__init__.py": ""},
        {"requirements.txt": "torch\n", "src/train.py": "import torch\n", "tests/a.py": CODE},
        {"requirements.txt": "torch\n", "src/train.py": "def f():\n    import wandb\n"},
    ],
    ids=[
        "nothing declared", "only tools", "requirements", "a folder of requirements", "optional",
        "setup.cfg", "setup.py", "worked out by setup.py", "conda", "from a repository",
        "its own package", "in a test", "in a function",
    ],
)  # fmt: skip
def test_every_list_of_a_project_counts_where_nothing_says_how_it_is_installed(
    files: dict[str, str],
) -> None:
    assert lacking({"src/train.py": CODE} | files) == []


@pytest.mark.parametrize(
    ("files", "place"),
    [
        ({"pyproject.toml": LISTED}, "pyproject.toml"),
        ({"pyproject.toml": NONE, "requirements.txt": "torch\n"}, "requirements.txt"),
        ({"setup.py": SETUP.format('["torch"]')}, "setup.py"),
    ],
    ids=["pyproject.toml", "requirements", "setup.py"],
)
def test_what_no_list_names_is_missing_in_the_first_of_them(
    files: dict[str, str], place: str
) -> None:
    ((file, module),) = lacking({"src/train.py": CODE} | files)
    assert (file, module) == (place, "wandb")


def test_uv_run_takes_what_pyproject_lists_and_nothing_else() -> None:
    files = {"src/train.py": CODE, "pyproject.toml": LISTED, "requirements.txt": "wandb\n"}
    assert lacking(files, "nine-modes") == [("pyproject.toml", "wandb")]


@pytest.mark.parametrize("rule", ["FS04", "FS06", "FS10"])
def test_a_project_without_a_table_of_its_own_is_not_to_blame(rule: str) -> None:
    for files in ({}, {"pyproject.toml": NONE, "requirements.txt": "torch\n"}):
        submission = Submission(
            name="sample",
            source="sample",
            files=tuple(
                SourceFile(path, text.encode())
                for path, text in ({"train.py": CODE} | files).items()
            ),
        )
        assert list(find_rule(rule)(Facts(submission))) == []


def test_the_metadata_of_a_wheel_declare() -> None:
    metadata = "Name: ours\nRequires-Dist: torch>=2 ; python_version > '3'\n\nwandb\n"
    files = {"ours-1.dist-info/METADATA": metadata, "ours/a.py": CODE}
    assert lacking(files) == [("ours-1.dist-info/METADATA", "wandb")]


@pytest.mark.parametrize(
    ("path", "line", "number"),
    [
        ("requirements.txt", "scikit-learn~=1.3.2", 0),
        ("requirements.txt", "scikit-learn[x] >=1.7 # new", 1),
        ("ours-1.dist-info/METADATA", "Requires-Dist: scikit-learn (<1.4) ; extra == 'x'", 0),
        (
            "setup.py",
            "from setuptools import setup\nsetup(install_requires=['scikit-learn<1.4'])",
            0,
        ),
    ],
)
def test_versions_are_those_of_whichever_list_declares(path: str, line: str, number: int) -> None:
    call = "from sklearn import metrics\nmetrics.mean_squared_error([1], [1], squared=False)\n"
    files = tuple(SourceFile(p, t.encode()) for p, t in ((path, f"{line}\n"), ("a.py", call)))
    ours = Submission(name="a", source="a", files=files, contract=contract("plain"))
    assert len(list(find_rule("IM10")(Facts(ours)))) == number
