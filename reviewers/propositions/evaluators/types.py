"""Types: of which sort values are, as far as the code alone tells, and what is trained."""

import ast
import re
from collections.abc import Iterator, Sequence

from reviewers.facts.entry_points import entry_points
from reviewers.facts.gradients import carries_no_gradient
from reviewers.facts.python_file import PythonFile
from reviewers.facts.reach import Piece
from reviewers.facts.stores import code_of, stores
from reviewers.facts.torch_names import TENSOR_MAKERS
from reviewers.propositions.answers import Answer, Witness, denied, open_, proved
from reviewers.propositions.evaluators import tables
from reviewers.propositions.evaluators.names import search
from reviewers.propositions.evaluators.places import occurrences
from reviewers.propositions.terms import Scope
from reviewers.propositions.vocabulary import predicate
from reviewers.propositions.world import World
from reviewers.records import Span

_ARGUMENT = re.compile(r"([\w.]+)\((\d|\w+)\)$")
_TYPE = re.compile(r"(?P<base>\w[\w.]*)(?:\[(?P<inner>.*)\])?(?P<rest>.*)$")
_LITERALS: dict[type[ast.expr], str] = {
    ast.List: "list",
    ast.ListComp: "list",
    ast.Tuple: "tuple",
    ast.Dict: "dict",
    ast.DictComp: "dict",
    ast.Set: "set",
    ast.SetComp: "set",
    ast.GeneratorExp: "generator",
    ast.JoinedStr: "str",
    ast.Lambda: "function",
}
_MADE = {
    **dict.fromkeys(TENSOR_MAKERS, "tensor"),
    **{name: name for name in ("int", "str", "float", "bool", "list", "tuple", "dict", "set")},
    "sorted": "list",
    "len": "int",
    "torch.nn.Parameter": "parameter",
    "torch.nn.parameter.Parameter": "parameter",
    "numpy.array": "ndarray",
    "omegaconf.OmegaConf.to_container": "dict",
    **{f"omegaconf.OmegaConf.{name}": "dictconfig" for name in ("merge", "create", "load")},
}
_GIVEN_BY_METHODS = {"item": "number", "tolist": "list", "numpy": "ndarray", "split": "list"}
_ALSO = {  # a value of the first sort is one of the second, too
    "parameter": {"tensor"},
    "number": {"scalar"},
    "int": {"number", "scalar"},
    "float": {"number", "scalar"},
    "bool": {"int"},
}
_PLAIN = frozenset({*_LITERALS.values(), *_MADE.values(), "none", "number", "scalar"})


@predicate(
    "in {scope}, {expr} (is|is not) a {type}[ when {when}][ after {after}]",
    "implementation",
    "src/model.py",
    "meta_vec",
    "tensor",
)
def has_type(world: World, scope: Scope, expr: str, type: str) -> Answer:
    """True where each value that the expression has in the scope is certainly of the type; false
    where each is certainly of another. Shapes and devices are left open.
    """
    told = _TYPE.match(type.strip())
    if told is None:
        return open_(f"`{type}` is no type that is known here")
    base, inner = told["base"].rpartition(".")[2].lower(), (told["inner"] or "").strip()
    without = "without gradient" in told["rest"]
    reached = world.reached_from(scope)
    found = [
        (piece, node) for piece in (reached.own if reached else ()) for node in _values(piece, expr)
    ]
    if without:
        return _without_gradient(world, reached.own if reached else (), expr)
    if not found:
        return open_(f"`{expr}` does not stand in {scope}")
    sorts = [(kind(world, piece.file, node), piece, node) for piece, node in found]
    places = [_at(piece.file, node, sort) for sort, piece, node in sorts]
    fits = [is_sort(sort, base) for sort, _, _ in sorts]
    if not any(fit is not False for fit in fits):
        if inner or told["rest"].strip():
            return open_(f"what `{expr}` holds may be meant")
        return denied((), (), places)
    if not all(fit is True for fit in fits):
        return open_(f"of which sort `{expr}` is, is not known")
    if told["rest"].strip() or (inner and not _holds(world, sorts, inner)):
        return open_(f"it is a {base}; what `{type}` says beside is not known")
    return proved(places)


def _values(piece: Piece, expr: str) -> Iterator[ast.AST]:
    """What an expression may be: all that is stored under its name, else itself; `f(0)` is an
    argument of a call.
    """
    if expr in ("return value", "return"):
        yield from (one.value for one in piece.nodes if isinstance(one, ast.Return) and one.value)
        return
    held = [given or node for node, given in stores(piece, expr)]
    if held:
        yield from held
        return
    plain = [one for one in occurrences(piece, expr) if isinstance(one, ast.expr)]
    yield from plain
    argument = _ARGUMENT.match(expr)
    if argument and not plain:
        for call in occurrences(piece, argument[1]):
            if isinstance(call, ast.Call):
                named = [one.value for one in call.keywords if one.arg == argument[2]]
                at = int(argument[2]) if argument[2].isdecimal() else len(call.args)
                yield from named or call.args[at : at + 1]


