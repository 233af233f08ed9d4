"""Figures: what is drawn, and what is saved."""

import ast
from collections.abc import Iterator, Sequence

from reviewers.facts import activities
from reviewers.facts.activities import Sight
from reviewers.facts.file_uses import FileUse
from reviewers.facts.occurrences import depends
from reviewers.facts.reach import Piece, member_of
from reviewers.facts.stores import code_of
from reviewers.facts.templates import HOLE
from reviewers.propositions.answers import Answer, Filled, Listing, Witness
from reviewers.propositions.evaluators.flow import MOST_CALLERS, callers_under
from reviewers.propositions.evaluators.names import search
from reviewers.propositions.terms import Scope
from reviewers.propositions.vocabulary import alike, predicate
from reviewers.propositions.world import World
from reviewers.records import Span

# What code that draws anything speaks of; without it a word about a figure hints at none.
_ANY_FIGURE = activities.Signs((), ("plot", "figure", "=fig", "savefig", "draw", "chart", "=plt"))
_DRAWS = ("plot", "draw", "chart", "graph", "curve")
_KNOWN = (".", "matplotlib.", "seaborn.", "pandas.")  # whose figures are told by their names
_LIBRARIES = ("plotly.", "altair.", "bokeh.", "wandb.plot")  # whose calls are not listed in full
# Methods of axes that draw, and whose names do not say so.
_ALSO_DRAWS = frozenset(
    {"semilogx", "semilogy", "loglog", "errorbar", "fill_between", "stairs", "bxp", "add_patch"}
    | {"add_line", "add_collection", "add_artist", "contour", "contourf", "spy", "pcolor", "step"}
    | {"from_estimator", "from_predictions", "clustermap", "imread", "add_trace", "image"}
)
_PREPARES = frozenset({"subplots", "subplot", "subplots_adjust", "subplot_mosaic", "add_subplot"})
_LOOP = frozenset({"loop"})
_SAVES = frozenset({"savefig", "write_image", "write_html"})


def drawn(world: World, scope: Scope, per: str = "") -> Listing:
    """The kinds of the figures that code of a scope draws; what one function draws is one figure,
    which may be of several kinds.
    """
    reached = world.reached_from(scope)
    filled: list[Filled] = []
    gaps = list(reached.gaps)
    for piece in reached.pieces:
        found = [(kind, node) for node in piece.nodes for kind in _kinds(piece, node)]
        gaps += [
            f"{piece.file.path}: what `{one}` draws is not known"
            for one, _ in _unlisted(world, piece)
            if not (found and one.startswith(_KNOWN))
        ]
        belongs = [_belongs(world, piece, use, per) for use in _saved(world, piece)]
        if not (found or belongs) or (per and belongs and not {True, None} & {*belongs}):
            continue
        doubt = _doubt(world, piece, "") if found else "what it saves is not known"
        if not doubt and per and True not in belongs:
            doubt = f"whether `{piece.name}` is for each {per} is not known"
        if doubt:
            gaps.append(f"{piece.file.path}: {doubt}")
            continue
        line = getattr(found[0][1], "lineno", None)
        witness = Witness(Span(piece.file.path, line), code_of(found[0][1]))
        filled.append(Filled("|".join(dict.fromkeys(kind for kind, _ in found)), witness))
    return Listing(tuple(filled), (f"{len(filled)} functions that draw",), tuple(gaps))


def _belongs(world: World, piece: Piece, use: FileUse, per: str) -> bool | None:
    """Whether a figure is one of those for each of something, as its path tells: by the word, or by
    a name that is made for each run. A name that is not made is that of one figure for all, unless
    a loop saves it into one folder after another. None where it says neither.
    """
    name = use.path.rpartition("/")[2].lower()
    if per in use.path.lower():
        return True
    if any(word in use.path.lower() for word in ("comparison", "aggregat")):
        return False
    if name == HOLE or per not in ("run", "comparison"):
        return None
    is_for_each = HOLE in name or bool(depends(piece, use.node, "loop", _LOOP)[0])
    is_for_each = is_for_each or any(callers_under(world, piece, "loop", _LOOP, MOST_CALLERS))
    return is_for_each == (per == "run")


