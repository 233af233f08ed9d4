"""What the `datasets` library, tokenizers and data loaders do with data sets, as far as a check of
names, columns and lengths needs it.

Read from the sources of datasets 2.19.2 and 4.4.1 and of transformers 4.40.2, 4.57.1 and 5.23.0.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from omegaconf import DictConfig, ListConfig

from reviewers.facts.config_flow import batches, cells, tensors
from reviewers.facts.config_flow.batches import COLLATORS, collated
from reviewers.facts.config_flow.calls import handed
from reviewers.facts.config_flow.cells import Cell, Count, Each, Size, item_of
from reviewers.facts.config_flow.data_values import (
    ASKED_TOKENS,
    MAYBE,
    TOKENS,
    Collator,
    DataError,
    DataSet,
    DataSets,
    Kind,
    Loader,
    Modelled,
    Names,
    Row,
    RowFormat,
    Tokenizer,
)
from reviewers.facts.config_flow.library_calls import starts_anew
from reviewers.facts.config_flow.library_values import refuse_unpicklable
from reviewers.facts.config_flow.tables import (
    CALLED,
    OTHER,
    OutsideCall,
    method,
    methods_of,
    transfer,
)
from reviewers.facts.config_flow.values import (
    ANYTHING,
    UNKNOWN,
    Bound,
    External,
    Fixed,
    Instance,
    LocalFunction,
    PartlyKnown,
    Value,
)
from reviewers.facts.hub_datasets import HubDataset, find_dataset, is_absent, name_instead
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import kept

LOADER = "datasets.load_dataset"
_LOADING = re.compile(r"__(getitem|iter|call|next)__$|collat", re.IGNORECASE)
_ON_GPU = re.compile(r"cuda|device|\.to\(")
# From datasets 4 and 5 and its documentation: what only one of the kinds of data set has.
_ONLY_OF_ONE_SPLIT = frozenset({"features", "select", "to_pandas", "train_test_split"})
_NOT_STREAMING = frozenset((
    "select", "set_format", "set_transform", "sort", "to_pandas", "train_test_split",
    "with_transform",
))  # fmt: skip
_SAME_ROWS = (
    "cast_column", "filter", "flatten_indices", "repeat", "select", "shard", "shuffle",
    "skip", "sort", "take",
)  # fmt: skip
# Tokenizers that come without a padding token: their tokenizer_config.json has none.
_NO_PADDING = re.compile(
    r"(openai-community/)?gpt2(-medium|-large|-xl)?|(distilbert/)?distilgpt2|meta-llama/(Llama-2-|Llama-3|Meta-Llama-3).*"
    r"|mistralai/Mistral-7B-(Instruct-)?v0\.[123]|EleutherAI/(pythia|gpt-neo|gpt-j).*"
    r"|huggyllama/llama-.*"
)
_IN_PLACE = ("reset_format", "set_format", "set_transform")
_CHANGED = (
    *_IN_PLACE, *_SAME_ROWS, "map", "rename_column", "remove_columns", "select_columns",
    "rename_columns", "with_format",
)  # fmt: skip
_SPLIT = re.compile(r"\s*([\w.-]+)\s*(\[[^\]]*\])?\s*")


@transfer(LOADER)
def _load_dataset(call: OutsideCall, *args: Value) -> Value:
    return load_dataset(args, call.keywords)


def load_dataset(args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    """`datasets.load_dataset`.

    Raises:
        DataError: the Hub has no such data set, configuration or split, or the library refuses it.
    """
    places = ("path", "name", "data_dir", "data_files", "split")
    given = {**dict(zip(places, args, strict=False)), **keywords}
    path, config, split = given.get("path"), given.get("name"), given.get("split")
    if not isinstance(path, str) or {ANYTHING, "data_files", "data_dir"} & given.keys():
        return UNKNOWN
    if is_absent(path):
        better = name_instead(path)
        wanted = f"; {better} is the data set that is mostly meant" if better else ""
        said = f"Dataset '{path}' doesn't exist on the Hub{wanted}"
        raise DataError("absent", "DatasetNotFoundError", said)
    found = find_dataset(path, config if isinstance(config, str) else None)
    if found is None:
        return UNKNOWN
    streaming = given.get("streaming", False)
    loaded = _loaded(found, path, config, split, streaming if isinstance(streaming, bool) else None)
    if found.script and "revision" not in given:
        said = f"Dataset scripts are no longer supported, but found {found.script}"
        raise DataError("script", "RuntimeError", said)
    if config is None and found.needs_config and not found.script:
        among = f" among {list(found.configs)}" if found.configs else ""
        propose = f'; write load_dataset("{path}", "{found.example}")' if found.example else ""
        said = f"Config name is missing: `{path}` is made of several configurations{among}{propose}"
        raise DataError("config", "ValueError", said, loaded, names=("", path))
    is_named = isinstance(config, str) and bool(found.configs) and not found.script
    if is_named and config not in found.configs:
        said = f"BuilderConfig '{config}' not found in `{path}`. Available: {list(found.configs)}"
        raise DataError("config", "ValueError", said, loaded, names=(str(config), path))
    for name in split if isinstance(split, list) else [split]:
        parts = name.split("+") if isinstance(name, str) and found.splits else []
        for match in filter(None, map(_SPLIT.fullmatch, parts)):
            if match[1] not in found.splits and match[1] != "all":
                said = f"Unknown split '{match[1]}': `{path}` has {', '.join(found.splits)}"
                raise DataError("split", "ValueError", said, names=(match[1], *found.splits))
    return loaded


def _loaded(
    found: HubDataset, path: str, config: Value, split: Value, streaming: bool | None
) -> Value:
    shown = f"`{path}` ({config})" if isinstance(config, str) else f"`{path}`"
    sure = (config is None and not found.needs_config) or isinstance(config, str)
    columns = found.columns if found.columns and sure else {**found.columns, ANYTHING: MAYBE}

    def one(name: str) -> DataSet:
        return DataSet(shown, columns, streaming, unlabelled=name in found.unlabelled)

    if isinstance(split, str):
        return one(split)
    if isinstance(split, list):
        return [one(name) if isinstance(name, str) else UNKNOWN for name in split]
    if split is None and found.splits and sure:
        return DataSets({name: one(name) for name in found.splits}, shown, streaming)
    return UNKNOWN


# Methods of data sets


def attribute_of(owner: Modelled, name: str) -> Value:
    """A property of a modelled value; None where it is a method, or not followed."""
    if isinstance(owner, DataSets):
        if name in _ONLY_OF_ONE_SPLIT:
            said = f"'DatasetDict' object has no attribute '{name}': name a split first"
            raise DataError("split", "AttributeError", said)
        parts = owner.items() if name == "column_names" else ()
        return {split: attribute_of(part, name) for split, part in parts} or None
    if not isinstance(owner, DataSet):
        return None
    if owner.streaming and name in _NOT_STREAMING:
        said = f"'IterableDataset' object has no attribute '{name}'"
        raise DataError("streaming", "AttributeError", said, owner)
    if name == "column_names":
        return Names(owner.columns) if owner.is_closed else UNKNOWN
    return Row(owner.columns, owner.shown) if name == "features" else None


@method(Row, "pop")
def _popped(call: OutsideCall, owner: Row, key: Value) -> Value:
    found = owner.item(key)
    owner.pop(key, None)
    return found


@method(DataSets, *_CHANGED)
def _of_every_split(call: OutsideCall, owner: DataSets) -> Value:
    made = {}
    for split, part in owner.items():
        known = methods_of(type(part)).get(call.name)
        made[split] = known(replace(call, callee=Bound(part, call.name))) if known else UNKNOWN
    return None if call.name in _IN_PLACE else DataSets(made, owner.shown, owner.streaming)


@method(DataSet, *_SAME_ROWS)
def _same_rows(call: OutsideCall, owner: DataSet) -> Value:
    # Another object, which may get a format of its own; in doubt it may be the old one.
    return owner if call.follower.is_unsure else replace(owner)


@method(DataSet, "filter")
def _filtered(call: OutsideCall, owner: DataSet, function: Value, fn_kwargs: Value = None) -> Value:
    handed(call.follower, function, [owner.row()], _given(fn_kwargs))
    return owner


@method(DataSet, "train_test_split")
def _two_parts(call: OutsideCall, owner: DataSet) -> Value:
    shown = f"what train_test_split makes of {owner.shown}"
    return DataSets({"train": owner, "test": owner}, shown, owner.streaming)


@method(DataSet, "rename_column", "rename_columns")
def _renamed(call: OutsideCall, owner: DataSet, *args: Value) -> Value:
    given = call.values
    names = given[0] if given else UNKNOWN
    if call.name == "rename_column":
        known = len(given) == 2 and all(isinstance(name, str) for name in given)
        names = {given[0]: given[1]} if known else UNKNOWN
    if not isinstance(names, dict) or ANYTHING in names:
        return owner.opened()
    old = next(iter(names), "")
    try:
        owner.require(names, "ValueError", f"Original column name {old} not in the dataset")
    except DataError as error:
        # What is meant to be renamed is meant to be there.
        meant = dict.fromkeys(map(str, names.values()), MAYBE)
        error.instead = replace(owner, columns={**owner.columns, **meant})
        raise
    columns = {str(names.get(name, name)): kind for name, kind in owner.columns.items()}
    return replace(owner, columns=columns)


@method(DataSet, "remove_columns", "select_columns")
def _without(call: OutsideCall, owner: DataSet, column_names: Value) -> Value:
    names = _names(column_names)
    if names is None:
        return owner.opened()
    owner.require(names, "ValueError", f"no column {names}")
    if call.name == "remove_columns":
        return owner.without(names)
    return replace(owner, columns=owner.chosen(names))


@method(DataSet, "with_format", "set_format", "reset_format", "set_transform")
def _set_format(
    call: OutsideCall,
    owner: DataSet,
    type: Value = None,
    columns: Value = None,
    output_all_columns: Value = False,
) -> Value:
    """`set_format`: which columns the rows have, and whether as tensors."""
    is_new = call.name == "with_format"
    owner = replace(owner) if is_new else owner
    made = owner if is_new else UNKNOWN
    names = _names(columns) if columns is not None else None
    known = call.name != "set_transform" and not call.is_open and not call.follower.is_unsure
    if not known or (columns is not None and names is None) or output_all_columns is UNKNOWN:
        owner.columns = owner.opened().columns
        owner.format = RowFormat()
        return made
    owner.require(names or (), "ValueError", f"columns {names} for set_format")
    kept = None if names is None or output_all_columns else frozenset(names)
    owner.format = RowFormat(kept, type in ("torch", "pt"), call.span)
    if type not in (None, "torch", "pt"):
        owner.columns = dict.fromkeys(owner.columns, "any")
    return made


@method(DataSet, "map")
def _mapped(call: OutsideCall, owner: DataSet, function: Value = None) -> Value:
    given = call.keywords
    batched = given.get("batched", False)
    positions = [UNKNOWN] if given.get("with_indices") else []
    rows = owner if owner.format == RowFormat() else replace(owner.opened(), format=RowFormat())
    row = rows.batch() if batched is True else rows.row() if batched is False else UNKNOWN
    made = handed(call.follower, function, [row, *positions], _given(given.get("fn_kwargs")))
    batches.check_ids(made)
    removed = given.get("remove_columns")
    names = [] if removed is None else _names(removed)
    if call.is_open or len(call.args) > 1:
        return owner.opened()
    owner.require(names or (), "ValueError", f"no column {names} for remove_columns")
    kept = owner.opened().columns if names is None else owner.without(names).columns
    owner = replace(owner, mapped_at=call.span)
    if not isinstance(made, dict):
        changed = replace(owner, columns={**kept, ANYTHING: MAYBE}).opened()
        return replace(owner, columns=kept) if made is None else changed
    # Of a row that is given back, the columns that were removed only stay where the function has
    # set them anew.
    doubtful: Collection[str] = made.maybe if isinstance(made, Row) else ()
    if made is row:
        doubtful = {*doubtful, *(owner.columns.keys() - kept.keys())}
    columns = {name: _kind_of(value, is_batched=batched) for name, value in made.items()}
    return replace(owner, columns={**kept, **columns, **dict.fromkeys(doubtful, MAYBE)})


def _given(fn_kwargs: Value) -> Mapping[str, Value]:
    unknown_ones = {} if fn_kwargs is None else {ANYTHING: UNKNOWN}
    return fn_kwargs if isinstance(fn_kwargs, dict) else unknown_ones


def _kind_of(value: Value, *, is_batched: Value) -> Kind:
    """What is known of a column whose values a function has given."""
    item = item_of(value) if is_batched is True else value if is_batched is False else None
    if isinstance(item, (str, PartlyKnown)):
        return Cell(cells.TEXT)
    parts = item if type(item) is list else []
    length = cells.length_of(item) if parts is item else None
    if length is not None and all(isinstance(part, (int, float, Cell)) for part in parts):
        return Cell(cells.LIST, length)
    return replace(item) if isinstance(item, Cell) else "any"


# Tokenizers and collators


@transfer("transformers.*Tokenizer*.from_pretrained")
def _tokenizer(call: OutsideCall, pretrained_model_name_or_path: Value = None) -> Value:
    model = pretrained_model_name_or_path
    known = isinstance(model, str) and not {"pad_token", ANYTHING} & call.keywords.keys()
    return Tokenizer(model, False if known and _NO_PADDING.fullmatch(model) else None)


@method(Tokenizer, "add_special_tokens", "add_tokens")
def _added(call: OutsideCall, owner: Tokenizer) -> Value:
    owner.pads = None
    return UNKNOWN


@method(Tokenizer, "pad")
def _padded(
    call: OutsideCall, owner: Tokenizer, encoded_inputs: Value = UNKNOWN, padding: Value = True
) -> Value:
    if call.is_open:
        return UNKNOWN
    batches.require_padding(owner)
    name = "tokenizer.pad" if call.keywords.get("return_tensors") == "pt" else ""
    return collated(Collator(name, owner, batches.pads(padding)), encoded_inputs)


@method(Tokenizer, CALLED, "batch_encode_plus", "encode", "encode_plus")
def _encoded(call: OutsideCall, owner: Tokenizer, text: Value = UNKNOWN) -> Value:
    keywords, texts = call.keywords, text
    if keywords.get("padding") not in (None, False, "do_not_pad", UNKNOWN):
        batches.require_padding(owner)
    if call.is_open:
        return UNKNOWN
    asked = [name for word in keywords for name in ASKED_TOKENS.get(word, ())]
    row = Row({**TOKENS, **dict.fromkeys(asked, MAYBE)}, "what the tokenizer gives")
    text = texts.item if isinstance(texts, Each) else texts
    is_text = isinstance(text, (str, PartlyKnown)) or (
        isinstance(text, Cell) and text.kind == cells.TEXT
    )
    odd = {"return_overflowing_tokens", "is_split_into_words"} & keywords.keys()
    kind = keywords.get("return_tensors")
    known = is_text and not odd
    if kind == "pt" or (known and kind is None):
        length = (
            _tokens(keywords, isinstance(texts, Each), isinstance(text, Cell)) if known else None
        )
        ids = Cell(cells.LIST, length, call.line, is_ids=True)
        if kind == "pt":
            if isinstance(texts, Each) and ids.is_ragged:
                batches.require_equal({"input_ids": ids}, texts, "the tokenizer", row)
            ids.kind, ids.dtype, ids.device = cells.TENSOR, "int64", tensors.CPU
            ids.is_array = True
        batched = isinstance(texts, Each) and kind is None
        row["input_ids"] = Each(ids, texts.size, call.line) if batched else ids
    return row["input_ids"] if call.name == "encode" else row


def _tokens(keywords: Mapping[str, Value], is_batch: bool, varies: bool) -> Count | None:
    """How many ids a text has."""
    padding = keywords.get("padding", False)
    if padding in (False, None, "do_not_pad") or (padding in (True, "longest") and not is_batch):
        return Count(0, ((Size(varies), 1),))
    if padding == "max_length" and keywords.get("truncation") in (True, "longest_first"):
        most = keywords.get("max_length")
        return Count(most) if isinstance(most, int) else Count(0, ((Size(varies=False), 1),))
    return None


@transfer(*(f"transformers.{inner}{name}" for name in COLLATORS for inner in ("", "*.")))
def _collator(call: OutsideCall, tokenizer: Value = None) -> Value:
    name = call.callee.short
    if name == "default_data_collator":
        return collated(Collator(name, None), tokenizer if call.args else UNKNOWN)
    return Collator(name, tokenizer, batches.pads(call.keywords.get("padding", True)), call.span)


@method(Collator, OTHER, CALLED)
def _collated(call: OutsideCall, owner: Collator, features: Value = UNKNOWN) -> Value:
    return collated(owner, features)


# Loaders


@transfer("functools.partial")
def _partial(call: OutsideCall, function: Value, *args: Value) -> Value:
    known = isinstance(function, LocalFunction)
    return replace(function.bound(*args), keywords=call.keywords) if known else UNKNOWN


def _names(value: Value) -> list[str] | None:
    """Column names that are handed over; None where they are not all known."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, (ListConfig, DictConfig)):
        value = list(value)
    known = isinstance(value, (list, tuple, dict)) and all(isinstance(name, str) for name in value)
    return list(value) if known and ANYTHING not in value else None


