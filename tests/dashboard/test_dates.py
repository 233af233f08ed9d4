"""Guards when submissions were generated on screen: the date that is known, a guess that is marked,
and the import only where nothing is known, said to be one.
"""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Page

from dashboard.charts.style import period_labels
from reviewers.records import DatedBy, Generated, Submission, counted
from reviewers.store import Store
from reviewers.store.trends import Over, TrendsQuery, fitting, looked_at
from reviewers.store.trends_query import Period
from tests.dashboard.desk import RECORDED, RULES, lineage
from tests.dashboard.screens import drawn, open_page

OCTOBER = datetime(2025, 10, 20, 12, 6, 59, tzinfo=UTC)
SHARED = Path(__file__).parents[2] / "dashboard" / "parts" / "shared.js"


def dated(*known: Generated | None) -> list[Submission]:
    made = lineage("exp", len(known))
    return [replace(each, generated=when) for each, when in zip(made, known, strict=True)]


def test_a_row_says_when_it_was_generated_and_how_that_is_known(store: Store) -> None:
    day = datetime(2025, 10, 1, tzinfo=UTC)
    known = Generated(day, DatedBy.GIVEN), Generated(OCTOBER, DatedBy.NAME), None
    for each in dated(*known):
        store.add(each, (RULES,))
    rows = {row["name"]: row["age"] for row in drawn(open_page(), "inbox_table")["rows"]}
    given, guessed, unknown = (rows[f"exp_0{number}"] for number in (1, 2, 3))
    assert (given["at"], given["day"], given["guess"]) == ("2025-10-01T00:00:00+00:00", True, False)
    assert given["about"].startswith("Generated: 2025-10-01, as a person says. Import")
    assert (guessed["day"], guessed["guess"]) == (False, True)
    assert "2025-10-20 12:06 UTC, a guess by its name" in guessed["about"]
    assert (unknown["known"], unknown["guess"]) == (False, False)
    assert "not known" in unknown["about"]
    at = open_page("submission", s=dated(*known)[1].id)
    assert drawn(at, "submission_head")["age"] == guessed


@pytest.mark.parametrize(
    ("known", "said"),
    [
        pytest.param(
            [Generated(OCTOBER, DatedBy.COMMIT)] * 2, "generated 20 October 2025;", id="commits"
        ),
        pytest.param(
            [Generated(OCTOBER, DatedBy.NAME), Generated(OCTOBER, DatedBy.GIVEN), None],
            "2 generated 20 October 2025 (1 of them guessed from a name or an archive), 1 with an"
            " unknown date on the day of import;",
            id="some",
        ),
        pytest.param([None], "generation dates unknown;", id="nothing"),
    ],
)
def test_the_trends_say_how_their_days_are_known(
    store: Store, known: list[Generated | None], said: str
) -> None:
    for each in dated(*known):
        store.add(each, (RECORDED, RULES))
    at = open_page("trends")
    assert not at.exception
    caption = " ".join(one.value for one in at.caption).replace("\u2060", "").replace("\\", "")
    assert f"{counted(len(known), 'submission')} reviewed: " in caption
    assert said in caption


def test_days_of_two_years_are_told_apart_on_the_axis_and_few_of_them_stay_days(
    store: Store,
) -> None:
    months = [Generated(OCTOBER.replace(month=each), DatedBy.NAME) for each in range(1, 13)]
    late = Generated(OCTOBER.replace(year=2026, month=1), DatedBy.NAME)
    for each in dated(*months, late):
        store.add(each, (RULES,))
    looked = looked_at(store, TrendsQuery())
    assert fitting(looked) is Over.DAY, "thirteen days of a year, not its thirteen months"
    days = [datetime(year, 1, 5, tzinfo=UTC).date() for year in (2025, 2026)]
    periods = [Period(day, day) for day in days]
    assert period_labels(periods) == ["5 Jan 25", "5 Jan 26"]
    assert period_labels(periods[:1]) == ["5 Jan"]
    assert period_labels([Period(attempt=3)]) == ["3"]


def test_ages_are_said_in_the_unit_that_fits(page: Page) -> None:
    said = page.evaluate(
        """async (script) => {
        const { dated } = await import("data:text/javascript," + encodeURIComponent(script))
        const ago = (days) => new Date(Date.now() - days * 86400000 - 1000).toISOString()
        const one = (more) => ({ at: ago(15), day: false, known: true, guess: false, ...more })
        const days = [0.5, 13, 15, 45, 70, 398, 800]
        const said = days.map((many) => dated(one({ at: ago(many) })).textContent)
        const rows = [{}, { guess: true }, { known: false }, { at: ago(0.7), day: true }]
        return [said, rows.map((each) => dated(one(each)).textContent)] }""",
        SHARED.read_text("utf-8"),
    )
    ages, rows = said
    assert [each.replace("\u00a0", " ") for each in ages] == [
        "12 h ago",
        "13 d ago",
        "2 w ago",
        "6 w ago",
        "2 mo ago",
        "13 mo ago",
        "2 y ago",
    ]
    assert [each.replace("\u00a0", " ") for each in rows] == [
        "2 w ago",
        "≈ 2 w ago",
        "imported 2 w ago",
        "today",
    ]
