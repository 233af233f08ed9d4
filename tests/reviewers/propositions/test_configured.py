"""Guards what an argument is that stands in the configuration: the value that each start gets."""

import pytest

from reviewers.facts import Facts
from reviewers.propositions import Mark, World, evaluate, mark, parse
from reviewers.records import Failure, Span
from tests.builders import make_submission

_CODE = """import hydra
from torch.utils.data import DataLoader
@hydra.main(config_path="../config", config_name="config", version_base=None)
def main(cfg):
    {before}
    DataLoader([], batch_size=cfg.size)
if __name__ == "__main__":
    main()
"""
_LOADS = {"p": "calls", "scope": "src/train.py", "callee": "DataLoader"}


@pytest.mark.parametrize(
    ("value", "before", "expected"),
    [
        (16, "pass", "true"),
        (None, "pass", "false"),
        (32, "pass", "false"),
        (16, "cfg.size = 8", "false"),
        (8, "cfg.size = 8", "true"),
        (16, "cfg.update(size=8)", "false"),
        (16, "cfg[cfg.key] = 8", "false"),
        (16, "cfg.size = int(input())", "unknown"),
    ],
)
def test_an_argument_is_what_the_configuration_of_each_start_has(
    value: object, before: str, expected: str
) -> None:
    files = {
        "src/train.py": _CODE.format(before=before),
        "config/config.yaml": "size: 16\nkey: size\nrun: a\nresults_dir: r\nmode: full\n",
    }
    world = World(Facts(make_submission(files)))
    reading = {**_LOADS, "with": {"batch_size": value}}
    assert evaluate(parse(reading), world).truth == expected


@pytest.mark.parametrize(
    ("run_id", "key", "expected"),
    [
        ("a-1", "run.model.name", "true"),
        ("a (1)", "run.model.name", "true"),  # the quotes change nothing: the same file is chosen
        ("a (1)", "run.lr", "false"),
        ("a (1)", "model", "unknown"),  # there, and empty
        ("a (1)", "model.name", "false"),
    ],
)
def test_keys_are_where_the_run_file_comes_to_lie(run_id: str, key: str, expected: str) -> None:
    files = {"config/config.yaml": "defaults: [_self_, {run: null}]\nmodel: {}\nresults_dir: r\n"}
    files["config/config.yaml"] += "mode: full\n"
    runs = {f"config/run/{run_id}.yaml": f"run_id: {run_id}\nmodel: {{name: m}}\n"}
    world = World(Facts(make_submission(files, runs)))
    reading = {"p": "has_key", "where": "composed", "key": key}
    assert evaluate(parse(reading), world).truth == expected


def test_a_failure_that_is_proven_at_its_place_confirms_a_finding_whose_reason_is_open() -> None:
    files = {"src/train.py": "import other\nx = other.made()\nx[0]\n"}
    failure = Failure(
        step="train",
        command="python -m src.train",
        place=Span("src/train.py", 3, 3),
        error="KeyError",
        message="0",
    )
    why = {"p": "has_type", "scope": "src/train.py", "expr": "x", "type": "ModuleDict"}
    fails = {"p": "fails", "command": "train", "error": "KeyError", "at": "src/train.py::x[0]"}
    for effect, expected in (
        (fails, Mark.CONFIRMED),
        ({**fails, "error": "TypeError"}, Mark.UNVERIFIED),
        ({"p": "fails", "command": "train", "error": "KeyError"}, Mark.UNVERIFIED),
    ):
        said = parse({"because": why, "then": effect})
        world = World(Facts(make_submission(files)), [failure])
        assert mark(said, evaluate(said, world), is_finding=True) is expected
        assert mark(said, evaluate(said, world)) is expected


def test_a_refusal_is_shown_at_a_file_of_the_submission() -> None:
    files = {"src/train.py": _CODE.format(before="pass").replace("../config", "../../gone")}
    answer = evaluate(
        parse({"p": "composes", "command": "train"}), World(Facts(make_submission(files)))
    )
    assert answer.truth == "false"
    assert {one.span for one in answer.witnesses} == {Span("src/train.py", 3)}
