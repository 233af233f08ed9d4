"""What real runs say of the reviewers, as Markdown tables."""

from collections.abc import Mapping, Sequence

from reviewers.agreement import Interval
from reviewers.errors import printable
from reviewers.exports.markdown_table import markdown_table
from reviewers.outcomes.scoreboard import Score

_HEAD = ("reviewer", "outcomes", "predicted", "missed", "not reachable", "share predicted")
_RUNS = (
    "reviewer",
    "not ready, failed",
    "not ready, ran",
    "ready, ran",
    "ready, failed",
    "right when not ready",
)


def outcomes_page(scores: Sequence[Score], categories: Mapping[str, Score] | None = None) -> str:
    """Return the page; a share comes with its 95 % interval, and is left out where there is no
    case.

    Args:
        categories: the score of one reviewer by category of what happened.
    """
    told = [score for score in scores if score.outcomes]
    if not told and not any(map(_runs, scores)):
        return "No real run and no fix is recorded yet.\n"
    parts: list[str] = []
    if told:
        parts.append(markdown_table(_HEAD, map(_row, told)))
        parts.append(
            "Share predicted: of what could be told from the code, with its 95 % interval; the"
            " machine, the network and accounts are not reachable by reading."
        )
    if categories:
        reviewer = printable(next(iter(categories.values())).reviewer)
        rows = ((category, *_row(score)[1:]) for category, score in categories.items())
        parts.append(
            f"By category, {reviewer}:\n\n" + markdown_table(("category", *_HEAD[1:]), rows)
        )
    if ran := [score for score in scores if _runs(score)]:
        parts.append(markdown_table(_RUNS, map(_run_row, ran)))
    return "\n\n".join(parts) + "\n"


def _row(score: Score) -> tuple[str, ...]:
    return (
        score.reviewer,
        str(score.outcomes),
        str(score.predicted),
        str(score.missed),
        str(score.not_reachable),
        _share(score.foresight),
    )


def _run_row(score: Score) -> tuple[str, ...]:
    return (
        score.reviewer,
        str(score.warned),
        str(score.false_alarms),
        str(score.passed),
        str(score.let_through),
        _share(score.precision),
    )


def _runs(score: Score) -> int:
    return score.warned + score.false_alarms + score.passed + score.let_through


def _share(interval: Interval | None) -> str:
    return (
        "unknown"
        if interval is None
        else f"{interval.share:.0%} ({interval.low:.0%} to {interval.high:.0%})"
    )
