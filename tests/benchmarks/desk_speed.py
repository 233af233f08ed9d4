"""How long a person waits at the desk, measured in headless Chromium; run by hand.

    python -m tests.benchmarks.desk_speed STORE.sqlite3         a copy of this store
    python -m tests.benchmarks.desk_speed LOGS [LOGS ...]       folders of logs, imported first
    python -m tests.benchmarks.desk_speed --big [SUBMISSIONS]   a made-up store of 100,000
    submissions

The times run in the page, from the click to the frame in which the page shows what was asked for.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, sync_playwright

from tests.benchmarks.big_store import SUBMISSIONS, write_big_store
from tests.conftest import BROWSERS, QUIET
from tests.dashboard.serving import Server

TIMES = 25
WORDS = ("dropout", "hydra", "config", "batch", "gate", "loss")
LIMITS = {
    "open a submission": 0.8,
    "switch a file": 0.3,
    "confirm a finding": 0.3,
    "confirm it and keep it": 0.3,
    "filter the inbox": 0.5,
    "trends page": 0.6,
}
BIG_FACTOR = 1.5
BIG = ("filter the inbox", "trends page")
"""What has to stay fluid with 100,000 submissions."""

# What a selector finds in the page and in every component, whether Python has answered, and a wait
# that ends with a frame.
_HELPERS = """
const all = (selector, root = document) => [...root.querySelectorAll(selector)].concat(
  ...[...root.querySelectorAll("*")].filter((node) => node.shadowRoot).map((node) => all(selector, node.shadowRoot)))
const shown = (selector) => all(selector).filter((node) => node.checkVisibility())
const text = (selector) => shown(selector).map((node) => node.innerText).join("\\n")
const idle = () => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning"
const frame = () => new Promise((done) => requestAnimationFrame(done))
const until = async (holds) => {
  const began = performance.now()
  while (!holds()) {
    if (performance.now() - began > 60000) throw new Error(`never came: ${holds}`)
    await frame()
  }
  await frame()
  return (performance.now() - began) / 1000
}
"""  # noqa: E501


class Stopwatch:
    """Collects seconds by what was done."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.seconds: dict[str, list[float]] = {}

    def click(self, target: Locator, **holds: str) -> None:
        """Click and wait.

        Args:
            holds: by what was done, a JavaScript expression that becomes true when the page shows
                it.
        """
        target.scroll_into_view_if_needed()
        self._run("pointerdown", target.click, holds)

    def enter(self, target: Locator, words: str, **holds: str) -> None:
        """Type words into a field, press Enter, and wait from there."""
        target.fill(words)
        self._run("keydown", lambda: target.press("Enter"), holds)

    def _run(self, event: str, act: Callable[[], None], holds: Mapping[str, str]) -> None:
        # The page itself starts the watch, when the event reaches it: what Playwright does before
        # that is not counted.
        waits = ", ".join(f"until(() => {each})" for each in holds.values())
        self.page.evaluate(
            f"() => {{ {_HELPERS} window.taken = new Promise((done, fail) =>"
            f" addEventListener('{event}', () => Promise.all([{waits}]).then(done, fail), {{"
            " capture: true, once: true })) }"
        )
        act()
        for deed, taken in zip(holds, self.page.evaluate("() => window.taken"), strict=True):
            self.seconds.setdefault(deed.replace("_", " "), []).append(taken)
        self.rest()

    def until(self, holds: str) -> None:
        """Wait without measuring."""
        self.page.evaluate(f"async () => {{ {_HELPERS} await until(() => {holds}) }}")

    def rest(self) -> None:
        """Let the page settle, so that one measurement does not pay for the one before."""
        self.until("idle()")
        self.page.wait_for_timeout(150)


# Python has answered, and what it sent is drawn.
ROWS = "idle() && shown('tbody a[href*=\"submission?\"]').length > 0"
NOTHING = "idle() && shown('.st-key-inbox-nothing').length > 0"
CODE = "idle() && shown('.row').length > 0 && all('.card').length > 0"
PAGES = {
    "Trends": "shown('li > a.value').length > 0",
    "Reviewers": (
        "idle() && location.pathname.endsWith('reviewers') && !shown('.js-plotly-plot').length &&"
        " text('h1') !== ''"
    ),
    "Settings": "idle() && text('h1') === 'Settings'",
    "Inbox": ROWS,
}
# What lies below the fold is drawn in a second step.
_WHOLE = (
    "idle() && shown('.st-key-card-claims').length > 0 && shown('.js-plotly-plot .main-svg').length"
    " >= 9"
)


def measure_desk(browser: Browser, address: str, times: int) -> dict[str, list[float]]:
    """Return the seconds of everything that a person waits for."""
    with _page(browser) as page:
        watch = Stopwatch(page)
        page.goto(address)
        watch.until(ROWS)
        _pages(watch, 1)  # what is loaded and counted once only
        watch.seconds.clear()
        _inbox(watch, times)
        _pages(watch, times)
        _submissions(watch, times)
        return watch.seconds


