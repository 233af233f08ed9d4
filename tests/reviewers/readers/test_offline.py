"""Guards the offline reader: it says what a claim says, whatever things are called, or nothing."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewers.facts import Facts
from reviewers.propositions import to_json
from reviewers.readers.linking import SymbolTable, table_of
from reviewers.readers.offline import read
from tests.builders import make_submission

# Names of one sort in each column: two scripts, a function, a key, a library, a run, a metric.
_NAMES = (
    ("src/train.py", "src/evaluate.py", "build_loader", "training.lr", "wandb", "run-1", "acc"),
    ("src/fit.py", "src/score.py", "make_batches", "model.width", "optuna", "base-7", "val_f1"),
    ("src/loop.py", "src/plots.py", "_pad", "data.batch_size", "timm", "ours_a", "dev_loss"),
    ("src/x.py", "src/why.py", "read_all", "never.used", "datasets", "no-gate", "missing_rate"),
    ("src/a_b.py", "src/if_not.py", "call_none", "optim.only", "seaborn", "all-2", "fails_at"),
)
_CLAIMS = (
    "{script} never imports {library}.",
    "`{script}` imports {library}",
    "{other} does not define `{function}`",
    "`{function}` is defined in {other}",
    "{script} never logs `{metric}`",
    "{script} logs `{metric}`",
    "The file {script} is empty.",
    "{script} is missing, so training fails with ImportError",
    "The key `{key}` is missing in config/config.yaml",
    "{script} never calls `{library}.init(...)`",
)


_WORDS = ("script", "other", "function", "key", "library", "run", "metric")


def _table(names: tuple[str, ...]) -> SymbolTable:
    script, other, function, key, library, run, metric = names
    section, _, last = key.partition(".")
    code = f"import {library}\n\n\ndef {function}():\n    return {{'{metric}': 1}}\n"
    config = f"{section}:\n  {last}: 1\n"
    files = {script: code, other: "x = 1\n", "config/config.yaml": config}
    return table_of(Facts(make_submission(files, {run: f"run_id: {run}\n"})))


@pytest.fixture(scope="module")
def tables() -> list[SymbolTable]:
    """One submission for each set of names."""
    return [_table(names) for names in _NAMES]


def _said(claim: str, names: tuple[str, ...]) -> str:
    return claim.format(**dict(zip(_WORDS, names, strict=True)))


def _shape(claim: str, table: SymbolTable, names: tuple[str, ...]) -> str:
    """A reading with its names as the places that they fill."""
    reading = read(_said(claim, names), table)
    if reading.proposition is None:
        return "not read"
    text = json.dumps(to_json(reading.proposition))
    for word, name in zip(_WORDS, names, strict=True):
        text = text.replace(f'"{name}', f'"<{word}>')
    return text


@pytest.mark.parametrize("claim", _CLAIMS)
def test_what_things_are_called_does_not_change_how_a_claim_is_read(
    tables: list[SymbolTable], claim: str
) -> None:
    shapes = {_shape(claim, table, names) for table, names in zip(tables, _NAMES, strict=True)}
    assert len(shapes) == 1
    assert shapes != {"not read"}


@pytest.mark.parametrize(
    ("claim", "meant"),
    [
        ("src/train.py imports wandb but not optuna", {"wandb": True, "optuna": False}),
        ("src/train.py imports wandb, but never imports optuna", {"wandb": True, "optuna": False}),
        ("src/train.py never imports wandb or optuna", {"wandb": False, "optuna": False}),
        ("src/train.py imports neither wandb nor optuna", {"wandb": False, "optuna": False}),
        ("src/train.py imports both wandb and optuna", {"wandb": True, "optuna": True}),
        (
            "Imports of wandb and optuna are missing in src/train.py",
            {"wandb": False, "optuna": False},
        ),
    ],
)
def test_each_thing_is_denied_or_not_as_it_is_said(
    tables: list[SymbolTable], claim: str, meant: dict[str, bool]
) -> None:
    reading = read(claim, tables[0])
    if reading.proposition is not None:
        assert dict(_polarities(to_json(reading.proposition), is_so=True)) == meant


def _polarities(said: dict[str, Any], *, is_so: bool) -> Iterator[tuple[str, bool]]:
    if "not" in said:
        yield from _polarities(said["not"], is_so=not is_so)
    for part in (*said.get("all", ()), *said.get("any", ())):
        yield from _polarities(part, is_so=is_so)
    if "p" in said:
        yield said["name"], is_so


@pytest.mark.parametrize("claim", _CLAIMS)
@pytest.mark.parametrize("more", ["frobnicating", "on Tuesdays", "`quux_zork`"])
def test_a_claim_with_a_word_that_is_not_understood_is_not_read(
    tables: list[SymbolTable], claim: str, more: str
) -> None:
    said = f"{_said(claim, _NAMES[0]).rstrip('.')} {more}"
    reading = read(said, tables[0])
    assert reading.proposition is None
    assert reading.why_not


@pytest.mark.parametrize(
    "claim",
    [
        "a" * 3_000,
        "src/" * 800,
        "(" * 3_000,
        "`" * 3_000,
        "a.b" * 1_000,
        "f(" * 1_500,
        "no " * 1_000,
        "x=" * 1_500,
        "src/train.py imports " + "wandb, " * 500,
        "because " * 400,
        "_-" * 1_500,
    ],
    ids=lambda claim: claim[:8],
)
def test_a_claim_of_any_make_costs_little(tables: list[SymbolTable], claim: str) -> None:
    read("src/train.py never imports wandb", tables[0])
    began = time.process_time()
    read(claim, tables[0])
    assert time.process_time() - began < 0.2  # an ordinary claim: 0.001


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200))
def test_no_text_makes_it_fail(tables_of_one: SymbolTable, claim: str) -> None:
    reading = read(claim, tables_of_one)
    assert (reading.proposition is None) == bool(reading.why_not)


@pytest.fixture(scope="module")
def tables_of_one(tables: list[SymbolTable]) -> SymbolTable:
    return tables[0]
