"""Guards what is said of sizes, optimisers and float16 weights: only what stands in the code in
numbers, or is certainly so.
"""

import pytest

from reviewers.records import Finding
from tests.reviewers.rules.asking import findings

HEAD = "import torch\nfrom torch import nn\nfrom transformers import AutoModel\n"


def found(rule: str, body: str, file: str = "src/model.py") -> list[Finding]:
    return findings(rule, {file: HEAD + body})


def build(expression: str) -> str:
    return f"def build_model(cfg):\n    width = 8\n    return {expression}\n"


UNFITTING = [
    "nn.Sequential(nn.Linear(4, 8), nn.Linear(16, 2))",
    "nn.Sequential(nn.Linear(4, width), nn.Dropout(0.1), nn.Linear(in_features=9, out_features=2))",
    "nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(32), nn.ReLU())",
    "nn.Sequential(nn.Conv2d(3, 16, 3), nn.MaxPool2d(2), nn.Conv2d(32, 8, 3))",
    "nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(4))",
]
FITTING = [
    "nn.Sequential(nn.Linear(4, width), nn.ReLU(), nn.Linear(8, 2))",
    "nn.Sequential(nn.Linear(4, 8), Split(), nn.Linear(16, 2))",
    "nn.Sequential(nn.Conv2d(3, 16, 3), nn.Flatten(), nn.Linear(400, 2))",
    "nn.Sequential(nn.Linear(4, 8), nn.GLU(), nn.Linear(4, 2))",
    "nn.Sequential(nn.Linear(4, 8), nn.AvgPool1d(2), nn.Linear(4, 2))",
    "nn.Sequential(nn.Linear(4, cfg.width), nn.Linear(16, 2))",
    "nn.Sequential(*[nn.Linear(4, 8), nn.Linear(16, 2)])",
]


@pytest.mark.parametrize("expression", UNFITTING)
def test_neighbours_that_do_not_fit_are_flagged(expression: str) -> None:
    assert len(found("MO14", build(expression))) == 1


@pytest.mark.parametrize("expression", FITTING)
def test_neighbours_that_may_fit_are_passed_over(expression: str) -> None:
    assert found("MO14", build(expression)) == []


@pytest.mark.parametrize(
    ("expression", "count"),
    [
        ("nn.MultiheadAttention(width, 3)", 1),
        ("nn.MultiheadAttention(embed_dim=9, num_heads=3)", 0),
        ("nn.MultiheadAttention(cfg.width, 3)", 0),
        ("nn.TransformerEncoderLayer(d_model=10, nhead=4)", 1),
        ("nn.GroupNorm(8, 20)", 1),
        ("nn.GroupNorm(4, 20)", 0),
    ],
)
def test_widths_must_be_multiples(expression: str, count: int) -> None:
    assert len(found("MO15", build(expression))) == count


FROZEN = """
def train(cfg, model):
    head = model.head
    for p in model.parameters():
        p.requires_grad = False
    {}
    return torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), lr=0.1)
"""


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("rate = 0.1", 1),
        ("model.head = nn.Linear(2, 2)", 0),
        ("head.requires_grad_(True)", 0),
        ("for p in head.parameters():\n        p.requires_grad = True", 0),
        ("model = adapted(model)", 0),
    ],
    ids=["nothing", "new layer", "by another name", "loop", "wrapped"],
)
def test_parameters_that_may_ask_for_gradients_again_are_passed_over(line: str, count: int) -> None:
    assert len(found("MO16", FROZEN.format(line), "src/train.py")) == count


HALF = """
def train(cfg, loader):
    model = AutoModel.from_pretrained("gpt2", torch_dtype={})
    {}
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    scaler = torch.cuda.amp.GradScaler({})
    scaler.step(optimizer)
"""


@pytest.mark.parametrize(
    ("kind", "line", "enabled", "count"),
    [
        ("torch.float16", "pass", "", 1),
        ("'float16'", "pass", "enabled=True", 1),
        ("torch.float16", "pass", "enabled=False", 0),
        ("torch.bfloat16", "pass", "", 1),
        ("torch.float32", "pass", "", 0),
        ("torch.float16", "model.float()", "", 0),
        ("torch.float16", "model.requires_grad_(False)", "", 0),
        ("torch.float16", "pass", "enabled=cfg.amp", 0),
    ],
    ids=["half", "by name", "off", "bfloat16", "float32", "made float", "frozen", "unknown"],
)
def test_only_trained_half_weights_are_flagged(
    kind: str, line: str, enabled: str, count: int
) -> None:
    assert len(found("MO17", HALF.format(kind, line, enabled), "src/train.py")) == count
