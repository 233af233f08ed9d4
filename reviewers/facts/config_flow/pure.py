"""What Python itself says to calls: of functions without effects with values that are wholly known,
the result; of others, the refusal of a value by the conversion that they begin with.
"""

import datetime
import json
import math
import operator
import os
import random
import re
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from reviewers.facts.config_flow.operations import LONGEST_LIST, LONGEST_TEXT, invalid
from reviewers.facts.config_flow.values import (
    ANYTHING,
    PLAIN,
    UNKNOWN,
    Bound,
    External,
    Fixed,
    Value,
    is_open,
    unordered,
)
from reviewers.facts.parsing import MOST_BITS
from reviewers.facts.placed import place_of, placed

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
    found = None if function is None else _done(function, name, args, keywords)
    if found is None:
        return None
    if name.startswith("random."):
        return UNKNOWN
    # A part of a text stands where that does, and a number where the text does that it is read of.
    place = place_of(args[0]) if len(args) == 1 or name.startswith("str.") else None
    if isinstance(found, list):
        return type(found)([placed(part, place) for part in found])
    return placed(found, place)


def formatted(text: str, values: Value) -> Value:
    """`text % values`."""
    if not _FORMAT.fullmatch(text):
        return UNKNOWN
    found = _done(operator.mod, "%", (text, values), {})
    return UNKNOWN if found is None else found


def _done(
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
    if name in ("format", "format_map"):
        return not _TEMPLATE.fullmatch(texts[0])
    if name in ("replace", "join", "center", "expandtabs", "ljust", "rjust", "zfill"):
        return is_large or math.prod(len(text) + 1 for text in texts[:3]) > LONGEST_TEXT
    return name in _LARGE and is_large


def _parts(given: Sequence[Any]) -> Iterator[Any]:
    for part in given:
        yield from part if isinstance(part, list | tuple | set | dict) else (part,)


def _real(value: Value, depth: int = 0) -> Any:
    """The value as Python has it."""
    if isinstance(value, PLAIN):
        return value
    if depth < _DEEPEST and type(value) in (list, Fixed, dict) and len(value) <= LONGEST_LIST:
        if isinstance(value, dict) and ANYTHING not in value:
            return {key: _real(part, depth + 1) for key, part in value.items()}
        if isinstance(value, list) and not is_open(value):
            made = [_real(part, depth + 1) for part in value]
            return tuple(made) if isinstance(value, Fixed) else made
    raise _NotKnown


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
        case set() | frozenset():
            return unordered(map(_ours, found))
    return UNKNOWN


# What is refused whatever the other arguments are


_Check = Callable[[Any], object]


def _opened(value: Any) -> object:
    return value if isinstance(value, int) else os.fspath(value)


def _repeated(value: Any) -> object:
    return value is None or operator.index(value)


def _document(value: Any) -> object:
    return isinstance(value, str) or json.loads(value)


_INDEX, _NUMBER, _PATH = operator.index, math.isnan, os.fspath
_TAKES: Mapping[str, tuple[_Check, ...]] = {
    **dict.fromkeys(("max", "min"), ()),
    **dict.fromkeys(("all", "any", "enumerate", "frozenset", "iter", "list", "set"), (iter,)),
    **dict.fromkeys(("dict.fromkeys", "reversed", "sorted", "sum", "tuple"), (iter,)),
    "json.loads": (_document,),
    "itertools.islice": (iter, _repeated, _repeated, _repeated),
    "open": (_opened,),
    "random.randint": (_INDEX, _INDEX),
    "round": (round, _repeated),
    **dict.fromkeys(("math.log", "time.sleep"), (_NUMBER,)),
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
