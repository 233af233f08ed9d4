"""The order of code and what it depends on: guards, handlers, contexts, order, origins, values."""

import ast
import builtins
from collections.abc import Iterator, Sequence

from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import Function
from reviewers.facts.reach import Piece
from reviewers.facts.stores import code_of, names, stores
from reviewers.propositions.answers import Answer, Witness, denied, open_, proved
from reviewers.propositions.evaluators.names import by_text
from reviewers.propositions.evaluators.places import (
    as_code,
    depends,
    guards,
    may_depend,
    occurrences,
)
from reviewers.propositions.terms import Literal, Scope
from reviewers.propositions.vocabulary import alike, predicate
from reviewers.propositions.world import World
from reviewers.records import Span

_TESTS = frozenset({"test", "exit", "handler", "context"})
_MOST_CALLERS = 4  # of callers, one after the other, that are looked at for a guard
_MOST_STEPS = 400
_ROUND = (ast.For, ast.While, ast.AsyncFor)
_ONLY_LOOK = ("print", "logging.", "seaborn.", "matplotlib.", "json.dump", "wandb.log")
_PUTS = frozenset({"append", "add", "extend", "insert", "update", "setdefault", "appendleft"})


@predicate(
    "in {scope}, {thing} (stands|does not stand) under {by}",
    "implementation",
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
    "implementation",
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
    "implementation",
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
        for piece in (reached.own if reached else ())
        for node in occurrences(piece, thing)
        if not isinstance(getattr(node, "ctx", None), ast.Store)
    ]
    if not found:
        return open_(f"`{thing}` does not stand in {scope}")
    bare: list[Witness] = []
    under: list[Witness] = []
    doubts: list[str] = []
    for piece, node in found:
        held, near = depends(piece, node, by, kinds)
        if held:
            under += [_at(piece.file, one) for one in held]
        elif near or may_depend(world, piece, node, by, kinds):
            doubts.append(f"{_at(piece.file, node).span}: it may")
        elif any(_callers_under(world, piece, by, kinds, _MOST_CALLERS)):
            doubts.append(f"{_at(piece.file, node).span}: what calls it may")
        else:
            bare.append(_at(piece.file, node))
    if bare and not doubts and not under:
        return denied((), (), bare)
    if bare and not doubts:
        # One place under it and another not: which is meant cannot be told.
        return denied((), [f"{len(bare)} of {len(found)} places do not"], bare)
    return open_(*doubts) if doubts else proved(under)


