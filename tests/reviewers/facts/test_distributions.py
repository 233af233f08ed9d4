"""Guards which distribution an import or a call is said to need."""

import pytest

from reviewers.facts.distributions import distribution_of, installed_with, needs
from reviewers.facts.python_file import PythonFile


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("sklearn", "scikit-learn"),
        ("yaml", "pyyaml"),
        ("torch", "torch"),
        ("huggingface_hub", "huggingface-hub"),
        ("my_lab", None),
    ],
    ids=["other name", "short name", "same name", "underscore", "unknown"],
)
def test_a_module_has_the_distribution_that_brings_it(module: str, name: str | None) -> None:
    assert distribution_of(module) == name


def test_what_a_distribution_certainly_brings_counts_as_installed() -> None:
    installed = installed_with(["seaborn", "peft", "opencv-python-headless"])
    assert {
        "matplotlib",
        "numpy",
        "pillow",
        "accelerate",
        "torch",
        "transformers",
        "opencv-python",
    } <= installed
    assert "scipy" not in installed


def test_an_extra_brings_more_than_its_distribution_alone() -> None:
    assert "accelerate" not in installed_with(["transformers"])
    assert "accelerate" in installed_with(["transformers", "transformers[torch]"])


@pytest.mark.parametrize(
    ("code", "distribution"),
    [
        ('import evaluate\nevaluate.load("rouge")\n', "rouge-score"),
        ('from evaluate import load as load_metric\nload_metric("bertscore")\n', "bert-score"),
        ('Model.from_pretrained("x", device_map="auto")\n', "accelerate"),
        ('Model.from_pretrained("x", device_map={"": 0})\n', "accelerate"),
        (
            "from transformers import BitsAndBytesConfig\nBitsAndBytesConfig(load_in_4bit=True)\n",
            "bitsandbytes",
        ),
        ("from transformers import TrainingArguments\nTrainingArguments()\n", "accelerate"),
        ("frame.to_markdown()\n", "tabulate"),
        ('Model.from_pretrained("x", device_map="auto" if on_gpu else None)\n', "accelerate"),
    ],
    ids=[
        "metric", "renamed", "device map", "device table", "quantised", "trainer", "method", "gpu",
    ],
)  # fmt: skip
def test_a_call_can_need_a_distribution_that_nothing_imports(code: str, distribution: str) -> None:
    assert [need.distribution for need in needs(PythonFile("src/train.py", code))] == [distribution]


@pytest.mark.parametrize(
    "code",
    [
        'import evaluate\nevaluate.load("exact_match")\nevaluate.load(name)\n',
        (
            'Model.from_pretrained("x", device_map=None)\nModel.from_pretrained("x",'
            " device_map=cfg.device_map)\n"
        ),
        'Model.from_pretrained("x", load_in_8bit=False)\n',
        "load('rouge')\n",
    ],
    ids=["other metric", "no or unknown device map", "switched off", "no import"],
)
def test_a_call_that_needs_nothing_or_leaves_it_open_is_passed_over(code: str) -> None:
    assert list(needs(PythonFile("src/train.py", code))) == []
