"""Guards that nothing moves while a screen is drawn: the sum of the layout shifts that Chromium
counts on a fresh load, on a desk's screen and on a tablet's; and that a reload shows the last
state.
"""

from collections.abc import Callable

from playwright.sync_api import Browser, Page, expect

from reviewers.store import Store
from tests.dashboard.conftest import watched_page
from tests.dashboard.desk import FAILED, RECORDED, RULES, lineage

MOST = 0.1
"""Below this Chromium's makers call a page good."""
_WATCH = """
window.shifts = []
new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map(({ value, hadRecentInput }) =>
  hadRecentInput ? 0 : value))).observe({ type: "layout-shift", buffered: true })
"""  # noqa: E501


def test_nothing_moves_while_a_screen_is_drawn(
    chromium: Browser, dashboard: Callable[[], str], store: Store
) -> None:
    for submission in lineage("lone", 3):
        store.add(submission, (RECORDED, RULES, FAILED))
    address, moved = dashboard(), dict[tuple[int, str], float]()
    with watched_page(chromium) as page:
        page.add_init_script(_WATCH)
        for width in (1440, 820):
            page.set_viewport_size({"width": width, "height": 900})
            for path in ("", "trends", "reviewers", "settings", f"submission?s={submission.id}"):
                page.goto(f"{address}/{path}")
                page.wait_for_timeout(700)
                moved[width, path] = sum(page.evaluate("shifts"))
    assert {each: value for each, value in moved.items() if value > MOST} == {}


def test_a_reload_shows_the_last_state_until_the_page_is_there(
    page: Page, dashboard: Callable[[], str], store: Store
) -> None:
    (submission,) = lineage("lone", 1)
    store.add(submission, (RECORDED, RULES))
    page.goto(f"{dashboard()}/submission?s={submission.id}")
    expect(page.locator(".card").first).to_be_visible(timeout=60_000)
    page.wait_for_selector("html:not(.veiled)", state="attached")
    picture = page.locator("#last-state")
    expect(picture).to_have_count(0)
    page.route("**/static/js/**", lambda _: None)
    page.evaluate("() => location.reload()")  # without waiting for a page that cannot come
    expect(picture).to_have_attribute("inert", "")
    assert int(picture.get_attribute("data-pieces") or 0) > 50
    page.unroute("**/static/js/**")  # lets go of those that are held
    expect(page.locator(".card").first).to_be_visible(timeout=60_000)
    expect(picture).to_have_count(0)
