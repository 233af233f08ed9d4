"""The type `Predicate`, and the decorator that declares one; `registry` lists those that exist."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from keyword import iskeyword
from typing import Any, TypeVar

from reviewers.facts.globs import alike
from reviewers.propositions.answers import Answer, Listing
from reviewers.propositions.parameters import PARAMETERS, Parameter, Schema, record
from reviewers.propositions.terms import Literal, Value
from reviewers.propositions.world import World

Evaluator = Callable[..., Answer]
Lister = Callable[..., Listing]
SLOT = re.compile(r"\{(\w+)\}")
_E = TypeVar("_E", bound=Evaluator)


@dataclass(frozen=True, slots=True)
class Predicate:
    """One thing that can be said of a submission.

    Attributes:
        name: as it stands in JSON.
        evaluate: gets a `World` and the arguments by name, those that are absent left out; one
            whose name Python keeps for itself with a `_` behind it.
        takes: the names of its arguments in order, `name?` for one that may be absent.
        sentence: how it reads: `{name}` is an argument, `(yes|no)` the verb and its opposite, and
            what stands in `[…]` is left out where its arguments are absent.
        example: arguments of a typical claim, as JSON.
        category: under which its claims are filed, of the rubric; or what tells it: `by error`,
            `by activity`, `by file`.
        values: lists what fills an argument, by the argument's name; without it `only` cannot be
            told.
    """

    name: str
    evaluate: Evaluator
    takes: str
    sentence: str
    example: Mapping[str, Any]
    category: str
    values: Mapping[str, Lister] | None = None

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """Its arguments' types by name, in order."""
        names = (name.rstrip("?") for name in self.takes.split())
        return {name: PARAMETERS[name] for name in names}

    @property
    def required(self) -> frozenset[str]:
        """The arguments without which it says nothing."""
        return frozenset(name for name in self.takes.split() if not name.endswith("?"))

    @property
    def narrowing(self) -> frozenset[str]:
        """The arguments that only narrow what is said, of which its evaluator knows nothing."""
        return frozenset(self.parameters) - _taken(self.evaluate).keys()

    @property
    def template(self) -> str:
        """Its sentence, with the run and the mode that its scope may have."""
        if "scope" not in self.parameters:
            return self.sentence
        narrower = {"run": "[ for run {run}]", "mode": "[ in mode {mode}]"}
        return self.sentence + "".join(
            told for name, told in narrower.items() if f"{{{name}}}" not in self.sentence
        )

    @property
    def about(self) -> str:
        """What it means, and when it is true and false: its evaluator's docstring."""
        return (self.evaluate.__doc__ or "").strip()

    def answer(self, world: World, arguments: Mapping[str, Value]) -> Answer:
        """What its evaluator says to these arguments, those that only narrow it aside."""
        narrowing = self.narrowing
        taken = {name: value for name, value in arguments.items() if name not in narrowing}
        spelled = {f"{name}_" if iskeyword(name) else name: one for name, one in taken.items()}
        return self.evaluate(world, **spelled)

    def schema(self) -> Schema:
        """The JSON schema of an atom of it; an argument that may be absent may be null."""
        fields: dict[str, Schema] = {"p": {"type": "string", "enum": [self.name]}}
        for name, parameter in self.parameters.items():
            wanted = name in self.required
            fields[name] = parameter.schema if wanted else _or_null(parameter.schema)
        return record(fields)


_DECLARED: list[Predicate] = []


def predicate(
    sentence: str, category: str, *example: Literal, **values: Lister
) -> Callable[[_E], _E]:
    """Declare an evaluator as the predicate of its name. Its arguments are those of the evaluator,
    and behind them those that only its sentence names, which narrow what is said.

    Args:
        sentence, category, values: as `Predicate` has them.
        example: the first arguments of a typical claim.
    """

    def declare(evaluate: _E) -> _E:
        taken = _taken(evaluate)
        only_told = [f"{name}?" for name in SLOT.findall(sentence) if name not in taken]
        takes = [f"{name}{'' if wanted else '?'}" for name, wanted in taken.items()] + only_told
        arguments = dict(zip(taken, example, strict=False))
        name = evaluate.__name__
        _DECLARED.append(
            Predicate(name, evaluate, " ".join(takes), sentence, arguments, category, values)
        )
        return evaluate

    return declare


def declared() -> Sequence[Predicate]:
    """The predicates whose modules are loaded, in that order."""
    return tuple(_DECLARED)


@cache
def _taken(evaluate: Evaluator) -> Mapping[str, bool]:
    """The arguments of an evaluator by name, and whether each is needed."""
    _, *taken = inspect.signature(evaluate).parameters.values()
    return {one.name.rstrip("_"): one.default is one.empty for one in taken}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def vocabulary(*predicates: Predicate) -> Mapping[str, Predicate]:
    """Predicates by name.

    Raises:
        ValueError: two have one name.
    """
    found = {predicate.name: predicate for predicate in predicates}
    if len(found) < len(predicates):
        raise ValueError("two predicates have one name")
    return found


__all__ = ["Evaluator", "Lister", "Predicate", "World", "alike", "vocabulary"]
