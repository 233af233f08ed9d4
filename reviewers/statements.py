"""The statements that a proposition makes, taken out of its connectives."""

import json
from collections.abc import Iterator
from typing import Any

_JOINING = ("because", "then", "would", "possible")


def statements_of(proposition: str) -> Iterator[dict[str, Any]]:
    """The statements that a proposition, given as JSON, makes: the first at the head."""
    waiting = [json.loads(proposition)] if proposition else []
    while waiting:
        said = waiting.pop(0)
        if not isinstance(said, dict):  # an imported one may be anything
            continue
        inner = said.get("all") or [said[name] for name in _JOINING if name in said]
        if isinstance(inner, list) and inner and "p" not in said:  # an argument's name else
            waiting = [*inner, *waiting]
        else:
            yield said
