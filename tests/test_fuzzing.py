"""Guards that mutated bundles neither break a review nor are passed over in silence."""

import pytest

from reviewers.settings import sample_bundles
from tests.fuzzing import tried


@pytest.mark.long
def test_mutated_inputs_go_the_whole_way() -> None:
    bundles = [sample_bundles() / name for name in ("gated-sam", "sparse-forecast.txt")]
    done = [tried(number, 0, bundles) for number in range(8)]
    assert [one.trouble for one in done if one.trouble] == []
    assert sum(one.refused for one in done) < 4
