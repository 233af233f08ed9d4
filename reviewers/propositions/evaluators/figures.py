"""Figures: what is drawn, and saved."""

import ast
from collections.abc import Iterator

from reviewers.facts.file_uses import FileUse
from reviewers.facts.reach import Piece
from reviewers.facts.stores import code_of
from reviewers.facts.templates import HOLE
from reviewers.propositions.answers import Answer, Filled, Listing, Witness
from reviewers.propositions.evaluators import tables
from reviewers.propositions.evaluators.names import Sight, search
from reviewers.propositions.terms import Scope
from reviewers.propositions.vocabulary import alike, predicate
from reviewers.propositions.world import World
from reviewers.records import Span

# What code that draws anything speaks of; without it a word about a figure hints at none.
_ANY_FIGURE = tables.Seen((), ("plot", "figure", "=fig", "savefig", "draw", "chart", "=plt"))
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
        names_each = any(HOLE in use.path.rpartition("/")[2] for use in _saved(world, piece))
        if not found or (per and not (per == "run" and names_each)):
            continue
        if doubt := _doubt(world, piece, ""):
            gaps.append(f"{piece.file.path}: {doubt}")
        line = getattr(found[0][1], "lineno", None)
        witness = Witness(Span(piece.file.path, line), code_of(found[0][1]))
        filled.append(Filled("|".join(dict.fromkeys(kind for kind, _ in found)), witness))
    if per:
        gaps.append(f"which figures are made for each {per} is not certain")
    return Listing(tuple(filled), (f"{len(filled)} functions that draw",), tuple(gaps))


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
    it runs has such a call, nor a name or text that hints at it. Of a figure that the table does
    not have it is only known that nothing hints at it.
    """
    known = tables.seen("figures", figure)
    may_draw = any(map(_ANY_FIGURE.is_spoken_of, world.reached_from(scope).pieces))

    def seen(piece: Piece) -> Iterator[Sight]:
        doubt = _doubt(world, piece, per)
        for sight in known.in_piece(piece):
            if may_draw or not sight.doubt:
                yield Sight(sight.node, sight.doubt or doubt)

    return search(world, scope, seen)


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
    names = list(tables.called(piece, node))
    for kind, entry in tables.table("figures").items():
        is_drawn = any(alike(name, call) for name in names for call in entry.all_calls)
        if is_drawn and (entry.calls or entry.is_spoken_of(piece)):
            yield kind
