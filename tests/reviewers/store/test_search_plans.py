"""Guards that words are looked up in an index alone, whatever the database expects to find."""

from contextlib import closing

import pytest
from sqlalchemy import func, select

from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, View, inbox
from tests.reviewers.store.making import make_submission, plans, sql

QUERIES = [
    InboxQuery(text="loss"),
    InboxQuery(text="loss gates", view=View.NEEDS_DECISION, undecided_by="Ann"),
    InboxQuery(text="loss", limit=3, offset=99 * 3),
    InboxQuery(text="nowhere"),
]
_COPIES = 300


@pytest.fixture
def filled(postgresql_url: str) -> str:
    """The URL of a store of which each submission holds the same words, at length, as the server
    knows.
    """
    with closing(Store.open(postgresql_url)) as store:
        store.add(make_submission("one"))
        tell_what_was_done(store)
    beyond = f"generate_series(1000, {1000 + _COPIES - 1}) AS copy"
    columns = "imported_at, name, source, likeness"
    prose = "repeat(md5(copy::text) || ' ', 500)"
    for statement in (
        f"INSERT INTO submissions (number, id, {columns})"
        f" SELECT copy, md5(copy::text) || md5(copy::text), {columns} FROM submissions, {beyond}",
        "INSERT INTO search_texts (submission, text, words)"
        f" SELECT copy, 'the loss of gates ' || {prose}, 'the loss of gates '"
        f" || rtrim({prose}) FROM {beyond}",
        "INSERT INTO standings SELECT (jsonb_populate_record(standings, jsonb_build_object("
        f"'submission', copy))).* FROM standings, {beyond}",
        "ANALYZE",
    ):
        sql(postgresql_url, statement)
    return postgresql_url


def tell_what_was_done(store: Store) -> None:
    """Let the server count what the connection did; by itself it does so some time later."""
    with store.reading() as connection:
        connection.execute(select(func.pg_stat_force_next_flush()))


def scans(url: str) -> tuple[int, int, int]:
    """How often the words' index was asked, any other index of the texts, and the texts."""
    ((words,),) = sql(
        url,
        "SELECT idx_scan FROM pg_stat_user_indexes"
        " WHERE schemaname = current_schema() AND indexrelname = 'search_index'",
    )
    ((others, texts),) = sql(
        url,
        "SELECT idx_scan, seq_scan FROM pg_stat_user_tables"
        " WHERE schemaname = current_schema() AND relname = 'search_texts'",
    )
    return words, others - words, texts


@pytest.mark.postgresql
@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.text)
def test_a_fresh_connection_asks_the_index_once_a_question(filled: str, query: InboxQuery) -> None:
    before = scans(filled)
    with closing(Store.open(filled)) as store, plans("EXPLAIN") as found:
        page = inbox(store, query)
        tell_what_was_done(store)
    assert page.total == (0 if query.text == "nowhere" else _COPIES)
    words, others, texts = (now - then for now, then in zip(scans(filled), before, strict=True))
    assert words == 1, "the count and the page are one question"
    assert (others, texts) == (0, 0), "no plan reads the words of the rows"
    asked = [plan for plan in found if "areachair_holding" in plan]
    assert len(asked) == 1
    assert all("hashed SubPlan" in plan for plan in asked), "and it is asked once for all rows"
