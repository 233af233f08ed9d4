"""Fits a network that tells the level some hours ahead, with or without known tidal phases."""

import argparse
import json
import math
from pathlib import Path

import torch
from torch import nn

from gauge import HOURS, levels, windows

RUNS = {
    "plain": {"phases": False, "past": 48, "ahead": 6, "lr": 1e-3, "epochs": 40},
    "phased": {"phases": True, "past": 48, "ahead": 6, "lr": 1e-3, "epochs": 40},
}


class Forecaster(nn.Module):
    """Two layers over the past levels, and the tidal phases where they are given."""

    def __init__(self, past: int, phases: bool) -> None:
        super().__init__()
        self.phases = phases
        self.hidden = nn.Linear(past + (2 * len(HOURS) if phases else 0), 64)
        self.out = nn.Linear(64, 1)

    def forward(self, past: torch.Tensor, hour: torch.Tensor) -> torch.Tensor:
        if self.phases:
            turns = [2 * math.pi * hour / period for period in HOURS.values()]
            past = torch.cat([past, *(f(turn) for turn in turns for f in (torch.sin, torch.cos))], 1)
        return self.out(torch.relu(self.hidden(past)))


def fit(settings: dict, quick: bool) -> dict:
    series = levels(24 * 400, surge=0.4, seed=7)
    past, target = windows(series, settings["past"], settings["ahead"])
    hour = torch.arange(len(past), dtype=torch.float32).unsqueeze(1)
    cut = int(0.8 * len(past))
    model = Forecaster(settings["past"], settings["phases"])
    optimizer = torch.optim.Adam(model.parameters(), lr=settings["lr"])
    history = []
    for epoch in range(1 if quick else settings["epochs"]):
        model.train()
        for batch in torch.randperm(cut).split(256):
            loss = nn.functional.mse_loss(model(past[batch]), target[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            error = nn.functional.l1_loss(model(past[cut:], hour[cut:]), target[cut:]).item()
        history.append({"epoch": epoch, "mae_m": error})
    return {"history": history, "mae_m": history[-1]["mae_m"]}


def main() -> None:
    words = argparse.ArgumentParser()
    words.add_argument("--config", choices=sorted(RUNS), required=True)
    words.add_argument("--out", type=Path, required=True)
    words.add_argument("--quick", action="store_true")
    given = words.parse_args()
    result = fit(RUNS[given.config], given.quick)
    folder = given.out / given.config
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "result.json").write_text(json.dumps(result))


if __name__ == "__main__":
    main()
