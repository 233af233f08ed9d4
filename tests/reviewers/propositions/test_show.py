"""Guards the sentences: they say what the proposition says, shortly."""

from typing import Any

import pytest

from reviewers.propositions import lines, parse, sentence

CALLS = {"p": "calls", "scope": "src/evaluate.py", "callee": "wandb.Api"}
EMPTY = {"p": "empty", "file": "src/train.py"}
FAILS = {"p": "fails", "command": "train", "error": "KeyError"}


@pytest.mark.parametrize(
    ("reading", "said"),
    [
        (CALLS, "`src/evaluate.py` calls `wandb.Api`"),
        ({"not": CALLS}, "`src/evaluate.py` never calls `wandb.Api`"),
        ({"not": {"not": CALLS}}, "`src/evaluate.py` calls `wandb.Api`"),
        (
            {**CALLS, "with": {"timeout": 3}},
            "`src/evaluate.py` calls `wandb.Api` with `timeout=3`",
        ),
        (
            {"all": [CALLS, EMPTY]},
            "`src/evaluate.py` calls `wandb.Api` and `src/train.py` is empty",
        ),
        (
            {"all": [CALLS, {**CALLS, "callee": "f"}, {**CALLS, "callee": "g"}]},
            "`src/evaluate.py` calls `wandb.Api`, `f` and `g`",
        ),
        (
            {"all": [{"not": CALLS}, {"not": {**CALLS, "callee": "f"}}]},
            "`src/evaluate.py` never calls `wandb.Api` or `f`",
        ),
        (
            {"any": [{"not": CALLS}, {"not": {**CALLS, "callee": "f"}}]},
            "`src/evaluate.py` never calls `wandb.Api` or `src/evaluate.py` never calls `f`",
        ),
        (
            {**CALLS, "mode": "trial", "run": "run-1"},
            "`src/evaluate.py` calls `wandb.Api` for run `run-1` in mode `trial`",
        ),
        ({"any": [CALLS, EMPTY]}, "`src/evaluate.py` calls `wandb.Api` or `src/train.py` is empty"),
        (
            {"every": "run", "holds": {"p": "exists", "file": "$run.yaml"}},
            "for every run: `<run>.yaml` is in the submission",
        ),
        (
            {"every": "run", "holds": {**FAILS, "run": "$run"}},
            "for every run: the command train fails with `KeyError` for that run",
        ),
        (
            {"every": "run", "holds": {"p": "has_key", "where": "run:$run", "key": "lr"}},
            "for every run: that run's file has the key `lr`",
        ),
        (
            {"every": "file", "in": ["a.py"], "holds": {**CALLS, "scope": "$file"}},
            "for each of `a.py`: that file calls `wandb.Api`",
        ),
        (
            {"only": {"p": "raises", "scope": "code", "error": "?"}, "hole": "error", "are": ["A"]},
            "the code raises only `A`",
        ),
        (
            {"because": EMPTY, "then": FAILS},
            "because `src/train.py` is empty: the command train fails with `KeyError`",
        ),
        (
            {"because": {"because": EMPTY, "then": CALLS}, "then": FAILS},
            "because `src/train.py` is empty: `src/evaluate.py` calls `wandb.Api`, and so the"
            " command train fails with `KeyError`",
        ),
        (
            {"because": EMPTY, "then": {"because": CALLS, "then": FAILS}},
            "because `src/train.py` is empty: (because `src/evaluate.py` calls `wandb.Api`: the"
            " command train fails with `KeyError`)",
        ),
        ({"would": CALLS}, "if it were reached, `src/evaluate.py` calls `wandb.Api`"),
        ({"possible": {"not": CALLS}}, "possibly, `src/evaluate.py` never calls `wandb.Api`"),
        (
            {**CALLS, "scope": {"file": "src/a.py", "name": "f"}},
            "`src/a.py::f` calls `wandb.Api`",
        ),
    ],
    ids=str,
)
def test_a_proposition_is_a_sentence(reading: Any, said: str) -> None:
    assert sentence(parse(reading)) == said


def test_a_finding_of_several_parts_is_a_list_of_lines() -> None:
    reading = {"because": {"all": [EMPTY, {"not": CALLS}]}, "then": FAILS}
    told = [line for _, line in lines(parse(reading))]
    assert told == [
        "`src/train.py` is empty",
        "`src/evaluate.py` never calls `wandb.Api`",
        "the command train fails with `KeyError`",
    ]
