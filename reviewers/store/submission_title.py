"""A one-line title by which a person recognises a submission."""

import json
import re

from reviewers.records import ResearchContext

_LONGEST = 100
_LOOKED_AT = 100_000
_LIST_MARK = re.compile(r"^(?:[#*>•\-\s]+|\(?\d+[.)]\s+)+")
_NEXT_POINT = re.compile(r"\s+\(?1[.)]\s")


def title(context: ResearchContext, run_ids: tuple[str, ...]) -> str:
    """Return the first words of the method, of the hypothesis if there is none, and the run ids
    where there is neither.
    """
    hypothesis = context.hypothesis
    for text in (context.method, hypothesis.get("method"), *hypothesis.values()):
        if words := _first_words(text or ""):
            return _shortened(words)
    return _shortened(", ".join(run_ids[:20]))


def _first_words(text: str) -> str:
    """The first line with anything in it, without list marks, up to where its points begin."""
    for line in _prose(text[:_LOOKED_AT]).splitlines():
        if words := _NEXT_POINT.split(_LIST_MARK.sub("", line), maxsplit=1)[0].strip():
            return " ".join(words.split())
    return ""


def _prose(text: str) -> str:
    """Older logs hold the whole idea as a JSON object in place of the method."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        idea = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return text.lstrip('{" \t\r\n')
    parts = {key.casefold(): part for key, part in idea.items() if isinstance(part, str)}
    return next(
        (part for key, part in parts.items() if "method" in key), next(iter(parts.values()), "")
    )


def _shortened(words: str) -> str:
    if len(words) <= _LONGEST:
        return words
    return words[:_LONGEST].rsplit(" ", 1)[0] + " …"
