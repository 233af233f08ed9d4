"""Guards that a reading of which it is known by construction that it is false is never confirmed,
that most are refuted, and that what is so is not.
"""

from tests.reviewers.propositions.mutations import refuted_share, run

_NUMBER = 160  # of the 500 and more that the module checks by hand
_SHARE = 0.8  # that must be refuted


def test_no_false_reading_is_confirmed_nor_a_true_one_refuted_and_most_are_refuted() -> None:
    counted, wrong = run(_NUMBER, seed=18)
    assert not wrong
    assert sum(counted.values()) == _NUMBER
    assert refuted_share(counted) >= _SHARE
