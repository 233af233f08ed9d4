"""What happened when a submission was really run, and who predicted it."""

from reviewers.outcomes.category import ENVIRONMENT, category_of
from reviewers.outcomes.failure import Form, Frame, RunFailure
from reviewers.outcomes.fix import Fix
from reviewers.outcomes.linking import Fate, LinkedFailure, link, link_fix
from reviewers.outcomes.outcome import Outcome, Stage, outcome_of_fix, outcome_of_run
from reviewers.outcomes.place import place_of
from reviewers.outcomes.reading import read_failure
from reviewers.outcomes.scoreboard import Score, ScoredVerdict, scores

__all__ = [
    "ENVIRONMENT", "Fate", "Fix", "Form", "Frame", "LinkedFailure", "Outcome", "RunFailure",
    "Score", "ScoredVerdict", "Stage", "category_of", "link", "link_fix", "outcome_of_fix",
    "outcome_of_run", "place_of", "read_failure", "scores",
]  # fmt: skip
