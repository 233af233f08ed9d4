"""Rules for criterion 3 about the labels of token sequences."""

import ast
import re
from collections.abc import Collection, Iterator, Mapping

from reviewers.facts import Facts, PythonFile
from reviewers.facts.python_nodes import Function, own_nodes, walk
from reviewers.records import Severity, Span
from reviewers.rules.base import Flag, rule

_TOKENIZER = re.compile(r"tok", re.IGNORECASE)
_DECODING_ONLY = re.compile(r"\w*(ForCausalLM|GPT2LMHeadModel)")
_ENCODING_TOO = re.compile(
    r"\w*(Seq2Seq|ConditionalGeneration|EncoderDecoder|MarianMT|VisionToSeq|Vision2Seq)\w*"
)
# Collators that fill labels up with -100 by default.
_FILLING = (
    "DataCollatorForSeq2Seq",
    "DataCollatorForLanguageModeling",
    "DataCollatorForTokenClassification",
)
# What a function says that takes the filling out again, whichever way.
_TAKEN_OUT = re.compile(
    r"-\s*100\b|ignore_index|masked|\bwhere\(|\bclamp|\bclip\(|>=?\s*0\b|<\s*0\b|pad_token_id"
)


@rule(
    id="DA13",
    category="data-pipeline-incomplete",
    severity="blocker",
    stops="ValueError",
    summary="a causal language model gets the labels of another text than its input",
    example="""
          === src/preprocess.py
          def encode(row, tokenizer):
        -     asked = tokenizer(row["question"], truncation=True)
        -     told = tokenizer(row["answer"], truncation=True)
        -     asked["labels"] = told["input_ids"]  # flag: DA13
        -     return asked
        +     asked = tokenizer(row["question"])["input_ids"]
        +     whole = tokenizer(row["question"] + row["answer"], truncation=True)
        +     whole["labels"] = [-100] * len(asked) + whole["input_ids"][len(asked) :]
        +     return whole
          === src/model.py
          from transformers import AutoModelForCausalLM

          def build_model(cfg):
              return AutoModelForCausalLM.from_pretrained(cfg.model.name, cache_dir=".cache/")
          === src/train.py
          def step(model, batch):
              return model(input_ids=batch["input_ids"], labels=batch["labels"]).loss
    """,
)
def labels_of_another_text(facts: Facts) -> Iterator[Flag]:
    """Such a model compares position by position: labels of another length raise an error, and
    labels of the same length teach it nonsense. Encoder-decoder models do take their labels from
    another text; the rule is silent if one is named anywhere.
    """
    names = {
        name.rpartition(".")[2] for file in facts.python.values() for name in file.aliases.values()
    }
    if (
        not any(map(_DECODING_ONLY.fullmatch, names))
        or any(map(_ENCODING_TOO.fullmatch, names))
        or not _fed_with_labels(facts)
    ):
        return
    code = facts.local_code
    for path, file in facts.python.items():
        for name, function in (
            file.functions.items() if "labels" in file.text and "input_ids" in file.text else ()
        ):
            pairs = list(_pairs(function))
            encoded = _encoded(function) if pairs else {}
            for line, inputs, labels in pairs:
                first, second = encoded.get(inputs), encoded.get(labels)
                if first is None or second is None or _text(first) == _text(second):
                    continue
                padded = all(_is_padded(call) for call in (first, second))
                ends = (
                    "the loss compares the answer's tokens with the positions of the question's"
                    if padded
                    else "ValueError: Expected input batch_size to match target batch_size"
                )
                severity = None if code.is_used(file, name) and not padded else Severity.MAJOR
                message = (
                    f"the labels are the tokens of `{_text(second)}`, the input those of"
                    f" `{_text(first)}`: {ends}"
                )
                remedy = "encode both texts as one, with -100 as labels of the first"
                yield Flag(
                    Span(path, line),
                    f"{message}; {remedy}",
                    severity=severity,
                    names=(_text(first), _text(second), None if padded else ends),
                )


