"""`areachair stats`: prints how reliable the recorded reviewers are."""

from contextlib import closing
from typing import Annotated

import typer

from reviewers import settings
from reviewers.cli.importing import keep_bundles
from reviewers.cli.lineages import survival_text
from reviewers.cli.options import StoreUrl
from reviewers.cli.outcomes import outcomes_text
from reviewers.cli.printing import OK, UNUSABLE, complain
from reviewers.errors import AreachairError
from reviewers.exports.stats_page import stats_page
from reviewers.store import Store
from reviewers.store.stats_summary import headline


def command(
    paths: Annotated[
        list[str] | None,
        typer.Argument(help="Bundles to count instead of the store's submissions."),
    ] = None,
    store: StoreUrl = None,
    outcomes: Annotated[
        bool, typer.Option("--outcomes", help="Show who predicted the results of real runs.")
    ] = False,
    attempts: Annotated[
        bool,
        typer.Option(
            "--attempts", help="Show how many attempts each category of defects survives."
        ),
    ] = False,
) -> None:
    """Show how reliable the recorded reviewers are: claims by fact check and predicate, and missed
    blockers.
    """
    if (paths and (outcomes or attempts)) or (outcomes and attempts):
        raise AreachairError(
            "--outcomes and --attempts count the store's submissions; use one of them,"
            " without bundles"
        )
    if not paths:
        with closing(Store.open(store or settings.store_url())) as opened:
            text = outcomes_text if outcomes else survival_text if attempts else _headline_text
            typer.echo(text(opened), nl=False)
    else:
        raise typer.Exit(_stats_of(paths))


def _headline_text(store: Store) -> str:
    return stats_page(headline(store))


def _stats_of(paths: list[str]) -> int:
    from reviewers.jobs.scratch import scratch  # of what only some systems have

    with (
        scratch() as folder,
        closing(Store.open(settings.sqlite_url(folder / "stats"))) as store,
    ):
        problems = keep_bundles(store, paths)[2]
        complain(problems)
        typer.echo(stats_page(headline(store)), nl=False)
    return UNUSABLE if problems else OK
