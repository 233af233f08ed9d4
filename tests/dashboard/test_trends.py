"""Guards the trends' screen: what leads it, what its address says, that little is said to be
little, and what a click opens.
"""

import csv
import io
import json
import re
from contextlib import closing
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from dashboard.charts.page import CHARTS, chart
from dashboard.charts.ranked import group_bars
from dashboard.charts.style import INKS, PALETTE, Chart, shade
from dashboard.parts.chart_card import to_csv
from dashboard.parts.colours import HEX
from dashboard.trend_addresses import TrendsView
from reviewers.store import Store
from reviewers.store.trends import Dimension, GroupCount, TrendsQuery, looked_at
from tests.dashboard.desk import RECORDED, RULES, claim, lineage
from tests.dashboard.screens import components, drawn, open_page, parameter, set_state
from tests.dashboard.serving import Server
from tests.dashboard.trend_store import fill
from tests.reviewers.store.making import Clock

FIRST = ["Which failures recur?", "What is new, rising, falling?", "Is it getting better?"]


def titles(store: Store) -> set[str]:
    """The questions of all charts, and of the card beside them."""
    looked = looked_at(store, TrendsQuery())
    charts = (make(looked, TrendsView(looked.query, None, None), False) for make in CHARTS.values())
    return {FIRST[1], *(chart.title for chart in charts)}


@pytest.fixture
def _filled(store: Store) -> None:
    for one in lineage("exp", 3):
        store.add(one, (RECORDED, RULES))


@pytest.fixture(scope="module")
def varied(tmp_path_factory: pytest.TempPathFactory) -> str:
    url, clock = f"sqlite:///{tmp_path_factory.mktemp('varied') / 'store.sqlite3'}", Clock()
    with closing(Store.open(url, clock=clock)) as store:
        fill(store, clock)
    return url


def open_trends(**params: str) -> AppTest:
    """Run the page as it is when all of it is drawn."""
    at = open_page("trends", **params)
    return set_state(at, "lazy_section", shown=True) if "lazy_section" in components(at) else at


def figures(at: AppTest) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in at.get("plotly_chart")]


def words(at: AppTest) -> str:
    return " ".join(one.value for one in at.caption).replace("\u2060", "").replace("\\", "")


def test_an_empty_store_has_nothing_to_count(store: Store) -> None:
    at = open_trends()
    assert not at.exception
    assert [one.value.partition(".")[0] for one in at.info] == ["No submission has a finding yet"]


@pytest.mark.usefixtures("_filled")
def test_the_question_leads_and_little_is_said_to_be_little(store: Store) -> None:
    at = open_trends()
    assert not at.exception
    assert at.title[0].value == "What fails most, and is it getting better?"
    assert {one.value for one in at.subheader} == titles(store)
    said = words(at)
    for told in (
        "3 submissions reviewed",
        "each new one will change the shares below",
        "At least ten are needed on either side",
        "Too few submissions to compare earlier and later ones",
        "fewer than 5 submissions, too few to show a trend",
        "Too few data for a line",
        "Apart from the rules, no reviewer has 5 claims",
        "No real run of these submissions is recorded",
    ):
        assert told in said
    # What is chosen behind "More filters" is shown, too.
    assert "3 submissions reviewed, contract nine-modes: " in words(
        open_trends(contract="nine-modes")
    )
    # What is too little is not drawn at all, and what is drawn has its interval; bars name their
    # share and what it is a share of.
    first = figures(at)[0]
    shown = dict(zip(first["layout"]["yaxis"]["ticktext"], first["data"][1]["text"], strict=True))
    assert shown["File structure"] == "100%  3 of 3"
    assert "Syntax invalid" not in shown  # its only claim is refuted
    bars = first["data"][0]
    assert len(figures(at)) == 4
    assert all(
        low > 0 for low, x in zip(bars["error_x"]["arrayminus"], bars["x"], strict=True) if x
    )


