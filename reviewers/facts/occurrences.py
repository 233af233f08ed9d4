"""Where a thing stands in code, and what stands around it."""

import ast
import builtins
import re
from collections.abc import Iterator
from functools import lru_cache

from reviewers.facts.config_reads import plain_key
from reviewers.facts.globs import Value, alike, alternatives, is_outline, names_like
from reviewers.facts.guards import guards
from reviewers.facts.local_code import LocalCode
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import Function
from reviewers.facts.raised import is_error
from reviewers.facts.reach import Piece
from reviewers.facts.stores import code_of, stores

_WORD = re.compile(r"\w+")
_ALTERNATIVES = {"no_grad": ("inference_mode", "set_grad_enabled")}
_LOOPS = ("for", "while", "loop")
_ANY = ("*", "?")
_STATEMENTS = {"raise": ast.Raise, "return": ast.Return, "break": ast.Break, "yield": ast.Yield}
_BROAD = ("Exception", "BaseException")


@lru_cache(maxsize=512)
def as_code(text: str) -> str | None:
    """Code as `ast` writes it; None for what is none."""
    try:
        return " ".join(ast.unparse(ast.parse(text.strip())).split())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def is_constant(found: Value, wanted: Value) -> bool:
    """Whether a constant is the one that is meant, or whose code is given: `None`, `0.10`."""
    if isinstance(wanted, str) and not isinstance(found, str):
        said = "None" if wanted == "null" else as_code(wanted) or ""
        return repr(found).casefold() == said.casefold()
    return alike(found, wanted)


def occurrences(piece: Piece, thing: str) -> Iterator[ast.AST]:
    """Where code stands that is meant: the same code, a name or call of that name, a statement of
    that sort (`raise`), or what is outlined: `evaluate(*test*)`, `for * in *loader*`; `|` parts
    alternatives.
    """
    for one in alternatives(thing):
        if one and one not in _ANY:
            yield from _standing(piece, one)


def _standing(piece: Piece, thing: str) -> Iterator[ast.AST]:
    wanted = as_code(thing)
    if thing in _STATEMENTS:
        yield from (node for node in piece.nodes if isinstance(node, _STATEMENTS[thing]))
        return
    if is_outline(thing) and re.search(r"[\s(\[]", thing):
        for node in piece.nodes:
            if isinstance(node, ast.For | ast.Call | ast.Subscript) and names_like(
                head_of(node) if isinstance(node, ast.For) else code_of(node), thing
            ):
                yield node
        return
    is_name = re.fullmatch(r"[\w.*]+", thing) is not None
    for node in piece.nodes:
        if is_name:
            if (isinstance(node, ast.Call) and _is_named(piece, node.func, thing)) or (
                isinstance(node, (ast.Name, ast.Attribute)) and code_of(node) == thing
            ):
                yield node
        elif wanted and isinstance(node, (ast.expr, ast.stmt)) and code_of(node) == wanted:
            yield node


def _is_named(piece: Piece, func: ast.expr, thing: str) -> bool:
    name = piece.file.resolve(func) or f".{getattr(func, 'attr', '')}"
    said = code_of(func)
    return alike(name, thing) or alike(name, f"*.{thing.removeprefix('*.')}") or said == thing


def depends(
    piece: Piece, node: ast.AST, by: str, kinds: frozenset[str]
) -> tuple[list[ast.AST], list[ast.AST]]:
    """What of the given sort a node stands under, and may stand under: `except ValueError`,
    `torch.no_grad`, a loop, or a test that mentions a name or a text.
    """
    found = [
        (guard, _is_by(piece, guard, kind, by))
        for guard, kind in guards(piece, node)
        if kind in kinds or not kinds
    ]
    return [one for one, is_so in found if is_so], [one for one, is_so in found if is_so is None]


def may_depend(
    code: LocalCode, piece: Piece, node: ast.AST, by: str, kinds: frozenset[str]
) -> bool:
    """Whether something that is no block around a node may do the same: a call before it that gets
    what is named, a decorator, a function that catches its own errors, a context that is put around
    a function or the process elsewhere.
    """
    file = piece.file
    function = next((one for one in file.ancestors(node) if isinstance(one, Function)), None)
    if kinds == {"handler"} or by.split()[0] in ("except", "try"):
        call = file.parents.get(node)
        called = next((one for one in (node, call) if isinstance(one, ast.Call)), None)
        target = code.target(file, called) if called else None
        tries = target is not None and any(
            isinstance(one, ast.Try) for one in ast.walk(target.function)
        )
        return tries or bool(function and function.decorator_list)
    if "loop" not in kinds:
        calls = (
            []
            if function is None
            else [
                one
                for one in ast.walk(function)
                if isinstance(one, ast.Expr)
                and isinstance(one.value, ast.Call)
                and one.lineno < getattr(node, "lineno", 0)
                and file.resolve(one.value.func) != "print"
            ]
        )
        return any(
            mentions(given, by)
            for one in calls
            for given in ast.walk(one)
            if isinstance(given, (ast.Name, ast.Attribute))
        )
    last = by.removesuffix("()").rpartition(".")[2]
    others = (last, *_ALTERNATIVES.get(last, ()))
    return any(
        isinstance(one, (ast.Attribute, ast.Name))
        and (getattr(one, "attr", "") or getattr(one, "id", "")) in others
        and not _is_context(file, one, last)
        for one in file.nodes
    )


