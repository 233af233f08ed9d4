"""Guards which projects a build backend is said to refuse, as the backends themselves did on a
folder of the documented files.
"""

import pytest

from reviewers.facts import Packaging
from reviewers.facts.build_backend import build_problems

PATHS = frozenset(
    {
        "config/config.yaml",
        "pyproject.toml",
        *(f"src/{name}.py" for name in ("evaluate", "main", "model", "train")),
    }
)
PROJECT = '[project]\nname = "my-exp"\nversion = "0.1"\n'
BACKENDS = {
    name: f'[build-system]\nrequires = ["{requires}"]\nbuild-backend = "{module}"\n'
    for name, requires, module in (
        ("setuptools", "setuptools", "setuptools.build_meta"),
        ("hatchling", "hatchling", "hatchling.build"),
        ("poetry", "poetry-core", "poetry.core.masonry.api"),
        ("uv", "uv_build", "uv_build"),
    )
}
WHEEL = '[tool.hatch.build.targets.wheel]\npackages = ["src"]\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BACKENDS["hatchling"] + PROJECT, "Unable to determine which files to ship"),
        (
            BACKENDS["hatchling"] + PROJECT + 'readme = "README.md"\n' + WHEEL,
            "Readme file does not exist: README.md",
        ),
        (BACKENDS["poetry"] + PROJECT, "No file/folder found for package my-exp"),
        (BACKENDS["poetry"] + PROJECT + "[tool.poetry]\npackage-mode = false\n", "package-mode"),
        (BACKENDS["uv"] + PROJECT, "src/my_exp/__init__.py"),
    ],
    ids=["hatchling", "hatchling readme", "poetry", "poetry without package", "uv_build"],
)
def test_a_backend_that_finds_nothing_stops_uv(text: str, said: str) -> None:
    (problem,) = build_problems(Packaging(text), PATHS)
    assert said in problem.message
    assert (problem.line, problem.stops_install) == (1, True)


@pytest.mark.parametrize(
    "text",
    [
        BACKENDS["setuptools"] + PROJECT + 'readme = "README.md"\n',
        BACKENDS["hatchling"] + PROJECT + WHEEL,
        BACKENDS["hatchling"] + PROJECT + '[tool.hatch.build]\ninclude = ["src"]\n',
        BACKENDS["hatchling"] + PROJECT + "[tool.uv]\npackage = false\n",
        BACKENDS["poetry"] + PROJECT + '[tool.poetry]\npackages = [{include = "src"}]\n',
        BACKENDS["poetry"] + '[tool.poetry]\nname = "my-exp"\n',
        BACKENDS["uv"] + PROJECT + '[tool.uv.build-backend]\nmodule-name = "src"\n',
        PROJECT,
        "",
    ],
    ids=[
        "setuptools", "packages", "include", "no package", "poetry packages", "poetry alone",
        "uv_build", "no backend", "empty",
    ],
)  # fmt: skip
def test_a_backend_that_finds_its_files_stops_nothing(text: str) -> None:
    assert list(build_problems(Packaging(text), PATHS)) == []


def test_a_package_of_the_submission_leaves_it_open() -> None:
    assert (
        list(
            build_problems(
                Packaging(BACKENDS["hatchling"] + PROJECT), PATHS | {"my_exp/__init__.py"}
            )
        )
        == []
    )
