"""Operators between plain values, with Python's own errors where a value has the wrong type."""

import ast
import operator
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args

from omegaconf import DictConfig

from reviewers.facts.config_flow import cells
from reviewers.facts.config_flow.access import AccessError, first_line
from reviewers.facts.config_flow.data_values import Names, Row
from reviewers.facts.config_flow.values import (
    ANYTHING,
    PLAIN,
    UNKNOWN,
    Instance,
    PartlyKnown,
    ProblemKind,
    SomePath,
    Unordered,
    Value,
    is_open,
    overlaid,
)
from reviewers.facts.world import Assumed

PASSING = (*PLAIN, *get_args(cells.Batched))  # not known after code that may not be followed
LONGEST_TEXT = 10_000
LONGEST_LIST = 1_000
_WITHOUT_ITEMS: tuple[type, ...] = (int, float, type(None))
_LARGEST = 1e15
_LARGEST_POWER = 64
_LONGEST_FORMAT = 6  # `09999d` makes a long text
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_OF_CELLS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: cells.sum_of,
    ast.Sub: cells.difference_of,
    ast.Mult: cells.product_of,
}
_NUMBER = re.compile(r"[-+]?\d{1,20}(\.\d{0,20})?([eE][-+]?\d{1,4})?")
_ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


def invalid(error: BaseException, *values: Value) -> AccessError:
    """Python's own error, as one that a value of the configuration gives; with the one that only
    looks like a number.
    """
    texts = [value for value in values if isinstance(value, str) and _NUMBER.fullmatch(value)]
    why = f", for {texts[0]!r} is a text here" if texts else ""
    said = f"{first_line(error)}{why}"
    return AccessError(ProblemKind.INVALID_VALUE, type(error).__name__, said, "")


def done(deed: Callable[..., Value], *values: Value) -> Value:
    """Let Python do something to values that are known."""
    try:
        return deed(*values)
    except (TypeError, ValueError, LookupError) as error:
        raise invalid(error, *values) from None


def text_of(value: Value) -> str | None:
    """A text, with `{}` for what is not known of it; None of what is none."""
    return (
        value.text if isinstance(value, PartlyKnown) else value if isinstance(value, str) else None
    )


def shown(value: Value) -> str:
    """A value as a text, with `{}` for what is not known of it."""
    known = isinstance(value, (*PLAIN, SomePath))
    return str(value) if known else value.text if isinstance(value, PartlyKnown) else "{}"


def iterated(value: Value) -> None:
    """`for … in value` and the like."""
    if isinstance(value, _WITHOUT_ITEMS):
        done(iter, value)


def formatted(value: Value, part: ast.FormattedValue) -> None:
    """`f"{value:.3f}"`."""
    match part:
        case ast.FormattedValue(
            conversion=-1, format_spec=ast.JoinedStr(values=[ast.Constant(value=str(how))])
        ) if isinstance(value, PLAIN) and len(how) <= _LONGEST_FORMAT:
            try:
                format(value, how)
            except (TypeError, ValueError) as error:
                raise invalid(error, value) from None


def operation(left: Value, right: Value, kind: type[ast.operator]) -> Value:
    """`left + right` and the like."""
    if isinstance(left, cells.Batched) or isinstance(right, cells.Batched):
        return _OF_CELLS[kind](left, right) if kind in _OF_CELLS else UNKNOWN
    if kind is ast.Add and isinstance(left, str) and right is UNKNOWN:
        return PartlyKnown(f"{left}{{}}")  # it is a text, or an error
    if isinstance(left, Unordered) or isinstance(right, Unordered):
        return UNKNOWN
    if left is UNKNOWN or right is UNKNOWN:
        # A text takes anything for `%`.
        if (left is None or right is None) and kind in _ARITHMETIC and kind is not ast.Mod:
            raise invalid(TypeError("unsupported operand type(s): 'NoneType' and another one"))
        return UNKNOWN
    if kind is ast.Mult and isinstance(left, list) and isinstance(right, int):
        whole = 0 <= right * len(left) <= LONGEST_LIST and not is_open(left)
        return left.__class__(left * right) if whole else UNKNOWN
    if kind is ast.Div and isinstance(left, SomePath):
        if isinstance(right, int | float | None):
            return done(operator.truediv, Path(), right)
        more = right.text if isinstance(right, PartlyKnown) else right
        return left.joined(str(more)) if isinstance(more, str | SomePath) else UNKNOWN
    if kind is ast.Add and isinstance(left, list) and isinstance(right, list):
        whole = type(left) is type(right) and len(left) + len(right) <= LONGEST_LIST
        return type(left)([*left, *right]) if whole else UNKNOWN
    if kind is ast.BitOr and type(left) is dict and type(right) is dict:
        return overlaid(left, right)
    if not isinstance(left, PLAIN) or not isinstance(right, PLAIN) or kind not in _ARITHMETIC:
        return UNKNOWN
    sides = (left, right)
    is_text = any(isinstance(side, str) for side in sides)
    if (kind is ast.Mod and isinstance(left, str)) or (
        kind is ast.Mult and is_text and any(isinstance(side, int) for side in sides)
    ):
        return UNKNOWN  # formatting, or a text repeated
    numbers = [abs(side) for side in sides if isinstance(side, int | float)]
    if not is_text and any(number > _LARGEST for number in numbers):
        return UNKNOWN
    if kind is ast.Pow and len(numbers) == len(sides) and numbers[1] > _LARGEST_POWER:
        return UNKNOWN
    try:
        found = _ARITHMETIC[kind](left, right)
    except (TypeError, ZeroDivisionError) as error:
        raise invalid(error, left, right) from None
    except (ValueError, OverflowError):
        return UNKNOWN
    if isinstance(found, str):
        return found[:LONGEST_TEXT]
    return found if isinstance(found, PLAIN) else UNKNOWN


def negated(value: Value) -> Value:
    """`-value`."""
    return done(operator.neg, value) if isinstance(value, PLAIN) else UNKNOWN


def comparison(
    left: Value, right: Value, kind: type[ast.cmpop], truth: Callable[[Value], bool | None]
) -> Value:
    """`left < right` and the like."""
    if kind in (ast.In, ast.NotIn):
        if isinstance(right, _WITHOUT_ITEMS):
            return done(operator.contains, right, left)
        held = contains(right, left)
        return UNKNOWN if held is None else held is (kind is ast.In)
    if kind in (ast.Is, ast.IsNot):
        known = right is None and (
            isinstance(left, (*PLAIN, list, Instance)) or truth(left) is not None
        )
        return (left is None) is (kind is ast.Is) if known else UNKNOWN
    if isinstance(left, PLAIN) and isinstance(right, PLAIN) and kind in _COMPARISONS:
        return bool(done(_COMPARISONS[kind], left, right))
    return UNKNOWN


def contains(container: Value, item: Value) -> bool | None:
    """Whether the container holds the item; None where that is not known."""
    if isinstance(container, Row):
        return container.holds(item)
    if isinstance(container, Names) and item in container.maybe:
        return None
    if isinstance(container, DictConfig) and isinstance(item, str):
        return item in container.keys()  # noqa: SIM118  `in` on the config itself resolves interpolations
    if isinstance(container, dict | list | tuple) and isinstance(item, PLAIN):
        if isinstance(container, dict) and ANYTHING in container:
            is_there = item in container and not isinstance(container[item], Assumed)
            return True if is_there else None
        known = all(isinstance(part, PLAIN) for part in container)
        return item in container if known or item in container else None
    if isinstance(container, str) and isinstance(item, str):
        return item in container
    return None
