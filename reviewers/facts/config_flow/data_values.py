"""Data sets, their rows, tokenizers and collators as values, with the library's errors."""

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from reviewers.facts.config_flow import cells
from reviewers.facts.config_flow.access import AccessError
from reviewers.facts.config_flow.cells import Cell, Each
from reviewers.facts.config_flow.values import ANYTHING, UNKNOWN, Fixed, ProblemKind, Value
from reviewers.records import Span

# The kind of a column that may be there or not.
MAYBE = "maybe"
# What is known of a column: the name of a type, or what its cells are.
Kind = str | Cell
_OF_TYPES = {"str": cells.TEXT, **dict.fromkeys(("bool", "float", "int"), cells.NUMBER)}
_FORMATS = {"bool": "bool", "float": "float64", "int": "int64"}  # that torch has for them
# What a tokenizer gives by itself, and what only where an argument asks for it.
TOKENS: Mapping[str, str] = {"input_ids": "tokens"} | dict.fromkeys(
    ("attention_mask", "token_type_ids"), MAYBE
)
ASKED_TOKENS: Mapping[str, tuple[str, ...]] = {
    "text_target": ("labels",),
    "return_length": ("length",),
    "return_offsets_mapping": ("offset_mapping",),
    "return_overflowing_tokens": (
        "num_truncated_tokens", "overflow_to_sample_mapping", "overflowing_tokens",
    ),
    "return_special_tokens_mask": ("special_tokens_mask",),
}  # fmt: skip


class DataError(AccessError):
    """What the library says to the use of a data set; `cause` tells the rules what is wrong."""

    def __init__(
        self, cause: str, error: str, message: str, instead: Value = UNKNOWN, **more: Any
    ) -> None:
        super().__init__(ProblemKind.DATA, error, message, cause, instead=instead, **more)


class Names(list[Value]):
    """Column names in order; some of them may not be there."""

    def __init__(self, columns: Mapping[str, Kind]) -> None:
        super().__init__(columns)
        self.maybe = frozenset(name for name, kind in columns.items() if kind == MAYBE)


class Modelled:
    """A value of a library that the interpreter has a class for."""

    __slots__ = ()


class Row(dict[str, Value], Modelled):
    """A row or a batch: a value for each column, and for `ANYTHING` where it may have others."""

    def __init__(
        self,
        columns: Mapping[str, Kind],
        shown: str,
        renamed: Mapping[str, str] | None = None,
        format: "RowFormat | None" = None,
    ) -> None:
        super().__init__({name: _value_of(kind) for name, kind in columns.items()})
        self.shown = shown
        self.renamed = renamed or {}  # columns that it certainly has by another name only
        self.format = format  # that says which columns it has
        self.maybe = frozenset(name for name, kind in columns.items() if kind == MAYBE)

    def item(self, key: object) -> Value:
        """`row[key]`."""
        if self.format is not None and isinstance(key, str) and key not in self:
            said = f"'{key}': the columns of its format leave it out of the rows of {self.shown}"
            raise DataError("column", "KeyError", said, further=[self.format.at])
        if isinstance(key, str) and key not in self and ANYTHING not in self:
            there = [str(name) for name in self if name not in self.maybe]
            said = f"'{key}': {self.shown} has {_listed(there)}"
            raise DataError("column", "KeyError", said, names=(str(key), *there))
        if key in self.renamed and key not in self:
            said = f"'{key}': {self.shown} has it as `{self.renamed[str(key)]}`"
            names = str(key), self.renamed[str(key)]
            raise DataError("column", "KeyError", said, names=names)
        return self.get(str(key), UNKNOWN)

    def with_values(self, values: Mapping[str, Value]) -> "Row":
        """A row with the same columns and other values."""
        made = copy(self)
        made.update(values)
        return made

    def holds(self, key: object) -> bool | None:
        """Whether the row has a column; None where that is not known."""
        if key in self.renamed:
            return key in self
        return None if key in self.maybe or (key not in self and ANYTHING in self) else key in self


@dataclass(frozen=True, slots=True)
class RowFormat:
    """What `set_format` makes of the rows.

    Attributes:
        columns: those that the rows have; None for all.
        tensors: numbers and lists of them come as tensors.
        at: where it is set.
    """

    columns: frozenset[str] | None = None
    tensors: bool = False
    at: Span | None = None


