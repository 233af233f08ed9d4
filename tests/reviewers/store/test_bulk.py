"""Guards decisions on many submissions at once: all or none, each a record of its own, and the same
as one by one.
"""

import pytest

from reviewers.errors import StoreError, UnknownSubmission
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, given_reasons, inbox, matching_ids, progress
from reviewers.store.submission import load_submission
from tests.reviewers.store.making import (
    DERIVED,
    NOT_READY,
    READY,
    content_of,
    make_experiment,
    make_review,
    rules_found,
)

REVIEWS = (make_review("recorded", READY), rules_found("r1"))


def filled(store: Store, count: int) -> list[str]:
    """Return the ids of so many submissions that a reviewer calls ready and a rule does not."""
    made = [make_experiment(str(number), f"s{number}") for number in range(count)]
    for each in made:
        store.add(each, REVIEWS)
    return [each.id for each in made]


def test_each_gets_a_record_of_its_own(store: Store) -> None:
    ids = filled(store, 3)
    assert store.decide_many([*ids[:2], ids[0]], NOT_READY, " r1 stops it ", "ada") == 2
    for id in ids[:2]:
        (record,) = load_submission(store, id).decisions
        assert (record.verdict, record.reason, record.author.name) == (
            NOT_READY,
            "r1 stops it",
            "ada",
        )
    assert load_submission(store, ids[2]).decisions == ()
    assert progress(store) == (2, 3)


def test_each_record_says_whether_it_was_made_blind(store: Store) -> None:
    ids = filled(store, 3)
    store.decide_many(ids, READY, "they run", "ada", blind=ids[:1])
    store.decide(ids[2], NOT_READY, "it does not", "bob")
    said = [load_submission(store, id).decisions[0].blind for id in ids]
    assert said == [True, False, None], "of what nobody told it is not known"


def test_what_is_derived_is_as_if_decided_one_by_one(store: Store, url: str) -> None:
    ids = filled(store, 4)
    store.decide_many(ids[:3], READY, "they run", "ada")
    store.decide_many(ids[:1], NOT_READY, "it does not", "bob")
    store.decide_many(ids[1:], None, "", "ada")
    before = content_of(url, DERIVED)
    store.recompute()
    assert content_of(url, DERIVED) == before
    attention = {row.id: row.attention for row in inbox(store, InboxQuery()).rows}
    assert attention == {
        ids[0]: "",
        **dict.fromkeys(ids[1:], "recorded says ready, but 1 confirmed blocker"),
    }


@pytest.mark.parametrize(
    ("more", "reason", "author", "error"),
    [
        pytest.param(["0" * 64], "fine", "ada", UnknownSubmission, id="one is unknown"),
        pytest.param([""], "fine", "ada", UnknownSubmission, id="one is empty"),
        pytest.param([], " ", "ada", StoreError, id="no reason"),
        pytest.param([], "fine", "\u200b", StoreError, id="no author"),
    ],
)
def test_all_or_none(
    store: Store, more: list[str], reason: str, author: str, error: type[StoreError]
) -> None:
    ids = filled(store, 2)
    with pytest.raises(error):
        store.decide_many([*ids, *more], READY, reason, author)
    assert progress(store) == (0, 2)
    assert load_submission(store, ids[0]).decisions == ()


def test_all_that_match_are_found_whatever_the_page_shows(store: Store) -> None:
    ids = filled(store, 5)
    store.decide(ids[0], READY, "it runs", "ada")
    query = InboxQuery(limit=2, offset=2, reviewer="rules", verdict=NOT_READY)
    assert set(matching_ids(store, query)) == set(ids)
    assert set(matching_ids(store, query, undecided=True)) == set(ids[1:])


def test_reasons_come_back_by_verdict_the_frequent_first(store: Store) -> None:
    ids = filled(store, 4)
    store.decide(ids[0], READY, "rare", "ada")
    store.decide_many(ids, READY, "often", "ada")
    store.decide_many(ids, NOT_READY, "no", "ada")
    store.decide_many(ids, READY, "somebody else's", "bob")
    store.decide(ids[0], READY, "x" * 1000, "ada")
    assert given_reasons(store, "ada") == {READY: ("often", "rare"), NOT_READY: ("no",)}
