"""The built-in type that an expression certainly has, and the uses that this type rejects.

Python decides, with a sample of each type: what a sample rejects, every value of its type rejects.
"""

import ast
import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PosixPath
from typing import Any

from reviewers.facts.python_file import PythonFile

_PLAIN: tuple[Any, ...] = ("a", b"a", 1, 1.0, True, None, [], (), {}, {1}, PosixPath("a"))
SAMPLES: Mapping[type, Any] = {type(one): one for one in _PLAIN}
_DISPLAYS: Mapping[type[ast.expr], type] = {
    ast.JoinedStr: str,
    ast.List: list,
    ast.ListComp: list,
    ast.Tuple: tuple,
    ast.Dict: dict,
    ast.DictComp: dict,
    ast.Set: set,
    ast.SetComp: set,
}
# Builtins that give one type whatever they are given.
_CALLS: Mapping[str, type] = {
    **{kind.__name__: kind for kind in (str, bytes, int, float, bool, list, tuple, dict, set)},
    **dict.fromkeys(("ascii", "bin", "chr", "format", "hex", "input", "oct", "repr"), str),
    **dict.fromkeys(("hash", "id", "len", "ord"), int),
    **dict.fromkeys(("all", "any", "callable", "hasattr", "isinstance", "issubclass"), bool),
    "sorted": list,
    "print": type(None),
}
_FUNCTIONS: Mapping[str, type] = {
    **dict.fromkeys(("time.monotonic", "time.perf_counter", "time.time"), float),
    **dict.fromkeys(("glob.glob", "os.listdir"), list),
    "os.path.join": str,
    **dict.fromkeys(("pathlib.Path", "pathlib.Path.cwd", "pathlib.Path.home"), PosixPath),
}
_NEWER = frozenset(  # attributes of a path that not every Python has
    {"copy", "copy_into", "full_match", "info", "move", "move_into", "parser", "walk"}
)
_METHODS: Mapping[type, Mapping[str, type]] = {
    str: {
        **dict.fromkeys(
            [
                "capitalize", "format", "join", "ljust", "lower", "lstrip", "replace", "rjust",
                "rstrip", "strip", "title", "upper", "zfill",
            ],
            str,
        ),
        **dict.fromkeys(("rsplit", "split", "splitlines"), list),
        **dict.fromkeys(("count", "find", "index", "rfind"), int),
        "encode": bytes,
    },
    list: dict.fromkeys(("append", "clear", "extend", "insert", "reverse", "sort"), type(None)),
    dict: dict.fromkeys(("clear", "update"), type(None)),
    set: dict.fromkeys(("add", "clear", "discard", "update"), type(None)),
    PosixPath: {
        **dict.fromkeys(
            ["absolute", "expanduser", "joinpath", "resolve", "with_name", "with_suffix"],
            PosixPath,
        ),
        **dict.fromkeys(("as_posix", "read_text"), str),
        **dict.fromkeys(("exists", "is_dir", "is_file"), bool),
        "mkdir": type(None),
    },
}  # fmt: skip
OPERATORS: Mapping[type[ast.AST], Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.MatMult: operator.matmul,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda one, other: one in other,
    ast.NotIn: lambda one, other: one not in other,
    ast.Invert: operator.invert,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}
_DEEPEST = 12


@dataclass(frozen=True, slots=True)
class Refused:
    """A use of plain values that Python refuses whatever they are.

    Attributes:
        node: the expression that raises.
        operands: the parts of it that decide, with their types.
    """

    node: ast.expr
    error: str
    message: str
    operands: tuple[tuple[ast.expr, type], ...]


def refused(file: PythonFile) -> Iterator[Refused]:
    """Yield the expressions of a file that raise whenever they are evaluated."""
    types = Types(file)
    for node in file.of(*_DOING):
        for parts, deed in types.deeds(node):
            kinds = [kind for part in parts if (kind := types.of(part)) is not None]
            if len(kinds) < len(parts):
                continue
            try:
                deed(*(SAMPLES[kind] for kind in kinds))
            except (TypeError, AttributeError) as error:
                given = tuple(zip(parts, kinds, strict=True))
                where = node if isinstance(node, ast.expr) else parts[0]
                yield Refused(where, type(error).__name__, str(error), given)
            except (ArithmeticError, ValueError, LookupError):
                continue


_DOING = (
    *(ast.BinOp, ast.UnaryOp, ast.Compare, ast.For, ast.comprehension, ast.Attribute),
    *(ast.Subscript, ast.Call),
)


