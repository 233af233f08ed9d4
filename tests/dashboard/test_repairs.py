"""Guards repairs on the submission screen: proven without being asked for, taken and taken back by
people, made into one patch and into the next attempt, and hidden in blind mode. Whatever a
submission says in them stays text, of a size that a browser can draw.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from dashboard.parts.patch_lines import patch_lines
from dashboard.parts.repair_data import repairs_data
from dashboard.repairing import Repairs, text_of, way_id, with_text
from reviewers.offers import Edit, Offer, Offers, ProvenWay, hunks_of
from reviewers.panel.review import review_all
from reviewers.panel.version import own_version
from reviewers.records import SourceFile, Span
from reviewers.repairs import planned
from reviewers.repairs.attempt import as_attempt
from reviewers.repairs.offers import offers
from reviewers.repairs.patch import patch
from reviewers.store import Store
from reviewers.store.jobs import claim, finish, jobs_at
from reviewers.store.repairs import ProvenRepairs, SubmissionRepairs, keep_repairs, repairs_of
from tests.builders import SOUND_FILES, make_submission
from tests.dashboard.desk import MISSED, RULES, SMALL
from tests.dashboard.models import until
from tests.dashboard.screens import components, drawn, open_page, parameter, send
from tests.reviewers.jobs.test_repairs import BROKEN

PAPER = make_submission(name="first")
RENAMED = patch(
    PAPER,
    replace(
        PAPER,
        files=tuple(
            SourceFile(each.path, b"# first\n" + each.data) if "train" in each.path else each
            for each in PAPER.files
        ),
    ),
)
ONE = ProvenWay(
    "Read the words as key=value", RENAMED, "argparse stays", edits=(Edit("a", 0, 0, ""),)
)
OTHER = ProvenWay("Drop the words", RENAMED)
SPLIT = Offer(MISSED.id, "EV02", MISSED.span, "m", (ONE, OTHER), "", "the finding is gone")
ASKED = Offer(
    finding="later",
    rule="EV09",
    span=Span("src/evaluate.py", 40),
    message="only behind the first",
    ways=(
        ProvenWay("Test by day", RENAMED, choice="Wilcoxon"),
        ProvenWay("Test", RENAMED, choice="t test"),
    ),
    asks="Which test compares the two models?",
    proof="no command meets a failure any more",
)
PLAN = ProvenRepairs(
    Offers((SPLIT, ASKED), ("src/a.py:1: not mechanical",), True), RENAMED, "f" * 64
)


def kept(store: Store, *offered: Offer, patch: str = RENAMED) -> str:
    store.add(PAPER, (RULES,))
    if offered:
        told = replace(PLAN, offers=replace(PLAN.offers, repairs=offered), patch=patch)
        keep_repairs(store, PAPER.id, own_version(), told)
    return PAPER.id


def opened(id: str) -> Any:
    at = open_page("submission", s=id)
    at.session_state["panel"] = "Repairs"
    return at.run()


def card_of(at: Any) -> dict[str, Any]:
    (card,) = (each for each in drawn(at, "code_view")["cards"] if each["id"] == MISSED.id)
    return dict(card["repair"])


def taken(store: Store) -> dict[str, str]:
    return dict(repairs_of(store, PAPER.id, own_version()).taken)


def repair_jobs(store: Store) -> list[str]:
    return [job.task for job in jobs_at(store, PAPER.id)]


def test_repairs_are_proven_once_for_whoever_opens_it(store: Store) -> None:
    id = kept(store)
    at = opened(id)
    assert drawn(at, "repairs_panel")["state"] == "proving"
    assert card_of(at) == {"finding": MISSED.id, "state": "proving"}
    open_page("submission", s=id)
    assert repair_jobs(store) == ["repairs"]
    assert drawn(at, "verdict_columns")["columns"][0]["name"] == "rules", "it is no reviewer"
    keep_repairs(store, id, own_version(), PLAN)
    at.run()
    assert [each["finding"] for each in drawn(at, "repairs_panel")["repairs"]] == [
        MISSED.id,
        "later",
    ]
    assert drawn(at, "panel_tabs")["counts"]["Repairs"] == 2


def test_a_submission_that_nothing_stops_needs_no_repair(store: Store) -> None:
    store.add(PAPER, (replace(RULES, findings=(SMALL,)),))
    assert drawn(opened(PAPER.id), "repairs_panel")["state"] == "none"
    assert repair_jobs(store) == []


def test_a_repair_is_taken_and_taken_back_in_its_card_and_in_the_panel(store: Store) -> None:
    at = opened(kept(store, SPLIT, ASKED))
    repair = card_of(at)
    assert [way["intent"] for way in repair["ways"]] == [ONE.intent, OTHER.intent]
    (file,) = repair["ways"][0]["files"]
    assert file["path"] == "src/train.py"
    assert file["rows"][0][:3] == [0, [], 1]
    way = repair["ways"][1]["key"]
    send(at, "code_view", {"kind": "repair", "key": "k", "finding": MISSED.id, "way": way})
    assert taken(store) == {MISSED.id: OTHER.intent}
    assert (card_of(at)["taken"], card_of(at)["by"]) == (way, "ada")
    panel = drawn(at, "repairs_panel")
    assert (panel["proving"], panel["patch"]) == (True, None), "not what was proven: another way"
    assert sorted(repair_jobs(store)) == ["repairs"]
    send(at, "repairs_panel", {"kind": "repair", "finding": MISSED.id, "way": None})
    assert taken(store) == {}
    assert drawn(at, "repairs_panel")["patch"] == RENAMED, "of all, where nothing is taken"
    for odd in ({"finding": "none", "way": way}, {"finding": MISSED.id, "way": "<b>mine</b>"}):
        send(at, "repairs_panel", {"kind": "repair", **odd})
    assert taken(store) == {}


def test_what_needs_a_repair_that_was_not_taken_says_so(store: Store) -> None:
    at = opened(kept(store, SPLIT, ASKED))
    way = way_id(ASKED.ways[1])
    send(at, "repairs_panel", {"kind": "repair", "finding": "later", "way": way})
    nothing = ProvenRepairs(Offers(stops="src/evaluate.py:5: no such word"), "", PAPER.id)
    keep_repairs(store, PAPER.id, own_version(), nothing, taken(store))
    panel = drawn(at.run(), "repairs_panel")
    assert [each["needs"] for each in panel["repairs"]] == [False, True]
    assert (panel["proving"], panel["whole_patch"]) == (False, False)


def test_a_question_is_answered_by_a_person_alone(store: Store) -> None:
    at = opened(kept(store, SPLIT, ASKED))
    asked = drawn(at, "repairs_panel")["repairs"][1]
    assert (asked["asks"], asked["taken"], asked["key"]) == (ASKED.asks, "", None)
    assert asked["ways"][0]["files"], "no card tells of it, so its lines are in the panel"
    assert not drawn(at, "repairs_panel")["repairs"][0]["ways"][0]["files"]
    send(at, "repairs_panel", {"kind": "repair_all"})
    assert taken(store) == {MISSED.id: ONE.intent}
    assert "1 question is yours" in drawn(at, "repairs_panel")["ends"]
    send(at, "repairs_panel", {"kind": "repair", "finding": "later", "way": way_id(ASKED.ways[0])})
    assert taken(store)["later"] == "Wilcoxon"
    panel = drawn(at, "repairs_panel")
    assert panel["patch"] == RENAMED, "all in the plan's ways: proven already"
    assert "question" not in panel["ends"]


def test_a_repair_is_declined_with_a_reason_and_restored(store: Store) -> None:
    at = opened(kept(store, SPLIT, ASKED))
    said = {"kind": "repair_decline", "finding": MISSED.id, "why": " not here <b> "}
    send(at, "code_view", {**said, "key": "k"})
    declined = card_of(at)
    assert (declined["declined"], declined["by"]) == ("not here <b>", "ada")
    assert (declined["taken"], drawn(at, "panel_tabs")["counts"]["Repairs"]) == ("", 1)
    panel = drawn(at, "repairs_panel")
    assert [bool(each["declined"]) for each in panel["repairs"]] == [True, False]
    assert (panel["proving"], panel["ends"]) == (True, "1 repair declined.")
    send(at, "repairs_panel", {"kind": "repair_all"})
    assert taken(store) == {}, "what is declined is not taken with all"
    for odd in ({"finding": "none"}, {"why": "  "}, {"why": 7}):
        send(at, "code_view", {**said, **odd, "finding": "later" if "why" in odd else "none"})
    assert [*repairs_of(store, PAPER.id, own_version()).declined] == [MISSED.id]
    send(at, "repairs_panel", {"kind": "repair", "finding": MISSED.id, "way": None})
    assert card_of(at)["declined"] == ""
    assert drawn(at, "repairs_panel")["patch"] == RENAMED


def test_what_a_person_edits_is_shown_with_what_its_review_proves(store: Store) -> None:
    at = opened(kept(store, SPLIT))
    way = card_of(at)["ways"][0]
    (hunk,) = way["hunks"]
    assert (hunk["path"], hunk["text"].split("\n")[0]) == ("src/train.py", "# first")
    said = {"kind": "repair_edit", "key": "k", "finding": MISSED.id, "way": way["key"]}
    for odd in ({"texts": []}, {"texts": [1]}, {"texts": ["a"], "way": "none"}, {"texts": "a"}):
        send(at, "code_view", {**said, **odd})
    assert taken(store) == {}
    text = hunk["text"].replace("# first", "# mine")
    send(at, "code_view", {**said, "texts": [text]})
    card = card_of(at)
    assert (card["taken"], card["edit"], card["by"]) == ("edited", "proving", "ada")
    edited = card["ways"][-1]
    assert "# mine" in json.dumps(edited["files"])
    assert (edited["hunks"][0]["text"], edited["patch"]) == (text, None)
    assert repair_jobs(store) == ["repairs"]

    def reviewed(*offers: Offer, **unproven: str) -> dict[str, Any]:
        told = replace(PLAN, offers=Offers(offers), unproven=unproven)
        keep_repairs(store, PAPER.id, own_version(), told, taken(store))
        at.run()
        return card_of(at)

    mine = replace(SPLIT, ways=(ProvenWay("As edited", RENAMED),), proof="mine holds")
    proven = reviewed(mine)
    assert (proven["edit"], proven["proof"]) == ("proven", "mine holds")
    assert proven["ways"][-1]["patch"] == RENAMED
    unproven = reviewed(**{MISSED.id: "it is still there"})
    assert (unproven["edit"], unproven["why_not"]) == ("unproven", "it is still there")
    assert not unproven["needs"], "it is left out for another reason"
    send(at, "code_view", {"kind": "repair_own", "key": "k", "finding": MISSED.id})
    assert card_of(at)["edit"] == "proving"
    own = reviewed(replace(mine, proof=""), **{MISSED.id: "it is still there"})
    assert (own["edit"], own["why_not"]) == ("own", "it is still there")
    send(at, "code_view", {"kind": "repair", "key": "k", "finding": MISSED.id, "way": None})
    assert (card_of(at)["taken"], len(card_of(at)["ways"])) == ("", 2)


def test_lines_that_a_form_would_spoil_are_not_edited(store: Store) -> None:
    before = make_submission({"src/extra.py": "a = 1\n"})
    for text in ("a = '\u202e'\n", "a = 1\n" + "b = 2\n" * 9_000):
        made = patch(before, make_submission({"src/extra.py": text}))
        offer = replace(SPLIT, ways=(ProvenWay("i", made),))
        plan = replace(PLAN, offers=Offers((offer,)))
        known = Repairs(SubmissionRepairs(plan, {}, {}, None), frozenset())
        (way,) = repairs_data(known)[MISSED.id]["ways"]
        assert way["hunks"] is None
    crlf = patch(before, make_submission({"src/extra.py": "a = 1\r\nb = 2\r\n"}))
    (hunk,) = hunks_of(crlf)
    assert text_of(hunk) == "a = 1\nb = 2"
    assert with_text(hunk, "a = 1\nb = 3") == replace(hunk, new="a = 1\r\nb = 3\r\n")


def test_what_a_run_meets_with_the_repairs_stands_beside_what_it_meets(store: Store) -> None:
    store.add(BROKEN, review_all(BROKEN, ("rules",)))
    at = open_page("submission", s=BROKEN.id)
    assert drawn(at, "dry_run")["repaired"] == {"waits": "repairs are being proven"}
    keep_repairs(store, BROKEN.id, own_version(), replace(PLAN, offers=Offers((SPLIT,), (), True)))
    told = drawn(at.run(), "dry_run")["repaired"]
    assert (told["with"], told["stops"], told["questions"]) == ("with repair 1", "", 0)
    stops = Offers((SPLIT, ASKED), (), False, "src/evaluate.py:40: no such key")
    keep_repairs(store, BROKEN.id, own_version(), replace(PLAN, offers=stops))
    told = drawn(at.run(), "dry_run")["repaired"]
    assert told["with"] == "with repairs 1 and 2"
    assert (told["stops"], told["questions"]) == ("src/evaluate.py:40", 1)


def test_blind_mode_hides_repairs_and_has_none_proven(store: Store) -> None:
    id = kept(store, SPLIT)
    at = open_page("submission", in_blind_mode=True, s=id)
    assert "Repairs" not in drawn(at, "panel_tabs")["tabs"]
    at.session_state["blind-panel"] = "Repairs"
    at.run()
    assert "repairs_panel" not in components(at)
    assert ONE.intent not in json.dumps(drawn(at, "code_view"))
    assert repair_jobs(store) == []


def test_hostile_repairs_stay_text_of_a_bounded_size(store: Store) -> None:
    evil = "<script>alert(1)</script> \x1b[2J \u202e"
    code = SOUND_FILES["src/train.py"] + f"# {evil}\n" + "x" * 1_000_000
    before = make_submission({"src/train.py": f"# {evil}\n" * 200 + code})
    after = make_submission({"src/train.py": f"# other {evil}\n" * 200 + code + "y"})
    made = patch(before, after)
    way = ProvenWay(evil * 100, made, evil * 100, choice=evil)
    offer = replace(SPLIT, ways=(way,) * 4, asks=evil * 50, proof=evil, shown=(evil,) * 50)
    at = opened(kept(store, offer, replace(offer, finding="later"), patch=made))
    for name in ("code_view", "repairs_panel"):
        text = json.dumps(drawn(at, name))
        assert len(text) < 700_000
        assert "\\u001b" not in text
        assert "\\u202e" not in text
    (file, *_) = card_of(at)["ways"][0]["files"]
    assert len(file["rows"]) < 60
    assert "more lines" in file["left"]
    assert max(len("".join(row[3][1::2])) for row in file["rows"]) < 700
    assert card_of(at)["ways"][0]["patch"] is None


def test_lines_that_look_like_the_heads_of_a_patch_are_lines() -> None:
    before = make_submission({"src/extra.py": "-- a/x\n@@ -1 +1 @@\n"})
    after = make_submission({"src/extra.py": "++ b/y\n@@ -1 +1 @@\nend", "new.py": "a = 1\n"})
    size, files = patch_lines(patch(before, after))
    assert size.data() == {"files": 2, "came": 3, "gone": 1}
    assert [(each["path"], each["is_new"]) for each in files] == [
        ("new.py", True),
        ("src/extra.py", False),
    ]
    rows = [
        (row[0], "".join(row[1][1::2]), row[2], "".join(row[3][1::2])) for row in files[1]["rows"]
    ]
    assert rows == [
        (1, "-- a/x", 1, "++ b/y"),
        (2, "@@ -1 +1 @@", 2, "@@ -1 +1 @@"),
        (0, "", 3, "end"),
    ]


def test_a_line_stands_beside_what_it_became() -> None:
    text = "run_id: a\nepochs: 5\n"
    after = "# @package _global_\nrun:\n  run_id: a\n  epochs: 5\n"
    _, (file,) = patch_lines(
        patch(make_submission({"a.yaml": text}), make_submission({"a.yaml": after}))
    )
    numbers = [(row[0], row[2]) for row in file["rows"]]
    assert numbers == [(0, 1), (0, 2), (1, 3), (2, 4)]
    assert file["rows"][2][3][:2] == ["w", "  "], "what differs is marked"


def test_the_repaired_version_opens_beside_its_original(store: Store, worker: None) -> None:
    store.add(BROKEN, review_all(BROKEN, ("rules",)))
    plan = planned(BROKEN)
    last = plan.last.submission
    told = ProvenRepairs(offers(plan), patch(BROKEN, last), last.id)
    keep_repairs(store, BROKEN.id, own_version(), told)
    at = opened(BROKEN.id)
    send(at, "repairs_panel", {"kind": "mend"})
    until(lambda: all(not job.state.live for job in jobs_at(store, BROKEN.id)))
    at.run()
    assert parameter(at, "s") == last.id[:16]
    assert parameter(at, "against") == BROKEN.id[:16]
    assert "repaired by areachair" in drawn(at, "submission_head")["about"]
    at.session_state["panel"] = "Attempts"
    rows = {row["id"]: row for row in drawn(at.run(), "attempts_panel")["rows"]}
    assert (rows[last.id[:8]]["ours"], rows[BROKEN.id[:8]]["ours"]) == (True, False)
    assert rows[BROKEN.id[:8]]["against"]
    assert drawn(at, "code_view")["diff"] is not None


def test_a_repair_goes_from_its_card_into_a_patch_and_the_next_attempt(
    page: Page, dashboard: Callable[[], str], store: Store, worker: None
) -> None:
    store.add(BROKEN, review_all(BROKEN, ("rules",)))
    plan = planned(BROKEN)
    told = ProvenRepairs(offers(plan), patch(BROKEN, plan.last.submission), plan.last.submission.id)
    keep_repairs(store, BROKEN.id, own_version(), told)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    merged = next(each for each in told.offers.repairs if each.rule == "HY01")
    address = dashboard()
    page.goto(f"{address}/submission?s={BROKEN.id[:16]}&finding={merged.finding}")
    card = page.locator(".card.current")
    expect(card.locator(".repair")).to_contain_text(merged.ways[0].intent)
    expect(card.locator(".lines .came")).to_contain_text("OmegaConf.set_struct(cfg, False)")
    page.keyboard.press("p")
    expect(card.locator(".repair-acts .taken")).to_contain_text("Accepted by ada")
    page.get_by_role("tab", name="Repairs").click()
    expect(page.get_by_role("button", name=f"Withdraw repair {2}")).to_be_visible()
    page.get_by_role("button", name="Accept all").click()
    copied = page.locator(".foot-of").get_by_role("button", name="Copy patch")
    expect(copied).to_be_enabled()
    copied.click()
    expect(page.locator(".foot-of")).to_contain_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == told.patch
    with page.expect_download() as download:
        page.locator(".foot-of").get_by_role("button", name="Download").click()
    assert download.value.suggested_filename == "broken.patch"
    assert Path(download.value.path()).read_text("utf-8") == told.patch
    page.get_by_role("button", name="Open as next attempt").click()
    expect(page.locator(".stApp")).to_contain_text("repaired by areachair", timeout=60_000)
    expect(page.locator(".strip")).to_contain_text("Compare with")
    assert f"against={BROKEN.id[:16]}" in page.url


def test_lines_are_edited_reviewed_taken_unproven_and_declined_in_a_browser(
    page: Page, dashboard: Callable[[], str], store: Store, worker: None
) -> None:
    store.add(BROKEN, review_all(BROKEN, ("rules",)))
    plan = planned(BROKEN)
    told = ProvenRepairs(offers(plan), patch(BROKEN, plan.last.submission), plan.last.submission.id)
    keep_repairs(store, BROKEN.id, own_version(), told)
    merged = next(each for each in told.offers.repairs if each.rule == "HY01")
    page.goto(f"{dashboard()}/submission?s={BROKEN.id[:16]}&finding={merged.finding}")
    card = page.locator(".card.current")

    def edit(old: str, new: str) -> None:
        card.locator("[data-action=repair-edit]").click()
        lines = card.locator(".hunk textarea")
        expect(lines).to_be_focused()
        lines.fill(lines.input_value().replace(old, new))
        page.keyboard.press("Control+Enter")

    edit("set_struct(cfg, False)", "set_struct(cfg, False)  # <img src=x>")
    expect(card.locator(".repair-acts .taken")).to_contain_text("Edited by ada")
    expect(card.locator(".proved")).to_contain_text("Proved", timeout=60_000)
    expect(card.locator(".lines .came")).to_contain_text("# <img src=x>")
    edit("False)", "True)")
    unproven = card.locator(".edit.is-unproven")
    expect(unproven).to_contain_text("Not proven: the finding is still there", timeout=60_000)
    expect(card.get_by_role("button", name="Copy patch")).to_be_disabled()
    card.get_by_role("button", name="Take it unproven").click()
    expect(card.locator(".edit.is-own")).to_contain_text("in the patch", timeout=60_000)
    card.get_by_role("button", name="Withdraw").click()
    card.get_by_role("button", name="Decline").click()
    page.keyboard.press("1")
    page.keyboard.type("by <b>hand")
    page.keyboard.press("Enter")
    expect(card.locator(".declined")).to_have_text(
        "Declined by ada: I mend it otherwise: by <b>hand"
    )
    card.get_by_role("button", name="Restore").click()
    expect(card.get_by_role("button", name="Accept the repair")).to_be_visible()
    card.locator("[data-action=repair-edit]").click()
    page.keyboard.press("Escape")
    expect(card.locator(".hunk textarea")).to_have_count(0)


def test_bytes_that_are_no_text_are_shown_as_such(store: Store) -> None:
    (code, *rest) = PAPER.files
    other = replace(PAPER, files=(replace(code, data=b"\xff\xfe = 1\n" + code.data), *rest))
    made = patch(PAPER, other)
    at = opened(kept(store, replace(SPLIT, ways=(ProvenWay("Turn them", made),)), patch=made))
    (way,) = card_of(at)["ways"]
    assert "".join(way["files"][0]["rows"][0][3][1::2]) == "\ufffd\ufffd = 1"
    assert (way["patch"], way["hunks"]) == (None, None)
    assert drawn(at, "repairs_panel")["patch"] is None


def failing(store: Store) -> None:
    """A worker that fails at whatever waits."""
    for each in claim(store, "w", {"repairs": 5}, 60.0, alone=True):
        finish(store, each, problem="the disk is full", failed=True)


def test_repairs_that_a_worker_could_not_prove_are_shown_as_such(store: Store) -> None:
    at = opened(kept(store))
    failing(store)
    at.run()
    panel = drawn(at, "repairs_panel")
    assert (panel["state"], panel["problem"]) == ("failed", "the disk is full")
    assert card_of(at)["state"] == "failed", "it does not say that there is none"
    send(at, "repairs_panel", {"kind": "prove"})
    assert drawn(at, "repairs_panel")["state"] == "proving"


def test_what_was_accepted_and_could_not_be_made_says_why(store: Store) -> None:
    at = opened(kept(store, SPLIT, ASKED))
    (hunk,) = card_of(at)["ways"][0]["hunks"]
    said = {"kind": "repair_edit", "key": "k", "finding": MISSED.id}
    texts = [hunk["text"].replace("first", "mine")]
    send(at, "code_view", {**said, "way": card_of(at)["ways"][0]["key"], "texts": texts})
    failing(store)
    at.run()
    panel = drawn(at, "repairs_panel")
    assert (panel["state"], panel["unmade"]) == ("there", True)
    assert panel["problem"] == "the disk is full"
    assert (card_of(at)["edit"], card_of(at)["why_not"]) == ("failed", "the disk is full")
    send(at, "repairs_panel", {"kind": "prove"})
    assert card_of(at)["edit"] == "proving"


def test_trends_say_that_what_we_repaired_is_not_counted(store: Store) -> None:
    def told() -> str:
        return " ".join(each.value for each in open_page("trends").caption)

    store.add(BROKEN, review_all(BROKEN, ("rules",)))
    assert "repaired by areachair" not in told()
    mended = as_attempt(BROKEN, planned(BROKEN).last.submission)
    store.add(mended, review_all(mended, ("rules",)))
    assert "1 submission reviewed" in told()
    assert "1 version repaired by areachair not counted" in told()
