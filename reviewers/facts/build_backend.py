"""Why the build backend of `pyproject.toml` would stop: it finds nothing to build, or lacks the
readme that is declared. `uv run` builds every project that names a backend.

Each answer was observed in the backend itself (setuptools 84, hatchling 1.33, poetry-core 2.5,
uv_build 0.13) on a folder with the documented files: setuptools takes what is in `src/`, the others
look for a package with the project's own name.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from reviewers.facts.packaging import Packaging, Problem, table_at

_SELECTIONS = ("packages", "include", "only-include", "force-include", "bypass-selection")


def build_problems(packaging: Packaging, paths: Collection[str]) -> Iterator[Problem]:
    """Yield why the build backend would stop.

    Args:
        paths: the submission's files.
    """
    backend = packaging.build_backend
    if backend is None or not isinstance(packaging.data.get("project"), dict):
        return
    tool = packaging.table("tool")
    for check in (_nothing_to_ship, _missing_readme):
        if message := check(backend, packaging.data["project"], tool, paths):
            yield Problem(message, "build-system", packaging.line_of("build-system"), True)


def _nothing_to_ship(
    backend: str, project: Mapping[str, Any], tool: Mapping[str, Any], paths: Collection[str]
) -> str | None:
    if any(path.endswith("__init__.py") for path in paths):
        return None  # a package may be found
    if backend.startswith("hatchling"):
        build = table_at(table_at(tool, "hatch"), "build")
        wheel = table_at(table_at(build, "targets"), "wheel")
        if any(table.get(key) for table in (build, wheel) for key in _SELECTIONS):
            return None
        return (
            "hatchling finds no package of the project's name (ValueError: Unable to determine"
            ' which files to ship inside the wheel); write packages = ["src"] under'
            " [tool.hatch.build.targets.wheel], or leave [build-system] out"
        )
    if backend.startswith("poetry"):
        poetry = table_at(tool, "poetry")
        if poetry.get("package-mode") is False:
            return (
                "poetry-core refuses to build with package-mode = false (RuntimeError); leave"
                " [build-system] out"
            )
        if poetry.get("packages") or poetry.get("include"):
            return None
        name = project.get("name")
        return (
            "poetry-core finds nothing to build (ModuleOrPackageNotFoundError: No file/folder"
            f" found for package {name})"
        )
    if backend == "uv_build" and not table_at(table_at(tool, "uv"), "build-backend"):
        module = str(project.get("name", "")).replace("-", "_")
        return f"uv_build finds no module at src/{module}/__init__.py; leave [build-system] out"
    return None


def _missing_readme(
    backend: str, project: Mapping[str, Any], tool: Mapping[str, Any], paths: Collection[str]
) -> str | None:
    """Only hatchling is known to require the file."""
    readme = project.get("readme")
    file = readme.get("file") if isinstance(readme, dict) else readme
    if backend.startswith("hatchling") and isinstance(file, str) and file not in paths:
        return (
            "hatchling stops at the readme that pyproject.toml names (OSError: Readme file does"
            f" not exist: {file})"
        )
    return None
