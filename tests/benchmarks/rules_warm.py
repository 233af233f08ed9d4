"""CPU time of facts and rules for a submission in a warm process, beside reading its code.

    python tests/benchmarks/rules_warm.py BUNDLE [BUNDLE ...]

Run by hand. The process is warmed on the samples; then each bundle is reviewed once, with no fact
of it kept beforehand. The reference, measured in the same run, is compiling the same Python files:
the ratio says how expensive the rules are on a machine that is slower or faster than another.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from reviewers.batch import collect_less
from reviewers.bundles import bundle_paths, open_bundle
from reviewers.facts import Facts
from reviewers.records import Submission
from reviewers.rules import run_rules

SAMPLES = Path(__file__).resolve().parents[2] / "sample_bundles"


def cpu_ms(work: Callable[[], object]) -> float:
    """CPU milliseconds of some work in this process."""
    before = time.process_time()
    work()
    return (time.process_time() - before) * 1000


def compile_files(submission: Submission) -> None:
    """Compile every Python file, without running it."""
    for file in submission.files:
        if file.path.endswith(".py"):
            try:
                compile(file.text, file.path, "exec", dont_inherit=True)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue


def main() -> None:
    """Print the medians in CPU milliseconds and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bundles", nargs="+", type=Path)
    bundles = parser.parse_args().bundles
    collect_less()
    for path in bundle_paths([SAMPLES]):
        run_rules(Facts(open_bundle(path)))
    rules, reference = [], []
    for path in bundles:
        submission = open_bundle(path)
        reference.append(cpu_ms(lambda given=submission: compile_files(given)))
        rules.append(cpu_ms(lambda given=submission: run_rules(Facts(given))))
    median, beside = statistics.median(rules), statistics.median(reference)
    print(f"{len(rules)} submissions, CPU ms: median {median:.0f}, ", end="")
    print(f"mean {statistics.mean(rules):.0f}, longest {max(rules):.0f}")
    print(f"compiling the same files: median {beside:.1f}, ratio {median / beside:.1f}")


if __name__ == "__main__":
    main()
