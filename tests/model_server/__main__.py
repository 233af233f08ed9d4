"""The server as a process: prints its base URL, then serves until it is stopped."""

import argparse
from pathlib import Path

from tests.model_server.dialects import ABILITIES, DIALECTS
from tests.model_server.exchange import KINDS
from tests.model_server.server import ModelServer


def main() -> None:
    """Read the options and serve."""
    parser = argparse.ArgumentParser(prog="python -m tests.model_server", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--says", choices=("ready", "not_ready"), default="not_ready")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before an answer")
    parser.add_argument(
        "--errors",
        type=float,
        default=0.0,
        help="share of questions answered with 429, 500 and 503 in turn",
    )
    parser.add_argument(
        "--timeouts", type=float, default=0.0, help="share of questions never answered"
    )
    parser.add_argument(
        "--fail",
        action="append",
        default=[],
        metavar="KIND=SHARE",
        help=f"one of {', '.join(KINDS)}",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--retry-after", type=float)
    parser.add_argument("--without", action="append", default=[], choices=ABILITIES)
    parser.add_argument("--dialect", choices=DIALECTS, default="openai")
    parser.add_argument("--key", action="append", help="take only these keys")
    parser.add_argument("--batch-seconds", type=float, default=0.0)
    parser.add_argument(
        "--batch-ends", choices=("completed", "expired", "failed"), default="completed"
    )
    parser.add_argument("--log", type=Path, help="file for one JSON line a question")
    given = parser.parse_args()
    failures = dict.fromkeys(("429", "500", "503"), given.errors / 3) | {"timeout": given.timeouts}
    failures |= {
        kind: float(share) for kind, _, share in (each.partition("=") for each in given.fail)
    }
    ModelServer(
        says=given.says,
        latency=given.latency,
        failures=failures,
        seed=given.seed,
        retry_after=given.retry_after,
        without=given.without,
        dialect=given.dialect,
        keys=given.key,
        batch_seconds=given.batch_seconds,
        batch_ends=given.batch_ends,
        log=given.log,
        port=given.port,
    ).forever()


if __name__ == "__main__":
    main()
