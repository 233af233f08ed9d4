"""Guards what counts as loading outside the cache, as invented data and as unhandled loading."""

import pytest

from reviewers.records import Finding, ResearchContext, Severity
from tests.builders import SOUND_RUNS, contract
from tests.reviewers.rules.asking import findings

IMPORTS = (
    "import torch\nfrom datasets import load_dataset, Dataset\nfrom torchvision import datasets as"
    " tv\nfrom transformers import AutoTokenizer\nfrom torch.utils.data import TensorDataset\n"
)


def found(rule: str, body: str, **fields: object) -> list[Finding]:
    return findings(rule, {"src/preprocess.py": IMPORTS + body}, **fields)


@pytest.mark.parametrize(
    "body",
    [
        'load_dataset("ag_news", split="train")\n',
        "AutoTokenizer.from_pretrained(cfg.model.name)\n",
        'tv.CIFAR10(root="./data", download=True)\n',
    ],
    ids=["data set", "tokenizer", "torchvision"],
)
def test_a_loader_without_a_cache_directory_is_flagged(body: str) -> None:
    (finding,) = found("DA01", body)
    assert finding.span is not None
    assert finding.span.line == 6


@pytest.mark.parametrize(
    "body",
    [
        'load_dataset("ag_news", cache_dir=cfg.cache_dir)\n',
        "load_dataset(**options)\n",
        'import os\nos.environ["HF_HOME"] = ".cache"\nload_dataset("ag_news")\n',
        'AutoTokenizer.from_pretrained("./checkpoint")\nAutoTokenizer.from_pretrained(best_dir)\n',
        'tv.CIFAR10(root=".cache/cifar")\ntv.CIFAR10(root=cfg.root)\n',
    ],
    ids=["cache_dir", "options", "environment", "local path", "torchvision"],
)
def test_a_loader_that_names_a_cache_or_may_do_so_is_passed_over(body: str) -> None:
    assert found("DA01", body) == []


def test_a_contract_that_asks_for_no_cache_is_respected() -> None:
    assert found("DA01", 'load_dataset("ag_news")\n', contract=contract("ten")) == []


def test_several_loaders_in_a_file_are_one_finding() -> None:
    (finding,) = found("DA01", 'load_dataset("a")\nload_dataset("b")\nload_dataset("c")\n')
    assert [place.span.line for place in finding.further] == [7, 8]


@pytest.mark.parametrize(
    ("body", "severity"),
    [
        ("TensorDataset(torch.randn(9, 3), torch.randint(0, 2, (9,)))\n", Severity.BLOCKER),
        ("def make_dummy_rows(n): return []\nrows = make_dummy_rows(9)\n", Severity.MAJOR),
        ("rows = []  # tiny synthetic corpus so that it runs\n", Severity.MAJOR),
    ],
    ids=["random tensors", "function", "words"],
)
def test_invented_data_is_flagged(body: str, severity: Severity) -> None:
    (finding,) = found("DA02", body)
    assert finding.severity is severity


@pytest.mark.parametrize(
    "body",
    [
        "rows = rows.shuffle()  # random samples from the train split\n",
        "TensorDataset(torch.tensor(rows))\n",
        "dummy_forward(model)\n",
    ],
    ids=["random choice", "real rows", "someone else's function"],
)
def test_ordinary_data_is_not_called_invented(body: str) -> None:
    assert found("DA02", body) == []


def test_research_about_synthetic_data_may_make_its_own() -> None:
    context = ResearchContext(hypothesis={"method": "We study a synthetic regression task."})
    assert found("DA02", "TensorDataset(torch.randn(9, 3))\n", context=context) == []
    runs = {run_id: f"{text}  kind: synthetic\n" for run_id, text in SOUND_RUNS.items()}
    assert found("DA02", "TensorDataset(torch.randn(9, 3))\n", runs=runs) == []


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ('rows = load_dataset("a")\n', 1),
        ('try:\n    load_dataset("a")\nexcept OSError:\n    raise\n', 0),
        ('rows = load_dataset("a")\nassert "text" in rows\n', 0),
        ("rows = open('a')\n", 0),
    ],
    ids=["bare", "try", "assert", "no loader"],
)
def test_loading_without_any_error_handling_is_a_minor_matter(body: str, count: int) -> None:
    assert [finding.severity for finding in found("DA03", body)] == [Severity.MINOR] * count
