"""`areachair review`: our own reviewers keep nothing; as soon as models are asked, everything is
kept, since it was paid for.
"""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from reviewers import settings
from reviewers.backends.budgeted import Budget
from reviewers.backends.cached import Replies
from reviewers.backends.configured import BudgetConfig, Configuration, ReviewerConfig, load
from reviewers.backends.opening import Servers
from reviewers.batch import Origin, Reviewed, Unread, review_bundles, useful_jobs
from reviewers.batch.bundles import UNKNOWN_ORIGIN
from reviewers.batch.models import Arrival, ModelRun
from reviewers.batch.volume import VolumeReviewer, VolumeRun
from reviewers.batch.workers import Workers
from reviewers.bundles import bundle_paths
from reviewers.cli.contracts import stated_contract
from reviewers.cli.dating import complain_of_other_dates, stated_date
from reviewers.cli.options import ContractName, Date, Generator, Jobs, Paths, StoreUrl, named
from reviewers.cli.printing import (
    NOT_READY,
    OK,
    UNUSABLE,
    complain,
    complain_of_some,
    progress,
)
from reviewers.cli.review_text import reviewed_text
from reviewers.cli.summary import Summary
from reviewers.errors import AreachairError, ReviewerError
from reviewers.exports.review_json import review_json
from reviewers.panel import DEFAULT_REVIEWERS
from reviewers.panel.llm import opened
from reviewers.readers.from_file import FILE, file_reader
from reviewers.records import Verdict, remarks_on
from reviewers.store import Store
from reviewers.store.submission import SubmissionRecord, record_of

_OWN = ",".join(DEFAULT_REVIEWERS)
_TABLE_WIDTH = 110


