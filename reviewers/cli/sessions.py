"""`areachair sessions`: lists who is signed in at the dashboard, and ends sessions."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Annotated

import typer

from reviewers import settings
from reviewers.cli.options import StoreUrl
from reviewers.errors import AreachairError, printable
from reviewers.store import Store
from reviewers.store.sessions import LoginSession, end_sessions, live_sessions

_SHOWN = 10
_LEAST = 6


def command(
    revoke: Annotated[
        str | None,
        typer.Option(
            metavar="WHICH",
            help="End a session by id prefix, a person's sessions by name or subject, or `all`.",
        ),
    ] = None,
    store: StoreUrl = None,
) -> None:
    """List the sessions of the dashboard; --revoke ends them at once, in open pages too."""
    with closing(Store.open(store or settings.store_url())) as opened:
        live = live_sessions(opened)
        if revoke is None:
            typer.echo("\n".join(_told(live)))
            return
        chosen = [session for session in live if _is_meant(session, revoke)]
        if not chosen and revoke != "all":
            raise AreachairError(
                f"no active session or person matches {revoke!r}; see areachair sessions"
            )
        end_sessions(opened, (session.id for session in chosen))
        typer.echo(f"{len(chosen)} {'session' if len(chosen) == 1 else 'sessions'} ended")


def _is_meant(session: LoginSession, word: str) -> bool:
    if not word:
        return False  # a person may have no name
    return word in ("all", session.name, session.subject) or (
        len(word) >= _LEAST and session.id.startswith(word)
    )


def _told(live: Sequence[LoginSession]) -> Iterator[str]:
    if not live:
        yield "nobody is signed in"
    for session in live:
        words = (
            session.id[:_SHOWN],
            f"{session.name} ({session.subject} at {session.issuer})",
            f"since {session.began:%Y-%m-%d %H:%M}",
            f"until {session.until:%Y-%m-%d %H:%M} UTC",
        )
        yield printable("  ".join(words))
