"""Types: of which sort values are, as far as the code alone tells, and what is trained."""

import ast
import re
from collections.abc import Sequence

from reviewers.facts import activities
from reviewers.facts.gradients import carries_no_gradient
from reviewers.facts.meant import values_meant
from reviewers.facts.occurrences import occurrences
from reviewers.facts.python_file import PythonFile
from reviewers.facts.reach import Piece
from reviewers.facts.shapes import is_shape
from reviewers.facts.sorts import is_sort
from reviewers.facts.stores import code_of
from reviewers.propositions.answers import Answer, Witness, denied, open_, proved
from reviewers.propositions.evaluators.names import search
from reviewers.propositions.terms import Scope
from reviewers.propositions.vocabulary import predicate
from reviewers.propositions.world import World, shown

_ARRAYS = ("tensor", "ndarray", "array", "parameter")
_TYPE = re.compile(r"(?P<base>\w[\w.]*)(?:\[(?P<inner>.*)\])?(?P<rest>.*)$")


@predicate(
    "in {scope}, {expr} (is|is not) a {type}[ when {when}][ after {after}]",
    "tensor-or-runtime",
    "src/model.py",
    "logits",
    "tensor",
)
def has_type(world: World, scope: Scope, expr: str, type: str) -> Answer:
    """True where each value that the expression has in the scope is certainly of the type; false
    where each is certainly of another, or a tensor of other sizes. Devices are left open.
    """
    told = _TYPE.match(type.strip())
    if told is None:
        return open_(f"`{type}` is no type that is known here")
    base, inner = told["base"].rpartition(".")[2].lower(), (told["inner"] or "").strip()
    without = "without gradient" in told["rest"]
    reached = world.reached_from(scope)
    found = [(piece, node) for piece in reached.own for node in values_meant(piece, expr)]
    if without:
        return _without_gradient(world, reached.own, expr)
    if not found:
        return open_(f"`{expr}` does not stand in {scope}")
    sorts = [(world.facts.sorts.of(piece.file, node), piece, node) for piece, node in found]
    places = [_as_sort(piece.file, node, sort) for sort, piece, node in sorts]
    fits = [is_sort(sort, base) for sort, _, _ in sorts]
    if not any(fit is not False for fit in fits):
        if inner or told["rest"].strip():
            return open_(f"this may refer to the contents of `{expr}`")
        return denied((), (), places)
    if inner and base in _ARRAYS and not told["rest"].strip():
        return _of_shape(world, found, expr, inner)
    if not all(fit is True for fit in fits):
        return open_(f"the type of `{expr}` is unknown")
    if told["rest"].strip() or (inner and not _holds(world, sorts, inner)):
        return open_(f"it is a {base}; the rest of `{type}` is unknown")
    return proved(places)


def _of_shape(
    world: World, found: Sequence[tuple[Piece, ast.AST]], expr: str, inner: str
) -> Answer:
    """Whether each value that an expression has is an array of these sizes."""
    shapes = [(world.facts.shapes.of(piece.file, node), piece, node) for piece, node in found]
    fits = {is_shape(shape, inner) for shape, _, _ in shapes}
    places = [
        _as_sort(piece.file, node, f"of the sizes {list(shape or ())}")
        for shape, piece, node in shapes
    ]
    if None in fits or len(fits) != 1:
        return open_(f"the sizes of `{expr}` are not all known")
    return proved(places) if fits.pop() else denied((), (), places)


def _holds(world: World, sorts: list[tuple[str, Piece, ast.AST]], inner: str) -> bool:
    """Whether what a value holds is of the sort that stands in brackets."""
    if inner == "struct":  # in which Hydra hands over a configuration
        return any(sort == "dictconfig" and isinstance(node, ast.arg) for sort, _, node in sorts)
    for _, piece, node in sorts:
        if isinstance(node, ast.List | ast.Tuple) and node.elts:
            if any(world.facts.sorts.of(piece.file, one) != inner for one in node.elts):
                return False
        else:
            return False
    return True


def _without_gradient(world: World, pieces: Sequence[Piece], expr: str) -> Answer:
    shown = []
    for piece in pieces:
        for node in occurrences(piece, expr):
            if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", None), ast.Load):
                if not carries_no_gradient(world.facts.local_code, piece.file, node):
                    return open_(f"`{expr}` may carry a gradient")
                shown.append(_as_sort(piece.file, node, "without a gradient"))
    return proved(shown)


def _as_sort(file: PythonFile, node: ast.AST, sort: str) -> Witness:
    return shown(file, node, f"{code_of(node)} is {sort or 'of a sort that is not known'}")


@predicate(
    "{scope} (trains|never trains) {parameter}",
    "tensor-or-runtime",
    "code",
    "src/model.py::Encoder.scale",
)
def trains(world: World, scope: Scope, parameter: str) -> Answer:
    """Never true: that a parameter gets a gradient and an optimizer needs a run. False where no
    code at all has a call that trains anything, whichever part of it is spoken of.
    """
    known = activities.seen("activities", "training")
    found = search(world, Scope(mode=scope.mode, run=scope.run), known.in_piece)
    if found.truth.value == "false":
        return found
    return open_(f"whether `{parameter}` gets a gradient is only seen in a run")
