"""What calls outside the submission are known to be given, for the rules that ask."""

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from omegaconf import DictConfig, ListConfig

from reviewers.facts.config_flow.access import plain
from reviewers.facts.config_flow.data_values import Modelled
from reviewers.facts.config_flow.operations import text_of
from reviewers.facts.config_flow.values import ANYTHING, PLAIN, UNKNOWN, External, Value

if TYPE_CHECKING:
    from reviewers.facts.config_flow.tables import OutsideCall

_MOST = 16  # times that one call is noted
_SIMPLE = (*PLAIN, External)


class PassedValues(NamedTuple):
    """The arguments of one call, as far as they are known.

    Attributes:
        name: what is called, as a dotted name; empty for a method of a value.
        positional, keywords: texts, numbers, truth values, None, lists of them, and names from
            outside (`torch.float16`); anything else is UNKNOWN. An unpacked mapping's keys are
            among the keywords.
        open: there may be more arguments than these.
        certain: the code comes to the call where it is not left before, and nothing around it
            catches errors.
        happens: nor is it left before.
        text: the first positional one, with `{}` for the parts that are not known; empty where it
            is not a text.
        spread: the keywords that came by unpacking a mapping.
    """

    name: str
    node: ast.Call
    positional: tuple[Value, ...]
    keywords: Mapping[str, Value]
    open: bool = False
    certain: bool = True
    happens: bool = False
    text: str = ""
    spread: frozenset[str] = frozenset()

    def argument(self, name: str, place: int | None = None) -> Value:
        """What a parameter is given; UNKNOWN also where nothing is."""
        if place is not None and place < len(self.positional):
            return self.positional[place]
        return self.keywords.get(name, UNKNOWN)


def note(call: "OutsideCall") -> None:
    """Keep what a call is given, once for each different set of arguments."""
    node, callee, follower = call.node, call.callee, call.follower
    name = callee.name if type(callee) is External else ""
    is_method = not name and isinstance(call.owner, Modelled)
    if node is None or not ("." in name or callee is UNKNOWN or is_method):
        return
    held = follower.trace.passed.setdefault(node, [])
    if len(held) >= _MOST:
        return
    keywords = {key: _simple(value) for key, value in call.keywords.items() if key != ANYTHING}
    spread: frozenset[str] = frozenset()
    if type(call.spread) in (dict, DictConfig) and not call.is_open:
        spread = frozenset(map(str, call.spread))
    if type(call.spread) is DictConfig:
        keywords |= dict.fromkeys(spread, UNKNOWN)
    positional = tuple([_simple(value) for value in call.args])
    certain = not follower.is_unsure
    happens = certain and not follower.may_not_happen
    text = (text_of(call.args[0]) if call.args else None) or ""
    given = (name, node, positional, keywords, call.is_open, certain, happens, text, spread)
    if given not in held:
        held.append(PassedValues(*given))


def _simple(value: Value) -> Value:
    if isinstance(value, _SIMPLE):
        return value
    if type(value) is ListConfig:
        value = plain(value)
    known = isinstance(value, list | tuple) and all(isinstance(part, _SIMPLE) for part in value)
    return list(value) if known else UNKNOWN
