"""The order of code and what it depends on: guards, handlers, contexts, order, origins, values."""

import ast
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import starmap

from reviewers.facts.derivation import Derivation
from reviewers.facts.globs import alternatives, is_outline, names_like
from reviewers.facts.guards import guards
from reviewers.facts.meant import stored_names, values_meant
from reviewers.facts.occurrences import (
    as_code,
    depends,
    is_constant,
    may_depend,
    mentions,
    occurrences,
)
from reviewers.facts.order import comes_first
from reviewers.facts.reach import Piece
from reviewers.facts.stores import code_of, dotted, stores
from reviewers.propositions.answers import Answer, Witness, denied, open_, proved
from reviewers.propositions.evaluators.names import by_text
from reviewers.propositions.evaluators.values import is_random
from reviewers.propositions.terms import Literal, Scope
from reviewers.propositions.vocabulary import alike, predicate
from reviewers.propositions.world import World, shown

_TESTS = frozenset({"test", "exit", "handler", "context"})
MOST_CALLERS = 4  # of callers, one after the other, that are looked at for a guard


@predicate(
    "in {scope}, {thing} (stands|does not stand) under {by}",
    "by file",
    "src/train.py",
    "torch.load",
    "best_path",
)
def guarded(world: World, scope: Scope, thing: str, by: str) -> Answer:
    """True where each place of the thing in the scope stands under a test that depends on what is
    named, in a `try` that catches it, or in that context; false where one place is reached
    without.
    """
    return _under(world, scope, thing, by, _TESTS)


@predicate(
    "{scope} (catches|does not catch) {error} of {thing}",
    "by file",
    "src/preprocess.py",
    "load_dataset",
    "OSError",
)
def handles(world: World, scope: Scope, thing: str, error: str) -> Answer:
    """True where each place of the thing in the scope stands in a `try` whose handler is for the
    error; false where one does not, nor what calls it.
    """
    return _under(world, scope, thing, f"except {error}", frozenset({"handler"}))


@predicate(
    "in {scope}, {thing} (stands|does not stand) within {context}",
    "tensor-or-runtime",
    "src/train.py",
    "model.generate",
    "torch.no_grad",
)
def within(world: World, scope: Scope, thing: str, context: str) -> Answer:
    """True where each place of the thing in the scope stands in that block (`torch.no_grad`, a
    loop, a lock); false where one does not, nor what calls it.
    """
    return _under(world, scope, thing, context, frozenset({"context", "loop", "handler", "test"}))


def _under(world: World, scope: Scope, thing: str, by: str, kinds: frozenset[str]) -> Answer:
    reached = world.reached_from(scope)
    found = [
        (piece, node)
        for piece in reached.own
        for node in occurrences(piece, thing)
        if not isinstance(getattr(node, "ctx", None), ast.Store)
    ]
    if not found:
        return open_(f"`{thing}` does not occur in {scope}")
    bare: list[Witness] = []
    under: list[Witness] = []
    doubts = [
        f"{shown(file, one).span}: it stands above `{thing}`"
        for file in world.facts.python.values()
        for name, node in file.functions.items()
        if name.rpartition(".")[2] == thing.rpartition(".")[2].removesuffix("()")
        for one in node.decorator_list
        if mentions(one, by)
    ]
    for piece, node in found:
        held, near = depends(piece, node, by, kinds)
        if held:
            under += [shown(piece.file, one) for one in held]
        elif near or may_depend(world.facts.local_code, piece, node, by, kinds):
            doubts.append(f"{shown(piece.file, node).span}: it may")
        elif _is_inside(world, piece, node, by, kinds):
            doubts.append(f"{shown(piece.file, node).span}: what it calls does inside")
        elif any(callers_under(world, piece, by, kinds, MOST_CALLERS)) or (
            kinds == _TESTS and _is_told(world, piece, node, by)
        ):
            doubts.append(f"{shown(piece.file, node).span}: what calls it may")
        else:
            bare.append(shown(piece.file, node))
    if bare and not doubts and not under:
        return denied((), (), bare)
    if bare and not doubts:
        # One place under it and another not: which is meant cannot be told.
        return denied((), [f"{len(bare)} of {len(found)} places do not"], bare)
    return open_(*doubts) if doubts else proved(under)


