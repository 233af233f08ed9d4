"""Guards what a reader may give: the vocabulary's JSON, and nothing else."""

import json
from typing import Any

import jsonschema
import pytest

from reviewers.propositions import (
    PREDICATES,
    InvalidReading,
    parse,
    schema,
    sentence,
    to_json,
)

CALLS = {"p": "calls", "scope": "src/evaluate.py", "callee": "wandb.Api"}
READINGS: dict[str, Any] = {
    "atom": CALLS,
    "not": {"not": CALLS},
    "all": {"all": [CALLS, {"p": "empty", "file": "src/train.py"}]},
    "any": {"any": [CALLS, {"p": "empty", "file": "src/train.py"}]},
    "every": {"every": "run", "holds": {"p": "exists", "file": "config/$run.yaml"}},
    "every in": {"every": "key", "in": ["a", "b"], "holds": {"p": "exists", "file": "$key"}},
    "only": {
        "only": {"p": "raises", "scope": "code", "error": "?"},
        "hole": "error",
        "are": ["ValueError"],
    },
    "because": {"because": {"p": "empty", "file": "src/train.py"}, "then": CALLS},
    "would": {"would": CALLS},
    "possible": {"possible": {"not": CALLS}},
    "scope": {**CALLS, "scope": {"file": "src/main.py", "name": "f", "mode": "trial"}},
    "with": {**CALLS, "with": {"timeout": 3, "x": None}, "args": ["a", 1.5, True]},
    "at": {"p": "fails", "command": "train", "at": {"file": "src/train.py", "line": 3}},
}


SCHEMA = jsonschema.Draft202012Validator(schema())
SCHEMA.check_schema(schema())


@pytest.mark.parametrize("reading", READINGS.values(), ids=READINGS)
def test_what_is_read_is_written_again(reading: Any) -> None:
    proposition = parse(reading)
    assert parse(to_json(proposition)) == proposition
    assert parse(json.loads(json.dumps(to_json(proposition)))) == proposition
    assert sentence(proposition)


@pytest.mark.parametrize("name", PREDICATES)
def test_each_predicate_has_an_example_that_reads_well(name: str) -> None:
    predicate = PREDICATES[name]
    atom = parse({"p": name, **predicate.example})
    told, denied = sentence(atom), sentence(parse({"not": {"p": name, **predicate.example}}))
    assert told != denied
    assert not set("{}[]()|") & set(told)
    assert predicate.about


@pytest.mark.parametrize("name", PREDICATES)
def test_the_schema_takes_each_example(name: str) -> None:
    predicate = PREDICATES[name]
    filled = dict.fromkeys(predicate.parameters, None) | {
        key: _strict(predicate.parameters[key].schema, value)
        for key, value in predicate.example.items()
    }
    SCHEMA.validate({"p": name, **filled})
    parse({"p": name, **filled})


def _strict(wanted: dict[str, Any], value: Any) -> Any:
    """A value in the long form that strict output has."""
    if wanted.get("type") == "object" and isinstance(value, str):
        short = parse({"p": "calls", "scope": value, "callee": "f"})
        scope = to_json(short)["scope"].partition("::")
        long = {"file": scope[0], "name": scope[2] or None}
        return {**dict.fromkeys(wanted["properties"], None), **long}
    if wanted.get("type") == "array" and isinstance(value, dict):
        return [{"name": name, "value": given} for name, given in value.items()]
    return value


def test_a_run_and_a_mode_beside_the_scope_belong_to_it() -> None:
    beside = parse({**CALLS, "mode": "trial", "run": "a*"})
    within = parse({**CALLS, "scope": {"file": "src/evaluate.py", "mode": "trial", "run": "a*"}})
    assert beside == within


def test_the_short_forms_are_connectives() -> None:
    fails = {"p": "fails", "command": "train", "error": "KeyError"}
    short, long = {**fails, "possible": True}, {"possible": fails}
    assert parse(short) == parse(long)
    every = {"every": "run", "holds": {**fails, "run": "$run"}}
    assert parse({**fails, "run": "every"}) == parse(every)


def _deep(levels: int) -> Any:
    value: Any = CALLS
    for _ in range(levels):
        value = {"not": value}
    return value


@pytest.mark.parametrize(
    "reading",
    [
        None,
        [],
        "empty",
        {},
        {"p": "improves", "file": "x"},
        {"p": "__class__", "file": "x"},
        {"p": ["calls"]},
        {"p": "exists"},
        {"p": "exists", "file": ""},
        {"p": "exists", "file": 3},
        {"p": "exists", "file": "x" * 10_000},
        {"p": "exists", "file": "a\x00b"},
        {"p": "exists", "file": "x", "severity": "high"},
        {"p": "calls", "scope": {"file": "x", "path": "y"}, "callee": "f"},
        {"p": "calls", "scope": [], "callee": "f"},
        {**CALLS, "with": {"a": {"b": 1}}},
        {**CALLS, "with": {str(n): n for n in range(1_000)}},
        {**CALLS, "args": [float("nan")]},
        {"not": CALLS, "all": [CALLS]},
        {"not": CALLS, "because": CALLS},
        {"all": []},
        {"all": CALLS},
        {"all": [CALLS] * 500},
        {"any": [{"all": [CALLS] * 20}] * 20},
        {"every": "moon", "holds": CALLS},
        {"every": "run"},
        {"only": CALLS, "hole": "moon", "are": ["x"]},
        {"only": CALLS, "hole": "callee", "are": []},
        {"only": {"not": CALLS}, "hole": "callee", "are": ["x"]},
        {"because": CALLS},
    ],
    ids=lambda value: str(value)[:40],
)
def test_whatever_else_is_refused_in_one_line(reading: Any) -> None:
    with pytest.raises(InvalidReading) as refused:
        parse(reading)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300


def test_a_thousand_parts_within_each_other_are_refused() -> None:
    with pytest.raises(InvalidReading, match="deep"):
        parse(_deep(10_000))
