"""Calls: who calls what, with which arguments."""

import ast
from collections.abc import Iterator

from reviewers.facts.activities import Sight
from reviewers.facts.called import is_of_unknown, own_method
from reviewers.facts.configured import given_on_starts
from reviewers.facts.globs import written_as
from reviewers.facts.occurrences import as_code
from reviewers.facts.reach import Piece, is_of_types, member_of
from reviewers.facts.stores import code_of, spread, stores
from reviewers.propositions.answers import Answer
from reviewers.propositions.evaluators.names import search
from reviewers.propositions.terms import Literal, Passed, Scope
from reviewers.propositions.vocabulary import alike, predicate
from reviewers.propositions.world import World


@predicate(
    "{scope} (calls|never calls) {callee}[ with {with}][ with {args}]"
    "[ with {positional} plain values][ where its arguments mention {mentions}][ on {on}]"
    "[ when {when}]",
    "by file",
    "src/evaluate.py",
    "wandb.Api",
)
def calls(
    world: World,
    scope: Scope,
    callee: str,
    with_: Passed = Passed(),  # noqa: B008
    args: Passed = Passed(),  # noqa: B008
    mentions: str = "",
    on: str = "",
    positional: Literal = None,
) -> Answer:
    """True where a call of the name stands in the scope, or in local code that it runs, with these
    arguments; false where none does.
    """

    def seen(piece: Piece) -> Iterator[Sight]:
        meant = piece.file.in_full(callee)
        for node in piece.nodes:
            yield from taken(world, piece, node, meant)
            own = (
                own_method(world.facts.local_code, piece, node, meant)
                if isinstance(node, ast.Call)
                else False
            )
            if isinstance(node, ast.Call) and (own or _is_named(piece, node.func, meant)):
                order = _order(world, piece, node) if with_.named and node.args else []
                fits = (
                    _fits(world, piece, node, with_, order),
                    _fits(world, piece, node, args, order),
                    _mentions(world, piece, node, mentions),
                    _mentions(world, piece, node, on) or None,
                    _has_plain(node, positional),
                )
                if all(fit is not False for fit in fits):
                    is_sure = all(fit is True for fit in fits)
                    yield Sight(node, "" if is_sure else "its arguments are made at run time")
            elif (
                own is None
                and isinstance(node, ast.Call)
                and is_of_unknown(piece, node.func, meant)
            ):
                yield Sight(node, f"`{code_of(node.func)}` may be it by another name")

    return search(world, scope, seen)


def taken(world: World, piece: Piece, node: ast.AST, callee: str) -> Iterator[Sight]:
    """Where a callee may be taken along to be called elsewhere, by its name or with its module."""
    member = member_of(piece, node) or ""
    if member and _may_be(callee, member) and not _is_lacking(world, node, callee, member):
        yield Sight(node, f"it takes `{member}`")
    elif isinstance(node, ast.Name | ast.Attribute) and _is_handed_on(piece, node, callee):
        yield Sight(node, "what it is handed to may call it")


def _may_be(callee: str, member: str) -> bool:
    """Whether a callee may be what is taken of a module: `torch.*`, `*.backward`."""
    wanted, module = callee.removeprefix("*."), member.removesuffix(".*")
    *sections, last = wanted.split(".")
    if not member.endswith(".*"):
        return alike(last, member.rpartition(".")[2])
    return not sections or any(
        f".{module}".endswith(f".{'.'.join(sections[:at])}") for at in range(1, len(sections) + 1)
    )


def _is_lacking(world: World, node: ast.AST, callee: str, member: str) -> bool:
    """Whether `getattr` asks a module that has nothing of the callee's name in any version."""
    module, last = member.removesuffix(".*"), callee.rpartition(".")[2]
    known = world.facts.third_party
    return (
        isinstance(node, ast.Call)
        and member.endswith(".*")
        and last.isidentifier()
        and known.distribution_of(module) is not None
        and known.exists(f"{module}.{last}").answer == "none"
    )


def _is_handed_on(piece: Piece, node: ast.Name | ast.Attribute, callee: str) -> bool:
    """Whether a name is used as a value, and not called where it stands."""
    parent = piece.file.parents.get(node)
    is_called = isinstance(parent, ast.Call) and parent.func is node
    if is_called or isinstance(parent, ast.Attribute) or not isinstance(node.ctx, ast.Load):
        return False
    if callee == "*" or not _is_named(piece, node, callee) or is_of_types(piece, node):
        return False
    is_local = piece.name in piece.file.functions  # what else is kept, other files may take
    if (
        is_local
        and isinstance(parent, ast.Assign)
        and all(isinstance(one, ast.Name) for one in parent.targets)
    ):
        given = {one.id for one in parent.targets if isinstance(one, ast.Name)}
        return any(
            isinstance(one, ast.Name) and one.id in given and isinstance(one.ctx, ast.Load)
            for one in piece.file.nodes
        )
    return True


def _is_named(piece: Piece, func: ast.expr, callee: str) -> bool:
    """Whether what is called has the name: the resolved name, or its end or its beginning up to a
    dot.
    """
    name = piece.file.resolve(func)
    if name is None:
        name = f".{func.attr}" if isinstance(func, ast.Attribute) else ""
    wanted = callee.removeprefix("*.")
    return any(alike(name, pattern) for pattern in (callee, f"*.{wanted}", f"{wanted}.*"))


