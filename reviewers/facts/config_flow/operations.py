"""What Python itself answers, or refuses, of operators and of functions without effects."""

import ast
import datetime
import json
import math
import operator
import os
import random
import re
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

from omegaconf import DictConfig

from reviewers.facts.config_flow import cells
from reviewers.facts.config_flow.access import AccessError, first_line
from reviewers.facts.config_flow.data_values import Modelled, Names, Row
from reviewers.facts.config_flow.values import (
    ANYTHING,
    PLAIN,
    UNKNOWN,
    Bound,
    External,
    Fixed,
    Instance,
    Number,
    PartlyKnown,
    ProblemKind,
    SomePath,
    Value,
    is_open,
    overlaid,
)
from reviewers.facts.parsing import MOST_BITS
from reviewers.facts.placed import place_of, placed
from reviewers.facts.world import Assumed

PASSING = (
    *PLAIN,
    Number,
    *get_args(cells.Batched),
)  # not known after code that may not be followed
LONGEST_TEXT = 10_000
LONGEST_LIST = 1_000
_WITHOUT_ITEMS: tuple[type, ...] = (int, float, type(None))
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
    ast.Sub: partial(cells.total, factor=-1),
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
_DRAWING = ("choice", "randint", "sample")  # that it takes its arguments is all that these tell
_LARGEST = 1_000  # of a number that a method of texts is given, or `factorial`
_DEEPEST = 8
_REFUSALS = (TypeError, ValueError, LookupError, ArithmeticError, StopIteration)
_BUILTINS = (
    abs, bool, bytes, chr, complex, divmod, float, int, len, max, min, ord, round, sorted, sum,
)  # fmt: skip
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **{function.__name__: function for function in _BUILTINS},
    **{f"math.{name}": getattr(math, name) for name in dir(math) if name[0] != "_"},
    **{f"statistics.{name}": getattr(statistics, name) for name in ("mean", "median", "stdev")},
    **{f"str.{name}": getattr(str, name) for name in dir(str) if name[0] != "_"},
    "datetime.date": datetime.date,
    "datetime.datetime": datetime.datetime,
    **{f"random.{name}": getattr(random, name) for name in _DRAWING},
}
_LARGE = frozenset({"bytes", "comb", "factorial", "perm", "prod"})
# `{}`, `{0}`, `{name:.3f}`; `%5.2f`, `%(name)s`: none of them makes a long text.
_TEMPLATE = re.compile(r"(?:[^{}]|\{\{|\}\}|\{\w*(?::[^{}\d]{0,2}\d{0,3}(?:\.\d{1,3})?\w?)?\})*")
_FORMAT = re.compile(r"(?:[^%]|%(?:\(\w+\))?[-+ #0]*\d{0,3}(?:\.\d{1,3})?[A-Za-z%])*")


def invalid(
    error: BaseException, *values: Value, key: str = "", cause: Value = None
) -> AccessError:
    """Python's own error; it tells of a text among the values that looks like a number."""
    texts = [value for value in values if isinstance(value, str) and _NUMBER.fullmatch(value)]
    said = first_line(error) + (f", for {texts[0]!r} is a text here" if texts else "")
    return AccessError(ProblemKind.INVALID_VALUE, type(error).__name__, said, key, cause)


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
            done(format, value, how)


