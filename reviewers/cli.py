"""The command line: `areachair` opens the dashboard, its subcommands import, review and explain."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from reviewers import settings
from reviewers.batch import Reviewed, Unread, import_bundles, review_bundles, useful_jobs
from reviewers.bundles import bundle_paths
from reviewers.errors import AreachairError, printable
from reviewers.exports.feedback import corrected_review, feedback_json, feedback_markdown
from reviewers.exports.review_json import review_json
from reviewers.exports.rules_page import rules_page
from reviewers.exports.stats_page import stats_page
from reviewers.panel import DEFAULT_REVIEWERS, check_names
from reviewers.records import Check, Finding, Review, Verdict
from reviewers.rules import Rule, find_rule, registered
from reviewers.store import Store
from reviewers.store.headline import headline
from reviewers.store.inbox import progress as decided_of_all

OK, NOT_READY, UNUSABLE = 0, 1, 2
_MARKS = {Check.CONFIRMED: "✓", Check.REFUTED: "✗", Check.UNVERIFIED: "?"}


class Format(StrEnum):
    """What `review` prints."""

    TEXT = "text"
    JSON = "json"


class FeedbackFormat(StrEnum):
    """What `feedback` prints."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


@dataclass(frozen=True, slots=True)
class DashboardOptions:
    """How the dashboard is served; `open_browser` asks the desktop to show it."""

    store_url: str
    host: str
    port: int
    open_browser: bool


_STORE_HELP = "SQLAlchemy URL of the store. [default: AREACHAIR_STORE, else a SQLite file in your data folder]"

Paths = Annotated[list[str], typer.Argument(help="Logs, folders, archives, JSON (lines), globs, or folders of these.")]
StoreUrl = Annotated[
    str | None,
    typer.Option(
        "--store", help="SQLAlchemy URL of the store. [default: AREACHAIR_STORE, else a SQLite file in your data folder]"
    ),
]


