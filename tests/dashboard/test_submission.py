"""Guards the submission screen: cards at their places, words on findings, decisions, and the ways
between files.
"""

from dataclasses import replace
from typing import Any

import pytest

from reviewers.records import PassedOver, Review, Ruling, Severity, Span, Verdict
from reviewers.store import Store
from reviewers.store.jobs import live_jobs
from reviewers.store.submission import load_submission
from tests.builders import CONTEXT, make_submission
from tests.dashboard.desk import (
    CONFIRMED,
    FAILED,
    MISSED,
    NAMED,
    RECORDED,
    REFUTED,
    RULES,
    SMALL,
    TEXT,
    UNPLACED,
    lineage,
)
from tests.dashboard.models import until
from tests.dashboard.screens import components, decide, drawn, open_page, parameter, send


@pytest.fixture
def id(store: Store) -> str:
    """A submission with a recorded review and one by the rules."""
    submission = make_submission(name="first", lineage="exp", attempt=3)
    store.add(submission, (RECORDED, RULES))
    return submission.id


def find(**fields: object) -> dict[str, object]:
    """What the browser sends for a finding of one's own."""
    event = {
        "kind": "find",
        "file": "src/train.py",
        "line": 4,
        "end": 6,
        "severity": "major",
        "category": "data-leakage",
    }
    return event | {"message": "the test set is used here"} | fields


def test_without_a_submission_that_is_known_one_line_says_so(store: Store) -> None:
    assert open_page("submission").info[0].value == "Choose a submission in the inbox."
    at = open_page("submission", s="0123456789abcdef")
    assert not at.exception
    assert len(at.error) == 1


def test_the_file_with_the_worst_flags_opens_first_beside_files_and_verdicts(id: str) -> None:
    at = open_page("submission", s=id[:16])
    data = drawn(at, "code_view")
    assert data["path"] == "src/evaluate.py"
    (card,) = data["cards"]
    assert (card["line"], card["end"], card["check"], card["rule"]) == (5, 7, "confirmed", "EV02")
    first = make_submission().by_path["src/evaluate.py"].text.splitlines()[0]
    assert "".join(data["lines"][0][1::2]) == first
    # Files count their open flags, and absent ones are listed.
    entries = {entry["path"]: entry for entry in drawn(at, "file_list")["entries"]}
    assert entries["src/evaluate.py"]["counts"] == [["blocker", 1]]
    train = entries["src/train.py"]
    assert (train["counts"], train["folded"]) == ([["minor", 1]], 1)
    assert entries["src/utils.py"]["absent"]
    assert entries["//no-place"]["counts"] == [["major", 1]]
    assert {f"config/runs/{run.run_id}.yaml" for run in make_submission().runs} <= entries.keys()
    # Verdicts stand side by side, and say nothing of what is unknown.
    recorded, rules = drawn(at, "verdict_columns")["columns"]
    assert (recorded["words"], recorded["model"], recorded["took"]) == ("not ready", "o9-mini", "")
    assert recorded["counts"] == {"confirmed": 1, "refuted": 1, "unverified": 1}
    assert rules["took"] == "0.2 s"
    assert (recorded["mark"], rules["mark"]) == ("Re", "Ru")
    assert recorded["beginning"].startswith("1. Syntax error")


def test_a_partial_review_says_so_in_its_column_above_the_findings_and_in_the_inbox(
    store: Store,
) -> None:
    submission = make_submission(name="large")
    part = "src/model.py: not read"
    store.add(submission, (replace(RULES, partial=(part,)),))
    at = open_page("submission", s=submission.id)
    (column,) = drawn(at, "verdict_columns")["columns"]
    assert column["words"] == "not ready, partial"
    assert part in column["failure"]
    at = open_page("submission", s=submission.id, tab="findings")
    assert [part in words for words in drawn(at, "findings_list")["partial"]] == [True]
    (row,) = drawn(open_page(), "inbox_table")["rows"]
    assert [one["words"] for one in row["cells"]["reviewer:rules"]] == ["not ready, partial"]


def test_a_missed_blocker_names_who_missed_it_and_is_named_with_that_reviewer(
    id: str, store: Store
) -> None:
    assert load_submission(store, id).missed == {MISSED.id}
    at = open_page("submission", s=id, file="src/train.py")
    recorded, rules = drawn(at, "verdict_columns")["columns"]
    assert ([each["gist"] for each in recorded["missed"]], rules["missed"]) == (
        [MISSED.message],
        [],
    )
    send(at, "verdict_columns", {"kind": "open", **recorded["missed"][0]})
    (card,) = drawn(at, "code_view")["cards"]
    assert card["missed_by"] == ["recorded"]