@dataclass(eq=False, slots=True)
class DataSet(Modelled):
    """One split of a data set.

    Attributes:
        shown: how to speak of it: its id and configuration.
        columns: kind of each column by name; `ANYTHING` among them where there may be others.
        streaming: whether it can only be iterated over; None where that is not known.
        unlabelled: whether every label of it is -1.
        mapped_at: where `map` was called on it last.
    """

    shown: str
    columns: Mapping[str, Kind]
    streaming: bool | None
    unlabelled: bool = False
    mapped_at: Span | None = None
    format: RowFormat = RowFormat()

    @property
    def is_closed(self) -> bool:
        """Whether all of its columns are known."""
        return ANYTHING not in self.columns

    def row(self) -> Row:
        """Any of its rows."""
        seen = self.format.columns
        if seen is None:
            row = Row(self.columns, self.shown)
        else:
            row = Row(self.chosen(sorted(seen)), self.shown, format=self.format)
        lists = row.items() if self.format.tensors else ()
        return row.with_values(
            {
                name: replace(one, kind=cells.TENSOR)
                for name, one in lists
                if isinstance(one, Cell) and one.kind == cells.LIST
            }
        )

    def batch(self) -> Row:
        """Any of the batches of them that `map` hands to a function."""
        row = self.row()
        return row.with_values({name: Each(value, 1_000) for name, value in row.items()})

    def __iter__(self) -> Iterator[Row]:
        yield self.row()

    def item(self, key: object) -> Value:
        """`dataset[key]`."""
        if isinstance(key, str):
            self.require([key], "KeyError", f"'{key}'")
            found = _value_of(self.columns.get(key, MAYBE))
            is_text = isinstance(found, Cell) and found.kind == cells.TEXT
            return UNKNOWN if self.format.tensors and not is_text else Each(found)
        if self.streaming:
            said = "a streaming data set has no positions, only an order"
            raise DataError("streaming", "NotImplementedError", said, self.row())
        return self.row()

    def require(self, wanted: Iterable[object], error: str, said: str) -> None:
        """Raise where the data set certainly lacks one of the columns."""
        missing = [name for name in wanted if isinstance(name, str) and name not in self.columns]
        if missing and self.is_closed:
            there = [name for name, kind in self.columns.items() if kind != MAYBE]
            told = f"{said}: {self.shown} has {_listed(there)}"
            raise DataError("column", error, told, self, names=(missing[0], *there))

    def without(self, names: Iterable[object]) -> "DataSet":
        gone = set(names)
        kept = {name: kind for name, kind in self.columns.items() if name not in gone}
        return replace(self, columns=kept)

    def chosen(self, names: Iterable[str]) -> dict[str, Kind]:
        """The kinds of columns that it certainly has, or the choice is refused."""
        kinds = {name: self.columns.get(name, MAYBE) for name in names}
        return {name: "any" if kind == MAYBE else kind for name, kind in kinds.items()}

    def opened(self) -> "DataSet":
        """The same after something that is not known happened to its columns."""
        return replace(self, columns={**dict.fromkeys(self.columns, MAYBE), ANYTHING: MAYBE})


class DataSets(dict[str, Value], Modelled):
    """A data set with its splits, as `load_dataset` gives it where no split is named."""

    def __init__(self, splits: Mapping[str, Value], shown: str, streaming: bool | None) -> None:
        super().__init__(splits)
        self.shown = shown
        self.streaming = streaming

    def item(self, key: object) -> Value:
        """`datasets[key]`."""
        if isinstance(key, str) and key not in self:
            said = f"'{key}': {self.shown} has the splits {_listed(self)}"
            raise DataError("split", "KeyError", said, names=(key, *self))
        if isinstance(key, int):
            said = f"{key}: a split must be named first, one of {_listed(self)}"
            raise DataError("split", "KeyError", said)
        return self.get(str(key), UNKNOWN)


@dataclass(eq=False, slots=True)
class Tokenizer(Modelled):
    """A tokenizer of transformers; `pads` is whether it has a token to pad with, if known."""

    model: Value
    pads: bool | None


@dataclass(frozen=True, slots=True)
class Collator(Modelled):
    """A collator of the transformers library, or `tokenizer.pad`, which makes tensors of columns.

    Attributes:
        pads: whether it pads what a tokenizer gives; None where that is not known.
        at: where it was made.
    """

    name: str
    tokenizer: Value
    pads: bool | None = True
    at: Span | None = None


@dataclass(frozen=True, slots=True)
class Loader(Modelled):
    """A data loader; `batch` is any of its batches."""

    batch: Value

    def __iter__(self) -> Iterator[Value]:
        yield _anew(self.batch)


def _anew(batch: Value) -> Value:
    """The batch in memory of its own, as far as code changes one in place."""
    if isinstance(batch, (Row, Cell)):
        return copy(batch)
    return Fixed(map(_anew, batch)) if isinstance(batch, Fixed) else batch


Rows = DataSet | Loader  # what a loop takes rows or batches from


def _value_of(kind: Kind) -> Value:
    if isinstance(kind, Cell):
        return replace(kind)  # every row has its own
    if kind not in _OF_TYPES:
        return UNKNOWN
    return Cell(_OF_TYPES[kind], dtype=_FORMATS.get(kind, ""))


def _listed(names: Iterable[str]) -> str:
    listed = [f"`{name}`" for name in names]
    return ", ".join(listed) or "none"
