"""Guards the figures of the scoreboard: counts, shares and their intervals."""

import pytest

from reviewers.agreement import wilson
from reviewers.exports.outcomes_page import outcomes_page
from reviewers.outcomes.linking import Fate, LinkedFailure
from reviewers.outcomes.scoreboard import Score, ScoredVerdict, by_category, scores, sum_of
from reviewers.records import Verdict

LINKS = (
    LinkedFailure("hydra-composition", True, {"rules": ("a",), "o3": ()}),
    LinkedFailure("hydra-composition", True, {"rules": ("b", "c"), "o3": ("d",)}),
    LinkedFailure("packaging-invalid", True, {"rules": (), "o3": ()}),
    LinkedFailure("environment", False, {"rules": (), "o3": ()}),
    LinkedFailure("environment", False, {"rules": ("e",)}),
)
STANDINGS = (
    ScoredVerdict("o3", Verdict.READY, True),
    ScoredVerdict("o3", Verdict.READY, False),
    ScoredVerdict("o3", Verdict.NOT_READY, True),
    ScoredVerdict("o3", Verdict.NOT_READY, False),
    ScoredVerdict("o3", None, True),
    ScoredVerdict("o3", Verdict.READY, None),
)


def test_fates_are_counted_by_reviewer_the_best_first() -> None:
    assert scores(LINKS, STANDINGS) == (
        Score("rules", predicted=3, missed=1, not_reachable=1),
        Score(
            "o3",
            predicted=1,
            missed=2,
            not_reachable=1,
            warned=1,
            false_alarms=1,
            passed=1,
            let_through=1,
        ),
    )


# Worked out with the formula of Wilson's paper, and the same as in published tables.
@pytest.mark.parametrize(
    ("hits", "cases", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (81, 263, 0.2553, 0.3662),
    ],
)
def test_a_share_has_its_wilson_interval(hits: int, cases: int, low: float, high: float) -> None:
    found = wilson(hits, cases)
    assert found is not None
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


def test_shares_are_of_what_could_be_known_beforehand_and_of_both_sides() -> None:
    rules, o3 = scores(LINKS, STANDINGS)
    assert rules.foresight is not None
    assert rules.foresight.share == 0.75, "what is not reachable lowers no share"
    assert o3.precision is not None
    assert o3.caught is not None
    assert (o3.precision.share, o3.caught.share) == (0.5, 0.5)
    assert wilson(0, 0) is None
    assert Score("o3", not_reachable=3).foresight is None


def test_categories_come_with_the_most_frequent_first() -> None:
    assert {name: score.predicted for name, score in by_category(LINKS, "rules").items()} == {
        "environment": 1,
        "hydra-composition": 2,
        "packaging-invalid": 0,
    }


def test_several_scores_add_up() -> None:
    assert sum_of([Score("a", predicted=1), Score("b", predicted=2, missed=1)], "both") == Score(
        "both", predicted=3, missed=1
    )


def test_the_page_shows_shares_with_intervals_and_says_what_is_unknown() -> None:
    page = outcomes_page([*scores(LINKS, STANDINGS), Score("gone", not_reachable=1)])
    assert "| rules    |        5 |         3 |      1 |             1 | 75% (30% to 95%) |" in page
    assert "| gone     |        1 |         0 |      0 |             1 |          unknown |" in page
    assert "50% (9% to 91%)" in page
    assert outcomes_page([Score("o3")]) == "No real run and no fix is recorded yet.\n"
    assert "a\\|b\\n" in outcomes_page([Score("a|b\n", predicted=1)]), "no name breaks the table"
    assert [fate.value for fate in Fate] == ["predicted", "missed", "not-reachable"]
