"""Leaves out what a text repeats of other texts that are shown beside it."""

import re

_WORD = re.compile(r"\w[\w.]*")
# Words that say nothing of their own, those of the fact check's own tally among them.
_FILLERS = """a an and are as at be been but by checked code confirmed do does file files for from
had has have if in is it its no not of on one or part parts refuted since so than that the then
there this to unverified was were which while with"""
_FILLER_WORDS = frozenset(_FILLERS.split())
_KNOWN = 2 / 3
"""The share of known words from which on a clause is a repetition; judged by eye on the evidence of
200 findings.
"""


def without_repetition(text: str, *beside: str) -> str:
    """Return the clauses of a text (parted by `; ` or a line break) that add something to the texts
    beside it.
    """
    known = {word for each in beside for word in _words(each)}
    kept = []
    for clause in re.split(r"; |\n", text):
        words = _words(clause)
        if len(words & known) < _KNOWN * len(words):
            kept.append(clause.strip())
            known |= words
    return "; ".join(kept)


def _words(text: str) -> set[str]:
    """The words that count; a number of something is no news."""
    return {
        word.rstrip(".")
        for word in _WORD.findall(text.casefold())
        if word not in _FILLER_WORDS and not word.isdigit()
    }
