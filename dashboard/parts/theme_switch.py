"""The switch between the system's choice, light and dark; the browser keeps it."""

from dashboard.parts.component import load

_mount = load("theme_switch")


def theme_switch() -> None:
    """Draw the switch."""
    _mount(key="theme-switch", data={"here": True})
