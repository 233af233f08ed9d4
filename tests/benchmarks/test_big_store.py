"""Guards the store that screens are measured on: what was copied in bulk is what the store itself
would work out.
"""

from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import make_url

from reviewers.store import Store
from reviewers.store.full_record import kept_ids
from reviewers.store.inbox import progress
from reviewers.store.submission import load_submission
from tests.benchmarks.big_store import write_big_store
from tests.reviewers.store.making import DERIVED, content_of, row_counts


@pytest.mark.long
def test_a_big_store_holds_what_the_store_would_work_out_itself(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'big.sqlite3'}"
    write_big_store(Path(str(make_url(url).database)), 200, pattern=80)
    tables = ("submissions", *DERIVED)
    before = content_of(url, tables)
    with closing(Store.open(url)) as store:
        assert content_of(url, tables) == before, "opening works nothing out"
        assert store.recompute() == 200
        assert content_of(url, tables) == before
        decided, total = progress(store)
        assert (total, 0 < decided < 40) == (200, True)
        assert all(load_submission(store, id).submission.id == id for id in kept_ids(store)[::20])
    counts = row_counts(url)
    assert 7 < counts["findings"] / 200 < 12
    assert all(counts[table] for table in ("attempts", "outcomes", "rulings"))
