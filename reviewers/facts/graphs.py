"""Values that certainly hang on the graph of a model in training, and what PyTorch refuses to do to
them.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from reviewers.facts.gradients import Surroundings, switched_off
from reviewers.facts.local_code import LocalCode
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import Function
from reviewers.records import Span

# Methods and functions of a tensor whose result hangs on the same graph.
_KEEPING = frozenset(
    {
        "abs", "clamp", "clone", "contiguous", "cpu", "cuda", "double", "exp", "flatten", "float",
        "half", "log", "log_softmax", "logsumexp", "mean", "norm", "permute", "pow", "relu",
        "reshape", "sigmoid", "softmax", "sqrt", "squeeze", "std", "sum", "tanh", "to", "transpose",
        "unsqueeze", "var", "view",
    }
)  # fmt: skip
_OUTPUTS = frozenset({"loss", "logits", "last_hidden_state"})
_CUTTING = ("no_grad", "inference_mode", "detach", "requires_grad", "set_grad_enabled")
_LIBRARIES = ("torch.nn.", "torchvision.models.", "transformers.AutoModel", "timm.create_model")
_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class RefusedOnGraph:
    """What PyTorch refuses to do to a value of a graph.

    Attributes:
        made: where the value was made.
        certain: whether the code comes to it where nothing stops it before.
    """

    file: PythonFile
    call: ast.Call
    scope: str
    shown: str
    made: Span
    certain: bool = True


class Graphs:
    """The values of one submission that hang on the graph of a model in training."""

    def __init__(self, code: LocalCode) -> None:
        self.code = code
        self._around = Surroundings(code)
        texts = [file.text for file in code.python.values()]
        # Something may be frozen, or gradients be off in sight of nobody.
        self._is_open = any(
            word in text for text in texts for word in ("requires_grad", "set_grad_enabled")
        )

    def as_arrays(self) -> Iterator[RefusedOnGraph]:
        """The calls of `numpy()` on such a value."""
        for file, call, value in self._methods("numpy"):
            if not call.args and (made := self._made(file, value)):
                yield RefusedOnGraph(
                    file, call, file.scope_at(call.lineno), ast.unparse(value)[:60], made
                )

    def second_backwards(self) -> Iterator[RefusedOnGraph]:
        """The calls of `backward()` through a graph that another one, or the same in an earlier
        turn of a loop, has freed.
        """
        before: dict[tuple[int, ast.AST], ast.Call] = {}
        for file, call, value in self._methods("backward"):
            if not isinstance(value, ast.Name) or call.args or call.keywords:
                continue
            bound = file.bindings(value)
            made = self._made(file, value) if len(bound) == 1 else None
            if made is None:
                continue
            statement = file.parents[call]
            shown, scope = value.id, file.scope_at(call.lineno)
            loop = _loop_without(file, call, bound[0])
            if loop is not None and not _is_left(loop):
                sure = isinstance(loop, ast.For) and _turns_twice(loop.iter)
                yield RefusedOnGraph(file, call, scope, shown, made, sure)
                continue
            parent = file.parents[statement]
            blocks = (getattr(parent, name, None) for name in ("body", "orelse", "finalbody"))
            block = next((id(one) for one in blocks if one and statement in one), 0)
            first = before.setdefault((block, bound[0]), call) if block else call
            if first is not call:
                yield RefusedOnGraph(file, call, scope, shown, made)

    def _methods(self, name: str) -> Iterator[tuple[PythonFile, ast.Call, ast.expr]]:
        for file in () if self._is_open else self.code.python.values():
            if f".{name}(" not in file.text or ".backward(" not in file.text:
                continue
            for call in file.calls_of(f".{name}"):
                if isinstance(call.node.func, ast.Attribute):
                    yield file, call.node, call.node.func.value

    def _made(self, file: PythonFile, value: ast.expr, depth: int = 0) -> Span | None:
        """Where a value that hangs on a graph was made; None if it does not certainly."""
        if depth > _DEEPEST:
            return None
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            if self._is_in_training(file, value.func):
                return None if self._is_off(file, value) else Span(file.path, value.lineno)
            parts = value.args[:1] if self._is_criterion(file, value.func) else []
        else:
            parts = self._parts(file, value)
        if parts and self._is_off(file, value):
            return None
        return next((at for part in parts if (at := self._made(file, part, depth + 1))), None)

    def _parts(self, file: PythonFile, value: ast.expr) -> list[ast.expr]:
        """What a value is made of, each of which alone puts it on its graph."""
        match value:
            case ast.Name():
                made = _assigned(file, value)
                return [] if made is None else [made]
            case ast.BinOp(left=left, right=right):
                return [left, right]
            case ast.UnaryOp(operand=part):
                return [part]
            case ast.Attribute(value=part, attr=attr) if attr in _OUTPUTS:
                return [part]
            case ast.Call(func=ast.Attribute(value=owner, attr=attr), args=args):
                name = file.resolve(value.func) or ""
                is_loss = name.startswith("torch.nn.functional.") and not name.endswith("one_hot")
                if is_loss or attr in _KEEPING:
                    return args[:1] if name.startswith("torch.") else [owner]
        return []

    def _is_off(self, file: PythonFile, node: ast.AST) -> bool:
        """Whether gradients may be off at a place."""
        around = [one for one in file.ancestors(node) if isinstance(one, Function | ast.Lambda)]
        names = {one.name for one in around if isinstance(one, Function)}
        return bool(
            switched_off(file, node)
            or names & self._around.called_off
            or any(isinstance(one, ast.Lambda) for one in around)
        )

    def _is_in_training(self, file: PythonFile, name: ast.Name) -> bool:
        """Whether an optimiser of the same file gets all parameters of a model that is known."""
        return any(
            isinstance(given := call.argument("params", 0), ast.Call)
            and isinstance(given.func, ast.Attribute)
            and given.func.attr == "parameters"
            and isinstance(given.func.value, ast.Name)
            and file.bindings(name)
            and file.bindings(given.func.value) == file.bindings(name)
            for call in file.calls
            if (call.name or "").startswith("torch.optim.")
        ) and self._is_known(file, name)

    def _is_known(self, file: PythonFile, name: ast.Name) -> bool:
        kind = self.code.type_of(file, name)
        if kind is not None:
            where, definition = kind
            text = ast.get_source_segment(where.text, definition.node) or ""
            return not any(word in text for word in _CUTTING)
        value = _assigned(file, name)
        while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            if (file.resolve(value.func) or "").startswith(_LIBRARIES):
                return True
            value = value.func.value if value.func.attr in ("to", "cuda", "train") else None
        return False

    def _is_criterion(self, file: PythonFile, name: ast.Name) -> bool:
        call = _assigned(file, name)
        known = file.resolve(call.func) or "" if isinstance(call, ast.Call) else ""
        return known.startswith("torch.nn.") and known.endswith("Loss")


def _assigned(file: PythonFile, name: ast.Name) -> ast.expr | None:
    """What a name that is bound once stands for."""
    bound = file.bindings(name)
    made = file.parents.get(bound[0]) if len(bound) == 1 else None
    return made.value if isinstance(made, ast.Assign) and made.targets == [*bound] else None


def _loop_without(file: PythonFile, call: ast.Call, binding: ast.AST) -> ast.For | ast.While | None:
    """The loop around a call in which a name is not bound anew; None if there is none, or if the
    call is under a condition there.
    """
    inner: ast.AST = call
    for around in file.ancestors(call):
        if isinstance(around, Function | ast.If | ast.Try):
            return None
        if isinstance(around, ast.For | ast.While):
            is_bound_inside = any(one is around for one in file.ancestors(binding))
            return None if is_bound_inside or inner not in around.body else around
        inner = around
    return None


def _is_left(loop: ast.For | ast.While) -> bool:
    return any(isinstance(node, ast.Break | ast.Return | ast.Raise) for node in ast.walk(loop))


def _turns_twice(iterated: ast.expr) -> bool:
    match iterated:
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int() as count)]):
            return count > 1
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return len(parts) > 1
    return False
