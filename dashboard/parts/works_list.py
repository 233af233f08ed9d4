"""How far the works are that were handed in: lists that reviewers are asked about, imports."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dashboard.parts.component import load
from dashboard.parts.figures import money
from dashboard.parts.plain import one_line

_mount = load("works_list")
_MOST_FAILURES, _MOST_NAMES = 8, 5


def works_list(
    works: Sequence[Mapping[str, Any]], *, key: str, on_events: Callable[[], None]
) -> None:
    """Draw a line for each; events: `cancel`, `retry` and `close`, each with the work's `number`.

    Args:
        works: each with `number`, `by`, `task`, `reviewers`, `counts` by state, `usd`, `live`,
            `words` of its own, and
            `failed`: by reviewer and problem, with the names and addresses of the submissions.
    """
    _mount(key=key, data={"works": [_line(work) for work in works]}, on_events=on_events)


def _line(work: Mapping[str, Any]) -> dict[str, Any]:
    counts = work["counts"]
    over = sum(counts.values()) - counts["waiting"] - counts["running"]
    total = sum(counts.values())
    told = [
        f"{counts[state]:,} {words}"
        for state, words in (
            ("failed", "failed"),
            ("set aside", "set aside"),
            ("cancelled", "cancelled"),
            ("running", "being asked" if work["reviewers"] else "under way"),
            ("waiting", "waiting"),
        )
        if counts[state]
    ]
    failed = work["failed"]
    return {
        "number": work["number"],
        "live": work["live"],
        "retry": bool(failed) and not work["live"],
        "title": _title(work),
        "over": over,
        "total": total,
        "told": [
            *filter(None, [work["words"]]),
            *told,
            *([money(work["usd"]) + " so far" * work["live"]] if work["usd"] else []),
        ],
        "failed": [
            {
                "words": ": ".join(
                    filter(None, (one_line(each["reviewer"], 60), one_line(each["problem"], 400)))
                ),
                "count": len(each["about"]),
                "about": [
                    [one_line(name, 60) or "a submission", href]
                    for name, href in each["about"][:_MOST_NAMES]
                ],
            }
            for each in failed[:_MOST_FAILURES]
        ],
        "more": max(0, len(failed) - _MOST_FAILURES),
    }


_DOING = {
    "import": ("imports", "Importing", "Imported"),
    "export": ("exports", "Exporting", "Exported"),
    "upload": ("imports", "Importing", "Imported"),
    "repairs": ("proves repairs", "Proving repairs", "Proved repairs"),
    "mend": ("makes a repaired version", "Making a repaired version", "Made a repaired version"),
}
_ASKING = "asks", "Asking", "Asked"


def _title(work: Mapping[str, Any]) -> str:
    active, doing, done = _DOING.get(work["task"], _ASKING)
    asked = work["reviewers"] if work["task"] not in _DOING else ()
    names = ", ".join(one_line(name, 60) for name in asked)
    by = f"{one_line(work['by'], 60)} {active}" if work["by"] else doing
    return f"{by if work['live'] else done} {names}".strip()
