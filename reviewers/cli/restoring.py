"""`areachair restore`: fills an empty store from a backup."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from reviewers import settings
from reviewers.cli.options import StoreUrl
from reviewers.cli.printing import told_of_copy
from reviewers.store import Store
from reviewers.store.copying import restore


def command(
    file: Annotated[Path, typer.Argument(help="What `areachair backup` wrote.")],
    store: StoreUrl = None,
) -> None:
    """Fill an empty store from a backup and verify it; SQLite and PostgreSQL alike.

    A backup of an older areachair is brought up to date on the way; the file stays as it is.
    """
    with closing(Store.open(store or settings.store_url())) as opened:
        typer.echo(told_of_copy(restore(file, opened)))
