"""Guards what is said of a pyproject.toml, each case seen from `uv run` 0.13 itself: what stops it
and what does not.
"""

import pytest

from reviewers.facts import Packaging

PROJECT = '[project]\nname = "gated"\nversion = "0.1.0"\n'
SETUPTOOLS = '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
HATCHLING = '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'

STOPPING = {
    "dependency table": (
        PROJECT + '[project.dependencies]\ntorch = "^2.2"\n',
        4,
        "must be an array of strings, not a table",
    ),
    "dependency string": (
        PROJECT + 'dependencies = "torch"\n',
        4,
        "`project.dependencies` must be an array",
    ),
    "caret": (
        PROJECT + 'dependencies = [\n  "numpy",\n  "torch ^2.2",\n]\n',
        6,
        "no requirement by PEP 508",
    ),
    "single equals": (PROJECT + 'dependencies = ["torch=2.2"]\n', 4, "no requirement by PEP 508"),
    "number as dependency": (PROJECT + "dependencies = [1]\n", 4, "must be a string"),
    "interpreter as dependency": (
        PROJECT + 'dependencies = ["python>=3.11"]\n',
        4,
        "requires-python",
    ),
    "no name": ('[project]\nversion = "0.1.0"\n', 1, "must contain ['name']"),
    "no version": ('[project]\nname = "gated"\n', 1, "neither set nor listed"),
    "version no version": (
        '[project]\nname = "gated"\nversion = "abc"\n',
        3,
        "a version by PEP 440",
    ),
    "name with a space": (
        '[project]\nname = "my project"\nversion = "0.1"\n',
        2,
        "a name of letters",
    ),
    "poetry's python": (PROJECT + 'requires-python = "^3.11"\n', 4, "no version specifier"),
    "python as number": (PROJECT + "requires-python = 3.11\n", 4, "must be a string"),
    "optional list": (PROJECT + 'optional-dependencies = ["a"]\n', 4, "must be a table"),
    "broken toml": ('[project\nname = "gated"\n', 1, "not valid TOML"),
    "cut off": (PROJECT + 'dependencies = [\n  "torch",\n', 5, "not valid TOML"),
    "project no table": ('project = "gated"\n', 1, "`project` must be a table"),
    "group no list": (PROJECT + '[dependency-groups]\ndev = "pytest"\n', 5, "must be an array"),
    "group not there": (
        PROJECT + '[dependency-groups]\na = [{include-group = "b"}]\n',
        5,
        "doesn't exist",
    ),
    "authors read by setuptools": (
        SETUPTOOLS + PROJECT + 'authors = ["A <a@b.c>"]\n',
        7,
        "array of tables",
    ),
    "unknown key read by setuptools": (
        SETUPTOOLS + PROJECT + 'foo = "b"\n',
        4,
        "must not contain {'foo'}",
    ),
    "star with >= read by setuptools": (
        SETUPTOOLS + PROJECT + 'dependencies = ["torch>=2.*"]\n',
        7,
        "no requirement",
    ),
}
HARMLESS = {
    "authors as strings": PROJECT + 'authors = ["A <a@b.c>"]\n',
    "unknown key": PROJECT + 'foo = "b"\n',
    "unknown key read by hatchling": HATCHLING + PROJECT + 'foo = "b"\n',
    "script": PROJECT + '[project.scripts]\nx = "no colon"\n',
    "star with >= that uv mends": PROJECT + 'dependencies = ["torch>=2.*"]\n',
    "unknown dynamic field": PROJECT + 'dynamic = ["foo"]\n',
    "further build-system key": "[build-system]\nrequires = []\nfoo = 1\n" + PROJECT,
}
SOUND = {
    "minimal": PROJECT,
    "no dependencies": PROJECT + "dependencies = []\n",
    "extras and markers": (
        PROJECT + "dependencies = [\"transformers[torch]>=4.40,<5 ; python_version > '3.8'\","
        ' "torch==2.*"]\n'
    ),
    "direct reference": PROJECT + 'dependencies = ["b @ git+https://example.org/a/b.git"]\n',
    "classifier nobody knows": PROJECT + 'classifiers = ["Foo :: Bar"]\n',
    "odd url": PROJECT + '[project.urls]\nhome = "not a url"\n',
    "other tools": PROJECT + "[tool.uv]\nfoo = 1\n[tool.ruff]\nline-length = 100\n",
    "empty": "",
}


