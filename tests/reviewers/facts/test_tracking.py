"""Guards which keys training is said to log and evaluate.py to read, and when a missing one is
certain.
"""

from textwrap import dedent

import pytest

from reviewers.facts import Facts, Tracking
from reviewers.facts.tracking import Source
from tests.builders import with_one_run


def tracking_of(train: str = "", evaluate: str = "", **files: str) -> Tracking:
    """The tracking of a submission with these two files, and others by their name in src/."""
    texts = {"src/train.py": dedent(train), "src/evaluate.py": dedent(evaluate)}
    texts |= {f"src/{name}.py": dedent(text) for name, text in files.items()}
    return Facts(with_one_run(texts)).tracking


def logged(train: str, **files: str) -> set[str]:
    return {key.key for key in tracking_of(train, **files).logged}


LOGGED = """
    import wandb
    def main(cfg):
        wandb.log({"loss": 1.0, "epoch": 0})
        wandb.summary["best"] = 1.0
"""


@pytest.mark.parametrize(
    ("body", "keys"),
    [
        pytest.param('wandb.log({"loss": 1, "acc": 2})', {"loss", "acc"}, id="a literal"),
        pytest.param('wandb.log({"loss": 1} | {"acc": 2})', {"loss", "acc"}, id="a union"),
        pytest.param("wandb.log(dict(loss=1, **{'acc': 2}))", {"loss", "acc"}, id="dict()"),
        pytest.param(
            'row = {"loss": 1}\n    row["acc"] = 2\n    row.update(lr=3)\n    run.log(row)',
            {"loss", "acc", "lr"},
            id="a name",
        ),
        pytest.param(
            'wandb.log({**score(1), "lr": 3})', {"loss", "acc", "lr"}, id="what a function returns"
        ),
        pytest.param(
            "a, row = both(1)\n    wandb.log(row)",
            {"rouge"},
            id="part of a tuple that a function returns",
        ),
        pytest.param(
            'wandb.log({f"val_{k}": v for k, v in score(1).items()})',
            {"val_loss", "val_acc"},
            id="prefixed keys",
        ),
        pytest.param(
            'for k, v in score(1).items():\n        run.summary[f"final_{k}"] = v',
            {"final_loss", "final_acc"},
            id="a loop",
        ),
        pytest.param(
            'wandb.log({f"{cfg.task}_acc": 1})',
            {"{}_acc"},
            id="a part that is only known at run time",
        ),
        pytest.param('run.summary.update({"best": 1})', {"best"}, id="summary.update"),
        pytest.param("run.summary.best = 1", {"best"}, id="an attribute of the summary"),
        pytest.param("print(torch.zeros(2).log(), math.log(2.0))", set(), id="logarithms"),
    ],
)
def test_logged_keys_are_found(body: str, keys: set[str]) -> None:
    train = f"""
import math
import torch
import wandb

run = wandb.init()

def score(x):
    found = {{"loss": x}}
    found["acc"] = x
    return found

def both(x):
    return x, {{"rouge": x}}

def main(cfg):
    {body}
"""
    tracking = tracking_of(train)
    assert {key.key for key in tracking.logged} == keys
    assert tracking.logged_is_complete


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("wandb.log(load())", id="a value from outside"),
        pytest.param("wandb.log({name: 1 for name in load()})", id="keys from outside"),
        pytest.param("Trainer(model=None).train()", id="a trainer that logs keys of its own"),
        pytest.param("run.log({name: 1})", id="a key that is an unknown name"),
    ],
)
def test_what_cannot_be_known_makes_the_list_incomplete_and_nothing_missing(body: str) -> None:
    head = (
        "import wandb\nfrom transformers import Trainer\nfrom other import load, name\nrun ="
        " wandb.init()\n"
    )
    train = f"{head}def main():\n    {body}\n"
    tracking = tracking_of(train, 'def main(run):\n    return run.history()["accuracy"]\n')
    assert not tracking.logged_is_complete
    assert tracking.never_logged == ()


def test_keys_are_found_through_a_parameter() -> None:
    assert logged("""
        import wandb
        def note(row, step):
            wandb.log({**row, "step": step})
        def main(cfg):
            note({"loss": 1}, 0)
            note(step=1, row={"acc": 1})
    """) == {"loss", "acc", "step"}


def test_a_key_that_is_logged_from_another_file_counts() -> None:
    keys = logged(
        "import wandb\n", model='import wandb\ndef watch(x):\n    wandb.log({"norm": x})\n'
    )
    assert "norm" in keys