def kind(world: World, file: PythonFile, node: ast.AST, deep: int = 6) -> str:
    """The sort of a value, in small letters; empty where it is not known."""
    if deep == 0 or not isinstance(node, ast.expr | ast.arg):
        return ""
    if isinstance(node, ast.arg):
        return _of_argument(file, node)
    if isinstance(node, ast.Constant):
        return "none" if node.value is None else node.value.__class__.__name__
    if (sort := _LITERALS.get(node.__class__)) is not None:
        return sort
    if isinstance(node, ast.Call):
        name = file.resolve(node.func) or ""
        if name in _MADE:
            return _MADE[name]
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if not name.startswith(("torch.", "numpy.")) and method in _GIVEN_BY_METHODS:
            return _GIVEN_BY_METHODS[method]
        local = world.facts.local_code.type_of(file, node)
        if local is not None:
            return local[1].name.lower()
    if isinstance(node, ast.Name):
        given = world.facts.file_uses.paths.origins.values(file, node)
        sorts = {kind(world, one.file, one.node, deep - 1) for one in given}
        if len(sorts) == 1 and "" not in sorts and not _is_taken_from(file, node):
            return sorts.pop()
    if isinstance(node, ast.Attribute) and (held := _attribute(world, file, node)):
        return held
    classes = world.facts.library_types.of(file, node)
    return next(iter(classes)).rpartition(".")[2].lower() if len(classes) == 1 else ""


def _is_taken_from(file: PythonFile, name: ast.Name) -> bool:
    """Whether what is known of a name is what it is an item of."""
    bound = file.scopes.bindings(name) if file.scopes else ()
    return any(
        isinstance(file.parents.get(one), ast.For | ast.comprehension | ast.Tuple | ast.List)
        for one in bound
    )


def _attribute(world: World, file: PythonFile, node: ast.Attribute) -> str:
    """The sort of an attribute of `self` that one statement of the file alone gives."""
    said = code_of(node)
    if not said.startswith("self."):
        return ""
    found = {
        given
        for other in file.nodes
        if isinstance(other, ast.Assign)
        for target in other.targets
        if code_of(target) == said
        for given in [other.value]
    }
    sorts = {kind(world, file, one, 2) for one in found}
    return sorts.pop() if len(sorts) == 1 else ""


def _of_argument(file: PythonFile, node: ast.arg) -> str:
    """The sort of a parameter: what Hydra gives to the function that it calls."""
    for entry in entry_points(file.path, file):
        arguments = file.functions[entry.function].args.args
        if arguments and arguments[0] is node:
            return "dictconfig"
    return ""


def is_sort(sort: str, base: str) -> bool | None:
    """Whether a sort is the one that is meant; None where it may be."""
    if not sort:
        return None
    if sort == base or base in _ALSO.get(sort, ()):
        return True
    return False if sort in _PLAIN and base in _PLAIN and sort not in _ALSO.get(base, ()) else None


def _holds(world: World, sorts: list[tuple[str, Piece, ast.AST]], inner: str) -> bool:
    """Whether what a value holds is of the sort that stands in brackets."""
    if inner == "struct":  # in which Hydra hands over a configuration
        return any(sort == "dictconfig" and isinstance(node, ast.arg) for sort, _, node in sorts)
    for _, piece, node in sorts:
        if isinstance(node, ast.List | ast.Tuple) and node.elts:
            if any(kind(world, piece.file, one) != inner for one in node.elts):
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
                shown.append(_at(piece.file, node, "without a gradient"))
    return proved(shown)


def _at(file: PythonFile, node: ast.AST, sort: str) -> Witness:
    line = getattr(node, "lineno", None)
    said = f"{code_of(node)} is {sort or 'of a sort that is not known'}"
    return Witness(Span(file.path, line, getattr(node, "end_lineno", line)), said)


@predicate(
    "{scope} (trains|never trains) {parameter}",
    "implementation",
    "code",
    "src/model.py::Gate.log_alpha",
)
def trains(world: World, scope: Scope, parameter: str) -> Answer:
    """Never true: that a parameter gets a gradient and an optimizer needs a run. False where no
    code at all has a call that trains anything, whichever part of it is spoken of.
    """
    known = tables.entry("activities", "training")
    assert known is not None
    found = search(world, Scope(mode=scope.mode, run=scope.run), known.in_piece)
    if found.truth.value == "false":
        return found
    return open_(f"whether `{parameter}` gets a gradient is only seen in a run")
