"""Omniglot as few-shot episodes: every character is a class, classes of the three parts never overlap."""

from dataclasses import dataclass
from typing import Iterator, List, Optional

import torch
from torchvision import transforms
from torchvision.datasets import Omniglot

CACHE_DIR = ".cache/"


@dataclass
class Episode:
    """Support and query images with labels 0 … ways-1."""

    support: torch.Tensor
    support_labels: torch.Tensor
    query: torch.Tensor
    query_labels: torch.Tensor

    def to(self, device: torch.device) -> "Episode":
        return Episode(
            self.support.to(device),
            self.support_labels.to(device),
            self.query.to(device),
            self.query_labels.to(device),
        )


@dataclass
class CharacterSets:
    """Per part a tensor of shape (characters, drawings, 1, size, size)."""

    train: torch.Tensor
    val: torch.Tensor
    test: torch.Tensor


def _load_characters(background: bool, size: int, limit: Optional[int]) -> torch.Tensor:
    transform = transforms.Compose(
        [transforms.Resize((size, size), antialias=True), transforms.ToTensor(), transforms.Lambda(lambda x: 1.0 - x)]
    )
    try:
        dataset = Omniglot(root=CACHE_DIR, background=background, download=True, transform=transform)
    except (RuntimeError, OSError) as error:
        raise RuntimeError(f"Omniglot could not be loaded from {CACHE_DIR}") from error

    drawings: dict = {}
    for index in range(len(dataset)):
        image, character = dataset[index]
        if limit is not None and character >= limit:
            break
        drawings.setdefault(int(character), []).append(image)
    counts = {len(images) for images in drawings.values()}
    if len(counts) != 1:
        raise ValueError(f"Expected the same number of drawings for every character, found {sorted(counts)}")
    return torch.stack([torch.stack(drawings[character]) for character in sorted(drawings)])


def load_character_sets(cfg) -> CharacterSets:
    """Load both halves of Omniglot and keep some background characters for validation."""
    size, limit = cfg.dataset.image_size, cfg.limits.characters
    background = _load_characters(True, size, limit)
    held_out = cfg.dataset.validation_characters if limit is None else len(background) // 2
    order = torch.randperm(len(background), generator=torch.Generator().manual_seed(cfg.dataset.split_seed))
    return CharacterSets(
        train=background[order[held_out:]],
        val=background[order[:held_out]],
        test=_load_characters(False, size, limit),
    )


def sample_episodes(
    characters: torch.Tensor,
    episodes: int,
    ways: int,
    shots: int,
    queries: int,
    seed: int,
    rotate: bool = False,
) -> Iterator[Episode]:
    """Yield episodes; the same seed gives the same episodes."""
    if ways > len(characters):
        raise ValueError(f"{ways}-way episodes need at least {ways} characters, got {len(characters)}")
    if shots + queries > characters.shape[1]:
        raise ValueError(f"{shots} shots and {queries} queries exceed {characters.shape[1]} drawings")
    generator = torch.Generator().manual_seed(seed)
    for _ in range(episodes):
        chosen = torch.randperm(len(characters), generator=generator)[:ways]
        support: List[torch.Tensor] = []
        query: List[torch.Tensor] = []
        for character in chosen.tolist():
            drawings = characters[character]
            if rotate:
                quarter = int(torch.randint(4, (1,), generator=generator))
                drawings = torch.rot90(drawings, quarter, dims=(2, 3))
            picked = torch.randperm(drawings.shape[0], generator=generator)[: shots + queries]
            support.append(drawings[picked[:shots]])
            query.append(drawings[picked[shots:]])
        labels = torch.arange(ways)
        yield Episode(
            support=torch.cat(support),
            support_labels=labels.repeat_interleave(shots),
            query=torch.cat(query),
            query_labels=labels.repeat_interleave(queries),
        )
