"""Keeps every test on this machine and away from the user's own data and keys."""

import gc
import ipaddress
import os
import socket
from collections.abc import Generator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from shutil import copyfile

import pytest
from playwright.sync_api import Browser, BrowserContext, ViewportSize, sync_playwright
from typer.testing import CliRunner

from reviewers.cli import build
from reviewers.cli.serving import DashboardOptions
from reviewers.store import Store
from tests.builders import Run

# The headless shell draws the same and costs a quarter less; both are packages of Debian.
BROWSERS = (Path("/usr/bin/chromium-headless-shell"), Path("/usr/bin/chromium"))
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Pages of one server need no walls between them, and short ones no second compiler.
CHEAP = (
    "--disable-site-isolation-trials",
    "--renderer-process-limit=1",
    "--in-process-gpu",
    "--disable-gpu-compositing",
    "--js-flags=--no-opt",
)
VIEWPORT: ViewportSize = {"width": 1600, "height": 1000}
_BROWSER = pytest.StashKey[tuple[Browser, BrowserContext, ExitStack]]()
_numbers = count()


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, object, object]:
    """Mark what asks for a browser; of what is left to run, let the first worker begin with all
    tests in a browser, so that one serves them, and the others with the long ones: a long one at
    the end would keep all others waiting.
    """
    for item in items:
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
    done = yield
    parts: dict[str, list[pytest.Item]] = {"browser": [], "long": [], "rest": []}
    for item in items:
        parts[next((part for part in parts if item.get_closest_marker(part)), "rest")].append(item)
    # Each worker begins with its share of the list.
    workers = int(getattr(config, "workerinput", {}).get("workercount", 1))
    first = 0 if workers == 1 else max(len(items) // workers - len(parts["browser"]), 0)
    items[:] = [*parts["browser"], *parts["rest"][:first], *parts["long"], *parts["rest"][first:]]
    return done


def pytest_collection_finish() -> None:
    """What was imported and collected stays: no collection of garbage needs to look at it again."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def chromium(request: pytest.FixtureRequest) -> Browser:
    """One headless Chromium, for all tests in a browser that follow each other; where there
    is none the test is skipped, on a build machine it fails.
    """
    chromium = next((path for path in BROWSERS if path.exists()), None)
    if chromium is None:
        reason = "no Chromium is there; install Debian's package chromium-headless-shell"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    running = request.session.stash.get(_BROWSER, None)
    if running is None:
        stack = ExitStack()
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=chromium, args=(*QUIET, *CHEAP))
        stack.callback(browser.close)
        profile = browser.new_context(viewport=VIEWPORT)
        running = request.session.stash[_BROWSER] = (browser, profile, stack)
    return running[0]


@pytest.fixture
def profile(chromium: Browser, request: pytest.FixtureRequest) -> BrowserContext:
    """The profile that tests share: Streamlit's scripts are loaded and compiled once in it, which
    costs more than all else that a page does. Who uses it leaves no page, cookie or storage.
    """
    return request.session.stash[_BROWSER][1]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object, object]:
    """Playwright runs a loop in this thread: others' tests would find it there."""
    done = yield
    running = item.session.stash.get(_BROWSER, None)
    if running and (nextitem is None or not nextitem.get_closest_marker("browser")):
        del item.session.stash[_BROWSER]
        running[2].close()
    return done


@pytest.fixture
def url(tmp_path: Path, empty_store: Path) -> str:
    """The address of this test's own store, which is empty."""
    return f"sqlite:///{copyfile(empty_store, tmp_path / 'store.sqlite3')}"


@pytest.fixture
def opened() -> list[DashboardOptions]:
    """How the command line wanted the dashboard."""
    return []


@pytest.fixture
def run(url: str, opened: list[DashboardOptions]) -> Run:
    """The command line in this process, on this test's own store."""
    app = build(opened.append)
    return lambda *words: CliRunner().invoke(
        app, list(map(str, words)), env={"AREACHAIR_STORE": url}
    )


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with all its tables and nothing in them: a copy is made in a tenth of the time."""
    path = tmp_path_factory.mktemp("stores") / "empty.sqlite3"
    Store.open(f"sqlite:///{path}").close()
    return path


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, _homes: Path) -> None:
    home = _homes / str(next(_numbers))
    for name in [
        name for name in os.environ if name.startswith("AREACHAIR_") or name.endswith("_API_KEY")
    ]:
        monkeypatch.delenv(name)
    for place in ("DATA", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{place}_HOME", str(home / place.lower()))


@pytest.fixture(autouse=True)
def _loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.socket.connect

    def checked(self: socket.socket, address: tuple[str, int] | str | bytes) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_loopback(str(address[0])):
            raise OSError(f"a test must not reach {address[0]}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", checked)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
