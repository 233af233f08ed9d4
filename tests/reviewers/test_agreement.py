"""Guards the measures of agreement: they give what the literature gives, and say nothing where
nothing can be said.
"""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewers.agreement import Confusion, alpha, difference, kappa

# Fleiss, Levin & Paik, Statistical Methods for Rates and Proportions (3rd ed. 2003), table 18.1:
# diagnoses of 100 subjects.
DIAGNOSES = ((75, 1, 4), (5, 4, 1), (0, 0, 10))
# SAS/STAT, PROC FREQ, "Agreement Study Example": two dermatologists on the skin of 88 patients.
SKIN = ((10, 4, 1, 0), (5, 10, 12, 2), (2, 4, 12, 5), (0, 2, 6, 13))
# Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability": example A (binary, two
# observers), example C (four, with gaps).
TWO = ("0100000010", "1110010000")
FOUR = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def counted(*observers: str) -> Counter[tuple[int, ...]]:
    units = zip(*observers, strict=True)
    return Counter(tuple(unit.count(value) for value in "012345") for unit in units)


@pytest.mark.parametrize(
    ("table", "value", "low", "high", "tolerance"),
    [
        pytest.param(DIAGNOSES, 0.68, 0.51, 0.85, 6e-3, id="fleiss"),
        pytest.param(SKIN, 0.3449, 0.2030, 0.4868, 5e-5, id="sas"),
    ],
)
def test_kappa_and_its_interval_are_those_of_published_examples(
    table: tuple[tuple[int, ...], ...], value: float, low: float, high: float, tolerance: float
) -> None:
    found = kappa(table)
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((value, low, high), abs=tolerance)
    assert found.cases == sum(map(sum, table))


@pytest.mark.parametrize(
    ("observers", "value", "units"),
    [pytest.param(TWO, 0.095, 10, id="two"), pytest.param(FOUR, 0.743, 11, id="gaps")],
)
def test_alpha_is_that_of_published_examples(
    observers: tuple[str, ...], value: float, units: int
) -> None:
    found = alpha(counted(*observers).items())
    assert found is not None
    assert found.value == pytest.approx(value, abs=5e-4)
    assert found.units == units


@pytest.mark.parametrize(
    ("one", "other", "low", "high"),
    [
        pytest.param((56, 70), (48, 80), 0.0524, 0.3339, id="both in the middle"),
        pytest.param((9, 10), (3, 10), 0.1705, 0.8090, id="few"),
        pytest.param((6, 7), (2, 7), 0.0582, 0.8062, id="fewer"),
        pytest.param((5, 56), (0, 29), -0.0381, 0.1926, id="none on one side"),
        pytest.param((10, 10), (0, 10), 0.6075, 1.0, id="all and none"),
    ],
)
def test_the_interval_of_a_difference_is_that_of_newcombe(
    one: tuple[int, int], other: tuple[int, int], low: float, high: float
) -> None:
    """Statistics in Medicine 17 (1998), table II, method 10."""
    found = difference(*one, *other)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)
    assert difference(0, 0, *other) is None


def test_without_variance_nothing_is_said() -> None:
    assert kappa(((0, 0), (0, 7))) is None
    assert kappa(((0, 0), (0, 0))) is None
    assert alpha([((0, 3), 5)]) is None
    assert alpha([((1, 0), 5), ((0, 1), 5)]) is None
    assert alpha([]) is None
    nothing = Confusion()
    assert (nothing.accuracy, nothing.precision, nothing.recall, nothing.f1, nothing.kappa) == (
        None,
    ) * 5


def test_perfect_agreement_has_no_interval_to_boast_of() -> None:
    found = Confusion(caught=3, passed=4).kappa
    assert found is not None
    assert (found.value, found.low, found.high, found.words) == (1.0, None, None, "almost perfect")
    stubborn = Confusion(caught=5, alarms=4).kappa
    assert stubborn is not None
    assert (stubborn.value, stubborn.low, stubborn.words) == (0.0, None, "none beyond chance")
    contrary = kappa(((0, 20), (20, 0)))
    assert contrary is not None
    assert (contrary.value, contrary.words) == (
        -1.0,
        "none beyond chance",
    )  # without an interval nothing more is said
    against = kappa(((1, 20), (20, 1)))
    assert against is not None
    assert against.words == "less than by chance"


@given(st.lists(st.integers(0, 50), min_size=4, max_size=4))
def test_figures_stay_within_their_bounds_and_do_not_care_who_is_first(counts: list[int]) -> None:
    caught, missed, alarms, passed = counts
    found, turned = (
        Confusion(caught, missed, alarms, passed),
        Confusion(caught, alarms, missed, passed),
    )
    for share in (found.accuracy, found.precision, found.recall):
        assert share is None or 0 <= share.low <= share.share <= share.high <= 1
    assert (found.kappa is None) == (turned.kappa is None)
    if found.kappa and turned.kappa:
        assert -1 <= (found.kappa.low or -1) <= found.kappa.value <= (found.kappa.high or 1) <= 1
        assert found.kappa.value == pytest.approx(turned.kappa.value)
        assert found.kappa.low == (turned.kappa.low and pytest.approx(turned.kappa.low))


@given(st.lists(st.lists(st.sampled_from("ab"), min_size=0, max_size=4), min_size=1, max_size=12))
def test_alpha_is_one_minus_observed_over_expected_disagreement(units: list[list[str]]) -> None:
    paired = [unit for unit in units if len(unit) > 1]
    ratings = [rating for unit in paired for rating in unit]
    observed = sum(
        2 * (a != b) / (len(unit) - 1) for unit in paired for a, b in combinations(unit, 2)
    ) / max(1, len(ratings))
    expected = [a != b for a, b in combinations(ratings, 2)]
    found = alpha(Counter((unit.count("a"), unit.count("b")) for unit in units).items())
    assert (found is None) == (not any(expected))
    if found is not None:
        assert found.value == pytest.approx(1 - observed / (sum(expected) / len(expected)))
