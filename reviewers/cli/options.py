"""Options that several commands take."""

from typing import Annotated

import typer

Paths = Annotated[
    list[str],
    typer.Argument(help="Logs, folders, archives, JSON (lines), globs, or folders of these."),
]
Submissions = Annotated[
    list[str], typer.Argument(metavar="SUBMISSION", help="Beginnings of ids in the store.")
]
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
Date = Annotated[
    str | None,
    typer.Option(
        "--date",
        metavar="DATE",
        help="When they were generated (ISO 8601; UTC where no zone is named), whatever they say.",
    ),
]
ContractName = Annotated[
    str | None,
    typer.Option(
        "--contract",
        metavar="NAME|FILE",
        help="What their pipeline asks: one of `areachair contracts`, or a TOML file.",
    ),
]
