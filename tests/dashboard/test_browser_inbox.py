"""Guards triage in the inbox in a real browser: keys, decisions on one, several and all, filters to
be taken away, import.
"""

import csv
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
from reviewers.store.assignments import claim
from reviewers.store.desk_choices import saved_views
from reviewers.store.inbox import InboxQuery, View, inbox, view_counts
from tests.builders import CONTEXT, contract, make_submission
from tests.dashboard.desk import ANSWER, RECORDED, RULES, lineage
from tests.dashboard.screens import rest


@pytest.fixture
def names(store: Store) -> list[str]:
    """A lineage of 60 and one more submission; the names in the order of the inbox."""
    store.add_many([(one, (RULES,)) for one in lineage("exp", 60)])
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


@pytest.mark.usefixtures("worker")
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
    expect(page.locator("tbody tr.picked").nth(2)).to_be_visible()
    picked = page.locator("tbody tr.picked").count()
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
    page.get_by_label("Add filter").select_option("since")
    expect(page.get_by_role("textbox", name="Generated since")).to_be_focused()
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
    rest(page)
    page.keyboard.press("n")
    expect(page).to_have_title(re.compile("^(exp_[0-9]+|gated) · areachair$"))
    for key, name in (("t", "Trends"), ("r", "Reviewers"), ("s", "Settings"), ("i", "(60) Inbox")):
        rest(page)
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

    # Reviewers without room for a column each share one, but for those that a person chose.
    others = [replace(RECORDED, reviewer=f"lab:model-{nth}") for nth in range(4)]
    store.add(lineage("exp", 1)[0], (RECORDED, RULES, *others))
    page.goto(f"{address}/?rows=lineages")
    expect(page.locator("thead .reviewer")).to_have_count(0)
    expect(page.locator("tbody .shared", has_text="Not ready").first).to_be_visible()
    assert page.locator(".wrap").evaluate(beyond) == 0
    page.get_by_text("Columns", exact=True).click()
    for nth in range(4):
        page.get_by_label(f"model-{nth}").click()
        expect(page.get_by_label(f"model-{nth}")).to_be_checked(checked=False)
        page.get_by_label(f"model-{nth}").click()
        expect(page.locator("thead .reviewer")).to_have_count(nth + 1)
    expect(page.locator("thead .decision")).to_be_in_viewport(ratio=0.99)


def test_a_lineage_opens_keeps_its_scroll_and_its_rows_are_saved_as_they_are_shown(
    page: Page, dashboard: Callable[[], str], store: Store, names: list[str]
) -> None:
    address = dashboard()
    page.set_viewport_size({"width": 1440, "height": 500})
    page.goto(f"{address}/?rows=lineages")
    rows = page.locator("tbody tr[data-id]")
    expect(rows).to_have_count(2)
    lineage_row = rows.filter(has_text="latest of 60")
    expect(lineage_row.locator(".curve")).to_have_count(1)
    lineage_row.get_by_label("Show the other attempts").click()
    expect(rows).to_have_count(51)
    expect(page.locator(".foot")).to_contain_text("2 lineages with 61 attempts that match")

    # The names of the columns and the bar stay in sight, and Back leads to where the list was.
    wrap = page.locator(".wrap")
    wrap.evaluate("node => { node.scrollTop = 900 }")
    expect(page.locator("thead .what")).to_be_in_viewport()
    expect(page.get_by_role("searchbox")).to_be_in_viewport()
    box = wrap.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 330, box["y"] + 200)
    expect(page.locator(".st-key-submission-head h1")).to_be_visible()
    page.go_back()
    expect(rows).to_have_count(51)
    expect(page.locator(".wrap")).to_have_js_property("scrollTop", 900)

    # A column goes for this person on every page, and from the file.
    page.get_by_text("Columns", exact=True).click()
    page.get_by_label("Why it needs you").uncheck()
    expect(page.locator("thead .attention")).to_have_count(0)
    page.goto(f"{address}/?rows=lineages&sort=name")
    expect(rows).to_have_count(2)
    expect(page.locator("thead .attention")).to_have_count(0)
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV").click()
    table = list(csv.DictReader(Path(saved.value.path()).read_text("utf-8").splitlines()))
    assert [row["submission"] for row in table] == ["exp_60", "gated"]
    assert [row["attempts_that_match"] for row in table] == ["60", "1"]
    assert "why_it_needs_you" not in table[0]
    assert {"blockers", "rules verdict", "decision", "generated"} <= table[0].keys()


