"""Guards the consensus: what is proven decides, else weight does, and nothing is suggested from
nothing.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewers.panel.consensus import Consensus, consensus
from reviewers.records import Check, Reliability, Review, Severity, Verdict
from tests.reviewers.store.making import NOT_READY, READY, make_finding, make_review, rules_found

MINOR = {"severity": Severity.MINOR}
OPEN = make_finding("open", Check.UNVERIFIED)
REFUTED = make_finding("wrong", Check.REFUTED)
PROVEN = make_finding("shown", Check.CONFIRMED)
GOOD, BAD = Reliability(confirmed=40, agreed=8), Reliability(refuted=40, disagreed=8)
NOBODY: Mapping[str, Reliability] = {}


def ready(name: str = "a") -> Review:
    return make_review(name, READY)


def not_ready(name: str, *findings: object, **fields: object) -> Review:
    return make_review(name, NOT_READY, *findings, **fields)  # type: ignore[arg-type]


def agreed(*reviews: Review, worths: Mapping[str, Reliability] = NOBODY) -> Consensus:
    return consensus({review.reviewer: review for review in reviews}, worths)


CASES = {
    "nobody": ((), None, "no reviews yet"),
    "only failed ones": (
        (make_review("a", None), make_review("b", None)),
        None,
        "no reviewer gave a verdict",
    ),
    "all ready": (
        (ready("a"), ready("b"), rules_found()),
        READY,
        "no blocker is confirmed, and all verdicts that count",
    ),
    "one ready, one failed": (
        (ready("a"), make_review("b", None)),
        READY,
        "the only verdict that counts is that of a 0.50 (no past)",
    ),
    "a rule's proof against two": (
        (ready("a"), ready("b"), rules_found("r")),
        NOT_READY,
        "src/train.py:1: message of r (rules proves it)",
    ),
    "a claim's proof": (
        (ready("a"), not_ready("b", PROVEN)),
        NOT_READY,
        "b found it and the code bears it out",
    ),
    "more proofs": (
        (rules_found("r", span=None), not_ready("b", PROVEN)),
        NOT_READY,
        "(rules proves it, and 1 more is confirmed)",
    ),
    "one against one, equal": (
        (ready("a"), not_ready("b", OPEN)),
        None,
        "the verdicts weigh the same",
    ),
    "two against one": (
        (ready("a"), not_ready("b", OPEN), not_ready("c", OPEN)),
        NOT_READY,
        "by weight it is not ready b 0.50",
    ),
    "without ground against one": (
        (ready("a"), not_ready("b", REFUTED)),
        READY,
        "every blocker that b names is refuted",
    ),
    "only without ground": (
        (not_ready("b", REFUTED),),
        None,
        "nothing is confirmed; every blocker that b names is refuted",
    ),
    "a dismissed rule": (
        (ready("a"), rules_found("r", result=Check.REFUTED)),
        READY,
        "every blocker that rules names is refuted",
    ),
    "one of two refuted": ((ready("a"), not_ready("b", REFUTED, OPEN)), None, "weigh the same"),
    "a proven trifle": (
        (ready("a"), ready("b"), not_ready("c", make_finding("m", **MINOR))),
        READY,
        "by weight it is ready",
    ),
}


@pytest.mark.parametrize(("reviews", "verdict", "reason"), CASES.values(), ids=CASES)
def test_a_verdict_is_suggested_with_its_reason(
    reviews: tuple[Review, ...], verdict: Verdict | None, reason: str
) -> None:
    for order in permutations(reviews):
        made = agreed(*order)
        assert made.suggestion is verdict
        assert reason in made.because
        assert made.because.startswith(
            {READY: "Ready: ", NOT_READY: "Not ready: ", None: "No suggestion: "}[verdict]
        )
        assert made == agreed(*reviews)


def test_a_proven_major_defect_decides_where_the_contract_asks_for_every_criterion() -> None:
    found = make_finding("found", Check.CONFIRMED, severity=Severity.MAJOR)
    reviews = {"a": ready("a"), "b": not_ready("b", found)}
    worths = {"a": GOOD, "b": BAD}
    assert consensus(reviews, worths).suggestion is READY
    made = consensus(reviews, worths, Severity.MAJOR)
    assert made.suggestion is NOT_READY
    assert "every criterion must hold, and a major defect is confirmed" in made.because
    slight = {"a": ready("a"), "b": not_ready("b", replace(found, severity=Severity.MINOR))}
    assert consensus(slight, worths, Severity.MAJOR).suggestion is READY


def test_a_major_claim_that_holds_is_ground_enough_where_every_criterion_must_hold() -> None:
    claimed = (REFUTED, make_finding("open", Check.UNVERIFIED, severity=Severity.MAJOR))
    reviews = {"b": not_ready("b", *claimed)}
    assert [vote.has_ground for vote in consensus(reviews, NOBODY).votes] == [False]
    assert [vote.has_ground for vote in consensus(reviews, NOBODY, Severity.MAJOR).votes] == [True]


def test_weight_decides_where_nothing_is_proven_and_says_on_what_it_rests() -> None:
    reviews = (ready("a"), not_ready("b", OPEN), not_ready("c", OPEN))
    made = agreed(*reviews, worths={"a": GOOD, "b": BAD, "c": BAD})
    assert made.suggestion is READY
    assert (
        "ready a 0.91 (48 cases) against not ready b 0.09 (48 cases) and c 0.09 (48 cases)"
        in made.because
    )
    assert agreed(*reviews, worths={"a": BAD, "b": GOOD}).suggestion is NOT_READY


def test_a_recorded_answer_has_the_past_of_its_model() -> None:
    reviews = {
        "recorded (o3)": make_review("recorded", READY, model="o3"),
        "b": not_ready("b", OPEN),
    }
    assert consensus(reviews, {"recorded o3": GOOD}).suggestion is READY
    assert consensus(reviews, {"recorded o4": GOOD}).suggestion is None


def test_a_difference_that_is_not_shown_decides_nothing() -> None:
    close = {"a": Reliability(agreed=1000, disagreed=1000, confirmed=1)}
    assert agreed(ready("a"), not_ready("b", OPEN), worths=close).suggestion is None


def test_verdicts_are_told_apart_from_failures() -> None:
    made = agreed(ready("a"), make_review("b", None), not_ready("c", OPEN), ready("d"))
    assert (made.ready, made.not_ready, made.failed) == (("a", "d"), ("c",), ("b",))


def test_one_defect_of_two_reviewers_is_one_row() -> None:
    told = make_finding("open", Check.UNVERIFIED, message="`logits` is detached from the graph")
    made = agreed(rules_found("r", names=("logits",)), not_ready("b", told))
    (row,) = made.rows
    assert set(row.mentions) == {"b", "rules"}


def test_a_reason_is_one_short_line_whatever_a_message_holds() -> None:
    made = agreed(rules_found("r", message="a\n" * 5000))
    assert "\n" not in made.because
    assert len(made.because) < 300


REVIEWS = st.dictionaries(
    st.sampled_from(["a", "b", "c", "rules"]),
    st.tuples(
        st.sampled_from([READY, NOT_READY, None]),
        st.lists(
            st.builds(
                make_finding,
                st.sampled_from("xyz"),
                st.sampled_from(Check),
                severity=st.sampled_from(Severity),
            ),
            max_size=3,
        ),
    ),
    max_size=4,
)


@settings(max_examples=80, deadline=None)
@given(
    REVIEWS,
    st.dictionaries(
        st.sampled_from("abc"),
        st.builds(
            Reliability,
            confirmed=st.integers(0, 30),
            refuted=st.integers(0, 30),
            agreed=st.integers(0, 30),
        ),
        max_size=3,
    ),
)
def test_no_order_changes_the_suggestion_and_nothing_proven_is_called_ready(
    given: Mapping[str, tuple[Verdict | None, list[object]]], worths: Mapping[str, Reliability]
) -> None:
    reviews = {
        name: make_review(name, verdict, *findings) for name, (verdict, findings) in given.items()
    }  # type: ignore[arg-type]
    made = consensus(reviews, worths)
    assert consensus(dict(reversed(reviews.items())), worths) == made
    proven = any(row.proof for row in made.rows)
    assert (
        made.suggestion is NOT_READY
        if proven
        else made.suggestion in {vote.verdict for vote in made.votes} | {None}
    )
    if not proven and not any(vote.has_ground for vote in made.votes):
        assert made.suggestion is None
