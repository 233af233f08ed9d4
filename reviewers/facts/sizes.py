"""Sizes of layers, where the code says them in numbers."""

import ast
from dataclasses import dataclass

from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import argument

_ACTIVATIONS = [
    "CELU", "ELU", "GELU", "Hardsigmoid", "Hardswish", "Hardtanh", "LeakyReLU", "LogSigmoid",
    "Mish", "PReLU", "ReLU",
]  # fmt: skip
_MORE = ["ReLU6", "SELU", "SiLU", "Sigmoid", "Softplus", "Softsign", "Tanh"]
_DROPOUTS = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "Identity"]
_KEEPING = frozenset(f"torch.nn.{name}" for name in (*_ACTIVATIONS, *_MORE, *_DROPOUTS))
_SHAPES = "mat1 and mat2 shapes cannot be multiplied"
_CHANNELS = "expected input to have another number of channels"
_ELEMENTS = "running_mean should contain another number of elements"
_NORMALISED = "Given normalized_shape, expected input with another shape"
_FEATURES = ("num_features", 0)
_WIDTH = ("normalized_shape", 0)
_CONVOLVED = (("in_channels", 0), ("out_channels", 1), "channel", "channels", _CHANNELS)
# By class: what tells the size it takes and the one it gives (parameter, place), along which axis,
# and what it counts.
_SIZED = {
    "torch.nn.Linear": (("in_features", 0), ("out_features", 1), "last", "features", _SHAPES),
    "torch.nn.Conv1d": _CONVOLVED,
    "torch.nn.Conv2d": _CONVOLVED,
    "torch.nn.Conv3d": _CONVOLVED,
    "torch.nn.BatchNorm2d": (_FEATURES, _FEATURES, "channel", "channels", _ELEMENTS),
    "torch.nn.LayerNorm": (_WIDTH, _WIDTH, "last", "features", _NORMALISED),
}
_POOLS = frozenset(
    {
        f"torch.nn.{kind}Pool{size}d"
        for kind in ("Max", "Avg", "AdaptiveAvg", "AdaptiveMax")
        for size in (1, 2, 3)
    }
)


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer of a Sequential.

    Attributes:
        takes, gives: sizes along an axis; None where they are not known.
        axis: `last` or `channel`; empty for a layer that works on either. A pool keeps the channels
            alone.
        keeps: what it takes it gives on.
        kind: what its size counts, and `error` what it says to another.
    """

    node: ast.expr
    takes: int | None
    gives: int | None
    axis: str
    keeps: bool
    kind: str = ""
    error: str = ""


def layer(file: PythonFile, node: ast.expr) -> Layer | None:
    """What is known of a layer; None where that is nothing."""
    if not isinstance(node, ast.Call):
        return None
    name = file.resolve(node.func) or ""
    if name in _KEEPING:
        return Layer(node, None, None, "", keeps=True)
    if name in _POOLS:
        return Layer(node, None, None, "channel", keeps=True)
    if name not in _SIZED or any(isinstance(arg, ast.Starred) for arg in node.args):
        return None
    (taken, at), (given, place), axis, kind, error = _SIZED[name]
    takes, gives = number(file, node, taken, at), number(file, node, given, place)
    return Layer(node, takes, gives, axis, taken == given, kind, error)


def number(file: PythonFile, call: ast.Call, name: str, place: int) -> int | None:
    """The number that a parameter is given, where it stands in the code as one, or as a name with
    one value.
    """
    given = argument(call, name, place)
    for _ in range(2):
        if isinstance(given, ast.Constant):
            return (
                given.value
                if isinstance(given.value, int) and not isinstance(given.value, bool)
                else None
            )
        if not isinstance(given, ast.Name):
            return None
        bound = file.bindings(given)
        assigned = file.parents.get(bound[0]) if len(bound) == 1 else None
        if (
            not isinstance(assigned, ast.Assign)
            or len(assigned.targets) != 1
            or assigned.targets[0] is not bound[0]
        ):
            return None
        given = assigned.value
    return None


def length(file: PythonFile, node: ast.expr) -> int | None:
    """How many items a list has that stands in the code."""
    return (
        len(node.elts)
        if isinstance(node, ast.List | ast.Tuple)
        and not any(isinstance(e, ast.Starred) for e in node.elts)
        else None
    )
