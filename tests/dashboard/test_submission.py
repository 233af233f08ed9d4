"""Guards the submission screen: cards at their places, words on findings, decisions, and the ways between files."""

import pytest
from streamlit.testing.v1 import AppTest

from reviewers.records import Ruling, Verdict
from reviewers.store import Store
from reviewers.store.submission import load_submission
from tests.builders import make_submission
from tests.dashboard.desk import CONFIRMED, FAILED, MISSED, RECORDED, REFUTED, RULES, SMALL, TEXT, UNPLACED, lineage
from tests.dashboard.screens import components, drawn, open_page, parameter, send


@pytest.fixture
def id(store: Store) -> str:
    """A submission with a recorded review and one by the rules."""
    submission = make_submission(name="first", lineage="exp", attempt=3)
    store.add(submission, (RECORDED, RULES))
    return submission.id


def test_without_a_submission_the_inbox_is_named(store: Store) -> None:
    assert open_page("submission").info[0].value == "Choose a submission in the inbox."


def test_an_unknown_submission_is_one_line(store: Store) -> None:
    at = open_page("submission", s="0123456789abcdef")
    assert not at.exception
    assert len(at.error) == 1


def test_the_file_with_the_worst_flags_opens_first(id: str) -> None:
    at = open_page("submission", s=id[:16])
    data = drawn(at, "code_view")
    assert data["path"] == "src/evaluate.py"
    (card,) = data["cards"]
    assert (card["line"], card["end"], card["check"], card["rule"]) == (5, 7, "confirmed", "EV02")
    assert "".join(data["lines"][0][1::2]) == make_submission().by_path["src/evaluate.py"].text.splitlines()[0]


def test_a_missed_blocker_names_who_missed_it(id: str, store: Store) -> None:
    missed = load_submission(store, id).missed
    (card,) = drawn(open_page("submission", s=id), "code_view")["cards"]
    assert card["missed_by"] == (["recorded"] if MISSED.id in missed else [])


def test_files_count_their_open_flags_and_absent_ones_are_listed(id: str) -> None:
    entries = {entry["path"]: entry for entry in drawn(open_page("submission", s=id), "file_list")["entries"]}
    assert entries["src/evaluate.py"]["counts"] == [["blocker", 1]]
    assert (entries["src/train.py"]["counts"], entries["src/train.py"]["folded"]) == ([["minor", 1]], 1)
    assert entries["src/utils.py"]["absent"]
    assert entries["//no-place"]["counts"] == [["major", 1]]
    assert {f"config/runs/{run.run_id}.yaml" for run in make_submission().runs} <= entries.keys()


def test_an_absent_file_shows_its_cards(id: str) -> None:
    data = drawn(open_page("submission", s=id, f="src/utils.py"), "code_view")
    assert data["lines"] == []
    assert [card["claim"] for card in data["cards"]] == [CONFIRMED.claim]
    assert data["notes"] == ["src/utils.py is not among the submission's files."]


def test_a_claim_without_a_place_is_listed(id: str) -> None:
    data = drawn(open_page("submission", s=id, f="//no-place"), "code_view")
    assert [card["claim"] for card in data["cards"]] == [UNPLACED.claim]


def test_the_address_names_file_and_line(id: str) -> None:
    data = drawn(open_page("submission", s=id, f="src/train.py", line="9"), "code_view")
    assert (data["path"], data["focus"]["line"]) == ("src/train.py", 9)


@pytest.mark.parametrize("file", ["../../etc/passwd", "no/such.py", ""])
def test_an_unknown_file_in_the_address_opens_a_known_one(id: str, file: str) -> None:
    at = open_page("submission", s=id, f=file, line="x")
    assert not at.exception
    assert drawn(at, "code_view")["path"] == "src/evaluate.py"


def test_verdicts_stand_side_by_side_and_unknown_is_a_dash(id: str) -> None:
    recorded, rules = drawn(open_page("submission", s=id), "verdict_columns")["columns"]
    assert (recorded["words"], recorded["model"], recorded["took"]) == ("not ready", "o9-mini", "time — · cost —")
    assert recorded["counts"] == {"confirmed": 1, "refuted": 1, "unverified": 1}
    assert rules["took"] == "time 0.2 s · cost —"
    assert recorded["beginning"].startswith("1. Syntax error")


