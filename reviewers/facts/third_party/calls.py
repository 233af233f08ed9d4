"""The parameters of a callable name: those of the function, or of the class's constructor, found
along its ancestors.
"""

import enum

from reviewers.facts.third_party.nodes import ClassNode, Node, StandardNode, TextNode
from reviewers.facts.third_party.resolve import Found, Resolver
from reviewers.facts.third_party.signature import Signature, SignatureParameter, parse_parameters

_NO_OWN_CONSTRUCTOR = frozenset(
    {
        "builtins.object",
        "abc.ABC",
        "typing.Generic",
        "typing.Protocol",
        "typing_extensions.Generic",
        "typing_extensions.Protocol",
    }
)
# Types that take their arguments before __init__ does: with these, __init__ does not tell what a
# call takes.
_TAKE_FIRST = (tuple, str, int, float, complex, bytes, frozenset, enum.Enum, type)
_TUPLES = frozenset({"typing.NamedTuple", "builtins.tuple"})


def signature_of(found: Found, resolver: Resolver, *, bound: bool = False) -> Signature | None:
    """What calling a resolved name takes; every alternative must be readable, since one that is not
    may take anything.

    Args:
        bound: the name was reached through an instance, so that a method has its first parameter
            already.
    """
    if not isinstance(found, tuple) or not found:
        return None
    parts = [_one(node, resolver, bound) for node in found]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    returns = known[0].returns if all(part.returns == known[0].returns for part in known) else ()
    return Signature(
        tuple(dict.fromkeys(alternative for part in known for alternative in part.alternatives)),
        returns,
    )


def _one(node: Node, resolver: Resolver, bound: bool) -> Signature | None:
    if isinstance(node, ClassNode):
        return _constructor(node, resolver)
    if not isinstance(node, TextNode) or node.text[:2] not in ("f(", "i(", "s(", "k("):
        return None
    text, _, rest = node.text[2:].rpartition(")")
    parameters = parse_parameters(text)
    if (
        bound
        and node.text[0] == "i"
        and parameters
        and parameters[0].kind in ("positional", "either")
    ):
        parameters = parameters[1:]
    return Signature((parameters,), tuple(rest.removeprefix(">").split("|")) if rest else ())


def _constructor(owner: ClassNode, resolver: Resolver) -> Signature | None:
    """The parameters of a class's constructor, None if they cannot be read for certain."""
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
            return (
                Signature((parse_parameters(node.fields),), (owner.place,))
                if "__new__" not in node.table
                else None
            )
        elif "__init__" in node.table or "d" in node.flags:
            if any(_takes_first(other) for other in line):
                return None
            return (
                _initialiser(node, owner) if "__init__" in node.table else _of_fields(line, owner)
            )
        elif _takes_first(node):
            return None
    return Signature(((),), (owner.place,)) if closed else None


def _takes_first(node: ClassNode | StandardNode) -> bool:
    """Whether a class has a `__new__` that decides on the arguments."""
    if isinstance(node, StandardNode):
        return issubclass(node.kind, _TAKE_FIRST)
    return "__new__" in node.table  # which may also give an instance of another class


def _initialiser(node: ClassNode, owner: ClassNode) -> Signature | None:
    alternatives = []
    for found in node.view.nodes(node.table["__init__"], f"{node.place}.__init__"):
        if not isinstance(found, TextNode) or not found.text.startswith("i("):
            return None
        parameters = parse_parameters(found.text[2:].rpartition(")")[0])
        alternatives.append(
            parameters[1:]
            if parameters and parameters[0].kind in ("positional", "either")
            else parameters
        )
    return Signature(tuple(alternatives), (owner.place,)) if alternatives else None


def _of_fields(line: tuple[ClassNode | StandardNode, ...], owner: ClassNode) -> Signature | None:
    """Join the fields of a dataclass with those it inherits, which come first and keep their place
    when overridden.
    """
    places: dict[str, SignatureParameter] = {}
    keyword_only: dict[str, SignatureParameter] = {}
    for node in reversed(line):
        if not isinstance(node, ClassNode) or "d" not in node.flags:
            continue
        if "x" in node.flags:
            return None
        names = node.fields.split(",")
        for name in (name[1:] for name in names if name.startswith("-")):
            places.pop(name, None)
            keyword_only.pop(name, None)
        for parameter in parse_parameters(
            ",".join(name for name in names if not name.startswith("-"))
        ):
            (places if parameter.kind == "either" else keyword_only)[parameter.name] = parameter
    return Signature(((*places.values(), *keyword_only.values()),), (owner.place,))
