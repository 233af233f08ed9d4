"""Guards the triage: ten submissions by keys alone, two people at one submission, a blind look, and
what goes wrong.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import current_thread

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from sqlalchemy import Engine
from sqlalchemy.event import listen, remove

from reviewers.records import Review, Ruling, Span, Verdict
from reviewers.store import Store
from reviewers.store.submission import load_submission
from tests.builders import make_submission
from tests.dashboard.conftest import watched_page
from tests.dashboard.desk import MISSED, RECORDED, RULES, SMALL, flag, lineage
from tests.dashboard.models import until
from tests.dashboard.screens import components, decide, drawn, open_page, rest

Dashboard = Callable[[], str]
EARLIER = flag("CF01", Span("src/train.py", 2), message="the first of two")
READY = Review(reviewer="llm", verdict=Verdict.READY, model="m", text="Fine.", raw="{}")


@pytest.fixture
def id(store: Store) -> str:
    """A submission on which two say not ready and one says ready."""
    submission = make_submission(name="first", lineage="exp", attempt=3)
    store.add(submission, (RECORDED, RULES, READY))
    return submission.id


def reason(page: Page) -> Locator:
    return page.get_by_label("Reason", exact=True).and_(page.locator("textarea"))


def test_submissions_are_triaged_by_keys_alone(
    page: Page, dashboard: Dashboard, store: Store
) -> None:
    ids = set()
    for submission in lineage("exp", 3):
        store.add(submission, (replace(RULES, findings=(EARLIER, SMALL)),))
        ids.add(submission.id)
    page.goto(dashboard())
    expect(page.locator("tbody tr")).to_have_count(3)
    press = page.keyboard.press
    press("j")
    press("Enter")
    name = page.locator(".st-key-submission-head h1")
    seen = set()
    for number in range(3):
        current = page.locator(".card.current")
        expect(page.locator(".card.current.is-refuted")).to_have_count(0)
        expect(current).to_contain_text(EARLIER.message)
        seen.add(name.inner_text())
        shown = name.inner_text()
        press("c")
        expect(page.locator(".card .ruling")).to_contain_text("Confirmed by ada")
        press("j")
        expect(current).to_contain_text(SMALL.message)
        press("d")
        expect(current.get_by_label("Why it is dismissed")).to_be_focused()
        page.keyboard.type("words: 1 2 n ? stay words")
        press("Enter")
        expect(page.locator(".card .fold")).to_contain_text("dismissed")
        press("1" if number % 2 else "2")
        expect(reason(page)).to_be_focused()
        if number > 1:
            # The reasons given lately, the last one first from below.
            press("ArrowUp")
            press("Enter")
            expect(reason(page)).not_to_have_value("")
        else:
            page.keyboard.type(f"reason {number}: j c d n")
        press("Enter")
        if number < 2:
            expect(name).not_to_have_text(shown)
    expect(page.locator(".st-key-submission-head")).to_contain_text("3 of 3 decided")
    rest(page)
    press("g")
    press("i")
    expect(page.locator("tbody tr")).to_have_count(3)
    expect(page.get_by_text("3 of 3 decided")).to_be_visible()
    assert len(seen) == 3
    for submission_id in ids:
        record = load_submission(store, submission_id)
        assert {id: ruling.ruling for id, ruling in record.ruling_of.items()} == {
            EARLIER.id: Ruling.CONFIRM,
            SMALL.id: Ruling.DISMISS,
        }
        assert record.ruling_of[SMALL.id].reason == "words: 1 2 n ? stay words"
        (decision,) = record.decisions
        assert decision.reason in {"reason 0: j c d n", "reason 1: j c d n"}
        assert (decision.verdict is Verdict.READY) == (decision.reason == "reason 1: j c d n")


def test_what_somebody_says_while_a_page_is_read_is_on_it_once_it_is_drawn(
    store: Store, id: str
) -> None:
    left = 0

    def reads(*_: object) -> None:
        nonlocal left
        if current_thread().name == "looks":  # behind the page
            return
        left -= 1
        if not left:
            store.decide(id, Verdict.READY, f"said at read {place}", "grace")

    listen(Engine, "after_cursor_execute", reads)
    try:
        for place in range(1, 10):
            left = place
            at = open_page("submission", s=id[:16])
            assert drawn(at, "decision_form")["said"][0]["reason"] == f"said at read {place}"
    finally:
        remove(Engine, "after_cursor_execute", reads)


def test_two_people_decide_at_once_and_each_sees_both(
    page: Page, chromium: Browser, dashboard: Dashboard, store: Store, id: str
) -> None:
    address = f"{dashboard()}/submission?s={id[:16]}"
    with watched_page(chromium) as other:
        for browser, name, key in ((page, "grace", "1"), (other, "ada", "2")):
            browser.goto(address)
            expect(reason(browser)).to_be_visible()
            browser.keyboard.press(key)
            expect(reason(browser)).to_be_focused()
            browser.keyboard.type(f"{name} says so")
        # Who speaks is asked of one of them only: the other goes by the name that the server was
        # given.
        page.get_by_role("button", name="as ada").first.click()
        page.get_by_label("Your name").fill("grace")
        page.keyboard.press("Enter")
        expect(reason(page)).to_have_value("grace says so")
        for browser in (page, other):
            browser.get_by_role("button", name="Save", exact=True).click()
        until(lambda: len(load_submission(store, id).decisions) == 2)
        for browser in (page, other):
            # What a window does when a person comes back to it; nobody reloads.
            browser.evaluate("window.dispatchEvent(new Event('focus'))")
            words = browser.locator(".st-key-panel-decision .word")
            expect(words).to_have_count(2)
            expect(words.filter(has_text="grace says so")).to_contain_text("ready")
            expect(words.filter(has_text="ada says so")).to_contain_text("not ready")
    kept = {
        (decision.author.name, decision.verdict)
        for decision in load_submission(store, id).decisions
    }
    assert kept == {("grace", Verdict.READY), ("ada", Verdict.NOT_READY)}


def test_the_help_sheet_holds_the_keys_until_it_is_closed(
    page: Page, dashboard: Dashboard, store: Store, id: str
) -> None:
    page.goto(f"{dashboard()}/submission?s={id[:16]}")
    card = page.locator(".card.current")
    expect(card).to_contain_text(MISSED.message)
    hint = page.get_by_role("note")
    expect(hint).to_contain_text("j and k move between findings")
    page.get_by_role("button", name="Got it").click()
    expect(hint).to_contain_text("1 is ready")
    page.get_by_role("button", name="No hints").click()
    expect(hint).to_have_count(0)
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Keys of this page")
    expect(sheet).to_contain_text("confirm the finding")
    for key in ("c", "j", "1", "b", "Tab", "Tab", "Tab"):
        page.keyboard.press(key)
    assert sheet.evaluate("node => node.contains(node.getRootNode().activeElement)")
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(card).to_contain_text(MISSED.message)
    assert not load_submission(store, id).rulings
    # Streamlit's own: c offers to clear its cache, r runs the page anew.
    page.locator("body").evaluate("node => node.focus()")
    page.keyboard.press("g")
    page.keyboard.press("t")
    expect(page.get_by_text("What fails most, and is it getting better?")).to_be_visible()
    page.keyboard.press("c")
    page.keyboard.press("r")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert page.get_by_test_id("stStatusWidget").count() == 0


def test_a_store_whose_file_is_gone_takes_no_decision_until_it_is_back(
    id: str, store: Store, tmp_path: Path
) -> None:
    at = open_page("submission", s=id)
    file = tmp_path / "store.sqlite3"
    file.rename(tmp_path / "away")
    decide(at, id, "ready", "I ran it")
    assert [error.value for error in at.error] != []
    assert "decision_form" not in components(at)
    (tmp_path / "away").rename(file)
    at.button(key="trouble-again").click().run()
    assert drawn(at, "decision_form")["said"] == []
    decide(at, id, "ready", "I ran it")
    assert len(load_submission(store, id).decisions) == 1
