"""The command line: `areachair` opens the dashboard, its subcommands import, review and explain."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from reviewers import settings
from reviewers.backends.configured import BudgetConfig
from reviewers.batch import Origin, Unread, import_bundles, review_bundles, useful_jobs
from reviewers.batch.bundles import UNKNOWN_ORIGIN
from reviewers.bundles import bundle_paths
from reviewers.cli.authors import acting, register_authors
from reviewers.cli.contracts import (
    ContractName,
    complain_of_other_contracts,
    register_contracts,
    stated_contract,
)
from reviewers.cli.dating import Date, complain_of_other_dates, register_dating, stated_date
from reviewers.cli.diffing import DiffFormat
from reviewers.cli.diffing import diff as run_diff
from reviewers.cli.exporting import ExportFormat, ExportOptions
from reviewers.cli.exporting import export as run_export
from reviewers.cli.lineages import (
    histories_among,
    import_histories,
    register_lineages,
    survival_text,
)
from reviewers.cli.outcomes import outcomes_text, register_outcomes
from reviewers.cli.printing import NOT_READY, OK, UNUSABLE, complain, complain_of_some, progress
from reviewers.cli.reviewing import OutputFormat, ReviewOptions
from reviewers.cli.reviewing import review as run_review
from reviewers.cli.serving import DashboardOptions
from reviewers.cli.sessions import register_sessions
from reviewers.cli.tools import import_exports, import_sarif, told_apart
from reviewers.errors import AreachairError, printable
from reviewers.exports.feedback import corrected_review, feedback_json, feedback_markdown
from reviewers.exports.stats_page import stats_page
from reviewers.panel import DEFAULT_REVIEWERS
from reviewers.records import Verdict, counted, remarks_on
from reviewers.rubric import rubric
from reviewers.rubric.choice import contract_of
from reviewers.store import Store
from reviewers.store.headline import headline
from reviewers.store.inbox import progress as decided_of_all
from reviewers.store.said import Said


class FeedbackFormat(StrEnum):
    """What `feedback` prints."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


_OWN = ",".join(DEFAULT_REVIEWERS)

