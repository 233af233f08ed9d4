"""Our own components: plain files beside their Python, drawn in the page itself, and events of
which none is lost.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard import signing

_HERE = Path(__file__).parent


def load(name: str, *scripts: str) -> Callable[..., Any]:
    """Register the component `name` from its `.html`, `.css` and `.js` files and return what mounts
    it.

    Args:
        scripts: names of further scripts that go before its own, after `shared.js`.
    """
    return st.components.v2.component(
        f"areachair_{name}",
        html=_read(f"{name}.html") or '<div class="root"></div>',
        css="\n".join(_read(f"{part}.css") for part in ("shared", *scripts, name)),
        js="\n".join(_read(f"{part}.js") for part in ("shared", *scripts, name)),
    )


def drain(key: str) -> list[dict[str, Any]]:
    """Return the events that the browser queued since the last call, each exactly once; call it in
    the callback.

    Streamlit keeps only the last of several triggers that come before Python runs, so the browser
    queues events as state until the component's data acknowledges them (see `acknowledged`).
    """
    mount, queue = _sent((st.session_state.get(key) or {}).get("events"))
    done = acknowledged(key) or {"mount": None, "seq": 0}
    last = done["seq"] if done["mount"] == mount else 0
    new = [dict(event) for event in queue if event["seq"] > last]
    for event in new:
        # The name that a person gave for this record, which waited for it (shared.js).
        if isinstance(name := event.pop("signed", None), str):
            signing.give_name(name)
    if new:
        # Without a name that can be kept no record is written: the browser asks for another one.
        nameless = signing.signer() is None
        st.session_state[f"{key}:done"] = {
            "mount": mount,
            "seq": new[-1]["seq"],
            "nameless": nameless,
        }
    return new


def _sent(box: object) -> tuple[object, list[dict[str, Any]]]:
    """Which mount of the component sent which events. What our own script does not send is passed
    over: it would fill the server's log with tracebacks.
    """
    match box:
        case {"queue": list(queue), **rest}:
            return rest.get("mount"), [event for event in queue if _is_event(event)]
        case _:
            return None, []


def _is_event(event: object) -> bool:
    return isinstance(event, dict) and isinstance(event.get("seq"), int)


def acknowledged(key: str) -> dict[str, Any] | None:
    """Return up to which event Python has acted; goes into the component's data as `done`."""
    done: dict[str, Any] | None = st.session_state.get(f"{key}:done")
    return done


def _read(name: str) -> str:
    path = _HERE / name
    return path.read_text("utf-8") if path.exists() else ""
