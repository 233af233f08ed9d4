"""What real runs say of the reviewers, as Markdown tables."""

from collections.abc import Sequence

from reviewers.agreement import Interval
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


def outcomes_page(scores: Sequence[Score]) -> str:
    """Return the page; a share comes with its 95 % interval, and is left out where there is no
    case.
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
