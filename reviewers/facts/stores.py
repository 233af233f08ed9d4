"""The statements that give a name its value."""

import ast
from collections.abc import Iterable, Iterator, Mapping

from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import walk, with_defaults
from reviewers.facts.reach import Piece
from reviewers.records import Span

_UPDATES = ("omegaconf.OmegaConf.update", "setattr")


def code_of(node: ast.AST) -> str:
    """A node as one line of code, at most 200 characters."""
    return " ".join(ast.unparse(node).split())[:200]


def span_of(file: PythonFile, node: ast.AST) -> Span:
    """Where a node stands, from its first line to its last."""
    line = getattr(node, "lineno", None)
    return Span(file.path, line, getattr(node, "end_lineno", line))


def stores(piece: Piece, name: str) -> Iterator[tuple[ast.AST, ast.expr | None]]:
    """The statements that give a name a value, with the value where it is written as such."""
    for node in piece.nodes:
        match node:
            case ast.Assign(targets=targets, value=value):
                for one in targets:
                    yield from ((node, given) for given in _part(one, value, name))
            case ast.AnnAssign(target=one, value=ast.expr() as value) if code_of(one) == name:
                yield node, value
            case ast.AugAssign(target=one) if code_of(one) == name:
                yield node, None
            case ast.For(target=one) if names(one, name):
                yield node, None
            case ast.NamedExpr(target=one, value=value) if code_of(one) == name:
                yield node, value
            case ast.arg(arg=argument) if argument == name:
                yield node, None
            case ast.withitem(optional_vars=ast.expr() as one) if names(one, name):
                yield node.context_expr, None


def _part(target: ast.expr, value: ast.expr, name: str) -> Iterator[ast.expr | None]:
    if code_of(target) == name:
        yield value
    elif isinstance(target, (ast.Tuple, ast.List)):
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
            for one, given in zip(target.elts, value.elts, strict=True):
                yield from _part(one, given, name)
        elif names(target, name):
            yield None


def _key_of(piece: Piece, node: ast.Dict) -> str:
    """The keys under which a dictionary is in others, with a dot behind each."""
    around = piece.file.parents.get(node)
    if not isinstance(around, ast.Dict):
        return ""
    key = next((one for one, held in zip(around.keys, around.values, strict=True) if held is node))
    said = str(key.value) if isinstance(key, ast.Constant) else "?"
    return f"{_key_of(piece, around)}{said}."


def names(target: ast.expr, name: str) -> bool:
    """Whether a target has a name among those that it gives a value."""
    return any(isinstance(one, ast.expr) and code_of(one) == name for one in walk(target))


def spread(piece: Piece, node: ast.expr) -> Mapping[str, ast.expr] | None:
    """The arguments that `**` gives, where all of the dictionary is written down."""
    if isinstance(node, ast.Name):
        held = [given for _, given in stores(piece, node.id)]
        uses = [one for one in piece.nodes if isinstance(one, ast.Name) and one.id == node.id]
        if len(held) != 1 or held[0] is None or len(uses) > len(held) + 1:
            return None
        node = held[0]
    match node:
        case ast.Dict(keys=keys, values=values) if all(isinstance(k, ast.Constant) for k in keys):
            return {str(k.value): v for k, v in zip(keys, values, strict=True)}  # type: ignore[union-attr]
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=given) if all(
            one.arg for one in given
        ):
            return {str(one.arg): one.value for one in given}
    return None


def assigned(piece: Piece, node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """What a node gives a value to, dotted, and the value."""
    match node:
        case ast.Assign(targets=targets, value=given):
            for one in targets:
                yield from _unpacked(one, given)
        case ast.AnnAssign(target=one, value=ast.expr() as given):
            yield dotted(one), given
        case ast.AugAssign(target=one) if not _is_number(getattr(one, "slice", None)):
            yield dotted(one), ast.copy_location(ast.Name("?", ast.Load()), node)
        case ast.Dict(keys=keys, values=values):
            above = _key_of(piece, node)
            for key, given in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield f"{above}{key.value}", given
        case ast.arguments() as arguments:
            yield from ((one.arg, given) for one, given in with_defaults(arguments))
        case ast.Call(func=func, args=[owner, key, given, *_]):
            if piece.file.resolve(func) in _UPDATES:
                said = key.value if isinstance(key, ast.Constant) else "?"
                yield f"{dotted(owner)}.{said!s}", given


def _unpacked(target: ast.expr, given: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if _is_number(getattr(target, "slice", None)):
        return
    if not isinstance(target, (ast.Tuple, ast.List)):
        yield dotted(target), given
    elif isinstance(given, (ast.Tuple, ast.List)) and len(given.elts) == len(target.elts):
        for one, part in zip(target.elts, given.elts, strict=True):
            yield from _unpacked(one, part)
    else:
        for one in target.elts:
            yield dotted(one), given


def _is_number(key: ast.AST | None) -> bool:
    """Whether an item's key surely is a place, or several, and no name."""
    match key:
        case ast.Slice() | ast.Tuple() | ast.UnaryOp():
            return True
        case ast.Call(func=ast.Name(id="int" | "len" | "sum" | "id" | "round")):
            return True
        case ast.BinOp(left=left, right=right):
            return _is_number(left) or _is_number(right) or type(key.op) in (ast.Sub, ast.FloorDiv)
    return False


def kept_under(files: Iterable[PythonFile]) -> frozenset[str]:
    """The names of attributes, items and arguments under which code keeps values."""
    found: set[str] = set()
    for file in files:
        for node in file.of(ast.Attribute, ast.keyword, ast.AnnAssign, ast.Subscript, ast.Dict):
            match node:
                case ast.Attribute(attr=name, ctx=ast.Store()) | ast.keyword(arg=str(name)):
                    found.add(name)
                case ast.AnnAssign(target=ast.Name(id=name)):
                    found.add(name)
                case ast.Subscript(slice=ast.Constant(value=str(name)), ctx=ast.Store()):
                    found.add(name)
                case ast.Dict(keys=keys):
                    found.update(str(one.value) for one in keys if isinstance(one, ast.Constant))
    return frozenset(found)


def dotted(node: ast.expr) -> str:
    """A target as a dotted name, items by their keys: `cfg["a"].b` is `cfg.a.b`."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=owner, attr=name):
            return f"{dotted(owner)}.{name}"
        case ast.Subscript(value=owner, slice=ast.Constant(value=str() | int() as name)):
            return f"{dotted(owner)}.{name}"
        case ast.Subscript(value=owner):
            return f"{dotted(owner)}.?"
        case ast.Call(func=ast.Attribute(value=owner, attr="get" | "setdefault"), args=[key, *_]):
            said = key.value if isinstance(key, ast.Constant) else "?"
            return f"{dotted(owner)}.{said!s}"
        case ast.Starred(value=inner):
            return dotted(inner)
    return "?"
