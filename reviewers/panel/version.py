"""Which code makes our own reviews: a hash that changes whenever they could come out otherwise."""

import hashlib
import platform
from functools import cache
from importlib.metadata import version
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent
# What only keeps, shows or sends a review; all else is taken to have a say in it.
WITHOUT_A_SAY = frozenset(
    {"__main__.py", "attempts", "batch", "cli", "exports", "library.py", "outcomes", "store"}
)
LIBRARIES = (
    "dulwich",
    "ftfy",
    "hydra-core",
    "omegaconf",
    "packaging",
    "pydantic",
    "pyflakes",
    "pyyaml",
    "rapidfuzz",
    "validate-pyproject",
)


@cache
def own_version() -> str:
    """Return the hash of the code, its data and its libraries; read once in each process, in 20
    ms.
    """
    found = hashlib.sha256()
    for line in (platform.python_version(), *map(version, LIBRARIES)):
        found.update(f"{line}\n".encode())
    for path in sorted(_PACKAGE.rglob("*")):
        parts = path.relative_to(_PACKAGE).parts
        if parts[0] not in WITHOUT_A_SAY and "__pycache__" not in parts and path.is_file():
            found.update("/".join(parts).encode())
            found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()
