"""The tabs of the submission's panel; what is wanted less often opens from the last one."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from dashboard.parts.component import drain, load

_mount = load("panel_tabs")


def panel_tabs(
    tabs: Sequence[str], more: Sequence[str], counts: Mapping[str, int], *, key: str
) -> str:
    """Draw the tabs and return the chosen one, which the session state keeps under `key`.

    Args:
        more: the names in the menu of the tab "More"; where there are none, neither is it.
        counts: how many things are behind a name; 0 is not shown.
    """
    names = (*tabs, *more)
    chosen = st.session_state.get(key)
    if chosen not in names:
        chosen = st.session_state[key] = names[0]
    _mount(
        key=f"{key}-tabs",
        data={"tabs": tabs, "more": more, "counts": counts, "chosen": chosen},
        on_events=partial(_choose, names, key),
    )
    return str(chosen)


def _choose(names: Sequence[str], key: str) -> None:
    for event in drain(f"{key}-tabs"):
        match event:
            case {"kind": "panel", "name": str(name)} if name in names:
                st.session_state[key] = name