def test_what_was_not_read_of_a_bundle_is_told_below_the_files(store: Store) -> None:
    passed = (PassedOver("a.png", "not text", 9), PassedOver(".venv/", "a virtual environment"))
    submission = replace(make_submission(name="other"), passed_over=passed)
    store.add(submission)
    at = open_page("submission", s=submission.id[:16])
    assert not at.exception
    assert [each.label for each in at.expander if "Skipped" in each.label] == ["Skipped: 2"]
    told = "a.png: not text, 9 bytes\n.venv/: a virtual environment"
    assert told in [each.value for each in at.text]


def test_the_address_names_what_is_opened(id: str) -> None:
    def shown(**address: str) -> dict[str, Any]:
        at = open_page("submission", s=id, **address)
        assert not at.exception
        return drawn(at, "code_view")

    absent = shown(f="src/utils.py")
    assert [card["claim"] for card in absent["cards"]] == [CONFIRMED.claim]
    assert absent["notes"] == ["src/utils.py is not among the submission's files."]
    assert absent["lines"] == []
    assert [card["claim"] for card in shown(f="//no-place")["cards"]] == [UNPLACED.claim]
    data = shown(f="src/train.py", line="9")
    assert (data["path"], data["focus"]["line"]) == ("src/train.py", 9)
    data = shown(finding=SMALL.id)
    assert (data["path"], data["focus"]["key"]) == ("src/train.py", f"rules/{SMALL.id}")
    # The browser makes this word itself of what it puts into the address, and then scrolls nothing.
    assert data["focus"]["seq"] == f"src/train.py::{SMALL.id}"
    for unknown in ("../../etc/passwd", "no/such.py", ""):
        assert shown(f=unknown, line="x")["path"] == "src/evaluate.py"


def test_a_failure_shows_its_reason_and_the_raw_answer(store: Store) -> None:
    submission = make_submission()
    store.add(submission, (FAILED,))
    (column,) = drawn(open_page("submission", s=submission.id), "verdict_columns")["columns"]
    assert (column["words"], column["failure"], column["raw"]) == (
        "failed",
        "the answer is no JSON",
        "I am <b>sorry</b>",
    )


def test_the_review_text_is_marked_with_its_fact_checks(id: str) -> None:
    at = open_page("submission", s=id)
    at.session_state["panel"] = "Review text"
    (text,) = drawn(at.run(), "review_text")["texts"]
    assert (text["reviewer"], text["raw"]) == ("recorded", RECORDED.raw)
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
    assert data["metric"] == CONTEXT.primary_metric
    assert "Primary metric" not in {section["title"] for section in data["sections"]}
    assert {run["run"] for run in data["runs"]} == {run.run_id for run in make_submission().runs}


def test_a_dismissal_is_kept_with_its_reason_and_folds_the_card(id: str, store: Store) -> None:
    at = open_page("submission", s=id)
    send(
        at,
        "code_view",
        {
            "kind": "rule",
            "key": f"rules/{MISSED.id}",
            "word": "dismiss",
            "reason": "Not required: yet",
        },
    )
    (ruling,) = load_submission(store, id).rulings
    assert (ruling.finding_id, ruling.ruling, ruling.reason, ruling.author.name) == (
        MISSED.id,
        Ruling.DISMISS,
        "Not required: yet",
        "ada",
    )
    (card,) = drawn(open_page("submission", s=id, f="src/evaluate.py"), "code_view")["cards"]
    assert (card["check"], card["ruling"]["author"]) == ("refuted", "ada")
    assert drawn(at, "code_view")["done"]["seq"] == 1


def test_an_event_that_is_still_queued_is_acted_upon_once(id: str, store: Store) -> None:
    first, second = (
        {"kind": "rule", "key": f"rules/{finding.id}", "word": "confirm", "reason": ""}
        for finding in (MISSED, SMALL)
    )
    at = send(open_page("submission", s=id), "code_view", first, mount="m")
    send(at, "code_view", first, second, mount="m")
    assert [ruling.finding_id for ruling in load_submission(store, id).rulings] == [
        SMALL.id,
        MISSED.id,
    ]


