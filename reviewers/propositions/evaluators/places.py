"""Where a thing stands in code, and what stands around it."""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from reviewers.facts.python_nodes import Function
from reviewers.facts.reach import Piece
from reviewers.facts.stores import code_of
from reviewers.propositions.evaluators.config import plain_key
from reviewers.propositions.vocabulary import alike

_WORD = re.compile(r"\w+")
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_LOOPS = ("for", "while", "loop")
_ANY = ("*", "?")
_BROAD = ("Exception", "BaseException")


@lru_cache(maxsize=512)
def as_code(text: str) -> str | None:
    """Code as `ast` writes it; None for what is none."""
    try:
        return " ".join(ast.unparse(ast.parse(text.strip())).split())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def occurrences(piece: Piece, thing: str) -> Iterator[ast.AST]:
    """Where code stands that is meant: the same code, or a name or call of that name."""
    if not thing or thing in _ANY:
        return
    wanted = as_code(thing)
    is_name = re.fullmatch(r"[\w.*]+", thing) is not None
    for node in piece.nodes:
        if is_name:
            if (isinstance(node, ast.Call) and _is_named(piece, node.func, thing)) or (
                isinstance(node, ast.Name | ast.Attribute) and code_of(node) == thing
            ):
                yield node
        elif wanted and isinstance(node, ast.expr | ast.stmt) and code_of(node) == wanted:
            yield node


def _is_named(piece: Piece, func: ast.expr, thing: str) -> bool:
    name = piece.file.resolve(func) or f".{getattr(func, 'attr', '')}"
    said = code_of(func)
    return alike(name, thing) or alike(name, f"*.{thing.removeprefix('*.')}") or said == thing


def guards(piece: Piece, node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """What a node depends on within its function, each with its kind: a `test` that is passed, one
    after which code is left (`exit`), a `handler` that catches what is raised, a `context`, a
    `loop`.
    """
    inner: ast.AST = node
    for around in piece.file.ancestors(node):
        match around:
            case ast.If() | ast.IfExp() | ast.While() if inner is not around.test:
                yield around.test, "test"
            case ast.Try() if inner in around.body:
                yield from ((handler, "handler") for handler in around.handlers)
            case ast.With() | ast.AsyncWith() if inner in around.body:
                yield from ((item.context_expr, "context") for item in around.items)
            case ast.BoolOp(values=values) if inner in values:
                yield from ((one, "test") for one in values[: values.index(inner)])
        if isinstance(around, ast.For | ast.While | ast.AsyncFor) and inner in around.body:
            yield around, "loop"
        for block in (getattr(around, name, None) for name in ("body", "orelse")):
            if isinstance(block, list) and inner in block:
                yield from (
                    (one.test, "exit")
                    for one in block[: block.index(inner)]
                    if isinstance(one, ast.If) and isinstance(one.body[-1], _LEAVES)
                )
        if isinstance(around, Function):
            yield from ((one, "context") for one in around.decorator_list)
            return
        inner = around


def depends(piece: Piece, node: ast.AST, by: str, kinds: frozenset[str]) -> list[ast.AST]:
    """What of the given sort a node stands under: `except ValueError`, `torch.no_grad`, a loop, or
    a test that mentions a name or a text.
    """
    return [
        guard
        for guard, kind in guards(piece, node)
        if (kind in kinds or not kinds) and _is_by(piece, guard, kind, by)
    ]


def _is_by(piece: Piece, guard: ast.AST, kind: str, by: str) -> bool:
    if by in _ANY:
        return kind != "loop"
    words = by.split()
    if isinstance(guard, ast.ExceptHandler):
        wanted = words[-1] if words[0] in ("except", "try") else by
        return wanted in ("try", "except", "*") or _catches(piece, guard, wanted)
    if words[0] in ("except", "try"):
        return False
    if kind == "loop":
        if by in _LOOPS:
            return by == "loop" or isinstance(guard, ast.For) == (by == "for")
        head = guard.iter if isinstance(guard, ast.For) else getattr(guard, "test", guard)
        return mentions(head, by)
    if kind == "context":
        called = guard.func if isinstance(guard, ast.Call) else guard
        name = piece.file.resolve(called) or code_of(called)
        return alike(name, by.removesuffix("()")) or alike(name, f"*.{by.removesuffix('()')}")
    return mentions(guard, by)


def _catches(piece: Piece, handler: ast.ExceptHandler, error: str) -> bool:
    """Whether a handler is one for an error; one without a name is for all."""
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = [(piece.file.resolve(one) or code_of(one)).rpartition(".")[2] for one in kinds]
    return any(alike(name, error) or name in _BROAD for name in names)


def mentions(node: ast.AST, by: str) -> bool:
    """Whether code speaks of something: as the same code, or by its last name or text."""
    wanted = as_code(by)
    last = (_WORD.findall(plain_key(by)) or [by])[-1]
    for part in ast.walk(node):
        if isinstance(part, ast.Name | ast.Attribute | ast.Constant):
            said = getattr(part, "id", None) or getattr(part, "attr", None)
            said = said or getattr(part, "value", None)
            if said == by or (said == last and wanted is not None and " " not in wanted):
                return True
        if wanted and isinstance(part, ast.expr) and code_of(part) == wanted:
            return True
    return False
