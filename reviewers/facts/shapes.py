"""The sizes of an array's dimensions, as far as the code that makes it tells."""

import ast

from reviewers.facts.origins import Origins, Placed
from reviewers.facts.python_file import PythonFile
from reviewers.facts.stores import code_of

Size = int | str | None
"""A number, the code that gives it, or not known."""
Shape = tuple[Size, ...]
_OF_VALUES = ("torch.tensor", "torch.as_tensor", "numpy.array", "numpy.asarray")
_OF_SIZES = frozenset(
    f"{library}.{name}"
    for library in ("torch", "numpy", "numpy.random")
    for name in ("zeros", "ones", "empty", "rand", "randn")
)
_KEEPING = frozenset(
    {"clone", "detach", "to", "float", "double", "half", "cuda", "cpu", "contiguous", "long"}
    | {"requires_grad_", "copy", "astype", "abs", "exp", "log", "tanh", "sigmoid", "relu"}
)
_NUMBERS = frozenset({"int", "float", "len", "round"})
_WRAPPING = frozenset({"torch.nn.Parameter", "torch.nn.parameter.Parameter"})


class Shapes:
    """Answers for one submission.

    Args:
        origins: what its names stand for.
    """

    def __init__(self, origins: Origins) -> None:
        self._origins = origins

    def of(self, file: PythonFile, node: ast.AST, deep: int = 8) -> Shape | None:
        """The sizes of a value's dimensions, from the first on; None where their number is open."""
        if not deep or not isinstance(node, ast.expr):
            return None
        match node:
            case ast.Name():
                found = {self.of(one.file, one.node, deep - 1) for one in self._given(file, node)}
                return found.pop() if len(found) == 1 else None
            case ast.BinOp(left=left, right=right):
                shapes = [self.of(file, one, deep - 1) for one in (left, right)]
                numbers = [self._is_number(file, one, deep) for one in (left, right)]
                if any(numbers):
                    return shapes[numbers[0]] if numbers[0] != numbers[1] else ()
                return shapes[0] if shapes[0] == shapes[1] else None
            case ast.Attribute(value=inner, attr="T"):
                shape = self.of(file, inner, deep - 1)
                return shape[::-1] if shape is not None and len(shape) == 2 else None
            case ast.Attribute(value=ast.Name(id="self")):
                given = [
                    one.value
                    for one in file.of(ast.Assign)
                    if any(code_of(target) == code_of(node) for target in one.targets)
                ]
                return self.of(file, given[0], deep - 1) if len(given) == 1 else None
            case ast.Call():
                return self._made(file, node, deep)
        return None

    def _given(self, file: PythonFile, name: ast.Name) -> list[Placed]:
        bound = file.bindings(name)
        is_plain = all(
            isinstance(file.parents.get(one), ast.Assign | ast.AnnAssign) for one in bound
        )
        return list(self._origins.values(file, name)) if is_plain else []

    def _made(self, file: PythonFile, call: ast.Call, deep: int) -> Shape | None:
        name, args = file.resolve(call.func) or "", call.args
        if any(isinstance(one, ast.Starred) for one in args):
            return None
        if name in _OF_VALUES and args:
            return self._nested(file, args[0], deep)
        if name in _OF_SIZES:
            return _sizes(args)
        if name in ("torch.full", "numpy.full") and args:
            return _sizes(args[:1])
        if name in _WRAPPING and args:
            return self.of(file, args[0], deep - 1)
        if name in ("torch.stack", "torch.cat") and args and isinstance(args[0], ast.List):
            return self._joined(file, call, args[0], deep, is_new=name == "torch.stack")
        owner, method = args[:1], name.rpartition(".")[2]
        if isinstance(call.func, ast.Attribute) and not name.startswith(("torch.", "numpy.")):
            owner, method, args = [call.func.value], call.func.attr, [call.func.value, *args]
        if not owner:
            return None
        return _changed(self.of(file, owner[0], deep - 1), method, args[1:], call.keywords)

    def _joined(
        self, file: PythonFile, call: ast.Call, held: ast.List, deep: int, *, is_new: bool
    ) -> Shape | None:
        found = [self.of(file, one, deep - 1) for one in held.elts]
        shapes = set(found)
        ranks = {len(one) if one is not None else None for one in shapes}
        if None in ranks or len(ranks) != 1 or len(call.args) > 1 or call.keywords:
            return None
        inner = shapes.pop() or ()
        same = inner if not shapes else (None,) * len(inner)
        if is_new:
            return (len(held.elts), *same)
        first = [shape[0] for shape in found if shape]
        whole = sum(one for one in first if isinstance(one, int))
        known = all(isinstance(one, int) for one in first)
        return (whole if known else None, *same[1:]) if same else None

    def _nested(self, file: PythonFile, node: ast.expr, deep: int) -> Shape | None:
        if self._is_number(file, node, deep - 1):
            return ()
        if not isinstance(node, ast.List | ast.Tuple):
            return None
        inner = {self._nested(file, one, deep) for one in node.elts}
        first = inner.pop() if len(inner) == 1 else None
        return None if first is None else (len(node.elts), *first)

    def _is_number(self, file: PythonFile, node: ast.AST, deep: int) -> bool:
        """Whether a value is a plain number, or what is said to be one where it is given."""
        if not deep:
            return False
        match node:
            case ast.Constant(value=int() | float()):
                return True
            case ast.BinOp(left=left, right=right):
                return all(self._is_number(file, one, deep - 1) for one in (left, right))
            case ast.UnaryOp(operand=inner):
                return self._is_number(file, inner, deep - 1)
            case ast.Call(func=ast.Name(id=name)) if name in _NUMBERS:
                return True
            case ast.Call():
                given = self._origins.returned(file, node)
                return bool(given) and all(
                    self._is_number(one.file, one.node, deep - 1) for one in given
                )
            case ast.Name():
                bound = file.bindings(node)
                notes = [one.annotation for one in bound if isinstance(one, ast.arg)]
                if notes and len(notes) == len(bound):
                    return all(
                        one is not None and code_of(one) in ("int", "float") for one in notes
                    )
                held = self._given(file, node)
                return bool(held) and all(
                    self._is_number(one.file, one.node, deep - 1) for one in held
                )
        return False