def test_what_the_store_refuses_is_one_line(id: str, store: Store) -> None:
    at = open_page("submission", s=id)
    ruling = {"kind": "rule", "word": "dismiss"}
    for event in (
        {**ruling, "key": "rules/feedfacefeedface", "reason": "no such finding"},
        {**ruling, "key": f"rules/{MISSED.id}", "reason": ""},
        {"kind": "remark", "key": "rules/feedface", "severity": "", "comment": "hm"},
        find(line=9_999, end=9_999),
        find(category="bad-luck"),
    ):
        send(at, "code_view", event)
        assert not at.exception
        assert len(at.error) == 1, event
    assert not load_submission(store, id).rulings


def test_an_event_that_makes_no_sense_changes_nothing(id: str, store: Store) -> None:
    at = open_page("submission", s=id)
    key = f"rules/{MISSED.id}"
    for event in (
        {"kind": "rule", "key": 5, "word": "dismiss", "reason": "a key is a text"},
        {"kind": "rule", "key": key, "word": "delete", "reason": "nobody can"},
        {"kind": "open", "file": None},
        {"kind": "line", "line": "x"},
        {"kind": "surprise"},
        {"kind": "remark", "key": key, "severity": "odd", "comment": " "},
        find(file="src/no_such.py"),
        find(message=" "),
        find(severity="terrible"),
    ):
        send(at, "code_view", event)
        assert not at.exception, event
    record = load_submission(store, id)
    assert [*record.rulings, *record.remarks, *record.own] == []


def test_a_finding_in_the_list_opens_its_file_at_its_card(id: str) -> None:
    at = open_page("submission", s=id)
    key = f"rules/{SMALL.id}"
    send(at, "findings_list", {"kind": "open", "file": "src/train.py", "key": key})
    data = drawn(at, "code_view")
    assert (data["path"], data["focus"]["key"]) == ("src/train.py", key)
    assert (parameter(at, "file"), parameter(at, "finding"), parameter(at, "f")) == (
        "src/train.py",
        SMALL.id,
        None,
    )


def test_what_several_say_of_one_defect_at_one_line_stands_together(store: Store) -> None:
    said = [
        Review(reviewer=name, verdict=Verdict.NOT_READY, findings=(NAMED,), raw="{}")
        for name in ("one", "two")
    ]
    submission = make_submission()
    store.add(submission, (RULES, *said))
    cards = drawn(open_page("submission", s=submission.id), "code_view")["cards"]
    lead, *others = (card["key"] for card in cards)
    assert lead == f"rules/{MISSED.id}"
    assert others == ["one/named", "two/named"]
    assert [card["lead"] for card in cards] == ["", lead, lead]
    assert [card["mark"] for card in cards] == ["Ru", "On", "Tw"]


def card_of(id: str, finding: str) -> dict[str, Any]:
    """The card as somebody sees it who opens the page now."""
    data = drawn(open_page("submission", s=id, finding=finding), "code_view")
    return next(card for card in data["cards"] if card["id"] == finding)


def test_a_severity_and_a_comment_are_kept_with_their_author(id: str, store: Store) -> None:
    event = {"kind": "remark", "key": f"rules/{MISSED.id}"}
    words = [
        event | {"severity": "minor", "comment": ""},
        event | {"severity": "", "comment": " it <b>runs</b> here "},
    ]
    at = send(open_page("submission", s=id), "code_view", *words)
    assert dict(load_submission(store, id).severity_of) == {MISSED.id: Severity.MINOR}
    card = card_of(id, MISSED.id)
    assert (card["severity"], card["was"]) == ("minor", "blocker")
    said = [(one["author"], one["severity"], one["comment"]) for one in card["remarks"]]
    assert said == [("ada", "minor", ""), ("ada", "", "it <b>runs</b> here")]
    entries = {entry["path"]: entry["counts"] for entry in drawn(at, "file_list")["entries"]}
    assert entries["src/evaluate.py"] == [["minor", 1]]


