"""Figures: what is drawn, and saved."""

import ast
from collections.abc import Iterator

from reviewers.facts.reach import Piece
from reviewers.propositions.answers import Answer, open_
from reviewers.propositions.evaluators import tables
from reviewers.propositions.evaluators.names import Sight, search
from reviewers.propositions.terms import Scope
from reviewers.propositions.world import World

_SAVES = frozenset({"savefig", "write_image", "write_html"})


def draws(world: World, scope: Scope, figure: str, per: str = "") -> Answer:
    """True where a call that draws such a figure stands in code that saves one; false where
    neither the scope nor what it runs has such a call, nor a name or text that hints at it.
    """
    if per:
        return open_("for what each figure is made is not known")
    known = tables.entry("figures", figure)
    if known is None:
        return open_(f"`{figure}` is no kind of figure that is known here")

    def seen(piece: Piece) -> Iterator[Sight]:
        saves = any(isinstance(node, ast.Attribute) and node.attr in _SAVES for node in piece.nodes)
        for sight in known.in_piece(piece):
            doubt = sight.doubt or ("" if saves else "nothing saves a figure beside it")
            yield Sight(sight.node, doubt)

    return search(world, scope, seen)
