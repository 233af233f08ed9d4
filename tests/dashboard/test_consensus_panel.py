"""Guards the summary of the reviews on screen: who agrees, what is suggested and never decided, and
each defect once.
"""

import json
from dataclasses import replace

import pytest

from reviewers.records import (
    Check,
    FactCheck,
    Review,
    Ruling,
    Span,
    Statement,
    Verdict,
)
from reviewers.store import Store
from tests.builders import make_submission
from tests.dashboard.desk import FAILED, MISSED, NAMED, RECORDED, RULES, claim, flag
from tests.dashboard.screens import components, drawn, open_page, parameter, send

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


def matrix(id: str) -> dict:  # type: ignore[type-arg]
    at = open_page("submission", s=id)
    at.session_state["panel"] = "Consensus"
    return drawn(at.run(), "consensus_matrix")


def test_each_defect_is_one_row_with_a_cell_for_each_verdict(store: Store) -> None:
    submission = make_submission()
    store.add(submission, (RULES, replace(READY, findings=(NAMED,)), FAILED))
    data = matrix(submission.id)
    assert [(one["reviewer"], one["sign"]) for one in data["reviewers"]] == [
        ("llm", "L"),
        ("rules", "Ru"),
    ]
    named = next(row for row in data["rows"] if row["title"] == MISSED.message)
    assert [(cell["check"], cell["severity"]) for cell in named["cells"]] == [
        ("confirmed", "major"),
        ("confirmed", "blocker"),
    ]
    assert (named["severity"], named["state"], named["differs"]) == ("blocker", "confirmed", False)
    alone = next(row for row in data["rows"] if row["title"] != MISSED.message)
    assert [cell["check"] for cell in alone["cells"]] == ["", "confirmed"]
    assert alone["differs"]


def test_a_claim_stands_in_the_row_of_each_defect_with_the_part_that_names_it(
    store: Store,
) -> None:
    names = ("json", "yaml")
    told = [
        json.dumps({"not": {"p": "bound", "scope": "src/evaluate.py", "name": name}})
        for name in names
    ]
    found = [
        flag("IM02", Span("src/evaluate.py", 5, 5), id=name, message=f"no {name}", says=says)
        for name, says in zip(names, told, strict=True)
    ]
    open_ = FactCheck(Check.UNVERIFIED, "nobody knows")
    said = [
        Statement(f"`{name}` is not imported", open_, says=says)
        for name, says in zip(names, told, strict=True)
    ]
    both = claim("Two names are not imported.", id="both", parts=tuple(said))
    submission = make_submission()
    store.add(submission, (replace(RULES, findings=tuple(found)), replace(READY, findings=(both,))))
    rows = matrix(submission.id)["rows"]
    assert [row["title"] for row in rows] == ["no json", "no yaml"]
    for row, part in zip(rows, said, strict=True):
        assert row["cells"][0]["said"] == f"{part.claim} (part of: {both.message})"
        assert "llm/both" in row["keys"]


def test_a_ruling_counts_in_the_matrix_at_once(id: str, store: Store) -> None:
    def state() -> str:
        return next(row["state"] for row in matrix(id)["rows"] if row["title"] == MISSED.message)

    assert state() == "confirmed"
    store.rule_on(id, MISSED.id, Ruling.DISMISS, "nobody asked for this", "ada")
    assert state() == "refuted"


def test_a_row_leads_to_the_card_that_gave_its_title(id: str) -> None:
    at = open_page("submission", s=id, f="src/train.py")
    at.session_state["panel"] = "Consensus"
    row = next(
        row for row in drawn(at.run(), "consensus_matrix")["rows"] if row["title"] == MISSED.message
    )
    send(at, "consensus_matrix", {"kind": "open", "file": row["file"], "key": row["key"]})
    assert parameter(at, "file") == "src/evaluate.py"
    assert row["key"] in {card["key"] for card in drawn(at, "code_view")["cards"]}


def test_a_suggestion_that_is_none_can_not_be_taken_over(store: Store) -> None:
    submission = make_submission()
    store.add(
        submission,
        (READY, Review(reviewer="other", verdict=Verdict.NOT_READY, text="It is not.", raw="{}")),
    )
    line = drawn(open_page("submission", s=submission.id), "consensus_line")
    assert (line["verdict"], line["because"][:14]) == (None, "No suggestion:")
