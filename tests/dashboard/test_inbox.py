"""Guards the inbox: what its table says, what filters find, where rows lead, and what an empty
store shows.
"""

from dataclasses import replace

import pytest

from reviewers.records import ResearchContext, Verdict
from reviewers.store import Store
from reviewers.store.inbox import progress
from reviewers.store.submission import load_submission
from tests.builders import make_submission
from tests.dashboard.desk import FAILED, RECORDED, RULES, lineage
from tests.dashboard.screens import components, drawn, open_page, send, set_state

STOPS = {"action": "decide", "verdict": "not_ready", "reason": "EV02 stops them"}


def test_an_empty_store_says_what_to_do(store: Store) -> None:
    at = open_page()
    assert not at.exception
    assert at.subheader[0].value == "No submissions yet"
    assert at.code[0].value == "areachair import PATH…"
    assert len(at.get("file_uploader")) == 1
    assert "inbox_table" not in components(at)


def test_a_row_says_what_each_reviewer_found_without_hovering(store: Store) -> None:
    store.add(make_submission(name="first", attempt=3, lineage="exp"), (RECORDED, RULES))
    data = drawn(open_page(), "inbox_table")
    (row,) = data["rows"]
    reviewers = [one["id"] for one in data["columns"] if one["kind"] == "reviewer"]
    assert reviewers == ["reviewer:recorded", "reviewer:rules"]
    assert (row["name"], row["attempt"]) == ("first", "attempt 3 of 3")
    cells = [row["cells"][id] for id in reviewers]
    assert [[(one["words"], one["counts"]) for one in cell] for cell in cells] == [
        [("not ready", {"confirmed": 1, "refuted": 1, "unverified": 1})],
        [("not ready", {"confirmed": 2, "refuted": 0, "unverified": 0})],
    ]
    assert row["attention"]
    assert row["decision"] is None


def test_a_failed_review_is_no_verdict(store: Store) -> None:
    store.add(make_submission(), (FAILED,))
    (row,) = drawn(open_page(), "inbox_table")["rows"]
    assert [
        (one["verdict"], one["words"], one["failure"]) for one in row["cells"]["reviewer:recorded"]
    ] == [(None, "failed", "the answer is no JSON")]


def test_a_decision_shows_with_its_author_and_counts_as_progress(store: Store) -> None:
    first, second = lineage("exp", 2)
    store.add(first, (RULES,))
    store.add(second, (RULES,))
    store.decide(first.id, Verdict.READY, "I ran it", "grace h.")
    at = open_page()
    rows = {row["name"]: row for row in drawn(at, "inbox_table")["rows"]}
    assert (
        rows["exp_01"]["decided"],
        rows["exp_01"]["decided_by"],
        rows["exp_01"]["initials"],
    ) == ("ready", "grace h.", "GH")
    work = drawn(at, "inbox_views")
    assert (work["decided"], work["total"], work["here"]) == (1, 2, None)
    assert work["next"].startswith(f"submission?s={second.id[:16]}")


def test_filters_go_along_with_every_link_and_stand_above_the_table(store: Store) -> None:
    store.add(make_submission(name="lone"), (RECORDED, RULES))
    at = open_page(
        category="file-structure",
        reviewer="recorded",
        sort="newest",
        since="2020-01-01",
        proven="1",
    )
    (row,) = drawn(at, "inbox_table")["rows"]
    assert row["href"].startswith("submission?s=")
    assert "&category=file-structure" in row["href"]
    bar = drawn(at, "inbox_bar")
    assert [chip["words"] for chip in bar["chips"]] == [
        "Reviewer: recorded",
        "Category: File structure",
        "Generated since: 2020-01-01",
        "Blocker found by the rules: yes",
    ]
    assert bar["sort"] == "newest"
    assert {field["name"] for field in bar["fields"]} >= bar["params"].keys() - {"sort"}


