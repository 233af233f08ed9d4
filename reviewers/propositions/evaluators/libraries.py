"""Libraries: which names they have and which arguments they take, in the versions allowed."""

import ast
import re
from collections.abc import Iterator

from reviewers.facts.python_nodes import positional
from reviewers.facts.third_party import Absent, Known
from reviewers.propositions.answers import Answer, Witness, denied, open_, proved
from reviewers.propositions.terms import Literal
from reviewers.propositions.vocabulary import predicate
from reviewers.propositions.world import World, whole
from reviewers.records import Span

_PLAIN = re.compile(r"(\d+) positional")
_PROJECT = "pyproject.toml"


@predicate(
    "{name} (exists|does not exist) in the versions that are allowed",
    "nonexistent-api",
    "wandb.Api",
)
def library_has(world: World, name: str) -> Answer:
    """True where the name is there in all versions of its library that the submission allows;
    false where it is in none of them.
    """
    facts, name = world.facts, _in_full(world, name)
    library = facts.third_party.distribution_of(name)
    found = facts.third_party.lookup(name)
    if library is None or not isinstance(found, Known | Absent):
        return open_(f"the library of `{name}` is not in the index")
    there = facts.third_party.exists(name, facts.allowed_versions(name, as_meant=True))
    said = f"{library}: `{name}`"
    if there.answer == "every":
        return proved([_used(world, name) or Witness(whole(_PROJECT), said)])
    if there.answer == "none":
        return denied([f"every version of {library} that is allowed"])
    return open_(f"some versions of {library} that are allowed have it, and others do not")


def _in_full(world: World, name: str) -> str:
    """A library's name, where it is told as code says it that imports it one way only."""
    if world.facts.third_party.distribution_of(name):
        return name
    files = world.facts.python.values()
    found = {file.aliases.get(name) or file.in_full(name) for file in files} - {name}
    return found.pop() if len(found) == 1 else name


def _used(world: World, name: str) -> Witness | None:
    """The first place that uses a name."""
    last = name.rpartition(".")[2]
    for path, file in world.facts.python.items():
        for node in file.nodes:
            if isinstance(node, ast.Name | ast.Attribute):
                said = node.id if isinstance(node, ast.Name) else node.attr
                if said == last and file.resolve(node) == name:
                    return world.at(Span(path, node.lineno))
    return None


@predicate(
    "{callee} (takes|does not take) <the argument {argument}|the arguments {argument}>",
    "call-signature",
    "timm.create_model",
    "pretrained",
)
def accepts(world: World, callee: str, argument: Literal) -> Answer:
    """True where the callable takes a keyword of this name in all versions allowed, or where a
    function of the submission has the parameter; false where it is taken in none, or the function
    has neither it nor `**`. A function of the submission takes `2 positional` if it has as many.
    """
    wanted = str(argument)
    if not (wanted.isidentifier() or _PLAIN.fullmatch(wanted)):
        return open_(f"`{wanted}` is not an argument name")
    if "::" in callee or callee in _own_functions(world):
        return _own(world, callee, wanted)
    facts, callee = world.facts, _in_full(world, callee)
    signature = facts.third_party.signature(callee, facts.allowed_versions(callee, as_meant=True))
    if signature is None:
        return open_(f"the parameters of `{callee}` are unknown")
    taken = [
        any(
            wanted in (one.name, *one.aliases) and one.kind in ("either", "keyword")
            for one in alternative
        )
        for alternative in signature.alternatives
    ]
    open_ended = any(one.kind == "more" for each in signature.alternatives for one in each)
    if taken and all(taken):
        return proved([_used(world, callee) or Witness(whole(_PROJECT), callee)])
    if open_ended or any(taken):
        return open_(f"`{callee}` passes on what it does not name")
    return denied([f"the parameters of `{callee}`"])


def _own_functions(world: World) -> dict[str, tuple[str, ast.AST]]:
    return {
        name: (path, node)
        for path, file in world.facts.python.items()
        for name, node in file.functions.items()
    }


def _own(world: World, callee: str, wanted: str) -> Answer:
    file, _, name = callee.rpartition("::")
    found = list(_functions(world, file, name))
    if len(found) != 1:
        return open_(f"there is not one function `{callee}` in the submission")
    path, node = found[0]
    given = node.args
    names = {one.arg for one in (*given.args, *given.kwonlyargs)}
    witness = world.at(Span(path, node.lineno))
    if (many := _PLAIN.fullmatch(wanted)) and not node.decorator_list:
        # Of a method, the object itself may be counted, too.
        is_method = name.rpartition(".")[0] in world.facts.python[path].classes
        takes = len(positional(node)) - int(many[1])
        if given.vararg is not None or takes >= is_method:
            return proved([witness])
        return denied((), ["the object itself may be counted"] if takes >= 0 else (), [witness])
    if wanted in names:
        return proved([witness])
    is_taken_by_place = wanted in {one.arg for one in given.posonlyargs}
    if given.kwarg is not None or node.decorator_list or is_taken_by_place:
        return open_(f"`{callee}` may pass on what it does not name")
    return denied((), (), [witness])


def _functions(
    world: World, file: str, name: str
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path, parsed in world.facts.python.items():
        if not file or path == file:
            for known, node in parsed.functions.items():
                if known == name:
                    yield path, node
