"""Guards triage in the inbox in a real browser: keys, decisions on one, several and all, filters to
be taken away, import.
"""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from dashboard.parts.upload import LARGEST
from reviewers.bundles import submission_to_json
from reviewers.records import Verdict
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, View, inbox, view_counts
from tests.builders import CONTEXT, contract, make_submission
from tests.dashboard.desk import ANSWER, RECORDED, RULES, lineage


@pytest.fixture
def names(store: Store) -> list[str]:
    """A lineage of 60 and one more submission; the names in the order of the inbox."""
    for one in lineage("exp", 60):
        store.add(one, (RULES,))
    another = replace(
        CONTEXT, hypothesis={**CONTEXT.hypothesis, "open_problems": "Closed gates waste units."}
    )
    store.add(
        make_submission({"src/extra.py": "class GatedUnit: pass\n"}, name="gated", context=another),
        (RECORDED, RULES),
    )
    return [row.name for row in inbox(store, InboxQuery(limit=100)).rows]


def open_and_come_back(page: Page) -> None:
    """Open the marked submission, whose address keeps the filters; come back once it is drawn.

    The address changes before the page does, so going back at once would leave the keys to an
    inbox that is about to be redrawn.
    """
    head, asked = page.locator(".st-key-submission-head h1"), parse_qs(urlsplit(page.url).query)
    page.keyboard.press("Enter")
    expect(head).to_be_visible()
    assert parse_qs(urlsplit(page.url).query).items() >= asked.items()
    page.go_back()
    expect(head).to_have_count(0)


def test_a_page_of_submissions_is_triaged_by_key(
    page: Page, dashboard: Callable[[], str], store: Store, names: list[str], tmp_path: Path
) -> None:
    page.goto(dashboard())
    rows = page.locator("tbody tr[data-id]")
    at = page.locator("tbody tr.at")
    reason = page.get_by_label("Reason why")
    expect(rows).to_have_count(50)

    # One by key, with a reason; the next one is marked then.
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(at).to_contain_text(names[1])
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.locator(".ask .note")).to_contain_text("Say why")
    page.keyboard.type("jx1 stops it")
    page.keyboard.press("Enter")
    expect(page.locator(".said")).to_contain_text("Decided 1 submission not ready: jx1 stops it")
    expect(at).to_contain_text(names[2])
    expect(page.get_by_text("1 of 61 decided", exact=False)).to_be_visible()

    # The reason is offered again, and what was just decided can be taken back.
    page.keyboard.press("2")
    expect(reason).to_have_value("jx1 stops it")
    page.keyboard.press("Escape")
    expect(at.get_by_role("link")).to_be_focused()
    page.keyboard.press("u")
    expect(page.locator(".said")).to_contain_text("Undone")
    assert view_counts(store)[View.DECIDED] == 0

    # Several: two by key, a range by click.
    page.keyboard.press("x")
    rows.nth(5).get_by_role("checkbox").click(modifiers=["Shift"])
    expect(page.locator(".bar")).to_contain_text("selected")
    picked = page.locator("tbody tr.picked").count()
    assert picked > 2
    page.keyboard.press("1")
    page.keyboard.press("ArrowDown")
    expect(reason).to_have_value("No blocker remains")
    page.keyboard.press("Enter")
    expect(page.locator(".said")).to_contain_text(
        f"Decided {picked} submissions ready: No blocker remains"
    )
    expect(page.locator(".bar")).to_have_count(0)

    # Filters go into the address, are taken away one by one, and Back brings them again.
    page.keyboard.press("/")
    page.keyboard.type("gatedun")
    page.wait_for_url(re.compile("q=gatedun"))
    expect(rows).to_have_count(1)
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    page.keyboard.press("Escape")
    # The focus is on nothing now; the row that is marked is still the one that keys act on.
    assert page.evaluate("document.activeElement === document.body")
    expect(at).to_contain_text("gated")
    open_and_come_back(page)
    expect(rows).to_have_count(1)
    # On a button Enter is the button's.
    page.keyboard.press("f")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Filter").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Category").select_option("file-structure")
    page.wait_for_url(re.compile("category=file-structure"))
    page.get_by_role("button", name="Remove: Search: gatedun").click()
    page.wait_for_url(re.compile(r"/\?category=file-structure$"))
    expect(page.get_by_role("searchbox")).to_have_value("")
    page.go_back()
    expect(page.get_by_role("button", name="Remove: Search: gatedun")).to_be_visible()
    expect(page.get_by_role("searchbox")).to_have_value("gatedun")
    page.get_by_role("button", name="Clear all").click()
    expect(rows).to_have_count(50)
    # A day is typed digit by digit, and its year is not taken for year 2.
    page.get_by_role("textbox", name="Generated since").focus()
    page.keyboard.type("11212020")
    page.wait_for_url(re.compile(r"\?since=2020-11-21$"))
    page.get_by_role("button", name="Remove: Generated since").click()
    page.wait_for_url(re.compile(r"/\?$"))
    page.keyboard.press("Escape")

    # Over the end of a page goes on to the next; who comes back from a submission, or loads again,
    # stands where they were.
    below = [row.name for row in inbox(store, InboxQuery(limit=100)).rows]
    rows.nth(49).get_by_role("checkbox").click()
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.wait_for_url(re.compile("page=2"))
    expect(at).to_contain_text(below[50])
    page.keyboard.press("j")
    open_and_come_back(page)
    expect(at).to_contain_text(below[51])
    page.reload()
    expect(at).to_contain_text(below[51])
    page.keyboard.press("k")
    page.keyboard.press("k")
    expect(rows).to_have_count(50)
    expect(at).to_contain_text(below[49])

    # All that match, on every page, leaving what was decided; asked twice.
    page.keyboard.press("a")
    page.get_by_role("button", name="Select all 61 that match").click()
    page.keyboard.press("2")
    reason.fill("the whole generation")
    page.keyboard.press("Enter")
    expect(page.locator(".ask .note")).to_contain_text(
        f"This decides on {61 - picked} submissions, on every page."
    )
    assert view_counts(store)[View.DECIDED] == picked
    page.keyboard.press("Enter")
    expect(page.locator(".said")).to_contain_text(f"Decided {61 - picked} submissions not ready")
    expect(page.get_by_text("Everything here is decided.")).to_be_visible()
    assert inbox(store, InboxQuery(decision=Verdict.READY)).total == picked

    # What is dropped is imported, and the outcome of each file is shown.
    good, bad, large = tmp_path / "gate.json", tmp_path / "noise.zip", tmp_path / "large.json"
    good.write_text(
        json.dumps(submission_to_json(replace(make_submission(name="dropped"), recorded=(ANSWER,))))
    )
    bad.write_bytes(b"PK\x03\x04 nothing")
    large.write_bytes(bytes(LARGEST + 1))
    page.get_by_role("button", name="Import", exact=True).click()
    page.locator("input[type=file]").set_input_files([good, bad, large])
    told = page.locator(".st-key-inbox-main li")
    expect(told.filter(has_text="gate.json")).to_contain_text("1 new or changed")
    expect(told.filter(has_text="noise.zip")).to_contain_text("refused")
    expect(told.filter(has_text="large.json")).to_contain_text("larger than 20 MB")
    expect(rows.filter(has_text="dropped")).to_have_count(1)


