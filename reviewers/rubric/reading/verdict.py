"""The rule by which a prompt calls a submission ready."""

import re
from typing import Any

from reviewers.rubric.reading.outline import PromptStatement

_EVERY = re.compile(
    r"\b(?:all|every|each)(?:\s+(?:of|one|single|the|these|those|its|our|following))*"
    r"\s+(?:criteri\w+|requirements?|conditions?|demands?)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:no|not|never|need|needn|most|optional\w*|may|might|rather)\b|n['’]t\b", re.IGNORECASE
)
_HOLDS = re.compile(
    r"\b(?:meets?|met|satisf\w+|fulfil\w*|holds?|must|pass(?:es|ed)?)\b", re.IGNORECASE
)


def read_ready(statements: list[PromptStatement]) -> dict[str, Any]:
    """Return when a submission counts as ready: whether every criterion must hold."""
    sentences = (
        sentence for each in statements for sentence in re.split(r"(?<=[.!?])\s+", each.text)
    )
    every = any(
        _EVERY.search(sentence) and _HOLDS.search(sentence) and not _DENIES.search(sentence)
        for sentence in sentences
    )
    return {"every_criterion": True} if every else {}
