"""Guards what is said of adapters: which targets PEFT refuses, and where it was configured right,
or nothing certain can be told.
"""

from collections.abc import Mapping

import pytest

from reviewers.records import Finding, Severity
from tests.builders import SOUND_RUNS
from tests.reviewers.rules.asking import findings

HEAD = """
import torch
from peft import LoraConfig, get_peft_model
from torch import nn
from transformers import AutoModel
"""
ADAPTED = """
def build_model(cfg):
    model = AutoModel.from_pretrained({}, cache_dir=".cache/")
    return get_peft_model(model, LoraConfig(target_modules={}))
"""


def found(rule: str, model: str, runs: Mapping[str, str] | None = None) -> list[Finding]:
    return findings(rule, {"src/model.py": HEAD + model}, runs)


WRONG = {
    "block": ("'roberta-base'", "['query', 'output']", "blocker", "is a block of roberta"),
    "other architecture": (
        "'gpt2'",
        "['q_proj', 'v_proj']",
        "blocker",
        "gpt2 has no module called `q_proj`, `v_proj`",
    ),
    "layer norm": (
        "'bert-base-uncased'",
        "['query', 'LayerNorm']",
        "blocker",
        "Target module … is not supported",
    ),
    "some": (
        "'meta-llama/Llama-2-7b-hf'",
        "['q_proj', 'query_key_value']",
        "minor",
        "passes over without a word",
    ),
    "dotted": (
        "'distilbert-base-uncased'",
        "['attention.q_proj']",
        "blocker",
        "not found in the base model",
    ),
    "one word": ("'bert-base-uncased'", "'query'", "blocker", "regular expression"),
    "comma": ("'meta-llama/Llama-2-7b-hf'", "'q_proj,v_proj'", "blocker", "regular expression"),
}
RIGHT = {
    "layers": ("'roberta-base'", "['query', 'value', 'dense']"),
    "conv1d": ("'gpt2'", "['c_attn', 'c_proj']"),
    "all": ("'gpt2'", "'all-linear'"),
    "expression": ("'bert-base-uncased'", "r'.*(query|value)'"),
    "embedding": ("'bert-base-uncased'", "['word_embeddings']"),
    "dotted": ("'bert-base-uncased'", "['attention.output.dense']"),
    "unknown model": ("'someone/model'", "['nothing']"),
    "code from the hub": (
        "'microsoft/Phi-3-mini-4k-instruct', trust_remote_code=True",
        "['query_key_value']",
    ),
    "unknown names": ("'gpt2'", "cfg.nothing.known"),
}


@pytest.mark.parametrize(("model", "targets", "severity", "said"), WRONG.values(), ids=WRONG)
def test_targets_that_the_architecture_lacks_are_flagged(
    model: str, targets: str, severity: str, said: str
) -> None:
    (finding,) = found("MO06", ADAPTED.format(model, targets))
    assert finding.severity is Severity(severity)
    assert said in finding.message


@pytest.mark.parametrize(("model", "targets"), RIGHT.values(), ids=RIGHT)
def test_targets_that_may_be_layers_are_passed_over(model: str, targets: str) -> None:
    assert found("MO06", ADAPTED.format(model, targets)) == []


def test_targets_may_be_layers_of_ones_own() -> None:
    own = (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n       "
        " self.q_proj = nn.Linear(2, 2)\n"
    )
    assert found("MO06", own + ADAPTED.format("'gpt2'", "['q_proj']")) == []
    assert found("MO07", own + PICKING.format(PICKED)) == []


def test_targets_of_a_run_config_are_flagged_there_once_a_run() -> None:
    runs = {
        run_id: f"{text}lora:\n  # which\n  target_modules:\n    - query\n    - output\n"
        for run_id, text in SOUND_RUNS.items()
    }
    findings = found(
        "MO06", ADAPTED.format("'roberta-base'", "list(cfg.lora.target_modules)"), runs
    )
    assert len(findings) == len(runs)
    for finding, text in zip(findings, runs.values(), strict=True):
        assert text.splitlines()[(finding.span.line or 0) - 1] == "    - output"


PICKING = """
def build_model(cfg):
    model = AutoModel.from_pretrained("distilbert-base-uncased")
    {}
    return model
"""


PICKED = "for n, m in model.named_modules():\n        if any(t in n for t in ['q_proj']): pass"


@pytest.mark.parametrize(
    ("loop", "count"),
    [
        (PICKED, 1),
        (
            (
                "for n, m in list(model.named_modules()):\n        if any(n.endswith(t) for t in"
                " ('q_proj',)): pass"
            ),
            1,
        ),
        (
            (
                "for n, m in model.named_modules():\n        if any(t in n for t in ['q_proj',"
                " 'q_lin']): pass"
            ),
            0,
        ),
        (
            (
                "for n, m in model.named_modules():\n        if any(t in n for t in ['attention.q',"
                " 'layer.0']): pass"
            ),
            0,
        ),
        (
            (
                "for n, p in model.named_parameters():\n        if any(t in n for t in ['q_proj']):"
                " pass"
            ),
            0,
        ),
        (
            "for n, m in model.named_modules():\n        if any(t in n for t in cfg.nothing): pass",
            0,
        ),
    ],
    ids=["in", "endswith", "one fits", "parts", "parameters", "unknown"],
)
def test_a_loop_that_picks_no_layer_is_flagged(loop: str, count: int) -> None:
    assert len(found("MO07", PICKING.format(loop))) == count


@pytest.mark.parametrize(
    ("use", "count"),
    [
        ("m.lora_A[0].weight", 1),
        ("m.lora_B.weight", 1),
        ("m.lora_A['default'].weight", 0),
        ("m.lora_A[name]", 0),
        ("m.lora_A.keys()", 0),
    ],
)
def test_an_adapters_weights_go_by_its_name(use: str, count: int) -> None:
    assert (
        len(found("MO08", f"def build_model(cfg):\n    for m in cfg:\n        x = {use}\n"))
        == count
    )


def test_layers_of_ones_own_may_go_by_pefts_names() -> None:
    own = (
        "class Lora(nn.Module):\n    def __init__(self):\n        super().__init__()\n       "
        " self.lora_A = nn.Linear(2, 2)\n"
    )
    assert found("MO08", own + "def build_model(cfg):\n    return Lora().lora_A.weight\n") == []
