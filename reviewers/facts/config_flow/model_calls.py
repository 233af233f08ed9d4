"""The calls that load models and adapters, with what is known of their arguments."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from omegaconf import ListConfig

from reviewers.facts.config_flow.access import plain
from reviewers.facts.config_flow.follower import Follower
from reviewers.facts.config_flow.values import ANYTHING, UNKNOWN, External, Value
from reviewers.facts.placed import without_place

_LIBRARIES = frozenset({"peft", "transformers"})
_SIMPLE = (str, int, float, bool, type(None), External)


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


def is_of_models(name: str) -> bool:
    """Whether a dotted name belongs to what loads, adapts or scales models."""
    return name.partition(".")[0] in _LIBRARIES or (
        name.startswith("torch.") and name.endswith(".GradScaler")
    )


def note(
    follower: Follower,
    callee: Value,
    args: Sequence[Value],
    keywords: Mapping[str, Value],
    node: object,
) -> None:
    """Keep a call of one of the libraries, once for each different set of arguments."""
    if (
        not isinstance(callee, External)
        or not isinstance(node, ast.Call)
        or not is_of_models(callee.name)
    ):
        return
    named = {key: _plain(value) for key, value in keywords.items() if key != ANYTHING}
    call = ModelCall(
        callee.name,
        node,
        tuple(map(_plain, args)),
        named,
        ANYTHING in keywords,
        follower._doubts == 0 and not any(follower.caught),
    )
    if (callee.name, call) not in follower.handed_over:
        follower.handed_over.append((callee.name, call))


def _plain(value: Value) -> Value:
    if isinstance(value, ListConfig):
        value = plain(value)
    if isinstance(value, list | tuple):
        found = [without_place(part) if isinstance(part, _SIMPLE) else UNKNOWN for part in value]
        return UNKNOWN if UNKNOWN in found else found
    return without_place(value) if isinstance(value, _SIMPLE) else UNKNOWN