def test_columns_stay_where_they_are(
    page: Page, dashboard: Callable[[], str], store: Store, names: list[str]
) -> None:
    def places() -> list[float]:
        return page.locator("thead th").evaluate_all(
            "all => all.map(one => Math.round(10 * one.getBoundingClientRect().x) / 10)"
        )

    page.goto(dashboard())
    rows = page.locator("tbody tr[data-id]")
    expect(rows).to_have_count(50)
    before = places()
    assert len(set(before)) > 6
    rows.nth(3).hover()
    expect(rows.nth(3).get_by_role("button", name="Not ready")).to_be_visible()
    assert places() == before, "under the pointer"
    page.keyboard.press("j")
    expect(page.locator("tbody tr.at")).to_have_count(1)
    assert places() == before, "on the marked row"
    # Only the last page has a submission with an answer of a model: the columns know of it.
    page.goto(f"{page.url}?sort=name&page=2")
    expect(rows).to_have_count(11)
    assert places() == before, "on another page"
    page.goto(f"{page.url.split('?')[0]}?q=exp_01")
    expect(rows).to_have_count(1)
    assert places() == before, "after a search"
    decide = page.get_by_role("button", name="Not ready")
    rows.first.hover()
    inside, cell = decide.bounding_box(), rows.first.locator("td.decision").bounding_box()
    assert inside is not None
    assert cell is not None
    assert inside["x"] + inside["width"] <= cell["x"] + cell["width"], "the buttons are whole"


def test_a_tab_is_named_for_what_it_shows(
    page: Page, dashboard: Callable[[], str], store: Store, names: list[str]
) -> None:
    page.goto(dashboard())
    expect(page).to_have_title("(61) Inbox · areachair")
    expect(page.locator("tbody tr[data-id]")).to_have_count(50)
    page.keyboard.press("j")
    page.keyboard.press("1")
    page.keyboard.type("fine")
    page.keyboard.press("Enter")
    expect(page).to_have_title("(60) Inbox · areachair")
    page.keyboard.press("n")
    expect(page).to_have_title(re.compile("^(exp_[0-9]+|gated) · areachair$"))
    for key, name in (("t", "Trends"), ("r", "Reviewers"), ("s", "Settings"), ("i", "(60) Inbox")):
        page.keyboard.press("g")
        page.keyboard.press(key)
        expect(page).to_have_title(f"{name} · areachair")


def test_what_a_row_says_fits_on_the_screen_with_its_contract(
    page: Page, dashboard: Callable[[], str], store: Store
) -> None:
    for name in ("derived-experiment", "nine-modes"):
        code = {"src/extra.py": f"x = '{name}'\n"}
        submission = make_submission(code, name=f"gated by {name}", contract=contract(name))
        store.add(submission, (RECORDED, RULES))
    address = dashboard()
    for width, columns in ((1720, 1), (1600, 1), (1520, 0), (1440, 0)):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(address)
        expect(page.locator("tbody tr[data-id]")).to_have_count(2)
        expect(
            page.get_by_text("derived-experiment", exact=True).locator("visible=true")
        ).to_have_count(1)
        expect(page.locator("thead .contract").locator("visible=true")).to_have_count(columns)
        beyond = "node => node.scrollWidth - node.clientWidth"
        assert page.locator(".wrap").evaluate(beyond) == 0, width
