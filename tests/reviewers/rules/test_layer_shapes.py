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


NETWORK = """
class Net(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        width = cfg.model.width
        self.body = nn.Sequential(nn.Linear(4, width), nn.ReLU())
        self.read = nn.LSTM(width, 8, bidirectional=True)
        self.head = nn.Linear({size}, 2)

    def forward(self, x, y=None):
        x = torch.relu(self.body(x))
        {line}

def build_model(cfg):
    return Net(cfg)
"""


@pytest.mark.parametrize(
    ("size", "line", "said"),
    [
        ("8", "return self.head(x)", "gives 512 in run"),
        ("8", "x, _ = self.read(x)\n        return self.head(x * 2)", "gives 16"),
        ("8", "return self.head(torch.cat([x, self.body(y)], dim=-1))", "gives 1024 in run"),
        ("8", "if y is None:\n            return self.head(x)\n        return x", "gives 512"),
        ("width", "return self.head(x)", None),
        ("2 * width", "return self.head(torch.cat([x, x], -1))", None),
        ("16", "x, _ = self.read(x)\n        return self.head(x)", None),
        ("8", "return self.head(x.view(-1, 8))", None),
        ("8", "x = mix(x)\n        return self.head(x)", None),
        ("8", "if y is None:\n            x = mix(x)\n        return self.head(x)", None),
        (
            "8",
            "for _ in range(2):\n            z = x\n            x = mix(x)\n        return x",
            None,
        ),
        ("8", "return [self.head(x) for x in mix(x)]", None),
    ],
)
def test_sizes_are_followed_through_forward_with_those_of_the_runs(
    size: str, line: str, said: str | None
) -> None:
    flagged = found("MO14", NETWORK.format(size=size, line=line))
    assert [str(said) in one.message for one in flagged] == ([True] if said else [])
    assert all(
        one.span and "self.head =" in _lines(size, line)[one.span.line or 0] for one in flagged
    )


def _lines(size: str, line: str) -> list[str]:
    return ["", *(HEAD + NETWORK.format(size=size, line=line)).splitlines()]


@pytest.mark.parametrize(
    "more",
    ["net.head = nn.Linear(512, 2)", "class Wide(Net):\n    pass"],
)
def test_a_layer_that_may_be_replaced_is_passed_over(more: str) -> None:
    text = NETWORK.format(size="8", line="return self.head(x)")
    assert found("MO14", f"{text}\ndef change(net):\n    pass\n\n{more}\n") == []


@pytest.mark.parametrize(
    ("expression", "count"),
    [
        ("nn.MultiheadAttention(cfg.model.width, 3)", 1),
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
    model = AutoModel.from_pretrained("gpt2"{})
    {}
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    scaler = torch.cuda.amp.GradScaler({})
    scaler.step(optimizer)
"""


@pytest.mark.parametrize(
    ("kind", "line", "enabled", "count"),
    [
        ("torch.float16", "pass", "", 1),
        ("half()", "pass", "", 1),
        ("to('cuda').to(dtype=torch.bfloat16)", "pass", "", 1),
        ("to('cuda').eval()", "pass", "", 0),
        ("'float16'", "pass", "enabled=True", 1),
        ("torch.float16", "pass", "enabled=False", 0),
        ("torch.bfloat16", "pass", "", 1),
        ("torch.float32", "pass", "", 0),
        ("torch.float16", "model.float()", "", 0),
        ("torch.float16", "model.requires_grad_(False)", "", 0),
        ("torch.float16", "pass", "enabled=cfg.amp", 0),
    ],
    ids=[
        "half",
        "made half",
        "made bfloat16",
        "moved",
        "by name",
        "off",
        "bfloat16",
        "float32",
        "made float",
        "frozen",
        "unknown",
    ],
)
def test_only_trained_half_weights_are_flagged(
    kind: str, line: str, enabled: str, count: int
) -> None:
    how = f").{kind[:-1]}" if kind.endswith(")") else f", torch_dtype={kind}"
    flagged = found("MO17", HALF.format(how, line, enabled), "src/train.py")
    assert len(flagged) == count
    lines = (HEAD + HALF).splitlines()
    shown = [lines[(one.places[0].span.line or 0) - 1].strip() for one in flagged]
    assert shown == ["scaler.step(optimizer)"] * count
