"""Guards the choice between light and dark: at once, after a reload, on every page, and without a
flash of the other one.
"""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from reviewers.store import Store
from tests.builders import make_submission
from tests.dashboard.desk import RECORDED, RULES

DARK, LIGHT = "rgb(14, 17, 22)", "rgb(255, 255, 255)"


def test_light_or_dark_is_chosen_and_stays(
    page: Page, dashboard: Callable[[], str], store: Store
) -> None:
    store.add(make_submission(name="lone"), (RECORDED, RULES))
    page.emulate_media(color_scheme="light")
    address = dashboard()
    page.goto(f"{address}/settings")
    app = page.locator(".stApp")
    expect(app).to_have_css("background-color", LIGHT)
    page.get_by_role("radio", name="Dark").click()
    expect(app).to_have_css("background-color", DARK)
    expect(page.get_by_role("radio", name="Dark")).to_be_checked()
    expect(app).to_have_attribute("data-test-script-state", "notRunning")
    # The first bytes say it, so that nothing white stands there before the scripts run.
    assert 'color-scheme: dark"' in page.request.get(f"{address}/trends").text()
    for path in ("", "trends", "reviewers", "submission?s=none"):
        page.goto(f"{address}/{path}")
        expect(app).to_have_css("background-color", DARK)
        # Streamlit's own page complains where it is left while it is being drawn.
        expect(app).to_have_attribute("data-test-script-state", "notRunning")
    page.goto(f"{address}/trends")
    # Charts and components follow: axes of the dark theme's ink, and our own colours.
    expect(page.locator(".js-plotly-plot .ytick text").first).to_have_css(
        "fill", "rgb(198, 205, 214)"
    )
    expect(page.locator(".st-key-who .root")).to_have_css("color", "rgb(228, 232, 238)")
    # The sheet of keys has the same choice; System is as the browser is set.
    page.get_by_role("button", name="Keys of this page").click()
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_role("radio", name="Dark")).to_be_checked()
    sheet.get_by_role("radio", name="System").click()
    expect(app).to_have_css("background-color", LIGHT)
    # Streamlit's own light is as white: ours is there once the page stands.
    expect(app).to_have_attribute("data-test-script-state", "notRunning")
    page.emulate_media(color_scheme="dark")
    expect(app).to_have_css("background-color", DARK)
    page.get_by_role("button", name="Keys of this page").click()
    page.get_by_role("dialog").get_by_role("radio", name="Light").click()
    expect(app).to_have_css("background-color", LIGHT)
    page.reload()
    expect(app).to_have_css("background-color", LIGHT)
