"""Where the real logs lie beside a developer's checkout; a user's machine has none."""

import os
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
SEEDS = tuple(sorted((SHARED / "seeds").glob("*.txt")))
LOGS = tuple(sorted((SHARED / "logs").glob("*.txt")))

# Reading all of them once a run is enough: the README's figures do. What else is asked of real logs
# is asked of a sample, unless AREACHAIR_TEST_ALL_LOGS is set.
SAMPLE = (*SEEDS, *LOGS)[:: 1 if os.environ.get("AREACHAIR_TEST_ALL_LOGS") else 4]

needs_shared = pytest.mark.skipif(
    not SEEDS, reason="the real logs (../shared) are not on this machine"
)
