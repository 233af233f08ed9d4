"""Propositions as JSON: what a reader gives, checked to its last word."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reviewers.propositions.parameters import InvalidReading, literal, text
from reviewers.propositions.registry import PREDICATES
from reviewers.propositions.terms import (
    AllOf,
    AnyOf,
    Atom,
    Because,
    Every,
    Not,
    Only,
    Passed,
    Possible,
    Proposition,
    Scope,
    Spot,
    Value,
    Would,
)
from reviewers.propositions.vocabulary import Predicate

MOST_DEEP = 12
MOST_ATOMS = 60
VARIABLES = ("run", "mode", "file", "key")
_HOLE = "?"


def parse(
    value: object,
    vocabulary: Mapping[str, Predicate] = PREDICATES,
    *,
    is_pattern: bool = False,
) -> Proposition:
    """Read a proposition from JSON.

    Args:
        is_pattern: any argument may be absent.

    Raises:
        InvalidReading: it is none of this vocabulary, too deep or too large.
    """
    return _Parser(vocabulary, is_pattern=is_pattern).proposition(value, MOST_DEEP)


class _Parser:
    def __init__(self, vocabulary: Mapping[str, Predicate], *, is_pattern: bool) -> None:
        self._vocabulary = vocabulary
        self._is_pattern = is_pattern
        self._left = MOST_ATOMS

    def proposition(self, value: object, deep: int) -> Proposition:
        if not isinstance(value, Mapping):
            raise InvalidReading("expected an object")
        if deep == 0:
            raise InvalidReading(f"nested more than {MOST_DEEP} deep")
        if "p" in value:
            return self._atom(value)
        found = [name for name in self._connectives if name in value]
        if len(found) != 1:
            known = ", ".join(("p", *self._connectives))
            raise InvalidReading(f"expected one of {known}")
        joining, fields = self._connectives[found[0]]
        if unknown := next((name for name in value if name not in fields), None):
            raise InvalidReading(f"`{found[0]}` has no `{str(unknown)[:40]}`")
        return joining(self, value, deep - 1)

    def _all(self, value: Mapping[str, object], deep: int) -> Proposition:
        return AllOf(self._several(value["all"], deep))

    def _any(self, value: Mapping[str, object], deep: int) -> Proposition:
        return AnyOf(self._several(value["any"], deep))

    def _several(self, value: object, deep: int) -> tuple[Proposition, ...]:
        if not isinstance(value, Sequence) or isinstance(value, str) or not value:
            raise InvalidReading("expected a list with a part or more")
        if len(value) > MOST_ATOMS:
            raise InvalidReading(f"more than {MOST_ATOMS} parts")
        return tuple(self.proposition(part, deep) for part in value)

    def _not(self, value: Mapping[str, object], deep: int) -> Proposition:
        return Not(self.proposition(value["not"], deep))

    def _would(self, value: Mapping[str, object], deep: int) -> Proposition:
        return Would(self.proposition(value["would"], deep))

    def _possible(self, value: Mapping[str, object], deep: int) -> Proposition:
        return Possible(self.proposition(value["possible"], deep))

    def _every(self, value: Mapping[str, object], deep: int) -> Proposition:
        variable, among = value["every"], value.get("in")
        if variable not in VARIABLES:
            raise InvalidReading(f"`every` is one of {', '.join(VARIABLES)}")
        if not isinstance(among, list | None):
            raise InvalidReading("`in` is a list")
        part = self.proposition(value.get("holds"), deep)
        return Every(str(variable), part, tuple(map(text, among or ())))

    def _only(self, value: Mapping[str, object], deep: int) -> Proposition:
        given, hole, are = value["only"], value.get("hole"), value.get("are")
        if not isinstance(given, Mapping) or "p" not in given:
            raise InvalidReading("`only` is said of one predicate")
        if not isinstance(are, list) or not are or len(are) > MOST_ATOMS:
            raise InvalidReading("`are` is a list with a value or more")
        predicate = self._predicate(given)
        if not isinstance(hole, str) or hole not in predicate.parameters:
            raise InvalidReading(f"`{predicate.name}` has no argument for the hole")
        rest = {name: part for name, part in given.items() if name != hole}
        return Only(self._filled(predicate, rest, {hole}), hole, tuple(map(literal, are)))

    def _because(self, value: Mapping[str, object], deep: int) -> Proposition:
        cause = self.proposition(value["because"], deep)
        return Because(cause, self.proposition(value.get("then"), deep))

    _connectives: Mapping[str, tuple[Callable[..., Proposition], set[str]]] = {
        "not": (_not, {"not"}),
        "all": (_all, {"all"}),
        "any": (_any, {"any"}),
        "every": (_every, {"every", "in", "holds"}),
        "only": (_only, {"only", "hole", "are"}),
        "because": (_because, {"because", "then"}),
        "would": (_would, {"would"}),
        "possible": (_possible, {"possible"}),
    }

    def _atom(self, value: Mapping[str, object]) -> Proposition:
        """An atom; `possible` and a run `every` within it are the connectives, said shortly."""
        given = dict(value)
        possible, run = given.pop("possible", None), given.get("run")
        if run == "every":
            given["run"] = "$run"
        predicate = self._predicate(given)
        atom: Proposition = self._filled(predicate, given, set())
        if run == "every":
            atom = Every("run", atom)
        return Possible(atom) if possible is True else atom

    def _predicate(self, value: Mapping[str, object]) -> Predicate:
        self._left -= 1
        if self._left < 0:
            raise InvalidReading(f"more than {MOST_ATOMS} atoms")
        name = value["p"]
        predicate = self._vocabulary.get(name) if isinstance(name, str) else None
        if predicate is None:
            raise InvalidReading(f"there is no predicate `{str(name)[:40]}`")
        return predicate

    def _filled(self, predicate: Predicate, value: Mapping[str, object], absent: set[str]) -> Atom:
        given = {name: part for name, part in value.items() if name != "p" and part is not None}
        given = _scoped(given, predicate)
        parameters = predicate.parameters
        if unknown := next((name for name in given if name not in parameters), None):
            raise InvalidReading(f"`{predicate.name}` has no `{str(unknown)[:40]}`")
        needed = predicate.required - absent - given.keys() if not self._is_pattern else ()
        if missing := next((name for name in parameters if name in needed), None):
            raise InvalidReading(f"`{predicate.name}` needs `{missing}`")
        return Atom(predicate.name, tuple(_read(parameters, given)))


def _scoped(given: dict[str, Any], predicate: Predicate) -> dict[str, Any]:
    """The arguments with a run and a mode that stand beside a scope put into it."""
    beside = {name: given[name] for name in ("run", "mode") if name in given}
    if "scope" not in given or not beside or beside.keys() & predicate.parameters.keys():
        return given
    inner = given["scope"]
    fields = {"file": inner} if isinstance(inner, str) else dict(inner)
    rest = {name: part for name, part in given.items() if name not in beside}
    return {**rest, "scope": {**fields, **beside}}


def _read(parameters: Mapping[str, Any], given: Mapping[str, object]) -> Any:
    for name, parameter in parameters.items():
        if name in given:
            try:
                yield name, parameter.read(given[name])
            except InvalidReading as problem:
                raise InvalidReading(f"`{name}`: {problem}") from None


def to_json(proposition: Proposition) -> dict[str, Any]:
    """A proposition as `parse` reads it."""
    match proposition:
        case Atom(name, arguments):
            return {"p": name, **{key: _value(value) for key, value in arguments}}
        case Not(part):
            return {"not": to_json(part)}
        case AllOf(found):
            return {"all": [to_json(part) for part in found]}
        case AnyOf(found):
            return {"any": [to_json(part) for part in found]}
        case Every(variable, part, among):
            told = {"in": list(among)} if among else {}
            return {"every": variable, **told, "holds": to_json(part)}
        case Only(atom, hole, values):
            return {"only": {**to_json(atom), hole: _HOLE}, "hole": hole, "are": list(values)}
        case Because(cause, effect):
            return {"because": to_json(cause), "then": to_json(effect)}
        case Would(part):
            return {"would": to_json(part)}
        case Possible(part):
            return {"possible": to_json(part)}


def _value(value: Value) -> Any:
    match value:
        case Scope(_, _, None, None) | Spot(_, None, _):
            return str(value)
        case Scope(file, name, mode, run):
            said = {"file": file or "code", "name": name, "mode": mode, "run": run}
            return {key: text for key, text in said.items() if text}
        case Spot(file, line, expression):
            spot = {"file": file, "line": line, "expression": expression}
            return {key: part for key, part in spot.items() if part}
        case Passed(named, positional):
            if named and positional:
                return [{"name": name, "value": given} for name, given in named] + [
                    {"name": None, "value": given} for given in positional
                ]
            return dict(named) if named else list(positional)
    return value
