"""Guards what the inbox says of a list that is longer than anybody counts."""

from dataclasses import replace

import pytest

from reviewers.store import Store
from reviewers.store.inbox import MOST_COUNTED, InboxQuery, inbox
from tests.builders import make_submission
from tests.dashboard.screens import drawn, open_page, send
from tests.reviewers.store.making import sql

ASKED = InboxQuery(generator="airas")
EVERY = {"action": "decide_all", "verdict": "ready", "reason": "fine", "keep": True}


@pytest.fixture
def long_list(store: Store, url: str) -> Store:
    """One submission more than are counted, copies of one row with other numbers."""
    store.add(replace(make_submission(), generator="airas"))
    for table, changed in (
        ("submissions", {"number": "nth", "id": "printf('%064x', nth)"}),
        ("standings", {"submission": "nth"}),
    ):
        names = [row[1] for row in sql(url, f"PRAGMA table_info({table})")]
        values = ", ".join(changed.get(name, name) for name in names)
        sql(
            url,
            "WITH RECURSIVE copies(nth) AS"
            f" (SELECT 2 UNION ALL SELECT nth + 1 FROM copies WHERE nth <= {MOST_COUNTED})"
            f" INSERT INTO {table} ({', '.join(names)}) SELECT {values} FROM {table}, copies",
        )
    return store


def test_a_list_says_that_there_are_more_than_are_counted(long_list: Store) -> None:
    page = inbox(long_list, ASKED)
    assert (page.total, page.shown, page.more, len(page.rows)) == (10_000, 10_000, True, 50)
    assert inbox(long_list, replace(ASKED, limit=0)).more
    at = open_page(generator="airas")
    table = drawn(at, "inbox_table")
    assert (table["total"], table["more"]) == (10_000, True)
    assert table["pages"] == {"Next": "./?generator=airas&page=2"}
    assert drawn(at, "inbox_views")["here"] is None
    for deed in (EVERY, {"action": "claim"}):
        at = send(at, "inbox_table", {**deed, "total": 10_000})
        assert "more than 10,000 submissions match" in at.error[0].value
    assert drawn(open_page(view="decided"), "inbox_views")["decided"] == 0


def test_pages_beyond_what_is_counted_are_there(long_list: Store) -> None:
    last = drawn(open_page(generator="airas", page="201"), "inbox_table")
    assert (len(last["rows"]), last["total"], last["more"]) == (1, 10_001, False)
    assert last["pages"].keys() == {"First", "Previous"}
    before = drawn(open_page(generator="airas", page="200"), "inbox_table")
    assert (before["more"], [*before["pages"]]) == (True, ["First", "Previous", "Next"])
    assert not {row["id"] for row in last["rows"]} & {row["id"] for row in before["rows"]}
    beyond = drawn(open_page(generator="airas", page="999"), "inbox_table")
    assert beyond["offset"] == last["offset"]
