"""Sizes through a network: what a layer gives, followed to the layer that takes it, within a
Sequential and through the `forward` of a class.

The sizes are those that stand in the code, or that a run's configuration gives to the layers. Only
the last axis is followed, or that of channels, through what keeps it; of anything else the size is
not known.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reviewers.facts.config_flow import PassedValues
from reviewers.facts.python_file import Function, PythonFile
from reviewers.facts.python_nodes import names_bound, walk
from reviewers.facts.sizes import Layer, Sizes, layer
from reviewers.facts.torch_names import MODULE

_SEQUENTIAL = "torch.nn.Sequential"
_KEEPING = frozenset((
    "celu", "clamp", "clone", "contiguous", "cpu", "cuda", "detach", "dropout", "elu", "float",
    "gelu", "half", "hardswish", "leaky_relu", "log_softmax", "mish", "nan_to_num", "normalize",
    "relu", "relu6", "relu_", "selu", "sigmoid", "silu", "softmax", "softplus", "tanh", "to",
))  # fmt: skip
_FUNCTIONS = ("torch.", "torch.nn.functional.")
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)
_MOST = 64  # layers of a class


@dataclass(frozen=True, slots=True)
class Misfit:
    """Two layers of which one gets what the other gives, and takes another size.

    Attributes:
        at: where the second one is called; None within a Sequential.
    """

    before: Layer
    after: Layer
    at: ast.Call | None = None


def chained(layers: Sequence[Layer | None]) -> tuple[Layer | None, Misfit | None]:
    """A Sequential as one layer, and the first two of its layers that do not fit; of the whole,
    what is not known leaves what it gives unknown.
    """
    takes: Layer | None = None
    before: Layer | None = None
    is_first = True
    for after in layers:
        if after is None:
            return (replace(takes, gives=None, keeps=False) if takes else None), None
        if after.keeps and not after.takes:
            if after.axis and before is not None and before.axis != after.axis:
                before = None
            continue
        if before is not None and _misfit(before, after):
            return None, Misfit(before, after)
        takes = after if is_first else takes
        is_first = False
        before = after if not after.keeps or before is None else before
    if before is None or takes is None:
        return None, None
    same = takes.axis == before.axis
    whole = replace(takes, gives=before.gives if same else None, keeps=False, node=before.node)
    return (whole if takes.takes else replace(whole, takes=None)), None


def _misfit(before: Layer, after: Layer) -> bool:
    known = before.axis == after.axis and before.gives and after.takes
    return bool(known and before.gives != after.takes)


def replaced(python: Mapping[str, PythonFile]) -> frozenset[str]:
    """The attributes that are set of another object than `self`, and the bases of local classes:
    layers and networks of which the class alone does not say what they are.
    """
    stored = {
        node.attr
        for file in python.values()
        for node in file.of(ast.Attribute)
        if isinstance(node.ctx, (ast.Store, ast.Del)) and ast.unparse(node.value) != "self"
    }
    classes = (cls for file in python.values() for cls in file.classes.values())
    bases = {base.rpartition(".")[2] for cls in classes for base in cls.bases if base}
    return frozenset(stored | bases)


def misfits(
    file: PythonFile,
    open_names: frozenset[str],
    passed: Mapping[ast.Call, PassedValues],
) -> Iterator[Misfit]:
    """The layers of a file that do not fit.

    Args:
        open_names: what is `replaced`.
        passed: what a run gives the calls that make the layers.
    """
    if "torch" not in file.packages:
        return
    sizes = Sizes(file, passed)
    for call in file.calls_of(_SEQUENTIAL):
        _, found = chained([layer(sizes, node) for node in call.node.args])
        if found is not None:
            yield found
    for cls in file.classes.values():
        is_whole = {"__init__", "forward"} <= cls.methods.keys() and cls.node.name not in open_names
        if MODULE in cls.bases and is_whole:
            layers = _layers(sizes, cls.node, cls.methods["__init__"])
            kept = {name: one for name, one in layers.items() if name not in open_names}
            walked = _Walk(sizes, kept)
            walked.block(cls.methods["forward"].body, {})
            yield from walked.found


def _layers(sizes: Sizes, node: ast.ClassDef, init: Function) -> Mapping[str, Layer]:
    """The layers that the attributes of a network certainly are."""
    stored: dict[str, int] = {}
    for part in walk(node):
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, (ast.Store, ast.Del)):
            stored[part.attr] = stored.get(part.attr, 0) + 1
    found: dict[str, Layer] = {}
    for statement in init.body:
        match statement:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(), attr=name)], value=ast.Call() as made
            ) if stored[name] == 1 and len(found) < _MOST:
                if (one := _made(sizes, made)) is not None:
                    found[name] = one
    return found


def _made(sizes: Sizes, call: ast.Call) -> Layer | None:
    if sizes.file.resolve(call.func) == _SEQUENTIAL:
        parts = [layer(sizes, part) for part in call.args]
        return chained(parts)[0] if parts and not call.keywords else None
    return layer(sizes, call)


_Known = dict[str, Layer]


class _Walk:
    """Follows the sizes of values through a function."""

    def __init__(self, sizes: Sizes, layers: Mapping[str, Layer]) -> None:
        self._file = sizes.file
        self._layers = layers
        self.found: list[Misfit] = []

    def block(self, statements: Sequence[ast.stmt], known: _Known) -> None:
        for statement in statements:
            self._statement(statement, known)

    def _statement(self, node: ast.stmt, known: _Known) -> None:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._bind(name, self._size(value, known), known)
            case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=name), *_])], value=ast.Call()):
                size = self._size(node.value, known, is_first=True)
                self._forget(node, known)
                self._bind(name, size, known)
            case ast.Return(value=ast.expr() as value) | ast.Expr(value=value):
                self._size(value, known)
            case ast.With():
                self.block(node.body, known)
            case ast.If() | ast.For() | ast.While() | ast.Try():
                if not isinstance(node, ast.If):
                    self._forget(node, known)
                for block in (node.body, node.orelse):
                    self.block(block, dict(known))
                self._forget(node, known)
            case ast.AugAssign(target=ast.Name(), op=ast.Add() | ast.Mult()):
                self._size(node.value, known)
            case _:
                self._forget(node, known)

    def _bind(self, name: str, size: Layer | None, known: _Known) -> None:
        known.pop(name, None)
        if size is not None:
            known[name] = size

    def _forget(self, node: ast.stmt, known: _Known) -> None:
        for name in names_bound(node):
            known.pop(name, None)

    def _size(self, node: ast.expr, known: _Known, *, is_first: bool = False) -> Layer | None:
        """The layer that says how large a value is: `gives` along its `axis`.

        Args:
            is_first: it is the first of several values that is asked for.
        """
        match node:
            case ast.Name(id=name):
                return known.get(name)
            case (
                ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp() | ast.Lambda()
            ):
                return None  # its names are its own
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="self"), attr=attr), args=[given, *_]
            ) if attr in self._layers:
                return self._passed_through(node, self._layers[attr], given, known, is_first)
            case ast.Call(func=ast.Attribute() as func):
                return self._of_call(node, func, known)
            case ast.BinOp():
                return self._of_two(node, known)
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self._size(part, known)
        return None

    def _of_call(self, node: ast.Call, func: ast.Attribute, known: _Known) -> Layer | None:
        """What a function or method gives: as large as what it is given, where it keeps sizes."""
        name = self._file.resolve(func) or ""
        if name in ("torch.cat", "torch.concat"):
            return self._joined(node, known)
        sizes = [self._size(one, known) for one in node.args]
        if name.startswith(_FUNCTIONS):
            return sizes[0] if sizes and func.attr in _KEEPING else None
        owner = self._size(func.value, known)
        return owner if func.attr in _KEEPING else None

    def _of_two(self, node: ast.BinOp, known: _Known) -> Layer | None:
        one, other = self._size(node.left, known), self._size(node.right, known)
        if not isinstance(node.op, _ARITHMETIC):
            return None
        if any(isinstance(side, ast.Constant) for side in (node.left, node.right)):
            return one or other
        same = one is not None and other is not None and one.axis == other.axis
        return one if same and one and other and one.gives == other.gives else None

    def _passed_through(
        self, call: ast.Call, taking: Layer, given: ast.expr, known: _Known, is_first: bool
    ) -> Layer | None:
        before = self._size(given, known)
        if before is not None and _misfit(before, taking):
            self.found.append(Misfit(before, taking, call))
            return None
        if taking.is_tuple and not is_first:
            return None
        if taking.keeps:
            is_other = before is not None and taking.axis not in ("", before.axis)
            if before is not None and not is_other:
                return before
            return taking if taking.gives else None
        return taking if taking.gives else None

    def _joined(self, call: ast.Call, known: _Known) -> Layer | None:
        """`torch.cat([…], dim=-1)`: as large as all of them together."""
        parts = call.args[0] if call.args else None
        if not isinstance(parts, (ast.List, ast.Tuple)):
            return None
        sizes = [self._size(part, known) for part in parts.elts]
        words = [word.value for word in call.keywords if word.arg in ("dim", "axis")]
        given = next(iter([*call.args[1:2], *words]), None)
        last = given is not None and ast.unparse(given) == "-1"
        whole = [one.gives for one in sizes if one is not None and one.axis == "last" and one.gives]
        if not last or len(whole) < len(sizes) or not sizes or sizes[0] is None:
            return None
        return replace(sizes[0], node=call, gives=sum(whole), takes=None, keeps=False)
