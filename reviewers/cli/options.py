"""Options that several commands share."""

from typing import Annotated

import typer

Paths = Annotated[
    list[str],
    typer.Argument(help="Logs, folders, archives, JSON or JSON lines, globs, or folders of these."),
]
Submissions = Annotated[
    list[str], typer.Argument(metavar="SUBMISSION", help="Id prefixes of submissions in the store.")
]
Generator = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Name of the generator, if the bundles do not contain it; trends can be split by it.",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(min=1, max=64, help="Number of processes.  [default: as many as are useful]"),
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
        help="Generation date (ISO 8601; UTC unless it names a zone); overrides the bundles.",
    ),
]
ContractName = Annotated[
    str | None,
    typer.Option(
        "--contract",
        metavar="NAME|FILE",
        help="Contract of their pipeline: one of `areachair contracts`, or a TOML file.",
    ),
]
