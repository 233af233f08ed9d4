"""The values that certainly carry no gradient, followed through the submission's own functions."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from reviewers.facts.local_code import LocalCode
from reviewers.facts.python_file import Function, PythonFile
from reviewers.facts.python_nodes import (
    given_for,
    is_spread,
    last_name,
    own_nodes,
    positional,
    walk,
)
from reviewers.facts.torch_names import SHAPE_METHODS
from reviewers.records import Span
from reviewers.steps import fact

_OFF = frozenset({"torch.no_grad", "torch.inference_mode"})
_ON = frozenset({"torch.enable_grad", "torch.set_grad_enabled"})
_CUTS = frozenset({"detach", "item", "tolist", "numpy", "argmax"})
# Functions that make a new tensor of the numbers in others.
_COPIES = frozenset({"torch.tensor", "torch.from_numpy"})
# Python's own, which give numbers, and those that give what they are given.
_NUMBERS = frozenset({"int", "float", "bool", "len", "range"})
_OF_THEIR_ARGUMENTS = frozenset({"max", "min", "sum", "abs"})
# Calls that may hand out a tensor made elsewhere, with its gradient.
_HANDS_OUT = frozenset(
    {
        "get", "pop", "requires_grad_", "parameters", "named_parameters", "items", "values", "next",
        "getattr",
    }
)  # fmt: skip
_OF_NO_VALUE = frozenset({"dtype", "device", "dim", "reduction"})  # keywords
_SETTINGS = frozenset({"cfg", "config", "conf", "args", "hparams"})
_WRAPPERS = frozenset(
    {"enumerate", "tqdm", "tqdm.tqdm", "tqdm.auto.tqdm", "iter", "itertools.islice"}
)
_READING = frozenset({*_OF_THEIR_ARGUMENTS, *_NUMBERS, "print", "sorted"})
_THAWING_NOTHING = frozenset(
    {"train", "eval", "parameters", "to", "cuda", "zero_grad", "state_dict", "requires_grad_"}
)
_MAX_STEPS = 2000
_MOST_BACKWARDS = 50
_MOST_CALLERS = 3


@dataclass(frozen=True, slots=True)
class DeadBackward:
    """A `backward()` on a value that carries no gradient.

    Attributes:
        shown: the value as the code has it.
        cause: the function or block that cut the gradient, with its line.
        place: that line, or the lines from a decorator to its function.
        callers: the same of what calls that function and switches gradients off as well.
    """

    file: PythonFile
    call: ast.Call
    scope: str
    shown: str
    cause: str
    place: Span
    callers: tuple[Span, ...]


def dead_backwards(code: LocalCode) -> Iterator[DeadBackward]:
    """Yield the calls of `backward` that certainly end in RuntimeError."""
    around = Surroundings(code)
    for file in code.python.values():
        backwards = (call for call in file.calls if _differentiated(file, call.node) is not None)
        for call in islice(backwards, _MOST_BACKWARDS):
            value = _differentiated(file, call.node)
            if value is None:
                continue
            follower = _Follower(around)
            if follower.carries_none(file, value) and follower.place is not None:
                yield DeadBackward(
                    file,
                    call.node,
                    call.scope,
                    ast.unparse(value)[:60],
                    follower.cause,
                    follower.place,
                    tuple(follower.callers()),
                )


def carries_no_gradient(code: LocalCode, file: PythonFile, value: ast.expr) -> bool:
    """Whether an expression's value certainly carries no gradient."""
    return _Follower(Surroundings(code)).carries_none(file, value)


def _differentiated(file: PythonFile, call: ast.Call) -> ast.expr | None:
    """The value of which a call asks for gradients."""
    match call:
        case ast.Call(func=ast.Attribute(attr="grad"), args=[value, *_]) if (
            file.resolve(call.func) == "torch.autograd.grad"
        ):
            return value
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=name), attr="backward"), args=[value]
        ) if "accelerator" in name:
            return value
        case ast.Call(func=ast.Attribute(value=value, attr="backward"), args=[]):
            return value
        case _:
            return None


