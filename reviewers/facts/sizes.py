"""The sizes of layers, where the code gives them as numbers."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from reviewers.facts.config_flow import PassedValues
from reviewers.facts.python_file import PythonFile

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
_INPUT = "input.size(-1) must be equal to input_size"
_EMBEDDING = "torch.nn.Embedding"
_RECURRENT = frozenset({"torch.nn.GRU", "torch.nn.LSTM", "torch.nn.RNN"})
# By class: what tells the size it takes and the one it gives (parameter, place), along which axis,
# and what it counts.
_SIZED = {
    "torch.nn.Linear": (("in_features", 0), ("out_features", 1), "last", "features", _SHAPES),
    "torch.nn.Conv1d": _CONVOLVED,
    "torch.nn.Conv2d": _CONVOLVED,
    "torch.nn.Conv3d": _CONVOLVED,
    "torch.nn.BatchNorm2d": (_FEATURES, _FEATURES, "channel", "channels", _ELEMENTS),
    _EMBEDDING: (("num_embeddings", 0), ("embedding_dim", 1), "last", "features", ""),
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
    """One layer, or a value of which the size is known.

    Attributes:
        takes, gives: sizes along an axis; None if they are not known.
        axis: `last` or `channel`; empty for a layer that works on either. A pool keeps the channels
            alone.
        keeps: what it takes it gives on.
        kind: what its size counts, and `error` what it says to another.
        is_tuple: it gives several values, of which the first has that size.
    """

    node: ast.expr
    takes: int | None
    gives: int | None
    axis: str
    keeps: bool
    kind: str = ""
    error: str = ""
    is_tuple: bool = False


class Sizes:
    """The numbers that calls are given: those that stand in the code as one, or as a name with one
    value; else those that a run gives.

    Args:
        passed: what a run gives each call.
    """

    def __init__(self, file: PythonFile, passed: Mapping[ast.Call, PassedValues]) -> None:
        self.file = file
        self._passed = passed

    def number(self, call: ast.Call, name: str, place: int) -> int | None:
        """The whole number that a parameter is given."""
        found = number(self.file, call, name, place)
        passed = self._passed.get(call)
        if found is None and passed is not None and not passed.open:
            value = passed.argument(name, place)
            if isinstance(value, int) and not isinstance(value, bool):
                return int(value)
        return found

    def asks(self, call: ast.Call, name: str) -> bool | None:
        """Whether a switch that is off by itself is on; None where that is not known."""
        given = next((word.value for word in call.keywords if word.arg == name), None)
        if given is None or isinstance(given, ast.Constant):
            return given is not None and bool(given.value)
        passed = self._passed.get(call)
        value = passed.argument(name) if passed is not None else None
        return value if isinstance(value, bool) else None


def layer(sizes: Sizes, node: ast.expr) -> Layer | None:
    """What is known of a layer; None where that is nothing."""
    if not isinstance(node, ast.Call):
        return None
    name = sizes.file.resolve(node.func) or ""
    if name in _KEEPING:
        return Layer(node, None, None, "", keeps=True)
    if name in _POOLS:
        return Layer(node, None, None, "channel", keeps=True)
    if any(isinstance(arg, ast.Starred) for arg in node.args):
        return None
    if name in _RECURRENT:
        return _recurrent(sizes, node)
    if name not in _SIZED:
        return None
    (taken, at), (given, place), axis, kind, error = _SIZED[name]
    takes = None if name == _EMBEDDING else sizes.number(node, taken, at)
    gives = sizes.number(node, given, place)
    return Layer(node, takes, gives, axis, taken == given, kind, error)


def _recurrent(sizes: Sizes, node: ast.Call) -> Layer:
    takes, gives = sizes.number(node, "input_size", 0), sizes.number(node, "hidden_size", 1)
    both = sizes.asks(node, "bidirectional")
    odd = any(word.arg in (None, "proj_size") for word in node.keywords)
    known = gives is not None and both is not None and not odd
    whole = gives * (2 if both else 1) if known and gives is not None else None
    return Layer(node, takes, whole, "last", False, "features", _INPUT, is_tuple=True)


def number(file: PythonFile, call: ast.Call, name: str, place: int) -> int | None:
    """The number that a parameter is given, where it is in the code as one, or as a name with
    one value.
    """
    given = next((word.value for word in call.keywords if word.arg == name), None)
    if given is None and place < len(call.args):
        given = call.args[place]
    for _ in range(2):
        if isinstance(given, ast.Constant):
            return (
                given.value
                if isinstance(given.value, int) and not isinstance(given.value, bool)
                else None
            )
        if not isinstance(given, ast.Name):
            return None
        bound = file.scopes.bindings(given) if file.scopes else ()
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
    """How many items a list has that is in the code."""
    return (
        len(node.elts)
        if isinstance(node, (ast.List, ast.Tuple))
        and not any(isinstance(e, ast.Starred) for e in node.elts)
        else None
    )
