"""Loads AG News as bags of hashed words."""

import torch
from datasets import load_dataset
from omegaconf import DictConfig
from torch.utils.data import DataLoader, TensorDataset

CACHE_DIR = ".cache/"


def encode(texts: list[str], width: int) -> torch.Tensor:
    rows = torch.zeros(len(texts), width)
    for row, text in zip(rows, texts, strict=True):
        for word in text.lower().split():
            row[sum(word.encode()) % width] += 1.0
    return rows


def build_loaders(cfg: DictConfig) -> tuple[DataLoader, DataLoader]:
    try:
        data = load_dataset(cfg.dataset.name, cache_dir=CACHE_DIR)
    except (OSError, ValueError) as error:
        raise RuntimeError(f"cannot load {cfg.dataset.name}") from error
    loaders = []
    for split in ("train", "test"):
        rows = data[split]
        features = encode(list(rows["text"]), cfg.model.width)
        labels = torch.tensor(list(rows["label"]))
        loaders.append(DataLoader(TensorDataset(features, labels), batch_size=cfg.training.batch_size, shuffle=split == "train"))
    return loaders[0], loaders[1]
