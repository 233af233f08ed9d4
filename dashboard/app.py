"""The script that Streamlit runs for every page: it sets up the page and calls the view, which is
loaded when it is asked for: what one of them needs, the others need not wait for.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import streamlit as st

from dashboard import access
from dashboard.addresses import SIDE_BY_SIDE
from dashboard.frame import frame
from dashboard.login import session_ended, signed_in, wall
from dashboard.parts.error_panel import show_error
from dashboard.parts.page import page_style
from dashboard.server_state import page_drawn
from dashboard.sessions import current_session
from reviewers.errors import AreachairError

_HERE = Path(__file__).parent


def _view(name: str) -> Callable[[], None]:
    def page() -> None:
        import_module(f"dashboard.views.{name}").page()

    return page


st.set_page_config(page_icon=str(_HERE / "icon.svg"), layout="wide")
st.logo(str(_HERE / "icon.svg"), size="small")
page_style()

page = st.navigation(
    [
        st.Page(_view("inbox"), title="Inbox", url_path="inbox", default=True),
        st.Page(_view("trends"), title="Trends", url_path="trends"),
        st.Page(_view("reviewers"), title="Reviewers", url_path="reviewers"),
        st.Page(_view("settings"), title="Settings", url_path="settings"),
        st.Page(
            _view("submission"), title="Submission", url_path="submission", visibility="hidden"
        ),
        st.Page(
            _view("side_by_side"),
            title="Side by side",
            url_path=SIDE_BY_SIDE,
            visibility="hidden",
        ),
    ],
    position="top",
)
try:
    if signed_in() == "":
        wall()
    elif signed_in() is not None and current_session() is None:
        session_ended()
    else:
        access.look()
        frame(page.url_path)
        page.run()
except AreachairError as error:
    show_error(error)
page_drawn.set()