def operation(left: Value, right: Value, kind: type[ast.operator]) -> Value:
    """`left + right` and the like."""
    operate = _ARITHMETIC.get(kind)
    is_template = kind is ast.Mod and isinstance(left, str)  # which takes anything
    if operate and (is_template or (isinstance(left, PLAIN) and isinstance(right, PLAIN))):
        found = _worked_out(operate, kind.__name__, (left, right), {})
        return UNKNOWN if found is None else found
    if isinstance(left, cells.Batched) or isinstance(right, cells.Batched):
        return _OF_CELLS[kind](left, right) if kind in _OF_CELLS else UNKNOWN
    if isinstance(left, Number) or isinstance(right, Number):
        # Any number shows what is refused; what comes of it is another one.
        one, other = (1 if isinstance(side, Number) else side for side in (left, right))
        found = operation(one, other, kind)
        return Number() if isinstance(found, (int, float)) else UNKNOWN
    if kind is ast.Add and isinstance(left, (str, PartlyKnown)):
        if isinstance(right, SomePath) and right.parts and not right.is_object:
            right = str(right)
            return left + right if isinstance(left, str) else PartlyKnown(left.text + right)
        is_text = right is UNKNOWN or isinstance(right, (str, PartlyKnown))  # or it is an error
        return PartlyKnown(f"{shown(left)}{shown(right)}") if is_text else UNKNOWN
    if left is UNKNOWN or right is UNKNOWN:
        # A text takes anything for `%`.
        if (left is None or right is None) and operate and kind is not ast.Mod:
            raise invalid(TypeError("unsupported operand type(s): 'NoneType' and another one"))
        return UNKNOWN
    if kind is ast.Div and isinstance(left, SomePath):
        if isinstance(right, int | float | None):
            return done(operator.truediv, Path(), right)
        more = right.text if isinstance(right, PartlyKnown) else right
        known = isinstance(more, (str, SomePath))
        return replace(left.joined(str(more)), is_object=True) if known else UNKNOWN
    if kind is ast.BitOr and type(left) is dict and type(right) is dict:
        return overlaid(left, right)
    return _of_lists(left, right, kind) if type(left) in (list, Fixed) else UNKNOWN


def _of_lists(left: list[Value], right: Value, kind: type[ast.operator]) -> Value:
    """`items * 3`, `items + more`."""
    if kind is ast.Mult and isinstance(right, int):
        whole = 0 <= right * len(left) <= LONGEST_LIST and not is_open(left)
        return type(left)(left * right) if whole else UNKNOWN
    if kind is ast.Add and type(left) is type(right):
        whole = len(left) + len(right) <= LONGEST_LIST
        return type(left)([*left, *right]) if whole else UNKNOWN
    return UNKNOWN


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
            isinstance(left, (*PLAIN, list, Instance, Modelled)) or truth(left) is not None
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
    if isinstance(container, (dict, list, tuple)) and isinstance(item, PLAIN):
        if isinstance(container, dict) and ANYTHING in container:
            is_there = item in container and not isinstance(container[item], Assumed)
            return True if is_there else None
        known = all(isinstance(part, PLAIN) for part in container)
        return item in container if known or item in container else None
    if isinstance(container, str) and isinstance(item, str):
        return item in container
    return None


# Calls


class _NotKnown(Exception):
    """A part of a value is not known."""


