"""Names: what is defined, imported, bound, read, set, and raised."""

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from reviewers.facts.activities import Sight
from reviewers.facts.guards import changed_attributes, depends_on_caller
from reviewers.facts.item_reads import ITEM, item_reads
from reviewers.facts.python_file import PythonFile
from reviewers.facts.raised import is_known_class, may_be_caught
from reviewers.facts.reach import Piece
from reviewers.facts.unbound import perhaps_unbound
from reviewers.propositions.answers import Answer, Filled, Listing, Witness, denied, open_, proved
from reviewers.propositions.terms import Scope
from reviewers.propositions.vocabulary import alike, predicate
from reviewers.propositions.world import World, shown
from reviewers.records import Span, counted

_OF_TEXT = frozenset(
    {"exec", "eval", "__import__", "importlib.import_module", "pkgutil.resolve_name", "globals"}
)
Seen = Callable[[Piece], Iterator[Sight]]


def search(world: World, scope: Scope, seen: Seen, *, is_local: bool = False) -> Answer:
    """True at the places of a scope where something is seen, or of the functions that it calls;
    false where neither the scope nor the code that it may run has any, and nothing hides more.

    Args:
        is_local: whether what is looked for belongs to the code itself, whatever it calls.
    """
    reached = world.reached_from(scope)
    called = () if is_local else world.called_from(scope)
    changed = changed_attributes(reached.own) if called and scope.name else ()

    def decided(piece: Piece, sight: Sight) -> Sight:
        """What is seen; in a function that is called, the caller may decide whether it is done."""
        is_so = scope.name and piece in called and depends_on_caller(piece, sight.node, changed)
        return replace(sight, doubt=sight.doubt or "the caller decides it") if is_so else sight

    own, further = (
        [
            one
            for piece in pieces
            for sight in seen(piece)
            for one in _met(world, scope, piece, decided(piece, sight))
        ]
        for pieces in ((*reached.own, *called), (p for p in reached.further if p not in called))
    )
    if certain := [witness for witness, doubt in own if not doubt]:
        return proved(certain)
    doubts = [f"{witness.span}: {doubt}" for witness, doubt in own]
    doubts += [f"{witness.span}: other code, which it may run, does" for witness, _ in further]
    files = {piece.file.path for piece in reached.pieces}
    nodes = sum(len(piece.nodes) for piece in reached.pieces)
    looked_at = f"{len(files)} file{'s' * (len(files) > 1)}, {nodes:,} nodes of code"
    return denied([looked_at] if nodes else [], [*doubts, *reached.gaps])


def _met(world: World, scope: Scope, piece: Piece, sight: Sight) -> Iterator[tuple[Witness, str]]:
    """What is seen, unless no start of the scope's mode and runs comes there."""
    happens = world.happens(scope, piece.file.path, getattr(sight.node, "lineno", None))
    if happens is not False:
        doubt = "" if happens else "whether a run reaches it is not known"
        yield shown(piece.file, sight.node), sight.doubt or doubt


def imported(world: World, scope: Scope) -> Listing:
    """Every module from which a scope imports, by each of its names."""
    files = list(world.python_in(scope))
    filled = tuple(
        Filled("|".join(filter(None, names)), world.at(Span(file.path, item.line)))
        for file in files
        for item in file.imports
        for whole in [file.absolute(item)]
        for names in [(whole, whole.partition(".")[0], f"{whole}.{item.name}", item.bound)]
        if item.module != "__future__"
    )
    return Listing(filled, (counted(len(files), "file"),), _unread(files))


def raised(world: World, scope: Scope) -> Listing:
    """Every error that a scope raises by its name."""
    reached = world.reached_from(scope)
    found = [
        (piece, node, node.exc.func if isinstance(node.exc, ast.Call) else node.exc)
        for piece in reached.own
        for node in piece.nodes
        if isinstance(node, ast.Raise) and node.exc is not None
    ]
    filled = tuple(
        Filled((piece.file.resolve(what) or "?").rpartition(".")[2], shown(piece.file, node))
        for piece, node, what in found
    )
    return Listing(filled, (f"{len(filled)} errors that are raised",), reached.gaps)


def _unread(files: Sequence[PythonFile]) -> tuple[str, ...]:
    gaps = [f"{one.path} does not parse" for one in files if one.tree is None]
    return (*gaps, *(f"{one.path} imports `*`" for one in files if one.top_level_names is None))


@predicate("{scope} (defines|does not define) {name}", "by file", "src/model.py", "Encoder.forward")
def defines(world: World, scope: Scope, name: str) -> Answer:
    """True where a function, class or method of the name stands in the scope; false where all of
    it parses and none does.
    """
    files = list(world.python_in(scope))
    if not files:
        return open_(f"there is no {scope} in the submission")
    last = name.rpartition(".")[2]
    prefix = f"{scope.name}." if scope.name else ""
    found = [
        Witness(Span(file.path, one.line, one.line), f"`{one.name}` is defined")
        for file in files
        for one in file.definitions
        if one.name.startswith(prefix)
        and (alike(one.name, name) or alike(one.name.rpartition(".")[2], name))
    ]
    gaps = list(_unread(files))
    gaps += [gap for file in files for gap in (*by_text(file, last), *_given_as(world, file, last))]
    return proved(found) if found else denied([counted(len(files), "file")], gaps)


def by_text(file: PythonFile, *wanted: str) -> Iterator[str]:
    """Where names are taken as texts: one stands there as such, or code is made of texts."""
    for one in file.strings:
        if one.value in wanted and not one.is_docstring:
            yield f"{file.path}:{one.node.lineno}: `{one.value}` is named by a text"
    for call in file.calls:
        if call.name in _OF_TEXT:
            yield f"{file.path}:{call.line} calls `{call.name}`"