@pytest.mark.usefixtures("_filled")
def test_what_lies_below_the_fold_waits_for_the_rest_of_the_page(store: Store) -> None:
    at = open_page("trends")
    assert [one.value for one in at.subheader] == FIRST
    assert len(figures(at)) == 2
    # What was drawn once is drawn at once from then on, as after a click on a filter.
    all_titles = [one.value for one in set_state(at, "lazy_section", shown=True).subheader]
    assert all_titles[:3] == FIRST
    assert {*all_titles} == titles(store)
    at.selectbox(key="trends-category").set_value("file-structure").run()
    assert [one.value for one in at.subheader] == all_titles


@pytest.mark.usefixtures("_filled")
def test_a_chart_is_made_once_while_the_store_stays_as_it_is(store: Store) -> None:
    def made(dark: bool = False) -> Chart:
        return chart(
            "category", looked_at(store, TrendsQuery()), TrendsView(TrendsQuery(), None, None), dark
        )

    first = made()
    assert made() is first
    assert made(dark=True) is not first
    store.add(lineage("other", 1)[0], (RECORDED,))
    assert made().rows[0]["of"] == first.rows[0]["of"] + 1


def test_groups_that_do_not_differ_are_a_sentence_and_no_bars() -> None:
    alike = [GroupCount("a", 2, 4), GroupCount("b", 3, 6), GroupCount(None, 1, 5)]
    chart = group_bars(alike, TrendsQuery(), Dimension.LINEAGE, dark=False)
    assert chart.figure is None
    assert chart.note.startswith("All 2 lineages are the same: 50% of the submissions of each")
    assert len(chart.rows) == 3
    assert group_bars(
        [GroupCount("a", 2, 4), GroupCount("b", 3, 5)], TrendsQuery(), Dimension.LINEAGE, dark=False
    ).figure


@pytest.mark.usefixtures("_filled")
def test_the_address_says_what_is_shown_and_shows_what_it_says() -> None:
    at = open_trends(
        refuted="1",
        reviewer="recorded",
        since="2026-01-01",
        over="day",
        by="lineage",
        criterion="x",
    )
    assert figures(at)[0]["layout"]["yaxis"]["ticktext"] == ["Syntax invalid"]
    assert at.selectbox(key="trends-reviewer").value == "recorded"
    assert at.toggle(key="trends-refuted").value
    assert at.selectbox(key="trends-criterion").value is None
    at.toggle(key="trends-refuted").set_value(False).run()
    at.selectbox(key="trends-category").set_value("file-structure").run()
    said = {
        name: parameter(at, name)
        for name in ("refuted", "reviewer", "since", "over", "by", "category")
    }
    same = {
        "reviewer": "recorded",
        "since": "2026-01-01",
        "over": "day",
        "by": "lineage",
        "category": "file-structure",
    }
    assert said == {"refuted": None, **same}
    at.button[0].click().run()
    assert [parameter(at, name) for name in ("reviewer", "since", "category", "over")] == [
        None,
        None,
        None,
        "day",
    ]


@pytest.mark.usefixtures("_filled")
def test_filters_that_let_nothing_through_say_so() -> None:
    at = open_trends(reviewer="nobody")
    assert not at.exception
    assert "Clear a filter" in at.info[0].value


def test_csv_holds_every_row_and_defuses_formulas() -> None:
    text = to_csv(
        [{"category": "=HYPERLINK(1)", "share": None}, {"category": "data-leakage", "share": -0.5}]
    )
    assert list(csv.DictReader(io.StringIO(text))) == [
        {"category": "'=HYPERLINK(1)", "share": ""},
        {"category": "data-leakage", "share": "-0.5"},
    ]


