"""Guards what is known of earlier questions: answers, rebuttals, and that a failure takes
nothing back.
"""

from dataclasses import replace

from reviewers.records import Review, Verdict
from reviewers.store import Store
from reviewers.store.kept_answers import kept_answer, last_word, newest_answer
from reviewers.store.submission import load_submission
from tests.builders import make_submission

ASKED, AGAIN = "a" * 64, "b" * 64
FIRST = Review(reviewer="m", verdict=Verdict.NOT_READY, raw="first", request=ASKED)
SECOND = replace(FIRST, verdict=Verdict.READY, raw="second")
REVISED = Review(reviewer="m", verdict=Verdict.READY, raw="revised", request=AGAIN, revises=ASKED)
FAILED = Review(reviewer="m", verdict=None, failure="no connection", request=ASKED)


def kept(store: Store, *reviews: Review) -> str:
    """Keep reviews one after the other; return the submission's id."""
    submission = make_submission()
    store.add(submission)
    for review in reviews:
        store.add_review(submission.id, review)
    return submission.id


def test_the_newest_answer_counts_even_where_it_was_given_before(store: Store) -> None:
    id = kept(store, FIRST, SECOND, FIRST)
    assert kept_answer(store, id, "m", ASKED) == FIRST


def test_nothing_is_known_of_other_reviewers_requests_and_submissions(store: Store) -> None:
    id = kept(store, FIRST)
    assert kept_answer(store, id, "n", ASKED) is None
    assert kept_answer(store, id, "m", AGAIN) is None
    assert kept_answer(store, "f" * 64, "m", ASKED) is None


def test_a_second_look_has_the_last_word_and_both_answers_are_kept(store: Store) -> None:
    id = kept(store, FIRST, REVISED)
    assert last_word(store, id, "m", ASKED) == REVISED
    assert kept_answer(store, id, "m", ASKED) == FIRST
    (stored,) = load_submission(store, id).reviews
    assert (stored.review, stored.before) == (REVISED, FIRST)


def test_a_failure_takes_no_verdicts_place(store: Store) -> None:
    id = kept(store, FIRST, FAILED)
    assert last_word(store, id, "m", ASKED) == FIRST
    assert newest_answer(store, id, "m", ASKED) == FAILED
    assert [stored.review for stored in load_submission(store, id).reviews] == [FIRST]


def test_a_verdict_takes_a_failures_place(store: Store) -> None:
    id = kept(store, FAILED, FIRST)
    assert [stored.review for stored in load_submission(store, id).reviews] == [FIRST]


def test_the_same_answer_to_another_question_is_another_review(store: Store) -> None:
    id = kept(store, FIRST, replace(FIRST, request=AGAIN))
    assert kept_answer(store, id, "m", AGAIN) is not None
