"""Guards which values count as standing in for others: not tokens of a vocabulary, not what a run
overwrites, not what the code looks for in order to refuse or to replace it.
"""

import pytest

from reviewers.facts import Facts
from reviewers.facts.placeholders import in_code, stands_in
from reviewers.facts.python_file import PythonFile
from reviewers.rules import find_rule
from tests.builders import SOUND_FILES, contract, with_one_run


@pytest.mark.parametrize(
    "text",
    [
        "DATASET_PLACEHOLDER", "placeholder", "PLACEHOLDER_TO_BE_OVERRIDDEN", "TODO", "CHANGE_ME",
        "<your model>", "<YOUR_ENTITY>", "<model name>", "your-entity", "your_wandb_project",
        "insert your key here", "/path/to/cifar10c", "path/to/model.pt",
    ],
)  # fmt: skip
def test_a_value_that_says_so_stands_in_for_another(text: str) -> None:
    assert stands_in(text)


@pytest.mark.parametrize(
    "text",
    [
        "<pad>", "<|im_start|>", "<start_of_turn>", "<br />", "your answer is wrong", "todo",
        "Usage: python -m src.train --data path/to/data", "data/footpath/to_right", "???", "entity",
    ],
)  # fmt: skip
def test_tokens_sentences_and_ordinary_names_stand_for_themselves(text: str) -> None:
    assert not stands_in(text)


@pytest.mark.parametrize(
    "code",
    [
        'if entity == "your-entity":\n    raise ValueError("name yours")\n',
        'assert "PLACEHOLDER" not in name\n',
        'prompt = text.replace("TODO", question)\n',
        'weights = cfg["placeholder"]\n',
        '"""Data: path/to/data"""\n"path/to/data"\n',
        'name = f"{kind}_PLACEHOLDER"\n',
    ],
    ids=["refused", "asserted", "replaced", "a key", "a remark", "made up"],
)
def test_code_that_looks_for_a_placeholder_leaves_none(code: str) -> None:
    assert list(in_code(PythonFile("src/train.py", code))) == []


def in_main_configuration(added: str, run: str = "proposed") -> list[int | None]:
    submission = with_one_run(
        {"config/config.yaml": SOUND_FILES["config/config.yaml"] + added},
        {run: f"run_id: {run}\ntraining:\n  epochs: 3\nsource: cifar10\n"},
    )
    found = find_rule("IM14")(Facts(submission))
    return [finding.span.line for finding in found if finding.span]


def test_a_default_that_every_run_overwrites_is_no_placeholder_left() -> None:
    assert in_main_configuration("source: DATASET_PLACEHOLDER\n") == []
    assert in_main_configuration("chosen:\n  source: DATASET_PLACEHOLDER\n") == []
    assert len(in_main_configuration("origin: DATASET_PLACEHOLDER\n")) == 1


def test_where_the_contract_wants_placeholders_they_are_no_finding() -> None:
    code = 'DATA = "DATASET_PLACEHOLDER"\n'
    for name, count in (("derived-experiment", 1), ("base-code", 0)):
        submission = with_one_run({"src/preprocess.py": code}, {}, contract=contract(name))
        assert len(list(find_rule("IM14")(Facts(submission)))) == count


def test_a_real_name_beside_a_placeholder_makes_it_a_small_matter() -> None:
    code = 'def build(name):\n    return name in {"cnn", "cnn_placeholder"}\n'
    (finding,) = find_rule("IM14")(Facts(with_one_run({"src/model.py": code})))
    assert finding.severity == "minor"
