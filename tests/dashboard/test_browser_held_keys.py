"""Guards what is typed before the server has answered: it belongs to the submission that comes, and
no key of the page acts meanwhile.

`HELD_KEYS_ROUNDS=200 python -m pytest tests/dashboard/test_browser_held_keys.py -k twelve` plays as
many rounds as wanted (ten minutes for 200).
"""

import os
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, inbox
from reviewers.store.submission import load_submission
from tests.dashboard.desk import MISSED, RULES, lineage
from tests.dashboard.serving import Server
from tests.dashboard.slow import SlowLine

Dashboard = Callable[[], str]
ROUNDS = int(os.environ.get("HELD_KEYS_ROUNDS", "3"))
DELAY_SECONDS = 0.3
LETTERS_A_SECOND = 12
# Every key of the page; the short one is saved before the submission that it is meant for is there.
REASONS = ("bcd asmv [n] jk xf/ c, d.", "b c", "c2 n1 dd, blockers are real")


@pytest.mark.long
def test_twelve_letters_a_second_never_outrun_the_server(
    page: Page, dashboard: Dashboard, store: Store
) -> None:
    store.add_many([(submission, (RULES,)) for submission in lineage("exp", ROUNDS + 1)])
    ids = [row.id for row in inbox(store, InboxQuery(limit=ROUNDS + 1)).rows]
    with SlowLine(dashboard(), DELAY_SECONDS) as line:
        page.goto(f"{line.address}/submission?s={ids[0][:16]}")
        expect(page.locator(".st-key-panel-decision textarea")).to_be_visible()
        expect(page.locator(".card.current")).to_be_visible()
        for number in range(ROUNDS):
            words = f"{REASONS[number % len(REASONS)]} {number}"
            page.keyboard.type(f"{1 + number % 2}{words}\n", delay=1000 / LETTERS_A_SECOND)
        expect(page.locator(".st-key-submission-head")).to_contain_text(
            f"{ROUNDS} of {ROUNDS + 1} decided"
        )
        expect(page.get_by_role("switch", name="Blind mode")).not_to_be_checked()
    for number, id in enumerate(ids):
        record = load_submission(store, id)
        said = [(str(one.verdict), one.reason) for one in record.decisions]
        meant = (
            ("ready", "not_ready")[number % 2],
            f"{REASONS[number % len(REASONS)]} {number}",
        )
        assert said == ([meant] if number < ROUNDS else [])
        assert [record.rulings, record.remarks, record.own] == [(), (), ()]


def test_what_is_typed_over_a_refusal_is_neither_lost_nor_saved(
    page: Page, dashboard: Dashboard, store: Store
) -> None:
    first, second = lineage("exp", 2)
    for submission in (first, second):
        store.add(submission, (RULES,))
    form = page.locator(".st-key-panel-decision")
    reason = form.locator("textarea")
    with SlowLine(dashboard(), DELAY_SECONDS) as line:
        page.goto(f"{line.address}/submission?s={first.id[:16]}")
        expect(page.locator(".card.current")).to_be_visible()
        page.keyboard.press("1")
        # A reason to the browser, but none to Python.
        page.keyboard.insert_text("\x85")
        page.keyboard.type("\nc2blockers are real\n", delay=1000 / LETTERS_A_SECOND)
        expect(form.locator(".note")).to_contain_text("Not saved: a decision needs a reason")
        expect(form.locator(".note")).to_contain_text("Choose Ready or Not ready first")
        expect(reason).to_have_value("blockers are real")
        expect(form.locator("[aria-pressed=true]")).to_have_count(0)
        assert not load_submission(store, first.id).decisions
        # What was refused can be had back, and so can what was typed since.
        restore = form.get_by_role("button", name="Restore")
        restore.click()
        expect(reason).to_have_value("\x85")
        restore.click()
        expect(reason).to_have_value("blockers are real")
        # Who goes elsewhere meanwhile takes nothing along.
        page.keyboard.press("Escape")
        page.keyboard.press("2")
        page.keyboard.press("Enter")
        page.keyboard.type("1it is fine\n", delay=20)
        page.locator(".st-key-submission-head .back").click()
        expect(page.locator("tbody tr[data-id]")).to_have_count(2)
        expect(page.locator("html[data-between]")).to_have_count(0)
    (decision,) = load_submission(store, first.id).decisions
    assert decision.reason == "blockers are real"
    record = load_submission(store, second.id)
    assert [record.decisions, record.rulings] == [(), ()]


def test_what_the_server_has_not_acknowledged_says_so(page: Page, store: Store, url: str) -> None:
    late = "The server has not answered yet; this is not saved."
    submissions = lineage("exp", 2)
    for submission in submissions:
        store.add(submission, (RULES,))
    with Server(url) as server:
        page.goto(f"{server.address}/submission?s={submissions[0].id[:16]}&file=src/evaluate.py")
        card = page.locator(".card", has_text=MISSED.message)
        form = page.locator(".st-key-panel-decision")
        own = page.locator(".card", has_text="this one is mine")
        expect(page.locator(".card.current")).to_be_visible()
        expect(form.locator("textarea")).to_be_visible()
        with server.stopped():
            page.keyboard.type("aThis one is mine, too: this one is mine\n")
            page.keyboard.type("2it stops at once")
            page.keyboard.press("Control+Enter")
            page.keyboard.type("d1\n")
            for place in (own, card.locator(".fold")):
                expect(place).to_contain_text(late)
            expect(form.locator(".note")).to_contain_text(
                "not answered yet; “Not ready: it stops at once” is not saved."
            )
        for place in (own, form, card):
            expect(place).not_to_contain_text("not answered yet")
        expect(form.locator(".word")).to_contain_text("it stops at once")
        expect(page.locator(".card .late")).to_have_count(0)

        page.goto(server.address)
        expect(page.locator("tbody tr[data-id]")).to_have_count(2)
        row = page.locator("tbody tr.at")
        page.keyboard.press("j")
        with server.stopped():
            page.keyboard.type("1")
            page.get_by_label("Reason why").fill("it runs")
            page.keyboard.press("Enter")
            expect(page.locator("td.decision .late")).to_have_text(late)
        expect(page.locator(".said")).to_contain_text("Decided 1 submission")
        expect(page.locator("td.decision .late")).to_have_count(0)
        expect(row).to_be_visible()
    record = load_submission(store, submissions[0].id)
    assert [len(record.own), len(record.rulings)] == [1, 1]
