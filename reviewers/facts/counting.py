"""How many things there are: entries of what is written down, calls, definitions."""

import ast
from collections.abc import Iterable, Iterator

from reviewers.facts.guards import guards
from reviewers.facts.occurrences import occurrences
from reviewers.facts.python_file import PythonFile
from reviewers.facts.reach import Piece
from reviewers.facts.stores import span_of, stores

_CHANGING = frozenset(
    {"append", "add", "extend", "insert", "update", "setdefault", "pop", "remove", "clear"}
    | {"popitem", "discard", "appendleft", "popleft", "register"}
)


def entries(node: ast.AST | None) -> int | None:
    """How many entries a container has that is written down, each as one."""
    match node:
        case ast.List(elts=held) | ast.Tuple(elts=held):
            return None if any(isinstance(one, ast.Starred) for one in held) else len(held)
        case ast.Set(elts=held) if all(isinstance(one, ast.Constant) for one in held):
            return len({one.value for one in held if isinstance(one, ast.Constant)})
        case ast.Dict(keys=keys) if all(isinstance(one, ast.Constant) for one in keys):
            return len({one.value for one in keys if isinstance(one, ast.Constant)})
        case ast.Call(args=[inner], keywords=[], func=ast.Name(id="list" | "tuple" | "dict")):
            return entries(inner)
    return None


def changes(files: Iterable[PythonFile], name: str) -> Iterator[str]:
    """Where what a name holds may get more or fewer entries."""
    last = name.rpartition(".")[2]
    for file in files:
        for node in file.nodes:
            match node:
                case ast.Attribute(value=owner, attr=method) if method in _CHANGING:
                    is_so = _is_called(owner, last)
                case ast.Subscript(value=owner, ctx=ast.Store() | ast.Del()):
                    is_so = _is_called(owner, last)
                case ast.AugAssign(target=owner):
                    is_so = _is_called(owner, last)
                case _:
                    continue
            if is_so:
                yield f"{span_of(file, node)}: it may have more or fewer there"


def _is_called(node: ast.expr, last: str) -> bool:
    return last == getattr(node, "id", getattr(node, "attr", None))


def counted(pieces: tuple[Piece, ...], thing: str) -> Iterator[tuple[Piece, ast.AST, int | None]]:
    """Each container that is stored under a name, with how many entries it has, None where that is
    not known.
    """
    for piece in pieces:
        for node, given in stores(piece, thing):
            yield piece, given or node, entries(given)


def sites(pieces: tuple[Piece, ...], thing: str) -> Iterator[tuple[Piece, ast.AST, bool]]:
    """Each call of a name, and whether it is made just once where its function runs."""
    for piece in pieces:
        for node in occurrences(piece, thing):
            if isinstance(node, ast.Call):
                kinds = {kind for _, kind in guards(piece, node)}
                around = piece.file.ancestors(node)
                repeats = any(hasattr(one, "generators") for one in around)
                yield piece, node, not repeats and kinds <= {"context", "handler"}


def definitions(file: PythonFile, kind: str, within: str) -> Iterator[ast.AST]:
    """The classes, functions, methods of a file, or of what it defines by a name."""
    prefix = f"{within}." if within else ""
    for one in file.definitions:
        is_class = isinstance(one.node, ast.ClassDef)
        is_method = not is_class and one.name.rpartition(".")[0] in file.classes
        told = "classes" if is_class else "methods" if is_method else "functions"
        if told == kind and one.name.startswith(prefix):
            yield one.node