def _is_inside(world: World, piece: Piece, node: ast.AST, by: str, kinds: frozenset[str]) -> bool:
    """Whether a node calls a function of the submission that does something under it."""
    call = piece.file.parents.get(node)
    target = world.facts.local_code.target(piece.file, call) if isinstance(call, ast.Call) else None
    return target is not None and any(
        any(depends(other, one, by, kinds)[0] for one in other.nodes)
        for other in world.facts.reach.everything.own
        if other.file is target.file and other.name.rpartition(".")[2] == target.function.name
    )


def callers_under(
    world: World, piece: Piece, by: str, kinds: frozenset[str], deep: int
) -> Iterator[bool]:
    """Whether any place that may call a piece's function stands under something of the sort."""
    last = piece.name.rpartition(".")[2]
    if not last:
        return
    for other in world.facts.reach.everything.own:
        for node in other.nodes:
            name = getattr(node, "id", None) or getattr(node, "attr", None)
            if name == last and not isinstance(getattr(node, "ctx", None), ast.Store):
                if any(depends(other, node, by, kinds)):
                    yield True
                elif deep and other is not piece:
                    yield from callers_under(world, other, by, kinds, deep - 1)


def _is_told(world: World, piece: Piece, node: ast.AST, by: str) -> bool:
    """Whether a node stands under some test, and a caller gives its function what is named."""
    last = piece.name.rpartition(".")[2]
    is_tested = any(kind in ("test", "exit") for _, kind in guards(piece, node))
    return is_tested and any(
        isinstance(call, ast.Call)
        and last == (getattr(call.func, "id", "") or getattr(call.func, "attr", ""))
        and any(mentions(one, by) for one in (*call.args, *call.keywords))
        for other in world.facts.reach.everything.own
        for call in other.nodes
    )


@predicate(
    "in {scope}, {first} (comes|does not come) before {then}",
    "tensor-or-runtime",
    "src/train.py",
    "optimizer.zero_grad",
    "loss.backward",
)
def before(world: World, scope: Scope, first: str, then: str) -> Answer:
    """True where both stand in one function and the first comes first on the straight way; false
    where the other does.
    """
    reached = world.reached_from(scope)
    told: list[tuple[bool | None, Witness, Witness]] = []
    pieces = reached.own
    doing_first, doing_then = _doings(pieces, first), _doings(pieces, then)
    for piece in pieces:
        earlier, later = doing_first.get(piece.name, []), doing_then.get(piece.name, [])
        told += [
            (comes_first(piece, a, b), shown(piece.file, a), shown(piece.file, b))
            for a in earlier
            for b in later
            if a is not b
        ]
    if not told:
        return open_(f"no function of {scope} contains both `{first}` and `{then}`")
    found = {one for one, _, _ in told}
    places = [place for _, a, b in told for place in (a, b)]
    if found == {True}:
        return proved(places)
    return (
        denied((), (), places) if found == {False} else open_("the order is not one and the same")
    )


def _doings(pieces: Sequence[Piece], thing: str) -> dict[str, list[ast.AST]]:
    """Where each function does something: where it stands there, else where a function is called
    that does it.
    """
    found = {
        piece.name: [_doing(piece, node) for node in occurrences(piece, thing)] for piece in pieces
    }
    for _ in range(MOST_CALLERS):
        by_name = {name.rpartition(".")[2] for name, nodes in found.items() if name and nodes}
        for piece in pieces:
            found[piece.name] = found[piece.name] or [
                node
                for node in piece.nodes
                if isinstance(node, ast.Call)
                and getattr(node.func, "id", getattr(node.func, "attr", "")) in by_name
                and not _is_of_library(piece, node.func)
            ]
    return found