def test_a_search_shows_its_place_as_text_and_opens_there(
    page: Page, dashboard: Callable[[], str], store: Store
) -> None:
    hostile = "x = 1\n# the <img src=x onerror=alert(1)> quokka<b>s</b>\n"
    store.add(make_submission({"src/extra.py": hostile}, name="a-long-name-of-a-run_07"), (RULES,))
    page.goto(f"{dashboard()}/?q=quokka")
    place = page.locator("tbody .place")
    expect(place).to_contain_text("extra.py:2")
    expect(place.locator("mark")).to_have_text("quokka")
    expect(place.locator("img, b")).to_have_count(0)
    page.get_by_role("link", name="a-long-name-of-a-run_07").click()
    page.wait_for_url(re.compile(r"file=src%2Fextra.py&line=2"))
    expect(page.locator(".st-key-submission-head h1")).to_be_visible()
    # A name is cut in its middle: the number of the run stays.
    page.set_viewport_size({"width": 1000, "height": 700})
    page.goto(page.url.split("submission")[0])
    tail = page.locator(".name-tail")
    expect(tail).to_have_text("-a-run_07")
    assert tail.evaluate("node => node.scrollWidth <= node.clientWidth + 1")


def test_claims_and_saved_views_by_hand(
    page: Page, dashboard: Callable[[], str], store: Store, names: list[str]
) -> None:
    address = dashboard()
    page.goto(address)
    rows, said = page.locator("tbody tr[data-id]"), page.locator(".said")
    expect(rows).to_have_count(50)
    page.keyboard.press("j")
    page.keyboard.press("m")
    expect(said).to_contain_text("Claimed 1 submission")
    expect(rows.first.locator(".assignee")).to_have_text("you claimed")
    page.get_by_role("link", name="Assigned to me").click()
    expect(rows).to_have_count(1)

    # Somebody else was first on one of the two.
    page.goto(address)
    expect(rows).to_have_count(50)
    first, second, third = (row.id for row in inbox(store, InboxQuery(limit=4)).rows[1:])
    claim(store, [first], "grace")
    for id in (first, second):
        page.locator(f'[data-id="{id}"]').get_by_role("checkbox").click()
    page.locator(".bar").get_by_role("button", name="Claim").click()
    expect(said).to_contain_text("Claimed 1 submission; grace was first on")
    page.locator(f'[data-id="{third}"]').get_by_role("checkbox").click()
    page.get_by_label("Assign to: ").fill("zoe")
    page.keyboard.press("Enter")
    expect(said).to_contain_text("Assigned 1 submission to zoe")

    # What is asked for is saved under a name, with its count, for this person alone.
    page.goto(f"{address}/?assigned_to=zoe")
    expect(rows).to_have_count(1)
    page.get_by_role("button", name="Save this view").click()
    page.keyboard.type("for zoe")
    page.keyboard.press("Enter")
    own = page.locator(".saved")
    expect(own).to_have_text("for zoe1")
    page.get_by_label("Rename or delete for zoe").click()
    page.get_by_label("New name of for zoe").fill("zoe's")
    page.keyboard.press("Enter")
    expect(own).to_contain_text("zoe's")
    assert saved_views(store, "ada") == {"zoe's": "assigned_to=zoe"}
    page.get_by_label("Rename or delete zoe's").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(own).to_have_count(0)


def test_below_900_pixels_a_row_is_a_card_that_can_be_decided_on(
    page: Page, dashboard: Callable[[], str], store: Store, names: list[str]
) -> None:
    page.set_viewport_size({"width": 820, "height": 900})
    page.goto(dashboard())
    card = page.locator("tbody tr[data-id]").first
    ready = card.locator('[data-action="decide"][data-verdict="ready"]')
    expect(ready).to_be_in_viewport()
    box = card.bounding_box()
    assert box is not None
    assert box["height"] > 90
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    ready.click()
    page.keyboard.type("fine")
    page.keyboard.press("Enter")
    expect(page.locator(".said")).to_contain_text("Decided 1 submission ready: fine")
