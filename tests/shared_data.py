"""Where the real logs lie beside a developer's checkout; a user's machine has none."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
SEEDS = tuple(sorted((SHARED / "seeds").glob("*.txt")))
LOGS = tuple(sorted((SHARED / "logs").glob("*.txt")))

needs_shared = pytest.mark.skipif(
    not SEEDS, reason="the real logs (../shared) are not on this machine"
)
