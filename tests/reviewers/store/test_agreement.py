"""Guards what reviewers are measured by, on both databases: what counts, for whom, and two answers
of a model as one case.
"""

import pytest

from reviewers.agreement import Confusion
from reviewers.outcomes.outcome import Outcome, Stage
from reviewers.records import Check, Ruling
from reviewers.store import Store
from reviewers.store.agreement import (
    Against,
    GroundTruth,
    TrackRecord,
    together,
    track_records,
)
from reviewers.store.inbox import InboxQuery, inbox
from reviewers.store.outcomes import add_outcome
from tests.reviewers.store.making import (
    NOT_READY,
    READY,
    Clock,
    make_finding,
    make_review,
    make_submission,
    rules_found,
)


@pytest.fixture
def ids(store: Store) -> list[str]:
    """Three submissions: one that the rules stop, one that they do not, one that only they looked
    at.
    """
    wrong = (make_finding("w1", Check.REFUTED), make_finding("w2", Check.UNVERIFIED))
    first, second, third = (make_submission(name) for name in ("first", "second", "third"))
    twice = [make_review("recorded", READY, model="o3", raw=f"answer {n}") for n in (1, 2)]
    other = make_review("recorded", NOT_READY, model=None, raw="answer 3")
    store.add(
        first,
        (
            make_review("a", NOT_READY, *wrong, cost_usd=0.1, seconds=4.0),
            *twice,
            other,
            rules_found("r"),
        ),
    )
    store.add(second, (make_review("a", NOT_READY, cost_usd=0.4), rules_found()))
    store.add(third, (make_review("a", None, cost_usd=0.2), rules_found("r2")))
    return [first.id, second.id, third.id]


def record(store: Store, name: str, truth: GroundTruth, reviewer: str = "") -> TrackRecord:
    return next(
        each for each in track_records(store, Against(truth, reviewer)) if each.name == name
    )


def test_verdicts_stand_beside_decisions_that_are_in_force(store: Store, ids: list[str]) -> None:
    store.decide(ids[0], READY, "it ran", "ada")
    store.decide(ids[0], NOT_READY, "it did not", "grace")
    store.decide(ids[1], READY, "it ran", "ada")
    store.decide(ids[2], NOT_READY, "no", "ada")
    a = record(store, "a", GroundTruth.DECISIONS)
    assert (a.reviews, a.failed, a.beside, a.silent) == (
        2,
        1,
        Confusion(caught=1, alarms=1),
        (1, 0),
    )
    store.decide(ids[1], None, "", "ada")
    assert record(store, "a", GroundTruth.DECISIONS).beside == Confusion(caught=1)


def test_agreement_can_be_computed_on_what_was_decided_blind(store: Store, ids: list[str]) -> None:
    store.decide(ids[0], READY, "it looks sound", "ada", blind=True)
    store.decide(ids[0], NOT_READY, "the reviewer is right", "ada", blind=False)
    store.decide(ids[1], READY, "it ran", "ada")
    store.decide(ids[2], NOT_READY, "no", "ada", blind=True)
    (a,) = (each for each in track_records(store, Against(blind=True)) if each.name == "a")
    assert (a.beside, a.silent) == (Confusion(alarms=1), (1, 0)), "giving in is no agreement"
    assert record(store, "a", GroundTruth.DECISIONS).beside == Confusion(caught=1, alarms=1)
    blind = InboxQuery(reviewer="a", verdict=NOT_READY, blind_decision=READY)
    assert [row.id for row in inbox(store, blind).rows] == [ids[0]], "what the cell counts"
    people = together(store, blind=True).with_people
    assert people is not None
    assert people.ratings == 10, "eight by reviewers, two blind ones by people"
    store.decide(ids[0], None, "", "ada")
    assert inbox(store, blind).total == 0, "nobody's decision stands any more"


def test_two_answers_of_one_model_are_one_case_and_models_are_told_apart(
    store: Store, ids: list[str]
) -> None:
    store.decide(ids[0], NOT_READY, "no", "ada")
    o3, unknown = (
        record(store, f"recorded {model}", GroundTruth.DECISIONS)
        for model in ("o3", "(model unknown)")
    )
    assert (o3.reviews, o3.beside) == (2, Confusion(missed=1))
    assert (unknown.reviews, unknown.beside) == (1, Confusion(caught=1))
    for name, total in (
        ("recorded o3", 1),
        ("recorded (model unknown)", 1),
        ("recorded", 1),
        ("recorded o4", 0),
    ):
        assert inbox(store, InboxQuery(reviewer=name)).total == total


def test_proven_blockers_outcomes_and_other_reviewers_are_measures_too(
    store: Store, ids: list[str]
) -> None:
    assert record(store, "a", GroundTruth.BLOCKERS).beside == Confusion(caught=1, alarms=1)
    assert record(store, "rules", GroundTruth.BLOCKERS).beside is None
    store.rule_on(ids[0], "r", Ruling.DISMISS, "not so", "ada")
    assert record(store, "a", GroundTruth.BLOCKERS).beside == Confusion(alarms=2)
    for id, code in ((ids[0], 1), (ids[1], 0)):
        add_outcome(
            store,
            Outcome(
                submission=id, stage=next(iter(Stage)), exit_code=code, at=Clock().now, source="run"
            ),
        )
    assert record(store, "a", GroundTruth.OUTCOMES).beside == Confusion(caught=1, alarms=1)
    assert record(store, "rules", GroundTruth.REVIEWER, "a").beside == Confusion(caught=1, missed=1)
    assert record(store, "a", GroundTruth.REVIEWER, "a").beside is None
    assert record(store, "a", GroundTruth.RULINGS).beside is None