def _changed(
    shape: Shape | None, method: str, args: list[ast.expr], words: list[ast.keyword]
) -> Shape | None:
    """The sizes of what a method makes of an array."""
    if method in ("view", "reshape"):
        return _sizes(args)
    if shape is None or words:
        return None
    if method in _KEEPING:
        return shape
    if method in ("flatten", "ravel") and not args:
        return (None,)
    if method in ("mean", "sum", "max", "min", "prod") and not args:
        return ()
    if method == "t" and len(shape) == 2:
        return shape[::-1]
    at = _whole(args[0]) if len(args) == 1 else None
    if method == "unsqueeze" and at is not None and -len(shape) - 1 <= at <= len(shape):
        place = at if at >= 0 else len(shape) + 1 + at
        return (*shape[:place], 1, *shape[place:])
    if method == "squeeze" and at is not None and -len(shape) <= at < len(shape):
        is_one = shape[at] == 1
        return tuple(one for n, one in enumerate(shape) if n != at % len(shape)) if is_one else None
    return None


def _whole(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=int() as number) if not isinstance(number, bool):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as number)):
            return -number
    return None


def _sizes(args: list[ast.expr]) -> Shape | None:
    """The sizes that are given one by one, or in one tuple."""
    if len(args) == 1 and isinstance(args[0], ast.Tuple | ast.List):
        args = args[0].elts
    elif len(args) == 1 and _whole(args[0]) is None:
        return None  # a name may hold several
    if not args or any(isinstance(one, ast.Starred) for one in args):
        return None
    found = [code_of(one) if (size := _whole(one)) is None else size for one in args]
    return tuple(None if one == -1 else one for one in found)


def is_shape(shape: Shape | None, wanted: str) -> bool | None:
    """Whether sizes are those that are told (`3, 224`, `batch, *`); None where they may be."""
    if shape is None:
        return None
    told = [one.strip() for one in wanted.strip("[]() ").split(",") if one.strip()]
    if len(told) != len(shape):
        return False
    fits = [_is_size(one, other) for one, other in zip(shape, told, strict=True)]
    return False if False in fits else None if None in fits else True


def _is_size(size: Size, wanted: str) -> bool | None:
    if wanted == "*":
        return True
    if isinstance(size, int):
        return str(size) == wanted if wanted.isdecimal() else None
    return True if size == wanted else None