def test_several_are_decided_on_at_once_and_taken_back(store: Store) -> None:
    ids = [one.id for one in lineage("exp", 3)]
    for one in lineage("exp", 3):
        store.add(one, (RULES,))
    at = open_page()
    send(at, "inbox_table", {**STOPS, "ids": ids[:2]})
    data = drawn(at, "inbox_table")
    assert (data["said"]["words"], data["said"]["undo"]) == (
        "Decided 2 submissions not ready: EV02 stops them",
        2,
    )
    assert data["person"]["reasons"]["not_ready"] == ["EV02 stops them"]
    assert [row["decided_by"] for row in data["rows"] if row["decision"]] == ["ada", "ada"]
    send(at, "inbox_table", {"action": "undo"})
    assert {row["decision"] for row in drawn(at, "inbox_table")["rows"]} == {None}
    assert len(load_submission(store, ids[0]).decisions) == 2


def test_taking_back_leaves_what_another_person_decided_meanwhile(store: Store) -> None:
    ids = [one.id for one in lineage("exp", 2)]
    for one in lineage("exp", 2):
        store.add(one, (RULES,))
    at = open_page(view="needs-decision")
    send(at, "inbox_table", {**STOPS, "ids": ids})
    # Nothing is left in this view, and what was just decided is shown and can be taken back all the
    # same.
    data = drawn(at, "inbox_table")
    assert (data["rows"], data["said"]["undo"]) == ([], 2)
    store.decide(ids[0], Verdict.READY, "I ran it", "grace")
    send(at, "inbox_table", {"action": "undo"})
    assert "Undone: 1 decision; 1 stays" in drawn(at, "inbox_table")["said"]["words"]
    assert [load_submission(store, id).decision is not None for id in ids] == [True, False]
    send(at, "inbox_table", {"action": "undo"})
    assert "nothing left to undo" in at.error[0].value


def test_what_others_decided_is_still_open_to_who_has_not(store: Store) -> None:
    (one,) = lineage("exp", 1)
    store.add(one, (RULES,))
    store.decide(one.id, Verdict.READY, "I ran it", "grace")
    for params, is_open in (({}, False), ({"undecided_by": "ada"}, True)):
        at = open_page(**params)
        assert drawn(at, "inbox_table")["rows"][0]["open"] is is_open
        assert bool(drawn(at, "inbox_views")["next"]) is is_open


def test_all_that_match_are_decided_on_only_while_they_are_as_many_as_agreed(store: Store) -> None:
    attempts = lineage("exp", 3)
    for one in attempts:
        store.add(one, (RULES,))
    store.decide(attempts[0].id, Verdict.READY, "I ran it", "grace")
    at = open_page(lineage="exp")
    every = {"action": "decide_all", "verdict": "not_ready", "reason": "all the same", "keep": True}
    send(at, "inbox_table", {**every, "total": 2})
    assert "nothing was decided" in at.error[0].value
    assert progress(store) == (1, 3)
    send(at, "inbox_table", {**every, "total": 3})
    assert not at.error
    by = {row["name"]: row["decided_by"] for row in drawn(at, "inbox_table")["rows"]}
    assert by == {"exp_01": "grace", "exp_02": "ada", "exp_03": "ada"}


@pytest.mark.parametrize(
    "event",
    [{"verdict": "maybe"}, {"reason": " "}, {"ids": ["0" * 64]}],
    ids=["verdict", "reason", "id"],
)
def test_what_cannot_be_decided_is_said_and_changes_nothing(
    store: Store, event: dict[str, object]
) -> None:
    (one,) = lineage("exp", 1)
    store.add(one, (RULES,))
    at = send(open_page(), "inbox_table", {**STOPS, "ids": [one.id], **event})
    assert not at.exception
    assert len(at.error) == 1
    assert progress(store) == (0, 1)


