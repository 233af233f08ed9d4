"""The terms of a proposition: atoms (a predicate with typed arguments), and the connectives that
join them.

    Proposition := Atom | Not | AllOf | AnyOf | Every | Only | Because | Would | Possible

All are immutable values: two readings that say the same are equal, and serve as keys.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of the code that an atom speaks of.

    Attributes:
        file: a path; empty for all code.
        name: a function, class or method in it, by its qualified name; empty for the whole file.
        mode: only what is done in this mode of the contract.
        run: only what is done for this run; a glob.
    """

    file: str = ""
    name: str = ""
    mode: str | None = None
    run: str | None = None

    def __str__(self) -> str:
        return (f"{self.file}::{self.name}" if self.name else self.file) or "code"


@dataclass(frozen=True, slots=True)
class Spot:
    """Where something happens: a file with a line, or an expression that stands there.

    Attributes:
        file: a path; empty where only the expression is known.
        line: 1-based; None for any.
        expression: code, or the qualified name of a definition; empty for any.
    """

    file: str = ""
    line: int | None = None
    expression: str = ""

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return "::".join(part for part in (place, self.expression) if part)


@dataclass(frozen=True, slots=True)
class Passed:
    """What a call gets: arguments by name, and values in the order in which they are written."""

    named: tuple[tuple[str, "Literal"], ...] = ()
    positional: tuple["Literal", ...] = ()


Literal: TypeAlias = str | int | float | bool | None
Value: TypeAlias = Literal | Scope | Spot | Passed


@dataclass(frozen=True, slots=True)
class Atom:
    """One predicate with its arguments.

    Attributes:
        arguments: by name, in the order of the registry; those that were not given are absent.
    """

    predicate: str
    arguments: tuple[tuple[str, Value], ...] = ()

    def __getitem__(self, name: str) -> Value:
        return dict(self.arguments)[name]

    def get(self, name: str) -> Value:
        """The argument of a name, None where it is absent."""
        return dict(self.arguments).get(name)

    def but(self, **changed: Value) -> "Atom":
        """The same with some arguments replaced."""
        values = [(name, changed.get(name, value)) for name, value in self.arguments]
        return replace(self, arguments=tuple(values))


@dataclass(frozen=True, slots=True)
class Not:
    """That something is not so."""

    part: "Proposition"


@dataclass(frozen=True, slots=True)
class AllOf:
    """That several things are so."""

    parts: tuple["Proposition", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """That at least one of several things is so."""

    parts: tuple["Proposition", ...]


@dataclass(frozen=True, slots=True)
class Every:
    """That something holds of each run, mode, file or key.

    Attributes:
        variable: `run`, `mode`, `file` or `key`; it stands in the part's arguments as `$run`, ….
        among: the values that it takes; empty for all that the submission has.
    """

    variable: str
    part: "Proposition"
    among: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Only:
    """That nothing else fills one argument of an atom.

    Attributes:
        atom: without the argument.
        hole: the argument's name.
        values: what fills it.
    """

    atom: Atom
    hole: str
    values: tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class Because:
    """That two things are so, and the one leads to the other."""

    cause: "Proposition"
    effect: "Proposition"


@dataclass(frozen=True, slots=True)
class Would:
    """That something would be so if the place of which it speaks were reached."""

    part: "Proposition"


@dataclass(frozen=True, slots=True)
class Possible:
    """That something is so on some start ("may", "could")."""

    part: "Proposition"


Proposition: TypeAlias = Atom | Not | AllOf | AnyOf | Every | Only | Because | Would | Possible


def parts(proposition: Proposition) -> tuple[Proposition, ...]:
    """What a proposition joins, in its order; nothing for an atom."""
    match proposition:
        case AllOf(found) | AnyOf(found):
            return found
        case Not(part) | Would(part) | Possible(part) | Every(part=part):
            return (part,)
        case Because(cause, effect):
            return cause, effect
        case Only(atom):
            return (atom,)
    return ()


def atoms(proposition: Proposition) -> Iterator[Atom]:
    """Every atom of a proposition, in its order."""
    if isinstance(proposition, Atom):
        yield proposition
    for part in parts(proposition):
        yield from atoms(part)


def put(proposition: Proposition, values: Mapping[str, str]) -> Proposition:
    """Put values in for variables: `$run` becomes what `values` has for `run`."""
    match proposition:
        case Atom(name, arguments):
            return Atom(name, tuple((key, _put(value, values)) for key, value in arguments))
        case AllOf(found):
            return AllOf(tuple(put(part, values) for part in found))
        case AnyOf(found):
            return AnyOf(tuple(put(part, values) for part in found))
        case Not(part):
            return Not(put(part, values))
        case Would(part):
            return Would(put(part, values))
        case Possible(part):
            return Possible(put(part, values))
        case Every(variable, part, among):
            inner = {name: value for name, value in values.items() if name != variable}
            return Every(variable, put(part, inner), among)
        case Because(cause, effect):
            return Because(put(cause, values), put(effect, values))
        case Only(atom, hole, filled):
            found_atom = put(atom, values)
            assert isinstance(found_atom, Atom)
            return Only(found_atom, hole, tuple(_put_text(value, values) for value in filled))


def _put(value: Value, values: Mapping[str, str]) -> Value:
    if isinstance(value, Scope):
        texts = (value.file, value.name, value.mode, value.run)
        file, name, mode, run = (_put_text(text, values) for text in texts)
        return Scope(str(file), str(name), mode, run)  # type: ignore[arg-type]
    return value if isinstance(value, Spot | Passed) else _put_text(value, values)


def _put_text(value: Literal, values: Mapping[str, str]) -> Literal:
    if isinstance(value, str):
        for name, text in values.items():
            value = value.replace(f"${name}", text)
    return value
