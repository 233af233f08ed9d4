"""Hourly water levels of one gauge, made of six tidal constituents and weather."""

import numpy as np
import torch

HOURS = {"M2": 12.4206, "S2": 12.0, "N2": 12.6583, "K1": 23.9345, "O1": 25.8193, "P1": 24.0659}


def levels(hours: int, surge: float, seed: int) -> torch.Tensor:
    """Return `hours` levels in metres; `surge` is the weather's share of the tide's."""
    random = np.random.default_rng(seed)
    time = np.arange(hours)
    tide = sum(
        random.uniform(0.1, 1.2) * np.cos(2 * np.pi * time / period + random.uniform(0, 6.28))
        for period in HOURS.values()
    )
    weather = np.convolve(random.normal(size=hours), np.ones(36) / 36, mode="same")
    return torch.tensor(tide + surge * weather, dtype=torch.float32)


def windows(series: torch.Tensor, past: int, ahead: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return every stretch of `past` hours with the level `ahead` hours after it."""
    stretches = series.unfold(0, past + ahead, 1)
    return stretches[:, :past], stretches[:, -1:]
