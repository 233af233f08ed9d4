"""Many requests to a local model server by the command line, as ratios to the ideal; run by hand.

    python -m tests.benchmarks.models_at_scale

The ideal is what the waiting alone takes: requests / at once × latency, without a process to start
or a claim to check.
"""

import json
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.asking import Desk, rows, write_bundles
from tests.model_server import ModelServer

AT_ONCE = 32


def against_the_ideal(folder: Path, submissions: int, reviewers: int, latency: float) -> None:
    """Print how much longer a run takes than its waiting."""
    desk, names = Desk(folder), [f"r{number}" for number in range(reviewers)]
    write_bundles(folder / "bundles", submissions)
    with ModelServer(says="not_ready", latency=latency, log=folder / "log") as server:
        desk.configure(
            *({"name": name, "base_url": server.url, "concurrency": AT_ONCE} for name in names)
        )
        began = time.time()
        done = desk.run(
            "review",
            folder / "bundles",
            "--reviewers",
            ",".join(names),
            "--format",
            "json",
            "--at-once",
            AT_ONCE,
            "--jobs",
            2,
        )
        ended = time.time()
    at = [json.loads(line)["at"] for line in (folder / "log").read_text("utf-8").splitlines()]
    ideal = submissions * reviewers / AT_ONCE * latency
    print(
        f"{submissions} submissions x {reviewers} reviewers at {latency:g} s, {AT_ONCE} at once:"
        f" {ended - began:.1f} s is {(ended - began) / ideal:.2f} times the ideal {ideal:.1f} s;"
        f" from the first question to the end {(ended - min(at)) / ideal:.2f} times;"
        f" {len(rows(done))} reviewed, {len(server.questions)} asked"
    )


def in_a_storm(folder: Path, submissions: int, reviewers: int) -> None:
    """Print what 10 % errors and 5 % time-outs leave of a run with a budget."""
    desk, names = Desk(folder), [f"r{number}" for number in range(reviewers)]
    write_bundles(folder / "bundles", submissions)
    limit = 6_000_000
    faults = {"429": 0.04, "500": 0.03, "503": 0.03, "timeout": 0.05}
    with ModelServer(says="ready", latency=0.05, failures=faults, retry_after=0.2) as server:
        settings = {
            "base_url": server.url,
            "concurrency": AT_ONCE,
            "timeout": 1.0,
            "max_output_tokens": 500,
        }
        desk.configure(*({"name": name, **settings} for name in names))
        done = desk.run(
            "review", folder / "bundles", "--reviewers", ",".join(names), "--format", "json",
            "--at-once", AT_ONCE,
            "--budget-tokens", limit,
        )  # fmt: skip
    reviews = [review for row in rows(done) for review in row["reviews"]]
    verdicts = Counter(
        "reviewed" if review["verdict"] else "failed with a reason" for review in reviews
    )
    used = sum(len(question.data) for question in server.questions)
    once = Counter(question.digest for question in server.questions)
    print(
        f"{submissions * reviewers} requests with 10 % errors and 5 % time-outs: {dict(verdicts)},"
        f" {len(server.questions)} asked of {len(once)} different, at most {max(once.values())}"
        f" times each; {used:,} bytes sent, budget {limit:,} tokens"
    )
    print("   ", done.stderr.splitlines()[-reviewers - 1 :])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        against_the_ideal(Path(place), 100, 3, 1.0)
    with tempfile.TemporaryDirectory() as place:
        in_a_storm(Path(place), 250, 4)
