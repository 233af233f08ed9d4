"""Guards the summary of the reviews on screen: who agrees, what is suggested and never decided."""

from dataclasses import replace

import pytest

from reviewers.records import (
    Review,
    Verdict,
)
from reviewers.store import Store
from tests.builders import make_submission
from tests.dashboard.desk import FAILED, RECORDED, RULES
from tests.dashboard.screens import components, drawn, open_page

READY = Review(reviewer="llm", verdict=Verdict.READY, model="m", text="Fine.", raw="{}")


@pytest.fixture
def id(store: Store) -> str:
    """A submission on which three reviewers disagree."""
    submission = make_submission(name="first")
    store.add(submission, (RECORDED, RULES, READY))
    return submission.id


def test_the_line_says_who_agrees_and_why_a_verdict_is_suggested(id: str) -> None:
    line = drawn(open_page("submission", s=id), "consensus_line")
    assert line["agreement"] == "The reviewers disagree: 1 ready, 2 not ready."
    assert (line["words"], line["because"][:36]) == (
        "not ready",
        "Not ready: a blocker is confirmed, s",
    )


@pytest.mark.parametrize(
    ("reviews", "words"),
    [
        ((RULES, READY), "The reviewers disagree: 1 ready, 1 not ready."),
        ((RULES, RECORDED), "Both say not ready."),
        ((RULES, RECORDED, replace(RECORDED, reviewer="llm")), "All 3 say not ready."),
        ((RULES, FAILED), "The only verdict is not ready, 1 failed."),
        ((FAILED, replace(FAILED, reviewer="llm")), "No reviewer gave a verdict."),
    ],
    ids=["two sides", "both", "all", "one failed", "all failed"],
)
def test_agreement_is_told_in_words(store: Store, reviews: tuple[Review, ...], words: str) -> None:
    submission = make_submission()
    store.add(submission, reviews)
    assert drawn(open_page("submission", s=submission.id), "consensus_line")["agreement"] == words


def test_one_review_alone_is_no_consensus(store: Store) -> None:
    submission = make_submission()
    store.add(submission, (RULES,))
    assert "consensus_line" not in components(open_page("submission", s=submission.id))


def test_a_suggestion_that_is_none_can_not_be_taken_over(store: Store) -> None:
    submission = make_submission()
    store.add(
        submission,
        (READY, Review(reviewer="other", verdict=Verdict.NOT_READY, text="It is not.", raw="{}")),
    )
    line = drawn(open_page("submission", s=submission.id), "consensus_line")
    assert (line["verdict"], line["because"][:14]) == (None, "No suggestion:")
