"""Where the real logs lie beside a developer's checkout; a user's machine has none."""

import os
from functools import cache
from pathlib import Path

import pytest

from reviewers.bundles import open_bundle
from reviewers.records import Submission

SHARED = Path(__file__).resolve().parents[2] / "shared"
SEEDS = tuple(sorted((SHARED / "seeds").glob("*.txt")))
LOGS = tuple(sorted((SHARED / "logs").glob("*.txt")))

# Reading all of them once a run is enough: the README's figures do. What else is asked of real logs
# is asked of a sample, unless AREACHAIR_TEST_EVERYTHING is set.
EVERYTHING = bool(os.environ.get("AREACHAIR_TEST_EVERYTHING"))
SAMPLE = (*SEEDS, *LOGS)[:: 1 if EVERYTHING else 4]

needs_shared = pytest.mark.skipif(
    not SEEDS, reason="the real logs (../shared) are not on this machine"
)


@cache
def opened(log: Path) -> Submission:
    """The submission of a log, which a worker reads once for all its tests."""
    return open_bundle(log)
