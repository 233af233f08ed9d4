"""Guards, in a real browser, the reviewers side by side: its keys, its address, and that
thousands of defects are drawn where a person looks.
"""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from reviewers.records import Review, Ruling, Severity, Span, Verdict
from reviewers.store import Store
from reviewers.store.submission import load_submission
from tests.builders import make_submission
from tests.dashboard.desk import MISSED, NAMED, RECORDED, RULES, flag
from tests.dashboard.models import always, configure, model, said
from tests.model_server import ModelServer

Dashboard = Callable[[], str]
pytestmark = pytest.mark.usefixtures("worker")
TOOL = Review(reviewer="sarif:lint", verdict=Verdict.READY, findings=(NAMED,), raw="{}")


@pytest.fixture
def id(store: Store) -> str:
    """Three reviewers, two of whom say one thing."""
    submission = make_submission(name="first")
    store.add(submission, (RECORDED, RULES, TOOL))
    return submission.id


def test_keys_go_through_it_rule_and_lead_back(
    page: Page, dashboard: Dashboard, id: str, store: Store
) -> None:
    address = dashboard()
    page.goto(f"{address}/submission?s={id[:16]}&finding={MISSED.id}")
    expect(page.locator(".card").first).to_be_visible()
    page.keyboard.press("v")
    chosen = page.locator(".row.current")
    expect(chosen.locator(".title")).to_have_text(MISSED.message)
    expect(page).to_have_url(re.compile("/side-by-side"))
    expect(chosen.locator(".cell.chosen .who")).to_contain_text("rules")
    page.keyboard.press("l")
    expect(chosen.locator(".cell.chosen .who")).to_contain_text("sarif:lint")
    page.keyboard.press("c")
    expect(chosen.locator(".cell.chosen .ruling")).to_contain_text("Confirmed by ada")
    page.keyboard.press("d")
    # What is typed is text, and no key of the page.
    page.keyboard.type("vcjd")
    page.keyboard.press("Enter")
    expect(chosen.locator(".ruling")).to_have_text("Dismissed by ada: vcjd")
    assert [one.ruling for one in load_submission(store, id).rulings] == [
        Ruling.DISMISS,
        Ruling.CONFIRM,
    ]
    page.keyboard.press("o")
    pane = page.locator(".st-key-side-pane")
    expect(pane.locator(".line.marked").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(pane).to_be_hidden()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/submission\?.*finding=named"))


def test_filters_stand_in_the_address_and_survive_a_reload(
    page: Page, dashboard: Dashboard, id: str
) -> None:
    page.goto(f"{dashboard()}/side-by-side?s={id[:16]}")
    rows = page.locator(".row")
    expect(rows).to_have_count(5)
    page.get_by_role("button", name="only Ru 1", exact=True).click()
    expect(rows).to_have_count(1)
    expect(page).to_have_url(re.compile("only=one&by=rules"))
    page.reload()
    expect(rows).to_have_count(1)
    expect(page.locator(".segment[aria-pressed=true]")).to_contain_text("Only one saw it")
    page.get_by_role("button", name="No longer only what rules says").click()
    expect(rows).to_have_count(4)
    page.keyboard.press("v")
    expect(page).to_have_url(re.compile("/submission"))
    page.go_back()
    expect(rows).to_have_count(4)


def test_of_thousands_of_defects_only_those_in_sight_are_in_the_page(
    page: Page, dashboard: Dashboard, store: Store
) -> None:
    lines = "".join(f"value_{n} = {n}\n" for n in range(1, 1_501))
    submission = make_submission({"src/big.py": lines}, name="big")
    found = tuple(
        flag("TR01", Span("src/big.py", n), id=f"f{n}", severity=Severity.MINOR, message=f"no {n}")
        for n in range(1, 1_501)
    )
    store.add(submission, (replace(RULES, findings=found), replace(TOOL, findings=())))
    page.goto(f"{dashboard()}/side-by-side?s={submission.id[:16]}")
    rows = page.locator(".row")
    expect(rows.first).to_be_visible()
    expect(page.locator(".segment").first).to_have_text("All 1,500")
    page.locator(".scroller").evaluate("(node) => { node.scrollTop = node.scrollHeight }")
    expect(rows.last.locator(".title")).to_have_text("no 1500")
    expect(page.locator(".title", has_text="no 1").first).not_to_have_text("no 1")
    assert rows.count() <= 200


def test_a_selection_is_asked_about_with_the_price_first(
    page: Page, own_dashboard: Dashboard, id: str
) -> None:
    with ModelServer(always(said("ready"))) as server:
        configure(model("quick", server))
        page.goto(own_dashboard())
        expect(page.locator("tbody tr")).to_have_count(1)
        page.keyboard.press("a")
        page.locator(".bar [data-action=ask]").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.locator(".figures")).to_contain_text("1 submission")
        assert not server.questions
        dialog.get_by_role("button", name="Ask 1 reviewer").click()
        expect(page.locator(".work .far")).to_have_text("1 of 1")
        expect(page.locator("thead")).to_contain_text("quick")
        expect(dialog).to_have_count(0)