def test_a_failure_shows_its_reason_and_the_raw_answer(store: Store) -> None:
    submission = make_submission()
    store.add(submission, (FAILED,))
    (column,) = drawn(open_page("submission", s=submission.id), "verdict_columns")["columns"]
    assert (column["words"], column["failure"], column["raw"]) == ("failed", "the answer is no JSON", "I am <b>sorry</b>")


def test_the_review_text_is_marked_with_its_fact_checks(id: str) -> None:
    at = open_page("submission", s=id)
    at.session_state["panel"] = "Review text"
    (text,) = drawn(at.run(), "review_text")["texts"]
    assert "".join(part["text"] for part in text["parts"]) == TEXT
    assert [(part["text"], part["check"]) for part in text["parts"] if "key" in part] == [
        (REFUTED.claim, "refuted"),
        (CONFIRMED.claim, "confirmed"),
        (UNPLACED.claim, "unverified"),
    ]


def test_the_context_is_there_on_demand(id: str) -> None:
    at = open_page("submission", s=id)
    assert "context_panel" not in components(at)
    at.session_state["panel"] = "Context"
    data = drawn(at.run(), "context_panel")
    assert data["sections"][0]["title"] == "Primary metric"
    assert {run["run"] for run in data["runs"]} == {run.run_id for run in make_submission().runs}


def test_a_dismissal_is_kept_with_its_reason_and_folds_the_card(id: str, store: Store) -> None:
    at = open_page("submission", s=id)
    send(
        at, "code_view", {"kind": "rule", "key": f"rules/{MISSED.id}", "word": "dismiss", "reason": "Nobody asked for this: yet"}
    )
    (ruling,) = load_submission(store, id).rulings
    assert (ruling.finding_id, ruling.ruling, ruling.reason, ruling.author) == (
        MISSED.id,
        Ruling.DISMISS,
        "Nobody asked for this: yet",
        "ada",
    )
    (card,) = drawn(open_page("submission", s=id, f="src/evaluate.py"), "code_view")["cards"]
    assert (card["check"], card["ruling"]["author"]) == ("refuted", "ada")
    assert drawn(at, "code_view")["done"]["seq"] == 1


def test_several_words_in_one_turn_are_all_kept(id: str, store: Store) -> None:
    at = open_page("submission", s=id)
    events = [
        {"kind": "rule", "key": f"{who}/{finding.id}", "word": "confirm", "reason": ""}
        for who, finding in (("rules", MISSED), ("rules", SMALL), ("recorded", UNPLACED))
    ]
    send(at, "code_view", *events)
    assert {ruling.finding_id for ruling in load_submission(store, id).rulings} == {MISSED.id, SMALL.id, UNPLACED.id}


def test_an_event_that_is_still_queued_is_acted_upon_once(id: str, store: Store) -> None:
    first, second = (
        {"kind": "rule", "key": f"rules/{finding.id}", "word": "confirm", "reason": ""} for finding in (MISSED, SMALL)
    )
    at = send(open_page("submission", s=id), "code_view", first, mount="m")
    send(at, "code_view", first, second, mount="m")
    assert [ruling.finding_id for ruling in load_submission(store, id).rulings] == [SMALL.id, MISSED.id]


def test_a_ruling_can_be_withdrawn(id: str, store: Store) -> None:
    store.rule_on(id, MISSED.id, Ruling.DISMISS, "no", "grace")
    at = open_page("submission", s=id)
    send(at, "code_view", {"kind": "rule", "key": f"rules/{MISSED.id}", "word": "withdrawn", "reason": ""})
    assert not load_submission(store, id).ruling_of
    assert len(load_submission(store, id).rulings) == 2


@pytest.mark.parametrize(
    "event",
    [
        pytest.param({"kind": "rule", "key": "rules/feedfacefeedface", "word": "dismiss", "reason": "no"}, id="unknown finding"),
        pytest.param(
            {"kind": "rule", "key": f"rules/{MISSED.id}", "word": "dismiss", "reason": ""}, id="dismissal without reason"
        ),
    ],
)
def test_what_the_store_refuses_is_one_line(id: str, store: Store, event: dict[str, str]) -> None:
    at = send(open_page("submission", s=id), "code_view", event)
    assert not at.exception
    assert len(at.error) == 1
    assert not load_submission(store, id).rulings