def _is_of_library(piece: Piece, func: ast.expr) -> bool:
    """Whether a function of a library is called, which may have the name of one that is not."""
    return isinstance(func, ast.Attribute) and (
        isinstance(func.value, ast.Name) and func.value.id in piece.file.modules
    )


def _doing(piece: Piece, node: ast.AST) -> ast.AST:
    """The call that does it, where a name stands for its callee."""
    parent = piece.file.parents.get(node)
    return parent if isinstance(parent, ast.Call) and parent.func is node else node


@predicate(
    "in {scope}, {expr} (is|is not) always {value}[ when {when}]",
    "by file",
    "src/train.py",
    "accuracy",
    0.0,
)
def has_value(world: World, scope: Scope, expr: str, value: Literal) -> Answer:
    """True where the only statements that give the name a value in the scope give this one; false
    where all give other plain values.
    """
    reached = world.reached_from(scope)
    found = [(piece, node, given) for piece in reached.own for node, given in stores(piece, expr)]
    if not found:
        return open_(f"nothing in {scope} gives `{expr}` a value")
    fits = [_equals(given, value) for _, _, given in found]
    places = [shown(piece.file, node) for piece, node, _ in found]
    elsewhere = list(_elsewhere(world, found[0][0], expr))
    if all(fit is True for fit in fits):
        return open_(*elsewhere) if elsewhere and "." in expr else proved(places)
    if any(fit is not False for fit in fits):
        return open_(f"not every value of `{expr}` is known")
    gaps = reached.gaps
    return denied((), [*gaps, *elsewhere], places)


def _elsewhere(world: World, piece: Piece, expr: str) -> Iterator[str]:
    """What may give a name another value in a way that no statement of the scope shows."""
    last = expr.rpartition(".")[2]
    yield from by_text(piece.file, last)
    for file in world.facts.python.values():
        for node in file.nodes:
            match node:
                case ast.Attribute(attr=attr, ctx=ast.Store()) if attr == last and expr != last:
                    if code_of(node) != expr:
                        yield f"{file.path}:{node.lineno} sets it by another name"
                case ast.Call(func=ast.Attribute(attr="update"), keywords=keywords) if any(
                    one.arg == last for one in keywords
                ):
                    yield f"{file.path}:{node.lineno} may set it"


def _equals(given: ast.expr | None, value: Literal) -> bool | None:
    if isinstance(given, ast.UnaryOp) and isinstance(given.op, ast.USub):
        inner = given.operand
        known = isinstance(inner, ast.Constant) and isinstance(inner.value, int | float)
        return (-inner.value == value) if known else None  # type: ignore[attr-defined]
    if isinstance(given, ast.Constant) and isinstance(given.value, str | int | float | None):
        return is_constant(given.value, value)
    if given is not None and isinstance(value, str) and code_of(given) == as_code(value):
        return True
    return None


@predicate(
    "in {scope}, {value} (is|is not) computed from {source}[ when {when}]",
    "by file",
    "src/evaluate.py::main",
    "gap",
    "predictions",
)
def derives_from(world: World, scope: Scope, value: str, source: str) -> Answer:
    """True where a chain of assignments leads from the source to the value; false where all that
    the value is made of is seen and the source is not among it.
    """
    facts = world.facts
    wanted = alternatives(source.removeprefix("constant "))
    is_source = partial(_is_any_source, wanted)
    pieces = world.reached_from(scope).own
    origin = Derivation(
        facts.reach,
        facts.local_code,
        facts.file_uses.paths.origins,
        is_source,
        whole=frozenset((*_owners(source), *_resembling(world, wanted))),
        is_local=_is_local(pieces, source),
    )
    said = [] if value in ("return value", "return") else alternatives(value)
    held = [(piece, name) for piece in pieces for one in said for name in stored_names(piece, one)]
    for piece, name in held:
        origin.add_name(piece, name)
    for piece in () if held else pieces:
        for node in values_meant(piece, value):
            origin.add(piece, node)
    if not origin.is_begun:
        return open_(f"nothing in {scope} gives `{value}` a value")
    origin.follow()
    if origin.found and (several := list(_several(world, wanted, held))):
        return open_(*several)
    if origin.found:
        return proved(starmap(shown, origin.found))
    looked_at = [f"{origin.steps} expressions of which `{value}` is made"]
    if any(not is_outline(one) and one != "random" and as_code(one) is None for one in wanted):
        origin.gaps.append(f"`{source}` is no code that could be looked for")
    return denied(looked_at, dict.fromkeys(origin.gaps))


