"""Guards that axe-core finds no serious violation on any screen, in light and dark, on a desk's
screen and on a tablet's.
"""

import os
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from reviewers.outcomes.outcome import Stage, outcome_of_run
from reviewers.panel.version import own_version
from reviewers.records import Review, Ruling, Verdict
from reviewers.store import Store
from reviewers.store.outcomes import add_outcome
from reviewers.store.repairs import keep_repairs
from tests.dashboard.conftest import PATIENCE
from tests.dashboard.desk import CONFIRMED, FAILED, MISSED, RECORDED, RULES, SMALL, lineage
from tests.dashboard.screens import open_panel, rest
from tests.dashboard.test_repairs import PLAN
from tests.reviewers.store.making import sql

AXE = Path(os.environ.get("AXE_CORE", "missing"))
WIDTHS = (1280, 820)

_RUN = """async ([within, rules]) => {
  const report = await axe.run(within, { resultTypes: ["violations"], ...(rules && { runOnly: rules }) })
  return report.violations
    .filter((found) => ["serious", "critical"].includes(found.impact))
    .flatMap(({ id, nodes }) => nodes.map(({ target, html }) => [id, target.flat().join(" >> "), html.slice(0, 200)]))
}"""  # noqa: E501
_OUTPUT = (
    'Traceback (most recent call last):\n  File "/run/src/train.py", line 9, in main\n   '
    " run(cfg)\nKeyError: 'lr'\n"
)


