"""What the `datasets` library, tokenizers and data loaders do with data sets, as far as a check of
names, columns and lengths needs it.

Read from the sources of datasets 2.19.2 and 4.4.1 and of transformers 4.40.2, 4.57.1 and 5.23.0.
"""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from omegaconf import DictConfig, ListConfig

from reviewers.facts.config_flow import batches, cells
from reviewers.facts.config_flow.access import spread
from reviewers.facts.config_flow.batches import COLLATORS, collated
from reviewers.facts.config_flow.cells import Cell, Count, Each, Size, item_of
from reviewers.facts.config_flow.data_values import (
    MAYBE,
    TOKENS,
    Collator,
    DataError,
    DataSet,
    DataSets,
    Format,
    Kind,
    Loader,
    Modelled,
    Names,
    Partial,
    Row,
    Rows,
    Tokenizer,
)
from reviewers.facts.config_flow.follower import Follower
from reviewers.facts.config_flow.values import (
    ANYTHING,
    UNKNOWN,
    External,
    Instance,
    Leave,
    LocalClass,
    LocalFunction,
    PartlyKnown,
    Scope,
    Value,
)
from reviewers.facts.hub_datasets import HubDataset, find_dataset, is_absent, name_instead

LOADER = "datasets.load_dataset"
# From datasets 4 and 5 and its documentation: what only one of the kinds of data set has.
_ONLY_OF_ONE_SPLIT = frozenset({"features", "select", "to_pandas", "train_test_split"})
_NOT_STREAMING = frozenset(
    {
        "select",
        "set_format",
        "set_transform",
        "sort",
        "to_pandas",
        "train_test_split",
        "with_transform",
    }
)
_SAME_ROWS = frozenset(
    {
        "filter",
        "flatten_indices",
        "select",
        "shard",
        "shuffle",
        "skip",
        "sort",
        "take",
        "repeat",
        "cast_column",
    }
)
# Tokenizers that come without a padding token: their tokenizer_config.json has none.
_NO_PADDING = re.compile(
    r"(openai-community/)?gpt2(-medium|-large|-xl)?|(distilbert/)?distilgpt2|meta-llama/(Llama-2-|Llama-3|Meta-Llama-3).*"
    r"|mistralai/Mistral-7B-(Instruct-)?v0\.[123]|EleutherAI/(pythia|gpt-neo|gpt-j).*"
    r"|huggyllama/llama-.*"
)
_IN_PLACE = frozenset({"reset_format", "set_format", "set_transform"})
_SPLIT = re.compile(r"\s*([\w.-]+)\s*(\[[^\]]*\])?\s*")
_Keywords = Mapping[str, Value]


def load_dataset(args: Sequence[Value], keywords: _Keywords) -> Value:
    """`datasets.load_dataset`.

    Raises:
        DataError: the Hub has no such data set, configuration or split, or the library refuses it.
    """
    given = dict(
        zip(("path", "name", "data_dir", "data_files", "split"), args, strict=False)
    ) | dict(keywords)
    path, config, split = given.get("path"), given.get("name"), given.get("split")
    if (
        ANYTHING in keywords
        or not isinstance(path, str)
        or {"data_files", "data_dir"} & given.keys()
    ):
        return UNKNOWN
    if is_absent(path):
        better = name_instead(path)
        wanted = f"; {better} is the data set that is mostly meant" if better else ""
        raise DataError(
            "absent", "DatasetNotFoundError", f"Dataset '{path}' doesn't exist on the Hub{wanted}"
        )
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
        raise DataError("config", "ValueError", said, loaded)
    if (
        isinstance(config, str)
        and found.configs
        and config not in found.configs
        and not found.script
    ):
        said = f"BuilderConfig '{config}' not found in `{path}`. Available: {list(found.configs)}"
        raise DataError("config", "ValueError", said, loaded)
    for name in split if isinstance(split, list) else [split]:
        _check_split(found, path, name)
    return loaded


def _check_split(found: HubDataset, path: str, split: Value) -> None:
    parts = split.split("+") if isinstance(split, str) else []
    for match in filter(None, map(_SPLIT.fullmatch, parts)):
        if found.splits and match[1] not in found.splits and match[1] != "all":
            said = f"Unknown split '{match[1]}': `{path}` has {', '.join(found.splits)}"
            raise DataError("split", "ValueError", said)


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


