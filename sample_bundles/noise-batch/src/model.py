"""TextCNN, the gradient noise monitor and the two batch-size controllers."""

import math
from typing import List, Sequence

import torch
import torch.nn as nn
import torch.nn.functional as F


class TextCNN(nn.Module):
    """Convolutional sentence classifier with max-over-time pooling."""

    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int,
        filters: int,
        kernel_sizes: Sequence[int],
        num_classes: int,
        dropout: float,
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary_size, embedding_dim, padding_idx=0)
        self.convolutions = nn.ModuleList(
            [nn.Conv1d(embedding_dim, filters, size, padding=size // 2) for size in kernel_sizes]
        )
        self.dropout = nn.Dropout(dropout)
        self.classifier = nn.Linear(filters * len(kernel_sizes), num_classes)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        embedded = self.dropout(self.embedding(tokens)).transpose(1, 2)
        pooled = [F.relu(convolution(embedded)).amax(dim=2) for convolution in self.convolutions]
        return self.classifier(self.dropout(torch.cat(pooled, dim=1)))


def build_model(cfg, vocabulary_size: int) -> TextCNN:
    if cfg.model.name != "textcnn":
        raise ValueError(f"Unknown model '{cfg.model.name}'")
    return TextCNN(
        vocabulary_size=vocabulary_size,
        embedding_dim=cfg.model.embedding_dim,
        filters=cfg.model.filters,
        kernel_sizes=list(cfg.model.kernel_sizes),
        num_classes=cfg.dataset.num_classes,
        dropout=cfg.model.dropout,
    )


class NoiseMonitor:
    """Running estimate of the simple gradient noise scale tr(Sigma) / |G|^2.

    The squared norm of a gradient over B examples has the expectation |G|^2 + tr(Sigma) / B. Two batch sizes,
    one micro-batch and the whole accumulated batch, therefore give two equations for the two unknowns.
    """

    def __init__(self, decay: float):
        self.decay = decay
        self.signal = 0.0
        self.noise = 0.0
        self.updates = 0

    def update(self, small_norm_sq: float, big_norm_sq: float, small: int, big: int) -> None:
        if big <= small:
            return
        signal = (big * big_norm_sq - small * small_norm_sq) / (big - small)
        noise = (small_norm_sq - big_norm_sq) / (1.0 / small - 1.0 / big)
        self.signal = self.decay * self.signal + (1.0 - self.decay) * signal
        self.noise = self.decay * self.noise + (1.0 - self.decay) * noise
        self.updates += 1

    @property
    def scale(self) -> float:
        """Noise scale in examples; NaN before the first update and where the signal drowns."""
        if self.updates == 0 or self.signal <= 0.0:
            return math.nan
        return max(self.noise, 0.0) / self.signal


class FixedBatch:
    """The same number of micro-batches in every step."""

    def __init__(self, initial: int):
        self.count = initial

    def next_count(self, scale: float) -> int:
        return self.count


class NoiseScaledBatch:
    """As many micro-batches as cover a fraction of the noise scale, growing by a bounded factor."""

    def __init__(
        self,
        initial: int,
        minimum: int,
        maximum: int,
        growth_limit: float,
        fraction: float,
        micro_batch_size: int,
    ):
        self.count = initial
        self.minimum = minimum
        self.maximum = maximum
        self.growth_limit = growth_limit
        self.fraction = fraction
        self.micro_batch_size = micro_batch_size

    def next_count(self, scale: float) -> int:
        if math.isnan(scale):
            return self.count
        wanted = self.fraction * scale / self.micro_batch_size
        ceiling = math.ceil(self.count * self.growth_limit)
        floor = math.floor(self.count / self.growth_limit)
        bounded = min(max(round(wanted), floor), ceiling)
        self.count = int(min(max(bounded, self.minimum), self.maximum))
        return self.count


def build_controller(cfg):
    micro = cfg.method.micro_batches
    if cfg.method.name == "fixed-batch":
        return FixedBatch(micro.initial)
    if cfg.method.name == "noise-batch":
        return NoiseScaledBatch(
            initial=micro.initial,
            minimum=micro.minimum,
            maximum=micro.maximum,
            growth_limit=micro.growth_limit,
            fraction=cfg.method.noise.fraction,
            micro_batch_size=cfg.training.micro_batch_size,
        )
    raise ValueError(f"Unknown method '{cfg.method.name}'")


def squared_norm(gradients: List[torch.Tensor]) -> float:
    return float(sum(gradient.pow(2).sum() for gradient in gradients))
