"""What calls outside the submission are known to be given."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from omegaconf import DictConfig

from reviewers.facts.config_flow.values import ANYTHING, UNKNOWN, PartlyKnown, Value

_MOST = 16  # times that one call is noted


@dataclass(frozen=True, slots=True)
class Passed:
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
    """

    positional: tuple[Value, ...]
    keywords: Mapping[str, Value]
    spread: frozenset[str]
    open: bool
    certain: bool
    text: str = ""
    happens: bool = False


def note(
    noted: dict[ast.Call, list[Passed]],
    node: object,
    args: Sequence[Value],
    keywords: Mapping[str, Value],
    *,
    certain: bool,
    happens: bool,
) -> None:
    """Keep what a call is given."""
    if not isinstance(node, ast.Call) or len(noted.get(node, ())) >= _MOST:
        return
    named = {key: _plain(value) for key, value in keywords.items() if key != ANYTHING}
    spread = keywords.get(ANYTHING, {})
    unpacked: dict[str, Value] = {}
    known = isinstance(spread, dict) and ANYTHING not in spread
    if isinstance(spread, dict) and known:
        unpacked = {str(key): _plain(value) for key, value in spread.items()}
    elif isinstance(spread, DictConfig) and not spread._is_none() and not spread._is_missing():
        unpacked, known = {str(key): UNKNOWN for key in spread}, True
    known = (
        known and sum(word.arg is None for word in node.keywords) < 2
    )  # of several only the last is handed on
    first = args[0] if args else ""
    text = first.text if isinstance(first, PartlyKnown) else first if isinstance(first, str) else ""
    values = tuple(map(_plain, args)), named | unpacked
    given = Passed(*values, frozenset(unpacked), not known, certain, text, happens)
    if given not in noted.setdefault(node, []):
        noted[node].append(given)


def _plain(value: Value) -> Value:
    return value if isinstance(value, str | int | float | bool | None) else UNKNOWN