def answered(callee: Value, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    """What a function or a text's method gives; None for one that cannot be asked."""
    if type(callee) is Bound and isinstance(callee.owner, str):
        name, args = f"str.{callee.name}", (callee.owner, *args)
    else:
        name = callee.name if type(callee) is External else ""
    if name in _TAKES or name in _TAKES_ALL:
        _check(name, args)
    function = _FUNCTIONS.get(name)
    found = None if function is None else _worked_out(function, name, args, keywords)
    if found is None:
        return None
    if name.startswith("random."):
        return UNKNOWN
    # A part of a text stands where that does, and a number where the text does that it is read of.
    place = place_of(args[0]) if len(args) == 1 or name.startswith("str.") else None
    if isinstance(found, list):
        return type(found)([placed(part, place) for part in found])
    return placed(found, place)


def _worked_out(
    function: Callable[..., Any],
    name: str,
    args: Sequence[Value],
    keywords: Mapping[str, Value],
) -> Value:
    """Call it for real; None where that may take long, or where not all values are known."""
    try:
        given = [_real(arg) for arg in args]
        named = {word: _real(value) for word, value in keywords.items()}
        if ANYTHING in keywords or _takes_long(name, given):
            return None
    except _NotKnown:
        return None
    try:
        return _ours(function(*given, **named))
    except _REFUSALS as error:
        raise invalid(error, *args) from None


def _takes_long(name: str, given: Sequence[Any]) -> bool:
    name = name.rpartition(".")[2]
    texts = [part for part in _parts(given) if isinstance(part, str)]
    numbers = [part for part in _parts(given) if isinstance(part, int)]
    is_large = any(abs(number) > _LARGEST for number in numbers)
    if sum(map(len, texts)) > LONGEST_TEXT:
        return True
    if name == "Mod" and texts:
        return not _FORMAT.fullmatch(texts[0])
    if name == "Pow" or (name == "Mult" and texts):
        return is_large
    if name in ("format", "format_map"):
        return not _TEMPLATE.fullmatch(texts[0])
    if name in ("replace", "join", "center", "expandtabs", "ljust", "rjust", "zfill"):
        return is_large or math.prod(len(text) + 1 for text in texts[:3]) > LONGEST_TEXT
    return name in _LARGE and is_large


def _parts(given: Sequence[Any]) -> Iterator[Any]:
    for part in given:
        yield from part if isinstance(part, (list, tuple, set, dict)) else (part,)


def _real(value: Value, depth: int = 0) -> Any:
    """The value as Python has it."""
    if isinstance(value, PLAIN):
        return value
    is_short = type(value) in (list, Fixed, dict) and len(value) <= LONGEST_LIST
    if depth >= _DEEPEST or not is_short or is_open(value):
        raise _NotKnown
    if isinstance(value, dict):
        return {key: _real(part, depth + 1) for key, part in value.items()}
    made = [_real(part, depth + 1) for part in value]
    return tuple(made) if isinstance(value, Fixed) else made


def _ours(found: Any, depth: int = 0) -> Value:
    """What Python gives, as one of our values; UNKNOWN for what is too long, or an object."""
    match found:
        case str() | bool() | float() | None:
            is_long = isinstance(found, str) and len(found) > LONGEST_TEXT
            return UNKNOWN if is_long else found
        case int():
            return found if found.bit_length() <= MOST_BITS else UNKNOWN
        case list() | tuple() if depth < _DEEPEST and len(found) <= LONGEST_LIST:
            parts = [_ours(part, depth + 1) for part in found]
            return Fixed(parts) if isinstance(found, tuple) else parts
    return UNKNOWN


# What is refused whatever the other arguments are


_Check = Callable[[Any], object]


def _repeated(value: Any) -> object:
    return value is None or operator.index(value)


def _document(value: Any) -> object:
    return isinstance(value, str) or json.loads(value)


_INDEX, _FLOAT, _PATH = operator.index, math.isnan, os.fspath
_TAKES: Mapping[str, tuple[_Check, ...]] = {
    **dict.fromkeys(("max", "min"), ()),
    **dict.fromkeys(("all", "any", "enumerate", "frozenset", "iter", "list", "set"), (iter,)),
    **dict.fromkeys(("dict.fromkeys", "reversed", "sorted", "sum", "tuple"), (iter,)),
    "json.loads": (_document,),
    "itertools.islice": (iter, _repeated, _repeated, _repeated),
    "open": (lambda value: value if isinstance(value, int) else os.fspath(value),),
    "random.randint": (_INDEX, _INDEX),
    "round": (round, _repeated),
    **dict.fromkeys(("math.log", "time.sleep"), (_FLOAT,)),
    **{f"os.{name}": (_PATH,) for name in ("makedirs", "mkdir", "path.basename", "path.dirname")},
}
# These take any number of what the check is for.
_TAKES_ALL: Mapping[str, _Check] = {
    **dict.fromkeys(("itertools.chain", "itertools.product", "zip"), iter),
    **dict.fromkeys(("os.path.join", "pathlib.Path"), _PATH),
    **dict.fromkeys(("range", "tqdm.auto.trange", "tqdm.trange"), _INDEX),
}


def _check(name: str, args: Sequence[Value]) -> None:
    """Raise where a function refuses a plain value that it is given, with Python's own words."""
    checks = (_TAKES_ALL[name],) * len(args) if name in _TAKES_ALL else _TAKES[name]
    if name in ("max", "min") and len(args) > 1 and None in args:
        raise invalid(TypeError("'<' not supported between instances of 'NoneType' and another"))
    for value, accepts in zip(args, checks, strict=False):
        if isinstance(value, PLAIN):
            try:
                accepts(value)
            except TypeError as error:
                raise invalid(error, value) from None
            except (ValueError, OverflowError):
                continue