def _given_as(world: World, file: PythonFile, name: str) -> Iterator[str]:
    """Where a name is given a value without being defined, or a base of a class has it."""
    for node in file.nodes:
        match node:
            case (
                ast.Name(id=given, ctx=ast.Store()) | ast.Attribute(attr=given, ctx=ast.Store())
            ) if given == name:
                yield f"{file.path}:{node.lineno} gives `{name}` a value"
            case ast.ClassDef(bases=bases):
                own = {(file.resolve(base) or "").rpartition(".")[2] for base in bases}
                yield from (
                    f"{other.path}: `{one.name}` is inherited"
                    for other in world.facts.python.values()
                    for one in other.definitions
                    if one.name.rpartition(".")[2] == name
                    and one.name.rpartition(".")[0].rpartition(".")[2] in own - {""}
                )


@predicate(
    "{scope} (imports|does not import) {name}",
    "cross-file-mismatch",
    "src/train.py",
    "wandb",
    name=imported,
)
def imports(world: World, scope: Scope, name: str) -> Answer:
    """True where an import statement brings the module or the name; false where all parses and
    none does.
    """
    files = list(world.python_in(scope))
    if not files:
        return open_(f"there is no {scope} in the submission")
    found = []
    for file in files:
        for item in file.imports:
            module = "." * item.level + item.module
            whole = ".".join(part for part in (module, item.name) if part) if item.name else module
            whole = whole.replace("..", ".") if item.level == 1 else whole
            absolute = file.absolute(item)
            dotted = f"{absolute}.{item.name}" if item.name else absolute
            names = (module, whole, item.name or module, absolute, dotted, item.bound)
            if any(alike(one, name) or one.startswith(f"{name}.") for one in names if one):
                found.append(world.at(Span(file.path, item.line)))
    gaps = [f"{file.path} does not parse" for file in files if file.tree is None]
    gaps += [gap for file in files for gap in by_text(file, name, name.partition(".")[0])]
    return proved(found) if found else denied([counted(len(files), "file")], gaps)


@predicate(
    "{name} (has|lacks) a value wherever {scope} uses it", "undefined-name", "src/train.py", "np"
)
def bound(world: World, scope: Scope, name: str) -> Answer:
    """True where each evaluated use of the name finds a value; false where one finds none."""
    uses = list(_uses(world, scope, name))
    if not uses:
        return open_(f"nothing uses `{name}` there")
    against = [
        Witness(Span(file.path, one.line), f"`{one.name}` has no value here")
        for file in world.python_in(scope)
        for one in file.undefined_names
        if one.evaluated and one.name == name
    ]
    files = list(world.python_in(scope))
    if against:
        gaps = [gap for file in files for gap in by_text(file, name)]
        gaps += [f"{one.path} changes `builtins`" for one in files if "builtins" in one.aliases]
        return denied((), gaps, against)
    gaps = [f"{file.path} does not parse" for file in files if not file.tree]
    gaps += [f"{file.path} imports `*`" for file in files if file.top_level_names is None]
    gaps += [
        f"{one.path}: not every way there binds it" for one in files if name in perhaps_unbound(one)
    ]
    gaps += [
        f"{one.path}: an annotation that has it is never worked out"
        for one in files
        if any(unbound.name == name for unbound in one.undefined_names)
    ]
    return open_(*gaps) if gaps else proved(uses)


def _uses(world: World, scope: Scope, name: str) -> Iterator[Witness]:
    for file in world.python_in(scope):
        for node in file.nodes:
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
                yield world.at(Span(file.path, node.lineno))


@predicate("{scope} (uses|never uses) {name}", "by file", "src/train.py", "set_seed")
def uses(world: World, scope: Scope, name: str) -> Answer:
    """True where code reads the name, whole or as the end of a dotted one, or the item
    (`batch["x"]`); false where neither the scope nor what it runs does.
    """
    if item := ITEM.fullmatch(name.strip()):
        reads = partial(item_reads, held=item["held"], key=item["key"])
        return search(world, scope, reads, is_local=True)

    def seen(piece: Piece) -> Iterator[Sight]:
        meant = piece.file.in_full(name)
        for node in piece.nodes:
            match node:
                case ast.Name(ctx=ast.Load()) | ast.Attribute(ctx=ast.Load()):
                    full = piece.file.resolve(node) or str(getattr(node, "attr", ""))
                    if alike(full, meant) or alike(full.rpartition(".")[2], name):
                        yield Sight(node)
                case ast.Constant(value=str(text)) if alike(text, name.rpartition(".")[2]):
                    if isinstance(
                        piece.file.parents.get(node), ast.Call | ast.Subscript | ast.Compare
                    ):
                        yield Sight(node, "a text names it")

    return search(world, scope, seen, is_local=True)


@predicate(
    "{scope} (raises|never raises) {error}",
    "by error",
    "src/model.py",
    "NotImplementedError",
    error=raised,
)
def raises(world: World, scope: Scope, error: str) -> Answer:
    """True where a `raise` of the error stands; false where the scope and what it runs has
    none.
    """

    def seen(piece: Piece) -> Iterator[Sight]:
        for node in piece.nodes:
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "throw":
                yield Sight(node, "what is thrown is not known")
            if not isinstance(node, ast.Raise):
                continue
            what = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            name = (piece.file.resolve(what) or "").rpartition(".")[2] if what else ""
            if name and alike(name, error):
                yield Sight(node)
            elif what is None and may_be_caught(piece, node, error):
                yield Sight(node, "what is raised again may be it")
            elif what is not None and not is_known_class(world.facts.python, piece, what, name):
                yield Sight(node, "what is raised is not known")

    return search(world, scope, seen, is_local=True)
