"""AG News: download, word-level vocabulary from the training part only, padded batches."""

import re
from collections import Counter
from typing import Dict, List, Tuple

import torch
from datasets import Dataset, DatasetDict, load_dataset
from torch.utils.data import DataLoader

CACHE_DIR = ".cache/"
PAD, UNKNOWN = 0, 1
_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")


def words_of(text: str) -> List[str]:
    return _WORD.findall(text.lower())


def build_vocabulary(texts: List[str], size: int) -> Dict[str, int]:
    counts = Counter(word for text in texts for word in words_of(text))
    if not counts:
        raise ValueError("The training texts contain no words")
    kept = [word for word, _ in counts.most_common(size - 2)]
    return {word: index for index, word in enumerate(kept, start=2)}


def encode(text: str, vocabulary: Dict[str, int], max_length: int) -> List[int]:
    tokens = [vocabulary.get(word, UNKNOWN) for word in words_of(text)[:max_length]]
    return tokens or [UNKNOWN]


def _collate(rows: List[Dict]) -> Tuple[torch.Tensor, torch.Tensor]:
    longest = max(len(row["tokens"]) for row in rows)
    tokens = torch.full((len(rows), max(longest, 5)), PAD, dtype=torch.long)
    for position, row in enumerate(rows):
        tokens[position, : len(row["tokens"])] = torch.tensor(row["tokens"], dtype=torch.long)
    labels = torch.tensor([row["label"] for row in rows], dtype=torch.long)
    return tokens, labels


def _load_corpus(name: str) -> DatasetDict:
    try:
        return load_dataset(name, cache_dir=CACHE_DIR)
    except (OSError, ValueError) as error:
        raise RuntimeError(f"Could not load data set '{name}' (cache: {CACHE_DIR})") from error


def _shorten(dataset: Dataset, limit) -> Dataset:
    if limit is None:
        return dataset
    return dataset.shuffle(seed=0).select(range(min(int(limit), len(dataset))))


def build_loaders(cfg) -> Tuple[DataLoader, DataLoader, DataLoader, int]:
    """Return the training, validation and test loaders and the size of the vocabulary."""
    corpus = _load_corpus(cfg.dataset.name)
    for split in ("train", "test"):
        missing = {"text", "label"} - set(corpus[split].column_names)
        if missing:
            raise ValueError(f"Split '{split}' of '{cfg.dataset.name}' lacks the columns {sorted(missing)}")

    parts = _shorten(corpus["train"], cfg.limits.corpus).train_test_split(
        test_size=cfg.dataset.validation_fraction, seed=cfg.training.seed
    )
    test = _shorten(corpus["test"], cfg.limits.corpus)
    vocabulary = build_vocabulary(list(parts["train"]["text"]), cfg.dataset.vocabulary_size)

    def tokenise(row: Dict) -> Dict:
        return {"tokens": encode(row["text"], vocabulary, cfg.dataset.max_length)}

    train_set = parts["train"].map(tokenise, remove_columns=["text"])
    val_set = parts["test"].map(tokenise, remove_columns=["text"])
    test_set = test.map(tokenise, remove_columns=["text"])

    generator = torch.Generator().manual_seed(cfg.training.seed)
    size = cfg.training.micro_batch_size
    train_loader = DataLoader(
        train_set, batch_size=size, shuffle=True, drop_last=True, collate_fn=_collate, generator=generator
    )
    val_loader = DataLoader(val_set, batch_size=4 * size, shuffle=False, collate_fn=_collate)
    test_loader = DataLoader(test_set, batch_size=4 * size, shuffle=False, collate_fn=_collate)
    return train_loader, val_loader, test_loader, len(vocabulary) + 2
