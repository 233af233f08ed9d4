"""Opens a page of the dashboard in AppTest, reads what our components draw, and sends what they
would send.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from playwright.sync_api import Page, expect
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from dashboard.server_state import serve_to
from reviewers import settings
from reviewers.cli.serving import DashboardOptions

SCRIPT = Path(__file__).parents[2] / "dashboard" / "app.py"


def open_page(path: str = "", *, in_blind_mode: bool = False, **params: str) -> AppTest:
    """Run the dashboard on a page; the inbox has the empty path."""
    at = AppTest.from_file(SCRIPT, default_timeout=30)
    # AppTest would read the metadata of every installed package in search of components, which
    # takes longer than the page does; ours are registered by the script.
    at._bidi_component_manager = BidiComponentManager()
    if path:
        # AppTest offers no public way to pages that are callables.
        at._page_hash = calc_hash(path)
    if in_blind_mode:
        at.session_state["blind"] = True
    for name, value in params.items():
        at.query_params[name] = value
    return at.run()


def drawn(at: AppTest, name: str) -> dict[str, Any]:
    """Return the data of our component `name`."""
    return json.loads(_component(at, name).proto.json)


def components(at: AppTest) -> set[str]:
    """Return the names of our components on the page."""
    return {one.proto.component_name.removeprefix("areachair_") for one in at.get("bidi_component")}


def parameter(at: AppTest, name: str) -> str | None:
    """Return a parameter of the address."""
    value = at.query_params.get(name)
    return value[0] if isinstance(value, list) else value


def send(at: AppTest, name: str, *events: dict[str, Any], mount: str = "") -> AppTest:
    """Run once with events queued by the component `name`, as if the browser had; a new mount where
    none is named.
    """
    queue = [{"seq": number, **event} for number, event in enumerate(events, 1)]
    return set_state(at, name, events={"mount": mount or uuid4().hex, "queue": queue})


@contextmanager
def reached_by_others() -> Iterator[None]:
    """A desk that others reach without signing in."""
    serve_to(DashboardOptions(settings.store_url(), "0.0.0.0", 8501, False, open=True))
    try:
        yield
    finally:
        serve_to(None)


def decide(at: AppTest, id: str, verdict: str, reason: str = "fine", **more: Any) -> AppTest:
    """Run once with what the form of a decision sends."""
    event = {"kind": "decide", "id": id, "verdict": verdict, "reason": reason, "next": False}
    return send(at, "decision_form", {**event, **more})


def rest(page: Page) -> None:
    """Wait until the page that a key or click led to is drawn: its title comes first, and the keys
    of the page before go with it.
    """
    app = page.get_by_test_id("stApp")
    expect(app).to_have_attribute("data-test-script-state", "notRunning")


def open_panel(page: Page, name: str) -> None:
    """Open a panel of the submission in a browser, from the menu where it has no tab."""
    tab = page.get_by_role("tab", name=name)
    if not tab.count():
        page.locator(".st-key-panel-tabs .more").click()
        tab = page.get_by_role("menuitemradio", name=name)
    tab.click()


def set_state(at: AppTest, name: str, **state: Any) -> AppTest:
    """Run once with this state in every component `name`."""
    found = [
        one.proto.id
        for one in at.get("bidi_component")
        if one.proto.component_name == f"areachair_{name}"
    ]
    tree, before = at._tree, at._tree.get_widget_states

    def states() -> Any:
        all_states = before()
        all_states.widgets.extend(WidgetState(id=id, json_value=json.dumps(state)) for id in found)
        return all_states

    tree.get_widget_states = states
    return at.run()


def _component(at: AppTest, name: str) -> Any:
    return next(
        one for one in at.get("bidi_component") if one.proto.component_name == f"areachair_{name}"
    )
