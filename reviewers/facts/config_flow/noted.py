"""What calls outside the submission are known to be given, for the rules that ask: of any library,
and of those that load models.
"""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from omegaconf import DictConfig, ListConfig

from reviewers.facts.config_flow.access import plain
from reviewers.facts.config_flow.data_values import Modelled
from reviewers.facts.config_flow.values import (
    ANYTHING,
    PLAIN,
    UNKNOWN,
    External,
    PartlyKnown,
    Value,
)
from reviewers.facts.placed import without_place

if TYPE_CHECKING:
    from reviewers.facts.config_flow.tables import OutsideCall

MOST_NOTED = 16  # times that one call is noted
_LIBRARIES = frozenset({"peft", "transformers"})
_SIMPLE = (*PLAIN, External)
_NOTHING: frozenset[str] = frozenset()


class PassedValues(NamedTuple):
    """The arguments of one call, as far as they are plain values.

    Attributes:
        positional, keywords: UNKNOWN for what is no text, number, truth value or None; an unpacked
            mapping's keys are among the keywords.
        text: the first positional one, with `{}` for the parts that are not known; empty where it
            is not a text.
        spread: the keywords that came by unpacking a mapping.
        open: there may be more arguments than these.
        certain: the code comes to the call where it is not left before, and nothing around it
            catches errors.
        happens: nor is it left before.
        name: the dotted name of what is called; empty where it has none.
    """

    positional: tuple[Value, ...]
    keywords: Mapping[str, Value]
    spread: frozenset[str]
    open: bool
    certain: bool
    text: str = ""
    happens: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of a library that loads models.

    Attributes:
        name: what is called, as a dotted name.
        positional, keywords: texts, numbers, truth values, None, lists of them, and names from
            outside (`torch.float16`); anything else is UNKNOWN.
        open: there may be more arguments than these.
        certain: False where the call may not be made.
    """

    name: str
    node: ast.Call
    positional: tuple[Value, ...]
    keywords: Mapping[str, Value]
    open: bool
    certain: bool

    def argument(self, name: str, place: int | None = None) -> Value:
        """What a parameter is given; UNKNOWN also where nothing is."""
        if place is not None and place < len(self.positional):
            return self.positional[place]
        return self.keywords.get(name, UNKNOWN)


@lru_cache(maxsize=4_096)
def is_of_models(name: str) -> bool:
    """Whether a dotted name belongs to what loads, adapts or scales models."""
    return name.partition(".")[0] in _LIBRARIES or (
        name.startswith("torch.") and name.endswith(".GradScaler")
    )


def note(call: "OutsideCall") -> None:
    """Keep what a call is given, once for each different set of arguments."""
    node, callee, follower = call.node, call.callee, call.follower
    if node is None:
        return
    name = callee.name if type(callee) is External else ""
    if "." in name or callee is UNKNOWN or (not name and isinstance(call.owner, Modelled)):
        held = follower.trace.passed.setdefault(node, [])
        if len(held) < MOST_NOTED and (given := _passed(call)) not in held:
            held.append(given)
    if name and is_of_models(name):
        values = tuple(map(_simple, call.args)), _named(call.keywords, _simple)
        certain = follower.doubts == 0 and not any(follower.caught)
        made = name, ModelCall(name, node, *values, call.is_open, certain)
        if made not in follower.trace.handed_over:
            follower.trace.handed_over.append(made)


def _passed(call: "OutsideCall") -> PassedValues:
    named = _named(call.keywords, _plain) if call.keywords else {}
    spread, unpacked = call.spread, _NOTHING
    if type(spread) in (dict, DictConfig) and not call.is_open:
        unpacked = frozenset(map(str, spread))
    if type(spread) is DictConfig:
        named |= dict.fromkeys(unpacked, UNKNOWN)
    first = call.args[0] if call.args else ""
    text = first.text if isinstance(first, PartlyKnown) else first if isinstance(first, str) else ""
    certain = not call.follower.is_unsure
    happens = certain and not call.follower.may_not_happen
    positional = tuple([_plain(value) for value in call.args])
    name = call.callee.name if type(call.callee) is External else ""
    return PassedValues(positional, named, unpacked, call.is_open, certain, text, happens, name)


def _named(keywords: Mapping[str, Value], show: Callable[[Value], Value]) -> dict[str, Value]:
    return {key: show(value) for key, value in keywords.items() if key != ANYTHING}


def _plain(value: Value) -> Value:
    return value if isinstance(value, PLAIN) else UNKNOWN


def _simple(value: Value) -> Value:
    if type(value) is ListConfig:
        value = plain(value)
    if isinstance(value, list | tuple):
        found = [without_place(part) if isinstance(part, _SIMPLE) else UNKNOWN for part in value]
        return UNKNOWN if UNKNOWN in found else found
    return without_place(value) if isinstance(value, _SIMPLE) else UNKNOWN
