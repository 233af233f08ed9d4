"""Guards in a real browser that the name is asked for where the first record is made, and that what
somebody goes on typing is neither a name nor a record.
"""

import getpass
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from reviewers.records import Ruling, Verdict
from reviewers.store import Store
from reviewers.store.submission import load_submission
from tests.builders import make_submission
from tests.dashboard.desk import MISSED, RECORDED, RULES
from tests.dashboard.models import until

pytestmark = pytest.mark.browser
QUIET = 900  # milliseconds: longer than the pause after which Enter is meant for the dialog


def decided_by(store: Store, id: str) -> str:
    return load_submission(store, id).decisions[0].author.id


def test_the_name_is_asked_once_and_nothing_typed_becomes_one(
    page: Page, dashboard: Callable[[], str], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AREACHAIR_AUTHOR")
    submission = make_submission(name="gated units")
    store.add(submission, (RECORDED, RULES))

    def written() -> int:
        record = load_submission(store, submission.id)
        return len(record.decisions) + len(record.rulings) + len(record.remarks) + len(record.own)

    page.goto(f"{dashboard()}/submission?s={submission.id[:16]}")
    asked = page.get_by_role("dialog", name="Who signs this?")
    reason = page.get_by_label("Reason", exact=True).and_(page.locator("textarea"))
    expect(reason).to_be_visible()
    expect(page.locator(".card", has_text=MISSED.message)).to_be_visible()

    # Typing goes on over the question, and over an Enter that was meant for the text.
    page.keyboard.press("2")
    expect(reason).to_be_focused()
    page.keyboard.type("blockers are real")
    page.keyboard.press("Enter")
    page.keyboard.type(", because b c a d 1", delay=1000 / 12)
    page.keyboard.press("Enter")
    expect(asked).to_be_visible()
    expect(asked.get_by_role("button", name="Sign as")).to_contain_text(getpass.getuser())
    near, form = asked.bounding_box(), reason.bounding_box()
    assert near is not None
    assert form is not None
    assert abs(near["y"] + near["height"] - form["y"]) < 60, "it stands at the place of action"
    assert written() == 0
    page.keyboard.press("Escape")
    expect(asked).to_have_count(0)
    expect(reason).to_have_value("blockers are real, because b c a d 1")
    expect(page.get_by_role("switch", name="Blind mode")).to_have_attribute("aria-checked", "false")

    # A card's word waits as well, and its text comes back.
    page.locator(".card", has_text=MISSED.message).locator("header").click()
    page.keyboard.press("m")
    comment = page.locator("form.comment input, form.comment textarea").first
    comment.fill("see above")
    comment.press("Enter")
    expect(asked).to_be_visible()
    page.keyboard.press("Escape")
    expect(comment).to_have_value("see above")
    comment.press("Escape")
    assert written() == 0

    # Too long a name is told, a deliberate one signs, and is not asked again.
    page.locator(".card", has_text=MISSED.message).locator("header").click()
    page.keyboard.press("c")
    asked.get_by_role("button", name="Another name").click()
    field = asked.get_by_label("Your name")
    field.fill("x" * 41)
    field.press("Enter")
    expect(asked).to_contain_text("at most 40 characters; this one has 41")
    assert written() == 0
    field.fill("grace")
    field.press("Enter")
    until(lambda: written() == 1)
    expect(page.get_by_role("button", name="as grace").first).to_be_visible()
    reason.click()
    page.keyboard.press("Enter")
    until(lambda: written() == 2)
    record = load_submission(store, submission.id)
    assert record.ruling_of[MISSED.id].ruling is Ruling.CONFIRM
    (decision,) = record.decisions
    assert decision.reason == "blockers are real, because b c a d 1"
    assert {each.author.name for each in (*record.decisions, *record.rulings)} == {"grace"}


def test_one_enter_after_a_pause_signs_with_the_login_name_and_the_next_visit_knows_it(
    page: Page, dashboard: Callable[[], str], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AREACHAIR_AUTHOR")
    submission = make_submission(name="gated units")
    store.add(submission, (RECORDED, RULES))
    page.goto(dashboard())
    expect(page.locator("tbody tr")).to_have_count(1)
    page.keyboard.press("j")
    page.keyboard.press("1")
    page.keyboard.type("it ran")
    page.keyboard.press("Enter")
    asked = page.get_by_role("dialog", name="Who signs this?")
    expect(asked).to_be_visible()
    expect(page.locator("tbody tr")).to_contain_text("unsigned")
    page.wait_for_timeout(QUIET)
    page.keyboard.press("Enter")
    until(lambda: load_submission(store, submission.id).decision is not None)
    (decision,) = load_submission(store, submission.id).decisions
    assert (decision.author.name, decision.reason) == (getpass.getuser(), "it ran")
    page.reload()
    who = page.get_by_role("button", name=re.compile(f"as {getpass.getuser()}"))
    expect(who).to_be_visible()

    # A correction to a name that is in use waits for a second, deliberate click.
    other = make_submission({"src/extra.py": "# another\n"})
    store.add(other)
    store.decide(other.id, Verdict.READY, "it ran", "Ann")
    for choice, author in (("Leave them", getpass.getuser()), ("These are mine too", "Ann")):
        page.get_by_role("button", name=re.compile("^as ")).first.click()
        field = page.get_by_label("Your name")
        field.fill(getpass.getuser())
        field.press("Enter")
        page.get_by_role("button", name=re.compile("^as ")).first.click()
        field.fill("Ann")
        page.get_by_role("button", name="Correct what I signed, too").click()
        asked = page.get_by_role("dialog", name="Is this you?")
        expect(asked).to_contain_text("1 record is signed Ann already")
        asked.get_by_role("button", name=choice).click()
        expect(asked).to_have_count(0)
        until(lambda author=author: decided_by(store, submission.id) == author)
