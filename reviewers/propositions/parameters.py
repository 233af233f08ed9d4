"""The arguments that predicates take: each name has one type wherever it stands."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from reviewers.propositions.terms import Literal, Passed, Scope, Spot, Value

MOST_CHARACTERS = 600  # of one argument
_MOST_PASSED = 20  # arguments of a call
Schema = dict[str, Any]


class InvalidReading(ValueError):
    """What was given is no proposition of this vocabulary; the text says why in one line."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument's type.

    Attributes:
        read: from JSON; raises InvalidReading.
        schema: JSON schema of what `read` takes, closed.
        about: what it is, in a few words, for a reader and for the form.
    """

    name: str
    read: Callable[[object], Value]
    schema: Schema
    about: str


def text(value: object) -> str:
    """A text of a few words.

    Raises:
        InvalidReading: it is empty, too long or none.
    """
    if not isinstance(value, str) or not value.strip():
        raise InvalidReading(f"expected a text, got {_told(value)}")
    if len(value) > MOST_CHARACTERS:
        raise InvalidReading(f"a text has {len(value):,} characters, at most {MOST_CHARACTERS}")
    if any(ord(sign) < 32 and sign not in "\n\t" for sign in value):
        raise InvalidReading("a text has control characters")
    return value


def literal(value: object) -> Literal:
    """A text, a number, true, false or null.

    Raises:
        InvalidReading: it is something else.
    """
    if isinstance(value, bool | int | None):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidReading("a number is not finite")
        return value
    return text(value) if value != "" else ""


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidReading(f"expected true or false, got {_told(value)}")
    return value


def scope(value: object) -> Scope:
    """`code`, a file, `file::name`, or an object with `file`, `name`, `mode`, `run`.

    Raises:
        InvalidReading: it is none of these.
    """
    if isinstance(value, str):
        whole, _, name = text(value).partition("::")
        return Scope("" if whole == "code" else whole, name)
    fields = _fields(value, {"file", "name", "mode", "run"}, "a scope")
    path, _, inner = str(fields.get("file") or "").partition("::")
    name_ = fields.get("name") or inner
    return Scope(
        "" if path in ("", "code") else text(path),
        text(name_) if name_ else "",
        _optional(fields.get("mode")),
        _optional(fields.get("run")),
    )


def _spot(value: object) -> Spot:
    if isinstance(value, str):
        file, found, expression = text(value).partition("::")
        path, _, line = file.rpartition(":")
        if line.isdecimal() and len(line) < 9 and (found or _is_path(path)):
            return Spot(path, int(line), expression)
        return Spot(file, None, expression) if found or _is_path(file) else Spot(expression=file)
    fields = _fields(value, {"file", "line", "expression"}, "a place")
    line_ = fields.get("line")
    if line_ is not None and (isinstance(line_, bool) or not isinstance(line_, int) or line_ < 1):
        raise InvalidReading(f"expected a line from 1 on, got {_told(line_)}")
    return Spot(
        _optional(fields.get("file")) or "", line_, _optional(fields.get("expression")) or ""
    )


def _is_path(value: str) -> bool:
    return value.endswith((".py", ".yaml", ".yml", ".toml")) and " " not in value


def _passed(value: object) -> Passed:
    if isinstance(value, Mapping):
        pairs = list(value.items())
    elif isinstance(value, list):
        entries = [_fields(item, {"name", "value"}, "an argument") for item in value]
        pairs = [(entry.get("name"), entry.get("value")) for entry in entries]
    else:
        raise InvalidReading(f"expected a call's arguments, got {_told(value)}")
    if len(pairs) > _MOST_PASSED:
        raise InvalidReading(f"a call has {len(pairs):,} arguments, at most {_MOST_PASSED}")
    named = [(text(name), literal(given)) for name, given in pairs if name is not None]
    return Passed(tuple(named), tuple(literal(given) for name, given in pairs if name is None))


def _positional(value: object) -> Passed:
    if not isinstance(value, list) or len(value) > _MOST_PASSED:
        raise InvalidReading(f"expected a list of at most {_MOST_PASSED} values")
    return Passed(positional=tuple(map(literal, value)))


def _fields(value: object, known: set[str], what: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise InvalidReading(f"expected {what}, got {_told(value)}")
    if unknown := next((name for name in value if name not in known), None):
        raise InvalidReading(f"{what} has no `{str(unknown)[:40]}`")
    return value


def _optional(value: object) -> str | None:
    return None if value is None else text(value)


def _told(value: object) -> str:
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "a truth value"}
    return "nothing" if value is None else kinds.get(type(value), type(value).__name__)


TEXT: Schema = {"type": "string"}
_NAME_OR_NOTHING: Schema = {"type": ["string", "null"]}
LITERAL: Schema = {"type": ["string", "number", "boolean", "null"]}


def record(properties: Mapping[str, Schema]) -> Schema:
    """The schema of an object with just these fields; all are written, as strict output asks."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _short_or(full: Schema) -> Schema:
    """The schema of what is a text where nothing else is said of it."""
    return {"anyOf": [TEXT, full]}


