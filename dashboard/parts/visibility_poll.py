"""A person's look at a page, so that something new is asked for then, and nothing of a page that
nobody looks at.
"""

from functools import partial

from dashboard.parts.component import acknowledged, drain, load

_mount = load("visibility_poll")


def visibility_poll(*, key: str) -> None:
    """Run the fragment in which it stands when the page comes to the front, and now and then while
    somebody works at it.
    """
    _mount(key=key, data={"done": acknowledged(key)}, on_events_change=partial(drain, key))
