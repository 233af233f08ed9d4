"""Where the real logs lie beside a developer's checkout; a user's machine has none."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
SEEDS = tuple(sorted((SHARED / "seeds").glob("*.txt")))
_LOGS = tuple(sorted((SHARED / "logs").glob("*.txt")))
# Asked another question, under other headings and answer keys; no reader knows their form yet.
UNREAD = tuple(path for path in _LOGS if path.name.startswith("20251009-055033_"))
LOGS = tuple(path for path in _LOGS if path not in UNREAD)

needs_shared = pytest.mark.skipif(
    not SEEDS, reason="the real logs (../shared) are not on this machine"
)
