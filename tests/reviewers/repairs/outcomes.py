"""Measures plans against what really had to be changed before accepted submissions ran.

    python -m tests.reviewers.repairs.outcomes TREES [--jobs N] [--words] [NAME…]

TREES holds the trees of the accepted submissions, as `../shared/tools/prepare_accepted.py` makes
them; the others are logs. A fix is at its place where an edit of a way that the plan offers lies
within 3 lines of one of its hunks, and provable where it is predictable without a run, as in
`../shared/tools/score_outcomes.py`. A part of a name chooses submissions; `--words` prints what
each plan does.
"""

import json
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from reviewers.bundles import open_bundle
from reviewers.offers import Offers
from reviewers.records import Submission
from reviewers.repairs import planned
from reviewers.repairs.offers import offers
from tests.shared_data import SHARED

_NEAR = 3  # lines


@dataclass(frozen=True)
class Measured:
    """The plan of one submission beside what was really changed.

    Attributes:
        missed: the provable fixes that have no edit at their place, a line each.
        runs: whether the dry run of the last version meets no failure.
        is_ready: whether nothing is left either that the contract refuses.
        plan: its repairs and what is left, a line each.
    """

    name: str
    runs: bool
    is_ready: bool
    questions: int
    seconds: float
    at_place: int
    provable: int
    missed: list[str] = field(default_factory=list)
    plan: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        ready = "ready" if self.is_ready else "runs" if self.runs else "stops"
        return (
            f"{self.name[-32:]:<32} {ready:<5} {self.questions} questions "
            f"{self.seconds:5.2f} s  {self.at_place:>3} of {self.provable:>3} at place"
        )


def measured(name: str, path: Path, fixes: list[dict[str, Any]]) -> Measured:
    """Plan one submission, in processor time of this process."""
    submission = open_bundle(path)
    began = time.process_time()
    told = offers(planned(submission))
    seconds = time.process_time() - began
    edited = {*_edited(submission, told)}
    provable = [each for each in fixes if each["hunks"] and _is_provable(each)]
    missed = [each for each in provable if not any(_near(edited, hunk) for hunk in each["hunks"])]
    return Measured(
        name,
        not told.stops,
        told.is_ready,
        told.questions,
        seconds,
        len(provable) - len(missed),
        len(provable),
        [
            f"{each['id']} {each['hunks'][0]['file']}:{each['hunks'][0]['lines'][0]} "
            f"{each.get('category')}: {each.get('cause', '')[:110]}"
            for each in missed
        ],
        [*_words(told)],
    )


def _is_provable(fix: Mapping[str, Any]) -> bool:
    return fix.get("predictable") in {"static", "api"}


def _edited(submission: Submission, told: Offers) -> Iterator[tuple[str, int, int]]:
    """The first and last line of each edit in the files as they were accepted."""
    for repair in told.repairs:
        for way in repair.ways:
            for edit in way.edits:
                if edit.path in submission.by_path:
                    text = submission.by_path[edit.path].text
                    last = max(edit.start, edit.end - 1)
                    yield edit.path, _line(text, edit.start), _line(text, last)


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _near(edited: set[tuple[str, int, int]], hunk: Mapping[str, Any]) -> bool:
    low, high = hunk["lines"]
    return any(
        path == hunk["file"] and first - _NEAR <= high and low <= last + _NEAR
        for path, first, last in edited
    )


def _words(told: Offers) -> Iterator[str]:
    for repair in told.repairs:
        yield f"{repair.rule} {repair.span}: {repair.ways[0].intent}"
        if repair.asks:
            yield f"  asks: {repair.asks} {' | '.join(each.choice for each in repair.ways)}"
    for each in told.left:
        yield f"left: {each}"
    if told.stops:
        yield f"stops: {told.stops}"


def _submissions(trees: Path) -> Iterator[tuple[str, Path, list[dict[str, Any]]]]:
    for name in ("outcomes", "accepted"):
        for line in (SHARED / "outcomes" / f"{name}.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            own = row["submission"]
            places = (trees / own, *(SHARED / f / f"{own}.txt" for f in ("logs", "seeds")))
            if found := next((each for each in places if each.exists()), None):
                yield own, found, row["fixes"]
            else:
                print(f"{own}: is not on this machine")


def main() -> None:
    """Print a line for each submission, and the totals."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("trees", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--words", action="store_true")
    told = parser.parse_args()
    if not (SHARED / "outcomes").is_dir():
        sys.exit("skipped: the outcomes (../shared/outcomes) are not on this machine")
    chosen = [
        each
        for each in _submissions(told.trees)
        if not told.names or any(name in each[0] for name in told.names)
    ]
    if not chosen:
        sys.exit("skipped: none of the submissions is on this machine")
    found: list[Measured] = []
    with ProcessPoolExecutor(told.jobs) as pool:
        for each in pool.map(measured, *zip(*chosen, strict=True)):
            found.append(each)
            print(each, flush=True)
            for line in [*each.plan, *(f"missed: {one}" for one in each.missed)]:
                if told.words:
                    print(f"    {line}")
    seconds = [each.seconds for each in found]
    print(
        f"{sum(each.runs for each in found)} of {len(found)} run, "
        f"{sum(each.is_ready for each in found)} are ready, "
        f"{sum(each.questions for each in found) / len(found):.2f} questions each, "
        f"{sum(each.at_place for each in found)} of {sum(each.provable for each in found)} "
        f"at place, CPU median {median(seconds):.2f} s, at most {max(seconds):.2f} s"
    )


if __name__ == "__main__":
    main()
