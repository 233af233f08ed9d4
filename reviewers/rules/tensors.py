"""Rules for criterion 4: the number formats and devices of tensors."""

from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.config_flow.tensors import REFUSALS
from reviewers.rules.base import Flag, rule
from reviewers.rules.data_sets import problem_flags


@rule(
    id="MO23",
    category="tensor-or-runtime",
    severity="blocker",
    stops="",
    summary="torch refuses a tensor for its device or its number format",
    example="""
          === src/train.py
          import hydra
          import torch
          from torch import nn
          from torch.nn import functional as F

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              device = torch.device("cuda")
              model = nn.Linear(8, 2).to(device)
        -     features = torch.randn(4, 8)
        -     logits = model(features)  # flag: MO23
        +     features = torch.randn(4, 8, device=device)
        +     logits = model(features)
              labels = torch.zeros(4, dtype=torch.long, device=device)
              loss = F.cross_entropy(logits, labels)
        -     return loss, (logits.argmax(-1) == labels).mean()  # flag: MO23
        +     return loss, (logits.argmax(-1) == labels).float().mean()
    """,
)
def refused_tensor(facts: Facts) -> Iterator[Flag]:
    """Torch moves and converts nothing by itself: it raises an error where two tensors are on two
    devices, or of number formats that do not go together. Only what is known of both sides counts,
    followed from where they are made; that there is a GPU is taken for granted.
    """
    for cause, row in REFUSALS.items():
        if "rule" in row:
            continue  # another rule tells of it
        yield from problem_flags(facts, cause, row["remedy"])