def _inbox(watch: Stopwatch, times: int) -> None:
    views = watch.page.get_by_role("navigation", name="Views").get_by_role("link")
    for at in range(times):
        view = views.nth(at % views.count())
        words = json.dumps(view.locator(".words").inner_text())
        watch.click(
            view,
            filter_the_inbox=(
                f"({ROWS} || {NOTHING}) && text('nav [aria-current=page]').includes({words})"
            ),
        )
    search = watch.page.get_by_role("searchbox").first
    chip = "text('[aria-label^=\"Remove\"]')"
    for at in range(times):
        asked = WORDS[at % len(WORDS)]
        watch.enter(search, asked, search_the_inbox=f"idle() && {chip}.includes('{asked}')")
    watch.enter(search, "", search_for_nothing=f"({ROWS} || {NOTHING}) && {chip} === ''")


def _pages(watch: Stopwatch, times: int) -> None:
    for _ in range(times):
        for title, holds in PAGES.items():
            link = watch.page.get_by_role("link", name=title, exact=True).first
            whole = {"trends to the last chart": _WHOLE} if title == "Trends" else {}
            watch.click(link, **{f"{title.lower()} page": holds}, **whole)


def _submissions(watch: Stopwatch, times: int) -> None:
    page = watch.page
    for at in range(times):
        watch.until(ROWS)
        watch.click(
            page.locator("tbody tr").nth(at % 40).get_by_role("link").first, open_a_submission=CODE
        )
        _files(watch, 4)
        _card(watch)
        page.get_by_role("link", name="Inbox", exact=True).first.click()


def _files(watch: Stopwatch, times: int) -> None:
    files = watch.page.locator("[data-path]")
    for at in range(1, min(times, files.count())):
        path = json.dumps(files.nth(at).get_attribute("data-path"))
        watch.click(
            files.nth(at),
            switch_a_file=(
                f"idle() && text('.bar .path') === {path} && shown('.row, .card').length > 0"
            ),
        )


def _card(watch: Stopwatch) -> None:
    """Confirm one: the page says so at once; the word counts when Python has kept it and says so
    itself.
    """
    confirm = watch.page.locator(".card:not(:has(.ruling)) [data-action=confirm]:visible")
    if confirm.count():
        said = watch.page.locator(".card .ruling").count()
        rulings = "all('.card .ruling')"
        kept = f"{rulings}.filter((one) => !one.innerText.includes('by you')).length > {said}"
        watch.click(
            confirm.first,
            confirm_a_finding=f"{rulings}.length > {said}",
            confirm_it_and_keep_it=kept,
        )


def report(seconds: dict[str, list[float]], big: bool) -> None:
    """Print medians and p95."""
    for name, taken in seconds.items():
        limit = LIMITS.get(name)
        if limit is not None and big and name in BIG:
            limit *= BIG_FACTOR
        median = statistics.median(taken)
        p95 = sorted(taken)[max(0, -(-95 * len(taken) // 100) - 1)]
        verdict = (
            "" if limit is None else f"   under {limit:.2f} s: {'yes' if median < limit else 'NO'}"
        )
        print(f"{name:26} median {median:6.3f} s   p95 {p95:6.3f} s   n={len(taken):<4}{verdict}")


@contextmanager
def _page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1600, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(60_000)
    yield page
    context.close()


def _store_in(folder: Path, words: list[str], big: int | None) -> Path:
    """A store of its own for this run."""
    path = folder / "store.sqlite3"
    if big:
        write_big_store(path, big)
    elif len(words) == 1 and Path(words[0]).is_file():
        with closing(sqlite3.connect(words[0])) as source, closing(sqlite3.connect(path)) as copy:
            source.backup(copy)
    else:
        script = Path(sys.executable).with_name("areachair")
        subprocess.run(
            [script, "--store", f"sqlite:///{path}", "import", *words],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    return path


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="*", help="a store, or folders of logs")
    parser.add_argument(
        "--big",
        nargs="?",
        type=int,
        const=SUBMISSIONS,
        help="a made-up store of this many submissions",
    )
    parser.add_argument("--times", type=int, default=TIMES, help="repetitions of each")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        store = _store_in(Path(folder), options.paths, options.big)
        browser = playwright.chromium.launch(executable_path=BROWSERS[-1], args=QUIET)
        # Without a name the first word on a finding would ask who signs it.
        environment = {**os.environ, "AREACHAIR_AUTHOR": "ada"}
        with Server(f"sqlite:///{store}", environment=environment) as server:
            seconds = measure_desk(browser, server.address, options.times)
        browser.close()
    report(seconds, bool(options.big))


if __name__ == "__main__":
    main()
