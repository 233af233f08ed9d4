"""Mounts our own components (script and style files beside their Python) and delivers each of their
events exactly once.
"""

import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard import access, signing
from reviewers.roles import Act

_HERE = Path(__file__).parent
_SERVER = secrets.token_hex(8)
"""This process, so that a page notices when another one goes on for it."""

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js"\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default )", re.MULTILINE)


def load(name: str) -> Callable[..., None]:
    """Register the component `name` from its `.html`, `.css` and `.js` files and return what mounts
    it with its `data`; `on_events` is called once the browser has queued events (see `drain`).

    A script is a module that imports others of this folder. Streamlit gives the browser one script
    as a `blob:`, which can import nothing beside it, so the modules are joined here, each after
    those it imports; their styles likewise. A top-level name must be unique among joined modules.
    """
    modules = list(_modules(name, set()))
    component = st.components.v2.component(
        f"areachair_{name}",
        html=_read(f"{name}.html") or '<div class="root"></div>',
        css="\n".join(_read(f"{module}.css") for module in modules),
        js="\n".join(_joined(_read(f"{module}.js")) for module in modules),
    )

    def mount(
        *,
        key: str,
        data: Mapping[str, Any],
        on_events: Callable[[], None] | None = None,
        **more: Any,
    ) -> None:
        if on_events is not None:
            more |= {"on_events_change": on_events}
            data = {**data, "done": _acknowledged(key), "server": _SERVER}
            if not access.may(Act.DECIDE):
                # Hides what judges; that nothing is kept of it, the store sees to.
                data["only_reads"] = True
        component(key=key, data=data, **more)

    return mount


def drain(key: str) -> list[dict[str, Any]]:
    """Return the events that the browser queued since the last call, each exactly once; call it in
    the callback.

    Streamlit keeps only the last of several triggers that come before Python runs, so the browser
    queues events as state until the component's data acknowledges them, as `done`.
    """
    mount, queue = _sent((st.session_state.get(key) or {}).get("events"))
    done = _acknowledged(key) or {"mount": None, "seq": 0}
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
        case {"server": str(server)} if server != _SERVER:
            # Meant for another process, which may have acted on it: the page gives it back.
            return None, []
        case {"queue": list(queue), **rest}:
            return rest.get("mount"), [event for event in queue if _is_event(event)]
        case _:
            return None, []


def _is_event(event: object) -> bool:
    return isinstance(event, dict) and isinstance(event.get("seq"), int)


def _acknowledged(key: str) -> dict[str, Any] | None:
    """Up to which event Python has acted."""
    done: dict[str, Any] | None = st.session_state.get(f"{key}:done")
    return done


def _modules(name: str, entered: set[str]) -> Iterator[str]:
    """The modules that `name` is made of, in the order in which a browser would run them."""
    entered.add(name)
    for imported in _IMPORT.findall(_read(f"{name}.js")):
        if imported not in entered:
            yield from _modules(imported, entered)
    yield name


def _joined(script: str) -> str:
    return _EXPORT.sub("", _IMPORT.sub("", script))


def _read(name: str) -> str:
    path = _HERE / name
    return path.read_text("utf-8") if path.exists() else ""
