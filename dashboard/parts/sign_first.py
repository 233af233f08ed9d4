"""Asks for the name to sign with when a Streamlit form makes the first record."""

from collections.abc import Callable

from dashboard.parts.component import load

_mount = load("sign_first")


def sign_first(turn: int, *, key: str, on_events: Callable[[], None]) -> None:
    """Ask; the event `relate` comes with the name.

    Args:
        turn: each is asked about once.
    """
    data = {"turn": turn}
    _mount(key=key, data=data, on_events=on_events)
