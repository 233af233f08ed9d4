"""What the `datasets` library, tokenizers and data loaders do with data sets, as far as a check of
names and columns needs it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from omegaconf import DictConfig, ListConfig

from reviewers.facts.config_flow.data_values import (
    MAYBE,
    TOKENS,
    Collator,
    DataError,
    DataSet,
    DataSets,
    Loader,
    Modelled,
    Names,
    Partial,
    Row,
    Rows,
    Tokenizer,
)
from reviewers.facts.config_flow.values import (
    ANYTHING,
    UNKNOWN,
    External,
    Instance,
    LocalFunction,
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
        "with_format",
        "repeat",
        "cast_column",
    }
)
# Collators that hand every column to `tokenizer.pad`, which makes tensors of them.
_COLLATORS = {
    f"transformers.{name}"
    for name in (
        "DataCollatorWithPadding",
        "DataCollatorForSeq2Seq",
        "DataCollatorForTokenClassification",
    )
}
_RENAMED = {"label": "labels", "label_ids": "labels"}
# Tokenizers that come without a padding token: their tokenizer_config.json has none.
_NO_PADDING = re.compile(
    r"(openai-community/)?gpt2(-medium|-large|-xl)?|(distilbert/)?distilgpt2|meta-llama/(Llama-2-|Llama-3|Meta-Llama-3).*"
    r"|mistralai/Mistral-7B-(Instruct-)?v0\.[123]|EleutherAI/(pythia|gpt-neo|gpt-j).*"
    r"|huggyllama/llama-.*"
)
_SPLIT = re.compile(r"\s*([\w.-]+)\s*(\[[^\]]*\])?\s*")
_Keywords = Mapping[str, Value]


class Follower(Protocol):
    """What the calls need of the one that follows the code."""

    def call(
        self, function: LocalFunction, args: Sequence[Value], keywords: _Keywords
    ) -> Value: ...


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
        return owner  # `batch.to(device)`
    if isinstance(owner, Tokenizer):
        return _of_tokenizer(owner, name, keywords)
    if isinstance(owner, DataSets):
        if name in (
            "map",
            "filter",
            "rename_column",
            "remove_columns",
            "select_columns",
            "rename_columns",
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
        case _ if name in _SAME_ROWS:
            return owner
    return UNKNOWN


def _mapped(
    follower: Follower, owner: DataSet, args: Sequence[Value], keywords: _Keywords
) -> Value:
    given = dict(zip(("function",), args, strict=False)) | dict(keywords)
    positions = [UNKNOWN] if given.get("with_indices") else []
    row = owner.row()
    made = apply(follower, given.get("function"), [row, *positions], _fn_kwargs(keywords))
    removed = given.get("remove_columns")
    names = [] if removed is None else _names(removed)
    if ANYTHING in keywords or len(args) > 1 or names is None:
        return owner.opened()
    owner.require(names, "ValueError", f"no column {names} for remove_columns")
    kept = owner.without(names).columns
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
    return replace(
        owner, columns={**kept, **{name: MAYBE if name in doubtful else "any" for name in made}}
    )


def _renamed(owner: DataSet, names: Mapping[str, Value] | None) -> DataSet:
    if names is None:
        return owner.opened()
    old = next(iter(names), "")
    owner.require(names, "ValueError", f"Original column name {old} not in the dataset")
    return replace(
        owner, columns={str(names.get(name, name)): kind for name, kind in owner.columns.items()}
    )


def _of_tokenizer(owner: Tokenizer, name: str, keywords: _Keywords) -> Value:
    if name in ("add_special_tokens", "add_tokens"):
        owner.pads = None
    if name == "pad":
        _require_padding(owner)
    return UNKNOWN


def _encoded(owner: Tokenizer, keywords: _Keywords) -> Value:
    if keywords.get("padding") not in (None, False, "do_not_pad", UNKNOWN):
        _require_padding(owner)
    return Row(TOKENS, "what the tokenizer gives") if ANYTHING not in keywords else UNKNOWN


def _require_padding(owner: Value) -> None:
    if isinstance(owner, Tokenizer) and owner.pads is False:
        said = (
            f"Asking to pad but the tokenizer does not have a padding token: {owner.model} comes"
            " without one; set tokenizer.pad_token = tokenizer.eos_token first"
        )
        raise DataError("padding", "ValueError", said, Row(TOKENS, "what the tokenizer gives"))


def called(
    follower: Follower, callee: Value, args: Sequence[Value], keywords: _Keywords
) -> Value | None:
    """What a call outside the submission gives that matters to data sets; None where it is none of
    them.

    Raises:
        DataError: the library refuses it.
    """
    if isinstance(callee, Tokenizer):
        return _encoded(callee, keywords)
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
    if name in _COLLATORS:
        return Collator(name.rpartition(".")[2], args[0] if args else keywords.get("tokenizer"))
    return None


def apply(follower: Follower, function: Value, args: Sequence[Value], keywords: _Keywords) -> Value:
    """What a function that was handed over gives."""
    if isinstance(function, Partial):
        return follower.call(
            function.function, [*function.args, *args], {**function.keywords, **keywords}
        )
    if isinstance(function, LocalFunction):
        return follower.call(function, args, keywords)
    if isinstance(function, Instance) and (run := function.cls.definition.methods.get("__call__")):
        return follower.call(LocalFunction(run, function.cls.scope, function), args, keywords)
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
    return UNKNOWN


def _data_loader(follower: Follower, args: Sequence[Value], keywords: _Keywords) -> Value:
    data = args[0] if args else keywords.get("dataset")
    collator = keywords.get("collate_fn")
    read = data.cls.definition.methods.get("__getitem__") if isinstance(data, Instance) else None
    if isinstance(data, Instance) and read:
        row = follower.call(LocalFunction(read, data.cls.scope, data), [UNKNOWN], {})
    else:
        row = data.row() if isinstance(data, DataSet) else UNKNOWN
    if isinstance(collator, LocalFunction | Partial | Instance):
        return Loader(apply(follower, collator, [[row]], {}))
    if isinstance(data, DataSet):
        _check_loader(data, collator, keywords)
    if isinstance(collator, Collator):
        columns = data.columns if isinstance(data, DataSet) else {ANYTHING: MAYBE}
        renamed = _RENAMED if collator.name == "DataCollatorWithPadding" else {}
        kept = {renamed.get(name, name): kind for name, kind in columns.items()}
        return Loader(Row(kept, f"a batch of {collator.name}", renamed))
    known = collator is None and ANYTHING not in keywords and isinstance(row, dict)
    return Loader(row) if known else Loader(UNKNOWN)


def _check_loader(data: DataSet, collator: Value, keywords: _Keywords) -> None:
    if data.streaming and keywords.get("shuffle") is True:
        said = (
            "DataLoader with IterableDataset: expected unspecified shuffle option, but got"
            " shuffle=True"
        )
        raise DataError("streaming", "ValueError", said)
    if isinstance(collator, Collator):
        texts = [name for name, kind in data.columns.items() if kind == "str"]
        if texts:
            said = (
                f"Unable to create tensor: {collator.name} gets the text column `{texts[0]}` of"
                f" {data.shown} as well"
            )
            raise DataError("texts", "ValueError", said, at=data.mapped_at)
        _require_padding(collator.tokenizer)
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
