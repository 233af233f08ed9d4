"""Readings of true claims, changed in one place so that they are false.

    python -m tests.reviewers.propositions.changes READINGS.jsonl LABELS LOGS...

says of the claims labelled true how many of the changed ones are confirmed, and how many refuted.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reviewers.bundles import open_bundle
from reviewers.facts import Facts
from reviewers.propositions import (
    PREDICATES,
    InvalidReading,
    Mark,
    World,
    evaluate,
    mark,
    parse,
)
from reviewers.rules import run_rules
from reviewers.rules.failures import dry_run

INVENTED = "zyx_invented"
"""A name that no code has."""
# Of positive atoms, the argument that names what is there; another name makes them false.
_NAMED = {
    "defines": "name",
    "imports": "name",
    "uses": "name",
    "raises": "error",
    "calls": "callee",
    "has_key": "key",
    "reads_key": "key",
    "logs": "key",
    "declares": "package",
    "sets": "target",
    "contains": "text",
    "exists": "file",
    "writes": "file",
    "reads_file": "file",
    "guarded": "by",
    "within": "context",
    "derives_from": "source",
    "computes": "metric",
}


def changed(reading: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What a true reading becomes by one change, each false, with the sort of change."""
    yield "polarity", reading["not"] if set(reading) == {"not"} else {"not": reading}
    name = _NAMED.get(reading.get("p", ""))
    if name and isinstance(reading.get(name), str):
        yield "argument", {**reading, name: INVENTED}
    if "only" in reading:
        yield "quantifier", {**reading, "are": [INVENTED]}
    if reading.get("all"):
        first, *others = reading["all"]
        yield "part", {"all": [{"not": first}, *others]}
    if set(reading) == {"because", "then"}:
        yield "cause", {**reading, "because": {"not": reading["because"]}}


def _measure(readings: Path, labels: Path, logs: list[Path]) -> Counter[tuple[str, str]]:
    truths = {
        (file["submission"], claim["id"]): claim["truth"]
        for file in (json.loads(path.read_text()) for path in labels.glob("*.json"))
        for claim in file["claims"]
    }
    places = {path.stem: path for path in logs}
    by_log: dict[str, list[Mapping[str, Any]]] = {}
    for row in map(json.loads, readings.read_text().splitlines()):
        if truths.get((row["submission"], row["id"])) == "true" and row["submission"] in places:
            by_log.setdefault(row["submission"], []).append(row["reading"])
    counted: Counter[tuple[str, str]] = Counter()
    for log, true in by_log.items():
        facts = Facts(open_bundle(places[log]))
        world = World(facts, dry_run(facts, run_rules(facts).findings).failures)
        for reading in true:
            try:
                if mark(said := parse(reading), evaluate(said, world)) is not Mark.CONFIRMED:
                    continue  # of what is not understood nothing is asked
                for sort, other in changed(reading):
                    said = parse(other)
                    result = mark(said, evaluate(said, world))
                    counted[sort, result.value] += 1
                    if result is Mark.CONFIRMED:
                        print(log, sort, json.dumps(other))
            except InvalidReading:
                continue
    return counted


if __name__ == "__main__":
    assert set(_NAMED) <= set(PREDICATES)
    for found, number in sorted(
        _measure(Path(sys.argv[1]), Path(sys.argv[2]), [Path(one) for one in sys.argv[3:]]).items()
    ):
        print(*found, number)
