"""What the rows of a data set hold: texts, numbers, and lists, arrays or tensors of numbers, whose
length may differ from row to row.

A length is a sum of unknown lengths with their factors, so that padding to a fixed length is seen
to be that: `ids + [pad] * (128 - len(ids))` has 128 items whatever `ids` has.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from reviewers.facts.config_flow.values import LIKEWISE, UNKNOWN, Meeting, Number, Unordered, Value
from reviewers.records import Span

TEXT, NUMBER, LIST, TENSOR = "text", "number", "list", "tensor"
ARRAY = "array"  # of NumPy
LOOSE = "loose"  # of a batch: a tensor, or what holds such, all of them on its device
_SAME_TEXT = frozenset(
    {"capitalize", "lower", "lstrip", "replace", "rstrip", "strip", "title", "upper"}
)
_MANY = 4  # so many times what is added to every row are cut off at the earliest


@dataclass(frozen=True, eq=False, slots=True)
class Size:
    """One length that is not known; `varies` says that it certainly differs from row to row."""

    varies: bool


@dataclass(frozen=True, slots=True)
class Count:
    """A whole number: `fixed`, and so many times each of some lengths."""

    fixed: int
    parts: tuple[tuple[Size, int], ...] = ()

    @property
    def varies(self) -> bool:
        """Whether it certainly differs from row to row."""
        return any(size.varies for size, _ in self.parts)

    @property
    def grows(self) -> bool:
        """Whether it differs from row to row, and is no less than what varies in it."""
        return self.varies and self.fixed >= 0 and all(factor > 0 for _, factor in self.parts)


@dataclass(eq=False, slots=True)
class Saved:
    """What an operation on tensors keeps for its backward pass; `freed` where that is done."""

    freed: Span | None = None


@dataclass(eq=False, slots=True)
class Cell(Meeting):
    """What any row holds in a column; also any other tensor or array.

    Attributes:
        length: number of items of a list or tensor; None where nothing is known of it.
        at: where it was made.
        negative: it holds numbers below zero, as masked labels do.
        spoiled: where negative numbers are written into ids that a model looks up.
        is_ids: it holds ids of tokens.
        dtype: torch's name of its number format; empty where that is not known.
        cast_at: where its number format was chosen; None where that is where it was made.
        device: `cpu` or `cuda`; empty where that is not known.
        is_array: it certainly has a dimension.
        is_kept: it belongs to the network that holds it, and moves with that.
        needs: it certainly needs a gradient.
        graph: what is kept for that, on the way back from it.
    """

    kind: str
    length: Count | None = None
    at: Span | None = None
    negative: bool = False
    spoiled: Span | None = None
    is_ids: bool = False
    copied_at: Span | None = None  # where the list was copied that holds it
    dtype: str = ""
    cast_at: Span | None = None
    device: str = ""
    is_array: bool = False
    is_kept: bool = False
    needs: bool = False
    graph: frozenset[Saved] = frozenset()

    @property
    def is_ragged(self) -> bool:
        """Whether rows certainly differ in length."""
        return self.length is not None and self.length.grows

    def met(self, other: Value) -> Value:
        """The tensor that is either; of what moves with a network, only its graph is known."""
        if not isinstance(other, Cell) or {self.kind, other.kind} != {TENSOR}:
            return UNKNOWN
        found = Cell(TENSOR, is_array=self.is_array and other.is_array)
        found.needs, found.graph = self.needs and other.needs, self.graph & other.graph
        if not (self.is_kept or other.is_kept):
            found.dtype = self.dtype if self.dtype == other.dtype else ""
            found.device = self.device if self.device == other.device else ""
        return found

    def anew(self, at: Span | None = None, kind: str | None = None) -> "Cell":
        """A copy of it in memory of its own."""
        made = Cell(kind or self.kind, self.length, at, self.negative, self.spoiled)
        if made.kind == self.kind:
            made.dtype, made.device, made.is_array = self.dtype, self.device, self.is_array
        return made


@dataclass(eq=False, slots=True)
class Each:
    """A list with one such item for each row of a batch.

    Attributes:
        size: number of rows; UNKNOWN where that is not known.
        at: where the list was made.
    """

    item: Value
    size: Value = UNKNOWN
    at: Span | None = None

    def taken(self) -> Value:
        """Any of its items."""
        if isinstance(self.item, Cell):
            self.item.copied_at = self.at
        return self.item


Batched = Cell | Each | Count
ROWS = Size(varies=False)  # the number of rows in a batch


def item_of(value: Value) -> Value:
    """What a list has for each row; None where it is not such a list."""
    if isinstance(value, Each):
        return value.item
    if isinstance(value, list) and len(value) == 2 and value[1] is LIKEWISE:
        return value[0]
    return None


def counted(value: Value) -> Count | None:
    """A number, or the length of a list, as a count; None where it is not known."""
    if isinstance(value, Count):
        return value
    return Count(value) if isinstance(value, int) and not isinstance(value, bool) else None


def added(left: Count, right: Count, factor: int = 1) -> Count:
    """`left + factor * right`."""
    parts = dict(left.parts)
    for size, number in right.parts:
        parts[size] = parts.get(size, 0) + factor * number
    kept = tuple((size, number) for size, number in parts.items() if number)
    return Count(left.fixed + factor * right.fixed, kept)


def length_of(value: Value) -> Count | None:
    """Number of items of a list; None where it is not known."""
    if isinstance(value, Each):
        return Count(0, ((ROWS, 1),))
    if isinstance(value, Cell):
        return value.length if value.kind in (LIST, TENSOR) else None
    known = isinstance(value, list) and not isinstance(value, Unordered)
    known = known and not any(part is LIKEWISE for part in value)
    return Count(len(value)) if known else None


def sum_of(left: Value, right: Value) -> Value:
    """`left + right`, where one of them is a cell, an each or a count."""
    if any(isinstance(side, Cell) and side.kind == TEXT for side in (left, right)):
        return Cell(TEXT)
    if isinstance(left, Count) or isinstance(right, Count):
        return total(left, right)
    lengths = length_of(left), length_of(right)
    if isinstance(left, Each) or isinstance(right, Each) or None in lengths:
        return UNKNOWN
    negative = _is_negative(left) or _is_negative(right)
    return Cell(LIST, added(*lengths), negative=negative)  # type: ignore[arg-type]


def total(left: Value, right: Value, factor: int = 1) -> Value:
    """`left + factor * right` of numbers."""
    numbers = counted(left), counted(right)
    if numbers[0] is None or numbers[1] is None:
        return UNKNOWN
    found = added(numbers[0], numbers[1], factor)
    return found if found.parts else found.fixed


def product_of(left: Value, right: Value) -> Value:
    """`[item] * count`, or a count so many times."""
    several, times = (right, left) if isinstance(left, int) else (left, right)
    if isinstance(several, Count) and isinstance(times, int):
        return added(Count(0), several, times)
    items, times = (left, right) if isinstance(left, list) else (right, left)
    number = counted(times)
    if not isinstance(items, list) or length_of(items) != Count(1) or number is None:
        return UNKNOWN
    return Cell(LIST, number, negative=_is_negative(items))


def _is_negative(value: Value) -> bool:
    """Whether it is, or holds, a number below zero."""
    if isinstance(value, list):
        return any(map(_is_negative, value))
    if isinstance(value, Cell):
        return value.negative
    return isinstance(value, (int, float)) and value < 0


def part_of(owner: Value, key: Value) -> Value:
    """`owner[key]`."""
    if isinstance(owner, Each):
        whole = isinstance(key, slice)
        return Each(owner.item) if whole else owner.taken() if _is_position(key) else UNKNOWN
    if not isinstance(owner, Cell):
        found = item_of(owner) if _is_position(key) else None
        return UNKNOWN if found is None else found
    if owner.kind == LOOSE:
        return owner
    if owner.kind == TEXT:
        return Cell(TEXT) if isinstance(key, slice) else UNKNOWN
    if not isinstance(key, slice) or key.step is not None or owner.kind == NUMBER:
        if owner.kind not in (TENSOR, ARRAY) or (owner.kind == ARRAY and not owner.dtype):
            return UNKNOWN
        whole = owner.is_array and _keeps_one(key)
        return Cell(owner.kind, dtype=owner.dtype, device=owner.device, is_array=whole)
    made = owner.anew()
    made.length = _cut(owner.length, counted(key.start or 0), key.stop)
    return made


def _keeps_one(key: Value) -> bool:
    """Whether a part of a tensor or array that a key asks for has a dimension."""
    if isinstance(key, list):
        return any(map(_keeps_one, key))
    return key is None or isinstance(key, slice) or (isinstance(key, Cell) and key.is_array)


def _is_position(key: Value) -> bool:
    known = isinstance(key, (int, Count, Number)) or (isinstance(key, Cell) and key.kind == NUMBER)
    return key is UNKNOWN or known


def _cut(length: Count | None, start: Count | None, stop: Value) -> Count | None:
    """Number of items of `items[start:stop]`."""
    if length is None or start is None or start.fixed < 0:
        return None
    rest = added(length, start, -1)
    end = counted(stop)
    if stop is None:
        return rest
    if end is None or end.parts or start.fixed or start.parts:
        return None
    if end.fixed < 0:
        return added(rest, end)
    if length.fixed >= end.fixed:
        return end
    # As a tokenizer that truncates: the longest rows are cut, the others differ as before.
    whole = length.grows and length.fixed * _MANY <= end.fixed
    return Count(0, ((Size(varies=True), 1),)) if whole else None


def method(
    owner: Batched, name: str, args: Sequence[Value], at: Span | None, *, is_unsure: bool = False
) -> Value:
    """A method of a cell or of a list of them."""
    if isinstance(owner, Each):
        return Each(owner.item, owner.size, at) if name == "copy" else UNKNOWN
    if not isinstance(owner, Cell):
        return UNKNOWN
    if owner.kind == TEXT:
        return Cell(TEXT) if name in _SAME_TEXT else UNKNOWN
    if name == "copy":
        return owner.anew(at)
    if name in ("append", "extend", "insert"):
        more = length_of(args[0]) if name == "extend" and args else Count(1)
        known = more is not None and owner.length is not None and not is_unsure
        owner.length = added(owner.length, more) if known else None  # type: ignore[arg-type]
    elif name in ("pop", "remove", "clear"):
        owner.length = None
    return UNKNOWN


def write(owner: Cell, key: Value, value: Value, span: Span, *, is_unsure: bool) -> None:
    """`owner[key] = value`."""
    if owner.kind == LOOSE and getattr(value, "device", "") != owner.device:
        owner.device = ""
    negative = _is_negative(value)
    owner.negative = owner.negative or negative
    if negative and owner.is_ids and not is_unsure:
        owner.spoiled = owner.spoiled or span
    if isinstance(key, slice) and owner.kind == LIST:
        fits = key.start is None and counted(key.stop) == length_of(value)
        owner.length = owner.length if fits else None


def along(args: Sequence[Value]) -> Value:
    """`zip` of lists with an item for each row; UNKNOWN of any other."""
    items = [item_of(value) for value in args]
    return Each(items) if items and None not in items else UNKNOWN
