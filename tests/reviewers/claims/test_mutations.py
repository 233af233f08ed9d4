"""Guards that small changes to a real review crash nothing and turn no true claim into a refuted
one.
"""

import pytest

from tests.reviewers.claims.mutating import run
from tests.shared_data import needs_shared


@pytest.mark.long
@needs_shared
def test_random_changes_crash_nothing_and_refute_nothing_that_is_true() -> None:
    assert run(24, seed=7, each=3) == []