Paths = Annotated[
    list[str],
    typer.Argument(help="Logs, folders, archives, JSON (lines), globs, or folders of these."),
]
_LONGEST_GENERATOR = 300  # as names in bundles
Generator = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="What generated them, where the bundles do not say so; trends tell them apart.",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(min=1, max=64, help="Processes.  [default: as many as are of use]"),
]
StoreUrl = Annotated[
    str | None,
    typer.Option(
        "--store",
        help=(
            "SQLAlchemy URL of the store. [default: AREACHAIR_STORE, else a SQLite file in your"
            " data folder]"
        ),
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
            str,
            typer.Option(
                help="Address to listen on; one that others reach needs signing in, or --open."
            ),
        ] = "127.0.0.1",
        port: Annotated[int, typer.Option(min=1, max=65535)] = 8501,
        browser: Annotated[bool, typer.Option(help="Show the dashboard in a browser.")] = True,
        open: Annotated[
            bool,
            typer.Option(
                "--open", help="Let everybody who reaches the address read and decide, unasked."
            ),
        ] = False,
        allow_host: Annotated[
            list[str] | None,
            typer.Option(
                metavar="NAME", help="A name by which browsers reach an open desk; repeatable."
            ),
        ] = None,
    ) -> None:
        """Open the dashboard; an empty store is filled with the sample bundles first."""
        with _one_line_errors():
            rubric()  # a file of the user's own that makes no sense is told before any work is done
            _pass_on(context, store)
            if context.invoked_subcommand is None:
                if settings.author_given():
                    acting()  # a name that cannot sign is told before anything is to be signed
                options = DashboardOptions(
                    store or settings.store_url(),
                    host,
                    port,
                    browser,
                    open,
                    tuple(allow_host or ()),
                )
                _fill_empty_store(options.store_url)
                open_dashboard(options)

    @app.command("import")
    def import_(
        paths: Paths,
        store: StoreUrl = None,
        submission: Annotated[
            str | None,
            typer.Option(
                help=(
                    "What SARIF files are about: an id's beginning, or a bundle.  [default: found"
                    " by files]"
                )
            ),
        ] = None,
        history: Annotated[
            bool,
            typer.Option(
                "--history",
                help="Read work trees of git as their histories; bare repositories always are.",
            ),
        ] = False,
        fix_pattern: Annotated[
            str | None,
            typer.Option(
                metavar="REGEX",
                help="First line of a fix.  [default: [CI] Automated fix and the like]",
            ),
        ] = None,
        generator: Generator = None,
        date: Date = None,
        contract: ContractName = None,
        jobs: Jobs = None,
        fresh: Annotated[
            bool,
            typer.Option("--fresh", help="Review again what this areachair reviewed already."),
        ] = False,
    ) -> None:
        """Keep submissions with their recorded and static reviews, exports of other stores, and
        what SARIF files say.

        Of a git repository every attempt is kept, and the fixes as outcomes of what had been
        accepted.

        Importing again changes nothing, and is quick: what the same areachair reviewed already is
        not reviewed again.
        """
        with _one_line_errors(), closing(Store.open(store or settings.store_url())) as opened:
            found = histories_among(paths, history)
            rest = [path for path in paths if path not in found]
            origin = Origin(_named(generator), stated_date(date), stated_contract(contract))
            if found and origin.date is not None:
                raise AreachairError("--date is for bundles; the commits of a history bring dates")
            problems = import_histories(opened, found, fix_pattern, origin, jobs, fresh)
            complain(problems)
            code = _import(opened, rest, submission, origin, jobs, fresh) if rest else OK
            raise typer.Exit(UNUSABLE if problems else code)

    @app.command()
    def review(
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
        with _one_line_errors():
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
                origin=Origin(_named(generator), stated_date(date), stated_contract(contract)),
            )
            raise typer.Exit(run_review(options))

    @app.command()
    def refresh(
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
        with _one_line_errors(), closing(Store.open(store or settings.store_url())) as opened:
            from reviewers.batch.reading import judged_anew, outdated  # they load all facts

            submissions = claims = 0
            with progress(outdated(opened, every=every), "judging") as ids:
                for count in judged_anew(opened, ids):
                    submissions, claims = submissions + 1, claims + count
            told = [counted(submissions, "submission"), counted(claims, "claim")]
            typer.echo(f"{', '.join(told)} judged anew")

    @app.command()
    def feedback(
        paths: Paths,
        format: Annotated[
            FeedbackFormat,
            typer.Option(
                help="text is what a generator takes as code_issue; json has one object a line."
            ),
        ] = FeedbackFormat.TEXT,
        store: Annotated[
            str | None,
            typer.Option("--store", help="Store whose rulings overrule the fact checks."),
        ] = None,
    ) -> None:
        """Print the corrected review: what is confirmed, missed or unverified, nothing refuted.
        Exit code as of review.
        """
        with _one_line_errors():
            raise typer.Exit(_feedback(paths, format, store))

    @app.command()
    def diff(
        before: Annotated[
            str, typer.Argument(help="A bundle, or the beginning of an id in the store.")
        ],
        after: Annotated[str, typer.Argument(help="The same of the later attempt.")],
        reviewer: Annotated[str | None, typer.Option(help="Only this reviewer's findings.")] = None,
        format: Annotated[DiffFormat, typer.Option()] = DiffFormat.TEXT,
        store: StoreUrl = None,
    ) -> None:
        """Say what became of each finding from one attempt to another: new, unchanged, moved or
        fixed. Nothing is kept.
        """
        with _one_line_errors():
            raise typer.Exit(run_diff(before, after, reviewer, format, store))

    @app.command()
    def export(
        submissions: Annotated[
            list[str] | None,
            typer.Argument(
                metavar="SUBMISSION", help="Beginnings of ids.  [default: all submissions]"
            ),
        ] = None,
        format: Annotated[
            ExportFormat, typer.Option(help="jsonl is the whole store, for `import`.")
        ] = ExportFormat.JSONL,
        output: Annotated[
            str,
            typer.Option(help="A file (- for stdout); a folder for csv, parquet and several html."),
        ] = "-",
        force: Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")] = False,
        store: StoreUrl = None,
    ) -> None:
        """Write what the store holds for other programs: people's words, fact checks and all."""
        with _one_line_errors(), closing(Store.open(store or settings.store_url())) as opened:
            options = ExportOptions(
                submissions=submissions or (), format=format, output=output, force=force
            )
            raise typer.Exit(run_export(opened, options))

    @app.command()
    def stats(
        paths: Annotated[
            list[str] | None,
            typer.Argument(help="Bundles to count instead of the store's submissions."),
        ] = None,
        store: StoreUrl = None,
        outcomes: Annotated[
            bool, typer.Option("--outcomes", help="Who had predicted what real runs came to.")
        ] = False,
        attempts: Annotated[
            bool,
            typer.Option("--attempts", help="How many attempts each category of defects survives."),
        ] = False,
    ) -> None:
        """Say in figures how far the recorded reviewers can be trusted: claims by fact check and
        kind, and what was missed.
        """
        with _one_line_errors():
            if (paths and (outcomes or attempts)) or (outcomes and attempts):
                raise AreachairError(
                    "--outcomes and --attempts count what the store holds; give one of them, and no"
                    " bundles"
                )
            if not paths:
                with closing(Store.open(store or settings.store_url())) as opened:
                    text = (
                        outcomes_text if outcomes else survival_text if attempts else _headline_text
                    )
                    typer.echo(text(opened), nl=False)
            else:
                raise typer.Exit(_stats_of(paths))

    @app.command()
    def predicates() -> None:
        """Print what a claim can say, as docs/predicates.md has it."""
        from reviewers.exports.predicates_page import predicates_page
        from reviewers.propositions import PREDICATES  # they load all facts

        typer.echo(predicates_page(PREDICATES.values()), nl=False)

    @app.command()
    def rules(
        id: Annotated[str | None, typer.Argument(help="A rule's id.")] = None,
        markdown: Annotated[
            bool, typer.Option("--markdown", help="All rules as one page, docs/rules.md.")
        ] = False,
    ) -> None:
        """List the static rules, or say what one does, with its examples."""
        from reviewers.cli.rules import (
            rules_text,
        )  # every rule takes a second to load, which other commands need not wait for

        with _one_line_errors():
            typer.echo(rules_text(id, markdown=markdown), nl=False)

    register_authors(app, _one_line_errors)
    register_contracts(app, _one_line_errors)
    register_dating(app, _one_line_errors)
    register_lineages(app, _one_line_errors)
    register_outcomes(app, _one_line_errors)
    register_sessions(app, _one_line_errors)
    return app


def _pass_on(context: typer.Context, store: str | None) -> None:
    """Let a subcommand have the store that was named before it; what else stands there would be
    silently ignored.
    """
    name, group = context.invoked_subcommand, context.command
    if name is None:
        return
    # Typer brings a click of its own, whose names are not told apart here.
    command: Any = getattr(group, "commands", {})[name]
    taken = {each.name for each in command.params} & {"store"}
    for each in group.params:
        source = context.get_parameter_source(str(each.name))
        if source is not None and source.name == "COMMANDLINE" and each.name not in taken:
            raise AreachairError(f"`{name}` takes no {each.opts[0]}: leave it out")
    if store is not None:
        context.default_map = {name: {"store": store}}


def _fill_empty_store(url: str) -> None:
    with closing(Store.open(url)) as store:
        if decided_of_all(store)[1] == 0:
            _import(store, [str(settings.sample_bundles())])


def _named(generator: str | None) -> str | None:
    """A generator's name as it is kept; nothing but spaces is no name."""
    name = (generator or "").strip()
    if len(name) > _LONGEST_GENERATOR:
        raise AreachairError(f"--generator takes a name of at most {_LONGEST_GENERATOR} characters")
    return name or None


def _import(
    store: Store,
    paths: list[str],
    about: str | None = None,
    origin: Origin = UNKNOWN_ORIGIN,
    jobs: int | None = None,
    fresh: bool = False,
) -> int:
    named = told_apart(paths)
    problems = import_exports(store, named.exports)
    if named.bundles:
        read, new, unread = _keep(store, list(named.bundles), origin, jobs, fresh)
        typer.echo(
            f"{read} {'submission' if read == 1 else 'submissions'} read: {new} new or changed,"
            f" {read - new} known already"
        )
        problems += unread
    problems += import_sarif(
        store, named.sarif, about
    )  # last, since they may be about what came before
    complain(problems)
    return UNUSABLE if problems else OK


def _keep(
    store: Store,
    paths: list[str],
    origin: Origin = UNKNOWN_ORIGIN,
    jobs: int | None = None,
    fresh: bool = False,
) -> tuple[int, int, list[str]]:
    """Keep bundles; return how many were read, how many of them were new, and the problems."""
    read = new = 0
    problems: list[str] = []
    remarks: list[str] = []
    ids: list[str] = []
    found = bundle_paths(paths)
    with progress(found) as shown:
        work = jobs or useful_jobs(len(found))
        for item, was_new in import_bundles(store, shown, origin, work, fresh):
            if not isinstance(item, Unread):
                read += 1
                ids.append(item.submission.id)
                remarks.extend(remarks_on(item.submission))
            new += was_new
            problems.extend(item.failures)
    complain_of_some(remarks)
    complain_of_other_dates(store, ids, origin.date)
    complain_of_other_contracts(store, ids, origin.contract)
    return read, new, problems


def _feedback(paths: list[str], format: FeedbackFormat, store_url: str | None) -> int:
    found = bundle_paths(paths)
    problems: list[str] = []
    ready = True
    with progress(found) as shown, ExitStack() as stack:
        store = stack.enter_context(closing(Store.open(store_url))) if store_url else None
        for item in review_bundles(shown):
            if isinstance(item, Unread):
                problems.append(item.problem)
                continue
            problems.extend(item.failures)
            corrected = corrected_review(
                item.reviews,
                store.said_on(item.submission.id) if store else Said(),
                contract_of(item.submission).contract.mildest,
            )
            ready &= corrected.verdict is Verdict.READY
            match format:
                case FeedbackFormat.JSON:
                    typer.echo(json.dumps(feedback_json(item.submission, corrected)))
                case FeedbackFormat.MARKDOWN:
                    typer.echo(feedback_markdown(item.submission, corrected))
                case FeedbackFormat.TEXT:
                    head = [f"{item.submission.name}:"] if len(found) > 1 else []
                    typer.echo(
                        "\n".join(map(printable, [*head, *corrected.code_issue.splitlines()]))
                    )
    complain(problems)
    return UNUSABLE if problems else OK if ready else NOT_READY


def _headline_text(store: Store) -> str:
    return stats_page(headline(store))


def _stats_of(paths: list[str]) -> int:
    with (
        TemporaryDirectory(prefix="areachair-") as folder,
        closing(Store.open(settings.sqlite_url(Path(folder) / "stats"))) as store,
    ):
        problems = _keep(store, paths)[2]
        complain(problems)
        typer.echo(stats_page(headline(store)), nl=False)
    return UNUSABLE if problems else OK


@contextmanager
def _one_line_errors() -> Iterator[None]:
    try:
        yield
    except AreachairError as error:
        complain([str(error)])
        raise typer.Exit(UNUSABLE) from None
    except KeyboardInterrupt:
        complain(["stopped"])
        raise typer.Exit(UNUSABLE) from None
    except BrokenPipeError:
        # The reader went away (`| head`): what it wanted is out, and Python must not complain while
        # closing.
        sys.stderr.close()
        raise typer.Exit(OK) from None
    except OSError as error:
        complain([f"{error.filename or 'output'}: {error.strerror or error}"])
        raise typer.Exit(UNUSABLE) from None
