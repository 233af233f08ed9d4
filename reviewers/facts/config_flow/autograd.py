"""The graphs that torch keeps for `backward`: what a tensor hangs on, and what is freed of it.

Only what certainly keeps tensors for its backward pass is followed: read from the derivatives of
torch 2.13, and tried with it.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace

from reviewers.facts.config_flow.cells import TENSOR, Cell, Saved
from reviewers.facts.config_flow.library_values import SeveralValues
from reviewers.facts.config_flow.tables import OutsideCall
from reviewers.facts.config_flow.tensors import FLOATS, Network, Output, is_tensor, made
from reviewers.facts.config_flow.values import UNKNOWN, Bound, External, Fixed, Value

_MOST = 64  # saved nodes that are kept of one graph
_SAVING = frozenset((
    "abs", "amax", "amin", "binary_cross_entropy", "binary_cross_entropy_with_logits", "bmm",
    "clamp", "cross_entropy", "exp", "gather", "gelu", "index_select", "kl_div", "l1_loss",
    "linear", "log", "log_softmax", "logsumexp", "masked_fill", "matmul", "max", "min", "mm",
    "mse_loss", "nll_loss", "norm", "normalize", "prod", "relu", "sigmoid", "silu", "softmax",
    "sqrt", "std", "tanh", "var",
))  # fmt: skip
_HANDING_ON = frozenset((
    "bfloat16", "cat", "clone", "concat", "contiguous", "cpu", "cuda", "double", "dropout",
    "expand", "expand_as", "flatten", "flip", "float", "half", "mean", "permute", "repeat",
    "reshape", "roll", "squeeze", "stack", "sum", "swapaxes", "t", "to", "transpose", "tril",
    "triu", "unsqueeze", "view", "view_as",
))  # fmt: skip
_SAVING_OPERATORS = (ast.Mult, ast.Div, ast.Pow, ast.MatMult)
# Layers that keep their input or their weights where they are trained.
_TRAINED = ("Linear", "Conv", "BatchNorm", "GroupNorm", "LayerNorm", "Embedding", "LSTM", "GRU")


def hang(found: Value, inputs: Iterable[Value], *, saves: bool, follows: bool) -> None:
    """Hang a new tensor on the graphs of those that it is made of, and tell where its number format
    comes from.

    Args:
        saves: whether tensors are kept for the way back.
        follows: whether gradients are certainly on.
    """
    inputs = list(inputs)
    if is_tensor(found) and found.cast_at is None and found.dtype:
        sources = (one for one in _tensors(inputs) if one.dtype == found.dtype)
        found.cast_at = next((one.cast_at or one.at for one in sources), None)
    if not is_tensor(found) or not follows or (found.dtype and found.dtype not in FLOATS):
        return
    whole = [one for one in _tensors(inputs) if one.needs]
    if whole:
        graph = frozenset().union(*(one.graph for one in whole))
        found.needs = True
        found.graph = graph | {Saved()} if saves and len(graph) < _MOST else graph


def operated(found: Value, inputs: Iterable[Value], kind: type[ast.operator], on: bool) -> None:
    """The same for `left * right`."""
    if kind in (*_SAVING_OPERATORS, ast.Add, ast.Sub):
        hang(found, inputs, saves=kind in _SAVING_OPERATORS, follows=on)


def after(call: OutsideCall, found: Value) -> Value:
    """What a call gives, on its graph."""
    callee = call.callee
    if not is_tensor(found):
        if not isinstance(callee, Network):
            return found
        if isinstance(found, Output):
            _of_network(call, callee, found.of)
        return _several(call, found)
    name = call.callee.short if type(callee) is External else call.name
    if type(callee) is Bound and found is callee.owner:
        if name == "requires_grad_":
            found.needs = not call.args and not call.keywords
        elif name.startswith("detach"):
            return cut(found)
        elif name.endswith("_"):
            found.graph = frozenset()
        return found
    if isinstance(callee, Network):
        _of_network(call, callee, found)
    elif type(callee) is Bound or call.name.startswith("torch."):
        inputs = [callee.owner, *call.values] if type(callee) is Bound else call.values
        if name in _SAVING or name in _HANDING_ON:
            follows = call.follower.keeps_graphs
            hang(found, inputs, saves=name in _SAVING, follows=follows)
    return found


def _of_network(call: OutsideCall, network: Network, found: Cell) -> None:
    is_trained = network.kind.startswith(_TRAINED) or (not network.kind and bool(network.dtype))
    is_loss = network.kind.endswith("Loss")
    weights = [Cell(TENSOR, needs=True)] if is_trained else []
    hang(
        found,
        [*call.values, *weights],
        saves=is_trained or is_loss,
        follows=call.follower.keeps_graphs,
    )


def _several(call: OutsideCall, found: Value) -> Value:
    """What a recurrent layer gives: its outputs and its state."""
    if call.callee.kind not in ("GRU", "LSTM", "RNN") or not isinstance(found, SeveralValues):
        return found
    whole, weights = made(), Cell(TENSOR, needs=True)
    hang(whole, [*call.values, weights], saves=True, follows=call.follower.keeps_graphs)
    output, state, cell = (replace(whole) for _ in range(3))
    found[:] = [output, Fixed([state, cell]) if call.callee.kind == "LSTM" else state]
    return found


def cut(value: Cell) -> Cell:
    """The same tensor on no graph."""
    return replace(value, graph=frozenset(), needs=False) if value.needs else value


def later(value: Value) -> Value:
    """What is known of a value that a turn of a loop hands to the next one: its graph."""
    if isinstance(value, Fixed):
        return Fixed(map(later, value))
    return Cell(TENSOR, graph=value.graph, needs=True) if _is_on_one(value) else UNKNOWN


def _is_on_one(value: Value) -> bool:
    return isinstance(value, Cell) and bool(value.graph)


def _tensors(values: Iterable[Value]) -> Iterator[Cell]:
    for value in values:
        if isinstance(value, list):
            yield from _tensors(value)
        elif is_tensor(value):
            yield value
