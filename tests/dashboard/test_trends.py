"""Guards the trends: which failures are counted, and that a click on a mark opens the inbox on what the mark counts."""

import csv
import io
import json

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.parts.chart_card import to_csv
from reviewers.store import Store
from reviewers.store.trends import CategoryCount
from tests.dashboard.desk import RECORDED, RULES, lineage
from tests.dashboard.screens import components, drawn, open_page


@pytest.fixture
def _filled(store: Store) -> None:
    for one in lineage("exp", 3):
        store.add(one, (RECORDED, RULES))


def figures(at: AppTest) -> list[dict[str, object]]:
    return [json.loads(chart.proto.spec) for chart in at.get("plotly_chart")]


def click(at: AppTest, chart: str, customdata: list[object]) -> AppTest:
    """Run as after a click on a mark of the chart with this key."""
    at.session_state[chart] = {"selection": {"points": [{"customdata": customdata}], "point_indices": [0]}}
    return at.run()


def test_an_empty_store_has_nothing_to_count(store: Store) -> None:
    at = open_page("trends")
    assert not at.exception
    assert len(at.info) == 1


@pytest.mark.usefixtures("_filled")
def test_the_question_leads_and_few_submissions_are_said_to_be_few() -> None:
    at = open_page("trends")
    assert not at.exception
    assert at.title[0].value == "What fails most, and is it getting better?"
    assert at.caption[0].value.startswith("Only 3 submissions so far")
    assert [one.value for one in at.subheader] == [
        "Which failures recur?",
        "Under which criteria?",
        "Is it getting better?",
        "Who finds what, and is it true?",
    ]


@pytest.mark.usefixtures("_filled")
def test_bars_name_their_share_and_what_it_is_a_share_of() -> None:
    bars = figures(open_page("trends"))[0]["data"][0]
    shown = dict(zip(bars["y"], bars["text"], strict=True))
    assert shown["File structure"] == "100%  3 of 3"
    assert "Syntax invalid" not in shown  # its only claim is refuted


@pytest.mark.usefixtures("_filled")
def test_refuted_claims_are_counted_apart() -> None:
    at = open_page("trends")
    at.toggle(key="trends-refuted").set_value(True).run()
    assert figures(at)[0]["data"][0]["y"] == ["Syntax invalid"]


@pytest.mark.usefixtures("_filled")
@pytest.mark.parametrize(
    ("chart", "customdata", "address"),
    [
        pytest.param("category", ["file-structure", 3], "./?category=file-structure", id="category"),
        pytest.param("criterion", [8, 3], "./?criterion=8", id="criterion"),
        pytest.param("time", ["cli-contract", 1, 1], "./?category=cli-contract", id="time"),
        pytest.param("reviewer", ["cli-contract", "rules"], "./?reviewer=rules&category=cli-contract", id="reviewer"),
    ],
)
def test_a_click_opens_the_inbox_on_what_the_mark_counts(chart: str, customdata: list[object], address: str) -> None:
    at = click(open_page("trends"), chart, customdata)
    assert drawn(at, "navigate")["address"] == address


@pytest.mark.usefixtures("_filled")
def test_filters_of_the_trends_go_along_into_the_inbox() -> None:
    at = open_page("trends")
    at.toggle(key="trends-refuted").set_value(True).run()
    assert "navigate" not in components(at)
    at = click(at, "category", ["syntax-invalid", 3])
    assert drawn(at, "navigate")["address"] == "./?category=syntax-invalid&refuted=1"


@pytest.mark.usefixtures("_filled")
def test_one_day_of_imports_shows_no_direction() -> None:
    at = open_page("trends")
    at.session_state["trends-axis"] = "By day of import"
    assert any("a second day will show a direction" in one.value for one in at.run().caption)


def test_csv_holds_every_row_and_defuses_formulas() -> None:
    text = to_csv([CategoryCount("=HYPERLINK(1)", 1, 2, 3), CategoryCount("data-leakage", 4, 5, 6)])
    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows == [
        {"category": "'=HYPERLINK(1)", "submissions": "1", "of": "2", "findings": "3"},
        {"category": "data-leakage", "submissions": "4", "of": "5", "findings": "6"},
    ]
