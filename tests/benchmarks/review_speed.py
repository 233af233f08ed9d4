"""How long a review takes, as a ratio to pyflakes on the same files in the same run.

    python tests/benchmarks/review_speed.py [BUNDLE ...]

Run by hand; the sample bundles are taken where none are named.
"""

import statistics
import sys
import time
from collections.abc import Callable

from pyflakes import checker

from reviewers import settings
from reviewers.bundles import bundle_paths, open_bundles
from reviewers.claims.check import check_claims
from reviewers.facts import Facts
from reviewers.records import Submission
from reviewers.rules import run_rules

ROUNDS = 3


def timed(work: Callable[[], object]) -> float:
    """The quickest of a few rounds, in milliseconds; each does all of its work anew."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times) * 1000


def reference(submission: Submission) -> None:
    """What a general linter does at the least: parse each file and look for undefined and unused
    names.
    """
    for file in Facts(submission).python.values():
        if file.tree is not None:
            checker.Checker(file.tree, filename=file.path)


def claims(submission: Submission) -> float:
    """Checking the claims of the recorded answers, the facts being known, in milliseconds."""
    facts = Facts(submission)
    known = run_rules(facts).dry_run
    failures = known.failures if known else ()
    texts = [answer.text for answer in submission.recorded if answer.text]
    for text in texts:
        check_claims(text, facts, failures)
    return timed(lambda: [check_claims(text, facts, failures) for text in texts])


def main(words: list[str]) -> None:
    """Print the medians over all bundles."""
    paths = bundle_paths(words or [str(settings.sample_bundles())])
    submissions = [submission for path in paths for submission in open_bundles(path)]
    run_rules(Facts(submissions[0]))
    linted = [timed(lambda one=one: reference(one)) for one in submissions]
    ruled = [timed(lambda one=one: run_rules(Facts(one))) for one in submissions]
    checked = [claims(one) for one in submissions if one.recorded]
    opened = timed(lambda: [open_bundles(path) for path in paths]) / len(submissions)
    unit = statistics.median(linted)
    print(f"{len(submissions)} submissions, median of each, the quickest of {ROUNDS} rounds")
    rows = [
        ("pyflakes (reference)", unit),
        ("opening the bundle (mean)", opened),
        ("all facts and rules", statistics.median(ruled)),
    ]
    rows += [("checking the claims", statistics.median(checked))] if checked else []
    for name, value in rows:
        print(f"{name:28} {value:8.1f} ms   {value / unit:6.2f} x pyflakes")


if __name__ == "__main__":
    main(sys.argv[1:])