@pytest.mark.parametrize(("text", "line", "said"), STOPPING.values(), ids=STOPPING)
def test_what_stops_uv_is_told_with_its_line(text: str, line: int, said: str) -> None:
    (problem,) = Packaging(text).problems
    assert problem.stops_install
    assert said in problem.message
    assert problem.line == line


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS)
def test_a_violation_that_uv_passes_over_stops_nothing(text: str) -> None:
    (problem,) = Packaging(text).problems
    assert not problem.stops_install


@pytest.mark.parametrize("text", SOUND.values(), ids=SOUND)
def test_a_sound_file_has_no_problem(text: str, caplog: pytest.LogCaptureFixture) -> None:
    assert Packaging(text).problems == ()
    assert caplog.records == []


def test_an_absent_file_has_neither_problems_nor_dependencies() -> None:
    packaging = Packaging(None)
    assert (
        packaging.problems,
        packaging.declared,
        packaging.requires_python,
        packaging.build_backend,
    ) == ((), (), None, None)


@pytest.mark.parametrize(
    "text",
    ["a = " + "[" * 3000, "\ud800", "[" * 100_000, "a.b" * 3000 + " = 1", "\0"],
    ids=["deep list", "surrogate", "brackets", "long key", "nul"],
)
def test_hostile_text_becomes_a_problem_and_never_an_error(text: str) -> None:
    assert all(problem.stops_install for problem in Packaging(text).problems)


def test_declared_distributions_are_normalised_wherever_they_stand() -> None:
    text = """
[project]
name = "gated"
version = "0.1.0"
dependencies = [
    "Hydra_Core>=1.3",
    "transformers[torch,sentencepiece]",
    "torch ^2",
]

[project.optional-dependencies]
plots = ["seaborn"]

[dependency-groups]
dev = ["pytest"]
docs = ["sphinx", {include-group = "dev"}]

[tool.poetry.dependencies]
python = "^3.11"
PyYAML = "^6.0"

[tool.poetry.group.dev.dependencies]
ruff = {version = "*"}
"""
    found = {one.name: (one.specifier, one.line, one.installed) for one in Packaging(text).declared}
    assert found == {
        "hydra-core": (">=1.3", 6, True),
        "transformers": ("", 7, True),
        "torch": ("", 8, True),
        "seaborn": ("", 12, False),
        "pytest": ("", 15, True),
        "sphinx": ("", 16, False),
        "pyyaml": ("^6.0", 20, True),
        "ruff": ("", 23, True),
    }


def test_extras_are_named_with_their_distribution() -> None:
    (one,) = Packaging(PROJECT + 'dependencies = ["transformers[Torch,sentencepiece]"]\n').declared
    assert one.requested == ("transformers", "transformers[sentencepiece]", "transformers[torch]")


def test_a_table_of_dependencies_is_still_read_for_what_it_means() -> None:
    packaging = Packaging(PROJECT + '[project.dependencies]\ntorch = "^2.2"\n"hydra-core" = "*"\n')
    assert [(one.name, one.line) for one in packaging.declared] == [("torch", 5), ("hydra-core", 6)]


@pytest.mark.parametrize(
    ("text", "backend"),
    [
        (PROJECT, None),
        (SETUPTOOLS + PROJECT, "setuptools.build_meta"),
        ('[build-system]\nrequires = ["setuptools"]\n' + PROJECT, "setuptools"),
        (PROJECT + "[tool.uv]\npackage = true\n", "setuptools"),
        (HATCHLING + PROJECT + "[tool.uv]\npackage = false\n", None),
    ],
    ids=["none", "named", "default", "asked for", "refused"],
)
def test_the_build_backend_is_the_one_that_uv_would_run(text: str, backend: str | None) -> None:
    assert Packaging(text).build_backend == backend


def test_requires_python_is_read_as_a_specifier() -> None:
    wanted = Packaging(PROJECT + 'requires-python = ">=3.10,<3.13"\n').requires_python
    assert wanted is not None
    assert "3.11" in wanted
    assert "3.13" not in wanted
