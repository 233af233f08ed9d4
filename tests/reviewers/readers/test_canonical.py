"""Guards that each sentence of the desk is read back as the proposition that it was made from."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewers.propositions import PREDICATES, parse, sentence, to_json
from reviewers.readers.canonical import meant

_EMPTY = {"p": "empty", "file": "src/train.py"}
_FAILS = {"p": "fails", "command": "train", "error": "KeyError", "run": "run-1", "mode": "trial"}
_CALLS = {"p": "calls", "scope": "src/evaluate.py", "callee": "wandb.Api"}


@pytest.mark.parametrize(
    "joined",
    [
        lambda atom: atom,
        lambda atom: {"not": atom},
        lambda atom: {"possible": {"not": atom}},
        lambda atom: {"not": {"possible": atom}},
        lambda atom: {"would": atom},
        lambda atom: {"every": "run", "holds": atom},
        lambda atom: {
            "every": "file",
            "in": ["a.py", "b.py"],
            "holds": {**_EMPTY, "file": "$file"},
        },
        lambda atom: {"every": "run", "holds": {**_FAILS, "run": "$run"}},
        lambda atom: {"not": {"every": "run", "holds": {**_EMPTY, "file": "config/$run.yaml"}}},
        lambda atom: {"because": atom, "then": _FAILS},
        lambda atom: {"because": {"because": atom, "then": _EMPTY}, "then": _FAILS},
        lambda atom: {"because": _EMPTY, "then": {"because": atom, "then": _FAILS}},
        lambda atom: {"all": [{"not": atom}, _EMPTY]},
        lambda atom: {"any": [_EMPTY, {**_EMPTY, "file": "a b.py"}, atom]},
        lambda atom: {"not": {"all": [atom, _FAILS]}},
    ],
)
def test_every_template_is_read_back(joined: Any) -> None:
    told = [parse(joined({"p": name, **PREDICATES[name].example})) for name in PREDICATES]
    assert [sentence(one) for one in told if meant(sentence(one)) != one] == []


def test_two_that_differ_in_one_argument_are_one_sentence() -> None:
    other = dict.fromkeys(("scope", "file", "where"), "src/other.py")
    told = [
        parse({"all": [one if is_so else {"not": one} for one in (atom, changed)]})
        for name, predicate in PREDICATES.items()
        for atom in ({"p": name, **predicate.example},)
        for slot, value in predicate.example.items()
        if isinstance(value, str)
        for changed in ({**atom, slot: other.get(slot, "other")},)
        for is_so in (True, False)
    ]
    assert [sentence(one) for one in told if meant(sentence(one)) != one] == []


@pytest.mark.parametrize(
    ("name", "hole"),
    [(one.name, hole) for one in PREDICATES.values() for hole in one.values or ()],
)
def test_what_only_fills_an_argument_is_read_back(name: str, hole: str) -> None:
    atom = {"p": name, **PREDICATES[name].example}
    for values in (["one"], ["one", "two"]):
        told = parse({"only": atom, "hole": hole, "are": values})
        assert meant(sentence(told)) == told


@pytest.mark.parametrize(
    ("reading", "said"),
    [
        (
            {"only": {"p": "draws", "scope": "a.py"}, "hole": "figure", "are": ["bar"]},
            "`a.py` draws only a bar figure",
        ),
        (
            {"only": {"p": "draws", "scope": "a.py"}, "hole": "figure", "are": ["bar", "em_at_60"]},
            "`a.py` draws only bar and em at 60 figures",
        ),
        (
            {"all": [{**_EMPTY, "file": file} for file in ("a", "b", "c")]},
            "`a`, `b` and `c` are empty",
        ),
        (
            {"all": [{"p": "has_type", "scope": "a.py", "expr": x, "type": "int"} for x in "xy"]},
            "in `a.py`, `x` and `y` are int",
        ),
        (
            {"p": "has_type", "scope": "a.py", "expr": "x", "type": "int"},
            "in `a.py`, `x` is an int",
        ),
        (
            {"p": "returns", "scope": "a.py::f", "kind": "sum(x) / len(x)"},
            "`a.py::f` returns `sum(x) / len(x)`",
        ),
        (
            {"p": "reads_key", "scope": "a.py", "key": "b", "guarded": False},
            "`a.py` reads the configuration's `b` (guarded: `false`)",
        ),
        (
            {"p": "limits", "scope": "code", "what": "trials", "to": 2, "exactly": True},
            "the code limits the trials to `2` (exactly: `true`)",
        ),
    ],
    ids=str,
)
def test_the_grammar_is_that_of_english(reading: Any, said: str) -> None:
    told = parse(reading)
    assert sentence(told) == said
    assert meant(said) == told


@pytest.mark.parametrize(
    "reading",
    [
        {"all": [{"not": _CALLS}, {"not": {**_CALLS, "callee": "f"}}]},
        {"all": [_CALLS, {**_CALLS, "callee": "f"}, {**_CALLS, "callee": "and"}]},
        {"any": [{"not": _CALLS}, {"not": {**_CALLS, "callee": "f"}}]},
        {**_CALLS, "with": {"timeout": 3, "strict": True}, "mode": "trial", "run": "run-*"},
        {"not": {**_CALLS, "scope": "code"}},
        {
            "only": {"p": "logs", "scope": "src/train.py", "key": "?"},
            "hole": "key",
            "are": ["loss", "a and b", "c, d"],
        },
        {"because": {"all": [_CALLS, {"not": _EMPTY}]}, "then": _FAILS},
    ],
    ids=str,
)
def test_what_is_joined_is_read_back(reading: Any) -> None:
    told = parse(reading)
    found = meant(sentence(told))
    assert found is not None
    assert to_json(found) == to_json(told)


@pytest.mark.parametrize(
    "text",
    [
        "`src/train.py` is empty, sadly",
        "`src/train.py` is not quite empty",
        "src/train.py is empty",
        "`src/train.py` is empty and it fails",
        "because `src/train.py` is empty",
        "the code has no ",
    ],
)
def test_other_words_are_not_read(text: str) -> None:
    assert meant(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "a" * 2_000,
        "`a`, " * 400,
        "`a` and " * 250,
        "because " * 250,
        "`a`: " * 400,
        "(1) " * 500,
        "the code has " + "a and " * 300,
        "possibly, " * 200,
        "because " + "`a` is empty: " * 140,
        "`a` is empty and " * 110 + "b",
    ],
    ids=lambda text: text[:12],
)
def test_a_sentence_of_any_make_costs_little(text: str) -> None:
    meant("`src/train.py` is empty")
    began = time.process_time()
    meant(text)
    assert time.process_time() - began < 0.5


@given(
    st.lists(st.sampled_from(["because ", "`a.py` is empty", " and ", ", ", ": ", "possibly, "]))
)
def test_what_is_read_is_told_in_the_same_words(pieces: list[str]) -> None:
    text = "".join(pieces)
    found = meant(text)
    assert found is None or sentence(found) == text.strip()
