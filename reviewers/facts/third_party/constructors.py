"""What calling a class takes, worked out along its ancestors."""

import enum

from reviewers.facts.third_party.nodes import ClassNode, StandardNode, TextNode
from reviewers.facts.third_party.resolve import Resolver
from reviewers.facts.third_party.signature import Parameter, Signature, parse_parameters

_NO_OWN_CONSTRUCTOR = frozenset(
    {"builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol", "typing_extensions.Generic", "typing_extensions.Protocol"}
)
# Types that take their arguments before __init__ does: with these, __init__ does not tell what a call takes.
_TAKE_FIRST = (tuple, str, int, float, complex, bytes, frozenset, enum.Enum, type)
_TUPLES = frozenset({"typing.NamedTuple", "builtins.tuple"})


def constructor(owner: ClassNode, resolver: Resolver) -> Signature | None:
    """The parameters of a class's constructor, None where they cannot be read for certain."""
    line, closed = resolver.line(owner)
    if any(isinstance(node, ClassNode) and resolver.has_odd_metaclass(node) for node in line):
        return None
    for number, node in enumerate(line):
        if isinstance(node, StandardNode):
            if node.place not in _NO_OWN_CONSTRUCTOR:
                return None
        elif "x" in node.flags or (number and not closed):
            return None
        elif "d" in node.flags and _TUPLES & set(node.bases):
            return Signature((parse_parameters(node.fields),), (owner.place,)) if "__new__" not in node.table else None
        elif "__init__" in node.table or "d" in node.flags:
            if any(_takes_first(other) for other in line):
                return None
            return _initialiser(node, owner) if "__init__" in node.table else _of_fields(line, owner)
        elif _takes_first(node):
            return None
    return Signature(((),), (owner.place,)) if closed else None


def _takes_first(node: ClassNode | StandardNode) -> bool:
    """Whether a class has a `__new__` that decides on the arguments."""
    if isinstance(node, StandardNode):
        return issubclass(node.kind, _TAKE_FIRST)
    return "__new__" in node.table and not _takes_anything(node)


def _initialiser(node: ClassNode, owner: ClassNode) -> Signature | None:
    alternatives = []
    for found in node.view.nodes(node.table["__init__"], f"{node.place}.__init__"):
        if not isinstance(found, TextNode) or not found.text.startswith("i("):
            return None
        parameters = parse_parameters(found.text[2:].rpartition(")")[0])
        alternatives.append(parameters[1:] if parameters and parameters[0].kind in ("positional", "either") else parameters)
    return Signature(tuple(alternatives), (owner.place,)) if alternatives else None


def _takes_anything(node: ClassNode) -> bool:
    for found in node.view.nodes(node.table["__new__"], ""):
        kinds = [parameter.kind for parameter in parse_parameters(found.text[2:].rpartition(")")[0])] if isinstance(found, TextNode) else []
        if kinds not in (["either", "rest", "more"], ["positional", "rest", "more"]):
            return False
    return True


def _of_fields(line: tuple[ClassNode | StandardNode, ...], owner: ClassNode) -> Signature | None:
    """Join the fields of a dataclass with those it inherits, which come first and keep their place when overridden."""
    places: dict[str, Parameter] = {}
    keyword_only: dict[str, Parameter] = {}
    for node in reversed(line):
        if not isinstance(node, ClassNode) or "d" not in node.flags:
            continue
        if "x" in node.flags:
            return None
        for parameter in parse_parameters(node.fields):
            (places if parameter.kind == "either" else keyword_only)[parameter.name] = parameter
    return Signature(((*places.values(), *keyword_only.values()),), (owner.place,))
