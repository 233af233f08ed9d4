"""Guards the summary of the reviews on screen: who agrees, what is suggested and never decided, and
each defect once.
"""

import json
from dataclasses import replace

import pytest

from reviewers.records import (
    Check,
    DryRun,
    FactCheck,
    Failure,
    Followed,
    Review,
    Ruling,
    Span,
    Statement,
    Verdict,
)
from reviewers.store import Store
from tests.builders import make_submission
from tests.dashboard.desk import FAILED, MISSED, NAMED, RECORDED, RULES, SMALL, claim, flag
from tests.dashboard.screens import drawn, open_page, parameter, send

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
    found = sentence(submission.id)
    assert (found["verdict"], found["words"][:14]) == (None, "No suggestion:")
