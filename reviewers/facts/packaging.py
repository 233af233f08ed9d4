"""What `pyproject.toml` declares, and why an installer would reject it.

The sources of what stops an installer: PEP 621 with its schema (validate-pyproject), PEP 508 and PEP 440 (packaging), and what
`uv run` 0.9 and pip 25 do with each violation: they ignore authors and unknown keys unless a build backend reads them too.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from validate_pyproject import api, errors

from reviewers.records import lines_of

_TABLE = re.compile(r"^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""^\s*("[^"]*"|'[^']*'|[\w.-]+)\s*=""")
_READ_BY_INSTALLERS = frozenset({"name", "version", "dependencies", "optional-dependencies", "requires-python", "dynamic"})


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with the file.

    Attributes:
        key: dotted key that it concerns, empty for the file as a whole.
        line: 1-based line of that key, or of the table in which it should stand; None where there is no such line.
        stops_install: whether `uv run` and pip refuse the file for it.
    """

    message: str
    key: str
    line: int | None
    stops_install: bool


@dataclass(frozen=True, slots=True)
class Declared:
    """One declared distribution: `name` is normalised, `specifier` empty where any version will do."""

    name: str
    specifier: str
    extras: frozenset[str]
    line: int | None


class Packaging:
    """What one `pyproject.toml` says.

    Args:
        text: None where the submission has no such file.
    """

    def __init__(self, text: str | None) -> None:
        self.text = text

    @cached_property
    def _read(self) -> Mapping[str, Any] | Problem:
        try:
            return tomllib.loads(self.text or "")
        except tomllib.TOMLDecodeError as error:
            found = re.search(r"\(at line (\d+), column \d+\)$", str(error))
            line = int(found[1]) if found else len(lines_of(self.text or "")) or None
            return Problem(f"not valid TOML: {str(error).partition(' (at ')[0]}", "", line, True)
        except RecursionError:
            return Problem("not valid TOML: nested too deeply", "", None, True)

    @property
    def data(self) -> Mapping[str, Any]:
        """The parsed file; empty where it is absent or no TOML."""
        return {} if isinstance(self._read, Problem) else self._read

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong, by line; nothing is said about a file that is absent or empty."""
        if not (self.text or "").strip():
            return ()
        if isinstance(self._read, Problem):
            return (self._read,)
        found = {problem.line: problem for problem in (*self._schema(), *self._requirements())}
        return tuple(sorted(found.values(), key=lambda problem: problem.line or 0))

    @cached_property
    def declared(self) -> tuple[Declared, ...]:
        """Every distribution that the file declares, those that only a lenient reader can make out included."""
        found = []
        for key, entry in self._entries():
            if isinstance(entry, str):
                try:
                    wanted = Requirement(entry)
                except InvalidRequirement:
                    if name := re.match(r"\s*([A-Za-z0-9][\w.-]*)", entry):
                        found.append(Declared(canonicalize_name(name[1]), "", frozenset(), self._line(key, entry)))
                    continue
                place = self._line(key, entry)
                found.append(Declared(canonicalize_name(wanted.name), str(wanted.specifier), frozenset(wanted.extras), place))
        for key, table in self._tables():
            found += [
                Declared(
                    canonicalize_name(name), version if isinstance(version, str) else "", frozenset(), self._line(f"{key}.{name}")
                )
                for name, version in table.items()
                if name != "python"
            ]
        return tuple(found)

    @property
    def has_build_system(self) -> bool:
        """Whether `uv run` builds and installs the project itself, so that a build backend reads the file too."""
        return "build-system" in self.data

    @property
    def requires_python(self) -> SpecifierSet | None:
        """The Python versions allowed; None where the file names none that can be read."""
        wanted = _table(self.data, "project").get("requires-python")
        try:
            return SpecifierSet(wanted) if isinstance(wanted, str) else None
        except InvalidSpecifier:
            return None

    def _schema(self) -> Iterator[Problem]:
        try:
            _validator()(dict(self.data))
        except errors.ValidationError as error:
            key = str(error.name).replace("`", "").removeprefix("data.").removeprefix("data")
            if str(error.summary).endswith("must be pep508"):
                return  # `_requirements` tells which entries, and why
            yield self._problem(_in_words(error, key), key)
        except RecursionError:
            yield Problem("nested too deeply", "", None, True)

    def _requirements(self) -> Iterator[Problem]:
        """The schema stops at its first violation; what stops an installer is looked at again, one by one."""
        project = _table(self.data, "project")
        if "project" in self.data and not isinstance(self.data["project"], dict):
            return
        if isinstance(project.get("dependencies"), dict):
            message = "`project.dependencies` must be an array of strings, not a table: every installer stops here"
            yield self._problem(f'{message}; write dependencies = ["torch>=2.2", …] under [project]', "project.dependencies")
        if isinstance(project.get("requires-python"), str) and self.requires_python is None:
            message = f'`requires-python` is no version specifier: {project["requires-python"][:80]!r}; write ">=3.11"'
            yield self._problem(message, "project.requires-python")
        wrong: dict[str, list[tuple[str, str]]] = {}
        for key, entry in self._entries():
            if reason := _why_no_requirement(entry):
                wrong.setdefault(key, []).append((entry, reason))
        for key, entries in wrong.items():
            (entry, reason), more = entries[0], len(entries) - 1
            others = f" (and {more} more of `{key}`)" if more else ""
            yield Problem(f"{entry[:80]!r}{others} {reason}", key, self._line(key, entry), True)

    def _problem(self, message: str, key: str) -> Problem:
        top, _, rest = key.partition(".")
        read = re.split(r"[.\[]", rest)[0] in _READ_BY_INSTALLERS if rest else "must not contain" not in message
        stops = self.has_build_system or read
        return Problem(message, key, self._line(key), stops and top in ("project", "build-system", ""))

    def _entries(self) -> Iterator[tuple[str, Any]]:
        """Each entry of a list of requirements, with the key of the list."""
        project = _table(self.data, "project")
        lists = [("project.dependencies", project.get("dependencies"))]
        lists += [
            (f"project.optional-dependencies.{name}", value) for name, value in _table(project, "optional-dependencies").items()
        ]
        lists += [(f"dependency-groups.{name}", value) for name, value in _table(self.data, "dependency-groups").items()]
        for key, value in lists:
            yield from ((key, entry) for entry in (value if isinstance(value, list) else ()))

    def _tables(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Each table with distributions as keys: what Poetry reads, and what is mistaken for PEP 621."""
        yield "project.dependencies", _table(_table(self.data, "project"), "dependencies")
        poetry = _table(_table(self.data, "tool"), "poetry")
        yield "tool.poetry.dependencies", _table(poetry, "dependencies")
        for name, group in _table(poetry, "group").items():
            if isinstance(group, dict):
                yield f"tool.poetry.group.{name}.dependencies", _table(group, "dependencies")

    def _line(self, key: str, entry: str | None = None) -> int | None:
        """The line on which a key, or an entry of its list, stands; the nearest table around it otherwise."""
        lines = self._key_lines
        wanted = re.sub(r"\[\d+\]", "", key)
        while wanted and wanted not in lines:
            wanted = wanted.rpartition(".")[0]
        start = lines.get(wanted)
        if start is None or entry is None:
            return start
        text = lines_of(self.text or "")
        return next((number for number in range(start, len(text) + 1) if entry in text[number - 1]), start)

    @cached_property
    def _key_lines(self) -> Mapping[str, int]:
        found: dict[str, int] = {}
        table = ""
        for number, line in enumerate(lines_of(self.text or ""), 1):
            if head := _TABLE.match(line):
                table = ".".join(part.strip().strip("\"'") for part in head[1].split("."))
                found.setdefault(table, number)
            elif key := _KEY.match(line):
                name = key[1].strip("\"'")
                found.setdefault(f"{table}.{name}" if table else name, number)
        return found


def _table(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key)
    return value if isinstance(value, dict) else {}


def _why_no_requirement(entry: Any) -> str | None:
    """What an installer says to an entry of a list of requirements; None where it takes it, or where the schema refuses it."""
    if not isinstance(entry, str):
        return None
    try:
        wanted = Requirement(entry)
    except InvalidRequirement as error:
        hint = "; carets are Poetry's, write >=" if "^" in entry else ""
        return f"is no requirement by PEP 508: {str(error).splitlines()[0]}{hint}"
    if canonicalize_name(wanted.name) == "python":
        return "is no distribution of the package index: the interpreter's version belongs in requires-python"
    return None


def _in_words(error: errors.ValidationError, key: str) -> str:
    """The validator's first sentence, with the commonest violation said as the installers say it."""
    summary = str(error.summary).splitlines()[0]
    if summary == "`project` must contain ['version'] properties":
        return '`project.version` is neither set nor listed in `project.dynamic`; write version = "0.1.0"'
    if key == "project.authors" or key.startswith("project.authors["):
        return '`project.authors` must be an array of tables: write authors = [{name = "…"}]'
    return summary


@cache
def _validator() -> api.Validator:
    """Trove classifiers are looked up on the network by default; a reviewer stays on its machine and lets them pass."""
    checks = {name: check for name, check in api.FORMAT_FUNCTIONS.items() if name != "trove-classifier"}
    return api.Validator(plugins=(), format_validators={**checks, "trove-classifier": lambda _: True})
