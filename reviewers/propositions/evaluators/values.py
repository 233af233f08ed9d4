"""Values: what code sets, and what its functions return."""

import ast
from collections.abc import Iterator

from reviewers.facts.activities import Sight
from reviewers.facts.config_flow.processes import STARTING
from reviewers.facts.config_reads import plain_key
from reviewers.facts.globs import written_as
from reviewers.facts.occurrences import as_code, is_constant
from reviewers.facts.python_file import PythonFile, template
from reviewers.facts.python_nodes import Function, own_nodes
from reviewers.facts.reach import Piece
from reviewers.facts.sorts import LITERALS, is_sort
from reviewers.facts.stores import assigned, code_of, dotted, kept_under, stores
from reviewers.propositions.answers import Answer, Witness, denied, open_, proved
from reviewers.propositions.evaluators.names import search
from reviewers.propositions.terms import Literal, Scope
from reviewers.propositions.vocabulary import alike, predicate
from reviewers.propositions.world import World
from reviewers.records import Span

_RANDOM = ("random.*", "numpy.random.*", "torch.rand*", "torch.normal", "secrets.*")
_MERGES = ("update", "merge", "create", "from_dotlist", "from_cli")
# Decorators that hand on what a function returns.
_SAME = ("torch.", "functools.", "hydra.", "abc.", "typing.", "contextlib.suppress")


@predicate(
    "{scope} (sets|never sets) {target}[ to {value}][ when {when}]",
    "by file",
    "src/train.py",
    "cfg.wandb.mode",
    "disabled",
)
def sets(world: World, scope: Scope, target: str, value: Literal = None) -> Answer:
    """True where an assignment, a dictionary's entry, a default or an update gives the target the
    value; false where none in the scope, nor in what it runs, may. `constant`, `random`, a callee
    such as `trial.suggest_*` and a class's name are sorts of values, `*` is any.
    """
    wanted = plain_key(target)
    is_key = wanted != target

    def seen(piece: Piece) -> Iterator[Sight]:
        for node in piece.nodes:
            if _may_update(piece, node, wanted):
                yield Sight(node, "it may be set so here")
            if (word := _word(piece, node, wanted)) is not None:
                is_so = value in (None, "*") or alike(word, str(value))
                if is_so or "{" in word:
                    yield Sight(node, "" if is_so else "the word is made at run time")
            for said, given in assigned(piece, node):
                name = _behind(piece, said)
                is_target = _is_target(name, wanted, is_key=is_key)
                if is_target is False or (
                    is_target is None
                    and (_is_fresh(piece, name) or _is_elsewhere(world, node, name, wanted))
                ):
                    continue
                if is_target is None:
                    yield Sight(node, "what is set is made at run time")
                    continue
                fits = True if value in (None, "*") else _is_sort(world, piece, given, value)
                if fits is not False:
                    # A list of parameters has no line of its own.
                    place = given if isinstance(node, ast.arguments) else node
                    yield Sight(place, "" if fits else "it may be set so here")

    return search(world, scope, seen, is_local=True)


def _may_update(piece: Piece, node: ast.AST, wanted: str) -> bool:
    """Whether a section gets values from a mapping, or from words, that name what is meant."""
    *sections, last = wanted.split(".")
    if not isinstance(node, ast.Call) or not sections:
        return False
    callee = code_of(node.func).rpartition(".")[2]
    if not callee.startswith(_MERGES):
        return False
    inner = [*ast.walk(node)]
    names = {one.id for one in inner if isinstance(one, ast.Name)}
    inner += [
        part
        for name in names
        for _, given in stores(piece, name)
        if given is not None and given is not node
        for part in ast.walk(given)
    ]
    return any(
        (isinstance(one, ast.keyword) and one.arg in (None, last))
        or (isinstance(one, ast.Constant) and _names(str(one.value), wanted, last))
        for one in inner
    )


