"""`areachair refresh`: repeats the fact checks that an older version of areachair made."""

from contextlib import closing
from typing import Annotated

import typer

from reviewers import settings
from reviewers.batch.reading import judged_anew, outdated
from reviewers.cli.options import StoreUrl
from reviewers.cli.printing import progress
from reviewers.records import counted
from reviewers.store import Store


def command(
    store: StoreUrl = None,
    every: Annotated[
        bool,
        typer.Option("--all", help="Also repeat the fact checks that this areachair made."),
    ] = False,
) -> None:
    """Repeat the fact checks that an older areachair made.

    Findings, readings and people's records stay as they are; only fact checks may change.
    """
    with closing(Store.open(store or settings.store_url())) as opened:
        submissions = claims = 0
        with progress(outdated(opened, every=every), "checking") as ids:
            for count in judged_anew(opened, ids):
                submissions, claims = submissions + 1, claims + count
        told = [counted(submissions, "submission"), counted(claims, "claim")]
        typer.echo(f"{', '.join(told)} checked again")