@pytest.mark.parametrize(
    ("body", "key", "required"),
    [
        pytest.param('print(run.history()["acc"])', "acc", True, id="straight from the call"),
        pytest.param(
            'history = run.history()\n    print(history["acc"].max())',
            "acc",
            True,
            id="through a name",
        ),
        pytest.param("draw(run.history())", "f1", True, id="through a parameter"),
        pytest.param(
            "kept = {run.id: run.history()}\n    for _, table in kept.items():\n       "
            ' table["acc"]',
            "acc",
            True,
            id="through a dict",
        ),
        pytest.param(
            'history, summary = fetch(run)\n    summary["acc"]', "acc", True, id="through a tuple"
        ),
        pytest.param(
            'record = {"summary": run.summary._json_dict}\n    record["summary"]["acc"]',
            "acc",
            True,
            id="through a record",
        ),
        pytest.param(
            'sns.lineplot(data=run.history(), x="_step", y="acc")',
            "acc",
            True,
            id="as a column of a figure",
        ),
        pytest.param('run.history(keys=["acc"])', "acc", True, id="as a key of the query"),
        pytest.param('dict(run.summary).get("acc", 0)', "acc", False, id="with a default"),
        pytest.param(
            'history = run.history()\n    if "acc" in history.columns:\n        history["acc"]',
            "acc",
            False,
            id="after a test",
        ),
        pytest.param(
            'history = run.history()\n    try:\n        history["acc"]\n    except KeyError:\n     '
            "   pass",
            "acc",
            False,
            id="in try",
        ),
    ],
)
def test_a_read_of_a_key_that_is_never_logged_is_found(body: str, key: str, required: bool) -> None:
    evaluate = f"""
import seaborn as sns

def draw(table):
    print(table["f1"])

def fetch(run):
    return run.history(), run.summary._json_dict

def main(run):
    {body}
"""
    tracking = tracking_of(LOGGED, evaluate)
    missing = [read for read in tracking.never_logged if read.key == key]
    assert missing
    assert any(read.required for read in missing) is required
    assert {read.key for read in tracking.never_logged} <= {key, "f1"}


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            'run.summary._json_dict["loss"]',
            id="the summary holds the last value of what is logged",
        ),
        pytest.param('run.history()["_step"]', id="a key of WandB's own"),
        pytest.param(
            'run.summary.get("final", run.summary.get("best", 0))', id="another key takes its place"
        ),
        pytest.param(
            'run.summary.get("final") or run.summary.get("best")',
            id="another key takes its place by or",
        ),
        pytest.param(
            'h = run.history()\n    if "f1" in h.columns:\n        h["f1"]\n    elif "loss" in'
            ' h.columns:\n        h["loss"]',
            id="elif",
        ),
        pytest.param(
            'h = run.history()\n    [h[c] for c in ["f1", "loss"] if c in h.columns]',
            id="candidates of which one is logged",
        ),
        pytest.param(
            'table = {"accuracy": 1}\n    table["accuracy"]',
            id="a dictionary that has nothing to do with WandB",
        ),
    ],
)
def test_a_read_that_is_answered_is_not_missing(body: str) -> None:
    assert tracking_of(LOGGED, f"def main(run):\n    {body}\n").never_logged == ()


def test_the_history_does_not_hold_what_is_only_in_the_summary() -> None:
    tracking = tracking_of(LOGGED, 'def main(run):\n    return run.history()["best"]\n')
    assert [(read.key, read.source) for read in tracking.never_logged] == [("best", Source.HISTORY)]


@pytest.mark.parametrize(
    ("body", "target"),
    [
        pytest.param("print(json.dumps({}))", "stdout", id="printed"),
        pytest.param(
            'json.dump({}, open("results.json", "w"))', "results.json", id="to an opened file"
        ),
        pytest.param(
            'with open("a/metrics.json", "w") as out:\n        json.dump({}, out)',
            "metrics.json",
            id="in a with",
        ),
        pytest.param(
            'path = folder / "results.json"\n    path.write_text(json.dumps({}))',
            "results.json",
            id="to a path with a name",
        ),
        pytest.param("json.dump({}, stream)", "", id="to a file without a known name"),
    ],
)
def test_json_that_training_writes_is_found_with_its_target(body: str, target: str) -> None:
    tracking = tracking_of(f"import json\ndef main(folder, stream):\n    {body}\n")
    assert [output.target for output in tracking.json_outputs] == [target]


@pytest.mark.parametrize(
    "text",
    ["def main(:\n", "", "\0", "x = " + "(" * 500],
    ids=["no syntax", "empty", "NUL", "deep"],
)
def test_a_file_that_cannot_be_read_says_nothing(text: str) -> None:
    submission = with_one_run({"src/train.py": text, "src/evaluate.py": text})
    tracking = Facts(submission).tracking
    assert tracking.never_logged == ()
    assert tracking.read == ()


def test_the_keys_that_one_line_reads_come_in_one_order_in_every_process() -> None:
    keys = [f"key_{letter}" for letter in "hgfedcba"]
    evaluate = f"""
        import wandb
        def main():
            history = wandb.Api().run("a/b/c").history()
            print(history[{keys}].mean())
    """
    assert [read.key for read in tracking_of(LOGGED, evaluate).read] == sorted(keys)
