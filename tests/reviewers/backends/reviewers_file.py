"""A file of reviewers as a person writes it, with comments and in forms of its own."""

from pathlib import Path

BY_HAND = """\
# Whom we ask, and why.

[[reviewer]]
name = "o3"                # the one of the logs
model = "o3-2025-04-16"
# From the page of prices, in May.
prices = { input = 2, output = 8.0 } # cached: unknown
concurrency = 8            # what is usual, said all the same

[[reviewer]]
name = 'local'
model = "qwen3:32b"
base_url = "http://localhost:11434/v1"
key_env = ""
timeout = 1800

[reviewer.prices] # costs us nothing
input = 0
output = 0

# Never more than this.
[budget]
usd = 5 # a day
"""


def write(path: Path, text: str | bytes) -> Path:
    """Write a file, and the folder where there is none."""
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path
