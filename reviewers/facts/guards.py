"""The conditions and blocks within its function that a piece of code depends on."""

import ast
from collections.abc import Collection, Iterable, Iterator

from reviewers.facts.config_flow.handlers import ENDING
from reviewers.facts.local_code import LocalCode
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import Function
from reviewers.facts.reach import Piece

_ASKING = frozenset({"test", "exit", "handler"})
_MOST_CALLERS = 3  # one above the other
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def guards(piece: Piece, node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """What a node depends on within its function, each with its kind: a `test` that must hold, a
    test that leaves the function or loop (`exit`), a `handler`, a `context`, a `loop`.
    """
    inner: ast.AST = node
    for around in piece.file.ancestors(node):
        match around:
            case ast.If() | ast.IfExp() | ast.While() if inner is not around.test:
                yield around.test, "test"
            case ast.Try() if inner in around.body:
                yield from ((handler, "handler") for handler in around.handlers)
            case ast.With() | ast.AsyncWith() if inner in around.body:
                held = [item.context_expr for item in around.items]
                yield from (
                    (one, "handler" if _suppresses(piece, one) else "context") for one in held
                )
            case ast.Match(subject=subject) if inner is not subject:
                yield subject, "test"
            case ast.comprehension() if inner in around.ifs:
                yield from ((one, "test") for one in around.ifs[: around.ifs.index(inner)])
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp() if (
                inner not in around.generators
            ):
                yield from ((test, "test") for one in around.generators for test in one.ifs)
            case ast.BoolOp(values=values) if inner in values:
                yield from ((one, "test") for one in values[: values.index(inner)])
        if isinstance(around, (ast.For, ast.While, ast.AsyncFor)) and inner in around.body:
            yield around, "loop"
        yield from ((test, "exit") for test in _exits_before(piece, around, inner))
        if isinstance(around, Function):
            yield from ((one, "context") for one in around.decorator_list)
            return
        inner = around


def depends_on_caller(piece: Piece, node: ast.AST, changed: Collection[str]) -> bool:
    """Whether a test decides over a node that asks for a value which its function is given, or for
    what a caller changes of it.

    Args:
        changed: the attributes and items that callers set.
    """
    around = next((one for one in piece.file.ancestors(node) if isinstance(one, Function)), None)
    given = {one.arg for one in ast.walk(around.args) if isinstance(one, ast.arg)} if around else ()
    return any(
        isinstance(one, ast.Name) and one.id in given and _is_asked(piece, one, changed)
        for test, kind in guards(piece, node)
        if kind in ("test", "exit")
        for one in ast.walk(test)
    )


def changed_attributes(pieces: Iterable[Piece]) -> frozenset[str]:
    """The names of the attributes that code sets."""
    return frozenset(
        node.attr
        for piece in pieces
        for node in piece.nodes
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    )


def _is_asked(piece: Piece, name: ast.Name, changed: Collection[str]) -> bool:
    above = piece.file.parents.get(name)
    if isinstance(above, ast.Attribute):
        chain = (one for one in piece.file.ancestors(name) if isinstance(one, ast.Attribute))
        return any(one.attr in changed for one in chain)
    return not isinstance(above, ast.Call | ast.Subscript | ast.keyword)


def _exits_before(piece: Piece, around: ast.AST, inner: ast.AST) -> Iterator[ast.expr]:
    """The tests before a node in its block that may leave the function or loop."""
    for name in ("body", "orelse"):
        block = getattr(around, name, None)
        before = block[: block.index(inner)] if isinstance(block, list) and inner in block else []
        for one in before:
            if isinstance(one, ast.Assert) or (
                isinstance(one, ast.If) and _leaves(piece, one.body[-1])
            ):
                yield one.test


def _leaves(piece: Piece, last: ast.stmt) -> bool:
    """Whether a block ends by skipping the code after it."""
    match last:
        case ast.Expr(value=ast.Call(func=func)):
            return piece.file.resolve(func) in ENDING
    return isinstance(last, _LEAVES)


def _suppresses(piece: Piece, node: ast.expr) -> bool:
    called = node.func if isinstance(node, ast.Call) else node
    return piece.file.resolve(called) == "contextlib.suppress"


def ways_to(
    code: LocalCode, file: PythonFile, node: ast.AST, depth: int = _MOST_CALLERS
) -> Iterator[tuple[ast.AST, ...]]:
    """The tests and handlers on each way to a place, through the calls of the function around it;
    no way where no call is known to reach that.
    """
    own = tuple(guard for guard, kind in guards(Piece(file, "", ()), node) if kind in _ASKING)
    around = next((one for one in file.ancestors(node) if isinstance(one, Function)), None)
    if around is None or not depth or "hydra.main" in _decorators(file, around):
        yield own
        return
    for caller, call, _ in code.sites.get(around, ())[:_MOST_CALLERS]:
        for way in ways_to(code, caller, call.node, depth - 1):
            yield own + way


def _decorators(file: PythonFile, function: Function) -> list[str | None]:
    return [
        file.resolve(one.func if isinstance(one, ast.Call) else one)
        for one in function.decorator_list
    ]
