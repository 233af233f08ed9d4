"""Guards how a review's text is cut at its claims: nothing lost, nothing twice, whatever the
offsets say.
"""

import pytest

from dashboard.parts.cards import Card
from dashboard.parts.review_text import marked
from tests.dashboard.desk import claim


def card(start: int, end: int, id: str = "a") -> Card:
    return Card(f"recorded/{id}", claim("said", claim_at=(start, end), id=id), "recorded", None, ())


@pytest.mark.parametrize(
    ("spans", "claimed"),
    [
        pytest.param([], [], id="none"),
        pytest.param([(0, 3)], ["012"], id="at the beginning"),
        pytest.param([(7, 10)], ["789"], id="at the end"),
        pytest.param([(5, 7), (1, 3)], ["12", "56"], id="in any order"),
        pytest.param([(1, 6), (4, 8)], ["12345", "67"], id="overlapping"),
        pytest.param([(1, 6), (2, 4)], ["12345"], id="nested"),
        pytest.param([(8, 99)], ["89"], id="past the end"),
        pytest.param([(5, 5), (7, 2)], [], id="empty or turned round"),
    ],
)
def test_every_character_stands_once(spans: list[tuple[int, int]], claimed: list[str]) -> None:
    parts = marked("0123456789", [card(*span, id=str(n)) for n, span in enumerate(spans)])
    assert "".join(part["text"] for part in parts) == "0123456789"
    assert [part["text"] for part in parts if "key" in part] == claimed


def test_offsets_count_characters_not_code_units() -> None:
    parts = marked("𝒜𝒜 x", [card(3, 4)])
    assert [part["text"] for part in parts] == ["𝒜𝒜 ", "x"]
