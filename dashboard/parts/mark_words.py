"""Describes what a mark of the trends counts, for the filter chip of the inbox."""

from reviewers.outcomes.linking import Fate
from reviewers.rubric import category_title
from reviewers.store.trends_marks import BLOCKED, CAUSE, is_mark

_FATES = {
    Fate.PREDICTED: "predicted",
    Fate.MISSED: "not predicted",
    Fate.NOT_REACHABLE: "not predictable from code",
}


def mark_words(mark: str) -> str:
    """Return the words of a mark; an invalid mark is returned as it is."""
    if not is_mark(mark):
        return mark
    word, _, category = mark.partition(":")
    kind, _, number = word.rpartition("-")
    if word == BLOCKED:
        return "a confirmed blocker"
    if word in set(Fate):
        return f"failed in a real run: {category_title(category)}, {_FATES[Fate(word)]}"
    if word == CAUSE:
        return f"a finding of {category}"
    if kind in ("attempt", "before"):
        return f"attempt {number} or later" if kind == "attempt" else f"before attempt {number}"
    if kind == "kept":
        since = (
            "since the first attempt with it"
            if number == "0"
            else f"for {number} attempts and still there"
        )
        return f"{category_title(category)}, {since}"
    return f"a finding {word}"
