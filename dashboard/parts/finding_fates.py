"""What happened to findings since an earlier attempt, counted; `finding_fates.js` has the same
words.
"""

from collections.abc import Mapping

from dashboard.attempt_comparison import FindingFate

_WORDS = {
    FindingFate.FIXED: "fixed",
    FindingFate.DROPPED: "gone",
    FindingFate.UNCHANGED: "stayed",
    FindingFate.MOVED: "moved",
    FindingFate.NEW: "came",
    FindingFate.RETURNED: "came back",
}


def fate_counts(counts: Mapping[FindingFate, int]) -> list[list[str | int]]:
    """Return name, words and count of each fate that occurs; resolved ones first."""
    return [[str(fate), words, counts[fate]] for fate, words in _WORDS.items() if counts.get(fate)]
