"""The command line: `areachair` opens the dashboard, its subcommands import, review and explain.

A subcommand is the function `command` of its module, which is loaded when it is asked for: what
one of them needs, the others need not wait for.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from reviewers import settings
from reviewers.cli.options import StoreUrl
from reviewers.cli.printing import OK, UNUSABLE, complain
from reviewers.cli.serving import DashboardOptions, Proxy
from reviewers.errors import AreachairError

COMMANDS: Mapping[str, tuple[str, str]] = {
    "import": (
        "importing",
        "Store submissions with their reviews; import SARIF files and exports.",
    ),
    "review": ("reviewing", "Review submissions."),
    "work": ("working", "Do the jobs that the dashboard and others handed in."),
    "jobs": ("handing_in", "List what workers do; hand in, cancel or retry."),
    "refresh": ("refreshing", "Repeat the fact checks that an older areachair made."),
    "feedback": ("feedback", "Print the corrected review for the generator."),
    "fix": ("fixing", "Repair a submission, and prove each repair."),
    "diff": ("diffing", "Show what happened to each finding in a later attempt."),
    "export": ("exporting", "Export the store for other programs."),
    "stats": ("stats", "Show how reliable the recorded reviewers are."),
    "predicates": ("predicates", "Print the vocabulary of claims."),
    "rules": ("rules", "List the static rules, or explain one."),
    "author": ("authors", "List the authors of records; correct a name."),
    "contracts": ("contracts", "List the built-in contracts, or print one."),
    "contract": ("contract", "Show or change the contract of submissions."),
    "date": ("dating", "Show or change when submissions were generated."),
    "lineage": ("lineages", "List the attempts at an experiment; join or split them."),
    "outcome": ("outcomes", "Record the result of a real run."),
    "backup": ("backing_up", "Write the whole store into a file."),
    "restore": ("restoring", "Fill an empty store from a backup."),
    "doctor": ("examining", "Say whether the desk and its store are well."),
    "delete": ("deleting", "Delete submissions for good; list what is old."),
    "sessions": ("sessions", "List the sessions of the dashboard; end one."),
    "role": ("roles", "List who may do what at the dashboard; give a role."),
    "changes": ("changes", "List changes of configuration, roles and contracts."),
}
"""The subcommands in the order of `--help`: the module of each, and what it does in a few words."""


class _Commands(TyperGroup):
    """The subcommands, each loaded when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return their names in order."""
        return [*COMMANDS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of this name; None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        if cmd_name not in self.commands:
            module, _ = COMMANDS[cmd_name]
            app = typer.Typer(add_completion=False, rich_markup_mode=None)
            app.command(cmd_name)(import_module(f"{__name__}.{module}").command)
            self.commands[cmd_name] = typer.main.get_command(app)
        return self.commands[cmd_name]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write what each does, without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])

    def invoke(self, ctx: Any) -> Any:
        """Run what was asked for; what goes wrong is one line of standard error."""
        with _one_line_errors():
            return super().invoke(ctx)


_VERSION_HELP = "Show the version and the hash of the code that makes reviews, and exit."


def _say_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        from reviewers.panel.version import own_version

        typer.echo(f"areachair {version('areachair')} ({own_version()[:12]})")
        raise typer.Exit(OK)


def build(open_dashboard: Callable[[DashboardOptions], None]) -> typer.Typer:
    """Return the command line; `open_dashboard` serves until it is stopped."""
    app = typer.Typer(
        cls=_Commands,
        help="Review desk for generated experiment code.",
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
                help=(
                    "Address to listen on. One that others can reach requires signing in, or"
                    " --open."
                )
            ),
        ] = "127.0.0.1",
        port: Annotated[int, typer.Option(min=1, max=65535)] = 8501,
        browser: Annotated[bool, typer.Option(help="Open the dashboard in a browser.")] = True,
        open: Annotated[
            bool,
            typer.Option(
                "--open",
                help="Let everyone who reaches the address read and decide without signing in.",
            ),
        ] = False,
        allow_host: Annotated[
            list[str] | None,
            typer.Option(
                metavar="NAME",
                help="A host name that browsers use for an open dashboard; repeatable.",
            ),
        ] = None,
        work: Annotated[
            bool, typer.Option(help="Do jobs here; without it, `areachair work` has to run.")
        ] = True,
        processes: Annotated[
            int,
            typer.Option(
                min=1,
                max=64,
                help="Number of web processes: at the ports after --port, for a proxy in front.",
            ),
        ] = 1,
        proxy: Annotated[
            Proxy | None,
            typer.Option(help="Print the configuration of this proxy for the processes, and exit."),
        ] = None,
        proxy_file: Annotated[
            str | None,
            typer.Option(metavar="FILE", help="Write it to a file instead, and serve."),
        ] = None,
        version: Annotated[
            bool,
            typer.Option("--version", is_eager=True, callback=_say_version, help=_VERSION_HELP),
        ] = False,
    ) -> None:
        """Open the dashboard; an empty store is filled with samples."""
        from reviewers.rubric import rubric

        rubric()  # an invalid file of the user's own is reported before any work is done
        _pass_on(context, store)
        if context.invoked_subcommand is None:
            options = DashboardOptions(
                store or settings.store_url(),
                host,
                port,
                browser,
                open,
                tuple(allow_host or ()),
                work,
                processes,
                proxy=proxy,
                proxy_file=proxy_file,
            )
            open_dashboard(options)

    return app


def _pass_on(context: typer.Context, store: str | None) -> None:
    """Let a subcommand have the store that was named before it; what else is there would be
    silently ignored.
    """
    name, group = context.invoked_subcommand, context.command
    if name is None:
        return
    assert isinstance(group, _Commands)
    command = group.get_command(context, name)
    taken = {each.name for each in command.params} & {"store"}
    for each in group.params:
        source = context.get_parameter_source(str(each.name))
        if source is not None and source.name == "COMMANDLINE" and each.name not in taken:
            raise AreachairError(f"`{name}` takes no {each.opts[0]}: leave it out")
    if store is not None:
        context.default_map = {name: {"store": store}}


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
