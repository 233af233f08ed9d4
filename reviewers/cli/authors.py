"""`areachair author`: lists who signed the records of a store and corrects names."""

from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from typing import Annotated

import typer

from reviewers import settings
from reviewers.cli.options import StoreUrl
from reviewers.errors import AreachairError, NameInUse, StoreError, printable
from reviewers.store import Store
from reviewers.store.authors import AuthorName, Given, checked_name
from reviewers.store.corrections import correct_name, known_authors

_GIVEN = {
    Given.RECORDED: "from before authors had keys",
    Given.NAMED: "name typed on the dashboard",
    Given.PROVIDER: "signed in",
}


def acting() -> str:
    """Return the name under which a command writes.

    Raises:
        AreachairError: it cannot be kept.
    """
    try:
        return checked_name(settings.author())
    except StoreError as error:
        source = "AREACHAIR_AUTHOR" if settings.author_given() else "the login name"
        raise AreachairError(f"{source}: {error}") from None


def command(
    rename: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="OLD NEW",
            help="Correct a wrong name: records signed OLD show NEW, with a note that they were"
            " signed OLD.",
        ),
    ] = None,
    join: Annotated[
        bool,
        typer.Option(
            "--join",
            help="With --rename: NEW is in use and is the same person; cannot be undone.",
        ),
    ] = False,
    store: StoreUrl = None,
) -> None:
    """List who signed decisions, rulings and comments; --rename corrects a name."""
    with closing(Store.open(store or settings.store_url())) as opened:
        if rename is not None:
            _correct(opened, *rename, join=join)
        elif join:
            raise AreachairError("--join requires --rename OLD NEW")
        for names in known_authors(opened):
            typer.echo(printable("  ".join(_told(names))))


def _correct(store: Store, old: str, new: str, *, join: bool) -> None:
    try:
        correct_name(store, old, new, earlier=True, join=join)
    except NameInUse as error:
        raise AreachairError(f"{error}: add --join if that is the same person") from None


def _told(names: tuple[AuthorName, ...]) -> Iterator[str]:
    last = names[-1]
    yield last.name
    yield f"({_GIVEN[last.given]})"
    for before, after in pairwise(names):
        yield f"{before.name!r} until {after.at:%Y-%m-%d}"
