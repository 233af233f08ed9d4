"""The distributions that a project declares, and those that are installed when its code runs.

`uv run` installs what pyproject.toml lists and nothing else. If a project is installed in another
way, its lists are unknown, so each of them counts.
"""

import ast
import configparser
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from packaging.utils import canonicalize_name

from reviewers.facts.distributions import installed_with
from reviewers.facts.packaging import Declared, Packaging
from reviewers.facts.python_file import PythonFile
from reviewers.records import SourceFile, lines_of

_PYPROJECT = "pyproject.toml"
_LIST = re.compile(r"(^|/)(requirements[^/]*\.(txt|in)|requirements/[^/]+\.(txt|in))$")
_ENVIRONMENT = re.compile(r"(^|/)(environment|conda)[^/]*\.ya?ml$")
_METADATA = re.compile(r"(^|/)([^/]+\.(dist|egg)-info/METADATA|PKG-INFO)$")  # of a wheel, a sdist
_REQUIRES = "Requires-Dist:"
_ENTRY = re.compile(
    r"^[\s-]*([A-Za-z0-9][\w.-]*)\s*(?:\[([\w\s,.-]*)\])?\s*\(?\s*([<>=!~][^;#)]*)?"
)
_EGG = re.compile(r"#egg=([\w.-]+)|/([\w.-]+?)(?:\.git)?(?:@[^/]*)?$")
_CONDA = {"pytorch": "torch", "pytorch-gpu": "torch"}  # conda's name, that of the package index
_INSTALLING = re.compile(r"\b(pip3? install|uv add|conda|mamba|poetry (install|run))\b")
_TELLING = (".md", ".rst", ".sh", ".txt")
_KEYWORDS = ("install_requires", "extras_require", "tests_require", "setup_requires")
# Code beside the project's own, which may need more than the project.
_BESIDE = re.compile(
    r"(^|/)(tests?|docs?|examples?|benchmarks?|scripts|tools|ci|notebooks|\.[^/]+)/"
    r"|(^|/)(conftest|setup|noxfile|tasks|test_\w+|\w+_test)\.py$"
)


@dataclass(frozen=True, slots=True)
class Dependencies:
    """What is declared.

    Attributes:
        file: where a missing one belongs; empty if it is unknown what is missing.
        installed: what is there when the code runs, with what certainly comes along.
        only_unasked: whether nothing is installed but what pyproject.toml lists.
        ranges: the versions that a list beside pyproject.toml asks for, by distribution.
    """

    file: str
    installed: frozenset[str]
    only_unasked: bool
    ranges: Mapping[str, str] = field(default_factory=dict)

    def counts(self, path: str, scope: str) -> bool:
        """Whether an import at this place needs its distribution in every installation."""
        return self.only_unasked or (not scope and not _BESIDE.search(path))


def dependencies(
    packaging: Packaging,
    files: Mapping[str, SourceFile],
    python: Mapping[str, PythonFile],
    *,
    with_uv: bool,
) -> Dependencies:
    """Return what a project declares.

    Args:
        with_uv: whether `uv run` installs it.
    """
    if with_uv:
        unasked = [one for one in packaging.declared if one.installed]
        file = _PYPROJECT if packaging.declared else ""
        return Dependencies(file, installed_with(_requested(unasked)), True)
    setup = _of_setup(python["setup.py"]) if "setup.py" in python else {}
    beside = {"setup.py": setup} if setup else {}
    beside |= {path: names for path, names in _beside(files) if names}
    named: dict[str, str] = {}
    for names in beside.values():
        for name, versions in names.items():
            named[name] = named.get(name) or versions
    own = packaging.table("project")
    is_listed = "dependencies" in own or "poetry" in packaging.table("tool")
    places = [*([_PYPROJECT] if is_listed else []), *beside]
    own_name = canonicalize_name(str(own.get("name", "")))
    local = {part for path in python for part in path.removesuffix(".py").split("/")}
    here = {*_requested(packaging.declared), *named, own_name, *map(canonicalize_name, local)}
    file = "" if setup is None else next(iter(places), "")
    return Dependencies(file, installed_with(here), False, named)


def _requested(declared: Iterable[Declared]) -> Iterator[str]:
    for one in declared:
        yield from one.requested


def installed_otherwise(files: Mapping[str, SourceFile]) -> bool:
    """Return whether a list beside pyproject.toml, or what is told of the installation, says what
    else is there when the code runs.
    """
    return (
        "setup.py" in files
        or any(names for _, names in _beside(files))
        or any(
            _INSTALLING.search(file.text)
            for path, file in files.items()
            if path.endswith(_TELLING) or path.rpartition("/")[2] == "Dockerfile"
        )
    )


def _beside(files: Mapping[str, SourceFile]) -> Iterator[tuple[str, dict[str, str]]]:
    for path, file in sorted(files.items(), key=lambda one: bool(_ENVIRONMENT.search(one[0]))):
        if _LIST.search(path):
            yield path, dict(_named(lines_of(file.text)))
        elif _METADATA.search(path):
            found = (line for line in lines_of(file.text) if line.startswith(_REQUIRES))
            yield path, dict(_named(line.removeprefix(_REQUIRES) for line in found))
        elif _ENVIRONMENT.search(path):
            listed = (line for line in lines_of(file.text) if line.lstrip().startswith("-"))
            yield path, {_CONDA.get(name, name): "" for name, _ in _named(listed)}
        elif path == "setup.cfg":
            yield path, dict(_named(_configured(file.text)))


def _named(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The distributions that lines of a list ask for, and with their extras, with the versions."""
    for line in lines:
        entry = line.partition(" #")[0].strip()
        if "://" in entry:
            found = _EGG.search(entry)
            if found:
                yield canonicalize_name(found[1] or found[2]), ""
        elif not entry.startswith(("#", "--", "-r ", "-c ", "-e ")) and (
            found := _ENTRY.match(entry)
        ):
            name = canonicalize_name(found[1])
            yield name, (found[3] or "").strip()
            for extra in (found[2] or "").split(","):
                if extra.strip():
                    yield f"{name}[{canonicalize_name(extra.strip())}]", ""


def _configured(text: str) -> list[str]:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return []
    lists = [parser.get("options", key, fallback="") for key in _KEYWORDS]
    if parser.has_section("options.extras_require"):
        lists += [value for _, value in parser.items("options.extras_require")]
    return [line for value in lists for line in value.splitlines()]


def _of_setup(file: PythonFile) -> dict[str, str] | None:
    """What setup.py lists; None if code computes it."""
    found: list[str] = []
    for call in file.calls_of("setuptools.setup", "distutils.core.setup", "setup"):
        for key in _KEYWORDS:
            value = call.keyword(key)
            if isinstance(value, ast.Name):
                bound = file.assigned.get(value.id, ())
                value = bound[0] if len(bound) == 1 else value
            if value is not None:
                try:
                    listed = ast.literal_eval(value)
                except ValueError:
                    return None
                lists = listed.values() if isinstance(listed, dict) else [listed]
                found += [one for part in lists for one in part if isinstance(one, str)]
    return dict(_named(found))
