"""What happened to findings since an earlier attempt, counted in words. `finding_fates.js` and
`finding_fates.css` draw each as a badge.
"""

from collections.abc import Mapping

from dashboard.attempt_comparison import FindingFate

_WORDS = {
    FindingFate.FIXED: "fixed",
    FindingFate.DROPPED: "not repeated",
    FindingFate.UNCHANGED: "unchanged",
    FindingFate.MOVED: "moved",
    FindingFate.NEW: "new",
    FindingFate.RETURNED: "came back",
}


def fate_counts(counts: Mapping[FindingFate, int]) -> list[list[str | int]]:
    """Return name, words and number of each fate that a finding had, what is gone first."""
    return [[str(fate), words, counts[fate]] for fate, words in _WORDS.items() if counts.get(fate)]