def _has_plain(node: ast.Call, many: Literal) -> bool | None:
    """Whether a call gets so many plain values."""
    if many is None:
        return True
    is_open = any(isinstance(one, ast.Starred) for one in node.args)
    return None if is_open else len(node.args) == many


def _mentions(world: World, piece: Piece, node: ast.Call, words: str) -> bool | None:
    """Whether the arguments of a call speak of something, those included that the function gives a
    name before.
    """
    if words in code_of(node):
        return True
    names = [one.id for one in ast.walk(node) if isinstance(one, ast.Name)]
    held = [value for name in names for _, value in stores(piece, name)]
    if any(value is not None and words in ast.unparse(value) for value in held):
        return True
    given = [*node.args, *(one.value for one in node.keywords)]
    return False if all(_is_written(world, piece, one, words) for one in given) else None


def _is_written(world: World, piece: Piece, node: ast.expr, words: str) -> bool:
    """Whether a value is made of what is written there, or read from configurations that nowhere
    have the words.
    """
    match node:
        case ast.Constant():
            return True
        case ast.List(elts=inner) | ast.Tuple(elts=inner) | ast.Dict(values=inner):
            return all(_is_written(world, piece, one, words) for one in inner)
    texts = world.facts.hydra.yaml_files.values()
    is_read = bool(world.facts.config_reads.sections(piece.file, node))
    return is_read and not any(words in text for text in texts)


def _order(world: World, piece: Piece, node: ast.Call) -> list[str]:
    """The names of the parameters that a call's plain values may fill, as the submission or the
    library has them.
    """
    if (own := world.facts.local_code.target(piece.file, node)) is not None:
        names = [one.arg for one in (*own.function.args.posonlyargs, *own.function.args.args)]
        return names[own.bound :]
    name = piece.file.resolve(node.func) or ""
    facts = world.facts
    allowed = facts.allowed_versions(name, as_meant=True)
    signature = facts.third_party.signature(name, allowed) if name else None
    found = signature.alternatives[0] if signature and signature.alternatives else ()
    return [one.name for one in found if one.kind == "either"]


def _fits(
    world: World, piece: Piece, node: ast.Call, passed: Passed, order: list[str]
) -> bool | None:
    """Whether a call gets these arguments; None where that depends on values of run time.

    Args:
        order: the parameters that plain values fill; empty where they are not known.
    """
    keywords = dict(zip(order, node.args, strict=False))
    keywords |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    handed = [spread(piece, keyword.value) for keyword in node.keywords if not keyword.arg]
    for more in handed:
        keywords |= more or {}
    is_open = None in handed or any(isinstance(one, ast.Starred) for one in node.args)
    # Of several plain values, one may be meant that is not named; the first one hardly is.
    is_open = is_open or (len(node.args) > 1 and not order)
    for given in node.args:
        if isinstance(given, ast.Dict):  # one argument that names others
            pairs = zip(given.keys, given.values, strict=True)
            named = {one.value: held for one, held in pairs if isinstance(one, ast.Constant)}
            keywords |= {str(name): held for name, held in named.items()}
    each: list[bool | None] = []
    for name, value in passed.named:
        missing = None if is_open else False
        given_ = keywords.get(name)
        each.append(missing if given_ is None else _is_value(world, piece, node, given_, value))
    for value in passed.positional:
        held = (*node.args, *keywords.values())
        found = [_is_value(world, piece, node, one, value) for one in held]
        each.append(True if True in found else None if is_open or None in found else False)
    return False if False in each else None if None in each else True


def _is_value(
    world: World, piece: Piece, call: ast.Call, node: ast.expr, value: Literal
) -> bool | None:
    """Whether an argument is a value, written there or given on each start; None where it is
    computed.
    """
    if value == "*":
        return True
    bound = piece.file.bindings(node) if isinstance(node, ast.Name) else ()
    match piece.file.parents.get(bound[0]) if len(bound) == 1 else None:
        case ast.Assign(targets=[ast.Name()], value=ast.Constant() | ast.Attribute() as held):
            node = held
    if isinstance(value, str) and (
        written_as(code_of(node), value) or code_of(node) == as_code(value)
    ):
        return True
    # What is told as code may be the same value by another name.
    if not isinstance(node, ast.Constant) and not _is_expression(value):
        known = world.facts.configured.values(piece.file, node) or given_on_starts(
            world.facts.hydra.passed, call, node
        )
        fits = {alike(one, value) for one in known if isinstance(one, str | int | float | None)}
        if len(fits) == 1:
            return fits.pop()
    if isinstance(node, ast.Constant):
        given = node.value
        return alike(given, value) if isinstance(given, str | int | float | None) else False
    return None


def _is_expression(value: Literal) -> bool:
    """Whether a value is told as code that is worked out: `cfg.run.id`, `len(x)`, `*self.size*`."""
    if not isinstance(value, str):
        return False
    try:
        node = ast.parse(value.strip("* "), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return isinstance(node, ast.Attribute | ast.Subscript | ast.Call)
