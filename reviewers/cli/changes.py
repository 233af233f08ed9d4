"""`areachair changes`: lists who changed configuration, roles and contracts."""

from contextlib import closing
from typing import Annotated

import typer

from reviewers import settings
from reviewers.cli.options import StoreUrl
from reviewers.errors import printable
from reviewers.store import Store
from reviewers.store.change_log import LoggedChange, changes


def command(
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="How many at most.")] = 200,
    store: StoreUrl = None,
) -> None:
    """List changes of configuration, roles and contracts, the newest last: when, who, what, from
    what to what.
    """
    with closing(Store.open(store or settings.store_url())) as opened:
        found = changes(opened, limit)
    for each in reversed(found):
        typer.echo(printable(_told(each)))
    if not found:
        typer.echo("nothing was changed yet")


def _told(each: LoggedChange) -> str:
    author = each.author or "on disk"
    change = f"{each.before or 'nothing'} → {each.after or 'nothing'}"
    return f"{each.at:%Y-%m-%d %H:%M} UTC  {author}  {each.kind}  {each.about}: {change}"
