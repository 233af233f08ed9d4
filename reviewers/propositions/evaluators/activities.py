"""Activities: what code does, as its calls show; the calls of each stand in `activities.toml`."""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

from reviewers.facts.reach import Piece
from reviewers.propositions.answers import Answer
from reviewers.propositions.evaluators.names import Sight, search
from reviewers.propositions.terms import Scope
from reviewers.propositions.vocabulary import alike
from reviewers.propositions.world import World
from reviewers.toml_text import parse_toml

_SHORTEST = 4  # letters of a word that is searched within names
_COMMON = frozenset(
    {"model", "network", "training", "collection", "count", "term", "with", "from", "over", "into"}
)


def does(world: World, scope: Scope, activity: str) -> Answer:
    """True where one of the activity's calls stands in the scope; false where neither the scope
    nor what it runs has such a call, nor a name or text that hints at it. Of an activity that the
    table does not have it is only known that nothing hints at it.
    """
    known = _activities().get(activity.strip().lower().replace(" ", "_").replace("-", "_"))
    calls = known["calls"] if known else []
    words = known["words"] if known else _words(activity)

    def seen(piece: Piece) -> Iterator[Sight]:
        for node in piece.nodes:
            if any(alike(name, call) for name in _called(piece, node) for call in calls):
                yield Sight(node)
            if hint := next((word for word in words if word in _said(piece, node)), ""):
                yield Sight(node, f"it speaks of `{hint}`")

    return search(world, scope, seen)


@cache
def _activities() -> Mapping[str, Mapping[str, list[str]]]:
    found: Mapping[str, Mapping[str, list[str]]] = parse_toml(
        files("reviewers.propositions.evaluators").joinpath("activities.toml").read_text("utf-8")
    )
    return found


def _words(activity: str) -> list[str]:
    """What a name would have to hold to be about an activity that nobody listed."""
    parts = re.findall(r"[a-z0-9]+", activity.lower())
    rare = [part for part in parts if len(part) >= _SHORTEST and part not in _COMMON]
    return [part[:-1] if part.endswith("s") else part for part in rare or parts]


def _called(piece: Piece, node: ast.AST) -> Iterator[str]:
    """The names that a call has, or the decorators of a function, which are called as well."""
    parts = [node.func] if isinstance(node, ast.Call) else []
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    parts += [one.func if isinstance(one, ast.Call) else one for one in decorators]
    for part in parts:
        name = piece.file.resolve(part)
        if name is not None:
            yield name
        elif isinstance(part, ast.Attribute):
            yield f".{part.attr}"


def _said(piece: Piece, node: ast.AST) -> str:
    """The names and texts of one node, in small letters; a docstring says nothing."""
    match node:
        case ast.Name(id=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return (piece.file.aliases.get(name) or name).lower()
        case ast.Attribute(attr=name) | ast.arg(arg=name) | ast.AsyncFunctionDef(name=name):
            return name.lower()
        case ast.keyword(arg=str(name)):
            return name.lower()
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            module = getattr(node, "module", None) or ""
            return " ".join([module, *(alias.name for alias in names)]).lower()
        case ast.Constant(value=str(text)):
            is_docstring = isinstance(piece.file.parents.get(node), ast.Expr)
            return "" if is_docstring else text[:400].lower()
    return ""
