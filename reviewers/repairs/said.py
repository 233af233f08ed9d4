"""What a finding says, as atoms of its proposition."""

import json
from collections.abc import Iterator, Mapping


def atoms(says: str, predicate: str) -> Iterator[Mapping[str, object]]:
    """Yield each atom of a predicate in a proposition written as JSON, whatever stands around
    it, in the order of the text; nothing for a finding that says none.
    """
    waiting: list[object] = [json.loads(says)] if says else []
    while waiting:
        inner = waiting.pop(0)
        if isinstance(inner, dict):
            if inner.get("p") == predicate:
                yield inner
            waiting = [*(each for key, each in inner.items() if key != "p"), *waiting]
        elif isinstance(inner, list):
            waiting = [*inner, *waiting]
