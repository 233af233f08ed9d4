"""`areachair backup`: writes the store into a file of its own."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from reviewers import settings
from reviewers.cli.options import StoreUrl
from reviewers.cli.printing import told_of_copy
from reviewers.store import Store
from reviewers.store.copying import back_up


def command(
    file: Annotated[Path, typer.Argument(help="A file that does not exist yet.")],
    store: StoreUrl = None,
) -> None:
    """Write the whole store into a new file and verify it; others may go on working.

    The file is a SQLite store, whatever the database: `areachair --store sqlite:///FILE` opens it.
    Who is signed in is not copied.
    """
    with closing(Store.open(store or settings.store_url())) as opened:
        typer.echo(told_of_copy(back_up(opened, file)))