class Surroundings:
    """What the walks through one submission share."""

    def __init__(self, code: LocalCode) -> None:
        self.code = code

    @fact
    def asking(self) -> Mapping[str, frozenset[str]]:
        """The variables of each file that ask for a gradient themselves."""
        return {path: _asking(file) for path, file in self.code.python.items()}

    @fact
    def called_off(self) -> frozenset[str]:
        """The last names of all that is called under `torch.no_grad()`, there or in a function that
        is called there.
        """
        found: set[str] = set()
        waiting = [node for file in self.code.python.values() for node in _switching_off(file)]
        functions = {
            name.rpartition(".")[2]: node
            for file in self.code.python.values()
            for name, node in file.functions.items()
        }
        while waiting:
            for node in walk(waiting.pop()):
                name = last_name(node.func) if isinstance(node, ast.Call) else ""
                if name and name not in found:
                    found.add(name)
                    waiting += [functions[name]] if name in functions else []
        return frozenset(found)

    def mentions(self, name: str) -> int:
        """How often a name is read, or is in a text or comment; not where it is defined or
        imported.
        """
        files = self.code.python.values()
        words = sum(len(re.findall(rf"\b{re.escape(name)}\b", file.text)) for file in files)
        named = sum(item.name == name for file in files for item in file.imports)
        return (
            words
            - named
            - sum(known.rpartition(".")[2] == name for file in files for known in file.functions)
        )


def _switching_off(file: PythonFile) -> Iterator[ast.AST]:
    """The blocks and functions of a file that run under `torch.no_grad()`."""
    if "no_grad" not in file.text and "inference_mode" not in file.text:
        return
    for node in file.of(ast.With, ast.FunctionDef, ast.AsyncFunctionDef):
        match node:
            case ast.With(items=items) if any(
                isinstance(item.context_expr, ast.Call)
                and file.resolve(item.context_expr.func) in _OFF
                for item in items
            ):
                yield node
            case ast.FunctionDef() | ast.AsyncFunctionDef() if _resolved(file, node) & _OFF:
                yield node


