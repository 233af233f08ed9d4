"""`areachair review`: offline reviews are printed and not stored; once a model is asked, all
reviews are stored, since they were paid for.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reviewers import settings
from reviewers.backends.configured import BudgetConfig, ReviewerConfig, load
from reviewers.batch import Reviewed, Unread, review_bundles, useful_jobs
from reviewers.bundles import bundle_paths
from reviewers.cli.options import ContractName, Date, Generator, Jobs, Paths, StoreUrl
from reviewers.cli.origin import stated_origin
from reviewers.cli.printing import (
    NOT_READY,
    OK,
    UNUSABLE,
    complain,
    complain_of_some,
    progress,
)
from reviewers.cli.review_options import OutputFormat, ReviewOptions
from reviewers.cli.review_text import reviewed_text
from reviewers.errors import ReviewerError
from reviewers.exports.review_json import review_json
from reviewers.offers import Offers, offers_json
from reviewers.panel import DEFAULT_REVIEWERS
from reviewers.providers import PROVIDERS
from reviewers.readers.from_file import FILE, file_reader
from reviewers.records import Review, Submission, Verdict, remarks_on

if TYPE_CHECKING:
    from reviewers.store.submission import SubmissionRecord

_OWN = ",".join(DEFAULT_REVIEWERS)
_MODELS = " or ".join(f"{each.name}:MODEL" for each in PROVIDERS)


def command(
    paths: Paths,
    reviewers: Annotated[
        str,
        typer.Option(help=f"Comma-separated names; {_MODELS} asks a model."),
    ] = _OWN,
    format: Annotated[
        OutputFormat,
        typer.Option(help="json, rdjson: one line per submission; sarif: one log."),
    ] = OutputFormat.TEXT,
    jobs: Jobs = None,
    dask: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Dask cluster that shares offline reviews."),
    ] = None,
    store: StoreUrl = None,
    at_once: Annotated[
        int | None,
        typer.Option(min=1, max=1000, help="Maximum concurrent requests to all models together."),
    ] = None,
    budget_usd: Annotated[
        float | None, typer.Option(min=0, help="Maximum cost of this run in dollars.")
    ] = None,
    budget_tokens: Annotated[
        int | None, typer.Option(min=0, help="Maximum tokens of this run.")
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Ask models again even if the answer is stored.")
    ] = False,
    rebuttal: Annotated[
        bool,
        typer.Option(
            "--rebuttal", help="Show models their refuted findings and the blockers they missed."
        ),
    ] = False,
    batch: Annotated[
        bool,
        typer.Option("--batch", help="Use the provider's Batch API: cheaper, within a day."),
    ] = False,
    poll_seconds: Annotated[
        float, typer.Option(min=0.05, help="Seconds between checks of a batch.")
    ] = 30.0,
    reader: Annotated[
        str | None,
        typer.Option(
            metavar="READER",
            help=(
                "Reader that translates claims before they are checked: a model, or file:PATH"
                " with JSON lines."
            ),
        ),
    ] = None,
    repairs: Annotated[
        bool,
        typer.Option("--repairs", help="Add proven repairs: SARIF fixes, rdjson suggestions."),
    ] = False,
    generator: Generator = None,
    date: Date = None,
    contract: ContractName = None,
) -> None:
    """Review submissions. Only answers of models are stored, so that they are not requested again.

    Exit code: 0 all ready, 1 some not ready, 2 some could not be reviewed.
    """
    options = ReviewOptions(
        paths=paths,
        names=reviewers.split(","),
        format=format,
        jobs=jobs,
        dask=dask,
        store_url=store,
        at_once=at_once,
        budget=BudgetConfig(budget_usd, budget_tokens),
        fresh=fresh,
        rebuttal=rebuttal,
        batch=batch,
        poll_seconds=poll_seconds,
        reader=reader,
        repairs=repairs,
        origin=stated_origin(generator, date, contract),
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
            "--batch cannot be combined with --fresh or --rebuttal; use a separate run"
        )
    if options.dask is not None and (models or options.reader or options.jobs):
        raise ReviewerError(
            "--dask is for offline reviewers, without --reader and --jobs; workers ask models:"
            " areachair work"
        )
    if options.repairs and options.format is OutputFormat.TEXT:
        raise ReviewerError("--repairs is for json, sarif and rdjson; as text: areachair fix PATH")
    own = tuple(name for name in names if name in DEFAULT_REVIEWERS)
    reader: ReviewerConfig | None = None
    if options.reader is not None and options.reader.startswith(f"{FILE}:"):
        options = _with_file(options, names)
    elif options.reader is not None:
        if options.batch:
            raise ReviewerError(
                "--batch cannot be combined with a model as reader; read in a separate run"
            )
        reader = configuration.find(options.reader)
    found = bundle_paths(options.paths)
    outcome = _Outcome(options.format, names, options.repairs)
    if not models and reader is None:
        if options.batch or options.rebuttal or options.fresh:
            raise ReviewerError(
                "--batch, --fresh and --rebuttal are for models; name one with --reviewers"
                " openai:MODEL"
            )
        with progress(found) as shown:
            for item in _offline(shown, own, options, len(found)):
                outcome.tell(item)
    else:
        from reviewers.cli.dating import complain_of_other_dates
        from reviewers.cli.model_run import ask_models
        from reviewers.store import Store

        with closing(Store.open(options.store_url or settings.store_url())) as store:
            ask_models(found, own, models, reader, configuration, options, store, outcome.tell)
            complain_of_other_dates(store, outcome.ids, options.origin.date)
    outcome.end()
    complain_of_some(outcome.remarks)
    complain(outcome.problems)
    return UNUSABLE if outcome.problems else OK if outcome.all_ready else NOT_READY


def _offline(
    paths: Iterable[Path], own: Sequence[str], options: ReviewOptions, count: int
) -> Iterator[Reviewed | Unread]:
    if options.dask is None:
        jobs = options.jobs or useful_jobs(count)
        return review_bundles(paths, own, jobs, options.origin)
    from reviewers.batch.cluster import review_on_cluster

    return review_on_cluster(options.dask, paths, own, options.origin)


def _with_file(options: ReviewOptions, names: Sequence[str]) -> ReviewOptions:
    """The options with the readings of the file that they name.

    Raises:
        ReviewerError: it cannot be read, or there is nothing to be read.
    """
    path = (options.reader or "").removeprefix(f"{FILE}:")
    if "recorded" not in names:
        raise ReviewerError("--reader reads recorded claims; name recorded with --reviewers")
    if set(names) - set(DEFAULT_REVIEWERS):
        raise ReviewerError(
            "--reader file:PATH cannot be combined with models; ask them in a separate run"
        )
    return replace(options, origin=replace(options.origin, reader=file_reader(path)))


class _Outcome:
    """What has been printed so far amounts to this."""

    def __init__(self, format: OutputFormat, names: Sequence[str], has_repairs: bool) -> None:
        self._format = format
        self._has_repairs = has_repairs
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
                told = review_json(item.submission, reviews)
                if proven := self._offers(item.submission):
                    told["repairs"] = offers_json(proven)
                typer.echo(json.dumps(told))
            case OutputFormat.SARIF:
                self._records.append(self._record(item.submission, reviews))
            case OutputFormat.RDJSON:
                from reviewers.exports.rdjson import rdjson

                typer.echo(json.dumps(rdjson(self._record(item.submission, reviews))))

    def _record(self, submission: Submission, reviews: tuple[Review, ...]) -> "SubmissionRecord":
        from reviewers.store.submission import record_of

        at = datetime.now(UTC)
        return record_of(submission, reviews, at, self._offers(submission))

    def _offers(self, submission: Submission) -> Offers | None:
        if not self._has_repairs:
            return None
        from reviewers.library import propose_repairs
        from reviewers.repairs.offers import offers

        return offers(propose_repairs(submission))

    def end(self) -> None:
        """Print what can only be printed as a whole."""
        if self._format is OutputFormat.SARIF:
            from reviewers.exports.sarif import sarif_text  # loads every rule

            for piece in sarif_text(self._records):
                typer.echo(piece, nl=False)
