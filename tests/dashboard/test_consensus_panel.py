"""Guards the summary of the reviews on screen: who agrees, what is suggested and never decided."""

from dataclasses import replace

import pytest

from reviewers.records import (
    DryRun,
    Failure,
    Followed,
    Review,
    Ruling,
    Span,
    Verdict,
)
from reviewers.store import Store
from tests.builders import make_submission
from tests.dashboard.desk import FAILED, MISSED, RECORDED, RULES, SMALL
from tests.dashboard.screens import drawn, open_page

READY = Review(reviewer="llm", verdict=Verdict.READY, model="m", text="Fine.", raw="{}")


@pytest.fixture
def id(store: Store) -> str:
    """A submission on which three reviewers disagree."""
    submission = make_submission(name="first")
    store.add(submission, (RECORDED, RULES, READY))
    return submission.id


def sentence(id: str) -> dict:  # type: ignore[type-arg]
    """What stands over the decision."""
    return drawn(open_page("submission", s=id), "decision_form")["sentence"]


def test_the_sentence_over_the_decision_names_the_finding_that_decides(id: str) -> None:
    found = sentence(id)
    assert (found["verdict"], found["words"]) == ("not_ready", f"Not ready: {MISSED.message}")
    assert found["card"] == {"file": "src/evaluate.py", "key": f"rules/{MISSED.id}"}
    assert found["reason"].startswith("Not ready: a blocker is confirmed, s")


def test_it_says_where_a_run_stops_and_the_page_opens_there(store: Store) -> None:
    stops = Failure(
        step="main",
        command="python -m src.main run=a",
        error="NameError",
        message="name 'x' is not defined",
        place=Span("src/model.py", 3),
        starts=4,
        finding=SMALL.id,
    )
    met = DryRun((Followed("main", "python -m src.main run=a", 4, 2, 2),), (stops,))
    submission = make_submission()
    store.add(submission, (replace(RULES, dry_run=met), RECORDED))
    found = sentence(submission.id)
    stops = "Not ready: every run stops at `src/model.py:3`: NameError"
    assert (found["words"], found["reason"]) == (stops, f"{stops}: name 'x' is not defined")
    assert (found["at"]["file"], found["at"]["line"]) == ("src/model.py", 3)
    # It opens at the finding that tells of it, although others weigh more.
    at = open_page("submission", s=submission.id)
    assert drawn(at, "code_view")["focus"]["key"] == f"rules/{SMALL.id}"
    store.rule_on(submission.id, SMALL.id, Ruling.DISMISS, "it is defined", "ann")
    assert sentence(submission.id)["card"]["key"] == f"rules/{MISSED.id}"


def test_without_a_review_or_blind_there_is_no_sentence(store: Store) -> None:
    submission = make_submission()
    store.add(submission)
    assert sentence(submission.id) is None
    store.add(submission, (RULES,))
    at = open_page("submission", s=submission.id, in_blind_mode=True)
    assert drawn(at, "decision_form")["sentence"] is None


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
    found = drawn(open_page("side-by-side", s=submission.id), "side_table")
    assert found["agreement"] == words


def test_a_suggestion_that_is_none_can_not_be_taken_over(store: Store) -> None:
    submission = make_submission()
    store.add(
        submission,
        (READY, Review(reviewer="other", verdict=Verdict.NOT_READY, text="It is not.", raw="{}")),
    )
    found = sentence(submission.id)
    assert (found["verdict"], found["words"][:14]) == (None, "No suggestion:")
