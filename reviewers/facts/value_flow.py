"""Where the value of given expressions goes within one file: through names, containers, arithmetic
and local functions.
"""

import ast
from collections.abc import Callable, Iterator

from reviewers.facts.python_file import Function, PythonFile
from reviewers.facts.python_nodes import handed_over
from reviewers.steps import fact

_CARRYING = (
    ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr, ast.For, ast.comprehension, ast.Return,
    ast.Call,
)  # fmt: skip
_PASSES = 4  # a value goes through few hands: a name, a list, a mean, a dictionary
# Calls whose result is still the number, or the numbers, that they are given.
_KEEPING = frozenset(
    {
        "DataFrame", "Series", "abs", "array", "asarray", "astype", "clip", "concatenate", "copy",
        "cpu", "detach", "dict", "flatten", "float", "float64", "from_numpy", "hstack", "int",
        "item", "items", "list", "max", "maximum", "mean", "median", "min", "minimum", "nanmean",
        "numpy", "percentile", "ravel", "reshape", "round", "set", "sorted", "sqrt", "squeeze",
        "stack", "std", "sum", "tensor", "to", "tolist", "tuple", "values", "vstack", "zip",
    }
)  # fmt: skip


class ValueFlow:
    """Follows values forward.

    Args:
        file: the file.
        is_source: whether an expression is one whose value is to be followed.
        keyed: whether a value stored under a key, or as one entry of a dictionary, makes the whole
            dictionary carry it.
        whole: follow the value only as it is: not what is computed from it, nor its items, and not
            through a name that is bound again.
    """

    def __init__(
        self,
        file: PythonFile,
        is_source: Callable[[ast.expr], bool],
        *,
        keyed: bool = True,
        whole: bool = False,
    ) -> None:
        self._file = file
        self._is_source = is_source
        self._keyed = keyed
        self._whole = whole
        self._names: dict[tuple[str, str], ast.expr] = {}
        self._returned: dict[str, ast.expr] = {}

    @fact
    def sources(self) -> tuple[ast.expr, ...]:
        """The expressions that are followed."""
        return tuple(node for node in self._file.of(ast.expr) if self._is_source(node))

    def origin(self, node: ast.expr) -> ast.expr | None:
        """The source whose value an expression carries on; None if it carries none."""
        return self._carried(node) if self._learnt else None

    @fact
    def _learnt(self) -> bool:
        if not self.sources:
            return False
        for _ in range(_PASSES):
            before = len(self._names) + len(self._returned)
            for node in self._file.of(*_CARRYING):
                self._learn(node)
            if before == len(self._names) + len(self._returned):
                break
        return True

    def _learn(self, node: ast.AST) -> None:
        match node:
            case ast.Assign():
                for target in node.targets:
                    self._bind(target, node.value)
            case (
                ast.AnnAssign(value=ast.expr() as value)
                | ast.AugAssign(value=value)
                | ast.NamedExpr(value=value)
            ):
                self._bind(node.target, value)
            case (
                ast.For(target=target, iter=iterated)
                | ast.comprehension(target=target, iter=iterated)
            ) if not self._whole:
                self._bind(target, iterated)
            case ast.Return(value=ast.expr() as value) if (
                found := self._carried(value)
            ) is not None:
                self._returned.setdefault(self._file.scope_at(node.lineno), found)
            case ast.Call(
                func=ast.Attribute(value=ast.Name() as owner, attr="append" | "extend" | "add"),
                args=[given, *_],
            ):
                self._bind(owner, given)
            case ast.Call():
                self._pass_on(node)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if (
            isinstance(target, ast.Tuple)
            and isinstance(value, ast.Tuple)
            and len(target.elts) == len(value.elts)
        ):
            for part, given in zip(target.elts, value.elts, strict=True):
                self._bind(part, given)
            return
        if (found := self._carried(value)) is not None:
            for name in self._bound(target):
                self._names.setdefault((self._file.scope_at(name.lineno), name.id), found)

    def _bound(self, target: ast.expr) -> Iterator[ast.Name]:
        while isinstance(target, (ast.Subscript, ast.Starred)) and (
            self._keyed or isinstance(target, ast.Starred)
        ):
            target = target.value
        if isinstance(target, ast.Name):
            yield target
        elif isinstance(target, (ast.Tuple, ast.List)):
            for part in target.elts:
                yield from self._bound(part)

    def _pass_on(self, call: ast.Call) -> None:
        name = self._file.resolve(call.func) or ""
        function = self._file.functions.get(name)
        if function is None:
            return
        for parameter, value in handed_over(call, function):
            if (found := self._carried(value)) is not None:
                self._names.setdefault((name, parameter), found)

    def _carried(self, node: ast.expr) -> ast.expr | None:
        if self._is_source(node):
            return node
        if isinstance(node, ast.Name):
            scopes = self._file.scopes
            if self._whole and scopes is not None and len(scopes.bindings(node)) > 1:
                return None
            scope: str | None = self._file.scope_at(node.lineno)
            while scope is not None:
                if (found := self._names.get((scope, node.id))) is not None:
                    return found
                scope = scope.rpartition(".")[0] if scope else None
            return None
        return next(
            (found for part in self._parts(node) if (found := self._carried(part)) is not None),
            None,
        )

    def _parts(self, node: ast.expr) -> list[ast.expr]:
        """The parts whose value goes into that of the whole; a condition or an index does not."""
        if self._whole and not isinstance(node, (ast.Dict, ast.IfExp, ast.Call)):
            return []
        match node:
            case ast.BinOp():
                return [node.left, node.right]
            case ast.UnaryOp():
                return [node.operand]
            case ast.BoolOp():
                return node.values
            case ast.IfExp():
                return [node.body, node.orelse]
            case ast.List() | ast.Tuple() | ast.Set():
                return node.elts
            case ast.Dict():
                return node.values if self._keyed else []
            case ast.Subscript() | ast.Starred() | ast.Attribute():
                return [node.value]
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
                return [node.elt]
            case ast.DictComp():
                return [node.value] if self._keyed else []
            case ast.Call():
                return self._given(node)
        return []

    def _given(self, call: ast.Call) -> list[ast.expr]:
        name = self._file.resolve(call.func)
        if name in self._returned:
            return [self._returned[name]]
        last = (
            call.func.attr
            if isinstance(call.func, ast.Attribute)
            else (name or "").rpartition(".")[2]
        )
        if (
            self._whole
            or last not in _KEEPING
            or isinstance(self._file.functions.get(name or ""), Function)
        ):
            return []
        return [*call.args, *([call.func.value] if isinstance(call.func, ast.Attribute) else [])]
