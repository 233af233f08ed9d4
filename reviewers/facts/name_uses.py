"""Where a file binds each name and changes its value in place, by scope."""

import ast
from collections.abc import Mapping

from reviewers.facts.python_file import PythonFile
from reviewers.steps import fact

_CHANGING = frozenset(
    {"append", "clear", "extend", "fill", "insert", "pop", "remove", "reverse", "sort"}
)


class NameUses:
    """Answers for one file; read once, whatever the number of questions."""

    def __init__(self, file: PythonFile) -> None:
        self.file = file

    def stores(self, name: str, scope: str) -> tuple[ast.Name, ...]:
        """Every place in a scope where the name gets a value, in the order of the text."""
        return tuple(self._read[0].get((scope, name), ()))

    def is_filled(self, name: str, scope: str) -> bool:
        """Whether code of the scope changes the value in place."""
        return (scope, name) in self._read[1]

    def only_value(self, name: str, scope: str) -> ast.expr | None:
        """What a name stands for where the scope binds it once, by a plain assignment, and nothing
        changes it.
        """
        stores = self.stores(name, scope)
        statement = (
            self.file.parents.get(stores[0])
            if len(stores) == 1 and not self.is_filled(name, scope)
            else None
        )
        return statement.value if isinstance(statement, ast.Assign) else None

    @fact
    def _read(self) -> tuple[Mapping[tuple[str, str], list[ast.Name]], set[tuple[str, str]]]:
        stores: dict[tuple[str, str], list[ast.Name]] = {}
        filled: set[tuple[str, str]] = set()
        for node in self.file.of(ast.Name, ast.Call, ast.Subscript, ast.AugAssign):
            match node:
                case ast.Name(id=name, ctx=ast.Store()):
                    stores.setdefault((self.file.scope_at(node.lineno), name), []).append(node)
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if (
                    method in _CHANGING
                ):
                    filled.add((self.file.scope_at(node.lineno), name))
                case (
                    ast.Subscript(ctx=ast.Store(), value=ast.Name(id=name))
                    | ast.AugAssign(target=ast.Name(id=name))
                ):
                    filled.add((self.file.scope_at(node.lineno), name))
        return stores, filled
