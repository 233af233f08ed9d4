"""Guards the reviewers side by side: each defect once, in each cell what that reviewer says of it,
and figures that are those of the reviews.
"""

import json
from dataclasses import replace

import pytest

from reviewers.records import Check, FactCheck, Review, Ruling, Span, Statement, Verdict
from reviewers.store import Store
from reviewers.store.submission import load_submission
from tests.builders import make_submission
from tests.dashboard.desk import CONFIRMED, FAILED, MISSED, NAMED, RECORDED, RULES, claim, flag
from tests.dashboard.models import always, configure, model, said, until
from tests.dashboard.screens import components, drawn, open_page, send
from tests.model_server import Fault, ModelServer

PATH = "side-by-side"
READY = Review(reviewer="llm", verdict=Verdict.READY, model="m", text="Fine.", raw="{}")
TOOL = replace(READY, reviewer="sarif:lint", findings=(NAMED,), model=None)


@pytest.fixture
def id(store: Store) -> str:
    """A submission on which a recorded answer, the rules, a model and a tool disagree."""
    submission = make_submission(name="first")
    store.add(submission, (RECORDED, RULES, READY, TOOL))
    return submission.id


def table(id: str) -> dict:  # type: ignore[type-arg]
    return drawn(open_page(PATH, s=id), "side_table")


def row_of(data: dict, title: str) -> dict:  # type: ignore[type-arg]
    return next(row for row in data["rows"] if row["title"] == title)


def test_the_submission_leads_there_and_back(id: str) -> None:
    there = drawn(open_page("submission", s=id, view="decided"), "submission_head")["across"]
    assert there == ["Side by side", f"side-by-side?s={id[:16]}&view=decided"]
    back = drawn(open_page(PATH, s=id, view="decided"), "submission_head")["across"]
    assert back == ["Back to the code", f"submission?s={id[:16]}&view=decided"]


def test_each_defect_is_one_row_with_a_cell_for_whoever_speaks_of_it(id: str) -> None:
    data = table(id)
    names = [one["reviewer"] for one in data["reviewers"]]
    assert names == ["recorded", "llm", "rules", "sarif:lint"]
    row = row_of(data, MISSED.message)
    assert {names[int(at)] for at in row["cells"]} == {"rules", "sarif:lint"}
    rules, tool = (row["cells"][str(names.index(name))][0] for name in ("rules", "sarif:lint"))
    assert (rules["same"], rules["evidence"]) == (True, MISSED.check.evidence)
    assert (tool["words"], tool["check"], tool["severity"]) == (NAMED.message, "confirmed", "major")
    assert (row["place"], row["severity"], row["lead"]) == (
        "src/evaluate.py:5-7",
        "blocker",
        names.index("rules"),
    )
    assert [names[at] for at in row["missed"]] == ["recorded", "llm"]


def test_the_heads_have_the_figures_of_the_reviews(id: str, store: Store) -> None:
    heads = {one["reviewer"]: one for one in table(id)["reviewers"]}
    for stored in load_submission(store, id).reviews:
        review = stored.review
        head = heads[review.reviewer]
        assert head["verdict"] == review.verdict
        assert head["counts"] == {str(check): review.count(check) for check in Check}
    assert heads["rules"]["about"] == "static checks · 0.2 s"


def test_who_gave_no_answer_says_so_and_is_of_no_mind(store: Store) -> None:
    submission = make_submission()
    store.add(submission, (RULES, FAILED))
    recorded, rules = table(submission.id)["reviewers"]
    assert (recorded["spoke"], recorded["failure"]) == (False, FAILED.failure)
    assert (rules["spoke"], recorded["counts"]) == (True, None)


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
    parts = [
        Statement(f"`{name}` is not imported", open_, says=says)
        for name, says in zip(names, told, strict=True)
    ]
    both = claim("Two names are not imported.", id="both", parts=tuple(parts))
    submission = make_submission()
    store.add(submission, (replace(RULES, findings=tuple(found)), replace(READY, findings=(both,))))
    rows = table(submission.id)["rows"]
    assert [row["title"] for row in rows] == ["no json", "no yaml"]
    for row, part in zip(rows, parts, strict=True):
        (cell,) = row["cells"]["0"]
        assert (cell["words"], cell["part_of"]) == (part.claim, both.message)
    assert len({row["id"] for row in rows}) == 2


