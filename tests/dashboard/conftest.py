"""A store of its own for each test, the real console script on a free port, and pages that watch
what they ask for.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from shutil import copyfile

import pytest
import streamlit as st
from playwright.sync_api import Browser, BrowserContext, Page, expect

from reviewers.store import Store
from tests.conftest import VIEWPORT
from tests.dashboard.serving import Server, SharedDesk

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


@pytest.fixture(scope="session")
def shared_desk() -> Iterator[SharedDesk]:
    """The desk that tests in a browser share; each is served its own store."""
    with SharedDesk() as desk:
        yield desk


@pytest.fixture
def dashboard(store: Store, url: str, shared_desk: SharedDesk) -> Callable[[], str]:
    """Serve this test's store once it is filled; give the address."""
    return lambda: shared_desk.serve(url)


@pytest.fixture
def own_dashboard(store: Store, url: str) -> Iterator[Callable[[], str]]:
    """Start the console script for this test alone: what it began must not outlive the test."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(Server(url)).address


@pytest.fixture
def page(profile: BrowserContext) -> Iterator[Page]:
    """A page that fails the test on any dialog, error or request to elsewhere, in a profile that
    keeps nothing from test to test but Streamlit's scripts.
    """
    with _watched(profile) as page:
        yield page
        cleaner = profile.new_cdp_session(page)
        cleaner.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "local_storage"})
        for each in profile.pages:
            each.close()
        profile.clear_cookies()


@contextmanager
def watched_page(chromium: Browser) -> Iterator[Page]:
    """Give such a page in a fresh profile."""
    with closing(chromium.new_context(viewport=VIEWPORT)) as context, _watched(context) as page:
        yield page


@contextmanager
def _watched(context: BrowserContext) -> Iterator[Page]:
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
    assert not wrong


def _ours(address: str) -> bool:
    return address.startswith(("http://127.0.0.1:", "data:", "blob:"))
