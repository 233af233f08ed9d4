"""Which code makes our own reviews: a hash that changes whenever they could come out otherwise."""

import hashlib
import os
import platform
from functools import cache
from importlib.metadata import version
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent
# What only keeps, shows or sends a review; all else is taken to have a say in it.
WITHOUT_A_SAY = frozenset(
    {"__main__.py", "attempts", "batch", "cli", "exports", "library.py", "outcomes", "store"}
)
_COMPILED = frozenset({"__pycache__"})
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
    "tomlkit",
    "validate-pyproject",
)


@cache
def own_version() -> str:
    """Return the hash of the code, its data and its libraries; read once in each process, in 10
    ms.
    """
    found = hashlib.sha256()
    for line in (platform.python_version(), *map(version, LIBRARIES)):
        found.update(f"{line}\n".encode())
    for folder, folders, files in os.walk(_PACKAGE):
        is_top = Path(folder) == _PACKAGE
        passed_over = WITHOUT_A_SAY if is_top else _COMPILED
        folders[:] = sorted({*folders} - passed_over - _COMPILED)
        for name in sorted({*files} - passed_over):
            path = Path(folder, name)
            data = path.read_bytes()
            found.update(f"{path.relative_to(_PACKAGE).as_posix()}\n{len(data)}\n".encode())
            found.update(data)
    return found.hexdigest()
