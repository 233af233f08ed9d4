"""Guards that nothing moves while a screen is drawn: the sum of the layout shifts that Chromium
counts on a fresh load, on a desk's screen and on a tablet's.
"""

from collections.abc import Callable

from playwright.sync_api import Browser

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
