"""Where the value of a name or call in the submission comes from, and which text it is."""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reviewers.facts.local_code import LocalCode
from reviewers.facts.python_file import Function, PythonFile
from reviewers.facts.python_nodes import given_for, own_nodes
from reviewers.steps import spend

_DEEPEST = 12


@dataclass(frozen=True, slots=True)
class Placed:
    """An expression with the file that it is in."""

    file: PythonFile
    node: ast.expr


class Origins:
    """Answers for one submission.

    Args:
        python: its Python files by path.
        code: which functions its calls mean.
    """

    def __init__(self, python: Mapping[str, PythonFile], code: LocalCode) -> None:
        self._python = python
        self._code = code

    def values(self, file: PythonFile, name: ast.Name) -> list[Placed]:
        """What a name stands for where it is used: its last value before, or what all callers give;
        empty if that is not known.
        """
        bound = file.bindings(name)
        if len(bound) == 1 and isinstance(bound[0], ast.arg):
            return self.passed(file, bound[0])
        store = last_store(file, name)
        around = file.parents.get(store) if store is not None else None
        match around:
            case ast.Assign(value=value):
                return [Placed(file, value)]
            case ast.AnnAssign(value=ast.expr() as value):
                return [Placed(file, value)]
            case ast.For(target=target, iter=over) | ast.comprehension(target=target, iter=over):
                return [Placed(file, over)] if target is store else []
            case ast.Tuple(elts=parts):
                outer = file.parents.get(around)
                at = next(number for number, part in enumerate(parts) if part is store)
                match outer.iter if isinstance(outer, (ast.For, ast.comprehension)) else None:
                    case ast.Call(func=ast.Name(id="zip"), args=items) if at < len(items):
                        return [Placed(file, items[at])]
                    case ast.Call(func=ast.Name(id="enumerate"), args=[item, *_]) if at == 1:
                        return [Placed(file, item)]
        return []

    def passed(self, file: PythonFile, argument: ast.arg) -> list[Placed]:
        """What every call of a function gives for a parameter."""
        function = file.parents.get(file.parents[argument])
        if not isinstance(function, Function):
            return []
        found: list[Placed] = []
        for where, call, bound in self._code.sites.get(function, ()):
            given = given_for(call.node, function, argument, bound=bound)
            if given is None:
                return []
            found.append(Placed(where, given))
        return found

    def returned(self, file: PythonFile, call: ast.Call) -> list[Placed]:
        """What the function that a call reaches returns."""
        target = self._code.target(file, call)
        if target is None or target.function.name == "__init__":
            return []
        return [
            Placed(target.file, part.value)
            for part in own_nodes(target.function)
            if isinstance(part, ast.Return) and part.value is not None
        ]


@dataclass(frozen=True, slots=True)
class Texts:
    """Answers which text an expression stands for.

    Attributes:
        longest: characters of a text; what is beyond them is left out.
        hole: what stands for each part that is not known.
        special: the text of what only those who ask know to be one, given the expression and what
            reads its parts; None for all else.
    """

    origins: Origins
    longest: int
    hole: str
    special: Callable[[Placed, Callable[[ast.expr], str]], str | None]

    def of(self, place: Placed, depth: int = _DEEPEST) -> str:
        """Return the text; where several are possible nothing of it is known."""
        if depth == 0:
            return self.hole
        spend(10)

        def read(node: ast.expr) -> str:
            return self.of(Placed(place.file, node), depth - 1)

        text = self.special(place, read)
        return (self._plain(place, read, depth) if text is None else text)[: self.longest]

    def _plain(self, place: Placed, read: Callable[[ast.expr], str], depth: int) -> str:
        given: list[Placed] = []
        match place.node:
            case ast.Constant(value=str(value)):
                return value
            case ast.JoinedStr(values=parts):
                return "".join(map(read, parts))
            case ast.FormattedValue(value=inner):
                return read(inner)
            case ast.BinOp(op=ast.Add(), left=left, right=right):
                return read(left) + read(right)
            case ast.Name() as name:
                store = last_store(place.file, name)
                around = place.file.parents.get(store) if store is not None else None
                if store is not None and isinstance(around, ast.AugAssign):
                    is_added = isinstance(around.op, ast.Add)
                    return read(store) + read(around.value) if is_added else self.hole
                given = self.origins.values(place.file, name)
            case ast.Call() as call:
                given = self.origins.returned(place.file, call)
        texts = {self.of(one, depth - 1) for one in given}
        return texts.pop() if len(texts) == 1 else self.hole


def last_store(file: PythonFile, name: ast.Name) -> ast.Name | None:
    """What gave a name its value last before its use; None if that depends on a condition."""
    bound = file.bindings(name)
    if not bound and isinstance(name.ctx, ast.Store) and file.scopes:
        bound = tuple(
            node
            for node in file.of(ast.Name)
            if isinstance(node.ctx, ast.Store)
            and node.id == name.id
            and file.scope_at(node.lineno) == file.scope_at(name.lineno)
        )
    stores = [one for one in bound if isinstance(one, ast.Name)]
    if len(stores) != len(bound):
        return None
    inside = file.scope_at(name.lineno) == file.scope_at(stores[0].lineno) if stores else False
    before = [
        one
        for one in stores
        if not inside
        or one.lineno < name.lineno
        or (one.lineno == name.lineno and isinstance(file.parents.get(one), ast.comprehension))
    ]
    comprehensions = [one for one in stores if isinstance(file.parents.get(one), ast.comprehension)]
    if not (before or comprehensions):
        return None
    last = (before or comprehensions)[-1]
    ways = {id(around) for around in file.ancestors(name)}
    for around in file.ancestors(last):
        if isinstance(around, (ast.If, ast.Try, ast.While)) and id(around) not in ways:
            return None
        if isinstance(around, Function):
            break
    return last
