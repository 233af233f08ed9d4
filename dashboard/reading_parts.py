"""A proposition as the form shows it: a list of parts, each one predicate with its switches."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reviewers.propositions import PREDICATES, InvalidReading, Proposition, parse, to_json
from reviewers.propositions.parameters import LITERAL
from reviewers.propositions.terms import (
    AllOf,
    Atom,
    Because,
    Every,
    Not,
    Only,
    Possible,
    atoms,
)

_JSON = ("with", "args")


@dataclass(frozen=True, slots=True)
class ReadingPart:
    """One predicate of the form.

    Attributes:
        arguments: what is in the fields, by the argument's name; empty ones are absent.
        denied: "not".
        possible: "may".
        every: `run`, `mode`, `file` or `key` that it is said of each of; empty for none.
        only: the argument that nothing else fills; its field lists the values, with commas.
        is_cause: whether it leads to the parts that are not causes.
    """

    predicate: str
    arguments: Mapping[str, Any]
    denied: bool = False
    possible: bool = False
    every: str = ""
    only: str = ""
    is_cause: bool = False


def fields(predicate: str) -> tuple[str, ...]:
    """Return the arguments that a part of this predicate may have, required ones first, with mode
    and run after the scope.
    """
    known = PREDICATES[predicate]
    beside = ("mode", "run") if "scope" in known.parameters else ()
    names = dict.fromkeys((*known.parameters, *beside))
    return tuple(sorted(names, key=lambda name: name not in known.required))


def parts_of(proposition: Proposition) -> tuple[ReadingPart, ...]:
    """Return the parts with which the form begins; a structure that it cannot show is reduced to
    its predicates.
    """
    match proposition:
        case AllOf(found):
            return tuple(part for one in found for part in parts_of(one))
        case Because(cause, effect):
            causes = tuple(replace(part, is_cause=True) for part in parts_of(cause))
            return (*causes, *parts_of(effect))
        case Possible(part):
            return tuple(replace(one, possible=True) for one in parts_of(part))
        case Every(variable, part):
            return tuple(replace(one, every=variable) for one in parts_of(part))
        case Not(Atom() | Only() as part):
            return tuple(replace(one, denied=True) for one in parts_of(part))
        case Only(atom, hole, values):
            listed = ", ".join(map(_shown, values))
            return (ReadingPart(atom.predicate, {**_arguments(atom), hole: listed}, only=hole),)
        case Atom():
            return (ReadingPart(proposition.predicate, _arguments(proposition)),)
    return tuple(part for atom in atoms(proposition) for part in parts_of(atom))


def proposition_of(parts: Sequence[ReadingPart]) -> Proposition:
    """What the form says.

    Raises:
        InvalidReading: an argument is missing or makes no sense.
    """
    causes = [_json(part) for part in parts if part.is_cause]
    rest = [_json(part) for part in parts if not part.is_cause]
    if causes and rest:
        return parse({"because": _all(causes), "then": _all(rest)})
    return parse(_all(causes + rest))


def _all(found: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    return found[0] if len(found) == 1 else {"all": list(found)}


def _json(part: ReadingPart) -> Mapping[str, Any]:
    known = PREDICATES[part.predicate].parameters
    given = {
        name: _typed(name, value)
        for name, value in part.arguments.items()
        if value not in (None, "", False) and name != part.only
    }
    said: Mapping[str, Any] = {"p": part.predicate, **given}
    if part.only in known:
        listed = str(part.arguments.get(part.only) or "").split(",")
        values = [_literal(one.strip()) for one in listed if one.strip()]
        said = {"only": said, "hole": part.only, "are": values}
    if part.denied:
        said = {"not": said}
    if part.every:
        said = {"every": part.every, "holds": said}
    return {"possible": said} if part.possible else said


def _arguments(atom: Atom) -> dict[str, Any]:
    given = {name: value for name, value in to_json(atom).items() if name != "p"}
    if isinstance(scope := given.get("scope"), dict):
        place = "::".join(scope[name] for name in ("file", "name") if name in scope)
        beside = {name: scope[name] for name in ("mode", "run") if name in scope}
        given = {**given, "scope": place, **beside}
    if isinstance(at := given.get("at"), dict):
        place = ":".join(str(at[name]) for name in ("file", "line") if name in at)
        given["at"] = "::".join(text for text in (place, at.get("expression")) if text)
    return {
        name: json.dumps(value) if name in _JSON else value if value is True else _shown(value)
        for name, value in given.items()
    }


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _typed(name: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if name in _JSON:
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            wanted = '["a", 1]' if name == "args" else '{"lr": 0.1}'
            raise InvalidReading(f"`{name}` must be {wanted}") from None
    parameter = PARAMETER_TYPES.get(name)
    return _literal(value) if parameter == LITERAL else value


def _literal(text: str) -> Any:
    """A number or a truth value where the text is one, else the text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, int | float | bool) else text


PARAMETER_TYPES = {
    name: parameter.schema
    for predicate in PREDICATES.values()
    for name, parameter in predicate.parameters.items()
}