def _word(piece: Piece, node: ast.AST, wanted: str) -> str | None:
    """The value in a word `key=value` of a command line that the file puts together, if its key is
    the one that is meant; with `{}` for what is not known of it.
    """
    if not isinstance(node, ast.Constant | ast.JoinedStr) or not any(
        piece.file.calls_of(*STARTING)
    ):
        return None
    if isinstance(piece.file.parents.get(node), ast.JoinedStr | ast.FormattedValue):
        return None
    key, sign, value = template(node).partition("=")
    is_target = sign and key.strip() and _is_target(key.lstrip("+"), wanted, is_key=False)
    return value if is_target else None


def _names(text: str, wanted: str, last: str) -> bool:
    return text == last or text.partition("=")[0].lstrip("+") == wanted


def _behind(piece: Piece, name: str) -> str:
    """A dotted target with what its first name stands for, where one statement says so."""
    first, _, rest = name.partition(".")
    held = [given for _, given in stores(piece, first)] if rest else []
    if len(held) == 1 and isinstance(held[0], ast.Attribute | ast.Subscript):
        return f"{dotted(held[0])}.{rest}"
    return name


def _is_target(name: str, wanted: str, *, is_key: bool) -> bool | None:
    """Whether a target is the one that is meant: its end after a dot counts as well; None where
    its name is made at run time.

    Args:
        is_key: whether a key of the configuration is meant.
    """
    plain = plain_key(name)
    if wanted == "*":
        return plain != name  # any key of a configuration
    if name.endswith("?") and "." in name and ("." in wanted or is_key):
        return None
    return alike(plain, wanted) or ("." in plain and alike(plain, f"*.{wanted}"))


def _is_fresh(piece: Piece, name: str) -> bool:
    """Whether a target is an item of what the file itself makes as an empty or written container,
    and of nothing else.
    """
    given = [value for _, value in stores(piece, name.partition(".")[0])]
    return bool(given) and all(
        isinstance(one, ast.Dict | ast.List | ast.DictComp | ast.ListComp)
        or (isinstance(one, ast.Call) and code_of(one.func) in ("dict", "list", "defaultdict"))
        for one in given
    )


def _is_elsewhere(world: World, node: ast.AST, name: str, wanted: str) -> bool:
    """Whether the section of an item is another one than the one meant, and no code keeps anything
    under its name, by which it might be the same.
    """
    if isinstance(node, ast.Call) and code_of(node.func).endswith("update"):
        return False  # its key may have sections of its own
    *_, section, _ = ("", *name.split("."))
    *_, meant, _ = ("", *wanted.split("."))
    if not meant:  # a key at the top
        return "." in name.removesuffix(".?")
    kept = world.kept("names kept", lambda: kept_under(world.facts.python.values()))
    is_of_other = "." in name.removesuffix(".?") and not alike(section, meant)
    return is_of_other and section not in {"?", *kept}


def _is_sort(world: World, piece: Piece, node: ast.expr, wanted: Literal) -> bool | None:
    """Whether a value is the one that is meant, or of its sort; None where that is not certain."""
    if isinstance(node, ast.IfExp):
        ways = [_is_sort(world, piece, one, wanted) for one in (node.body, node.orelse)]
        return True if True in ways else False if ways == [False, False] else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = node.operand
        if isinstance(inner, ast.Constant) and isinstance(inner.value, int | float):
            return alike(-inner.value, wanted)
    if isinstance(node, ast.Name):
        match [given for _, given in stores(piece, node.id)]:
            case [ast.Call() | ast.Constant() as held]:
                return _is_sort(world, piece, held, wanted)
    if isinstance(node, ast.Constant):
        if wanted == "constant":
            return True
        plain = node.value
        return isinstance(plain, str | int | float | None) and is_constant(plain, wanted)
    called = piece.file.resolve(node.func) if isinstance(node, ast.Call) else None
    if wanted == "constant":
        is_built = isinstance(node, ast.List | ast.Tuple | ast.Dict)
        return True if is_built and not any(map(_is_made, ast.walk(node))) else None
    if wanted == "random":
        return True if isinstance(node, ast.Call) and is_random(piece, node) else None
    if not isinstance(wanted, str):
        return None
    if isinstance(node, ast.Call):
        name = called or (node.func.attr if isinstance(node.func, ast.Attribute) else "")
        names = (name, name.rpartition(".")[2], code_of(node))
        if any(written_as(one, wanted) for one in names) or alike(name, f"*.{wanted}"):
            return True
        if wanted.endswith("_*") and called:
            return False
    if written_as(code_of(node), wanted):
        return True
    return is_sort(world.facts.sorts.of(piece.file, node), wanted.lower()) or None