def attribute(owner: Modelled, name: str) -> Value:
    """A property of a modelled value; None where it is a method, or not followed."""
    if isinstance(owner, DataSets):
        if name in _ONLY_OF_ONE_SPLIT:
            said = f"'DatasetDict' object has no attribute '{name}': name a split first"
            raise DataError("split", "AttributeError", said)
        return (
            {split: attribute(part, name) for split, part in owner.items()}
            if name == "column_names"
            else None
        )
    if isinstance(owner, DataSet):
        if owner.streaming and name in _NOT_STREAMING:
            raise DataError(
                "streaming",
                "AttributeError",
                f"'IterableDataset' object has no attribute '{name}'",
                owner,
            )
        if name == "column_names":
            return Names(owner.columns) if owner.is_closed else UNKNOWN
        return Row(owner.columns, owner.shown) if name == "features" else None
    return None


def method(
    follower: Follower, owner: Modelled, name: str, args: Sequence[Value], keywords: _Keywords
) -> Value:
    """A method of a modelled value.

    Raises:
        DataError: the library refuses it.
    """
    if isinstance(owner, Row):
        if name == "pop" and len(args) == 1 and isinstance(args[0], str):
            found = owner.item(args[0])
            owner.pop(args[0], None)
            return found
        return owner  # `batch.to(device)`
    if isinstance(owner, Tokenizer):
        return _of_tokenizer(owner, name, args, keywords)
    if isinstance(owner, Collator):
        return collated(owner, args[0] if args else UNKNOWN)
    if isinstance(owner, DataSets):
        if name in _IN_PLACE:
            for part in owner.values():
                _of_part(follower, part, name, args, keywords)
            return None
        if name in (
            "map",
            "filter",
            "rename_column",
            "remove_columns",
            "select_columns",
            "rename_columns",
            "with_format",
            *_SAME_ROWS,
        ):
            changed = {
                split: _of_part(follower, part, name, args, keywords)
                for split, part in owner.items()
            }
            return DataSets(changed, owner.shown, owner.streaming)
        return {
            "keys": list(owner),
            "values": list(owner.values()),
            "items": [list(pair) for pair in owner.items()],
        }.get(name, UNKNOWN)
    return (
        _of_part(follower, owner, name, args, keywords) if isinstance(owner, DataSet) else UNKNOWN
    )


def _of_part(
    follower: Follower, owner: Value, name: str, args: Sequence[Value], keywords: _Keywords
) -> Value:
    if not isinstance(owner, DataSet):
        return UNKNOWN
    match name:
        case "map":
            return _mapped(follower, owner, args, keywords)
        case "filter" if args:
            apply(follower, args[0], [owner.row()], _fn_kwargs(keywords))
            return owner
        case "train_test_split":
            return DataSets(
                {"train": owner, "test": owner},
                f"what train_test_split makes of {owner.shown}",
                owner.streaming,
            )
        case "rename_column" if len(args) + len(keywords) == 2:
            old, new = [*args, *keywords.values()]
            return _renamed(
                owner, {old: new} if isinstance(old, str) and isinstance(new, str) else None
            )
        case "rename_columns" if args:
            return _renamed(
                owner, args[0] if isinstance(args[0], dict) and ANYTHING not in args[0] else None
            )
        case "remove_columns" | "select_columns" if args or "column_names" in keywords:
            names = _names(args[0] if args else keywords["column_names"])
            if names is None:
                return owner.opened()
            owner.require(names, "ValueError", f"no column {names}")
            return owner.without(
                names if name == "remove_columns" else owner.columns.keys() - set(names)
            )
        case "with_format":
            made = replace(owner)
            _set_format(follower, made, args, keywords)
            return made
        case "set_format" | "reset_format" | "set_transform":
            _set_format(follower, owner, args, keywords, is_known=name != "set_transform")
        case _ if name in _SAME_ROWS:
            # Another object, which may get a format of its own; in doubt it may be the old one.
            return owner if follower.is_unsure else replace(owner)
    return UNKNOWN


