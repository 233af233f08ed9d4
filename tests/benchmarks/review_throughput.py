"""What two processes give over one, and how much memory a process takes that has the whole index of
libraries loaded.

    python tests/benchmarks/review_throughput.py [BUNDLE ...]

Run by hand, best on a quiet machine with two processors: the first ratio is of wall times. The
second is of CPU times, and is what the first comes to where nothing else runs: twice the work that
one process has, by all the work of two with their start.
"""

import resource
import sys
import time
import tomllib
from pathlib import Path

from reviewers import settings
from reviewers.batch import Reviewed, review_bundles
from reviewers.bundles import bundle_paths
from reviewers.facts import Facts, third_party
from reviewers.records import Submission

LOGS = Path(__file__).resolve().parents[3] / "shared" / "logs"
ROUNDS = 3
WANTED, MOST_MEGABYTES = 1.7, 400


def spent(paths: list[Path], jobs: int) -> tuple[float, float]:
    """Wall and CPU seconds of reviewing bundles by all rules, the start of the processes
    included.
    """

    def used() -> float:
        both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return sum(part.ru_utime + part.ru_stime for part in both)

    wall, before = time.perf_counter(), used()
    for _ in review_bundles(paths, ("rules",), jobs):
        pass
    return time.perf_counter() - wall, used() - before


def load_whole_index(submission: Submission) -> int:
    """Ask for a name in each library of the index, in all its versions; return how many libraries
    there are.
    """
    index = Facts(submission).third_party
    tables = tomllib.loads(
        Path(third_party.__file__).with_name("libraries.toml").read_text("utf-8")
    )
    for name, table in tables.items():
        for root in table.get("imports", [name.replace("-", "_")]):
            index.lookup(f"{root}.absent")
            index.names(root)
    return len(tables)


def main(words: list[str]) -> int:
    """Print the ratios; exit code 1 where they are not as wanted."""
    paths = bundle_paths(words or [str(LOGS if LOGS.is_dir() else settings.sample_bundles())])
    first = next(
        item.submission for item in review_bundles(paths, ("rules",)) if isinstance(item, Reviewed)
    )
    rounds = [(spent(paths, 1), spent(paths, 2)) for _ in range(ROUNDS)]
    wall = max(one[0] / two[0] for one, two in rounds)
    work = max(2 * one[1] / two[1] for one, two in rounds)
    print(f"{len(paths)} bundles, the best of {ROUNDS} rounds")
    print(
        f"two processes by one: {wall:.2f} x in wall time, {work:.2f} x by the work done (wanted:"
        f" {WANTED})"
    )
    libraries = load_whole_index(first)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"peak memory of a process that ran all rules and loaded {libraries} libraries:"
        f" {megabytes:.0f} MB ({MOST_MEGABYTES})"
    )
    return int(max(wall, work) < WANTED or megabytes > MOST_MEGABYTES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
