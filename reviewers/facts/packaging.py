"""What `pyproject.toml` declares, and why an installer would reject it.

The sources of what stops an installer: PEP 621 with its schema (validate-pyproject), PEP 508 and
PEP 440 (packaging), and what `uv run` 0.13 was seen to do with each violation: it ignores most keys
unless setuptools, which checks the whole table, builds the project, and it repairs `>=2.*` itself.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from validate_pyproject import api, errors

from reviewers.facts.specifiers import specifier_set, too_large
from reviewers.records import lines_of
from reviewers.source_encoding import BadByte
from reviewers.steps import fact, spend
from reviewers.toml_text import TomlProblem, parse_toml

_TABLE = re.compile(r"^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""^\s*("[^"]*"|'[^']*'|[\w.-]+)\s*=""")
_READ_BY_INSTALLERS = frozenset(
    {"name", "version", "dependencies", "optional-dependencies", "requires-python"}
)
_MOST_BITS = 14_000  # of a whole number; Python writes none of more than 4,300 digits
_STAR = re.compile(r"[<>]=?\s*[\d.]+\.\*")
_KINDS = {
    "pep440": "a version by PEP 440, such as 0.1.0",
    "pep508-identifier": "a name of letters, digits, '.', '-' and '_'",
    "python-entrypoint-reference": "of the form module:function",
    "idn-email": "an e-mail address",
    "object": "a table",
    "array": "an array",
    "string": "a string",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with the file.

    Attributes:
        key: dotted key that it concerns, empty for the file as a whole.
        line: 1-based line of that key, or of the table in which it should stand; None if there
            is no such line.
        stops_install: whether `uv run` and pip refuse the file for it.
    """

    message: str
    key: str
    line: int | None
    stops_install: bool


@dataclass(frozen=True, slots=True)
class Declared:
    """One declared distribution.

    Attributes:
        name: normalised.
        specifier: empty where any version will do.
        installed: whether `uv run` installs it unasked; not so for optional ones and for groups
            other than `dev`.
    """

    name: str
    specifier: str
    extras: frozenset[str]
    line: int | None
    installed: bool = True

    @property
    def requested(self) -> tuple[str, ...]:
        """The name, and the name with each extra, as `transformers[torch]`."""
        return (self.name, *(f"{self.name}[{extra}]" for extra in sorted(self.extras)))


class Packaging:
    """What one `pyproject.toml` says.

    Args:
        text: None if the submission has no such file.
        bad_byte: what of the file is not UTF-8, as TOML must be.
    """

    def __init__(self, text: str | None, bad_byte: BadByte | None = None) -> None:
        self.text = text
        self._bad_byte = bad_byte

    @cached_property
    def _read(self) -> Mapping[str, Any] | Problem:
        if self._bad_byte is not None:
            return Problem(f"not valid TOML: {self._bad_byte}", "", self._bad_byte.line, True)
        try:
            found: Mapping[str, Any] = _writable(parse_toml(self.text or ""))
        except TomlProblem as problem:
            return Problem(f"not valid TOML: {problem.reason}", "", problem.line, True)
        return found

    @property
    def data(self) -> Mapping[str, Any]:
        """The parsed file; empty if it is absent or no TOML."""
        return {} if isinstance(self._read, Problem) else self._read

    @fact
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong, by line; nothing is said about a file that is absent or empty."""
        if not (self.text or "").strip():
            return ()
        if isinstance(self._read, Problem):
            return (self._read,)
        found = {problem.line: problem for problem in (*self._schema(), *self._requirements())}
        return tuple(sorted(found.values(), key=lambda problem: problem.line or 0))

    @fact
    def declared(self) -> tuple[Declared, ...]:
        """Every distribution that the file declares, those that only a lenient reader can make out
        included.
        """
        found = []
        for key, entry in self._entries():
            if not isinstance(entry, str):
                continue
            unasked = key in ("project.dependencies", "dependency-groups.dev")
            place = self._line(key, entry)
            try:
                wanted = _requirement(entry)
            except InvalidRequirement:
                if begin := re.match(r"\s*([A-Za-z0-9][\w.-]*)", entry):
                    found.append(
                        Declared(canonicalize_name(begin[1]), "", frozenset(), place, unasked)
                    )
                continue
            extras = frozenset(canonicalize_name(extra) for extra in wanted.extras)
            found.append(
                Declared(
                    canonicalize_name(wanted.name), str(wanted.specifier), extras, place, unasked
                )
            )
        for key, table in self._tables():
            for name, version in table.items():
                if name != "python":
                    specifier = version if isinstance(version, str) else ""
                    specifier = "" if too_large(specifier) else specifier
                    found.append(
                        Declared(
                            canonicalize_name(name),
                            specifier,
                            frozenset(),
                            self._line(f"{key}.{name}"),
                        )
                    )
        return tuple(found)

    @property
    def build_backend(self) -> str | None:
        """What builds the project when `uv run` installs it, setuptools by default; None if it
        is not installed at all.
        """
        package = self.table("tool", "uv").get("package")
        if package is False or ("build-system" not in self.data and package is not True):
            return None
        backend = self.table("build-system").get("build-backend")
        return str(backend) if backend else "setuptools"

    @property
    def requires_python(self) -> SpecifierSet | None:
        """The Python versions allowed; None if the file names none that can be read."""
        return specifier_set(self.table("project").get("requires-python"))

    def table(self, *keys: str) -> Mapping[str, Any]:
        """The table at these keys, one within the other; empty if there is none."""
        found = self.data
        for key in keys:
            found = table_at(found, key)
        return found

    def line_of(self, key: str) -> int | None:
        """The line of a dotted key, or of the nearest table around it; None if there is
        neither.
        """
        return self._line(key)

    def line_to_add(self, beside: str) -> int | None:
        """The line of a declared distribution, beside which another one belongs; else the last such
        line, or that of the table.
        """
        lines = {one.name: one.line for one in self.declared if one.installed and one.line}
        last = max(lines.values(), default=None)
        return lines.get(beside) or last or self.line_of("project.dependencies")

    def _schema(self) -> Iterator[Problem]:
        try:
            _validator()(_undated(self.data))
        except errors.ValidationError as error:
            key = str(error.name).replace("`", "").removeprefix("data.").removeprefix("data")
            key = key.replace("dependency_groups", "dependency-groups")
            if str(error.summary).endswith("must be pep508"):
                return  # `_requirements` tells which entries, and why
            yield self._problem(_in_words(error, key), key)
        except RecursionError:
            yield Problem("nested too deeply", "", None, True)

    def _requirements(self) -> Iterator[Problem]:
        """The schema stops at its first violation; what stops an installer is looked at again, one
        by one.
        """
        project = self.table("project")
        if isinstance(project.get("dependencies"), dict):
            message = (
                "`project.dependencies` must be an array of strings, not a table: every installer"
                " stops here"
            )
            yield self._problem(
                f'{message}; write dependencies = ["torch>=2.2", …] under [project]',
                "project.dependencies",
            )
        wanted_python = project.get("requires-python")
        if isinstance(wanted_python, str) and self.requires_python is None:
            message = (
                f'`requires-python` is no version specifier: {wanted_python[:80]!r}; write ">=3.11"'
            )
            yield self._problem(message, "project.requires-python")
        version = project.get("version")
        if isinstance(version, str) and (number := too_large(version)):
            message = f"`project.version` is no version: {_beyond(number)}"
            yield self._problem(message, "project.version")
        for key, entry in self._entries():
            try:
                wanted = _requirement(entry) if isinstance(entry, str) else None
            except InvalidRequirement as error:
                reason = str(error).splitlines()[0]
                repaired = _STAR.search(entry) and self.build_backend is None
                message = f"{entry[:80]!r} is no requirement by PEP 508: {reason}"
                yield Problem(message, key, self._line(key, entry), not repaired)
                continue
            if wanted is not None and canonicalize_name(wanted.name) == "python":
                message = (
                    "the package index has no distribution `python`; the interpreter's version"
                    " belongs in requires-python"
                )
                yield Problem(message, key, self._line(key, entry), True)

    def _problem(self, message: str, key: str) -> Problem:
        top, _, rest = key.partition(".")
        first = re.split(r"[.\[]", rest)[0]
        stops = top == "dependency-groups" or (
            top == "build-system" and "must not contain" not in message
        )
        if top == "project":
            read = first in _READ_BY_INSTALLERS if rest else "must not contain" not in message
            contradicts = "cannot provide a value" in message
            backend = self.build_backend or ""
            strict = "setuptools" in backend or (
                bool(backend) and first in ("authors", "maintainers")
            )
            stops = read or contradicts or strict
        return Problem(message, key, self._line(key), stops)

    def _entries(self) -> Iterator[tuple[str, Any]]:
        """Each entry of a list of requirements, with the key of the list."""
        project = self.table("project")
        lists = [("project.dependencies", project.get("dependencies"))]
        lists += [
            (f"project.optional-dependencies.{name}", value)
            for name, value in table_at(project, "optional-dependencies").items()
        ]
        lists += [
            (f"dependency-groups.{name}", value)
            for name, value in self.table("dependency-groups").items()
        ]
        for key, value in lists:
            yield from ((key, entry) for entry in (value if isinstance(value, list) else ()))

    def _tables(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Each table with distributions as keys: what Poetry reads, and what is mistaken for PEP
        621.
        """
        yield "project.dependencies", self.table("project", "dependencies")
        poetry = self.table("tool", "poetry")
        yield "tool.poetry.dependencies", table_at(poetry, "dependencies")
        for name, group in table_at(poetry, "group").items():
            if isinstance(group, dict):
                yield f"tool.poetry.group.{name}.dependencies", table_at(group, "dependencies")

    def _line(self, key: str, entry: str | None = None) -> int | None:
        """The line on which a key, or an entry of its list, stands; the nearest table around it
        otherwise.
        """
        lines = self._key_lines
        wanted = re.sub(r"\[\d+\]", "", key)
        while wanted and wanted not in lines:
            wanted = wanted.rpartition(".")[0]
        start = lines.get(wanted)
        if start is None or entry is None:
            return start
        text = self._lines
        for number in range(start, len(text) + 1):
            spend(1)
            if entry in text[number - 1]:
                return number
        return start

    @cached_property
    def _lines(self) -> list[str]:
        return lines_of(self.text or "")

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


def table_at(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key)
    return value if isinstance(value, dict) else {}


def _requirement(entry: str) -> Requirement:
    """Return what an entry of a list asks for.

    Raises:
        InvalidRequirement: no installer can read it.
    """
    wanted = Requirement(entry)
    if number := too_large(str(wanted.specifier)):
        raise InvalidRequirement(_beyond(number))
    return wanted


def _beyond(number: str) -> str:
    return f"its number of {len(number)} digits is beyond what an installer reads (64 bits)"


def _writable(values: dict[str, Any]) -> dict[str, Any]:
    """The same values, with one for hexadecimal numbers that Python reads and cannot write."""
    waiting: list[Any] = [values]
    while waiting:
        inner = waiting.pop()
        for key, value in list(inner.items() if isinstance(inner, dict) else enumerate(inner)):
            if isinstance(value, (dict, list)):
                waiting.append(value)
            elif isinstance(value, int) and value.bit_length() > _MOST_BITS:
                inner[key] = 1
    return values


def _undated(value: Any) -> Any:
    """The same with null for dates and times, of which the schema knows nothing and allows none."""
    if isinstance(value, dict):
        return {key: _undated(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_undated(each) for each in value]
    return value if isinstance(value, (str, int, float)) else None


def _in_words(error: errors.ValidationError, key: str) -> str:
    """The validator's first sentence, with the commonest violations said as a person would."""
    summary = str(error.summary).splitlines()[0]
    if summary == "`project` must contain ['version'] properties":
        return (
            "`project.version` is neither set nor listed in `project.dynamic`; write version ="
            ' "0.1.0"'
        )
    if re.fullmatch(r"project\.authors(\[\d+\])?", key):
        return '`project.authors` must be an array of tables: write authors = [{name = "…"}]'
    sentence, _, kind = summary.rpartition(" must be ")
    return f"{sentence} must be {_KINDS[kind]}" if kind in _KINDS else summary


@cache
def _validator() -> api.Validator:
    """Trove classifiers are looked up on the network by default, and a URL's form is only logged:
    both pass here.
    """
    lenient = dict.fromkeys(("trove-classifier", "url"), _passes)
    return api.Validator(plugins=(), format_validators={**api.FORMAT_FUNCTIONS, **lenient})


def _passes(value: str) -> bool:
    return True
