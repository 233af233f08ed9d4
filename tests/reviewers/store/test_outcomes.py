"""Guards that outcomes of real runs are kept once and for ever, and compared with what the reviews
say now.
"""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from reviewers.errors import StoreError, UnknownSubmission
from reviewers.outcomes import Fate, Fix, Outcome, Stage, outcome_of_fix, outcome_of_run, scores
from reviewers.outcomes.outcome import fix_of
from reviewers.records import Check, Review, Ruling, Span
from reviewers.store import Store
from reviewers.store.outcomes import add_outcome, foresight, linked_outcomes, outcomes_of
from tests.reviewers.store.making import (
    NOT_READY,
    READY,
    content_of,
    make_finding,
    make_review,
    make_submission,
    rules_found,
)

SUBMISSION = make_submission()
AT = datetime(2026, 4, 1, tzinfo=UTC)
OUTPUT = """Traceback (most recent call last):
  File "/work/src/train.py", line 1, in <module>
    print('first')
NameError: name 'epochs' is not defined
"""


def told(id: str = "c1", **fields: object) -> Review:
    return make_review(
        "openai:x",
        NOT_READY,
        make_finding(
            id,
            Check.CONFIRMED,
            category="undefined-name",
            message="NameError: name 'epochs' is not defined",
            **fields,
        ),
    )


def failed(stage: Stage = Stage.TRIAL, output: str = OUTPUT, exit_code: int = 1) -> Outcome:
    return outcome_of_run(SUBMISSION, output, exit_code, stage, AT)[0]


def test_an_outcome_comes_back_equal_and_once(store: Store, url: str) -> None:
    store.add(SUBMISSION)
    assert add_outcome(store, failed())
    before = content_of(url, ["outcomes"])
    assert not add_outcome(store, replace(failed(), at=datetime(2026, 4, 2, tzinfo=UTC)))
    assert content_of(url, ["outcomes"]) == before
    assert add_outcome(store, failed(Stage.FULL))
    assert outcomes_of(store, SUBMISSION.id) == (failed(), failed(Stage.FULL))
    assert failed().spans == (Span("src/train.py", 1, 1),)


def test_hostile_texts_come_back_as_they_were(store: Store) -> None:
    odd = "NUL \0, escape \x1a0041, halves \ud83d\ude00"
    made = replace(failed(), excerpt=odd, message=odd, error=odd, spans=(Span(odd, 1), Span(odd)))
    store.add(SUBMISSION)
    add_outcome(store, made)
    assert outcomes_of(store, SUBMISSION.id) == (made,)


def test_an_outcome_of_what_is_not_kept_is_refused(store: Store) -> None:
    with pytest.raises(UnknownSubmission):
        add_outcome(store, failed())
    store.add(SUBMISSION)
    with pytest.raises(StoreError, match="characters"):
        add_outcome(store, replace(failed(), source="fix " + "x" * 10_000))


def test_a_failure_is_linked_to_the_reviews_of_now_rulings_counted_in(store: Store) -> None:
    store.add(SUBMISSION, (told(), rules_found()))
    add_outcome(store, failed())
    (linked,) = linked_outcomes(store, SUBMISSION.id[:8])
    assert linked.link is not None
    assert (linked.link.fate("openai:x"), linked.link.fate("rules")) == (
        Fate.PREDICTED,
        Fate.MISSED,
    )
    store.rule_on(SUBMISSION.id, "c1", Ruling.DISMISS, "said of another line", "Ann")
    (linked,) = linked_outcomes(store, SUBMISSION.id)
    assert linked.link is not None
    assert linked.link.fate("openai:x") is Fate.MISSED


def test_the_scoreboard_counts_every_outcome_of_every_submission(store: Store) -> None:
    second = make_submission("second")
    store.add(SUBMISSION, (told(), make_review("recorded", READY)))
    store.add(second, (make_review("recorded", READY),))
    store.add(make_submission("never run"), (make_review("recorded", READY),))
    add_outcome(store, failed())
    add_outcome(store, outcome_of_run(second, "done", 0, Stage.FULL, AT)[0])
    found = foresight(store)
    by_reviewer = {score.reviewer: score for score in scores(found.links, found.told)}
    assert (by_reviewer["openai:x"].predicted, by_reviewer["openai:x"].warned) == (1, 1)
    recorded = by_reviewer["recorded"]
    assert (recorded.missed, recorded.let_through, recorded.passed) == (1, 1, 1)


def test_a_failure_of_the_machine_speaks_for_or_against_no_verdict(store: Store) -> None:
    store.add(SUBMISSION, (make_review("recorded", READY),))
    add_outcome(store, failed(output="Killed", exit_code=137))
    (score,) = scores(foresight(store).links, foresight(store).told)
    assert (score.not_reachable, score.let_through, score.passed) == (1, 0, 0)


def test_a_fix_comes_back_with_the_lines_that_it_changed() -> None:
    fix = Fix(
        (Span("src/train.py", 1),), "fix: epochs", removed=("print('first')", "-x"), added=("+y",)
    )
    outcome = outcome_of_fix(SUBMISSION, fix, "a" * 40, Stage.TRIAL, AT)
    assert fix_of(outcome) == fix


def test_a_fix_is_linked_by_its_lines(store: Store) -> None:
    fix = Fix(
        (Span("src/train.py", 1),),
        "[CI] fix",
        removed=("epochs = cfg.epoch",),
        added=("epochs = cfg.epochs",),
    )
    store.add(SUBMISSION, (told(),))
    add_outcome(
        store,
        outcome_of_fix(SUBMISSION, fix, "a" * 40, Stage.TRIAL, AT),
    )
    (linked,) = linked_outcomes(store, SUBMISSION.id)
    assert linked.link is not None
    assert linked.link.fate("openai:x") is Fate.PREDICTED
