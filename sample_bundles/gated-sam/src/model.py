"""The network, and the two ways of taking a sharpness-aware step: always, or when the gate says so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import torch
import torch.nn as nn
import torch.nn.functional as F
from omegaconf import DictConfig


class BasicBlock(nn.Module):
    """Two 3x3 convolutions with a shortcut; the shortcut is projected where the shape changes."""

    def __init__(self, in_channels: int, out_channels: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride=stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        if stride == 1 and in_channels == out_channels:
            self.shortcut: nn.Module = nn.Identity()
        else:
            self.shortcut = nn.Sequential(
                nn.Conv2d(in_channels, out_channels, 1, stride=stride, bias=False),
                nn.BatchNorm2d(out_channels),
            )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = F.relu(self.norm1(self.conv1(x)))
        hidden = self.norm2(self.conv2(hidden))
        return F.relu(hidden + self.shortcut(x))


class SmallResNet(nn.Module):
    """A CIFAR residual network; three stages of two blocks give fourteen weighted layers."""

    def __init__(self, widths: list[int], blocks_per_stage: int, num_classes: int) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, widths[0], 3, padding=1, bias=False),
            nn.BatchNorm2d(widths[0]),
            nn.ReLU(inplace=True),
        )
        blocks: list[nn.Module] = []
        channels = widths[0]
        for stage, width in enumerate(widths):
            for block in range(blocks_per_stage):
                stride = 2 if stage > 0 and block == 0 else 1
                blocks.append(BasicBlock(channels, width, stride))
                channels = width
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(channels, num_classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.blocks(self.stem(x))
        return self.head(hidden.mean(dim=(2, 3)))


def build_model(cfg: DictConfig) -> SmallResNet:
    """Build the network that the run names."""
    if cfg.model.name != "resnet-14":
        raise ValueError(f"unknown model {cfg.model.name!r}")
    return SmallResNet(list(cfg.model.widths), int(cfg.model.blocks_per_stage), int(cfg.model.num_classes))


class Gate(Protocol):
    def opens(self, predicted_rise: float) -> bool:
        """Say whether this step pays for the second gradient."""


class OpenGate:
    """Plain SAM: every step pays."""

    def opens(self, predicted_rise: float) -> bool:
        return True


class SharpnessGate:
    """Open where the predicted rise of the loss exceeds its own running mean.

    To first order the loss rises by rho * ||g|| within the neighbourhood, and ||g|| is known after the
    first gradient, so the prediction costs nothing. After `max_skip` closed steps the gate opens anyway.
    """

    def __init__(self, warmup_steps: int, decay: float, margin: float, max_skip: int) -> None:
        self.warmup_steps = warmup_steps
        self.decay = decay
        self.margin = margin
        self.max_skip = max_skip
        self.mean_rise: float | None = None
        self.steps = 0
        self.skipped = 0

    def opens(self, predicted_rise: float) -> bool:
        previous = predicted_rise if self.mean_rise is None else self.mean_rise
        self.mean_rise = self.decay * previous + (1.0 - self.decay) * predicted_rise
        self.steps += 1
        steeper = predicted_rise > self.margin * previous
        if self.steps <= self.warmup_steps or steeper or self.skipped >= self.max_skip:
            self.skipped = 0
            return True
        self.skipped += 1
        return False


def build_gate(cfg: DictConfig) -> Gate:
    """Build the gate of the run's method."""
    if cfg.method.name == "sam":
        return OpenGate()
    if cfg.method.name == "gated-sam":
        gate = cfg.method.gate
        return SharpnessGate(int(gate.warmup_steps), float(gate.decay), float(gate.margin), int(gate.max_skip))
    raise ValueError(f"unknown method {cfg.method.name!r}")


@dataclass(frozen=True)
class Step:
    """What one update did; `rise` is the measured rise of the loss, None where it was not measured."""

    loss: float
    correct: int
    gradients: int
    rise: float | None


def gradient_norm(model: nn.Module) -> torch.Tensor:
    norms = [parameter.grad.norm() for parameter in model.parameters() if parameter.grad is not None]
    return torch.stack(norms).norm()


@contextmanager
def ascended(model: nn.Module, rho: float, norm: torch.Tensor) -> Iterator[None]:
    """Move the weights rho up the gradient, and put the very same weights back."""
    kept: list[tuple[nn.Parameter, torch.Tensor]] = []
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.grad is not None:
                kept.append((parameter, parameter.detach().clone()))
                parameter.add_(parameter.grad * (rho / (norm + 1e-12)))
    try:
        yield
    finally:
        with torch.no_grad():
            for parameter, weights in kept:
                parameter.copy_(weights)


@contextmanager
def frozen_statistics(model: nn.Module) -> Iterator[None]:
    """Keep batch normalisation from learning the statistics of the moved weights."""
    layers = [module for module in model.modules() if isinstance(module, nn.BatchNorm2d)]
    momenta = [layer.momentum for layer in layers]
    for layer in layers:
        layer.momentum = 0.0
    try:
        yield
    finally:
        for layer, momentum in zip(layers, momenta):
            layer.momentum = momentum


def sharpness_aware_step(
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    gate: Gate,
    images: torch.Tensor,
    labels: torch.Tensor,
    rho: float,
    label_smoothing: float,
) -> Step:
    """Update the weights once, with the gradient at the moved weights where the gate opens."""
    optimiser.zero_grad(set_to_none=True)
    logits = model(images)
    loss = F.cross_entropy(logits, labels, label_smoothing=label_smoothing)
    loss.backward()
    norm = gradient_norm(model)
    correct = int((logits.argmax(dim=1) == labels).sum())

    if not gate.opens(rho * norm.item()):
        optimiser.step()
        return Step(loss=loss.item(), correct=correct, gradients=1, rise=None)

    with ascended(model, rho, norm), frozen_statistics(model):
        optimiser.zero_grad(set_to_none=True)
        moved_loss = F.cross_entropy(model(images), labels, label_smoothing=label_smoothing)
        moved_loss.backward()
    optimiser.step()
    return Step(loss=loss.item(), correct=correct, gradients=2, rise=moved_loss.item() - loss.item())
