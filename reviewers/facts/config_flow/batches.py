"""How rows become batches: what each collator pads, turns into tensors, and refuses.

Read from the sources of transformers 4.40.2, 4.57.1 and 5.23.0 (`data/data_collator.py`,
`tokenization_utils_base.py`) and of torch 2.6 (`utils/data/_utils/collate.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from reviewers.facts.config_flow import cells, tensors
from reviewers.facts.config_flow.cells import Cell, Each
from reviewers.facts.config_flow.data_values import (
    MAYBE,
    TOKENS,
    Collator,
    DataError,
    Row,
    Tokenizer,
)
from reviewers.facts.config_flow.values import ANYTHING, UNKNOWN, Value
from reviewers.records import Span

# What `tokenizer.pad` makes equally long.
_PADDED = frozenset({"input_ids", "attention_mask", "token_type_ids", "special_tokens_mask"})
_LABELS = frozenset({"label", "labels"})


@dataclass(frozen=True, slots=True)
class _Way:
    """What a collator does.

    Attributes:
        padded: columns that it makes equally long.
        texts: what it does with texts: `refused`, `dropped` or `kept`.
        renames: whether it calls `label` `labels`.
        adds: columns that its batches have besides.
    """

    padded: frozenset[str] = frozenset()
    texts: str = "refused"
    renames: bool = False
    adds: frozenset[str] = frozenset()


_PAD = _Way(_PADDED)
COLLATORS: Mapping[str, _Way] = {
    "DataCollatorForLanguageModeling": _Way(_PADDED, adds=frozenset({"labels"})),
    "DataCollatorForSeq2Seq": _Way(_PADDED | _LABELS),
    "DataCollatorForTokenClassification": _Way(_PADDED | _LABELS),
    "DataCollatorWithPadding": _Way(_PADDED, renames=True),
    "DefaultDataCollator": _Way(texts="dropped", renames=True),
    "default_data_collator": _Way(texts="dropped", renames=True),
}
_WAYS = {**COLLATORS, "default_collate": _Way(texts="kept"), "tokenizer.pad": _PAD, "": _PAD}
FUNCTIONS = frozenset(
    {
        "torch.utils.data.default_collate",
        "torch.utils.data.dataloader.default_collate",
        "torch.utils.data._utils.collate.default_collate",
        "transformers.default_data_collator",
        "transformers.data.data_collator.default_data_collator",
    }
)
_RENAMED = {"label": "labels", "label_ids": "labels"}
_TENSORS = frozenset({"torch.tensor", "torch.as_tensor", "torch.LongTensor", "torch.FloatTensor"})


def pads(padding: Value) -> bool | None:
    """Whether `padding=` makes rows equally long; None where that is not known."""
    return None if padding is UNKNOWN else padding not in (False, None, "do_not_pad")


def collated(collator: Collator, rows: Value, mapped_at: Span | None = None) -> Value:
    """The batch that a collator makes of rows.

    Args:
        rows: a list with a mapping for each row, or a mapping of such lists.
        mapped_at: where texts among the columns are to be taken away.
    """
    if isinstance(rows, dict):
        items = {name: cells.item_of(value) for name, value in rows.items()}
        several = next((value for value in rows.values() if isinstance(value, Each)), None)
        whole = rows.with_values(items) if isinstance(rows, Row) else items
        rows = Each(whole, several.size if several else UNKNOWN)
    row: Value = rows.item if isinstance(rows, Each) else UNKNOWN
    way = _WAYS[collator.name]
    if collator.pads:
        require_padding(collator.tokenizer)
    if row is UNKNOWN and collator.name in COLLATORS:
        row = Row({ANYTHING: MAYBE}, "the rows")
    if not isinstance(rows, Each) or not isinstance(row, dict):
        return UNKNOWN
    batch = _batch(collator.name, way, row)
    if collator.name == "":
        return UNKNOWN  # it makes lists
    texts = [name for name, value in row.items() if _is(value, cells.TEXT)]
    if texts and way.texts == "refused":
        shown = row.shown if isinstance(row, Row) else "the rows"
        said = (
            f"Unable to create tensor: {collator.name} gets the text column `{texts[0]}` of"
            f" {shown} as well"
        )
        raise DataError("texts", "ValueError", said, batch, at=mapped_at, further=[collator.at])
    padded = way.padded if collator.pads is not False else frozenset()
    loose = {
        name: value
        for name, value in row.items()
        if isinstance(value, Cell) and value.is_ragged and name not in padded
    }
    if loose and collator.pads is not None:
        require_equal(loose, rows, collator.name, batch, collator.at)
    return batch


def _batch(name: str, way: _Way, row: Mapping[str, Value]) -> Row:
    renamed = _RENAMED if way.renames else {}
    kept = {
        renamed.get(column, column): "any"
        for column, value in row.items()
        if not (way.texts == "dropped" and _is(value, cells.TEXT))
    }
    if isinstance(row, Row):
        kept |= {renamed.get(column, column): MAYBE for column in row.maybe}
    shown = "a batch" if name == "default_collate" else f"a batch of {name}"
    maybe = way.padded & {"attention_mask"}  # `tokenizer.pad` may add it
    kept |= dict.fromkeys(way.adds, "any") | dict.fromkeys(maybe - kept.keys(), MAYBE)
    made = Row(kept, shown, renamed, row.format if isinstance(row, Row) else None)
    if name == "default_collate":
        # Of lists and texts it makes lists: a tensor for each place, and the texts themselves.
        made.update(
            {
                column: Each(value.anew(kind=cells.TENSOR) if value.kind == cells.LIST else value)
                if value.kind in (cells.LIST, cells.TEXT)
                else tensors.of_collated(value)
                for column, value in row.items()
                if isinstance(value, Cell)
            }
        )
    elif "input_ids" in made:
        made["input_ids"] = tensors.made("int64", tensors.CPU, is_array=True)
        made["input_ids"].is_ids = True
    return made


def _is(value: Value, kind: str) -> bool:
    return isinstance(value, Cell) and value.kind == kind


def require_equal(
    loose: Mapping[str, Cell], rows: Each, by: str, instead: Value, at: Span | None = None
) -> None:
    """Raise for columns of different lengths, which cannot be one tensor."""
    if isinstance(rows.size, int) and rows.size <= 1:
        return
    names = " and ".join(f"`{name}`" for name in sorted(loose))
    differ, them = ("differs", "it") if len(loose) == 1 else ("differ", "them")
    said = f"{names} {differ} in length from row to row, and {by} pads {them} to no common one"
    error = "RuntimeError" if by in ("default_collate", "torch.stack") else "ValueError"
    further, is_doubtful = [cell.at for cell in loose.values()], not isinstance(rows.size, int)
    raise DataError("ragged", error, said, instead, at=at, further=further, is_doubtful=is_doubtful)


def require_padding(tokenizer: Value) -> None:
    """Raise where a tokenizer certainly has no token to pad with."""
    if isinstance(tokenizer, Tokenizer) and tokenizer.pads is False:
        said = (
            f"Asking to pad but the tokenizer does not have a padding token: {tokenizer.model}"
            " comes without one; set tokenizer.pad_token = tokenizer.eos_token first"
        )
        instead = Row(TOKENS, "what the tokenizer gives")
        raise DataError("padding", "ValueError", said, instead)


def check_ids(made: Value) -> None:
    """Raise where ids that go to a model were overwritten with negative numbers."""
    ids = made.get("input_ids") if isinstance(made, dict) else None
    item = cells.item_of(ids) if isinstance(ids, (Each, list)) else ids
    if isinstance(item, Cell) and item.spoiled is not None:
        said = (
            "index out of range in self: negative numbers are written into `input_ids` itself,"
            " of which the labels are no copy"
        )
        spoiled, item.spoiled = item.spoiled, None
        raise DataError("spoiled", "IndexError", said, made, at=spoiled, further=[item.copied_at])


def made(name: str, given: Value) -> Value | None:
    """What one of the `OF_TORCH` makes of the columns of a batch; None where that is not known."""
    item = given.item if isinstance(given, Each) else given
    if not isinstance(item, Cell):
        return None
    is_made, is_padded = name in _TENSORS, name.endswith("pad_sequence")
    if not isinstance(given, Each):
        return item.anew(kind=cells.TENSOR) if is_made and item.kind == cells.LIST else None
    if is_made and item.kind == cells.TEXT:
        raise DataError("texts", "ValueError", "too many dimensions 'str'")
    if not is_made and item.kind == cells.LIST:
        said = f"{name}(): expected Tensor as element 0 in argument 0, but got list"
        raise DataError("lists", "TypeError", said, further=[item.at])
    if item.kind == (cells.LIST if is_made else cells.TENSOR) and not is_padded and item.is_ragged:
        require_equal({"the list": item}, given, name, UNKNOWN)
    return UNKNOWN if is_made else None