def _set_format(
    follower: Follower,
    owner: DataSet,
    args: Sequence[Value],
    keywords: _Keywords,
    *,
    is_known: bool = True,
) -> None:
    """`set_format`: which columns the rows have, and whether as tensors."""
    given = dict(zip(("type", "columns"), args, strict=False)) | dict(keywords)
    names = _names(given["columns"]) if given.get("columns") is not None else None
    kept = given.get("output_all_columns", False)
    known = is_known and ANYTHING not in keywords and not follower.is_unsure
    if not known or (given.get("columns") is not None and names is None) or kept is UNKNOWN:
        owner.columns = owner.opened().columns
        owner.format = Format()
        return
    owner.require(names or (), "ValueError", f"columns {names} for set_format")
    kind = given.get("type")
    owner.format = Format(
        None if names is None or kept else frozenset(names), tensors=kind in ("torch", "pt")
    )
    if kind not in (None, "torch", "pt"):
        owner.columns = dict.fromkeys(owner.columns, "any")


def _mapped(
    follower: Follower, owner: DataSet, args: Sequence[Value], keywords: _Keywords
) -> Value:
    given = dict(zip(("function",), args, strict=False)) | dict(keywords)
    positions = [UNKNOWN] if given.get("with_indices") else []
    rows = owner if owner.format == Format() else replace(owner.opened(), format=Format())
    batched = given.get("batched", False)
    row = rows.batch() if batched is True else rows.row() if batched is False else UNKNOWN
    made = apply(follower, given.get("function"), [row, *positions], _fn_kwargs(keywords))
    batches.check_ids(made)
    removed = given.get("remove_columns")
    names = [] if removed is None else _names(removed)
    if ANYTHING in keywords or len(args) > 1:
        return owner.opened()
    owner.require(names or (), "ValueError", f"no column {names} for remove_columns")
    kept = owner.opened().columns if names is None else owner.without(names).columns
    owner = replace(owner, mapped=owner.mapped + 1, mapped_at=None)
    if not isinstance(made, dict):
        return (
            replace(owner, columns={**kept, ANYTHING: MAYBE}).opened()
            if made is not None
            else replace(owner, columns=kept)
        )
    # Of a row that is given back, the columns that were removed only stay where the function has
    # set them anew.
    doubtful = (
        made.maybe | (owner.columns.keys() - kept.keys() if made is row else set())
        if isinstance(made, Row)
        else set()
    )
    columns = {name: _kind_of(value, is_batched=batched) for name, value in made.items()}
    return replace(owner, columns={**kept, **columns, **dict.fromkeys(doubtful, MAYBE)})


def _kind_of(value: Value, *, is_batched: Value) -> Kind:
    """What is known of a column whose values a function has given."""
    item = item_of(value) if is_batched is True else value if is_batched is False else None
    if isinstance(item, str | PartlyKnown):
        return Cell(cells.TEXT)
    length = cells.length_of(item) if type(item) is list else None
    if (
        isinstance(item, list)
        and length is not None
        and all(isinstance(part, int | float | Cell) for part in item)
    ):
        return Cell(cells.LIST, length)
    return replace(item) if isinstance(item, Cell) else "any"


def _renamed(owner: DataSet, names: Mapping[str, Value] | None) -> DataSet:
    if names is None:
        return owner.opened()
    old = next(iter(names), "")
    owner.require(names, "ValueError", f"Original column name {old} not in the dataset")
    return replace(
        owner, columns={str(names.get(name, name)): kind for name, kind in owner.columns.items()}
    )


def _of_tokenizer(owner: Tokenizer, name: str, args: Sequence[Value], keywords: _Keywords) -> Value:
    if name in ("add_special_tokens", "add_tokens"):
        owner.pads = None
    if name == "pad":
        rows = args[0] if args else keywords.get("encoded_inputs", UNKNOWN)
        if ANYTHING in keywords:
            return UNKNOWN
        batches.require_padding(owner)
        pads = batches.pads(keywords.get("padding", args[1] if len(args) > 1 else True))
        makes = keywords.get("return_tensors") == "pt"
        return collated(Collator("tokenizer.pad" if makes else "", owner, pads), rows)
    if name in ("encode_plus", "batch_encode_plus"):
        return _encoded(owner, args, keywords)
    if name == "encode":
        made = _encoded(owner, args, keywords)
        return made["input_ids"] if isinstance(made, Row) else UNKNOWN
    return UNKNOWN