@pytest.mark.parametrize(
    "event",
    [
        pytest.param({"kind": "rule", "key": 5, "word": "dismiss", "reason": "no"}, id="key of a wrong type"),
        pytest.param({"kind": "rule", "key": f"rules/{MISSED.id}", "word": "delete", "reason": "no"}, id="unknown word"),
        pytest.param({"kind": "open", "file": None}, id="no file"),
        pytest.param({"kind": "line", "line": "x"}, id="line of a wrong type"),
        pytest.param({"kind": "surprise"}, id="unknown kind"),
    ],
)
def test_an_event_that_makes_no_sense_changes_nothing(id: str, store: Store, event: dict[str, object]) -> None:
    at = send(open_page("submission", s=id), "code_view", event)
    assert not at.exception
    assert not load_submission(store, id).rulings


def test_a_finding_in_the_list_opens_its_file_at_its_card(id: str) -> None:
    at = open_page("submission", s=id)
    key = f"rules/{SMALL.id}"
    send(at, "findings_list", {"kind": "open", "file": "src/train.py", "key": key})
    data = drawn(at, "code_view")
    assert (data["path"], data["focus"]["key"]) == ("src/train.py", key)
    assert parameter(at, "f") == "src/train.py"


def test_a_click_on_a_line_number_goes_into_the_address(id: str) -> None:
    at = send(open_page("submission", s=id), "code_view", {"kind": "line", "line": 4})
    assert parameter(at, "line") == "4"


def decide(at: AppTest, id: str, verdict: Verdict | None, reason: str, button: str = "Save decision") -> AppTest:
    at.get("button_group")
    if verdict is not None:
        at.session_state[f"decision-verdict-{id}"] = verdict
    at.text_area(key=f"decision-reason-{id}").set_value(reason)
    return next(one for one in at.button if one.label == button).click().run()


def test_a_decision_is_kept_and_shown_with_its_author(id: str, store: Store) -> None:
    at = open_page("submission", s=id)
    at.text_input(key="decision-author").set_value("grace")
    decide(at, id, Verdict.READY, "I ran it")
    decision = load_submission(store, id).decision
    assert decision is not None
    assert (decision.verdict, decision.reason, decision.author) == (Verdict.READY, "I ran it", "grace")
    assert drawn(at, "decisions")["decisions"][0]["author"] == "grace"
    assert drawn(at, "submission_head")["decided"] == 1
    assert drawn(at, "remember")["value"] == "grace"


@pytest.mark.parametrize(
    ("verdict", "reason"), [pytest.param(None, "why", id="no verdict"), pytest.param(Verdict.READY, "  ", id="no reason")]
)
def test_a_decision_needs_a_verdict_and_a_reason(id: str, store: Store, verdict: Verdict | None, reason: str) -> None:
    at = decide(open_page("submission", s=id), id, verdict, reason)
    assert len(at.error) == 1
    assert not load_submission(store, id).decisions


def test_save_and_next_goes_to_the_next_undecided(id: str, store: Store) -> None:
    other = lineage("other", 1)[0]
    store.add(other, (RULES,))
    at = decide(open_page("submission", s=id), id, Verdict.READY, "I ran it", "Save and next")
    assert parameter(at, "s") == other.id[:16]
    assert drawn(at, "submission_head")["name"] == "other_01"


def test_a_decision_can_be_withdrawn_and_stays_in_the_history(id: str, store: Store) -> None:
    store.decide(id, Verdict.READY, "I ran it", "grace")
    at = open_page("submission", s=id)
    at.button(key=f"withdraw-{id}").click().run()
    assert load_submission(store, id).decision is None
    at.session_state["panel"] = "History"
    shown = [(one["author"], one["words"]) for one in drawn(at.run(), "decisions")["decisions"]]
    assert shown == [("ada", "withdrawn"), ("grace", "ready")]


def test_the_rules_can_be_run_again(store: Store) -> None:
    submission = make_submission()
    store.add(submission, (RULES,))
    at = open_page("submission", s=submission.id)
    next(one for one in at.button if one.label == "Run rules again").click().run()
    assert not at.exception
    (stored,) = load_submission(store, submission.id).reviews
    assert stored.review.findings != RULES.findings