@predicate(
    "{scope} (draws|never draws) <a {figure} figure|{figure} figures>[ per {per}][ when {when}]",
    "evaluation-incomplete",
    "src/evaluate.py",
    "bar",
    figure=drawn,
)
def draws(world: World, scope: Scope, figure: str, per: str = "") -> Answer:
    """True where a call that draws such a figure stands in code that saves one, for each of
    several things where its file's name holds one of them; false where neither the scope nor what
    it runs has a call that may draw it. Of a figure that the table does not have it is only known
    that no name or text hints at it.
    """
    known = activities.any_of("figures") if figure in "*?" else activities.seen("figures", figure)
    pieces = world.reached_from(scope).pieces
    may_draw = any(map(_ANY_FIGURE.is_spoken_of, pieces)) and (
        not known.all_calls or any(_may_draw(world, piece, known) for piece in pieces)
    )

    def is_drawn(piece: Piece, node: ast.AST) -> bool:
        return _is_drawn(world, piece, node, known.all_calls)

    def seen(piece: Piece) -> Iterator[Sight]:
        doubt = _doubt(world, piece, per) or ("" if known.words else "which is meant is not known")
        names = [use.path.rpartition("/")[2].lower() for use in _saved(world, piece)]
        if any(word in name for word in known.words for name in names):
            # What a helper draws is told by the file that it is given.
            yield from (Sight(node, doubt) for node in piece.nodes if is_drawn(piece, node))
        yield from (
            Sight(node, "what it draws is not known")
            for name, node in _unlisted(world, piece)
            if _ANY_FIGURE.is_spoken_of(piece) and not (known.words and name.startswith(_KNOWN))
        )
        for sight in known.in_piece(piece):
            if may_draw:
                is_sure = not sight.doubt and is_drawn(piece, sight.node)
                yield Sight(sight.node, doubt if is_sure else sight.doubt or "it may be of a kind")

    return search(world, scope, seen)


def _may_draw(world: World, piece: Piece, known: activities.Signs) -> bool:
    """Whether a piece of code may draw a figure: by a call that does, or by one that draws what
    its name does not tell.
    """
    for node in piece.nodes:
        taken = member_of(piece, node) or ""
        if isinstance(node, ast.Attribute) and not _is_called(piece, node):
            taken = taken or piece.file.resolve(node) or f".{node.attr}"
        if taken and any(alike(taken, one) for one in known.all_calls):
            return True
        if taken.endswith(".*") and any(word in taken for word in _DRAWS):
            return True
        if _is_drawn(world, piece, node, known.all_calls):
            return True
    return any(True for _ in _unlisted(world, piece))


def _unlisted(world: World, piece: Piece) -> Iterator[tuple[str, ast.Call]]:
    """Calls that may draw a figure of any kind, with their names."""
    listed = activities.any_of("figures").calls
    for node in piece.nodes:
        if not isinstance(node, ast.Call) or world.facts.local_code.target(piece.file, node):
            continue  # what local code draws is looked at by itself
        for name in _drawing_names(world, piece, node, listed):
            last = name.rpartition(".")[2]
            is_listed = any(alike(name, one) for one in listed) or last in _PREPARES
            is_of_any = last in _ALSO_DRAWS or name.startswith(_LIBRARIES)
            if is_of_any or (not is_listed and any(word in last for word in _DRAWS)):
                yield name, node


def _is_drawn(world: World, piece: Piece, node: ast.AST, calls: Sequence[str]) -> bool:
    """Whether a call draws what one of these does, by the names that tell its kind."""
    listed = activities.any_of("figures").calls
    names = _drawing_names(world, piece, node, listed) if isinstance(node, ast.Call) else iter(())
    return any(alike(name, one) for name in names for one in calls)


def _is_called(piece: Piece, node: ast.AST) -> bool:
    parent = piece.file.parents.get(node)
    return isinstance(parent, ast.Attribute) or (
        isinstance(parent, ast.Call) and node is parent.func
    )


def _drawing_names(
    world: World, piece: Piece, node: ast.Call, listed: Sequence[str]
) -> Iterator[str]:
    """The names of a call; of a method of what draws one kind only, the class's, and of `plot` the
    kind that it is told.
    """
    kind = next((one.value for one in node.keywords if one.arg in ("kind", None)), None)
    if kind is not None and getattr(node.func, "attr", "") == "plot":
        said = kind.value if isinstance(kind, ast.Constant) else None
        return iter([f".{said}plot" if isinstance(said, str) else ".any_plot"])
    if isinstance(node.func, ast.Attribute):
        classes = world.facts.library_types.of(piece.file, node.func.value)
        if classes and all(any(alike(one, call) for call in listed) for one in classes):
            return iter(classes)
    return activities.called(piece, node)


def _doubt(world: World, piece: Piece, per: str) -> str:
    """Why what a function draws may be no figure of its own."""
    saved = list(_saved(world, piece))
    if not any(isinstance(node, ast.Attribute) and node.attr in _SAVES for node in piece.nodes):
        return "nothing saves a figure beside it"
    is_for_each = any(HOLE in use.path.rpartition("/")[2] for use in saved)
    return f"for each {per} may be meant by its name" if per and not is_for_each else ""


def _saved(world: World, piece: Piece) -> Iterator[FileUse]:
    for node in piece.nodes:
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in _SAVES:
            yield from world.facts.file_uses.of_calls.get(node, ())


def _kinds(piece: Piece, node: ast.AST) -> Iterator[str]:
    """The kinds of figure that a call may draw."""
    names = list(activities.called(piece, node))
    for kind, entry in activities.table("figures").items():
        if kind == "*":  # any, which is no kind
            continue
        is_drawn = any(alike(name, call) for name in names for call in entry.all_calls)
        if is_drawn and (entry.calls or entry.is_spoken_of(piece)):
            yield kind