class OutputFormat(StrEnum):
    """What `review` prints."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    RDJSON = "rdjson"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewOptions:
    """What a person asked for; None leaves it to the configuration or to what is of use.

    Attributes:
        store_url: where the reviews are kept as soon as a model is asked.
        at_once: requests in flight at a time, all models together.
        fresh: whether to ask anew what is kept already.
        reader: who reads the claims: `file:PATH`, or a model by its reviewer's name.
        origin: what is said of the submissions; kept with them.
    """

    paths: Sequence[str]
    names: Sequence[str]
    format: OutputFormat
    jobs: int | None
    store_url: str | None
    at_once: int | None
    budget: BudgetConfig
    fresh: bool
    rebuttal: bool
    batch: bool
    poll_seconds: float
    reader: str | None = None
    origin: Origin = UNKNOWN_ORIGIN


def command(
    paths: Paths,
    reviewers: Annotated[
        str, typer.Option(help="Names with commas between them; openai:MODEL asks a model.")
    ] = _OWN,
    format: Annotated[
        OutputFormat,
        typer.Option(help="json, rdjson: one object a line and submission; sarif: one log."),
    ] = OutputFormat.TEXT,
    jobs: Jobs = None,
    store: StoreUrl = None,
    at_once: Annotated[
        int | None,
        typer.Option(min=1, max=1000, help="Requests to models at a time, all together."),
    ] = None,
    budget_usd: Annotated[
        float | None, typer.Option(min=0, help="Dollars that this run may cost at most.")
    ] = None,
    budget_tokens: Annotated[
        int | None, typer.Option(min=0, help="Tokens that this run may cost at most.")
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Ask models again what is kept already.")
    ] = False,
    rebuttal: Annotated[
        bool,
        typer.Option("--rebuttal", help="Show models what is refuted, and what they missed."),
    ] = False,
    batch: Annotated[
        bool,
        typer.Option("--batch", help="Ask by the provider's Batch API: cheaper, within a day."),
    ] = False,
    poll_seconds: Annotated[
        float, typer.Option(min=0.05, help="Seconds between two looks at a batch.")
    ] = 30.0,
    reader: Annotated[
        str | None,
        typer.Option(
            metavar="READER",
            help=(
                "Who reads claims, to be checked as read: a model's name, or file:PATH with"
                " JSON lines."
            ),
        ),
    ] = None,
    generator: Generator = None,
    date: Date = None,
    contract: ContractName = None,
) -> None:
    """Review submissions. Without models nothing is kept; what models say is, and is not asked
    for again.

    Exit code: 0 all ready, 1 some not ready, 2 some could not be reviewed.
    """
    options = ReviewOptions(
        paths=paths,
        names=reviewers.split(","),
        format=format,
        jobs=jobs,
        store_url=store,
        at_once=at_once,
        budget=BudgetConfig(budget_usd, budget_tokens),
        fresh=fresh,
        rebuttal=rebuttal,
        batch=batch,
        poll_seconds=poll_seconds,
        reader=reader,
        origin=Origin(named(generator), stated_date(date), stated_contract(contract)),
    )
    raise typer.Exit(review(options))


def review(options: ReviewOptions) -> int:
    """Review, print, and return the exit code.

    Raises:
        AreachairError: nothing could be begun, or it cannot be gone on with.
    """
    configuration = load(settings.reviewers_file())
    names = tuple(dict.fromkeys(name.strip() for name in options.names if name.strip()))
    models = tuple(configuration.find(name) for name in names if name not in DEFAULT_REVIEWERS)
    if models:
        # Those that were named are sound; what is wrong with another one must not go unseen.
        complain(entry.problem for entry in configuration.broken)
    if not names:
        raise ReviewerError(f"no reviewer is named; choose from {configuration.known_names}")
    if options.batch and (options.rebuttal or options.fresh):
        raise ReviewerError(
            "--batch goes with neither --fresh nor --rebuttal; ask for those in a run of their own"
        )
    own = tuple(name for name in names if name in DEFAULT_REVIEWERS)
    reader: ReviewerConfig | None = None
    if options.reader is not None and options.reader.startswith(f"{FILE}:"):
        options = _with_file(options, names)
    elif options.reader is not None:
        if options.batch:
            raise ReviewerError("--batch goes without a model that reads; read in a run of its own")
        reader = configuration.find(options.reader)
    found = bundle_paths(options.paths)
    outcome = _Outcome(options.format, names)
    if not models and reader is None:
        if options.batch or options.rebuttal or options.fresh:
            raise ReviewerError(
                "--batch, --fresh and --rebuttal are for models; name one with --reviewers"
                " openai:MODEL"
            )
        with progress(found) as shown:
            jobs = options.jobs or useful_jobs(len(found))
            for item in review_bundles(shown, own, jobs, options.origin):
                outcome.tell(item)
    else:
        with closing(Store.open(options.store_url or settings.store_url())) as store:
            _by_models(found, own, models, reader, configuration, options, store, outcome)
            complain_of_other_dates(store, outcome.ids, options.origin.date)
    outcome.end()
    complain_of_some(outcome.remarks)
    complain(outcome.problems)
    return UNUSABLE if outcome.problems else OK if outcome.all_ready else NOT_READY


def _with_file(options: ReviewOptions, names: Sequence[str]) -> ReviewOptions:
    """The options with the readings of the file that they name.

    Raises:
        ReviewerError: it cannot be read, or there is nothing to be read.
    """
    path = (options.reader or "").removeprefix(f"{FILE}:")
    if "recorded" not in names:
        raise ReviewerError("--reader reads recorded claims; name recorded with --reviewers")
    if set(names) - set(DEFAULT_REVIEWERS):
        raise ReviewerError("--reader file:PATH goes without models; review with them by itself")
    return replace(options, origin=replace(options.origin, reader=file_reader(path)))


class _Outcome:
    """What has been printed so far comes to this."""

    def __init__(self, format: OutputFormat, names: Sequence[str]) -> None:
        self._format = format
        self._names = list(names)
        self.problems: list[str] = []
        self.remarks: list[str] = []
        self.ids: list[str] = []
        self.all_ready = True
        self._records: list[SubmissionRecord] = []

    def tell(self, item: Reviewed | Unread) -> None:
        if isinstance(item, Unread):
            self.problems.append(item.problem)
            return
        self.problems.extend(item.failures)
        self.remarks.extend(remarks_on(item.submission))
        self.ids.append(item.submission.id)
        self.all_ready &= all(review.verdict is Verdict.READY for review in item.reviews)
        reviews = tuple(sorted(item.reviews, key=lambda review: self._names.index(review.reviewer)))
        match self._format:
            case OutputFormat.TEXT:
                typer.echo(reviewed_text(Reviewed(item.submission, reviews)))
            case OutputFormat.JSON:
                typer.echo(json.dumps(review_json(item.submission, reviews)))
            case OutputFormat.SARIF:
                self._records.append(record_of(item.submission, reviews, datetime.now(UTC)))
            case OutputFormat.RDJSON:
                from reviewers.exports.rdjson import rdjson  # loads every rule

                typer.echo(
                    json.dumps(rdjson(record_of(item.submission, reviews, datetime.now(UTC))))
                )

    def end(self) -> None:
        """Print what can only be printed as a whole."""
        if self._format is OutputFormat.SARIF:
            from reviewers.exports.sarif import sarif_text  # loads every rule

            for piece in sarif_text(self._records):
                typer.echo(piece, nl=False)


def _by_models(
    paths: list[Path],
    own: tuple[str, ...],
    models: tuple[ReviewerConfig, ...],
    reader: ReviewerConfig | None,
    configuration: Configuration,
    options: ReviewOptions,
    store: Store,
    outcome: _Outcome,
) -> None:
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
            from reviewers.panel.model_reader import opened_reader  # it loads all facts

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
                        outcome.tell(_without(item, set(asked) - set(own)))
                        step(1)
                complain([reading.spent] if reading else [])
            finally:
                await servers.close()

        try:
            asyncio.run(run())
        except KeyboardInterrupt:
            again = "without --fresh" if options.fresh else "again"
            raise AreachairError(
                f"stopped; what has arrived is kept, and the command goes on from there {again}"
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
