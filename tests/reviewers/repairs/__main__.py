"""Prints what happens to the cases; see `started`."""

import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.mutants.world import World
from tests.reviewers.repairs.defects import CASES
from tests.reviewers.repairs.started import Judge
from tests.reviewers.repairs.wheels import Index


def main(words: list[str]) -> None:
    chosen = [
        one
        for one in CASES
        if not words or any(word in f"{one.family}: {one.name}" for word in words)
    ]
    total, before, after = Counter[str](), Counter[str](), Counter[str]()
    with TemporaryDirectory() as folder, World() as world:
        judge = Judge(world, Index(Path(folder, "wheels")), Path(folder, "asked"))
        for case in chosen:
            judged = judge.judge(case)
            print(judged, flush=True)
            total[case.family] += 1
            before[case.family] += not judged.before
            after[case.family] += not judged.after
    print()
    for family, count in total.items():
        print(f"{family:<24} {before[family]:>3} before, {after[family]:>3} after, of {count}")
    print(f"{'all':<24} {before.total():>3} before, {after.total():>3} after, of {total.total()}")


main(sys.argv[1:])
