"""The cases by family of defects."""

import tomllib
from pathlib import Path

from tests.reviewers.repairs.defects import (
    evaluations,
    files,
    groups,
    names,
    packages,
    processes,
    searches,
    structs,
)

WRONG_FILE = Path(__file__).with_name("wrong.toml")
CASES = (
    *packages.CASES,
    *structs.CASES,
    *groups.CASES,
    *evaluations.CASES,
    *processes.CASES,
    *names.CASES,
    *searches.CASES,
    *files.CASES,
)

# What is not as it should be yet, by family and name: `python -m tests.reviewers.repairs --write`
# writes it down anew.
WRONG: dict[str, dict[str, str]] = tomllib.loads(WRONG_FILE.read_text("utf-8"))
