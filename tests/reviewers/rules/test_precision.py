"""Guards what is said of float16 weights: only of those that a GradScaler certainly trains."""

import pytest

from tests.reviewers.rules.asking import findings

HEAD = "import torch\nfrom transformers import AutoModel\n"
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
    flagged = findings("MO17", {"src/train.py": HEAD + HALF.format(how, line, enabled)})
    assert len(flagged) == count
    lines = (HEAD + HALF).splitlines()
    shown = [lines[(one.places[0].span.line or 0) - 1].strip() for one in flagged]
    assert shown == ["scaler.step(optimizer)"] * count
