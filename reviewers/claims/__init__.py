"""Claims: cut them out of a review's free text, find their place, and check each against the same facts as the rules."""

from reviewers.claims.check import check_text
from reviewers.claims.missed import missed_blockers

__all__ = ["check_text", "missed_blockers"]
