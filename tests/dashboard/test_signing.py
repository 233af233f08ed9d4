"""Guards that no record of a person is written without a name that somebody gave, and that the name
of who runs the server is nobody's on a desk that others reach.
"""

import pytest

from reviewers.records import Verdict
from reviewers.store import Store
from reviewers.store.inbox import progress
from reviewers.store.lineages import lineage_of
from reviewers.store.submission import load_submission
from tests.dashboard.desk import MISSED, RECORDED, RULES, lineage
from tests.dashboard.screens import drawn, open_page, reached_by_others, send

FIRST, OTHER = lineage("exp", 2)
ID = FIRST.id
RULE = {"kind": "rule", "key": f"rules/{MISSED.id}", "word": "confirm", "reason": ""}
SEVERITY = {"kind": "remark", "key": f"rules/{MISSED.id}", "severity": "minor", "comment": ""}
COMMENT = {**SEVERITY, "severity": "", "comment": "see above"}
FIND = {
    "kind": "find",
    "file": "src/train.py",
    "line": 1,
    "end": 1,
    "severity": "major",
    "category": "data-leakage",
    "message": "it leaks",
}
DECIDE = {"kind": "decide", "id": ID, "verdict": "ready", "reason": "fine", "next": False}
MANY = {"action": "decide", "ids": [ID], "verdict": "ready", "reason": "fine"}
ALL = {"action": "decide_all", "verdict": "ready", "reason": "fine", "total": 2, "keep": True}


@pytest.fixture(autouse=True)
def unnamed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AREACHAIR_AUTHOR")
    store.add(FIRST, (RECORDED, RULES))
    store.add(OTHER)


def written(store: Store) -> int:
    """How many records people made."""
    record = load_submission(store, ID)
    words = (record.decisions, record.rulings, record.own, record.remarks)
    return sum(map(len, words)) + len(lineage_of(store, ID).relations)


@pytest.mark.parametrize(
    ("screen", "part", "event"),
    [
        pytest.param("submission", "code_view", RULE, id="ruling"),
        pytest.param("submission", "code_view", SEVERITY, id="severity"),
        pytest.param("submission", "code_view", COMMENT, id="comment"),
        pytest.param("submission", "code_view", FIND, id="own finding"),
        pytest.param("submission", "decision_form", DECIDE, id="decision"),
        pytest.param("", "inbox_table", MANY, id="several decisions"),
        pytest.param("", "inbox_table", ALL, id="all decisions"),
    ],
)
def test_no_record_of_any_kind_is_written_before_a_name_is_given(
    store: Store, screen: str, part: str, event: dict[str, object]
) -> None:
    at = open_page(screen, **({"s": ID} if screen else {}))
    send(at, part, event)
    assert written(store) == 0
    words = drawn(at, part).get("refused") or {"words": at.error[0].value if at.error else ""}
    assert "enter your name first" in words["words"]
    send(at, part, {**event, "signed": "x" * 41})
    assert written(store) == 0, "a name of 41 characters is none"
    send(at, part, {**event, "signed": " grace "})
    assert written(store) > 0
    before = written(store)
    send(at, part, event)
    record = load_submission(store, ID)
    said = (*record.decisions, *record.rulings, *record.own, *record.remarks)
    assert {each.author.name for each in said} == {"grace"}, "it is asked once"
    assert written(store) >= before


def test_a_word_on_attempts_waits_for_the_name_and_is_written_then(store: Store) -> None:
    at = open_page("submission", s=ID)
    at.session_state["panel"] = "Attempts"
    at.run()
    at.text_input(key="relation-other-0").set_value(OTHER.id[:10])
    at.text_input(key="relation-why-0").set_value("the same idea")
    next(each for each in at.button if each.label == "Same experiment").click().run()
    assert written(store) == 0
    send(at, "sign_first", {"kind": "relate", "turn": 1, "signed": "grace"})
    (word,) = lineage_of(store, ID).relations
    assert (word.author.name, word.reason, word.together) == ("grace", "the same idea", True)


def test_the_login_name_is_offered_to_who_is_alone_at_the_desk_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LOGNAME", "lena")
    bar = drawn(open_page(), "identity_bar")
    assert (bar["name"], bar["offered"]) == ("", "lena")
    monkeypatch.setenv("AREACHAIR_AUTHOR", "operator")
    assert drawn(open_page(), "identity_bar")["name"] == "operator"
    with reached_by_others():
        bar = drawn(open_page(), "identity_bar")
    assert (bar["name"], bar["offered"]) == ("", "")


def test_a_name_in_use_joins_two_people_only_by_a_second_choice(store: Store) -> None:
    store.decide(OTHER.id, Verdict.READY, "it ran", "Ann")
    at = open_page("submission", s=ID)
    send(at, "decision_form", {**DECIDE, "signed": "Bob"})
    corrected = {"kind": "author", "name": "Ann", "correct": True}
    for answer, name, author in (
        ("keep", "Bob", "Bob"),
        ("apart", "Ann", "Bob"),
        ("join", "Ann", "Ann"),
    ):
        send(at, "identity_bar", {**corrected, "name": "Bob", "correct": False}, corrected)
        assert drawn(at, "identity_bar")["name"] == "Bob", "nothing changes until it is answered"
        assert drawn(at, "identity_bar")["in_use"].startswith(
            "1 record is signed Ann already. If you rename Bob to Ann, both become one"
        )
        assert load_submission(store, ID).decisions[-1].author.id == "Bob"
        send(at, "identity_bar", {"kind": answer})
        assert drawn(at, "identity_bar")["in_use"] == ""
        assert drawn(at, "identity_bar")["name"] == name
        assert load_submission(store, ID).decisions[-1].author.id == author
    send(at, "identity_bar", {"kind": "join"})
    assert not at.exception, "there is nothing to join any more"


def test_settings_show_the_name_that_signs_while_its_correction_waits(store: Store) -> None:
    store.decide(OTHER.id, Verdict.READY, "it ran", "Ann")
    store.decide(ID, Verdict.READY, "it ran", "Bob")
    at = open_page("settings")
    at.text_input(key="settings-author").set_value("Bob").run()
    for answer, name in (("keep", "Bob"), ("join", "Ann")):
        at.checkbox(key="settings-correct").check()
        at.text_input(key="settings-author").set_value("Ann").run()
        assert at.text_input(key="settings-author").value == "Bob"
        assert "1 record is signed Ann already" in drawn(at, "identity_bar")["in_use"]
        send(at, "identity_bar", {"kind": answer})
        assert at.text_input(key="settings-author").value == name
    assert load_submission(store, ID).decisions[0].author.id == "Ann"


def test_a_correction_is_shown_with_the_name_that_was_signed_with(store: Store) -> None:
    at = open_page("submission", s=ID)
    send(at, "decision_form", {**DECIDE, "signed": "overruled: fine"})
    send(at, "identity_bar", {"kind": "author", "name": "Ann", "correct": True})
    (said,) = drawn(at, "decision_form")["said"]
    assert (said["author"], said["mine"]) == ("Ann", True)
    assert said["signed"].startswith("Ann (signed as “overruled: fine” until ")
    assert progress(store)[0] == 1
