"""A store of its own for each test, the real console script on a free port, and pages that watch
what they ask for.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from shutil import copyfile

import pytest
import streamlit as st
from playwright.sync_api import Browser, BrowserContext, Page, expect

from reviewers.store import Store
from tests.dashboard.serving import Server
from tests.reviewers.jobs.working import working

PATIENCE = 20_000  # milliseconds, for a machine busy with other things


@pytest.fixture
def store(
    url: str, tmp_path: Path, empty_store: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Store]:
    """The store that the dashboard opens in this test, beside a list of reviewers and a cache of
    this test's own.
    """
    monkeypatch.setenv("AREACHAIR_REVIEWERS", str(tmp_path / "reviewers.toml"))
    monkeypatch.setenv("AREACHAIR_CACHE", str(tmp_path / "cache" / "replies"))
    monkeypatch.setenv("AREACHAIR_STORE", url)
    monkeypatch.setenv("AREACHAIR_AUTHOR", "ada")
    copyfile(empty_store, tmp_path / "store.sqlite3")
    store = Store.open(url)
    yield store
    store.close()
    # The dashboard's own handles, and whom it asks; clearing closes them.
    st.cache_resource.clear()


@pytest.fixture
def worker(store: Store) -> Iterator[None]:
    """Does what pages hand in whose desk does not do it itself."""
    with working(store):
        yield


@pytest.fixture
def dashboard(store: Store, url: str) -> Iterator[Callable[[], str]]:
    """Start the console script on this test's store once it is filled; give its address. Jobs are
    done by the fixture `worker`, which has loaded its libraries.
    """
    with ExitStack() as stack:
        yield lambda: stack.enter_context(Server(url, options=["--no-work"])).address


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A page in a fresh profile that fails the test on any dialog, error or request to
    elsewhere.
    """
    with watched_page(chromium) as page:
        yield page


@contextmanager
def watched_page(chromium: Browser) -> Iterator[Page]:
    """Give such a page; another browser's is a second one."""
    context: BrowserContext = chromium.new_context(viewport={"width": 1600, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    wrong: list[str] = []
    page.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on(
        "console",
        lambda message: (
            wrong.append(message.text) if "Content Security Policy" in message.text else None
        ),
    )
    page.on(
        "request", lambda request: wrong.append(request.url) if not _ours(request.url) else None
    )
    yield page
    context.close()
    assert not wrong


def _ours(address: str) -> bool:
    return address.startswith(("http://127.0.0.1:", "data:", "blob:"))