class _Follower:
    """One walk back from a value to all that it is made of."""

    def __init__(self, around: "Surroundings") -> None:
        self.code = around.code
        self.around = around
        self.cause = ""
        self.place: Span | None = None
        self._off: Function | None = None
        self._seen: set[ast.AST] = set()
        self._steps = 0

    def callers(self) -> Iterator[Span]:
        """What else switches gradients off around the function that does, from call to call."""
        function, seen = self._off, {self._off}
        while function is not None:
            sites = self.around.code.sites.get(function, [])
            function = None
            for file, call, _ in sites:
                caller = _Follower(self.around)
                if caller._is_off(file, call.node) and caller.place and caller._off not in seen:
                    yield caller.place
                    function = caller._off
                    seen.add(function)

    def carries_none(self, file: PythonFile, node: ast.expr) -> bool:
        """Whether a value is certainly no part of a graph; False if that is open."""
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
            case ast.Subscript(value=ast.Name() as held, slice=ast.Constant(value=str() as key)):
                bound = file.bindings(held)
                first = bound[0] if len(bound) == 1 else None
                return (isinstance(first, ast.Name) and self._held(file, first, key)) or self._name(
                    file, held
                )
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
        bound = file.bindings(name)
        return bool(bound) and all(self._binding(file, binding) for binding in bound)

    def _binding(self, file: PythonFile, binding: ast.AST) -> bool:
        if binding in self._seen:
            return True  # a loop through itself adds nothing
        self._seen.add(binding)
        if isinstance(binding, ast.arg):
            return self._argument(file, binding)
        if not isinstance(binding, ast.Name) or binding.id in self.around.asking[file.path]:
            return False
        statement = file.parents.get(binding)
        if isinstance(statement, ast.Tuple):
            statement = file.parents.get(statement)
        if isinstance(statement, ast.For):
            return self._is_loader(file, statement.iter)
        if (
            not isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign))
            or statement.value is None
        ):
            return False
        if isinstance(binding, ast.Name) and isinstance(statement.value, ast.List):
            return self._held(file, binding)
        made = _made_by(statement.value)
        if (
            isinstance(made, (ast.Call, ast.BinOp))
            and not _hands_out(made)
            and self._is_off(file, statement)
        ):
            return True
        return self.carries_none(file, statement.value)

    def _held(self, file: PythonFile, name: ast.Name, key: str | None = None) -> bool:
        """Whether all that is put into a list, or under a key of a dict, carries no gradient; False
        where anything but the function around may put something there.
        """
        made = file.parents.get(name)
        around = next((one for one in file.ancestors(name) if isinstance(one, Function)), None)
        if not isinstance(made, ast.Assign | ast.AnnAssign) or file.tree is None:
            return False
        kept: list[ast.expr] = []
        match made.value:
            case ast.List(elts=parts) if key is None:
                kept += parts
            case ast.Dict(keys=keys, values=values) if key is not None:
                for one, value in zip(keys, values, strict=True):
                    if not isinstance(one, ast.Constant):
                        return False
                    kept += [value] if one.value == key else []
            case _:
                return False
        for use in walk(around or file.tree):
            if isinstance(use, ast.Name) and use.id == name.id and use is not name:
                put = _put_into(file, use, key)
                if put is None:
                    return False
                kept += put
        return bool(kept) and self._all(file, *kept)

    def _argument(self, file: PythonFile, argument: ast.arg) -> bool:
        """Whether every call gives a parameter a value without gradient; with no call in sight that
        is open.
        """
        function = file.parents[file.parents[argument]]
        if not isinstance(function, Function):
            return False
        filled = positional(function)
        sites = self.around.code.sites.get(function, [])
        for where, call, bound in sites:
            if (bound and filled[0] is argument) or is_spread(call.node):
                return False
            if len(call.node.args) > len(filled) - bound and function.args.vararg is None:
                continue  # a TypeError: no value comes this way
            given = given_for(call.node, function, argument, bound=bound)
            if given is not None and not self.carries_none(where, given):
                return False
        return bool(sites)

    def _is_loader(self, file: PythonFile, node: ast.expr) -> bool:
        """Whether a loop runs over batches of data, which carry no gradient."""
        if isinstance(node, ast.Call):
            return (
                file.resolve(node.func) in _WRAPPERS
                and bool(node.args)
                and self._is_loader(file, node.args[0])
            )
        if isinstance(node, ast.Name) and "loader" in node.id:
            return True
        made = file.only_value(node)
        return isinstance(made, ast.Call) and self._is_loader(file, made)

    def _call(self, file: PythonFile, node: ast.Call) -> bool:
        if any(keyword.arg == "requires_grad" for keyword in node.keywords) or _hands_out(node):
            return False
        named = (word.value for word in node.keywords if word.arg not in _OF_NO_VALUE)
        given = [*node.args, *named]
        if isinstance(node.func, ast.Attribute) and node.func.attr in _CUTS:
            self._note_call(file, node, f"`.{node.func.attr}()`")
            return True
        frozen = _frozen_before(file, node)
        if frozen is not None:
            return self._all(file, *given) and self._note_frozen(file, frozen)
        name = file.resolve(node.func) or ""
        if name in _COPIES:
            self._note_call(file, node, f"`{ast.unparse(node.func)}`")
            return True
        target = self.code.target(file, node)
        if target is not None:
            return self._function(target.file, target.function)
        return name in _NUMBERS or self._outside(file, node, name, given)

    def _outside(self, file: PythonFile, node: ast.Call, name: str, given: list[ast.expr]) -> bool:
        """The same of a call that leaves the submission."""
        if name in _OF_THEIR_ARGUMENTS:
            return bool(given) and self._all(file, *given)
        if name.startswith("torch.") and not name.startswith(
            ("torch.nn.Parameter", "torch.autograd")
        ):
            return bool(given) and self._all(file, *given)
        if isinstance(node.func, ast.Attribute):
            if node.func.attr == "scale" and len(given) == 1:
                return self.carries_none(file, given[0])
            return self.carries_none(file, node.func.value) and (
                node.func.attr in SHAPE_METHODS or self._all(file, *given)
            )
        return False

    def _function(self, file: PythonFile, function: Function) -> bool:
        decorators = _resolved(file, function)
        returned = [node.value for node in own_nodes(function) if isinstance(node, ast.Return)]
        if not returned or any(
            isinstance(node, (ast.Yield, ast.YieldFrom)) for node in own_nodes(function)
        ):
            return False
        if decorators & _OFF and not any(
            value is None or isinstance(value, ast.Attribute) for value in returned
        ):
            self._note(file, function)
            return True
        if function in self._seen:
            return True
        self._seen.add(function)
        return all(value is not None and self.carries_none(file, value) for value in returned)

    def _note(self, file: PythonFile, around: Function | ast.With) -> None:
        """Keep the first place that cuts a gradient."""
        if self.place is not None:
            return
        if isinstance(around, ast.With):
            self.cause = f"it is computed under no_grad ({file.path}:{around.lineno})"
            self.place = Span(file.path, around.lineno)
        else:
            self.cause = f"`{around.name}` runs under no_grad ({file.path}:{around.lineno})"
            first = min([around.lineno, *(node.lineno for node in around.decorator_list)])
            self.place = Span(file.path, first, around.lineno)
            self._off = around

    def _note_call(self, file: PythonFile, call: ast.Call, shown: str) -> None:
        if self.place is None:
            self.cause = f"{shown} takes the numbers alone ({file.path}:{call.lineno})"
            self.place = Span(file.path, call.lineno)

    def _note_frozen(self, file: PythonFile, frozen: ast.stmt) -> bool:
        if self.place is None:
            self.place = Span(file.path, frozen.lineno, frozen.end_lineno)
            self.cause = f"the model is frozen as a whole ({self.place})"
        return True

    def _is_off(self, file: PythonFile, statement: ast.AST, depth: int = 0) -> bool:
        """Whether a statement certainly runs under `torch.no_grad()`: in its own function, or in
        all that call that one.
        """
        for around in file.ancestors(statement):
            if isinstance(around, ast.Lambda):
                return False
            if isinstance(around, ast.With):
                names = {
                    file.resolve(item.context_expr.func)
                    for item in around.items
                    if isinstance(item.context_expr, ast.Call)
                }
                if names & _ON:
                    return False
                if names & _OFF:
                    self._note(file, around)
                    return True
            if isinstance(around, Function):
                if _resolved(file, around) & _ON:
                    return False
                if _resolved(file, around) & _OFF:
                    self._note(file, around)
                    return True
                if depth >= _MOST_CALLERS or around.name not in self.around.called_off:
                    return False
                sites = self.around.code.sites.get(around, [])
                if not sites or self.around.mentions(around.name) != len(sites):
                    return False  # something may call it that is not in sight
                noted = self.cause, self.place, self._off
                if all(self._is_off(where, call.node, depth + 1) for where, call, _ in sites):
                    return True
                self.cause, self.place, self._off = noted
                return False
        return False


