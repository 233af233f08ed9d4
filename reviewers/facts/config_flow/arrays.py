"""Arrays of NumPy: their number formats, which torch keeps.

NumPy computes in float64 unless it is told otherwise. What is said here holds for NumPy 1 and 2; a
number format that differs between them, or may be another one, is left open.
"""

import ast

from reviewers.facts.config_flow import tensors
from reviewers.facts.config_flow.calls import unknown
from reviewers.facts.config_flow.cells import ARRAY, Cell
from reviewers.facts.config_flow.tables import OutsideCall, method, transfer
from reviewers.facts.config_flow.tensors import FLOATS, is_array
from reviewers.facts.config_flow.values import UNKNOWN, External, Fixed, Number, Value
from reviewers.records import Span

_DRAWN = tuple(f"numpy.random.{name}" for name in ("rand", "randn", "random", "normal", "uniform"))
_FILLED = ("empty", "ones", "zeros")  # the number format may be their second argument
_CONVERTING = ("array", "asarray", "concatenate", "hstack", "vstack")
# Functions that compute in the number format of a float array, item by item or along an axis.
_KEEPING = (
    "abs", "arctan", "clip", "cos", "cumprod", "cumsum", "diff", "exp", "flip", "log", "log1p",
    "maximum", "minimum", "roll", "sin", "sort", "sqrt", "square", "tanh",
)  # fmt: skip
FOLLOWED = frozenset(
    f"numpy.{name}" for name in (*_FILLED, *_CONVERTING, *_KEEPING, "arange", "linspace")
)
_METHODS = (
    "clip", "copy", "cumprod", "cumsum", "flatten", "ravel", "reshape", "squeeze", "transpose",
)  # fmt: skip


def array(dtype: str, at: Span | None, *, has_dimension: bool = True) -> Cell:
    """An array of this number format; empty where that is not known."""
    return Cell(ARRAY, None, at, dtype=dtype, is_array=has_dimension)


def _format_of(given: Value, otherwise: str) -> str:
    given = External(f"numpy.{given}") if isinstance(given, str) else given
    named = {"float": "float64", "int": "int64"}.get(getattr(given, "name", ""))
    return otherwise if given is None else named or tensors.format_of(given)


@transfer(*_DRAWN, *(f"numpy.{name}" for name in _FILLED), "numpy.linspace")
def _filled(call: OutsideCall, *args: Value) -> Value:
    name, given = call.callee.short, call.keywords.get("dtype")
    is_drawn = call.name in _DRAWN
    at_once = name in ("rand", "randn", "linspace", *_FILLED)
    is_scalar = is_drawn and (not args or not (at_once or "size" in call.keywords))
    if name in _FILLED and len(args) > 1:
        given = args[1]
    known = not (call.is_open or is_scalar or (name == "linspace" and len(args) > 3))
    whole = args[0] if args else UNKNOWN
    has_one = not (name in _FILLED and isinstance(whole, list) and not whole)
    return (
        array(_format_of(given, "float64"), call.line, has_dimension=has_one) if known else UNKNOWN
    )


@transfer("numpy.arange")
def _counted(call: OutsideCall, *args: Value) -> Value:
    if call.is_open or "dtype" in call.keywords:
        return unknown(call)
    is_float = any(isinstance(one, float) for one in args)
    whole = all(type(one) is int for one in args)
    return array("float64" if is_float else "int64" if whole else "", call.line)


@transfer(*(f"numpy.{name}" for name in _CONVERTING), "sklearn.metrics.*")
def _converted(call: OutsideCall, *args: Value) -> Value:
    """A list of floats becomes float64."""
    tensors.as_array(args)
    given = args[0] if len(args) == 1 else None
    if call.callee.short not in ("array", "asarray") or call.is_open:
        return unknown(call)
    if is_array(given) or (type(given) in (list, Fixed) and given and _are_floats(given)):
        dtype = given.dtype if is_array(given) else "float64"
        has_one = given.is_array if is_array(given) else True
        named = call.keywords.get("dtype")
        return array(_format_of(named, dtype), call.line, has_dimension=has_one)
    return unknown(call)


def _are_floats(given: list[Value]) -> bool:
    return all(type(one) in (float, int) for one in given) and any(
        type(one) is float for one in given
    )


@transfer(*(f"numpy.{name}" for name in _KEEPING))
def _kept(call: OutsideCall, given: Value, *more: Value) -> Value:
    plain = all(isinstance(one, int | float | Number | None) for one in more)
    if (
        not is_array(given)
        or not plain
        or given.dtype not in FLOATS
        or call.keywords.keys() - {"axis"}
    ):
        return unknown(call)
    return array(given.dtype, call.line, has_dimension=given.is_array)


@method(Cell, "astype")
def _cast(call: OutsideCall, owner: Cell, dtype: Value) -> Value:
    if not is_array(owner):
        return UNKNOWN
    found = owner.anew(call.line)
    found.dtype = _format_of(dtype, "")
    return found


def of_method(owner: Cell, name: str, at: Span | None) -> Value:
    """What a method of an array gives."""
    return owner.anew(at) if name in _METHODS else UNKNOWN


def operation(left: Value, right: Value, kind: type[ast.operator]) -> Value:
    """`left + right` and the like, one of which is an array and none is a tensor."""
    both = [one for one in (left, right) if is_array(one)]
    plain = [one for one in (left, right) if isinstance(one, int | float | Number)]
    if len(both) + len(plain) < 2 or kind not in tensors.ARITHMETIC:
        return UNKNOWN
    found = array("", None, has_dimension=any(one.is_array for one in both))
    if len(both) == 2:
        found.dtype = tensors.promoted(*both)
        mixed = {one.dtype in FLOATS for one in both} == {True, False}
        found.dtype = "" if mixed and found.dtype != "float64" else found.dtype
    elif both[0].is_array:
        found.dtype = both[0].dtype
    if found.dtype not in FLOATS:
        makes_floats = kind is ast.Div or any(isinstance(one, float) for one in plain)
        is_open = kind is ast.Pow or any(isinstance(one, Number) for one in plain)
        is_whole = found.dtype == "int64"
        found.dtype = "float64" if is_whole and makes_floats else "" if is_open else found.dtype
    return found