@transfer("torch.utils.data.Subset")
def _subset(call: OutsideCall, dataset: Value) -> Value:
    return dataset if isinstance(dataset, (Instance, DataSet)) else UNKNOWN


@transfer("torch.utils.data.random_split")
def _split(call: OutsideCall, dataset: Value, lengths: Value) -> Value:
    parts = call.follower.turns(lengths) if isinstance(dataset, (Instance, DataSet)) else None
    return [dataset] * len(parts) if parts else UNKNOWN


@transfer("torch.utils.data.DataLoader")
def _data_loader(
    call: OutsideCall, dataset: Value = None, batch_size: Value = 1, collate_fn: Value = None
) -> Value:
    files = call.follower.python.values()
    # A loader makes tensors on the CPU, where nothing of the submission that it calls does else.
    is_loose = call.follower.has_defaults and not any(map(_may_load_on_gpu, files))
    try:
        batch = _batch_of(call, dataset, batch_size)
    except DataError as error:
        error.instead = Loader(error.instead)
        raise
    loader = Loader(tensors.loose(batch) if is_loose else batch)
    workers, given = call.keywords.get("num_workers"), call.keywords
    method = given.get("multiprocessing_context", call.follower.start_method)
    if isinstance(workers, int) and workers > 0 and starts_anew(method):
        handed_over = [dataset, collate_fn, given.get("worker_init_fn")]
        by = "a worker of the loader that is started by spawn or forkserver"
        refuse_unpicklable(call.follower, handed_over, by, loader)
    return loader