DEFINITIONS: Mapping[str, Schema] = {
    "scope": _short_or(
        record({"file": TEXT} | dict.fromkeys(("name", "mode", "run"), _NAME_OR_NOTHING))
    ),
    "place": _short_or(
        record(
            {
                "file": _NAME_OR_NOTHING,
                "line": {"type": ["integer", "null"]},
                "expression": _NAME_OR_NOTHING,
            }
        )
    ),
}
"""Schemas to which those of parameters refer."""
_SCOPE: Schema = {"$ref": "#/$defs/scope"}
_SPOT: Schema = {"$ref": "#/$defs/place"}
_PASSED: Schema = {
    "type": "array",
    "items": record({"name": _NAME_OR_NOTHING, "value": LITERAL}),
}


def _texts(**about: str) -> dict[str, Parameter]:
    return {name: Parameter(name, text, TEXT, told) for name, told in about.items()}


PARAMETERS: Mapping[str, Parameter] = _texts(
    after="what has happened before",
    activity="what the code does, one of the activities of the table",
    base="from where a relative path counts",
    but="what is excepted",
    by="what a thing depends on: a name, `except ValueError`, `torch.no_grad`",
    callee="the dotted name of what is called; `*.log` for any object's method",
    column="a column of the data",
    command="a command of the contract: install, main, train, evaluate; without one any is meant",
    component="a part of the method",
    context="a block: what `with` enters (`torch.no_grad`), `for`, `while` or `loop`, what a loop"
    " goes through (`train_loader`), `except ValueError`, or what a test names",
    error="the name of an exception",
    every="how often: step, epoch",
    expr="code as it stands there; `callee(0)` or `callee(name)` for what a call is given",
    figure="a kind of figure or what it shows",
    file="a path or a glob",
    first="what comes first: code as it stands there",
    key="a dotted key; `*` for any",
    kind="published: dataset, model or package; returned: scalar, tensor, list, tuple, dict, None,"
    " constant, or code as it stands there",
    mentions="words among a call's arguments, where no more is said",
    message="words of the error's text",
    metric="a measure of quality",
    mode="a mode of the contract",
    name='a dotted name; of `uses` an item, too: `batch["x"]`',
    of="of which table or data set",
    on="what the call works on",
    package="a distribution",
    parameter="a parameter of a model, or its name",
    path="a path as the code writes it",
    per="for what each is made",
    run="a run's id, or a glob",
    source="from what something is computed",
    style="how the command line is read",
    target="what is set: a name, an attribute, a key",
    text="words that stand there",
    then="what comes after: code as it stands there",
    thing="code, or the name of what is meant; of `counts` a list, a table, `name()`, classes",
    type="a type: tensor, `tensor[3, 224]` with its sizes, `*` for any, `tensor without gradient`,"
    " parameter, ndarray, scalar, str, list[int], tuple, dict, none",
    what="what is bounded: epochs, batches, steps, samples, trials, or a key",
    when="the condition under which it happens, as code (`x is None`), other than a mode or run",
    where="a YAML or TOML file, `run:ID` for the file of a run, or `composed` for what Hydra makes"
    " of them, which code calls `cfg`",
) | {
    parameter.name: parameter
    for parameter in (
        Parameter("scope", scope, _SCOPE, "the part of the code"),
        Parameter(
            "at", _spot, _SPOT, "where it happens: `file`, `file:line`, `file::code`, a name"
        ),
        Parameter("with", _passed, _PASSED, "a call's arguments by their names: values, or code"),
        Parameter("argument", literal, LITERAL, "an argument's name, or `2 positional`"),
        Parameter("positional", literal, LITERAL, "how many plain values a call gets"),
        Parameter(
            "value",
            literal,
            LITERAL,
            "a value, `None` as a text, or the sort of it: constant, random; of a key <string>,"
            " <number>, <table>, <list>, <null>",
        ),
        Parameter(
            "to",
            literal,
            LITERAL,
            "a bound, or how many; or the summary, or the history, of a run",
        ),
        Parameter(
            "args",
            _positional,
            {"type": "array", "items": LITERAL},
            "values without a name that a call gets, or code; not all need be told",
        ),
        Parameter("exactly", _flag, {"type": "boolean"}, "whether the number is just this one"),
        Parameter("guarded", _flag, {"type": "boolean"}, "whether what is absent is provided for"),
    )
}
