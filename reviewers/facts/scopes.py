"""The definition that a name refers to, by Python's scoping rules."""

import ast
from collections.abc import Iterable

from reviewers.facts.python_nodes import Function, children

Binding = ast.AST
"""What gives a name its value: a definition, an `ast.alias`, an `ast.arg`, a stored `ast.Name`, or
a handler or pattern.
"""

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_NAMING = frozenset({ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping})
# What `Scopes` treats apart; nearly all other nodes only hold some.
_SCOPED = frozenset({
    *_COMPREHENSIONS,
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef),
    *(ast.Name, ast.NamedExpr, ast.Import, ast.ImportFrom),
})  # fmt: skip


class NameScope:
    """One scope with what each of its names is bound to, in the order of the text."""

    def __init__(self, node: ast.AST, parent: "NameScope | None") -> None:
        self.node = node
        self.parent = parent
        self.bindings: dict[str, list[Binding]] = {}
        self.elsewhere: dict[str, type[ast.Global] | type[ast.Nonlocal]] = {}
        self.set_from_inside: set[str] = set()

    def bind(self, name: str, binding: Binding) -> None:
        """Bind a name here, or where a `global` or `nonlocal` statement says."""
        scope: NameScope | None = self
        if self.elsewhere.get(name) is ast.Global:
            while scope is not None and scope.parent is not None:
                scope = scope.parent
        elif self.elsewhere.get(name) is ast.Nonlocal:
            scope = self.parent
        home = scope or self
        home.bindings.setdefault(name, []).append(binding)
        if home is not self:
            home.set_from_inside.add(name)


class Scopes:
    """The scopes of one file.

    Args:
        tree: a tree shallow enough to be walked recursively.

    Attributes:
        uses: each name that is read, with the scope in which it stands.
    """

    def __init__(self, tree: ast.Module) -> None:
        self.module = NameScope(tree, None)
        self.uses: dict[ast.Name, NameScope] = {}
        self._found: dict[ast.Name, tuple[tuple[Binding, ...], bool]] = {}
        self._body(tree.body, self.module)
        self._lasting = {part for node in tree.body for part in _bound_by(node)}

    def bindings(self, name: ast.Name) -> tuple[Binding, ...]:
        """All that may give a name its value, in the innermost scope that binds it; empty for
        builtins and unknown names.
        """
        return self.seen_from(name)[0]

    def seen_from(self, name: ast.Name) -> tuple[tuple[Binding, ...], bool]:
        """What `bindings` gives, and whether the use is in a function inside that scope, which
        is called later.
        """
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = self._sought(name)
        return found

    def _sought(self, name: ast.Name) -> tuple[tuple[Binding, ...], bool]:
        scope: NameScope | None = self.uses.get(name)
        innermost, is_later = True, False
        while scope is not None:
            hidden = isinstance(scope.node, ast.ClassDef) and not innermost
            if not hidden and name.id in scope.bindings and scope.elsewhere.get(name.id) is None:
                return tuple(scope.bindings[name.id]), is_later
            innermost = innermost and isinstance(scope.node, _COMPREHENSIONS)
            is_later = is_later or isinstance(scope.node, (Function, ast.Lambda))
            scope = scope.parent
        return (), False

    def meant(self, name: ast.Name) -> tuple[Binding, ...]:
        """What may give a name its value at the place where it is used.

        Inside a function that is what the module's own last statement on it says, unless that
        depends on a condition: the module has been run before.
        """
        bound = self.bindings(name)
        if len(bound) < 2 or bound[-1] not in self._lasting:
            return bound
        scope = self.uses.get(name)
        while scope is not None and not isinstance(scope.node, (Function, ast.Lambda)):
            scope = scope.parent
        return bound if scope is None or name.id in self.module.set_from_inside else bound[-1:]

    def _body(self, nodes: list[ast.stmt], scope: NameScope) -> None:
        for node in nodes:
            self._note_elsewhere(node, scope)
        for node in nodes:
            self._visit(node, scope)

    def _note_elsewhere(self, node: ast.AST, scope: NameScope) -> None:
        """A `global` statement counts for its whole function, whichever block it is in."""
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            scope.elsewhere.update(dict.fromkeys(node.names, type(node)))
        elif not isinstance(node, (Function, ast.ClassDef, ast.expr)):
            for child in children(node):
                self._note_elsewhere(child, scope)

    def _visit(self, node: ast.AST, scope: NameScope) -> None:
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                scope.bind(name, node)
            case ast.Name():
                self.uses[node] = scope
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                self._function(node, scope)
            case ast.ClassDef(name=name, body=body):
                scope.bind(name, node)
                self._all([*node.decorator_list, *node.bases, *node.keywords], scope)
                self._body(body, NameScope(node, scope))
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                self._comprehension(node, scope)
            case ast.NamedExpr(target=target, value=value):
                self._visit(value, scope)
                outer = scope
                while isinstance(outer.node, _COMPREHENSIONS) and outer.parent is not None:
                    outer = outer.parent
                outer.bind(target.id, target)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                for alias in names:
                    bound = alias.asname or (
                        alias.name.partition(".")[0] if isinstance(node, ast.Import) else alias.name
                    )
                    scope.bind(bound, alias)
            case _:
                self._other(node, scope)

    def _other(self, node: ast.AST, scope: NameScope) -> None:
        for name in _other_names(node):
            scope.bind(name, node)
        self._all(children(node), scope)

    def _all(self, nodes: Iterable[ast.AST], scope: NameScope) -> None:
        for node in nodes:
            visit = self._visit if type(node) in _SCOPED else self._other
            visit(node, scope)

    def _function(self, node: Function | ast.Lambda, scope: NameScope) -> None:
        given = node.args
        arguments = [
            *given.posonlyargs,
            *given.args,
            *given.kwonlyargs,
            *filter(None, (given.vararg, given.kwarg)),
        ]
        outside: list[ast.AST] = [
            *given.defaults,
            *(value for value in given.kw_defaults if value is not None),
        ]
        inner = NameScope(node, scope)
        if not isinstance(node, ast.Lambda):
            scope.bind(node.name, node)
            outside += [
                *node.decorator_list,
                *filter(None, (node.returns, *(argument.annotation for argument in arguments))),
            ]
        self._all(outside, scope)
        for argument in arguments:
            inner.bind(argument.arg, argument)
        if isinstance(node, ast.Lambda):
            self._visit(node.body, inner)
        else:
            self._body(node.body, inner)

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, scope: NameScope
    ) -> None:
        inner = NameScope(node, scope)
        for number, part in enumerate(node.generators):
            self._visit(part.iter, inner if number else scope)
            self._visit(part.target, inner)
            self._all([*part.ifs], inner)
        self._all([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt], inner)


def _bound_by(node: ast.stmt) -> list[ast.AST]:
    """What a statement binds whatever happens."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [node]
        case ast.Import() | ast.ImportFrom():
            return [*node.names]
        case ast.Assign(targets=targets):
            return [*targets]
        case ast.AnnAssign(value=ast.expr(), target=target):
            return [target]
    return []


def _other_names(node: ast.AST) -> list[str]:
    """The names that handlers and patterns bind, which are no `ast.Name`."""
    if type(node) not in _NAMING:
        return []
    match node:
        case (
            ast.ExceptHandler(name=str(name))
            | ast.MatchAs(name=str(name))
            | ast.MatchStar(name=str(name))
        ):
            return [name]
        case ast.MatchMapping(rest=str(name)):
            return [name]
        case _:
            return []