def _is_context(file: PythonFile, node: ast.AST, last: str) -> bool:
    """Whether a name is that of a context that stands as such: after `with`, or as a decorator."""
    name = getattr(node, "attr", "") or getattr(node, "id", "")
    parent = file.parents.get(node)
    outer = (
        file.parents.get(parent) if isinstance(parent, ast.Call) and parent.func is node else parent
    )
    return name == last and isinstance(outer, (ast.withitem, Function))


def head_of(loop: ast.For) -> str:
    """The first line of a loop, as `for x in y`."""
    return f"for {code_of(loop.target)} in {code_of(loop.iter)}"


def _is_by(piece: Piece, guard: ast.AST, kind: str, by: str) -> bool | None:
    ways = {_is_by_one(piece, guard, kind, one) for one in alternatives(by)}
    return True if True in ways else None if None in ways else False


def _is_by_one(piece: Piece, guard: ast.AST, kind: str, by: str) -> bool | None:
    if by in _ANY:
        return kind != "loop"
    if by.startswith("for "):
        return _is_loop(guard, by) if kind == "loop" else False
    if is_outline(by) and kind in ("test", "exit", "loop"):
        head = guard.iter if isinstance(guard, ast.For) else guard
        return _speaks_like(piece, head, by)
    words = by.split()
    if kind == "handler":
        wanted = words[-1] if words[0] in ("except", "try") else by
        return wanted in ("try", "except", "*") or catches(piece, guard, wanted)
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
        plain = by.removesuffix("()")
        if any(alike(name, one) for one in (plain, f"*.{plain}")) or code_of(guard) == as_code(by):
            return True
        is_alike = name.rpartition(".")[2] in (
            by.removesuffix("()").rpartition(".")[2],
            "ExitStack",
        )
        return None if "." not in name or is_alike else False
    return any(mentions(one, by) for one in (guard, *_held(piece, guard)))


def _held(piece: Piece, node: ast.AST) -> Iterator[ast.AST]:
    """What the names in code stand for."""
    for one in ast.walk(node):
        if isinstance(one, ast.Name):
            yield from (given for _, given in stores(piece, one.id) if given is not None)


def _is_loop(guard: ast.AST, by: str) -> bool | None:
    """Whether a loop is the one whose head is outlined; one that counts is none over data."""
    if not isinstance(guard, ast.For):
        return None
    if names_like(head_of(guard), by):
        return True
    over = by.partition(" in ")[2].strip("* ")
    counts = isinstance(guard.iter, ast.Call) and code_of(guard.iter.func) == "range"
    return False if over and counts and over not in head_of(guard) else None


def _speaks_like(piece: Piece, node: ast.AST, outline: str) -> bool | None:
    """Whether code, or what its names stand for, has a name or text like an outline."""
    fits = {
        names_like(str(said), outline)
        for each in (node, *_held(piece, node))
        for one in ast.walk(each)
        for said in (getattr(one, "id", ""), getattr(one, "attr", ""), getattr(one, "value", ""))
        if isinstance(said, str) and said
    }
    return True if True in fits else None if None in fits else False


def catches(piece: Piece, handler: ast.AST, error: str) -> bool | None:
    """Whether a handler, or `suppress`, is one for an error; one without a name is for all."""
    if isinstance(handler, ast.ExceptHandler) and handler.type is None:
        return True
    held = (
        [handler.type] if isinstance(handler, ast.ExceptHandler) else getattr(handler, "args", [])
    )
    kinds = [one for one in held if isinstance(one, ast.expr)]
    kinds = [
        one for each in kinds for one in (each.elts if isinstance(each, ast.Tuple) else [each])
    ]
    names = [(piece.file.resolve(one) or code_of(one)).rpartition(".")[2] for one in kinds]
    if any(name in _BROAD or is_error(error, name) for name in names):
        return True
    is_known = all(hasattr(builtins, name) or name in piece.file.aliases for name in names)
    return False if is_known and not any(is_error(name, error) for name in names) else None


def mentions(node: ast.AST, by: str) -> bool:
    """Whether code speaks of something: as the same code, or by its last name or text."""
    wanted = as_code(by)
    last = (_WORD.findall(plain_key(by)) or [by])[-1]
    for part in ast.walk(node):
        if isinstance(part, (ast.Name, ast.Attribute, ast.Constant)):
            said = getattr(part, "id", None) or getattr(part, "attr", None)
            said = said or getattr(part, "value", None)
            if said == by or (said == last and wanted is not None and " " not in wanted):
                return True
        if wanted and isinstance(part, ast.expr) and code_of(part) == wanted:
            return True
    return False
