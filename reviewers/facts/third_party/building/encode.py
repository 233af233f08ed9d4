"""Merges the versions of a library and writes them in the shard notation.

A module is a table `name → entry`. An entry is a string where it is the same in every version that
has the module, else a list `[text, mask, text, mask, …]` whose masks have one bit a version, oldest
first; texts with overlapping masks are alternatives, of which any may be the one that runs. A class
is a table whose entry `""` is its own.

| text | meaning |
|---|---|
| `@dotted` | bound to that name elsewhere; `@dotted.` leaves out a last part that is the name
itself | | `f(a,b=)>T` | function with parameters and result; `i`, `s`, `k`: instance, static, class
method; `p>T`: property | | `v>T` | some value, of that class where it is known |
| `d>T` | attribute of instances only |
| `?` | may exist |
| `c bases metaclass flags fields` | class, joined by `;` |
"""

from collections.abc import Mapping, Sequence

from reviewers.facts.third_party.building.records import (
    Alias,
    Class,
    Function,
    Item,
    Maybe,
    Module,
    Value,
)

Masks = dict[str, int]
Table = dict[str, "Node"]


class Node:
    """What one name is over the versions: its texts, and the members where it is a class."""

    __slots__ = ("members", "texts")

    def __init__(self) -> None:
        self.texts: Masks = {}
        self.members: Table = {}

    def add(self, name: str, item: Item, bit: int, *, of_instance: bool = False) -> None:
        text = _text(name, item, of_instance)
        self.texts[text] = self.texts.get(text, 0) | bit
        if isinstance(item, Class):
            for name, items in item.members.items():
                for inner in items:
                    self.members.setdefault(name, Node()).add(name, inner, bit)
            for name, items in item.attributes.items():
                for inner in items:
                    self.members.setdefault(name, Node()).add(name, inner, bit, of_instance=True)

    def entry(self, present: int) -> object:
        """The shard form; `present` are the versions in which the table around it exists."""
        if not self.members:
            return _variants(self.texts, present)
        own = 0
        for text, mask in self.texts.items():
            own |= mask if text.startswith("c") else 0
        table: dict[str, object] = {"": _variants(self.texts, present)}
        table.update((name, node.entry(own)) for name, node in sorted(self.members.items()))
        return table


def merge_modules(
    versions: Sequence[Mapping[str, Module]],
) -> dict[str, tuple[int, dict[str, object]]]:
    """Merge the modules of every version, oldest first: name → (versions that have it, its table).

    The table's entry `""` is `o` for the versions in which names may be missing from it, `c` for
    those in which only names that the compiled code spells may be missing; `*` lists modules of
    other libraries whose names a star import brings.
    """
    merged: dict[str, tuple[int, dict[str, object]]] = {}
    for name in sorted({name for version in versions for name in version}):
        present, flags, stars = 0, Node(), Node()
        nodes: dict[str, Node] = {}
        for index, version in enumerate(versions):
            module = version.get(name)
            if module is None:
                continue
            bit = 1 << index
            present |= bit
            flag = "o" if module.open else "c" if module.searched else ""
            if flag:
                flags.texts[flag] = flags.texts.get(flag, 0) | bit
            if module.stars:
                text = " ".join(module.stars)
                stars.texts[text] = stars.texts.get(text, 0) | bit
            for bound, items in module.items.items():
                for item in items:
                    nodes.setdefault(bound, Node()).add(bound, item, bit)
        table: dict[str, object] = {}
        if flags.texts:
            table[""] = flags.entry(present)
        if stars.texts:
            table["*"] = stars.entry(present)
        table.update((bound, node.entry(present)) for bound, node in sorted(nodes.items()))
        merged[name] = present, table
    return merged


def _variants(texts: Masks, present: int) -> object:
    if len(texts) == 1 and next(iter(texts.values())) == present:
        return next(iter(texts))
    return [part for pair in texts.items() for part in pair]


def _text(name: str, item: Item, of_instance: bool) -> str:
    match item:
        case Alias(target=target):
            return f"@{target.removesuffix(name)}" if target.endswith(f".{name}") else f"@{target}"
        case Function(kind="p", returns=returns):
            return "p" + _typed(returns)
        case Function(kind=kind, parameters=parameters, returns=returns):
            return f"{kind}({parameters}){_typed(returns)}"
        case Value(type=type_):
            return ("d" if of_instance else "v") + _typed(type_)
        case Maybe():
            return "?"
        case Class():
            flags = "".join(
                letter
                for letter, set_ in (
                    ("O", item.open_class),
                    ("o", item.open_instance),
                    ("x", item.opaque_constructor),
                    ("d", item.fields is not None),
                    ("c", item.searched),
                )
                if set_
            )
            return ";".join(
                ["c" + " ".join(item.bases), item.metaclass, flags, item.fields or ""]
            ).rstrip(";")


def _typed(type_: str) -> str:
    return f">{type_}" if type_ else ""
