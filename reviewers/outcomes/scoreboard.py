"""How often each reviewer predicted what really happened, and how often it said not ready about a
submission that ran.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

from reviewers.agreement import Interval, wilson
from reviewers.outcomes.linking import Fate, LinkedFailure
from reviewers.records import Verdict


@dataclass(frozen=True, slots=True)
class ScoredVerdict:
    """A verdict on one submission and the result of its real run.

    Attributes:
        verdict: None for a failed review, which does not count.
        failed: whether the run failed; None if unknown.
    """

    reviewer: str
    verdict: Verdict | None
    failed: bool | None


@dataclass(frozen=True, slots=True)
class Score:
    """The totals of one reviewer.

    Attributes:
        predicted, missed, not_reachable: its counts of failures and fixes.
        warned: submissions that it called not ready and that failed; `false_alarms`: those that
            ran.
        passed: submissions that it called ready and that ran; `let_through`: that failed.
    """

    reviewer: str
    predicted: int = 0
    missed: int = 0
    not_reachable: int = 0
    warned: int = 0
    false_alarms: int = 0
    passed: int = 0
    let_through: int = 0

    @property
    def outcomes(self) -> int:
        """The number of failures and fixes, including those not predictable from code."""
        return self.predicted + self.missed + self.not_reachable

    @property
    def foresight(self) -> Interval | None:
        """Its share of the failures that could be predicted."""
        return wilson(self.predicted, self.predicted + self.missed)

    @property
    def precision(self) -> Interval | None:
        """The share of failed submissions among those that it called not ready."""
        return wilson(self.warned, self.warned + self.false_alarms)

    @property
    def caught(self) -> Interval | None:
        """The share of those it called not ready among the failed submissions."""
        return wilson(self.warned, self.warned + self.let_through)


_FIELD = {Fate.PREDICTED: "predicted", Fate.MISSED: "missed", Fate.NOT_REACHABLE: "not_reachable"}


def scores(links: Iterable[LinkedFailure], told: Iterable[ScoredVerdict] = ()) -> tuple[Score, ...]:
    """Return every reviewer's score, best foresight first, unknown ones last.

    Args:
        links: one for each failure or fix; a reviewer that is not in a link did not review that
            submission.
        told: verdicts with the results of runs; without them the shares of submissions are unknown.
    """
    return added_scores([(links, told)])


def added_scores(
    parts: Iterable[tuple[Iterable[LinkedFailure], Iterable[ScoredVerdict]]],
) -> tuple[Score, ...]:
    """Return what `scores` returns of all parts together; of each only the counts stay in
    memory.
    """
    counts: dict[str, dict[str, int]] = {}
    for links, told in parts:
        for link in links:
            for reviewer in link.findings:
                _count(counts, reviewer, _FIELD[link.fate(reviewer)])
        for each in told:
            if each.verdict is not None and each.failed is not None:
                stopped = each.verdict is Verdict.NOT_READY
                name = (
                    ("warned" if stopped else "let_through")
                    if each.failed
                    else ("false_alarms" if stopped else "passed")
                )
                _count(counts, each.reviewer, name)
    made = (Score(reviewer, **each) for reviewer, each in counts.items())
    return tuple(sorted(made, key=lambda score: (-_share(score.foresight), score.reviewer)))


def sum_of(scores: Iterable[Score], reviewer: str) -> Score:
    """Return the sum of several scores, for a model with several names or batches."""
    names = [field.name for field in fields(Score) if field.name != "reviewer"]
    several = list(scores)
    return Score(
        reviewer, **{name: sum(getattr(score, name) for score in several) for name in names}
    )


def by_category(links: Iterable[LinkedFailure], reviewer: str) -> Mapping[str, Score]:
    """Return one reviewer's score by category of failure, most frequent first."""
    counts: dict[str, dict[str, int]] = {}
    for link in links:
        if reviewer in link.findings:
            _count(counts, link.category, _FIELD[link.fate(reviewer)])
    ordered = sorted(counts.items(), key=lambda item: (-sum(item[1].values()), item[0]))
    return {category: Score(reviewer, **each) for category, each in ordered}


def _count(counts: dict[str, dict[str, int]], key: str, name: str) -> None:
    of_key = counts.setdefault(key, {})
    of_key[name] = of_key.get(name, 0) + 1


def _share(interval: Interval | None) -> float:
    return -1.0 if interval is None else interval.share
