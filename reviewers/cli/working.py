"""`areachair work`: workers that do what the desk and others handed in."""

from contextlib import closing
from typing import Annotated

import typer

from reviewers import settings
from reviewers.batch.bundles import useful_jobs
from reviewers.cli.options import StoreUrl
from reviewers.store import Store

_MANY = 1_000


def command(
    store: StoreUrl = None,
    concurrency: Annotated[
        int | None,
        typer.Option(min=1, max=64, help="Number of processes.  [default: one for each processor]"),
    ] = None,
    lease: Annotated[
        float,
        typer.Option(
            min=1, max=3600, help="Seconds until others take the jobs of a worker that died."
        ),
    ] = 60.0,
    patience: Annotated[
        float,
        typer.Option(min=0, help="Seconds that jobs under way are given to end when stopped."),
    ] = 30.0,
    until_done: Annotated[
        bool, typer.Option("--until-done", help="End once no job waits or runs.")
    ] = False,
) -> None:
    """Do the jobs of a store: ask models, run rules, import. Any number of machines may share the
    jobs of a PostgreSQL store; each needs the reviewers' file and their keys.
    """
    url = store or settings.store_url()
    with closing(Store.open(url)) as opened:
        place = opened.place
    from reviewers.jobs.processes import WorkOptions, work

    processes = concurrency or useful_jobs(_MANY)
    typer.echo(f"working on {place} with {processes} processes  (Ctrl+C stops)", err=True)
    work(url, WorkOptions(processes, lease, patience, until_done))