def test_a_ruling_counts_at_once_and_the_row_stays_the_same_one(id: str, store: Store) -> None:
    at = open_page(PATH, s=id)
    before = row_of(drawn(at, "side_table"), CONFIRMED.message)
    (cell,) = before["cells"]["0"]
    send(at, "side_table", {"kind": "rule", "key": cell["key"], "word": "dismiss", "reason": "no"})
    after = next(row for row in drawn(at, "side_table")["rows"] if row["id"] == before["id"])
    assert (before["state"], after["state"]) == ("confirmed", "refuted")
    assert after["cells"]["0"][0]["ruling"] == {"word": "dismiss", "author": "ada", "reason": "no"}
    (ruling,) = load_submission(store, id).rulings
    assert (ruling.ruling, ruling.blind) == (Ruling.DISMISS, False)


def test_what_a_second_look_took_back_is_told_apart_from_what_was_never_said(
    id: str, store: Store
) -> None:
    first = replace(READY, verdict=Verdict.NOT_READY, findings=(NAMED,), request="q1")
    store.add_review(id, first)
    store.add_review(id, replace(READY, request="q2", revises="q1"))
    data = table(id)
    names = [one["reviewer"] for one in data["reviewers"]]
    row = row_of(data, MISSED.message)
    assert ([names[at] for at in row["back"]], names.index("recorded") in row["missed"]) == (
        ["llm"],
        True,
    )


def test_the_pane_shows_the_lines_and_what_the_code_says_to_each(id: str) -> None:
    at = open_page(PATH, s=id)
    assert drawn(at, "code_pane")["key"] is None
    send(at, "code_pane", {"kind": "look", "key": f"rules/{MISSED.id}"})
    pane = drawn(at, "code_pane")
    assert (pane["place"], pane["marked"], pane["from"]) == ("src/evaluate.py:5-7", [5, 7], 1)
    assert len(pane["lines"]) >= 7
    told = {one["reviewer"]: one for one in pane["told"]}
    assert told["sarif:lint"]["words"] == NAMED.message
    assert told["rules"]["evidence"] == MISSED.check.evidence
    send(at, "code_pane", {"kind": "look", "key": "rules/of-another-submission"})
    assert drawn(at, "code_pane")["key"] is None


def test_blind_mode_hides_it_until_the_person_has_decided(id: str, store: Store) -> None:
    at = open_page(PATH, s=id, in_blind_mode=True)
    assert not {"side_table", "code_pane", "ask_list"} & components(at)
    assert "hidden" in drawn(at, "note_line")["words"]
    assert (
        drawn(open_page("submission", s=id, in_blind_mode=True), "submission_head")["across"]
        is None
    )
    store.decide(id, Verdict.READY, "fine", "ada")
    assert "side_table" in components(open_page(PATH, s=id, in_blind_mode=True))


@pytest.mark.usefixtures("worker")
def test_who_is_being_asked_has_a_column_before_the_answer(id: str) -> None:
    with ModelServer(always(Fault("timeout"))) as server:
        configure(model("slow", server))
        at = open_page(PATH, s=id)
        at.session_state["ask"] = True
        send(at.run(), "ask_list", {"kind": "ask", "names": ["slow"]})
        until(lambda: server.questions)
        head = next(
            one for one in drawn(at.run(), "side_table")["reviewers"] if one["reviewer"] == "slow"
        )
        assert head["started"]
        assert not head["spoke"]


@pytest.mark.usefixtures("worker")
def test_what_came_is_there_without_a_reload(id: str) -> None:
    with ModelServer(always(said("ready"))) as server:
        configure(model("quick", server))
        at = open_page(PATH, s=id)
        at.session_state["ask"] = True
        send(at.run(), "ask_list", {"kind": "ask", "names": ["quick"]})
        until(
            lambda: any(
                one["reviewer"] == "quick" and one["words"] == "ready"
                for one in drawn(at.run(), "side_table")["reviewers"]
            )
        )


@pytest.mark.parametrize("s", ["", "0" * 16])
def test_an_address_that_names_nothing_is_told_in_words(store: Store, s: str) -> None:
    at = open_page(PATH, **({"s": s} if s else {}))
    assert not at.exception
    assert at.info or at.error or "note_line" in components(at)