def is_random(piece: Piece, call: ast.Call) -> bool:
    """Whether a call draws what it gives at random."""
    return any(alike(piece.file.resolve(call.func) or "", one) for one in _RANDOM)


def _is_made(node: ast.AST) -> bool:
    return isinstance(node, ast.Name | ast.Call | ast.Attribute)


@predicate("{scope} (returns|does not return) {kind}", "by file", "src/preprocess.py::load", "list")
def returns(world: World, scope: Scope, kind: str) -> Answer:
    """True where every return of the function gives the kind: code as it stands there, or `list`,
    `tuple`, `dict`, `None`, `constant`; false where all returns are of other such kinds.
    """
    files = [file for file in world.python_in(scope) if scope.name in file.functions]
    if not files:
        return open_(f"the return values of {scope} are unknown")
    function = files[0].functions[scope.name]
    found = [
        node
        for node in own_nodes(function)
        if isinstance(node, ast.Return)
        and world.happens(scope, files[0].path, node.lineno) is not False
    ]
    if not found or any(
        isinstance(node, ast.Yield | ast.YieldFrom) for node in own_nodes(function)
    ):
        return open_(f"{scope} gives nothing by `return`")
    said = [(_kind_of(node.value), node) for node in found]
    witnesses = [Witness(Span(files[0].path, one.lineno), code_of(one)) for _, one in said]
    fits = [
        _returns_kind(one.value, told, kind) or _is_sort_of(world, files[0], one.value, kind)
        for told, one in said
    ]
    if all(fits):
        return proved(witnesses)
    exact = [
        seen
        for seen, (_, one) in zip(witnesses, said, strict=True)
        if one.value is not None
        and not isinstance(one.value, ast.Constant | ast.Name)
        and code_of(one.value) == as_code(kind)
    ]
    if exact:
        return proved(exact)  # code that stands there so, whatever else is returned
    if any(fit is None for fit in fits) or any(fits) or not _ends_in_return(function):
        return open_("not every return is of one known kind")
    gaps = [f"`{code_of(one)}` may return something else" for one in _unknown(files[0], function)]
    gaps += [
        f"`{code_of(part)}`, which is returned among others, may be meant"
        for _, one in said
        for part in (one.value.elts if isinstance(one.value, ast.Tuple) else ())
        if _is_sort_of(world, files[0], part, kind) is not False
    ]
    return denied((), gaps, witnesses)


def _unknown(file: PythonFile, function: Function) -> Iterator[ast.expr]:
    """The decorators that may put something else in the place of a function."""
    for one in function.decorator_list:
        name = file.resolve(one.func if isinstance(one, ast.Call) else one) or ""
        if name not in ("staticmethod", "classmethod", "property") and not name.startswith(_SAME):
            yield one


def _kind_of(node: ast.expr | None) -> str:
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        return "none"
    return "constant" if isinstance(node, ast.Constant) else LITERALS.get(type(node), "")


def _returns_kind(node: ast.expr | None, told: str, wanted: str) -> bool | None:
    is_made = isinstance(node, ast.UnaryOp | ast.BinOp | ast.BoolOp | ast.Compare)
    is_outlined = "*" in wanted.strip() and is_made  # `-accuracy` is not what `*acc*` outlines
    if node is not None and (
        code_of(node) == wanted or (not is_outlined and written_as(code_of(node), wanted))
    ):
        return True
    is_known = wanted.lower() in (*LITERALS.values(), "constant", "none")
    return told == wanted.lower() if told and is_known else None


def _is_sort_of(world: World, file: PythonFile, node: ast.expr | None, wanted: str) -> bool | None:
    """Whether a value is of a sort, as what makes it tells."""
    return node is not None and is_sort(world.facts.sorts.of(file, node), wanted.lower())


def _ends_in_return(function: Function) -> bool:
    return isinstance(function.body[-1], ast.Return | ast.Raise)
