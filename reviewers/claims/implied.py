"""Claims that a review makes without saying them: "it logs only the loss; all metrics (learning
rate, …) are required".
"""

import re
from collections.abc import Iterator

from reviewers.claims.quoting import mask
from reviewers.claims.wording import verb_at, words

ONLY_LOGGED = re.compile(
    r"\b(?:logs?|logged|logging|reports?|tracks?)\b[^.;]*\bonly\b|\bonly\b[^.;]*\b(?:logs?|logged|reported|tracked)\b"
)
_ITEM = re.compile(r"[^,;/()]+")
_NO_ITEM = frozenset(["etc", "etc.", "e.g", "e.g.", "i.e.", "and so on", "…", "..."])
_MOST_WORDS = 4


def implied(requirement: str) -> Iterator[tuple[int, int]]:
    """Yield the things that a requirement lists in brackets, as start and end; none where the
    bracket holds anything else.
    """
    opening = requirement.find("(")
    closing = requirement.find(")", opening)
    if opening < 0 or closing < 0:
        return
    found: list[tuple[int, int]] = []
    for match in _ITEM.finditer(requirement, opening + 1, closing):
        item = match.group().strip()
        if item.casefold() in _NO_ITEM or not item:
            continue
        start = match.start() + len(match.group()) - len(match.group().lstrip())
        found.append((start, start + len(item)))
        if len(words(item)) > _MOST_WORDS or verb_at(mask(item)) is not None:
            return
    if len(found) > 1:
        yield from found
