"""The cases by family of defects."""

from tests.reviewers.repairs.defects import (
    evaluations,
    groups,
    names,
    packages,
    processes,
    searches,
    structs,
)

CASES = (
    *packages.CASES,
    *structs.CASES,
    *groups.CASES,
    *evaluations.CASES,
    *processes.CASES,
    *names.CASES,
    *searches.CASES,
)

# What is not as it should be yet, by family and name.
WRONG: dict[tuple[str, str], str] = {}