def _encoded(owner: Tokenizer, args: Sequence[Value], keywords: _Keywords) -> Value:
    padding = keywords.get("padding")
    if padding not in (None, False, "do_not_pad", UNKNOWN):
        batches.require_padding(owner)
    if ANYTHING in keywords:
        return UNKNOWN
    texts = args[0] if args else keywords.get("text", UNKNOWN)
    row = Row(TOKENS, "what the tokenizer gives")
    text = texts.item if isinstance(texts, Each) else texts
    known = isinstance(text, str | PartlyKnown) or (
        isinstance(text, Cell) and text.kind == cells.TEXT
    )
    odd = {"return_overflowing_tokens", "is_split_into_words"} & keywords.keys()
    if not known or odd:
        return row
    tensors = keywords.get("return_tensors")
    varies = isinstance(text, Cell)
    ids = Cell(cells.LIST, _tokens(keywords, isinstance(texts, Each), varies), is_ids=True)
    if tensors == "pt" and isinstance(texts, Each) and ids.is_ragged:
        batches.require_equal({"input_ids": ids}, texts, "the tokenizer", row)
    if tensors not in (None, "pt"):
        return row
    ids.kind = cells.TENSOR if tensors else cells.LIST
    batched = isinstance(texts, Each) and tensors is None
    row["input_ids"] = Each(ids, texts.size) if batched else ids
    return row


def _tokens(keywords: _Keywords, is_batch: bool, varies: bool) -> Count | None:
    """How many ids a text has."""
    padding = keywords.get("padding", False)
    if padding in (False, None, "do_not_pad") or (padding in (True, "longest") and not is_batch):
        return Count(0, ((Size(varies), 1),))
    if padding == "max_length" and keywords.get("truncation") in (True, "longest_first"):
        most = keywords.get("max_length")
        return Count(most) if isinstance(most, int) else Count(0, ((Size(varies=False), 1),))
    return None


def collator_of(cls: LocalClass, value: Callable[[ast.expr, Scope], Value]) -> Collator | None:
    """The collator of the transformers library that a class is made from."""
    for base in cls.definition.node.bases:
        found = value(base, cls.scope)
        if isinstance(found, External) and found.name.startswith("transformers."):
            name = found.name.rpartition(".")[2]
            return Collator(name, UNKNOWN) if name in COLLATORS else None
    return None


def called(
    follower: Follower, callee: Value, args: Sequence[Value], keywords: _Keywords
) -> Value | None:
    """What a call outside the submission gives that matters to data sets; None where it is none of
    them.

    Raises:
        DataError: the library refuses it.
    """
    if ANYTHING in keywords and (more := spread(keywords[ANYTHING])) is not None:
        keywords = {key: value for key, value in keywords.items() if key != ANYTHING} | more
    if isinstance(callee, Tokenizer):
        return _encoded(callee, args, keywords)
    if isinstance(callee, Collator):
        return collated(callee, args[0] if args else UNKNOWN)
    if isinstance(callee, Partial):
        return apply(follower, callee, args, keywords)
    made = _made_by(follower, callee.name, args, keywords) if isinstance(callee, External) else None
    for value in () if made is not None else (*args, *keywords.values()):
        if isinstance(value, Tokenizer):
            value.pads = None  # who gets it may set it up
    return made


def _made_by(
    follower: Follower, name: str, args: Sequence[Value], keywords: _Keywords
) -> Value | None:
    if known := _KNOWN.get(name):
        return known(follower, args, keywords)
    if (
        name.startswith("transformers.")
        and "Tokenizer" in name
        and name.endswith(".from_pretrained")
    ):
        model = args[0] if args else keywords.get("pretrained_model_name_or_path")
        lacks = (
            isinstance(model, str)
            and _NO_PADDING.fullmatch(model)
            and not {"pad_token", ANYTHING} & keywords.keys()
        )
        return Tokenizer(model, False if lacks else None)
    if name.startswith("transformers.") and (short := name.rpartition(".")[2]) in COLLATORS:
        if short == "default_data_collator":
            return collated(Collator(short, None), args[0] if args else UNKNOWN)
        pads = batches.pads(keywords.get("padding", True))
        return Collator(short, args[0] if args else keywords.get("tokenizer"), pads)
    return batches.made(name, args, keywords)


def apply(follower: Follower, function: Value, args: Sequence[Value], keywords: _Keywords) -> Value:
    """What a function that was handed over gives; where it raises, that is told, and the way goes
    on.
    """
    if isinstance(function, Partial):
        return _gone_on(
            follower, function.function, [*function.args, *args], {**function.keywords, **keywords}
        )
    if isinstance(function, LocalFunction):
        return _gone_on(follower, function, args, keywords)
    if isinstance(function, Instance):
        for name in ("__call__", "torch_call"):  # the latter is what collators call themselves
            if run := function.cls.definition.methods.get(name):
                bound = LocalFunction(run, function.cls.scope, function, function.cls)
                return _gone_on(follower, bound, args, keywords)
    return UNKNOWN