def build(open_dashboard: Callable[[DashboardOptions], None]) -> typer.Typer:
    """Return the command line; `open_dashboard` serves until it is stopped."""
    app = typer.Typer(
        help="The chair's desk for generated experiment code.",
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback(invoke_without_command=True)
    def dashboard(
        context: typer.Context,
        store: StoreUrl = None,
        host: Annotated[
            str, typer.Option(help="Address to listen on; anything but a loopback address lets others in.")
        ] = "127.0.0.1",
        port: Annotated[int, typer.Option(min=1, max=65535)] = 8501,
        browser: Annotated[bool, typer.Option(help="Show the dashboard in a browser.")] = True,
    ) -> None:
        """Open the dashboard; an empty store is filled with the sample bundles first."""
        if context.invoked_subcommand is None:
            with _one_line_errors():
                url = store or settings.store_url()
                _fill_empty_store(url)
                open_dashboard(DashboardOptions(url, host, port, browser))

    @app.command("import")
    def import_(paths: Paths, store: StoreUrl = None) -> None:
        """Keep submissions with their recorded and static reviews; importing again changes nothing."""
        with _one_line_errors(), closing(Store.open(store or settings.store_url())) as opened:
            raise typer.Exit(_import(opened, paths))

    @app.command()
    def review(
        paths: Paths,
        reviewers: Annotated[str, typer.Option(help="Names with commas between them.")] = ",".join(DEFAULT_REVIEWERS),
        format: Annotated[Format, typer.Option(help="json prints one object a submission and line, nothing else.")] = Format.TEXT,
        jobs: Annotated[int | None, typer.Option(min=1, max=64, help="Processes.  [default: as many as are of use]")] = None,
    ) -> None:
        """Review submissions without keeping anything. Exit code: 0 all ready, 1 some not ready, 2 some could not be reviewed."""
        with _one_line_errors():
            raise typer.Exit(_review(paths, check_names(reviewers.split(",")), format, jobs))

    @app.command()
    def feedback(
        paths: Paths,
        format: Annotated[
            FeedbackFormat, typer.Option(help="text is what a generator takes as code_issue; json has one object a line.")
        ] = FeedbackFormat.TEXT,
        store: Annotated[str | None, typer.Option("--store", help="Store whose rulings overrule the fact checks.")] = None,
    ) -> None:
        """Print the corrected review: what is confirmed, missed or unverified, nothing refuted. Exit code as of review."""
        with _one_line_errors():
            raise typer.Exit(_feedback(paths, format, store))

    @app.command()
    def stats(
        paths: Annotated[list[str] | None, typer.Argument(help="Bundles to count instead of the store's submissions.")] = None,
        store: StoreUrl = None,
    ) -> None:
        """Say in figures how far the recorded reviewers can be trusted: claims by fact check and kind, and what was missed."""
        with _one_line_errors():
            if not paths:
                with closing(Store.open(store or settings.store_url())) as opened:
                    typer.echo(stats_page(headline(opened)), nl=False)
            else:
                raise typer.Exit(_stats_of(paths))

    @app.command()
    def rules(
        id: Annotated[str | None, typer.Argument(help="A rule's id.")] = None,
        markdown: Annotated[bool, typer.Option("--markdown", help="All rules as one page, docs/rules.md.")] = False,
    ) -> None:
        """List the static rules, or say what one does, with its examples."""
        with _one_line_errors():
            if markdown:
                typer.echo(rules_page(registered().values()), nl=False)
            elif id is not None:
                typer.echo(_rule_page(find_rule(id)))
            else:
                typer.echo("\n".join(_rule_row(rule) for rule in registered().values()))

    return app


def _fill_empty_store(url: str) -> None:
    with closing(Store.open(url)) as store:
        if decided_of_all(store)[1] == 0:
            _import(store, [str(settings.sample_bundles())])


def _import(store: Store, paths: list[str]) -> int:
    read, new, problems = _keep(store, paths)
    typer.echo(f"{read} {'submission' if read == 1 else 'submissions'} read: {new} new or changed, {read - new} known already")
    return UNUSABLE if problems else OK


def _keep(store: Store, paths: list[str]) -> tuple[int, int, list[str]]:
    """Keep bundles and complain of the problems; return how many were read, how many of them were new, and the problems."""
    read = new = 0
    problems: list[str] = []
    with _progress(bundle_paths(paths)) as shown:
        for item, was_new in import_bundles(store, shown):
            read += isinstance(item, Reviewed)
            new += was_new
            problems.extend(item.failures if isinstance(item, Reviewed) else [item.problem])
    _complain(problems)
    return read, new, problems


def _review(paths: list[str], reviewers: tuple[str, ...], format: Format, jobs: int | None) -> int:
    found = bundle_paths(paths)
    problems: list[str] = []
    all_ready = True
    with _progress(found) as shown:
        for item in review_bundles(shown, reviewers, jobs or useful_jobs(len(found))):
            if isinstance(item, Unread):
                problems.append(item.problem)
                continue
            problems.extend(item.failures)
            all_ready &= all(review.verdict is Verdict.READY for review in item.reviews)
            typer.echo(json.dumps(review_json(item.submission, item.reviews)) if format is Format.JSON else _text(item))
    _complain(problems)
    return UNUSABLE if problems else OK if all_ready else NOT_READY


def _feedback(paths: list[str], format: FeedbackFormat, store_url: str | None) -> int:
    found = bundle_paths(paths)
    problems: list[str] = []
    ready = True
    with _progress(found) as shown, ExitStack() as stack:
        store = stack.enter_context(closing(Store.open(store_url))) if store_url else None
        for item in review_bundles(shown):
            if isinstance(item, Unread):
                problems.append(item.problem)
                continue
            problems.extend(item.failures)
            corrected = corrected_review(item.reviews, store.rulings_on(item.submission.id) if store else {})
            ready &= corrected.verdict is Verdict.READY
            match format:
                case FeedbackFormat.JSON:
                    typer.echo(json.dumps(feedback_json(item.submission, corrected)))
                case FeedbackFormat.MARKDOWN:
                    typer.echo(feedback_markdown(item.submission, corrected))
                case FeedbackFormat.TEXT:
                    head = [f"{item.submission.name}:"] if len(found) > 1 else []
                    typer.echo("\n".join(map(printable, [*head, *corrected.code_issue.splitlines()])))
    _complain(problems)
    return UNUSABLE if problems else OK if ready else NOT_READY


def _stats_of(paths: list[str]) -> int:
    with (
        TemporaryDirectory(prefix="areachair-") as folder,
        closing(Store.open(settings.sqlite_url(Path(folder) / "stats"))) as store,
    ):
        problems = _keep(store, paths)[2]
        typer.echo(stats_page(headline(store)), nl=False)
    return UNUSABLE if problems else OK


def _text(item: Reviewed) -> str:
    lines = [printable(item.submission.name)]
    for review in item.reviews:
        lines += [f"  {_headline(review)}", *(f"    {_line(finding)}" for finding in review.findings)]
    return "\n".join(lines)


def _headline(review: Review) -> str:
    verdict = "failed" if review.verdict is None else review.verdict.replace("_", " ")
    counts = " ".join(f"{mark}{review.count(check)}" for check, mark in _MARKS.items())
    return printable("  ".join(filter(None, [f"{review.reviewer}: {verdict}", counts, review.model])))


def _line(finding: Finding) -> str:
    place = str(finding.span) if finding.span else "(no place found)"
    said = finding.claim or finding.message
    evidence = f"  [{finding.check.evidence}]" if finding.claim else ""
    return printable(
        f"{_MARKS[finding.check.result]} {finding.severity:7} {place}  {finding.rule or finding.kind}  {said}{evidence}"
    )


def _rule_row(rule: Rule) -> str:
    return f"{rule.id}  {rule.severity:7}  {rule.criterion}  {rule.name}: {rule.summary}"


def _rule_page(rule: Rule) -> str:
    head = f"{rule.id} {rule.name} ({rule.severity}, criterion {rule.criterion}, {rule.category})"
    return "\n\n".join([head, rule.summary, rule.why, "Flagged:\n\n" + _indented(rule.bad), "Fine:\n\n" + _indented(rule.good)])


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())


def _complain(problems: list[str]) -> None:
    for problem in problems:
        typer.echo(f"areachair: {printable(problem)}", err=True)


@contextmanager
def _progress(paths: list[Path]) -> Iterator[Iterable[Path]]:
    """Give the paths back, with a bar on standard error that follows them where that is a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("reviewing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    hidden = not console.is_terminal or len(paths) < 2
    # Refreshed at each step and by no thread of its own: beside one, processes could not be forked.
    with Progress(*columns, console=console, transient=True, disable=hidden, auto_refresh=False) as bar:
        yield bar.track(paths)


@contextmanager
def _one_line_errors() -> Iterator[None]:
    try:
        yield
    except AreachairError as error:
        _complain([str(error)])
        raise typer.Exit(UNUSABLE) from None
    except BrokenPipeError:
        # The reader went away (`| head`): what it wanted is out, and Python must not complain while closing.
        sys.stderr.close()
        raise typer.Exit(OK) from None