def test_nothing_that_fits_says_what_to_do(store: Store) -> None:
    store.add(make_submission(name="lone"), (RULES,))
    at = open_page(q="nowhere", view="decided", category="file-structure")
    nothing = drawn(at, "inbox_nothing")
    assert nothing["words"] == "No submission matches this view and these filters."
    assert nothing["ways"] == [
        {"words": "Show every submission", "href": "./", "count": 1, "more": False}
    ]
    at = open_page(q="nowhere")
    assert drawn(at, "inbox_nothing")["ways"] == [
        {"words": "Remove Search: nowhere", "href": "./", "count": 1, "more": False}
    ]
    assert [chip["words"] for chip in drawn(at, "inbox_bar")["chips"]] == ["Search: nowhere"]


def test_more_than_a_page_is_cut_into_pages(store: Store) -> None:
    # Each an idea of its own: to recognise the attempts at one costs more with each of them.
    for number in range(53):
        store.add(
            make_submission(name=f"s{number}", context=ResearchContext(method=f"Idea {number}"))
        )
    first, second = open_page(), open_page(page="2")
    names = [{row["name"] for row in drawn(at, "inbox_table")["rows"]} for at in (first, second)]
    assert [len(page) for page in names] == [50, 3]
    assert not names[0] & names[1]
    first_data, second_data, beyond = (
        drawn(at, "inbox_table") for at in (first, second, open_page(page="99"))
    )
    assert (first_data["total"], second_data["offset"], beyond["offset"]) == (53, 50, 50)
    assert first_data["pages"] == {"Next": "./?page=2", "Last": "./?page=2"}
    assert second_data["pages"] == {"First": "./", "Previous": "./"}


@pytest.mark.parametrize(
    "events", [7, [], {"queue": 7}, {"queue": [7]}, {"queue": [{"seq": "1"}, {"action": "undo"}]}]
)
def test_what_no_script_of_ours_sends_does_nothing(store: Store, events: object) -> None:
    store.add(make_submission(), (RULES,))
    assert not set_state(open_page(), "inbox_table", events=events).exception


def test_reviewers_of_few_share_a_column_until_somebody_wants_one(store: Store) -> None:
    first, *others = lineage("exp", 21)
    store.add(replace(first, name="=1+1"), (RULES, replace(RECORDED, reviewer="openai:large")))
    for one in others:
        store.add(one, (RULES,))

    def titles() -> list[str]:
        columns = drawn(at, "inbox_table")["columns"]
        return [each["title"] for each in columns if each["kind"] in ("reviewer", "others")]

    at = open_page()
    assert titles() == ["rules", "+1 reviewer"]
    send(at, "inbox_bar", {"action": "csv"})
    lines = drawn(at, "inbox_bar")["csv"]["text"].splitlines()
    assert len(lines) == 22
    (told,) = (line for line in lines if "1+1" in line)
    assert told.startswith("'=1+1,"), "nothing that a spreadsheet would run"
    assert "openai:large: not ready" in told
    send(at, "inbox_bar", {"action": "columns", "shown": {"reviewer:openai:large": True}})
    assert titles() == ["large", "rules"]
    assert drawn(at, "inbox_bar")["csv"] is None, "a file is given once"
    # It is kept for the person, not for the session.
    at = open_page()
    assert titles() == ["large", "rules"]
    send(at, "inbox_bar", {"action": "columns", "shown": {}})
    assert titles() == ["rules", "+1 reviewer"]


def test_a_blind_persons_file_says_nothing_of_what_others_say(store: Store) -> None:
    (one,) = lineage("exp", 1)
    store.add(one, (RULES,))
    store.decide(one.id, Verdict.READY, "I ran it", "grace")
    at = open_page(in_blind_mode=True)
    send(at, "inbox_bar", {"action": "csv"})
    text = drawn(at, "inbox_bar")["csv"]["text"]
    assert "ready" not in text.splitlines()[1]
    assert "grace" not in text
