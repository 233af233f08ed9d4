"""A store of its own for each test, the real console script that serves it, and pages that watch
what they ask for.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Error,
    Page,
    Request,
    Response,
    expect,
)

from reviewers.store import Store
from tests.conftest import VIEWPORT
from tests.dashboard.serving import Server, SharedDesk
from tests.reviewers.jobs.working import working

PATIENCE = 20_000  # milliseconds, for a machine busy with other things
# A page of ours, drawn and at rest; or another one, which has no such root.
_DRAWN = (
    "html:not(.veiled):has([data-test-script-state=notRunning] .stMain .stElementContainer),"
    " html:not(:has(#root))"
)


@pytest.fixture
def store(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The store that the dashboard opens in this test, beside a list of reviewers and a cache of
    this test's own.
    """
    monkeypatch.setenv("AREACHAIR_REVIEWERS", str(tmp_path / "reviewers.toml"))
    monkeypatch.setenv("AREACHAIR_CACHE", str(tmp_path / "cache" / "replies"))
    monkeypatch.setenv("AREACHAIR_STORE", url)
    monkeypatch.setenv("AREACHAIR_AUTHOR", "ada")
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
def worker(store: Store) -> Iterator[None]:
    """Does what pages hand in whose desk does not do it itself."""
    with working(store):
        yield


@pytest.fixture
def dashboard(store: Store, url: str, shared_desk: SharedDesk) -> Callable[[], str]:
    """Serve this test's store once it is filled; give the address."""
    return lambda: shared_desk.serve(url)


@pytest.fixture
def own_dashboard(store: Store, url: str) -> Iterator[Callable[[], str]]:
    """Start the console script for this test alone: what it began must not outlive the test.
    Jobs are done by the fixture `worker`, which has loaded its libraries.
    """
    with ExitStack() as stack:
        yield lambda: stack.enter_context(Server(url, options=["--no-work"])).address


@pytest.fixture
def page(profile: BrowserContext, shared_desk: SharedDesk) -> Iterator[Page]:
    """A page that fails the test on any dialog, error or request to elsewhere. Tests share it, and
    nothing of one is left for the next but Streamlit's scripts.
    """
    page, *others = profile.pages or [profile.new_page()]
    for each in others:
        each.close()
    if shared_desk.address:
        page.goto(f"{shared_desk.address}/health")
        page.evaluate("() => { localStorage.clear(); sessionStorage.clear() }")
        page.goto("about:blank")
    profile.clear_cookies()
    page.set_viewport_size(VIEWPORT)
    page.emulate_media(color_scheme="null")
    with _watched(page):
        yield page
    page.goto("about:blank")


@contextmanager
def watched_page(chromium: Browser) -> Iterator[Page]:
    """Give such a page in a fresh profile."""
    with closing(chromium.new_context(viewport=VIEWPORT)) as context:
        page = context.new_page()
        with _watched(page):
            yield page


@contextmanager
def _watched(page: Any) -> Iterator[None]:
    page.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    # Who opens a page looks at it before the first key or click.
    goto, reload, wrong = page.goto, page.reload, list[str]()
    page.goto, page.reload = _until_drawn(page, goto), _until_drawn(page, reload)

    def refuse(dialog: Dialog) -> None:
        wrong.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def read(told: ConsoleMessage) -> None:
        if "Content Security Policy" in told.text:
            wrong.append(told.text)

    def check(asked: Request) -> None:
        if not asked.url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            wrong.append(asked.url)

    def fail(error: Error) -> None:
        wrong.append(f"error: {error}")

    listeners = {"dialog": refuse, "pageerror": fail, "console": read, "request": check}
    for event, listener in listeners.items():
        page.on(event, listener)
    yield
    for event, listener in listeners.items():
        page.remove_listener(event, listener)
    page.goto, page.reload = goto, reload
    assert not wrong


def _until_drawn(page: Page, go: Callable[..., Response | None]) -> Callable[..., Response | None]:
    def gone(*place: Any, **how: Any) -> Response | None:
        answer = go(*place, **how)
        page.wait_for_selector(_DRAWN, state="attached")
        return answer

    return gone