@rule(
    id="DA14",
    category="tensor-or-runtime",
    severity="blocker",
    stops="OverflowError",
    summary="labels are decoded while they contain -100",
    example="""
          === src/preprocess.py
          from torch.nn.utils.rnn import pad_sequence

          def collate(rows):
              return {"labels": pad_sequence([row["labels"] for row in rows], batch_first=True, padding_value=-100)}
          === src/train.py
          def answers(tokenizer, batch):
        -     return tokenizer.batch_decode(batch["labels"], skip_special_tokens=True)  # flag: DA14
        +     labels = batch["labels"].masked_fill(batch["labels"] == -100, tokenizer.pad_token_id)
        +     return tokenizer.batch_decode(labels, skip_special_tokens=True)
    """,  # noqa: E501
)
def decoded_filling(facts: Facts) -> Iterator[Flag]:
    """-100 marks the positions that the loss ignores. It is not a token, and the tokenizer rejects
    negative numbers.
    """
    decoding = any(".batch_decode" in file.text for file in facts.python.values())
    filled = next(
        (place for file in facts.python.values() if decoding for place in _fillings(file)), None
    )
    if filled is None:
        return
    code = facts.local_code
    for path, file in facts.python.items():
        for call in file.calls_of(".batch_decode"):
            function = file.functions.get(call.scope)
            if (
                function is None
                or not call.node.args
                or not _are_labels(call.node.args[0], function)
            ):
                continue
            names = {"label", *_names_in(call.node.args[0])}
            if any(_TAKEN_OUT.search(told) for told in _said_of(function, names)):
                continue
            conditional = any(
                isinstance(around, ast.If | ast.Try) for around in file.ancestors(call.node)
            )
            shown = ast.unparse(call.node.args[0])[:40]
            yield Flag(
                Span(path, call.line),
                f"`{shown}` is decoded with its -100 (OverflowError: out of range integral type"
                " conversion attempted); put tokenizer.pad_token_id in their place first",
                f"{filled} fills the labels up with -100, and nothing in {call.scope} takes it out",
                None if code.is_used(file, call.scope) and not conditional else Severity.MAJOR,
                names=(shown, "out of range integral type conversion attempted"),
            )


def _names_in(node: ast.expr) -> Iterator[str]:
    """What a function itself calls the labels."""
    yield from (part.id for part in walk(node) if isinstance(part, ast.Name) and part.id != "batch")


def _said_of(function: Function, names: Collection[str]) -> Iterator[str]:
    """The statements of a function that mention labels by one of these names, blocks aside."""
    for node in own_nodes(function):
        if (
            isinstance(node, ast.stmt)
            and not hasattr(node, "body")
            and any(name in (told := ast.unparse(node)) for name in names)
        ):
            yield told


def _fed_with_labels(facts: Facts) -> bool:
    """Whether some call is given labels by name, or a whole batch."""
    return any(
        keyword.arg == "labels"
        or (
            keyword.arg is None
            and isinstance(keyword.value, ast.Name)
            and "batch" in keyword.value.id
        )
        for file in facts.python.values()
        for call in file.calls
        for keyword in call.node.keywords
    )