def test_what_is_drawn_stands_out_from_both_grounds() -> None:
    for ground in ("#ffffff", "#0e1116"):
        assert all(contrast(colour, ground) >= 3 for colour in (*PALETTE, *HEX))
    assert [
        contrast(ink, ground) >= 7 for ink, ground in zip(INKS, ("#ffffff", "#0e1116"), strict=True)
    ] == [True, True]
    for dark in (False, True):
        cells = [
            shade(step / 20, dark, ("#e7ecff", "#2740b0", "#1a2136", "#93a9ff"))
            for step in range(21)
        ]
        assert min(contrast(fill, ink) for fill, ink in cells) >= 4.5


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG 2.1 has it."""

    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [
            part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.long
def test_in_the_browser_marks_tables_and_changes_lead_to_the_inbox(varied: str, page: Page) -> None:
    with Server(varied) as server:
        page.goto(f"{server.address}/trends")
        expect(page.locator(".js-plotly-plot")).to_have_count(len(CHARTS), timeout=60_000)
        # A line in words is a link of its own, for those who use the keyboard.
        change = page.get_by_role("link", name="Data leakage")
        expect(change).to_contain_text("rising")
        address = change.get_attribute("href") or ""
        assert "category=data-leakage" in address
        # The table has scopes and links, and the first row leads to what the first bar counts.
        page.locator(".st-key-table-category button").click()
        first = page.locator(".st-key-rows-category tbody tr").first
        expect(first.locator("th[scope=row] a")).to_be_visible()
        table = page.locator(".st-key-rows-category")
        expect(table.get_by_role("rowheader", name="Data leakage")).to_be_visible()
        assert "data-leakage" not in table.inner_text(), "titles, no codes"
        assert re.search(r"\d\s%", first.inner_text()), "shares in percent"
        heights = table.locator("tr").evaluate_all("rows => rows.map(row => row.offsetHeight)")
        assert max(heights) < 40, "no figure is broken into two lines"
        root = table.locator(".figures")
        root.evaluate("node => { node.style.maxHeight = '60px'; node.scrollTop = 30 }")
        head, box = (
            table.locator(each).bounding_box() for each in ("thead th >> nth=0", ".figures")
        )
        assert head is not None
        assert box is not None
        assert abs(head["y"] - box["y"]) < 3, "the head stays in sight"
        held = first.locator("td").first.inner_text()
        first.locator("th a").click()
        expect(page.locator("tbody tr")).to_have_count(int(held))
        page.go_back()
        # A click on a cell of the grid, drawn as a bar: the second of nine criteria in the first
        # week.
        cells = page.locator(".st-key-chart-time .bars .point path")
        cells.first.wait_for()
        cells.nth(cells.count() // 9).click(force=True)
        page.wait_for_url("**/?since=*&until=*&criterion=2")
        expect(page.locator("tbody tr").first).to_be_visible()
        page.go_back()
        # What it goes over is in the address, and stays after a reload.
        page.get_by_role("radio", name="Attempts").or_(
            page.get_by_text("Attempts", exact=True)
        ).first.click()
        page.wait_for_url("**/trends?over=attempt*")
        page.reload()
        expect(page.get_by_role("radio", name="Attempts")).to_be_checked()


def test_a_group_without_a_category_is_filed_and_taken_back(store: Store) -> None:
    found = tuple(
        claim(words, id=f"c{at}", category="uncategorised", criterion=None)
        for at, words in enumerate(("It may be slow", "It may be slow.", "nothing like it"))
    )
    store.add(lineage("exp", 1)[0], (replace(RECORDED, findings=found),))
    at = open_trends()
    assert [row[1]["text"] for row in drawn(at, "facts_table")["rows"]] == ["2", "1"]
    at.selectbox(key="uncategorised:category").set_value("mode-handling").run()
    at = next(one for one in at.button if one.label == "File 2 claims").click().run()
    assert [row[1]["text"] for row in drawn(at, "facts_table")["rows"]] == ["1"]
    assert any(
        "Filed 2 claims under Mode handling" in one.value.replace("\u2060", "")
        for one in at.caption
    )
    at = next(one for one in at.button if one.label == "Undo").click().run()
    assert [row[1]["text"] for row in drawn(at, "facts_table")["rows"]] == ["2", "1"]
    assert not at.exception