def _callers_under(
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
                    yield from _callers_under(world, other, by, kinds, deep - 1)


def _at(file: PythonFile, node: ast.AST) -> Witness:
    line = getattr(node, "lineno", None)
    return Witness(Span(file.path, line, getattr(node, "end_lineno", line)), code_of(node))


@predicate(
    "in {scope}, {first} (comes|does not come) before {then}",
    "implementation",
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
    pieces = reached.own if reached else ()
    doing_first, doing_then = _doings(pieces, first), _doings(pieces, then)
    for piece in pieces:
        earlier, later = doing_first.get(piece.name, []), doing_then.get(piece.name, [])
        told += [
            (_comes_first(piece, a, b), _at(piece.file, a), _at(piece.file, b))
            for a in earlier
            for b in later
            if a is not b
        ]
    if not told:
        return open_(f"`{first}` and `{then}` do not stand in one function of {scope}")
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
    for _ in range(_MOST_CALLERS):
        by_name = {name.rpartition(".")[2] for name, nodes in found.items() if name and nodes}
        for piece in pieces:
            found[piece.name] = found[piece.name] or [
                node
                for node in piece.nodes
                if isinstance(node, ast.Call)
                and getattr(node.func, "id", getattr(node.func, "attr", "")) in by_name
            ]
    return found


def _doing(piece: Piece, node: ast.AST) -> ast.AST:
    """The call that does it, where a name stands for its callee."""
    parent = piece.file.parents.get(node)
    return parent if isinstance(parent, ast.Call) and parent.func is node else node


def _comes_first(piece: Piece, one: ast.AST, other: ast.AST) -> bool | None:
    """Whether one statement comes before another in the block that holds both; None where they are
    in different branches, or in one statement.
    """
    mine, theirs = ([node, *piece.file.ancestors(node)] for node in (one, other))
    shared = next((node for node in mine if node in theirs), None)
    if shared is None or any(
        isinstance(node, ast.Lambda) for way in (mine, theirs) for node in way[: way.index(shared)]
    ):
        return None
    loops = [node for node in mine[mine.index(shared) :] if isinstance(node, _ROUND)]
    for name in ("body", "orelse", "finalbody"):
        block = getattr(shared, name, None)
        if isinstance(block, list):
            at = [next((i for i, s in enumerate(block) if s in way), -1) for way in (mine, theirs)]
            if -1 not in at and at[0] != at[1]:
                # In a loop, what comes later comes before that of the next round.
                return True if at[0] < at[1] else None if loops else False
    return None


@predicate(
    "in {scope}, {expr} (is|is not) always {value}[ when {when}]",
    "implementation",
    "src/train.py",
    "accuracy",
    0.0,
)
def has_value(world: World, scope: Scope, expr: str, value: Literal) -> Answer:
    """True where the only statements that give the name a value in the scope give this one; false
    where all give other plain values.
    """
    reached = world.reached_from(scope)
    found = [
        (piece, node, given)
        for piece in (reached.own if reached else ())
        for node, given in stores(piece, expr)
    ]
    if not found:
        return open_(f"nothing in {scope} gives `{expr}` a value")
    fits = [_equals(given, value) for _, _, given in found]
    places = [_at(piece.file, node) for piece, node, _ in found]
    if all(fit is True for fit in fits):
        return proved(places)
    if any(fit is not False for fit in fits):
        return open_(f"not every value of `{expr}` is known")
    gaps = reached.gaps if reached else ()
    return denied((), [*gaps, *_elsewhere(world, found[0][0], expr)], places)


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
        return alike(given.value, value)
    if given is not None and isinstance(value, str) and code_of(given) == as_code(value):
        return True
    return None


@predicate(
    "in {scope}, {value} (is|is not) computed from {source}[ when {when}]",
    "implementation",
    "src/evaluate.py::main",
    "gap",
    "best_baseline",
)
def derives_from(world: World, scope: Scope, value: str, source: str) -> Answer:
    """True where a chain of assignments leads from the source to the value; false where all that
    the value is made of is seen and the source is not among it.
    """
    reached = world.reached_from(scope)
    pieces = reached.own if reached else ()
    origin = _Origin(world, source)
    for piece in pieces:
        if value in ("return value", "return"):
            for node in piece.nodes:
                if isinstance(node, ast.Return) and node.value is not None:
                    origin.add(piece, node.value)
        elif any(True for _ in stores(piece, value)):
            origin.add_name(piece, value)
        else:
            for node in occurrences(piece, value):
                origin.add(piece, node)
    if not origin.is_begun:
        return open_(f"nothing in {scope} gives `{value}` a value")
    origin.follow()
    if origin.found:
        return proved(origin.found)
    looked_at = [f"{origin.steps} expressions of which `{value}` is made"]
    return denied(looked_at, dict.fromkeys(origin.gaps))


class _Origin:
    """What a value is made of, step by step backwards."""

    def __init__(self, world: World, source: str) -> None:
        self._world = world
        self._source = source
        self._waiting: list[tuple[Piece, ast.AST, Witness, bool]] = []
        self._seen: set[tuple[str, str, str]] = set()
        self.found: list[Witness] = []
        self.gaps: list[str] = []
        self.steps = 0

    def add(
        self, piece: Piece, node: ast.AST, why: Witness | None = None, *, is_sure: bool = True
    ) -> None:
        """Follow an expression; `is_sure` where the value surely is made of all of it."""
        made = _made_of(node)
        is_one = not (isinstance(made, ast.Tuple | ast.List | ast.Dict) and len(_items(made)) > 1)
        self._waiting.append((piece, node, why or _at(piece.file, node), is_sure and is_one))

    @property
    def is_begun(self) -> bool:
        """Whether there is anything to be followed."""
        return bool(self._waiting)

    def follow(self) -> None:
        """Go back from what was added until the source is met, or all has been seen."""
        while self._waiting and not self.found:
            self.steps += 1
            if self.steps > _MOST_STEPS:
                self.gaps.append("it is made of more than is followed")
                return
            self._step(*self._waiting.pop())

    def _step(self, piece: Piece, node: ast.AST, why: Witness, is_sure: bool) -> None:
        if isinstance(node, ast.arg):
            self._given(piece, node, why, is_sure)
            return
        for part in ast.walk(_made_of(node)):
            if self._is_source(piece, part) and not is_sure:
                self.gaps.append(f"{_at(piece.file, node).span}: it may be made of it")
                return
            if self._is_source(piece, part):
                self.found += dict.fromkeys([_at(piece.file, node), why])
                return
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                if (inside := _comprehension(piece, part)) is not None:
                    self.add(piece, inside, why, is_sure=is_sure)
                    continue
                self.add_name(piece, part.id, why, is_sure=is_sure)
            elif isinstance(part, ast.Attribute) and code_of(part).startswith("self."):
                self.gaps.append(f"`{code_of(part)}` may hold it")
            elif isinstance(part, ast.Call):
                self._returned(piece, part, why, is_sure)

    def _returned(self, piece: Piece, call: ast.Call, why: Witness, is_sure: bool) -> None:
        """Go on with what the submission's own function gives back."""
        world = self._world
        if world.facts.local_code.target(piece.file, call) is None:
            return
        given = world.facts.file_uses.paths.origins.returned(piece.file, call)
        if not given:
            self.gaps.append(f"`{code_of(call.func)}` may bring it")
        for one in given:
            key = (one.file.path, str(one.node.lineno), "return")
            inner = self._piece_at(one.file, one.node.lineno)
            if inner is not None and key not in self._seen:
                self._seen.add(key)
                self.add(inner, one.node, why, is_sure=is_sure)

    def add_name(
        self, piece: Piece, name: str, why: Witness | None = None, *, is_sure: bool = True
    ) -> None:
        """Go back to all that gives a name its value, or changes it in place."""
        key = (piece.file.path, piece.name, name)
        if key in self._seen:
            return
        self._seen.add(key)
        held = [node for node, _ in stores(piece, name)]
        for node in held:
            self.add(piece, node, why, is_sure=is_sure)
            for test, kind in guards(piece, node):
                if kind in _TESTS and any(self._is_source(piece, one) for one in ast.walk(test)):
                    self.gaps.append(f"{_at(piece.file, test).span}: it depends on it")
        for node in piece.nodes:
            match node:
                case ast.Assign(targets=[ast.Name(id=other)], value=ast.Name(id=same)) if (
                    same == name
                ):
                    self.add_name(piece, other, why, is_sure=False)  # another name for the same
                case ast.Assign(value=ast.Attribute(value=ast.Name(id=owner), attr=attr)) if (
                    owner == name and attr in _PUTS
                ):
                    self.gaps.append(f"`{code_of(node)}` may change `{name}`")
                case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=method)) if (
                    owner == name
                ):
                    self.add(piece, node, why, is_sure=is_sure and method in _PUTS)
                case ast.Expr(value=ast.Call(func=func, args=given)) if any(
                    isinstance(one, ast.Name) and one.id == name for one in given
                ) and not (piece.file.resolve(func) or "").startswith(_ONLY_LOOK):
                    self.gaps.append(f"`{code_of(node)}` may change `{name}`")
                case ast.Assign(targets=targets) if any(
                    isinstance(one, ast.Subscript | ast.Attribute)
                    and code_of(one).partition("[")[0].partition(".")[0] == name
                    for one in targets
                ):
                    self.add(piece, node, why, is_sure=is_sure)
        is_known = name in piece.file.aliases or hasattr(builtins, name) or name.startswith("__")
        if not held and not is_known and name not in (*piece.file.functions, *piece.file.classes):
            self.gaps.append(f"`{name}` has its value from elsewhere")

    def _given(self, piece: Piece, argument: ast.arg, why: Witness, is_sure: bool) -> None:
        """What callers give for a parameter."""
        function = next(
            (one for one in piece.file.ancestors(argument) if isinstance(one, Function)), None
        )
        self.gaps.append(f"callers give `{argument.arg}`")
        if function is None:
            return
        found = self._world.facts.file_uses.paths.origins.passed(piece.file, argument)
        for given in found:
            outer = self._piece_at(given.file, given.node.lineno)
            if outer is not None:
                self.add(outer, given.node, why, is_sure=is_sure and len(found) == 1)

    def _piece_at(self, file: PythonFile, line: int) -> Piece | None:
        reached = self._world.facts.reach.of(file.path, file.scope_at(line))
        return reached.own[0] if reached and reached.own else None

    def _is_source(self, piece: Piece, part: ast.AST) -> bool:
        wanted = self._source.removeprefix("constant ")
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
        if isinstance(part, ast.Name | ast.Attribute):
            return said == wanted or piece.file.resolve(part) == wanted
        return said == (as_code(wanted) or wanted)


def _comprehension(piece: Piece, name: ast.Name) -> ast.comprehension | None:
    """The part of a comprehension that gives a name its value there."""
    for around in piece.file.ancestors(name):
        for one in getattr(around, "generators", ()):
            if names(one.target, name.id):
                found: ast.comprehension = one
                return found
        if isinstance(around, ast.stmt):
            break
    return None


def _items(node: ast.Tuple | ast.List | ast.Dict) -> list[ast.expr]:
    return node.values if isinstance(node, ast.Dict) else node.elts


def _made_of(node: ast.AST) -> ast.AST:
    """The part of a statement that gives the value."""
    match node:
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
            return value
        case ast.For(iter=over) | ast.comprehension(iter=over):
            return over
        case ast.AugAssign(value=value):
            return value
        case ast.NamedExpr(value=value):
            return value
    return node
