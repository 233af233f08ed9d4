"""What each reviewer's past is worth, in words, with how many cases it rests on."""

from collections.abc import Mapping

from dashboard.parts.component import load
from dashboard.parts.figures import number
from dashboard.parts.plain import one_line
from reviewers.records import Worth

_mount = load("past_list")


def past_list(worths: Mapping[str, Worth], *, key: str) -> None:
    """Draw one line a reviewer, the one whose word goes farthest first."""
    ranked = sorted(worths.items(), key=lambda item: (-item[1].weight, item[0]))
    rows = [
        {"name": one_line(name), "words": str(worth), "cases": number(worth.cases), "weight": f"{worth.weight:.2f}"}
        for name, worth in ranked
    ]
    _mount(key=key, data={"rows": rows})