def _owners(source: str) -> Iterator[str]:
    """The code of what has a source as its item or attribute, the nearest first."""
    body = ast.parse(source.strip()).body if as_code(source) else []
    node = body[0].value if body and isinstance(body[0], ast.Expr) else None
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
        yield code_of(node)


def _is_local(pieces: Sequence[Piece], name: str) -> bool:
    """Whether a name is one that the functions that are looked at give a value themselves."""
    held = [node for piece in pieces for node, _ in stores(piece, name)]
    return (
        bool(held)
        and not any(isinstance(node, ast.arg) for node in held)
        and all(piece.name in piece.file.functions for piece in pieces)
        and not any(
            isinstance(node, ast.Global | ast.Nonlocal) and name in node.names
            for piece in pieces
            for node in piece.nodes
        )
    )


def _several(
    world: World, wanted: Sequence[str], held: Sequence[tuple[Piece, str]]
) -> Iterator[str]:
    """The outlines that more than one thing of the code fits, so that which is meant is open."""
    fitting = {one: _fitting(world, one) for one in wanted if is_outline(one)}
    fitting["the value"] = {name for _, name in held}
    for what, names in fitting.items():
        if len(names) > 1:
            yield f"`{what}` may be any of {', '.join(sorted(names)[:4])}"


def _fitting(world: World, outline: str) -> set[str]:
    return {
        dotted(node)
        for file in world.facts.python.values()
        for node in file.of(ast.Name, ast.Attribute, ast.Subscript)
        if names_like(dotted(node), outline)
    }


def _resembling(world: World, wanted: Sequence[str]) -> Iterator[str]:
    """The names that may be a source of which only an outline is given."""
    outlines = [one for one in wanted if is_outline(one)]
    for file in world.facts.python.values() if outlines else ():
        for node in file.of(ast.Name, ast.Attribute):
            said = code_of(node)
            if any(names_like(said, one) is None for one in outlines):
                yield said


def _is_any_source(wanted: Sequence[str], piece: Piece, part: ast.AST) -> bool:
    return any(_is_source(one, piece, part) for one in wanted)


def _is_source(wanted: str, piece: Piece, part: ast.AST) -> bool:
    """Whether a part of code is what a value may be computed from."""
    if wanted == "random":
        return isinstance(part, ast.Call) and is_random(piece, part)
    if isinstance(part, ast.Constant):
        return str(part.value) == wanted
    if not isinstance(part, ast.expr) or isinstance(getattr(part, "ctx", None), ast.Store):
        return False
    said = code_of(part)
    match part:
        case ast.Call(
            func=ast.Attribute(value=owner, attr="get"), args=[ast.Constant(value=key), *_]
        ) if f"{code_of(owner)}[{key!r}]" == as_code(wanted):
            return True
    if isinstance(part, ast.Call) and "*" in wanted:
        return alike(said, wanted) or alike(code_of(part.func), wanted.removesuffix("()"))
    if isinstance(part, ast.Subscript) and "*" in wanted:
        return bool(names_like(dotted(part), wanted))
    if isinstance(part, ast.Name | ast.Attribute):
        return bool(names_like(said, wanted)) or piece.file.resolve(part) == wanted
    return said == (as_code(wanted) or wanted)
