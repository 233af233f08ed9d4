"""Guards what reviewers are measured by, on both databases: what counts, for whom, what a
reviewer's past is worth, and what says nothing.
"""

from collections.abc import Mapping
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewers.agreement import Confusion
from reviewers.outcomes.outcome import Outcome, Stage
from reviewers.records import Check, Reliability, Review, Ruling, Severity, reliability_name
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
from reviewers.store.reliability import past
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


NEW = Reliability()


def reliabilities(store: Store, without: str | None = None) -> Mapping[str, Reliability]:
    whole = past(store)
    left = whole if without is None else whole.without(past(store, only=without))
    return left.reliabilities


def add(store: Store, name: str, *reviews: Review) -> str:
    submission = make_submission(name)
    store.add(submission, reviews)
    return submission.id


def test_claims_count_by_fact_check_and_open_ones_do_not(store: Store) -> None:
    said = [
        make_finding("yes"),
        make_finding("no", Check.REFUTED),
        make_finding("open", Check.UNVERIFIED),
    ]
    add(store, "x", make_review("openai:a", NOT_READY, *said))
    assert reliabilities(store) == {"openai:a": Reliability(confirmed=1, refuted=1)}


def test_a_persons_rulings_are_counted_in(store: Store) -> None:
    id = add(
        store,
        "x",
        make_review("openai:a", NOT_READY, make_finding("yes"), make_finding("no", Check.REFUTED)),
    )
    store.rule_on(id, "yes", Ruling.DISMISS, "not so", "ana")
    assert reliabilities(store)["openai:a"] == Reliability(refuted=2)
    store.rule_on(id, "yes", Ruling.WITHDRAWN, "", "ana")
    store.rule_on(id, "no", Ruling.CONFIRM, "", "ana")
    assert reliabilities(store)["openai:a"] == Reliability(confirmed=2)


def test_a_verdict_is_measured_by_the_decision_and_without_one_by_the_rules(store: Store) -> None:
    id = add(store, "x", make_review("a", READY), make_review("b", NOT_READY), rules_found("r"))
    assert reliabilities(store) == {
        "a": Reliability(contradicted=1),
        "b": Reliability(upheld=1),
        "rules": NEW,
    }
    store.decide(id, READY, "it ran", "ana")
    assert reliabilities(store) == {
        "a": Reliability(agreed=1),
        "b": Reliability(disagreed=1),
        "rules": Reliability(disagreed=1),
    }
    store.decide(id, None, "", "ana")
    assert reliabilities(store)["a"] == Reliability(contradicted=1)


def test_a_proof_that_a_person_dismisses_or_holds_for_minor_contradicts_nobody(
    store: Store,
) -> None:
    id, other = (add(store, name, make_review("a", READY), rules_found("r")) for name in ("x", "y"))
    assert reliabilities(store)["a"] == Reliability(contradicted=2)
    store.rule_on(id, "r", Ruling.DISMISS, "not so", "ana")
    assert reliabilities(store)["a"] == Reliability(contradicted=1)
    store.remark(other, "r", author="ana", severity=Severity.MINOR)
    assert reliabilities(store)["a"] == NEW


def test_what_only_another_reviewer_found_proves_nothing_against_one(store: Store) -> None:
    add(store, "x", make_review("a", READY), make_review("b", NOT_READY, make_finding()))
    assert reliabilities(store) == {"a": NEW, "b": Reliability(confirmed=1)}


def test_a_failure_is_no_case(store: Store) -> None:
    assert reliabilities(store) == {}
    add(store, "x", make_review("a", None, make_finding()), rules_found("r"))
    assert "a" not in reliabilities(store)


def test_recorded_answers_are_told_apart_by_model(store: Store) -> None:
    answers = [
        make_review("recorded", READY, model=model, raw=str(model)) for model in ("o3", "o4", None)
    ]
    add(store, "x", *answers, rules_found("r"))
    assert set(reliabilities(store)) == {"recorded", "recorded o3", "recorded o4", "rules"}
    assert reliability_name("openai:a", "a-2026") == "openai:a"


def test_a_submission_does_not_speak_for_itself(store: Store) -> None:
    first = add(store, "x", make_review("a", READY), rules_found("r"))
    add(store, "y", make_review("a", NOT_READY), rules_found("r"))
    assert reliabilities(store)["a"] == Reliability(upheld=1, contradicted=1)
    assert reliabilities(store, without=first)["a"] == Reliability(upheld=1)
    assert reliabilities(store, without="unknown") == reliabilities(store)


def test_a_past_is_told_in_words() -> None:
    assert str(NEW) == "nothing known yet"
    past = Reliability(confirmed=12, refuted=3, agreed=3, disagreed=1, upheld=2, contradicted=7)
    assert (
        str(past)
        == "agreed with people in 3 of 4 decisions, saw 2 of 9 submissions that the rules stop as"
        " not ready, 12 of 15 claims confirmed"
    )
    assert past.cases == 28
    assert str(Reliability(agreed=1)) == "agreed with people in 1 of 1 decision"


def test_without_a_past_the_prior_holds_and_one_case_moves_it_little() -> None:
    assert NEW.weight == 0.5
    assert [Reliability(agreed=1).weight, Reliability(disagreed=1).weight] == [0.6, 0.4]
    assert Reliability(confirmed=4).weight == Reliability(agreed=1).weight
    assert Reliability(agreed=98, disagreed=2).weight > 0.95


COUNTS = ("confirmed", "refuted", "agreed", "disagreed", "upheld", "contradicted")


@given(st.fixed_dictionaries(dict.fromkeys(COUNTS, st.integers(0, 10**6))))
def test_weight_grows_with_what_is_right_only(values: dict[str, int]) -> None:
    assert 0 < Reliability(**values).weight < 1
    for name in values:
        weights = [Reliability(**{**values, name: number}).weight for number in (0, 1, 100)]
        right = name in ("confirmed", "agreed", "upheld")
        assert all(one < other if right else one > other for one, other in pairwise(weights))
