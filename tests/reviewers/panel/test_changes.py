"""Guards what is said of a rebuttal: nothing is withdrawn and kept at once, and the count of
repaired errors is true.
"""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewers.panel.changes import changes
from reviewers.records import Check, FactCheck, Finding, Found, Place, Review, Severity, Span
from tests.reviewers.store.making import NOT_READY, READY, make_review


def finding(
    id: str,
    line: int = 1,
    message: str = "",
    result: Check = Check.UNVERIFIED,
    kind: str = "nonexistent-api",
) -> Finding:
    span = Span("src/train.py", line)
    return Finding(
        id=id,
        category=kind,
        kind=kind,
        severity=Severity.BLOCKER,
        message=message or f"`{id}_name` is missing",
        claim="said",
        span=span,
        places=(Place(span, Found.LINE),),
        check=FactCheck(result, "so it is"),
    )


WRONG, WRONG_TOO = (
    finding("wrong", result=Check.REFUTED),
    finding("wrong2", 30, result=Check.REFUTED),
)
DOUBTFUL, SURE = finding("doubtful", 60), finding("sure", 90, result=Check.CONFIRMED)
POSITIONAL = json.dumps({"p": "command_line", "file": "src/evaluate.py", "style": "positional"})
MISSED = Finding(
    id="r",
    category="cli-contract",
    severity=Severity.BLOCKER,
    message="positionals",
    rule="EV01",
    span=Span("src/evaluate.py", 5),
    check=FactCheck(Check.CONFIRMED, "so it is"),
    says=POSITIONAL,
)
TAKEN_UP = finding("cli", 5, "uses positional arguments", kind="cli-contract")
TAKEN_UP = replace(TAKEN_UP, span=MISSED.span, says=POSITIONAL)


def said(*findings: Finding, verdict: object = NOT_READY) -> Review:
    return make_review("a", verdict, *findings)  # type: ignore[arg-type]


def test_what_is_gone_kept_and_new_is_told_apart() -> None:
    made = changes(
        said(WRONG, WRONG_TOO, DOUBTFUL, SURE),
        said(SURE, TAKEN_UP, WRONG_TOO, verdict=READY),
        [MISSED],
    )
    assert (made.before, made.after) == (NOT_READY, READY)
    assert made.withdrawn == (WRONG, DOUBTFUL)
    assert made.kept == ((WRONG_TOO, WRONG_TOO), (SURE, SURE))
    assert made.new == (TAKEN_UP,)
    counts = (made.refuted, made.taken_back, made.shown, made.taken_up, made.further)
    assert counts == (2, 1, 1, 1, 0)
    assert (
        made.summary
        == "Now ready instead of not ready: it took back 1 of 2 refuted findings, withdrew 1"
        " finding that nothing refutes and took up 1 of 1 missed blocker."
    )


def test_a_finding_in_other_words_is_kept() -> None:
    reworded = finding("other id", 2, "the library has no `doubtful_name`")
    before = finding("first", 1, "`doubtful_name` was never there")
    assert changes(said(before), said(reworded)).kept == ((before, reworded),)


def test_each_is_matched_once_and_the_surest_pair_first() -> None:
    one, two = (
        finding("one", 1, "nobody ever wrote `some_name`"),
        finding("two", 2, "`some_name` is missing in the loop"),
    )
    exact = finding("three", 2, "in the loop `some_name` is missing")
    made = changes(said(one, two), said(exact))
    assert made.kept == ((two, exact),)
    assert made.withdrawn == (one,)


def test_an_id_goes_before_words() -> None:
    moved = finding("wrong", 900, "other words")
    alike = finding("alike", 1, WRONG.message)
    made = changes(said(WRONG), said(alike, moved))
    assert made.kept == ((WRONG, moved),)
    assert made.new == (alike,)


def test_a_refuted_claim_takes_up_no_missed_blocker() -> None:
    refuted = replace(TAKEN_UP, check=WRONG.check)
    made = changes(said(), said(refuted), [MISSED])
    assert (made.taken_up, made.further) == (0, 1)
    assert "took up 0 of 1 missed blocker and added 1 finding" in made.summary


SUMMARIES = {
    "nothing changed": (said(SURE), said(SURE), "Still not ready: it changed no finding."),
    "no second verdict": (
        said(SURE),
        said(verdict=None),
        "It gave no second verdict: the first one stands.",
    ),
    "no first verdict": (
        said(verdict=None),
        said(SURE, DOUBTFUL),
        "Now not ready: it added 2 findings.",
    ),
    "all taken back": (
        said(WRONG, WRONG_TOO),
        said(verdict=READY),
        "Now ready instead of not ready: it took back 2 of 2 refuted findings.",
    ),
}


@pytest.mark.parametrize(("before", "after", "summary"), SUMMARIES.values(), ids=SUMMARIES)
def test_a_change_is_told_in_one_sentence(before: Review, after: Review, summary: str) -> None:
    assert changes(before, after).summary == summary


def test_a_failed_second_look_withdraws_nothing() -> None:
    made = changes(said(WRONG, SURE), said(verdict=None), [MISSED])
    assert (made.withdrawn, made.kept, made.new) == ((), (), ())
    assert (made.taken_back, made.taken_up) == (0, 0)


FINDINGS = st.lists(
    st.builds(
        finding,
        st.sampled_from("abcde"),
        st.integers(1, 20),
        st.sampled_from(
            ["`os` is missing", "missing: `os`", "`sys` stops it", "nothing works here"]
        ),
        st.sampled_from(Check),
    ),
    max_size=8,
)


@settings(max_examples=80, deadline=None)
@given(FINDINGS, FINDINGS)
def test_changes_divide_both_reviews(before: list[Finding], after: list[Finding]) -> None:
    made = changes(said(*before), said(*after))
    ids = [list(map(id, findings)) for findings in (before, after)]
    assert sorted(ids[0]) == sorted(map(id, [*made.withdrawn, *(one for one, _ in made.kept)]))
    assert sorted(ids[1]) == sorted(map(id, [*made.new, *(other for _, other in made.kept)]))
    assert made.taken_back <= made.refuted
