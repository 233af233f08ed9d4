"""A store of its own for each test, the real console script on a free port, and one Chromium for all."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import streamlit as st
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from reviewers.store import Store

CHROMIUM = Path("/usr/bin/chromium")
PATIENCE = 20_000  # milliseconds, for a machine busy with other things
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture
def url(tmp_path: Path) -> str:
    """The address of this test's store."""
    return f"sqlite:///{tmp_path / 'store.sqlite3'}"


@pytest.fixture
def store(url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The store that the dashboard opens in this test."""
    monkeypatch.setenv("AREACHAIR_STORE", url)
    monkeypatch.setenv("AREACHAIR_AUTHOR", "ada")
    store = Store.open(url)
    yield store
    store.close()
    # The dashboard's own handle; clearing closes it.
    st.cache_resource.clear()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One headless Chromium; where there is none the test is skipped, on a build machine it fails."""
    if not CHROMIUM.exists():
        reason = f"{CHROMIUM} is not there; install Debian's package chromium"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def dashboard(store: Store, url: str) -> Iterator[Callable[[], str]]:
    """Start the console script on this test's store once it is filled; give its address."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(_Server(url))


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A page in a fresh profile that fails the test on any dialog, error or request to elsewhere."""
    context: BrowserContext = chromium.new_context(viewport={"width": 1600, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    wrong: list[str] = []
    page.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("console", lambda message: wrong.append(message.text) if "Content Security Policy" in message.text else None)
    page.on("request", lambda request: wrong.append(request.url) if not _ours(request.url) else None)
    yield page
    context.close()
    assert not wrong


class _Server:
    def __init__(self, url: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        script = Path(sys.executable).with_name("areachair")
        words = [script, "--store", url, "--port", str(self._port), "--no-browser"]
        self._process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def __enter__(self) -> str:
        assert self._process.stdout is not None
        said = []
        for line in self._process.stdout:
            said.append(line)
            if ready := re.match(r"areachair is ready: (\S+)", line):
                return ready[1]
        raise AssertionError(f"the server did not start: {''.join(said)}")

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.communicate(timeout=20)


def _ours(address: str) -> bool:
    return address.startswith(("http://127.0.0.1:", "data:", "blob:"))
