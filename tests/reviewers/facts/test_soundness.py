"""Guards the interpreter: what it says of a program contains what the program really does."""

from collections import Counter

import pytest

from tests.reviewers.facts.containment import Result, results
from tests.reviewers.facts.snippets import FAMILIES

# The share of values that are known exactly, below which none may fall.
KNOWN = {
    "expressions": 0.22,
    "containers": 0.3,
    "branches": 0.2,
    "loops": 0.25,
    "errors": 0.2,
    "functions": 0.27,
    "classes": 0.36,
    "configurations": 0.65,
    "paths": 0.45,
    "arguments": 0.75,
    "data": 0.6,
    "everything": 0.24,
}


@pytest.fixture(scope="module")
def found() -> list[Result]:
    return list(results(1_000))


def test_the_abstract_result_contains_the_real_one(found: list[Result]) -> None:
    assert len(found) > 900
    assert [one for one in found if one.wrong] == []
    assert sum(len(one.others) for one in found) <= 5


@pytest.mark.parametrize("family", FAMILIES)
def test_much_is_known_exactly(found: list[Result], family: str) -> None:
    shown, known = Counter[str](), Counter[str]()
    for one in found:
        shown[one.family] += one.shown
        known[one.family] += one.known
    assert known[family] / shown[family] >= KNOWN[family]
