"""Guards the dashboard's addresses: what is read is what was written, and nonsense filters
nothing.
"""

from datetime import date
from urllib.parse import parse_qsl

import pytest

from dashboard.addresses import (
    inbox_address,
    inbox_params,
    inbox_query,
    page_number,
    submission_address,
)
from reviewers.records import Verdict
from reviewers.store.inbox import InboxQuery, ReadAs, Sort, View

QUERIES = {
    "nothing": InboxQuery(),
    "view": InboxQuery(view=View.DISAGREE),
    "everything": InboxQuery(
        view=View.REFUTED,
        text="a&b=c ä",
        reviewer="openai:x/y",
        verdict=Verdict.NOT_READY,
        category="data-leakage",
        criterion=3,
        refuted=True,
        lineage="20251108 #1",
        decision=Verdict.READY,
        offset=100,
        undecided_by="Ada L.",
        since=date(2026, 1, 31),
        until=date(2026, 2, 1),
        attempt=12,
        model="bert/base",
        dataset="sst-2",
        generator="gen=1",
        other="rules",
        other_verdict=Verdict.READY,
        missed_by="openai:x",
        failed_by="openai:y",
        read_by="offline",
        reading=ReadAs.TWO_WAYS,
        proven=False,
        outcome="failed",
        sort=Sort.MISSED,
    ),
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_what_is_read_is_what_was_written(query: InboxQuery) -> None:
    address = inbox_address(query)
    assert inbox_query(dict(parse_qsl(address.partition("?")[2]))) == query


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_a_submissions_address_leads_back_to_the_inbox_as_it_was(query: InboxQuery) -> None:
    params = dict(parse_qsl(submission_address("0123456789abcdef" * 4, query).partition("?")[2]))
    assert params.pop("s") == "0123456789abcdef"
    assert params == inbox_params(query)


@pytest.mark.parametrize(
    "params",
    [
        {"view": "x", "verdict": "maybe", "decision": "", "criterion": "10", "page": "-1"},
        {"criterion": "²", "page": "９", "refuted": "yes"},
        {"page": "99999999999999999999"},
        {
            "since": "2026-02-30",
            "until": "20260201",
            "attempt": "0",
            "outcome": "maybe",
            "sort": "luck",
            "proven": "yes",
        },
    ],
    ids=["unknown words", "odd digits", "huge page", "no such days"],
)
def test_nonsense_filters_nothing(params: dict[str, str]) -> None:
    assert inbox_query(params) == InboxQuery()
    assert page_number(params) == 1
