"""Guards a submission beside its other attempts: what happened to code, files and findings."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from reviewers.records import ResearchContext
from reviewers.store import Store
from reviewers.store.lineages import lineage_of
from tests.builders import make_submission
from tests.dashboard.attempted import TRAIN, Attempted, keep_attempts
from tests.dashboard.screens import drawn, open_page, parameter, send

SHARED = ResearchContext(method="Shorten the tail.")


@pytest.fixture
def ids(store: Store) -> Attempted:
    """Three attempts of one lineage, and another submission."""
    return keep_attempts(store)


def opened(ids: Attempted, **params: str) -> AppTest:
    at = open_page("submission", **{"s": ids.third[:16], "file": "src/train.py", **params})
    assert not at.exception
    return at


def test_a_file_stands_beside_the_one_that_it_was(ids: Attempted) -> None:
    data = drawn(opened(ids, against=ids.second[:16]), "code_view")
    assert data["diff"]["steps"] == [[44], [2, 1], [1]]
    assert ["".join(tokens[1::2]).strip() for tokens in data["diff"]["gone"]] == [
        "rate = cfg.lr",
        "stop = cfg.stop",
    ]
    words = [
        text
        for kind, text in zip(data["lines"][44][::2], data["lines"][44][1::2], strict=True)
        if kind.endswith("w")
    ]
    assert words in (["optim."], [".optim"])
    assert data["diff"]["inked"] == data["diff"]["steps"]


def test_white_space_may_count_for_nothing(store: Store) -> None:
    indented = TRAIN.replace("    ", "  ", 3).replace("stop = cfg.stop", "stop  =  cfg.end")
    ids = keep_attempts(store, TRAIN, indented)
    diff = drawn(opened(ids, against=ids.second[:16]), "code_view")["diff"]
    changed = [step for step in diff["steps"] if len(step) > 1]
    assert sum(gone for gone, _ in changed) == 4
    assert [step for step in diff["inked"] if len(step) > 1] == [[1, 1]]


def test_every_finding_says_what_became_of_it(ids: Attempted) -> None:
    at = opened(ids, against=ids.second[:16])
    data = drawn(at, "findings_list")
    assert {card["rule"]: card["fate"] for card in data["cards"]} == {
        "TR01": "unchanged",
        "MO02": "new",
        "EV09": "returned",
    }
    assert data["tally"] == [
        ["fixed", "fixed", 1],
        ["dropped", "gone", 1],
        ["unchanged", "stayed", 1],
        ["new", "came", 1],
        ["returned", "came back", 1],
    ]
    assert [(gone["rule"], gone["fate"], gone["file"], gone["line"]) for gone in data["gone"]] == [
        ("", "dropped", "src/train.py", 5),
        ("HY05", "fixed", "src/train.py", 46),
    ]
    assert [past["rule"] for past in drawn(at, "code_view")["diff"]["past"]] == ["", "HY05"]


def test_against_an_older_attempt_nothing_has_come_back(ids: Attempted) -> None:
    data = drawn(opened(ids, against=ids.first[:16]), "findings_list")
    assert {card["rule"]: card["fate"] for card in data["cards"]} == {
        "TR01": "unchanged",
        "MO02": "new",
        "EV09": "unchanged",
    }


def test_files_say_what_became_of_them_and_a_removed_one_can_be_read(ids: Attempted) -> None:
    at = opened(ids, against=ids.second[:16], file="src/old.py")
    changes = {
        entry["path"]: entry["change"] and entry["change"]["change"]
        for entry in drawn(at, "file_list")["entries"]
    }
    assert (changes["src/train.py"], changes["src/old.py"], changes["src/main.py"]) == (
        "changed",
        "removed",
        None,
    )
    data = drawn(at, "code_view")
    assert (data["path"], data["diff"]["steps"], data["diff"]["words"]) == (
        "src/old.py",
        [[1, 0]],
        "only in attempt 2",
    )


@pytest.mark.parametrize(
    ("against", "words"),
    [
        ("third", "A submission cannot be compared with itself; choose an earlier attempt."),
        (
            "other",
            (
                "The address asks for a comparison with a submission outside this lineage;"
                " choose an attempt here."
            ),
        ),
        (
            "../../x",
            (
                "The address asks for a comparison with a submission outside this lineage;"
                " choose an attempt here."
            ),
        ),
    ],
)
def test_what_cannot_be_compared_is_one_line(ids: Attempted, against: str, words: str) -> None:
    data = drawn(opened(ids, against=getattr(ids, against, against)), "code_view")
    assert (data["attempts"]["note"], data["diff"]) == (words, None)


def test_a_later_attempt_is_named(ids: Attempted) -> None:
    data = drawn(opened(ids, s=ids.first, against=ids.second), "code_view")
    assert data["attempts"]["note"] == "Attempt 2 is later; open it to compare it with this one."


def test_the_browser_chooses_the_attempt_and_the_inbox_query_stays(ids: Attempted) -> None:
    at = opened(ids, q="exp")
    assert drawn(at, "code_view")["attempts"]["options"] == [
        [ids.second[:16], "attempt 2"],
        [ids.first[:16], "attempt 1"],
    ]
    send(at, "code_view", {"kind": "against", "attempt": ids.first[:16]})
    assert (parameter(at, "against"), parameter(at, "q")) == (ids.first[:16], "exp")
    assert drawn(at, "code_view")["diff"]["was"] == "attempt 1"
    send(at, "code_view", {"kind": "against", "attempt": ""})
    assert parameter(at, "against") is None


def test_the_head_leads_to_the_attempts_beside_it(ids: Attempted) -> None:
    before, after = drawn(opened(ids, s=ids.second, q="exp"), "submission_head")["beside"]
    assert (before, after) == (
        f"submission?s={ids.first[:16]}&q=exp",
        f"submission?s={ids.third[:16]}&q=exp",
    )


def test_attempts_are_listed_with_what_changed_between_them(ids: Attempted) -> None:
    at = opened(ids)
    at.session_state["panel"] = "Attempts"
    at.run()
    rows = drawn(at, "attempts_panel")["rows"]
    assert [(row["n"], row["here"], row["attempt"]) for row in rows] == [
        (3, True, ""),
        (2, False, ids.second[:16]),
        (1, False, ids.first[:16]),
    ]
    assert rows[0]["counts"] == [
        ["fixed", "fixed", 1],
        ["dropped", "gone", 1],
        ["unchanged", "stayed", 1],
        ["new", "came", 2],
    ]
    assert rows[2]["counts"] == []


def test_a_person_takes_attempts_apart_with_a_reason(ids: Attempted, store: Store) -> None:
    at = opened(ids)
    at.session_state["panel"] = "Attempts"
    at.run()
    field = {one.label: one for one in at.text_input}
    field["The other submission"].input(ids.second[:12])
    next(button for button in at.button if button.label == "Another experiment").click()
    at.run()
    assert "and a reason" in at.error[0].value
    field = {one.label: one for one in at.text_input}
    field["The other submission"].input(ids.second[:12])
    field["Reason"].input("another method")
    next(button for button in at.button if button.label == "Another experiment").click()
    at.run()
    assert not at.error
    assert ids.second not in {each.id for each in lineage_of(store, ids.third).attempts}
    (relation,) = drawn(at, "attempts_panel")["relations"]
    assert (relation["author"], relation["reason"]) == ("ada", "another method")


def test_one_attempt_alone_offers_no_comparison(ids: Attempted) -> None:
    data = drawn(opened(ids, s=ids.other), "code_view")
    assert (data["attempts"], data["diff"]) == (None, None)


def test_base_code_is_opened_and_compared_from_what_was_derived_from_it(store: Store) -> None:
    base = replace(make_submission({"src/train.py": "x = 1\n"}), attempt=0, context=SHARED)
    derived = replace(
        make_submission({"src/train.py": "x = 2\n"}), lineage="exp", attempt=1, base=base
    )
    store.add(derived)
    at = open_page("submission", s=derived.id[:16], file="src/train.py", against=base.id[:16])
    assert not at.exception
    data = drawn(at, "code_view")
    assert ["".join(tokens[1::2]).strip() for tokens in data["diff"]["gone"]] == ["x = 1"]
    at.session_state["panel"] = "Attempts"
    at.run()
    assert [row["called"] for row in drawn(at, "attempts_panel")["rows"]] == [
        "attempt 1",
        "the base code",
    ]
    at = open_page("submission", s=base.id[:16])
    assert not at.exception
    assert drawn(at, "submission_head")["about"].startswith("the base code")
