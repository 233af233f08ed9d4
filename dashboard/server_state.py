"""How this process serves the dashboard: its store and its audience."""

import threading

from reviewers import settings
from reviewers.cli.serving import Audience, DashboardOptions

_served: list[DashboardOptions] = []

page_drawn = threading.Event()
"""Set once this process has drawn a page."""


def serve_to(options: DashboardOptions | None) -> None:
    """Record how this process serves the dashboard; None if it no longer does."""
    _served[:] = [options] if options else []


def reach() -> Audience:
    """Return the audience: this machine only, everyone, or signed-in people."""
    if settings.login() is not None:
        return Audience.LOGIN
    return Audience.OPEN if is_open() else Audience.ALONE


def is_open() -> bool:
    """Whether everybody may come in, under any name (`--open`)."""
    return bool(_served) and _served[0].open


def is_one_of_several() -> bool:
    """Whether other web processes serve the same store, and one parent started all of them."""
    return bool(_served) and _served[0].process > 0


def works_itself() -> bool:
    """Whether this process starts a worker; of several, their parent does."""
    return bool(_served) and _served[0].works and not is_one_of_several()


def store_url() -> str:
    """Return the address of the store that sessions open."""
    return _served[0].store_url if _served else settings.store_url()
