"""The gated network of the proposed method and the plain one that it is compared with."""

import torch
from omegaconf import DictConfig
from torch import nn


class GatedMLP(nn.Module):
    def __init__(self, width: int, hidden: int, classes: int) -> None:
        super().__init__()
        self.gate = nn.Linear(width, hidden)
        self.body = nn.Linear(width, hidden)
        self.head = nn.Linear(hidden, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(torch.sigmoid(self.gate(x)) * torch.relu(self.body(x)))


class PlainMLP(nn.Module):
    def __init__(self, width: int, hidden: int, classes: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, classes))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


def build_model(cfg: DictConfig) -> nn.Module:
    kinds = {"proposed": GatedMLP, "comparative-1": PlainMLP}
    return kinds[cfg.method](cfg.model.width, cfg.model.hidden, cfg.model.classes)
