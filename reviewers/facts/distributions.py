"""The distribution that provides a module or that a call needs, from `distributions.toml`; unknown
if it is not listed there.
"""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from packaging.utils import canonicalize_name
from packaging.version import Version

from reviewers.facts.config_flow import PassedValues
from reviewers.facts.config_flow.values import UNKNOWN
from reviewers.facts.python_file import Call, PythonFile
from reviewers.facts.python_nodes import method_of
from reviewers.facts.specifiers import specifier_set

_FROM = frozenset({">=", "==", "~=", ">"})


@dataclass(frozen=True, slots=True)
class Need:
    """A call that fails unless a distribution, which nothing imports by name, is installed.

    Attributes:
        line: that of the argument that makes it so, or of the call.
        is_met: a run was seen to make the call so; it may else be made another way.
    """

    call: Call
    distribution: str
    shown: str
    line: int
    is_met: bool


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(
        resources.files(__package__).joinpath("distributions.toml").read_text("utf-8")
    )


def distribution_of(module: str) -> str | None:
    """The normalised name of the distribution that brings a top-level module; None if it is not
    known.
    """
    table = _table()
    if module in table["modules"]:
        return str(table["modules"][module])
    return canonicalize_name(module) if module in table["same"]["names"] else None


def installed_with(declared: Iterable[str]) -> frozenset[str]:
    """The normalised names of the declared distributions and of all that they certainly bring
    along.

    Args:
        declared: normalised names, with an extra as `transformers[torch]`.
    """
    table = _table()
    found: set[str] = set()
    waiting = list(declared)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += table["brings"].get(name, ())
            waiting += [
                module for module, others in table["alternatives"].items() if name in others
            ]
    return frozenset(found)


def needs(
    file: PythonFile, passed: Mapping[ast.Call, Sequence[tuple[object, PassedValues]]] | None = None
) -> Iterator[Need]:
    """Yield the calls of a file that need a distribution without importing it, in the order of the
    text.

    Args:
        passed: what the runs were seen to give to calls, each with its start.
    """
    for call in file.calls:
        method = method_of(call.node)
        for row in (
            *_needs_by_call().get(call.name or "", ()),
            *_needs_by_call().get(f".{method}", ()),
        ):
            met = [one for _, one in (passed or {}).get(call.node, ())]
            is_met = "keyword" in row and any(
                one.certain and _asks(row, one.keywords.get(row["keyword"], UNKNOWN)) for one in met
            )
            if is_met or _matches(call, row):
                asking = call.keyword(row["keyword"]) if "keyword" in row else None
                line = asking.lineno if asking is not None else call.line
                yield Need(call, row["distribution"], _shown(call, row), line, is_met)


@cache
def _needs_by_call() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in _table()["needs"]:
        found.setdefault(row["call"], []).append(row)
    return found


def why_unusable(name: str) -> str | None:
    """Why a distribution of this normalised name cannot be installed; None if nothing is
    known.
    """
    if name in _table()["standard"]["names"]:
        return f"the package index has no `{name}`; the module comes with Python"
    found = _table()["unusable"].get(name)
    return str(found) if found else None


def python_wanted(name: str, specifier: str) -> tuple[str, str] | None:
    """The first release that a specifier allows, and the Python that this release and all later
    ones need; None if that is not known.
    """
    lowest = max(
        (
            Version(one.version)
            for one in specifier_set(specifier) or ()
            if one.operator in _FROM and _is_plain(one.version)
        ),
        default=None,
    )
    wanted = None
    for release, python in _table()["python"].get(name, ()):
        if lowest is not None and lowest >= Version(release):
            wanted = str(lowest), str(python)
    return wanted


def models_in_pieces(model: str) -> bool:
    """Whether the Hub has a model's tokenizer only as a SentencePiece file, which must be
    converted.
    """
    return any(re.fullmatch(pattern, model) for pattern in _table()["sentencepiece"]["models"])


def _is_plain(version: str) -> bool:
    return "*" not in version


def _matches(call: Call, row: dict[str, Any]) -> bool:
    """Whether a call of the wanted name is given what makes it need the distribution."""
    if "first" in row:
        first = call.node.args[0] if call.node.args else None
        return isinstance(first, ast.Constant) and first.value == row["first"]
    if "keyword" in row:
        given = call.keyword(row["keyword"])
        ways = [given.body, given.orelse] if isinstance(given, ast.IfExp) else [given]
        return any(
            _asks(row, way.value) if isinstance(way, ast.Constant) else isinstance(way, ast.Dict)
            for way in ways
        )
    return True


def _asks(row: Mapping[str, Any], value: Any) -> bool:
    """Whether an argument's value makes the call need the distribution."""
    if value is UNKNOWN:
        return False
    return value in row["values"] if "values" in row else bool(value)


def _shown(call: Call, row: dict[str, Any]) -> str:
    name = ast.unparse(call.node.func).rpartition(".")[2]
    if "first" in row:
        return f'{name}("{row["first"]}")'
    given = call.keyword(row["keyword"]) if "keyword" in row else None
    return f"{name}({row['keyword']}={ast.unparse(given)[:40]})" if given else f"{name}(…)"
