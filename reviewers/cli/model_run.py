"""Asks models for reviews; every answer is stored, since it was paid for."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from reviewers import settings
from reviewers.backends.budgeted import Budget
from reviewers.backends.cached import Replies
from reviewers.backends.configured import BudgetConfig, Configuration, ReviewerConfig
from reviewers.backends.factory import Servers
from reviewers.batch import Reviewed, Unread, useful_jobs
from reviewers.batch.models import Arrival, ModelRun
from reviewers.batch.provider_batch import VolumeReviewer, VolumeRun
from reviewers.batch.workers import Workers
from reviewers.cli.printing import complain
from reviewers.cli.review_options import ReviewOptions
from reviewers.cli.run_summary import Summary
from reviewers.errors import AreachairError
from reviewers.panel.llm import opened
from reviewers.panel.model_reader import opened_reader
from reviewers.store import Store

_TABLE_WIDTH = 110


def ask_models(
    paths: list[Path],
    own: tuple[str, ...],
    models: tuple[ReviewerConfig, ...],
    reader: ReviewerConfig | None,
    configuration: Configuration,
    options: ReviewOptions,
    store: Store,
    tell: Callable[[Reviewed | Unread], None],
) -> None:
    """Review with models, and keep what they say.

    Args:
        own: names of our reviewers that are wanted as well.
        reader: the model that reads claims; None if none does.
        tell: gets each submission as soon as it is done.

    Raises:
        AreachairError: it was stopped, or cannot be gone on with.
    """
    asked = (
        sorted({*own, "rules"}) if options.rebuttal else own
    )  # what a model missed is what the rules prove
    budget = Budget(_budget(configuration.budget, options.budget))
    askers = (*models, reader) if reader else models
    summary = Summary([model.name for model in models])
    # Before the event loop and its threads: from here processes can still be forked, warm.
    with (
        Workers(options.jobs or useful_jobs(len(paths) * (1 + len(models)))) as workers,
        _shown(len(paths), summary) as step,
    ):

        async def run() -> None:
            servers = Servers(
                settings.abilities_file(), settings.replies_folder(), at_once=options.at_once
            )
            priced = [
                (
                    replace(model, prices=model.prices.times(model.batch_share))
                    if options.batch
                    else model
                )
                for model in models
            ]
            reviewers = [opened(servers, each, budget, fresh=options.fresh) for each in priced]

            def arrived(arrival: Arrival) -> None:
                summary.add(arrival)
                step(0)

            reading = (
                opened_reader(servers, reader, budget, fresh=options.fresh) if reader else None
            )
            run: VolumeRun | ModelRun
            if options.batch:
                run = VolumeRun(
                    own=asked,
                    reviewers=[
                        VolumeReviewer(each, servers.batch_jobs(each.config)) for each in reviewers
                    ],
                    store=store,
                    workers=workers,
                    replies=Replies(settings.replies_folder()),
                    budget=budget,
                    every=options.poll_seconds,
                    origin=options.origin,
                    arrived=arrived,
                    waiting=lambda line: complain([line]),
                )
            else:
                run = ModelRun(
                    own=asked,
                    reviewers=reviewers,
                    store=store,
                    workers=workers,
                    at_once=2 * (options.at_once or sum(model.concurrency for model in askers)),
                    reader=reading,
                    told=lambda line: complain([line]),
                    fresh=options.fresh,
                    rebuttal=options.rebuttal,
                    origin=options.origin,
                    arrived=arrived,
                )
            try:
                async with aclosing(run.over(paths)) as items:
                    async for item in items:
                        tell(_without(item, set(asked) - set(own)))
                        step(1)
                complain([reading.spent] if reading else [])
            finally:
                await servers.close()

        try:
            asyncio.run(run())
        except KeyboardInterrupt:
            again = "without --fresh" if options.fresh else "again"
            raise AreachairError(
                "stopped; answers that arrived are stored, and the command continues from"
                f" there {again}"
            ) from None
    console = Console(stderr=True)
    console.width = max(
        console.width, _TABLE_WIDTH
    )  # a table that wraps is worse than one that runs over
    console.print(summary.table())


def _without(item: Reviewed | Unread, names: set[str]) -> Reviewed | Unread:
    """Leave out what was reviewed for our own use only."""
    if isinstance(item, Unread) or not names:
        return item
    return Reviewed(
        item.submission, tuple(review for review in item.reviews if review.reviewer not in names)
    )


def _budget(configured: BudgetConfig, given: BudgetConfig) -> BudgetConfig:
    return BudgetConfig(
        configured.usd if given.usd is None else given.usd,
        configured.tokens if given.tokens is None else given.tokens,
    )


@contextmanager
def _shown(count: int, summary: Summary) -> Iterator[Callable[[int], None]]:
    """Show a bar with the running cost on standard error, where that is a terminal."""
    console = Console(stderr=True)
    columns = (
        TextColumn("reviewing"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(
        *columns,
        console=console,
        transient=True,
        disable=not console.is_terminal,
        auto_refresh=False,
    ) as bar:
        task = bar.add_task("", total=count)

        def step(submissions: int) -> None:
            bar.update(task, advance=submissions, description=summary.line(), refresh=True)

        yield step