def _gone_on(
    follower: Follower, function: LocalFunction, args: Sequence[Value], keywords: _Keywords
) -> Value:
    try:
        return follower.call(function, args, keywords)
    except Leave as leave:
        if leave.error == "SystemExit":
            raise
        return UNKNOWN


def _fn_kwargs(keywords: _Keywords) -> _Keywords:
    given = keywords.get("fn_kwargs")
    return given if isinstance(given, dict) else {} if given is None else {ANYTHING: UNKNOWN}


def _names(value: Value) -> list[str] | None:
    """Column names that are handed over; None where they are not all known."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, ListConfig | DictConfig):
        value = list(value)
    known = isinstance(value, list | tuple | dict) and all(isinstance(name, str) for name in value)
    return list(value) if known and ANYTHING not in value else None


def _partial(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    if not args or not isinstance(args[0], LocalFunction):
        return UNKNOWN
    return Partial(args[0], tuple(args[1:]), keywords)


def _length(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    if len(args) == 1 and isinstance(args[0], DataSet) and args[0].streaming:
        said = (
            "object of type 'IterableDataset' has no len(): a streaming data set does not know its"
            " length"
        )
        raise DataError("streaming", "TypeError", said)
    found = cells.length_of(args[0]) if args and isinstance(args[0], Cell | Each) else None
    return UNKNOWN if found is None else found if found.parts else found.fixed


def _data_loader(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    data = args[0] if args else keywords.get("dataset")
    collator = keywords.get("collate_fn")
    if isinstance(data, DataSet):
        _check_loader(data, keywords)
    read = data.cls.definition.methods.get("__getitem__") if isinstance(data, Instance) else None
    if isinstance(data, Instance) and read:
        index = Cell(cells.NUMBER)
        row = apply(follower, LocalFunction(read, data.cls.scope, data, data.cls), [index], {})
    else:
        row = data.row() if isinstance(data, DataSet) else UNKNOWN
    size = args[1] if len(args) > 1 else keywords.get("batch_size", 1)
    open_size = {ANYTHING, "batch_sampler"} & keywords.keys()
    rows = row if size is None else Each(row, UNKNOWN if open_size else size)
    batches.check_ids(row)
    if isinstance(collator, External) and collator.name in batches.FUNCTIONS:
        collator = Collator(collator.name.rpartition(".")[2], None)
    if isinstance(collator, LocalFunction | Partial | Instance):
        batch = apply(follower, collator, [rows], {})
        batches.check_ids(batch)
        return Loader(batch)
    if collator is None and size is not None and ANYTHING not in keywords:
        collator = Collator("default_collate", None)
    if not isinstance(collator, Collator) or size is None:
        return Loader(UNKNOWN)
    at = data.mapped_at if isinstance(data, DataSet) else None
    try:
        return Loader(collated(collator, rows, at))
    except DataError as error:
        error.instead = Loader(error.instead)
        raise


def _check_loader(data: DataSet, keywords: _Keywords) -> None:
    if data.streaming and keywords.get("shuffle") is True:
        said = (
            "DataLoader with IterableDataset: expected unspecified shuffle option, but got"
            " shuffle=True"
        )
        raise DataError("streaming", "ValueError", said)
    if data.unlabelled:
        raise DataError(
            "unlabelled",
            "IndexError",
            f"Target -1 is out of bounds: every label of this split of {data.shown} is -1",
        )


def _same(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    return args[0] if args and isinstance(args[0], DataSet | Loader) else UNKNOWN


def _numbered(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    return [[UNKNOWN, item] for item in args[0]] if args and isinstance(args[0], Rows) else UNKNOWN


def following(args: Sequence[Value]) -> Value:
    """`next(rows)`."""
    return next(iter(args[0])) if args and isinstance(args[0], Rows) else UNKNOWN


_KNOWN: Mapping[str, Callable[[Follower, Sequence[Value], _Keywords], Value]] = {
    LOADER: lambda _, args, keywords: load_dataset(args, keywords),
    "functools.partial": _partial,
    "enumerate": _numbered,
    "iter": _same,
    "itertools.cycle": _same,
    "len": _length,
    "torch.utils.data.DataLoader": _data_loader,
    "tqdm.auto.tqdm": _same,
    "tqdm.tqdm": _same,
}
