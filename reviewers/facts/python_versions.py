"""The Python version that a file needs for its syntax and for what it uses of the standard library.

Source: "What's New In Python" of each version, docs.python.org/3/whatsnew; only what generated code
uses. An import under a condition or in a `try` is ignored.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from reviewers.facts.python_file import Function, PythonFile
from reviewers.facts.python_nodes import walk

_PYTHONS = tuple(f"3.{minor}.{patch}" for minor in range(7, 15) for patch in (0, 99))
_NAMES = {
    "datetime.UTC": "3.11",
    "enum.StrEnum": "3.11",
    "itertools.batched": "3.12",
    "itertools.pairwise": "3.10",
    "tomllib": "3.11",
    "typing.ParamSpec": "3.10",
    "typing.Self": "3.11",
    "typing.TypeAlias": "3.10",
    "typing.override": "3.12",
    "zoneinfo": "3.9",
}
_GENERIC = frozenset({"dict", "frozenset", "list", "set", "tuple", "type"})


@dataclass(frozen=True, slots=True)
class Newer:
    """Something that older versions of Python do not have.

    Attributes:
        since: the first version that has it.
        error: what an older one stops with.
    """

    line: int
    shown: str
    since: str
    error: str


def oldest(allowed: SpecifierSet, wanted: Version) -> str | None:
    """The oldest Python that is allowed although it is older than the one wanted."""
    older = (each for each in _PYTHONS if Version(each) < wanted and allowed.contains(each))
    found = next(older, None)
    return ".".join(found.split(".")[:2]) if found else None


def allows(allowed: SpecifierSet, wanted: Version) -> bool:
    """Whether any Python is allowed that is at least the one wanted."""
    return any(Version(each) >= wanted and allowed.contains(each) for each in _PYTHONS)


def newer_features(file: PythonFile) -> Iterator[Newer]:
    """What a file needs a newer Python for, in the order of the text."""
    evaluated = _evaluated(file)
    for node in file.of(ast.stmt, ast.BinOp, ast.Subscript):
        match node:
            case ast.Match():
                yield Newer(node.lineno, "match", "3.10", "SyntaxError")
            case ast.TryStar():
                yield Newer(node.lineno, "except*", "3.11", "SyntaxError")
            case ast.BinOp(op=ast.BitOr()) if node in evaluated:
                shown = ast.unparse(node)[:60]
                yield Newer(node.lineno, f"`{shown}` as an annotation", "3.10", "TypeError")
            case ast.Subscript(value=ast.Name(id=name)) if node in evaluated and name in _GENERIC:
                shown = ast.unparse(node)[:60]
                yield Newer(node.lineno, f"`{shown}` as an annotation", "3.9", "TypeError")
        if getattr(node, "type_params", None):
            yield Newer(getattr(node, "lineno", 1), "type parameters", "3.12", "SyntaxError")
    for item in file.imports:
        name = f"{item.module}.{item.name}" if item.name else item.module
        since = _NAMES.get(name) or _NAMES.get(item.module)
        if since and not item.guarded and not item.level:
            yield Newer(item.line, f"`{name}`", since, "ImportError")


def _evaluated(file: PythonFile) -> frozenset[ast.AST]:
    """The parts of annotations that Python evaluates when it reaches them."""
    if any((item.module, item.name) == ("__future__", "annotations") for item in file.imports):
        return frozenset()
    found: list[ast.expr | None] = []
    for node in file.of(ast.arg, ast.FunctionDef, ast.AsyncFunctionDef, ast.AnnAssign):
        if isinstance(node, ast.arg):
            found.append(node.annotation)
        elif isinstance(node, Function):
            found.append(node.returns)
        elif isinstance(node, ast.AnnAssign):
            around = (each for each in file.ancestors(node) if isinstance(each, _SCOPES))
            if not isinstance(next(around, None), Function):
                found.append(node.annotation)
    return frozenset(part for each in found if each is not None for part in walk(each))


_SCOPES = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