class Checker:
    """Runs axe on whatever the page shows and collects what it finds."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.found: list[str] = []
        self.names: list[str] = []

    def __call__(self, name: str, within: str = "body") -> None:
        """Check the page, or only the part of it that is new."""
        self.names.append(name)
        if not self.page.evaluate("() => !!window.axe"):
            self.page.evaluate(AXE.read_text("utf-8"))
        # What opens within a page is made of the same nodes on every screen.
        for width in WIDTHS if within == "body" else WIDTHS[:1]:
            self.page.set_viewport_size({"width": width, "height": 900})
            # A narrow page has no other colours than a wide one.
            for scheme in ("light", "dark") if width == WIDTHS[0] else ("light",):
                self.page.emulate_media(color_scheme=scheme)
                self._rest(scheme)
                # Only colours can depend on the theme.
                for rule, target, html in self.page.evaluate(
                    _RUN, [within, None if scheme == "light" else ["color-contrast"]]
                ):
                    self.found.append(f"{name}, {width}, {scheme}: {rule} at {target}: {html}")
        self.page.set_viewport_size({"width": WIDTHS[0], "height": 900})
        self.page.emulate_media(color_scheme="light")
        self._rest("light")

    def _rest(self, scheme: str) -> None:
        """Wait until the theme is in force and nothing fades any more."""
        self.page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
        self.page.evaluate(
            """async ([scheme, patience]) => {
              const dark = () => getComputedStyle(document.querySelector("[data-testid=stApp]")).colorScheme.includes("dark")
              const late = performance.now() + patience
              while (dark() !== (scheme === "dark")) {
                if (performance.now() > late) throw new Error(`the page never turned ${scheme}`)
                await new Promise((done) => setTimeout(done, 20))
              }
              // One that is held or goes on for ever never finishes.
              const faded = Promise.allSettled(document.getAnimations().map((each) => each.finished))
              await Promise.race([faded, new Promise((done) => setTimeout(done, 500))])
            }""",  # noqa: E501
            [scheme, PATIENCE],
        )


@pytest.fixture
def check(page: Page) -> Checker:
    if not AXE.is_file():
        reason = "AXE_CORE names no file (npm pack axe-core has package/axe.min.js)"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    return Checker(page)


def fill(store: Store) -> str:
    """Everything that a screen can show: attempts, verdicts that differ, a failure, words of
    people, a real run.
    """
    attempts = lineage("exp", 4)
    ready = Review(
        reviewer="llm",
        verdict=Verdict.READY,
        findings=(CONFIRMED,),
        model="m",
        text="Fine.",
        raw="{}",
        cost_usd=0.1,
    )
    for at, submission in enumerate(attempts):
        rules = replace(RULES, findings=(MISSED, SMALL) if at % 2 else (SMALL,))
        store.add(
            submission,
            (RECORDED, rules, ready, *([replace(FAILED, reviewer="slow")] if at else [])),
        )
    last = attempts[-1]
    store.rule_on(last.id, SMALL.id, Ruling.CONFIRM, "", "grace")
    store.rule_on(last.id, MISSED.id, Ruling.DISMISS, "it is read elsewhere", "grace")
    store.decide(attempts[0].id, Verdict.NOT_READY, "utils.py is missing", "grace")
    store.decide(last.id, Verdict.NOT_READY, "utils.py is missing", "grace")
    outcome, _ = outcome_of_run(last, _OUTPUT, 1, Stage.TRIAL, datetime(2026, 3, 1, tzinfo=UTC))
    add_outcome(store, outcome)
    keep_repairs(store, last.id, own_version(), PLAN)
    return last.id


def test_no_screen_has_a_serious_violation(
    page: Page, check: Checker, dashboard: Callable[[], str], store: Store, url: str
) -> None:
    id = fill(store)
    address = dashboard()
    _inbox(page, check, address)
    _submission(page, check, f"{address}/submission?s={id}")
    _others(page, check, address)
    # The command brings samples into an empty store, so it is emptied only now, behind its back.
    for table in ("standings", "rollup_parts", "rollups"):
        sql(url, f"DELETE FROM {table}")
    page.goto(address)
    expect(page.locator(".st-key-empty")).to_be_visible()
    check("empty inbox")
    assert not check.found, "\n".join([f"{len(check.found)} on {check.names}", *check.found[:40]])


def _inbox(page: Page, check: Checker, address: str) -> None:
    page.goto(address)
    expect(page.locator("tbody tr")).to_have_count(4)
    check("inbox")
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("1")
    expect(page.get_by_label(re.compile("^Reason why"))).to_be_focused()
    check("inbox, deciding", ".st-key-inbox-main")
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    expect(page.locator("select[name=reviewer]")).to_be_visible()
    check("inbox, filters", ".st-key-inbox-main")
    page.keyboard.press("Escape")
    page.get_by_role("button", name=re.compile("Import|Upload")).first.click()
    check("inbox, import")
    page.goto(f"{address}/?q=nothing+is+called+so")
    expect(page.locator("tbody tr")).to_have_count(0)
    check("inbox, nothing found")


def _submission(page: Page, check: Checker, address: str) -> None:
    page.goto(address)
    expect(page.locator(".card").first).to_be_visible()
    check("submission")
    page.keyboard.press("d")
    expect(page.locator(".card form.dismiss:visible").first).to_be_visible()
    check("submission, dismissing", ".st-key-zone-source")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    check("help sheet")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="What each reviewer says").click()
    page.locator(".item", has_text=SMALL.message).locator(".open").click()
    page.locator(".card.current .help summary").click()
    page.get_by_role("button", name="Filter").click()
    check("submission, everything unfolded")
    for name in ("Repairs", "Review text", "Context", "Attempts", "Outcomes", "History"):
        open_panel(page, name)
        check(f"submission, {name}", ".st-key-panel-body")
    page.locator(".st-key-panel-tabs .more").click()
    check("submission, more panels", ".st-key-zone-panel")
    open_panel(page, "Findings")
    page.keyboard.press("v")
    expect(page.locator(".st-key-side-table .row").first).to_be_visible()
    check("side by side")
    page.keyboard.press("o")
    expect(page.locator(".st-key-side-pane .told").first).to_be_visible()
    check("side by side, the code")
    page.keyboard.press("Escape")
    page.keyboard.press("d")
    check("side by side, dismissing", ".st-key-side-table")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.locator(".card").first).to_be_visible()
    rest(page)
    page.keyboard.press("e")
    expect(page.locator(".code.beside")).to_be_visible()
    check("submission, compared with the attempt before")
    page.keyboard.press("b")
    expect(page.locator(".st-key-veil")).to_be_visible()
    check("submission, blind")
    page.keyboard.press("b")
    page.goto(f"{address[:-8]}{'0' * 8}")
    check("submission, unknown")


def _others(page: Page, check: Checker, address: str) -> None:
    page.goto(f"{address}/trends")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(page.locator(".st-key-card-claims")).to_be_visible()
    check("trends")
    page.goto(f"{address}/reviewers")
    add = page.get_by_role("button", name="Add a reviewer")
    expect(add).to_be_visible()
    check("reviewers")
    add.click()
    check("reviewers, form")
    page.goto(f"{address}/settings")
    sections = page.get_by_role("radiogroup").first.get_by_role("radio")
    expect(sections.first).to_be_visible()
    for at in range(sections.count()):
        sections.nth(at).click()
        check(
            f"settings, {sections.nth(at).inner_text()}", ".st-key-settings-body" if at else "body"
        )
