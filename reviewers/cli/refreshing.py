"""`areachair refresh`: claims judged anew, where an older areachair judged them."""

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
        typer.Option("--all", help="Judge anew what this areachair judged already, too."),
    ] = False,
) -> None:
    """Judge claims anew, where an older areachair judged them.

    Findings, readings and people's words stay as they are; only what the code says to them may
    change.
    """
    with closing(Store.open(store or settings.store_url())) as opened:
        submissions = claims = 0
        with progress(outdated(opened, every=every), "judging") as ids:
            for count in judged_anew(opened, ids):
                submissions, claims = submissions + 1, claims + count
        told = [counted(submissions, "submission"), counted(claims, "claim")]
        typer.echo(f"{', '.join(told)} judged anew")
