"""Prints what happens to the cases, two at a time; see `started`.

`--write` writes down which of them are not as they should be, with the reason.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import tomlkit

from tests.mutants.world import World
from tests.reviewers.repairs.defects import CASES, WRONG, WRONG_FILE
from tests.reviewers.repairs.started import Case, Judge
from tests.reviewers.repairs.wheels import Index

_PART = 4
_TEMPORARY = re.compile(r"/\S*/submission/")


def judged(numbers: Sequence[int]) -> list[tuple[int, str, str, str]]:
    """What happens to some cases: the number, its text, and its first faults before and after."""
    with TemporaryDirectory() as folder, World() as world:
        judge = Judge(world, Index(Path(folder, "wheels")), Path(folder, "asked"))
        told = [(number, judge.judge(CASES[number])) for number in numbers]
        return [
            (number, str(each), "".join(each.before[:1]), "".join(each.after[:1]))
            for number, each in told
        ]


def main(words: Sequence[str]) -> None:
    chosen = [number for number, one in enumerate(CASES) if not words or _asked(one, words)]
    parts = [chosen[at : at + _PART] for at in range(0, len(chosen), _PART)]
    total, before, after = Counter[str](), Counter[str](), Counter[str]()
    wrong = {family: dict(names) for family, names in WRONG.items()}
    with ProcessPoolExecutor(2) as pool:
        for part in pool.map(judged, parts):
            for number, text, first, then in part:
                print(text, flush=True)
                family = CASES[number].family
                total[family] += 1
                before[family] += not first
                after[family] += not then
                wrong.setdefault(family, {}).pop(CASES[number].name, None)
                if first or then:
                    wrong[family][CASES[number].name] = _TEMPORARY.sub("", first or then)[:160]
    print()
    for line in _table(total, before, after):
        print(line)
    if "--write" in sys.argv:
        left = {family: names for family, names in wrong.items() if names}
        WRONG_FILE.write_text(tomlkit.dumps(left), "utf-8")


def _asked(case: Case, words: Sequence[str]) -> bool:
    return any(word in f"{case.family}: {case.name}" for word in words)


def _table(total: Counter[str], before: Counter[str], after: Counter[str]) -> Iterator[str]:
    for family, count in total.items():
        yield f"{family:<24} {before[family]:>3} before, {after[family]:>3} after, of {count}"
    yield f"{'all':<24} {before.total():>3} before, {after.total():>3} after, of {total.total()}"


if __name__ == "__main__":
    main([word for word in sys.argv[1:] if word != "--write"])
