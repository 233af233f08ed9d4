"""CIFAR-10: download into .cache/, a fixed training/validation split, augmentation, loaders."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from omegaconf import DictConfig
from torch.utils.data import DataLoader, Dataset, Subset
from torchvision import transforms
from torchvision.datasets import CIFAR10

CACHE_DIR = ".cache/"


@dataclass(frozen=True)
class Splits:
    """Three disjoint sets; only `train` is augmented."""

    train: Dataset
    val: Dataset
    test: Dataset


@dataclass(frozen=True)
class Loaders:
    train: DataLoader
    val: DataLoader
    test: DataLoader


def build_transforms(cfg: DictConfig) -> tuple[transforms.Compose, transforms.Compose]:
    """Return the transform for training and the one for validation and test."""
    normalise = transforms.Normalize(mean=list(cfg.dataset.mean), std=list(cfg.dataset.std))
    training = transforms.Compose(
        [
            transforms.RandomCrop(32, padding=cfg.dataset.crop_padding, padding_mode="reflect"),
            transforms.RandomHorizontalFlip(),
            transforms.ToTensor(),
            normalise,
        ]
    )
    plain = transforms.Compose([transforms.ToTensor(), normalise])
    return training, plain


def open_cifar10(train: bool, transform: transforms.Compose) -> CIFAR10:
    """Open one half of CIFAR-10, downloading it once."""
    try:
        return CIFAR10(root=CACHE_DIR, train=train, download=True, transform=transform)
    except (RuntimeError, OSError) as error:
        raise RuntimeError(
            f"CIFAR-10 could not be read from or downloaded to {CACHE_DIR}; remove a partial download and try again"
        ) from error


def load_splits(cfg: DictConfig) -> Splits:
    """Split the official training half once and for all runs; the official test half stays untouched."""
    if cfg.dataset.name != "cifar10":
        raise ValueError(f"unknown data set {cfg.dataset.name!r}")
    training, plain = build_transforms(cfg)
    augmented = open_cifar10(train=True, transform=training)
    unaugmented = open_cifar10(train=True, transform=plain)
    held_out = int(cfg.dataset.validation_examples)
    if not 0 < held_out < len(augmented):
        raise ValueError(f"validation_examples must lie between 1 and {len(augmented) - 1}, not {held_out}")

    generator = torch.Generator().manual_seed(int(cfg.dataset.split_seed))
    order = torch.randperm(len(augmented), generator=generator).tolist()
    return Splits(
        train=Subset(augmented, order[held_out:]),
        val=Subset(unaugmented, order[:held_out]),
        test=open_cifar10(train=False, transform=plain),
    )


def build_loaders(cfg: DictConfig, splits: Splits, seed: int) -> Loaders:
    """Make the loaders of one seed; the order of the training examples depends on the seed alone."""
    shared = {
        "batch_size": int(cfg.training.batch_size),
        "num_workers": int(cfg.dataset.num_workers),
        "pin_memory": torch.cuda.is_available(),
    }
    generator = torch.Generator().manual_seed(seed)
    return Loaders(
        train=DataLoader(splits.train, shuffle=True, drop_last=True, generator=generator, **shared),
        val=DataLoader(splits.val, shuffle=False, **shared),
        test=DataLoader(splits.test, shuffle=False, **shared),
    )
