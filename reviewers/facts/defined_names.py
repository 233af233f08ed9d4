"""Whether the names of a file certainly have a value where they are used, judged by the lines that
bind them. Nearly all do; then pyflakes, which takes five times as long, is not needed.
"""

import ast
import builtins
from collections.abc import Callable, Iterable, Mapping

from reviewers.facts.python_nodes import everything_within
from reviewers.facts.scopes import Binding, Scopes

_ALWAYS_THERE = frozenset({*dir(builtins), "__file__", "__name__"})
APART = (
    *(ast.arg, ast.FunctionDef, ast.AsyncFunctionDef, ast.AnnAssign, ast.Subscript),
    ast.Delete,
)
"""The kinds of nodes that may be more than the lines of bindings tell."""
_NEVER = 10**9  # a line that no file has
_MOST = 100  # bindings of one name, each of which is looked at for each use of it


def all_are_defined(
    scopes: Scopes,
    parents: Mapping[ast.AST, ast.AST],
    apart: Iterable[ast.AST],
    resolve: Callable[[ast.AST], str | None],
) -> bool:
    """Whether pyflakes would call no name undefined; False if that is not certain.

    Args:
        apart: the nodes of the kinds `APART`.
        resolve: the dotted name of an expression.
    """
    if any(_is_beyond(node, resolve) for node in apart):
        return False
    begun: dict[Binding, int] = {}
    for name in scopes.uses:
        bound, is_later = scopes.seen_from(name)
        if not bound and name.id in _ALWAYS_THERE:
            continue
        if len(bound) > _MOST:
            return False
        for one in bound:
            if one not in begun:
                begun[one] = _begins(one, parents)
        first = min((begun[one] for one in bound), default=-1)
        is_set = first >= 0 and (is_later or first < name.lineno)
        handlers = [one for one in bound if isinstance(one, ast.ExceptHandler)]
        if handlers:  # whose end takes the name away
            is_set = not is_later and any(_is_within(name, one) for one in handlers)
        if not is_set:
            return False
    return True


def _is_beyond(node: ast.AST, resolve: Callable[[ast.AST], str | None]) -> bool:
    """Whether only pyflakes can tell: of what takes a name away, and of types that may be given as
    texts, in which there are names too.
    """
    match node:
        case ast.Delete(targets=targets):
            parts = (part for target in targets for part in everything_within(target))
            return any(isinstance(p, ast.Name) and isinstance(p.ctx, ast.Del) for p in parts)
        case ast.arg(annotation=ast.expr() as said) | ast.AnnAssign(annotation=said):
            pass
        case ast.FunctionDef(returns=ast.expr() as said):
            pass
        case ast.AsyncFunctionDef(returns=ast.expr() as said):
            pass
        case ast.Subscript(value=owner, slice=said) if (resolve(owner) or "").startswith("typing"):
            pass
        case _:
            return False
    texts = (one.value for one in everything_within(said) if isinstance(one, ast.Constant))
    return any(isinstance(one, str) for one in texts)


def _begins(binding: Binding, parents: Mapping[ast.AST, ast.AST]) -> int:
    """The last line on which what a binding binds has no value yet; negative for one that gives
    none.
    """
    if isinstance(binding, ast.arg):
        return 0
    if not isinstance(binding, (ast.Name, ast.alias)):
        return getattr(binding, "end_lineno", None) or _NEVER
    around = parents[binding]
    while not isinstance(around, (ast.stmt, ast.NamedExpr, ast.comprehension, ast.withitem)):
        around = parents[around]
    match around:
        case ast.AnnAssign(value=None):
            return -1
        case ast.comprehension():
            made = parents[around]
            return 0 if len(getattr(made, "generators", ())) == 1 else _NEVER
        case ast.withitem(context_expr=value) | ast.NamedExpr(value=value):
            return value.end_lineno or _NEVER
        case ast.For(iter=value) | ast.AsyncFor(iter=value):
            return value.end_lineno or _NEVER
    return getattr(around, "end_lineno", None) or _NEVER


def _is_within(name: ast.Name, handler: ast.ExceptHandler) -> bool:
    return handler.lineno < name.lineno <= (handler.end_lineno or 0)
