"""Claims that a review makes without saying them: "it logs only the loss; all metrics (learning
rate, …) are required".
"""

import re

from reviewers.claims.quoting import mask, trimmed
from reviewers.claims.wording import verb_at, words

ONLY_LOGGED = re.compile(
    r"\b(?:logs?|logged|logging|reports?|tracks?)\b[^.;]*\bonly\b|\bonly\b[^.;]*\b(?:logs?|logged|reported|tracked)\b"
)
_ITEM = re.compile(r"[^,;/()]+")
_NO_ITEM = frozenset(["", "etc", "etc.", "e.g", "e.g.", "i.e.", "and so on", "…", "..."])
_MOST_WORDS = 4


def implied(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return where the things stand that a requirement, `text[start:end]`, lists in brackets; none
    where the bracket holds anything else.
    """
    opening = text.find("(", start, end)
    closing = text.find(")", opening, end)
    if opening < 0 or closing < 0:
        return []
    items = [trimmed(text, *each.span()) for each in _ITEM.finditer(text, opening + 1, closing)]
    found = [each for each in items if text[slice(*each)].casefold() not in _NO_ITEM]
    said = [text[slice(*each)] for each in found]
    is_list = all(len(words(each)) <= _MOST_WORDS and verb_at(mask(each)) is None for each in said)
    return found if is_list and len(found) > 1 else []