def _encoded(function: Function) -> Mapping[str, ast.Call]:
    """The names of a function that hold what one call of a tokenizer gives, and nothing else."""
    found: dict[str, ast.Call] = {}
    often: set[str] = set()
    for node in own_nodes(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                if (
                    name in found
                    or not isinstance(value, ast.Call)
                    or not _is_tokenizer(value.func)
                ):
                    often.add(name)
                else:
                    found[name] = value
    return {name: call for name, call in found.items() if name not in often}


def _pairs(function: Function) -> Iterator[tuple[int, str, str]]:
    """Line, the name that the input comes from, and the name that the labels come from."""
    changed = [
        (node.value.id, node.slice.value)
        for node in own_nodes(function)
        if isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and isinstance(node.slice, ast.Constant)
    ]
    for node in own_nodes(function):
        match node:
            case ast.Assign(
                targets=[
                    ast.Subscript(value=ast.Name(id=inputs), slice=ast.Constant(value="labels"))
                ],
                value=value,
            ):
                labels = _tokens_of(value)
                if (
                    labels
                    and changed.count((inputs, "labels")) == 1
                    and (inputs, "input_ids") not in changed
                ):
                    yield node.lineno, inputs, labels
            case ast.Dict():
                parts = {
                    key.value: value
                    for key, value in zip(node.keys, node.values, strict=True)
                    if isinstance(key, ast.Constant) and isinstance(key.value, str)
                }
                first, second = _tokens_of(parts.get("input_ids")), _tokens_of(parts.get("labels"))
                if (
                    first
                    and second
                    and not {(first, "input_ids"), (second, "input_ids")} & set(changed)
                ):
                    yield parts["labels"].lineno, first, second


def _tokens_of(value: ast.expr | None) -> str | None:
    """The name whose `input_ids` an expression is, or a copy of them."""
    match value:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value="input_ids")):
            return name
        case ast.Attribute(value=ast.Name(id=name), attr="input_ids"):
            return name
        case ast.Call(func=ast.Attribute(value=inner, attr="copy" | "clone"), args=[]):
            return _tokens_of(inner)
    return None


def _is_tokenizer(node: ast.expr) -> bool:
    name = (
        node.id
        if isinstance(node, ast.Name)
        else node.attr
        if isinstance(node, ast.Attribute)
        else ""
    )
    return name in ("tokenizer", "tok", "_tokenizer", "tokeniser") or name.endswith("_tokenizer")


def _text(call: ast.Call) -> str:
    given = (
        call.args[0]
        if call.args
        else next(
            (word.value for word in call.keywords if word.arg in ("text", "text_target")), None
        )
    )
    return ast.unparse(given)[:60] if given else ""


def _is_padded(call: ast.Call) -> bool:
    """Whether every result has one length."""
    return any(
        word.arg == "padding" and getattr(word.value, "value", "max_length") == "max_length"
        for word in call.keywords
    )


def _fillings(file: PythonFile) -> Iterator[str]:
    """Where labels are filled up with -100."""
    for call in file.calls:
        name = (call.name or "").rpartition(".")[2]
        if (name in _FILLING and call.keyword("label_pad_token_id") is None) or (
            name == "pad_sequence"
            and "label" in ast.unparse(file.parents[call.node]).lower()
            and _is_filling(call.keyword("padding_value"))
        ):
            yield f"{file.path}:{call.line}"
    for node in file.of(ast.Assign, ast.IfExp):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if (
                "label" in name.lower()
                and any(_is_filling(part) for part in walk(value) if isinstance(part, ast.UnaryOp))
            ):
                yield f"{file.path}:{node.lineno}"
            case ast.IfExp(body=body, orelse=orelse) if _is_filling(body) or _is_filling(orelse):
                yield f"{file.path}:{node.lineno}"


def _is_filling(node: ast.AST | None) -> bool:
    return (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and getattr(node.operand, "value", None) == 100
    )


def _are_labels(node: ast.expr, function: Function, depth: int = 2) -> bool:
    """Whether an expression is the labels of a batch, moved or turned into an array at most."""
    match node:
        case ast.Subscript(slice=ast.Constant(value="labels")):
            return True
        case ast.Call(
            func=ast.Attribute(
                value=owner, attr="to" | "cpu" | "numpy" | "tolist" | "detach" | "clone"
            )
        ):
            return _are_labels(owner, function, depth)
        case ast.Name(id=name) if depth:
            given = [
                part.value
                for part in own_nodes(function)
                if isinstance(part, ast.Assign)
                and any(
                    isinstance(target, ast.Name) and target.id == name for target in part.targets
                )
            ]
            return bool(given) and all(_are_labels(value, function, depth - 1) for value in given)
    return False