def switched_off(file: PythonFile, node: ast.AST) -> bool:
    """Whether gradients are off in a block or function around a node."""
    off = set(_switching_off(file))
    return any(around in off for around in file.ancestors(node))


def _resolved(file: PythonFile, function: Function) -> set[str | None]:
    """The decorators of a function."""
    return {
        file.resolve(node.func if isinstance(node, ast.Call) else node)
        for node in function.decorator_list
    }


def _put_into(file: PythonFile, use: ast.Name, key: str | None) -> list[ast.expr] | None:
    """What a mention of a list or dict puts into it, under a key where one is given; None if that
    is not known.
    """
    parent = file.parents.get(use)
    above = file.parents.get(parent) if parent is not None else None
    match parent, above:
        case ast.Attribute(attr="append"), ast.Call(args=[item]) if key is None:
            return [item]
        case ast.Subscript(ctx=ast.Load()), _:
            return []
        case ast.Subscript(slice=ast.Constant(value=at), ctx=ast.Store()), ast.Assign(value=value):
            return [value] if key is None or at == key else []
        case ast.Call(func=called), _ if use is not called:
            name = file.resolve(called) or ""
            is_read = name in _READING or name.startswith(("torch.", "numpy."))
            return [] if is_read else None
        case ((ast.For() | ast.comprehension() | ast.Return() | ast.FormattedValue()), _):
            return []
    return None


def freezes(statement: ast.stmt, owner: str) -> bool:
    """Whether a statement freezes all parameters of a model."""
    match statement:
        case ast.For(
            target=ast.Name(id=one),
            iter=ast.Call(
                func=ast.Attribute(value=ast.Name(id=model), attr="parameters"),
                args=[],
                keywords=[],
            ),
            body=[
                ast.Assign(
                    targets=[ast.Attribute(value=ast.Name(id=frozen), attr="requires_grad")],
                    value=ast.Constant(value=False),
                )
            ],
        ):
            return model == owner and frozen == one
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id=model), attr="requires_grad_"),
                args=[ast.Constant(value=False)],
                keywords=[],
            )
        ):
            return model == owner
        case _:
            return False


def _frozen_before(file: PythonFile, call: ast.Call) -> ast.stmt | None:
    """The statement of the same function that froze all of a model before a call of it, where
    nothing in sight thaws any of it.
    """
    if "requires_grad" not in file.text or not isinstance(call.func, ast.Name):
        return None
    owner = call.func.id
    function = next((one for one in file.ancestors(call) if isinstance(one, Function)), None)
    body = function.body if function is not None else []
    first = next((one for one in body if freezes(one, owner)), None)
    if function is None or first is None or first.lineno > call.lineno:
        return None
    for node in walk(function):
        parent = file.parents.get(node)
        if isinstance(node, ast.Attribute) and node.attr.startswith("requires_grad"):
            if not any(around is first for around in file.ancestors(node)):
                return None
        elif isinstance(node, ast.Name) and node.id == owner and node.lineno > first.lineno:
            is_called = isinstance(parent, ast.Call) and parent.func is node
            is_plain = isinstance(parent, ast.Attribute) and parent.attr in _THAWING_NOTHING
            if not is_called and not is_plain:
                return None
    return first


def _asking(file: PythonFile) -> frozenset[str]:
    """The variables of a file that ask for a gradient themselves."""
    return frozenset(
        node.value.id
        for node in file.of(ast.Attribute)
        if node.attr in ("requires_grad", "requires_grad_", "retain_grad", "grad_fn")
        and isinstance(node.value, ast.Name)
    )


def _made_by(node: ast.expr) -> ast.expr:
    """What makes a value of which a part is taken."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node


def _hands_out(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) in _HANDS_OUT
