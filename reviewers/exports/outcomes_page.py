"""How well reviewers predicted real runs, as Markdown tables."""

from collections.abc import Iterable, Sequence

from reviewers.agreement import Interval
from reviewers.exports.markdown_table import markdown_table
from reviewers.outcomes.scoreboard import Score

_TOLD = ("outcomes", "predicted", "missed", "not_reachable")
_RAN = {
    "warned": "not ready, failed",
    "false_alarms": "not ready, ran",
    "passed": "ready, ran",
    "let_through": "ready, failed",
}


def outcomes_page(scores: Sequence[Score]) -> str:
    """Return the page; a share comes with its 95 % interval, and is left out if there is no
    case.
    """
    told = [score for score in scores if score.outcomes]
    if not told and not any(map(_runs, scores)):
        return "No real run and no fix is recorded yet.\n"
    parts: list[str] = []
    if told:
        head = ("reviewer", *(name.replace("_", " ") for name in _TOLD), "share predicted")
        parts.append(markdown_table(head, (_row(each, _TOLD, each.foresight) for each in told)))
        parts.append(
            "Share predicted: of what could be told from the code, with its 95 % interval; the"
            " machine, the network and accounts are not reachable by reading."
        )
    if ran := [score for score in scores if _runs(score)]:
        head = ("reviewer", *_RAN.values(), "right when not ready")
        parts.append(markdown_table(head, (_row(each, _RAN, each.precision) for each in ran)))
    return "\n\n".join(parts) + "\n"


def _row(score: Score, names: Iterable[str], share: Interval | None) -> tuple[str, ...]:
    return score.reviewer, *(str(getattr(score, name)) for name in names), _share(share)


def _runs(score: Score) -> int:
    return sum(getattr(score, name) for name in _RAN)


def _share(interval: Interval | None) -> str:
    return (
        "unknown"
        if interval is None
        else f"{interval.share:.0%} ({interval.low:.0%} to {interval.high:.0%})"
    )