def test_a_finding_of_ones_own_stands_at_its_lines_and_can_be_dismissed(
    id: str, store: Store
) -> None:
    at = send(open_page("submission", s=id, file="src/train.py"), "code_view", find())
    (own,) = load_submission(store, id).own
    assert (own.author.name, own.finding.span, own.finding.criterion) == (
        "ada",
        Span("src/train.py", 4, 6),
        3,
    )
    card = next(card for card in drawn(at, "code_view")["cards"] if card["own"])
    assert (card["reviewer"], card["check"], card["message"]) == (
        "ada",
        "confirmed",
        "the test set is used here",
    )
    send(
        at,
        "code_view",
        {"kind": "rule", "key": card["key"], "word": "dismiss", "reason": "I was wrong"},
    )
    assert card_of(id, card["id"])["check"] == "refuted"


def test_a_decision_is_kept_and_shown_with_its_author(id: str, store: Store) -> None:
    at = open_page("submission", s=id)
    send(at, "identity_bar", {"kind": "author", "name": " grace "})
    decide(at, id, "ready", "I ran it")
    decision = load_submission(store, id).decision
    assert decision is not None
    assert (decision.verdict, decision.reason, decision.author.name) == (
        Verdict.READY,
        "I ran it",
        "grace",
    )
    (said,) = drawn(at, "decision_form")["said"]
    assert (said["author"], said["words"], said["reason"], said["mine"]) == (
        "grace",
        "ready",
        "I ran it",
        True,
    )
    assert drawn(at, "submission_head")["all"] == {"decided": 1, "total": 1}
    assert drawn(at, "identity_bar")["name"] == "grace", "which the browser keeps"


@pytest.mark.parametrize(
    ("verdict", "reason", "refused"),
    [
        pytest.param("maybe", "why", "", id="no verdict"),
        pytest.param(
            "ready", "  ", "a decision needs a reason: say why in a few words", id="no reason"
        ),
    ],
)
def test_a_decision_needs_a_verdict_and_a_reason(
    id: str, store: Store, verdict: str, reason: str, refused: str
) -> None:
    at = decide(open_page("submission", s=id), id, verdict, reason, next=True)
    assert drawn(at, "decision_form")["refused"] == {"seq": 1, "words": refused}
    assert drawn(at, "decision_form")["id"] == id
    assert not load_submission(store, id).decisions


def test_save_and_next_goes_to_the_next_undecided(id: str, store: Store) -> None:
    other = lineage("other", 1)[0]
    store.add(other, (RULES,))
    at = decide(open_page("submission", s=id), id, "ready", "I ran it", next=True)
    assert parameter(at, "s") == other.id[:16]
    assert drawn(at, "submission_head")["name"] == "other_01"


def test_a_decision_can_be_withdrawn_and_stays_in_the_history(id: str, store: Store) -> None:
    store.decide(id, Verdict.READY, "I ran it", "grace")
    at = open_page("submission", s=id)
    send(at, "decision_form", {"kind": "withdraw", "id": id})
    assert drawn(at, "decision_form")["said"] == []
    assert load_submission(store, id).decision is None
    at.session_state["panel"] = "History"
    shown = [(one["author"], one["words"]) for one in drawn(at.run(), "decisions")["decisions"]]
    assert shown == [("ada", "withdrawn"), ("grace", "ready")]


@pytest.mark.usefixtures("worker")
def test_the_rules_can_be_run_again(store: Store) -> None:
    submission = make_submission()
    store.add(submission, (RULES,))
    at = open_page("submission", s=submission.id)
    next(one for one in at.button if one.label == "Run rules again").click().run()
    # The worker may have been done before the page was drawn: then it says so at once.
    said = [toast.value for toast in at.toast]
    until(lambda: not live_jobs(store))
    said += [toast.value for toast in at.run().toast]
    assert said == ["The rules gave a new result."]
    assert not at.exception
    (stored,) = load_submission(store, submission.id).reviews
    assert stored.review.findings != RULES.findings


def test_the_head_counts_the_list_that_it_leads_through_and_all(store: Store) -> None:
    one, two, three = lineage("exp", 3)
    for each in (one, two, three):
        store.add(each, (RECORDED, RULES))
    store.decide(one.id, Verdict.READY, "I ran it", "ada")
    head = drawn(open_page("submission", s=two.id, q="exp_02"), "submission_head")
    assert (head["scope"], head["here"]) == (
        "Search: exp_02",
        {"decided": 0, "total": 1, "more": False},
    )
    assert (head["all"], head["onward"]) == ({"decided": 1, "total": 3}, None)
    assert drawn(open_page("submission", s=two.id), "submission_head")["here"] is None
