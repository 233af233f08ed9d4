"""Guards the offline reader: it says what a claim says, whatever things are called, or nothing."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewers.bundles import open_bundle
from reviewers.facts import Facts
from reviewers.propositions import to_json
from reviewers.readers.linking import SymbolTable, table_of
from reviewers.readers.offline import read, read_all
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


_SAMPLE = Path(__file__).parents[3] / "sample_bundles" / "temperature-mixing.txt"
# Propositions about the sample, each with wordings that say it.
_MEANINGS = [
    (json.loads(meant), wordings)
    for meant, *wordings in map(
        str.splitlines, Path(__file__).with_name("wordings.txt").read_text("utf-8").split("\n\n")
    )
]
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


@pytest.fixture(scope="module")
def table_of_sample() -> SymbolTable:
    return table_of(Facts(open_bundle(_SAMPLE)))


@pytest.mark.parametrize(("meant", "wordings"), _MEANINGS, ids=lambda one: str(one)[:60])
def test_one_meaning_in_several_wordings_is_read_as_one(
    table_of_sample: SymbolTable, meant: dict[str, Any], wordings: list[str]
) -> None:
    readings = {one: read(one, table_of_sample).proposition for one in wordings}
    said = {one: reading and to_json(reading) for one, reading in readings.items()}
    assert said == dict.fromkeys(wordings, meant)


@pytest.mark.parametrize(
    "claim",
    [
        "no gradient ever reaches VectorScaling",
        "src/model.py uses math without an import",
        "preprocess.py contains nothing",
        "train.py does not compute calibration_error correctly",
        "An OSError raised by SVHN is never caught in preprocess.py",
        "evaluate.py misses `from typing import Any`",
        "model.py has no implementations for requested models",
        "preprocess.py relies on fields that may not exist in all runs",
        "The bug means that the code does not run for every provided run",
    ],
)
def test_what_a_wrong_reading_would_deny_is_not_denied(
    table_of_sample: SymbolTable, claim: str
) -> None:
    reading = read(claim, table_of_sample).proposition
    wrong = ("defines", "uses", "exists", "calls", "raises", "does")
    assert reading is None or to_json(reading).get("not", {}).get("p") not in wrong


@pytest.mark.parametrize(
    "claim",
    [
        "Because of this cfg.training.lr cannot be accessed in train.py.",
        "New configs use the names 'synthetic' and 'cifar10_c'.",
    ],
    ids=["what cannot be done", "which configs"],
)
def test_what_a_reading_would_turn_round_is_not_read(
    table_of_sample: SymbolTable, claim: str
) -> None:
    assert read(claim, table_of_sample).proposition is None


def test_brackets_behind_a_verb_are_what_it_is_done_to(table_of_sample: SymbolTable) -> None:
    reading = read("build_model() expects (cfg, device)", table_of_sample).proposition
    assert reading is None or '"calls"' not in json.dumps(to_json(reading))


@pytest.mark.parametrize(
    "claim",
    [
        "core functionality is completely missing",
        "the proposed method is not implemented in src/model.py",
        "The names logged during training (`val_loss`) are not those of evaluate.py",
        "WandB is used, but no WandB section is defined in config.yaml under `runs`",
    ],
    ids=[
        "a word that names nothing",
        "whose method it is",
        "what only tells which",
        "a section is no package",
    ],
)
def test_what_says_too_little_is_not_read_as_something_else(
    table_of_sample: SymbolTable, claim: str
) -> None:
    reading = read(claim, table_of_sample).proposition
    said = json.dumps(reading and to_json(reading))
    assert not any(f'"{name}"' in said for name in ("implements", "logs", "declares"))


@pytest.mark.parametrize(
    ("claim", "meant"),
    [
        (
            "train.py never saves the best model",
            {"not": {"p": "does", "scope": "src/train.py", "activity": "checkpointing"}},
        ),
        (
            "train.py forgot to import math",
            {"not": {"p": "imports", "scope": "src/train.py", "name": "math"}},
        ),
        (
            "Temperature-Mixture lacks a reset() method",
            {
                "not": {
                    "p": "defines",
                    "scope": "src/model.py::TemperatureMixture",
                    "name": "reset",
                }
            },
        ),
        (
            "Training fails with `No module named 'src'`",
            {"p": "fails", "command": "train", "error": "ModuleNotFoundError"},
        ),
        (
            "wandb.init is called without project_id in train.py",
            {
                "not": {
                    "p": "calls",
                    "scope": "src/train.py",
                    "callee": "wandb.init",
                    "with": {"project_id": "*"},
                }
            },
        ),
    ],
    ids=["a deed", "forgotten", "a class", "a message", "an argument left out"],
)
def test_what_has_no_name_of_its_own_is_told_by_the_words_beside_it(
    table_of_sample: SymbolTable, claim: str, meant: dict[str, Any]
) -> None:
    reading = read(claim, table_of_sample).proposition
    assert (reading and to_json(reading)) == meant


def test_the_headings_above_a_claim_tell_its_file_and_its_mode(
    table_of_sample: SymbolTable,
) -> None:
    (read_one,) = read_all(
        ["`wandb.mode` is never set to disabled"], table_of_sample, ["Trial mode\nsrc/main.py"]
    )
    assert read_one.proposition is not None
    (said,) = to_json(read_one.proposition).values()
    assert said["scope"] == {"file": "src/main.py", "mode": "trial"}


def test_a_topic_without_a_name_is_none_of_the_claim_before(table_of_sample: SymbolTable) -> None:
    claims = [
        "`wandb.mode` is set in src/main.py",
        "The Matthews score is computed but never logged",
    ]
    _, last = read_all(claims, table_of_sample, ["", ""])
    assert "wandb" not in str(last.proposition)


def test_what_a_claim_grants_is_not_what_it_falls_with(table_of_sample: SymbolTable) -> None:
    said = "src/train.py imports optuna, but src/main.py never imports hydra"
    (falls_with,) = read(said, table_of_sample).falls_with
    assert "hydra" in str(falls_with)
    assert "optuna" not in str(falls_with)


@pytest.mark.parametrize(
    ("claim", "meant"),
    [
        (
            "The file `out.json` that evaluate.py looks for is not written by any script",
            {"not": {"p": "writes", "scope": "code", "file": "out.json"}},
        ),
        (
            "`acc`, the only value that counts, is never put into the WandB summary",
            {"not": {"p": "logs", "scope": "src/train.py", "key": "acc", "to": "summary"}},
        ),
        (
            "src/main.py takes its interpreter from `sys.executable` without importing `sys`",
            {"not": {"p": "imports", "scope": "src/main.py", "name": "sys"}},
        ),
        (
            "`wandb.mode` is hard-coded in src/evaluate.py",
            {"not": {"p": "reads_key", "scope": "src/evaluate.py", "key": "wandb.mode"}},
        ),
        (
            "6) None of the permitted versions has an attribute `wandb.Api.runs_list`",
            None,
        ),
    ],
    ids=["a relative clause", "an apposition", "a deed left out", "hard-coded", "none of several"],
)
def test_what_only_says_which_thing_is_meant_is_no_statement(
    table_of_sample: SymbolTable, claim: str, meant: dict[str, Any] | None
) -> None:
    reading = read(claim, table_of_sample)
    if meant is None:  # not read, or as a denial
        assert reading.proposition is None or "not" in to_json(reading.proposition)
    else:
        assert reading.proposition is not None
        assert to_json(reading.proposition) == meant


@pytest.mark.parametrize(
    ("claim", "proves"),
    [
        ("The confusion matrix is drawn in src/evaluate.py", True),
        ("The confusion matrix is drawn in src/evaluate.py on the validation set", False),
        ("src/train.py has no error bars", False),
        ("src/train.py has no MixUp", True),
        ("src/train.py calls set_seed instead of frobnicating the zorks", False),
        ("src/train.py imports wandb", True),
    ],
)
def test_what_is_left_over_or_may_have_other_words_proves_nothing(
    table_of_sample: SymbolTable, claim: str, proves: bool
) -> None:
    reading = read(claim, table_of_sample)
    assert reading.proposition is not None
    assert reading.proves is proves


@pytest.mark.parametrize(
    ("claim", "undone"),
    [
        ("src/train.py imports hydra instead of optuna", "optuna"),
        ("The loader is hard-coded instead of being read from `wandb.mode`", "wandb.mode"),
    ],
)
def test_what_is_left_undone_instead_refutes_a_claim_where_it_is_done(
    table_of_sample: SymbolTable, claim: str, undone: str
) -> None:
    (falls_with,) = read(claim, table_of_sample).falls_with
    (said,) = to_json(falls_with).values()
    assert undone in said.values()


@pytest.mark.parametrize(
    ("claim", "disproves"),
    [("src/train.py contains PLACEHOLDER", True), ("src/train.py contains a placeholder", False)],
    ids=["a mark", "a stub, perhaps"],
)
def test_a_placeholder_need_not_be_called_so(
    table_of_sample: SymbolTable, claim: str, disproves: bool
) -> None:
    reading = read(claim, table_of_sample)
    assert reading.proposition is not None
    assert reading.disproves is disproves


def test_only_what_goes_to_a_process_is_passed_to_it(table_of_sample: SymbolTable) -> None:
    study = read("`wandb.mode` is never passed to the study", table_of_sample).proposition
    child = read("`wandb.mode` is never passed to the subprocess", table_of_sample).proposition
    assert study is None
    assert child is not None


def test_another_heading_ends_what_a_claim_is_said_of(table_of_sample: SymbolTable) -> None:
    claims = ["preprocess.py imports math", "No significance test is run"]

    def scope(headings: list[str]) -> str:
        _, last = read_all(claims, table_of_sample, headings)
        assert last.proposition is not None
        return str(to_json(last.proposition)["not"]["scope"])

    assert scope(["Data", "Data"]) == "src/preprocess.py"
    assert scope(["Data", "What is reported"]) == "src/evaluate.py"


@pytest.mark.parametrize(
    ("claim", "wrong"),
    [
        ("math.log is called without a project", {"p": "calls", "callee": "math.log"}),
        ("math.log is used without a config_path", {"p": "accepts"}),
        ("The best Optuna parameters are discarded after the study", {"p": "does"}),
        ("src/model.py carries no package directive", {"p": "declares"}),
        ("The keys end up below cfg.model", {"p": "fails"}),
        ("In trial mode the epoch stops after two batches", {"p": "fails"}),
        ("main.py does not check the exit code of the subprocess", {"p": "fails"}),
        ("The tokenizer is loaded from the hub without a cache_dir", {"p": "defines"}),
        ("The bar chart has no error bars", {"p": "draws"}),
        ("The switch occurs in main.py", {"p": "fails"}),
        ("Evaluation aborts because summary keys are missing", {"p": "has_key"}),
        ("No box plot or other comparison figures are drawn", {"p": "draws", "figure": "*"}),
        ("evaluate.py draws figures other than bar charts", {"p": "draws", "figure": "?"}),
        ("evaluate.py has neither a box plot nor a significance test", {"p": "draws"}),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_word_that_says_something_is_not_read_past(
    table_of_sample: SymbolTable, claim: str, wrong: dict[str, str]
) -> None:
    reading = read(claim, table_of_sample).proposition
    said = list(_atoms(to_json(reading))) if reading else []
    assert not any(wrong.items() <= one.items() and "with" not in one for one in said)


def _atoms(said: Any) -> Iterator[dict[str, Any]]:
    if isinstance(said, dict) and "p" in said:
        yield said
    elif isinstance(said, dict | list):
        for part in said.values() if isinstance(said, dict) else said:
            yield from _atoms(part)


@pytest.mark.parametrize(
    ("claim", "meant"),
    [
        ("evaluate.py never draws figures beyond bar charts", [("draws", "figure", "?")]),
        ("cfg.model is a string", [("has_key", "value", "<string>")]),
        ("`wandb.tau_of` is no function of wandb", [("library_has", "name", "wandb.tau_of")]),
    ],
    ids=["beyond", "of a type", "no function of"],
)
def test_what_is_told_by_small_words_is_read(
    table_of_sample: SymbolTable, claim: str, meant: list[tuple[str, str, str]]
) -> None:
    reading = read(claim, table_of_sample).proposition
    assert reading is not None
    said = list(_atoms(to_json(reading)))
    assert [
        (one["p"], slot, one.get(slot)) for one, (_, slot, _) in zip(said, meant, strict=True)
    ] == meant


@pytest.mark.parametrize(
    "claim",
    [
        "evaluate.py is missing the confusion matrix",
        "The plot is missing from src/evaluate.py",
        "VectorScaling's parameters are never registered",
    ],
)
def test_what_is_missing_somewhere_is_not_the_place(
    table_of_sample: SymbolTable, claim: str
) -> None:
    reading = read(claim, table_of_sample).proposition
    said = json.dumps(reading and to_json(reading))
    assert '"exists"' not in said
    assert "VectorScaling's" not in said


def test_many_things_are_not_the_one_that_was_spoken_of(table_of_sample: SymbolTable) -> None:
    claims = ["src/utils.py is imported by src/train.py", "At present they are missing"]
    *_, last = read_all(claims, table_of_sample)
    assert last.proposition is None


def _polarities(said: dict[str, Any], *, is_so: bool) -> Iterator[tuple[str, bool]]:
    if "not" in said:
        yield from _polarities(said["not"], is_so=not is_so)
    for part in (*said.get("all", ()), *said.get("any", ())):
        yield from _polarities(part, is_so=is_so)
    if "p" in said:
        yield said["name"], is_so


@pytest.mark.parametrize("claim", _CLAIMS)
def test_a_claim_with_a_name_that_finds_no_place_in_it_is_not_read(
    tables: list[SymbolTable], claim: str
) -> None:
    reading = read(f"{_said(claim, _NAMES[0]).rstrip('.')} `quux_zork`", tables[0])
    assert reading.proposition is None or any("quux_zork" in one for one in reading.unread)


@pytest.mark.parametrize("more", ["frobnicating ", "frobnicated zorky "])
@pytest.mark.parametrize(
    ("claim", "is_denied"),
    [("src/train.py draws {}bar charts", False), ("src/train.py draws no {}bar charts", True)],
)
def test_a_word_that_only_narrows_is_kept_as_left_over_and_disproves_no_denial(
    tables: list[SymbolTable], claim: str, more: str, is_denied: bool
) -> None:
    reading = read(claim.format(more), tables[0])
    assert reading.proposition == read(claim.format(""), tables[0]).proposition
    assert set(more.split()) <= set(reading.leftover)
    assert reading.proves
    assert reading.disproves == (not is_denied and len(more.split()) == 1)


def test_a_statement_that_is_not_read_leaves_the_others_read(tables: list[SymbolTable]) -> None:
    reading = read("src/train.py never imports wandb, so the zorks will frobnicate", tables[0])
    assert reading.proposition is not None
    said = to_json(reading.proposition)
    assert said == {"not": {"p": "imports", "scope": "src/train.py", "name": "wandb"}}
    assert reading.unread == ("the zorks will frobnicate",)
    assert reading.proves
    assert reading.disproves  # whatever it would have led to


@pytest.mark.parametrize(
    "claim",
    [
        "src/train.py never imports wandb, but the zorks will frobnicate",
        "src/train.py never imports wandb because the zorks will frobnicate",
    ],
)
def test_what_is_read_proves_nothing_where_the_main_statement_is_not(
    tables: list[SymbolTable], claim: str
) -> None:
    reading = read(claim, tables[0])
    assert reading.proposition is not None
    assert not reading.proves
    assert not reading.disproves


def test_what_a_claim_leaves_unsaid_the_one_before_has_said(tables: list[SymbolTable]) -> None:
    first, second = read_all(
        ["`build_loader` is defined in src/train.py", "It is not defined in src/evaluate.py"],
        tables[0],
    )
    assert first.proposition is not None
    assert second.proposition is not None
    said = to_json(second.proposition)
    assert said == {"not": {"p": "defines", "scope": "src/evaluate.py", "name": "build_loader"}}


def test_a_claim_that_may_mean_two_things_carries_both(tables: list[SymbolTable]) -> None:
    reading = read("src/train.py accesses `training.width`", tables[0])
    assert reading.proposition is not None
    ways = {one["p"] for one in map(to_json, (reading.proposition, *reading.otherwise))}
    assert ways == {"reads_key", "uses"}


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


@given(st.text(max_size=200))
def test_no_text_makes_it_fail(tables_of_one: SymbolTable, claim: str) -> None:
    reading = read(claim, tables_of_one)
    assert (reading.proposition is None) == bool(reading.why_not)


@pytest.fixture(scope="module")
def tables_of_one(tables: list[SymbolTable]) -> SymbolTable:
    return tables[0]
