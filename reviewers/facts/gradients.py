"""Which values certainly carry no gradient, followed through the submission's own functions."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from reviewers.facts.local_code import LocalCode
from reviewers.facts.python_file import Function, PythonFile
from reviewers.facts.python_nodes import own_nodes
from reviewers.facts.torch_names import SHAPE_METHODS

_OFF = frozenset({"torch.no_grad", "torch.inference_mode"})
_ON = frozenset({"torch.enable_grad", "torch.set_grad_enabled"})
_CUTS = frozenset({"detach", "item", "tolist", "numpy", "argmax"})
# Calls that may hand out a tensor made elsewhere, with its gradient.
_HANDS_OUT = frozenset({"get", "pop", "requires_grad_", "parameters", "named_parameters", "items", "values", "next", "getattr"})
_SETTINGS = frozenset({"cfg", "config", "conf", "args", "hparams"})
_WRAPPERS = frozenset({"enumerate", "tqdm", "tqdm.tqdm", "tqdm.auto.tqdm", "iter", "itertools.islice"})
_MAX_STEPS = 2000
_MOST_BACKWARDS = 50


@dataclass(frozen=True, slots=True)
class DeadBackward:
    """A `backward()` on a value that carries no gradient.

    Attributes:
        shown: the value as the code has it.
        cause: the function or block that cut the gradient, with its line.
    """

    file: PythonFile
    call: ast.Call
    scope: str
    shown: str
    cause: str


def dead_backwards(code: LocalCode) -> Iterator[DeadBackward]:
    """Yield the calls of `backward` that certainly end in RuntimeError."""
    sites = _call_sites(code)
    asking = {path: _asking(file) for path, file in code.python.items()}
    for file in code.python.values():
        backwards = (call for call in file.calls if _differentiated(call.node) is not None)
        for call in islice(backwards, _MOST_BACKWARDS):
            value = _differentiated(call.node)
            if value is None:
                continue
            follower = _Follower(code, sites, asking)
            if follower.carries_none(file, value) and follower.cause:
                yield DeadBackward(file, call.node, call.scope, ast.unparse(value)[:60], follower.cause)


def _differentiated(call: ast.Call) -> ast.expr | None:
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="backward"), args=[value]) if "accelerator" in name:
            return value
        case ast.Call(func=ast.Attribute(value=value, attr="backward"), args=[]):
            return value
        case _:
            return None


Sites = dict[Function, list[tuple[PythonFile, ast.Call, bool]]]


def _call_sites(code: LocalCode) -> Sites:
    """The calls that certainly reach each function, and whether Python fills in its first parameter."""
    found: Sites = {}
    for file in code.python.values():
        for call in file.calls:
            if target := code.target(file, call.node):
                found.setdefault(target.function, []).append((file, call.node, target.bound))
    return found


class _Follower:
    """One walk back from a value to all that it is made of."""

    def __init__(self, code: LocalCode, sites: Sites, asking: Mapping[str, frozenset[str]]) -> None:
        self.code = code
        self.sites = sites
        self.asking = asking
        self.cause = ""
        self._seen: set[ast.AST] = set()
        self._steps = 0

    def carries_none(self, file: PythonFile, node: ast.expr) -> bool:
        """Whether a value is certainly no part of a graph; False where that is open."""
        self._steps += 1
        if self._steps > _MAX_STEPS:
            return False
        match node:
            case ast.Constant():
                return True
            case ast.Name():
                return self._name(file, node)
            case ast.BinOp(left=left, right=right):
                return self._all(file, left, right)
            case ast.IfExp(body=body, orelse=orelse):
                return self._all(file, body, orelse)
            case ast.UnaryOp(operand=part) | ast.Subscript(value=part) | ast.Attribute(value=part):
                return self.carries_none(file, part)
            case ast.Tuple(elts=parts):
                return self._all(file, *parts)
            case ast.Call():
                return self._call(file, node)
            case _:
                return False

    def _all(self, file: PythonFile, *nodes: ast.expr) -> bool:
        return all(self.carries_none(file, node) for node in nodes)

    def _name(self, file: PythonFile, name: ast.Name) -> bool:
        if name.id in _SETTINGS:
            return True
        bound = file.scopes.bindings(name) if file.scopes else ()
        return bool(bound) and all(self._binding(file, binding) for binding in bound)

    def _binding(self, file: PythonFile, binding: ast.AST) -> bool:
        if binding in self._seen:
            return True  # a loop through itself adds nothing
        self._seen.add(binding)
        if isinstance(binding, ast.arg):
            return self._argument(file, binding)
        if not isinstance(binding, ast.Name) or binding.id in self.asking[file.path]:
            return False
        statement = file.parents.get(binding)
        if isinstance(statement, ast.Tuple):
            statement = file.parents.get(statement)
        if isinstance(statement, ast.For):
            return self._is_loader(file, statement.iter)
        if not isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign) or statement.value is None:
            return False
        if (
            isinstance(statement.value, ast.Call | ast.BinOp)
            and not _hands_out(statement.value)
            and self._is_off(file, statement)
        ):
            return True
        return self.carries_none(file, statement.value)

    def _argument(self, file: PythonFile, argument: ast.arg) -> bool:
        """Whether every call gives a parameter a value without gradient; with no call in sight that is open."""
        function = file.parents[file.parents[argument]]
        if not isinstance(function, Function):
            return False
        positional = [*function.args.posonlyargs, *function.args.args]
        sites = self.sites.get(function, [])
        for where, call, bound in sites:
            if bound and positional[0] is argument:
                return False
            if any(isinstance(value, ast.Starred) for value in call.args) or any(word.arg is None for word in call.keywords):
                return False
            given = next((word.value for word in call.keywords if word.arg == argument.arg), None)
            place = positional.index(argument) - bound if argument in positional else -1
            if given is None and 0 <= place < len(call.args):
                given = call.args[place]
            if given is not None and not self.carries_none(where, given):
                return False
        return bool(sites)

    def _is_loader(self, file: PythonFile, node: ast.expr) -> bool:
        """Whether a loop runs over batches of data, which carry no gradient."""
        if isinstance(node, ast.Call):
            return file.resolve(node.func) in _WRAPPERS and bool(node.args) and self._is_loader(file, node.args[0])
        if not isinstance(node, ast.Name) or file.scopes is None:
            return False
        bound = file.scopes.bindings(node)
        assigned = file.parents.get(bound[0]) if len(bound) == 1 else None
        if isinstance(assigned, ast.Assign) and isinstance(assigned.value, ast.Call) and "loader" not in node.id:
            return self._is_loader(file, assigned.value)
        return "loader" in node.id

    def _call(self, file: PythonFile, node: ast.Call) -> bool:
        if any(keyword.arg == "requires_grad" for keyword in node.keywords) or _hands_out(node):
            return False
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        if isinstance(node.func, ast.Attribute) and node.func.attr in _CUTS:
            return True
        target = self.code.target(file, node)
        if target is not None:
            return self._function(target.file, target.function)
        name = file.resolve(node.func) or ""
        if name.startswith("torch.") and not name.startswith(("torch.nn.Parameter", "torch.autograd")):
            return bool(given) and self._all(file, *given)
        if isinstance(node.func, ast.Attribute):
            if node.func.attr == "scale" and len(given) == 1:
                return self.carries_none(file, given[0])
            return self.carries_none(file, node.func.value) and (node.func.attr in SHAPE_METHODS or self._all(file, *given))
        return False

    def _function(self, file: PythonFile, function: Function) -> bool:
        decorators = {file.resolve(node.func if isinstance(node, ast.Call) else node) for node in function.decorator_list}
        returned = [node.value for node in own_nodes(function) if isinstance(node, ast.Return)]
        if not returned or any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own_nodes(function)):
            return False
        if decorators & _OFF and not any(value is None or isinstance(value, ast.Attribute) for value in returned):
            self.cause = self.cause or f"`{function.name}` runs under no_grad ({file.path}:{function.lineno})"
            return True
        if function in self._seen:
            return True
        self._seen.add(function)
        return all(value is not None and self.carries_none(file, value) for value in returned)

    def _is_off(self, file: PythonFile, statement: ast.AST) -> bool:
        """Whether a statement runs under a `with torch.no_grad()` of its own function."""
        for around in file.ancestors(statement):
            if isinstance(around, Function | ast.Lambda):
                return False
            if isinstance(around, ast.With):
                names = {file.resolve(item.context_expr.func) for item in around.items if isinstance(item.context_expr, ast.Call)}
                if names & _ON:
                    return False
                if names & _OFF:
                    self.cause = self.cause or f"it is computed under no_grad ({file.path}:{around.lineno})"
                    return True
        return False


def _asking(file: PythonFile) -> frozenset[str]:
    """The variables of a file that ask for a gradient themselves."""
    return frozenset(
        node.value.id
        for node in file.nodes
        if isinstance(node, ast.Attribute)
        and node.attr in ("requires_grad", "requires_grad_", "retain_grad", "grad_fn")
        and isinstance(node.value, ast.Name)
    )


def _hands_out(node: ast.expr) -> bool:
    func = node.func if isinstance(node, ast.Call) else None
    name = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
    return name in _HANDS_OUT