def _batch_of(call: OutsideCall, dataset: Value, batch_size: Value) -> Value:
    """Any batch that a loader gives."""
    follower, data, collator = call.follower, dataset, call.keywords.get("collate_fn")
    if isinstance(data, DataSet):
        _check_loader(data, call.keywords)
    read = follower.method(data.cls, "__getitem__") if isinstance(data, Instance) else None
    row = data.row() if isinstance(data, DataSet) else UNKNOWN
    if read is not None:
        row = handed(follower, read.bound(data), [Cell(cells.NUMBER, dtype="int64")], {})
    open_size = {ANYTHING, "batch_sampler"} & call.keywords.keys()
    rows = row if batch_size is None else Each(row, UNKNOWN if open_size else batch_size)
    batches.check_ids(row)
    if isinstance(collator, External) and collator.name in batches.FUNCTIONS:
        collator = Collator(collator.short, None)
    if isinstance(collator, (LocalFunction, Instance)):
        batch = handed(follower, collator, [rows], {})
        batches.check_ids(batch)
        return batch
    if collator is None and batch_size is not None and not call.is_open:
        collator = Collator("default_collate", None)
    if not isinstance(collator, Collator) or batch_size is None:
        return UNKNOWN
    if collator.name == "default_collate" and isinstance(row, (Fixed, Cell)):
        return tensors.of_collated(row)
    at = data.mapped_at if isinstance(data, DataSet) else None
    return collated(collator, rows, at)


@kept
def _may_load_on_gpu(file: PythonFile) -> bool:
    """Whether a file's data sets or collate functions may make tensors elsewhere than on the
    CPU.
    """
    if not _ON_GPU.search(file.text):
        return False
    lines = file.text.splitlines()
    for name, node in file.functions.items():
        text = "\n".join(lines[node.lineno - 1 : node.end_lineno])
        # The tensors of such a data set may have been moved before.
        if (_LOADING.search(name) or "TensorDataset(" in text) and _ON_GPU.search(text):
            return True
    return False


def _check_loader(data: DataSet, keywords: Mapping[str, Value]) -> None:
    if data.streaming and keywords.get("shuffle") is True:
        said = "DataLoader with IterableDataset: expected unspecified shuffle option, but got"
        raise DataError("streaming", "ValueError", f"{said} shuffle=True")
    if data.unlabelled:
        said = f"Target -1 is out of bounds: every label of this split of {data.shown} is -1"
        raise DataError("unlabelled", "IndexError", said)
