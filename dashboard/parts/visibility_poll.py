"""Polls for news only while a person looks at the page."""

from functools import partial

from dashboard.parts.component import drain, load

_mount = load("visibility_poll")


def visibility_poll(*, key: str) -> None:
    """Rerun the enclosing fragment when the page becomes visible, and periodically while it is in
    use.
    """
    _mount(key=key, data={}, on_events=partial(drain, key))
