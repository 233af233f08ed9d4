"""The rules beside `pylint -E` on the same files in the same run, in CPU seconds, and the rules
that take longest.

    python tests/benchmarks/rules_beside_pylint.py [--every N] [--python PYTHON] [--each] [BUNDLE
    ...]

Run by hand (`pip install pylint` first); without bundles the real logs are taken where they are,
else the samples. pylint sees what is installed beside it: the more of a submission's libraries
there are, the longer it takes, so a Python that has them all can be named. It gets each
submission's files in a folder of their own, once in a process for each submission, as a user would
call it, and once in one warm process. CPU time and ratios hold on a busy machine too, wall time
does not.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from reviewers import settings
from reviewers.batch import collect_less
from reviewers.bundles import bundle_paths, open_bundles
from reviewers.facts import Facts
from reviewers.records import Submission
from reviewers.rules import registered, run_rules

LOGS = Path(__file__).resolve().parents[3] / "shared" / "logs"
WANTED = 25
WORDS = ["-E", "--persistent=n", "--score=n"]
LONGEST = 15


def cpu(work: Callable[[], object], who: int = resource.RUSAGE_SELF) -> float:
    """CPU seconds of some work, in this process or in those that it starts."""

    def spent() -> float:
        used = resource.getrusage(who)
        return used.ru_utime + used.ru_stime

    before = spent()
    work()
    return spent() - before


def written(submission: Submission, folder: Path) -> list[str]:
    """The submission's Python files, written below a folder."""
    paths = [file.path for file in submission.files if file.path.endswith(".py")]
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(submission.by_path[path].text, "utf-8")
    return paths


def pylint_alone(python: str, paths: list[str], folder: Path) -> float:
    """One process for one submission."""
    command = [python, "-m", "pylint", *WORDS, *paths]
    return cpu(
        lambda: subprocess.run(command, cwd=folder, capture_output=True, check=False),
        resource.RUSAGE_CHILDREN,
    )


def pylint_here(paths: list[str], folder: Path) -> float:
    """In this process, which has seen the libraries before."""
    from pylint.lint import Run
    from pylint.reporters.text import TextReporter

    before = os.getcwd()
    os.chdir(folder)
    try:
        return cpu(lambda: Run([*WORDS, *paths], reporter=TextReporter(StringIO()), exit=False))
    finally:
        os.chdir(before)


def by_rule(submission: Submission) -> dict[str, float]:
    """CPU seconds of each rule; a fact counts for the rule that asks for it first."""
    facts, found = Facts(submission), {}
    for rule in registered().values():
        start = time.process_time()
        list(rule(facts))
        found[f"{rule.id} {rule.name}"] = time.process_time() - start
    return found


def row(name: str, times: list[float], unit: float) -> str:
    """One line of the table."""
    median = statistics.median(times)
    return (
        f"{name:34} median {median:7.3f} s   longest {max(times):7.3f} s   {unit / median:7.1f} x"
        " as fast as pylint -E"
    )


def main() -> int:
    """Print the table; exit code 1 where the rules are not as fast as wanted."""
    words = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    words.add_argument("bundles", nargs="*")
    words.add_argument(
        "--every", type=int, default=1, metavar="N", help="take every Nth submission only"
    )
    words.add_argument(
        "--python", default=sys.executable, help="whose pylint to call for each submission"
    )
    words.add_argument("--each", action="store_true", help="also time each rule")
    asked = words.parse_args()
    if find_spec("pylint") is None:
        print(
            f"pylint is not installed here: {sys.executable} -m pip install pylint", file=sys.stderr
        )
        return 2
    paths = bundle_paths(
        asked.bundles or [str(LOGS if LOGS.is_dir() else settings.sample_bundles())]
    )
    submissions = [submission for path in paths for submission in open_bundles(path)][
        :: asked.every
    ]
    run_rules(Facts(submissions[0]))
    collect_less()  # as `areachair review` does
    alone, here, ours = [], [], []
    for submission in submissions:
        with TemporaryDirectory() as folder:
            files = written(submission, Path(folder))
            alone.append(pylint_alone(asked.python, files, Path(folder)))
            here.append(pylint_here(files, Path(folder)))
        ours.append(cpu(lambda one=submission: run_rules(Facts(one))))
    unit = statistics.median(alone)
    print(f"{len(submissions)} submissions, CPU time")
    print(row("pylint -E, a process each", alone, unit))
    print(row("pylint -E, one warm process", here, unit))
    print(row(f"all {len(registered())} rules, warm, with composition", ours, unit))
    if asked.each:
        spent: dict[str, list[float]] = defaultdict(list)
        for submission in submissions:
            for name, seconds in by_rule(submission).items():
                spent[name].append(seconds * 1000)
        slowest = sorted(spent.items(), key=lambda item: -statistics.mean(item[1]))[:LONGEST]
        for name, times in slowest:
            print(
                f"{name:42} median {statistics.median(times):6.1f} ms   mean"
                f" {statistics.mean(times):6.1f} ms"
            )
    ratio = unit / statistics.median(ours)
    print(f"wanted: {WANTED} x; found: {ratio:.1f} x")
    return int(ratio < WANTED)


if __name__ == "__main__":
    sys.exit(main())
