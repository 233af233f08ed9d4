"""The expressions in a network's methods that are certainly plain tensors."""

import ast
from collections.abc import Iterator

from reviewers.facts.local_code import LocalCode
from reviewers.facts.local_modules import LocalClass
from reviewers.facts.python_file import Function
from reviewers.facts.python_nodes import own_nodes
from reviewers.facts.torch_names import TENSOR_MAKERS, TENSOR_MODULES
from reviewers.steps import fact

_PARAMETER = frozenset({"torch.nn.Parameter", "torch.nn.parameter.Parameter"})
_SAME_KIND = frozenset(
    {
        "detach", "clone", "mean", "sum", "squeeze", "unsqueeze", "view", "reshape", "float",
        "half", "clamp", "abs",
    }
)  # fmt: skip
_MAX_CALLS = 4
_MAX_STEPS = 200


class TensorValues:
    """What one class knows of its values.

    Args:
        depth: how many calls lie between the question and this class.
    """

    def __init__(self, code: LocalCode, kind: LocalClass, depth: int = 0) -> None:
        self.code = code
        self.file, self.cls = kind
        self.depth = depth
        self._steps = 0

    @fact
    def _made(self) -> dict[str, str]:
        """Attributes that `__init__` sets in every case, with the resolved name of what makes
        them.
        """
        found: dict[str, str] = {}
        for file, part in reversed(self.code.lineage((self.file, self.cls))[0]):
            init = part.methods.get("__init__")
            for item in init.body if init else ():
                if isinstance(item, ast.Assign) and isinstance(item.value, ast.Call):
                    made = file.resolve(item.value.func) or ""
                    found.update(
                        {
                            target.attr: made
                            for target in item.targets
                            if isinstance(target, ast.Attribute)
                        }
                    )
        return found

    @fact
    def parameters(self) -> frozenset[str]:
        """Attributes that hold a Parameter from the constructor on."""
        return frozenset(name for name, made in self._made.items() if made in _PARAMETER)

    def overwritten(self) -> Iterator[tuple[str, ast.Assign]]:
        """Yield each Parameter with the assignment of a method of this class that puts a tensor in
        its place.
        """
        for method in self.cls.methods.values():
            for node in own_nodes(method) if method.name != "__init__" else ():
                self._steps = 0
                if isinstance(node, ast.Assign) and self.is_tensor(node.value):
                    names = (
                        target.attr
                        for target in node.targets
                        if isinstance(target, ast.Attribute) and self._is_parameter(target)
                    )
                    yield from ((name, node) for name in names)

    def is_tensor(self, value: ast.expr) -> bool:
        """Whether a value is certainly a tensor and no Parameter."""
        self._steps += 1
        if self._steps > _MAX_STEPS:
            return False
        match value:
            case ast.Name():
                return self._is_tensor_variable(value)
            case ast.BinOp(left=left, right=right):
                return self._takes_part(left) or self._takes_part(right)
            case ast.UnaryOp(operand=part, op=ast.USub()):
                return self._takes_part(part)
            case ast.Call():
                return self._is_tensor_call(value)
            case _:
                return False

    def _is_tensor_call(self, call: ast.Call) -> bool:
        if target := self.code.target(self.file, call):
            owner = target.file.class_of.get(target.function)
            if owner is None or target.function.name == "__init__" or self.depth >= _MAX_CALLS:
                return False
            return TensorValues(self.code, (target.file, owner), self.depth + 1)._gives_tensors(
                target.function
            )
        function = call.func
        if self.file.resolve(function) in TENSOR_MAKERS:
            return True
        if not isinstance(function, ast.Attribute):
            return False
        if _is_own(function):
            return self._made.get(function.attr) in TENSOR_MODULES
        return function.attr in _SAME_KIND and self._takes_part(function.value)

    def _gives_tensors(self, function: Function) -> bool:
        returned = [node.value for node in own_nodes(function) if isinstance(node, ast.Return)]
        return bool(returned) and all(
            value is not None and self.is_tensor(value) for value in returned
        )

    def _takes_part(self, node: ast.expr) -> bool:
        """Whether an operand is a tensor or a Parameter, which makes the result a tensor."""
        return self._is_parameter(node) or self.is_tensor(node)

    def _is_parameter(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Attribute) and _is_own(node) and node.attr in self.parameters

    def _is_tensor_variable(self, name: ast.Name) -> bool:
        bound = self.file.bindings(name)
        values = [self.file.parents.get(binding) for binding in bound]
        return bool(values) and all(
            isinstance(assigned, ast.Assign)
            and len(assigned.targets) == 1
            and self.is_tensor(assigned.value)
            for assigned in values
        )


def _is_own(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"
