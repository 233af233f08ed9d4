"""SST-2 from GLUE, tokenised."""

from datasets import load_dataset
from transformers import AutoTokenizer

CACHE = ".cache/"


def get_tokenizer(settings):
    return AutoTokenizer.from_pretrained(settings.model.name, cache_dir=CACHE)


def get_splits(settings, tokenizer):
    try:
        splits = load_dataset(settings.dataset.name, settings.dataset.config, cache_dir=CACHE)
    except (OSError, ConnectionError) as error:
        raise RuntimeError(f"{settings.dataset.name} cannot be loaded") from error

    def encode(rows):
        return tokenizer(
            rows[settings.dataset.text_column],
            truncation=True,
            max_length=settings.model.max_length,
        )

    return splits["train"].map(encode, batched=True), splits["validation"].map(encode, batched=True)