class Types:
    """The types of one file's expressions."""

    def __init__(self, file: PythonFile) -> None:
        self._file = file
        self._known: dict[ast.expr, type | None] = {}

    def deeds(self, node: ast.AST) -> Iterator[tuple[tuple[ast.expr, ...], Any]]:
        """What a node does with values, and what does the same with samples."""
        match node:
            case ast.BinOp() if type(node.op) in OPERATORS and not self._formats(node):
                yield (node.left, node.right), OPERATORS[type(node.op)]
            case ast.UnaryOp() if type(node.op) in OPERATORS:
                yield (node.operand,), OPERATORS[type(node.op)]
            case ast.Compare(ops=[op], comparators=[right]) if type(op) in OPERATORS:
                yield (node.left, right), OPERATORS[type(op)]
            case ast.For() | ast.comprehension():
                yield (node.iter,), iter
            case ast.Attribute(ctx=ast.Load()) if node.attr not in _NEWER:
                yield (node.value,), operator.attrgetter(node.attr)
            case ast.Subscript(ctx=ast.Load(), slice=ast.Slice()):
                yield (node.value,), lambda owner: owner[:]
            case ast.Subscript(ctx=ast.Load()):
                yield (node.value, node.slice), lambda owner, at: owner[at]
            case ast.Call():
                yield (node.func,), _called

    def of(self, node: ast.expr, depth: int = 0) -> type | None:
        """The type of an expression; None if it may have others."""
        if node not in self._known:
            self._known[node] = None  # a name that is bound to itself
            self._known[node] = self._type(node, depth) if depth < _DEEPEST else None
        return self._known[node]

    def _assigned(self, name: ast.Name) -> ast.Assign | None:
        """The one statement that gives a name its value."""
        bound = self._file.bindings(name)
        around = self._file.parents.get(bound[0]) if len(bound) == 1 else None
        is_it = isinstance(around, ast.Assign) and bound[0] in around.targets
        return around if isinstance(around, ast.Assign) and is_it else None

    def _type(self, node: ast.expr, depth: int) -> type | None:
        if (kind := _DISPLAYS.get(type(node))) is not None:
            return kind
        match node:
            case ast.Constant(value=value):
                return type(value) if type(value) in SAMPLES else None
            case ast.UnaryOp(op=ast.Not()):
                return bool
            case ast.IfExp(body=one, orelse=other):
                kind = self.of(one, depth + 1)
                return kind if kind is self.of(other, depth + 1) else None
            case ast.BinOp():
                return self._result(node, depth)
            case ast.Call(func=ast.Name(id=name) as called):
                is_builtin = self._file.resolve(called) == name and self._is_free(called)
                return (_CALLS if is_builtin else _FUNCTIONS).get(self._file.resolve(called) or "")
            case ast.Call(func=ast.Attribute(value=owner, attr=name) as called):
                if (made := _FUNCTIONS.get(self._file.resolve(called) or "")) is not None:
                    return made
                kind = self.of(owner, depth + 1)
                return _METHODS.get(kind, {}).get(name) if kind else None
            case (
                ast.Attribute(value=owner, attr="parent")
                | ast.Subscript(value=ast.Attribute(value=owner, attr="parents"))
            ):
                return PosixPath if self.of(owner, depth + 1) is PosixPath else None
            case ast.Name(ctx=ast.Load()):
                around = self._assigned(node)
                if around is None:
                    return None
                kind = self.of(around.value, depth + 1)
                # What a module leaves open may be set from another one.
                is_open = kind is type(None) and not self._file.scope_at(around.lineno)
                return None if is_open else kind
        return None

    def _result(self, node: ast.BinOp, depth: int) -> type | None:
        if self._formats(node):
            return str
        left, right = self.of(node.left, depth + 1), self.of(node.right, depth + 1)
        if left is PosixPath and isinstance(node.op, ast.Div):
            return PosixPath
        if left is None or right is None or type(node.op) not in OPERATORS:
            return None
        try:
            made = type(OPERATORS[type(node.op)](SAMPLES[left], SAMPLES[right]))
        except (TypeError, ArithmeticError, ValueError):
            return None
        return made if made in SAMPLES else None

    def _formats(self, node: ast.BinOp) -> bool:
        """Whether it is `"…" % values`."""
        return isinstance(node.op, ast.Mod) and self.of(node.left) in (str, bytes)

    def _is_free(self, name: ast.Name) -> bool:
        """Whether the file binds the name of a builtin nowhere around."""
        return self._file.scopes is not None and not self._file.scopes.bindings(name)


def _called(sample: object) -> None:
    if not callable(sample):
        raise TypeError(f"'{type(sample).__name__}' object is not callable")
