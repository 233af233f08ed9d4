"""Exit codes, error lines and progress bars."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

import typer

from reviewers.errors import printable
from reviewers.records import counted

OK, NOT_READY, UNUSABLE = 0, 1, 2
_MOST_TOLD = 20
_MOST_NAMED = 5
_T = TypeVar("_T")


def complain(problems: Iterable[str]) -> None:
    """Print each problem on a line of standard error."""
    for problem in problems:
        typer.echo(f"areachair: {printable(problem)}", err=True)


def complain_of_some(remarks: Sequence[object], head: str = "") -> None:
    """Print the first warnings, each with this prefix, and the number of further ones."""
    complain(f"{head}{each}" for each in remarks[:_MOST_TOLD])
    if more := len(remarks[_MOST_TOLD:]):
        complain([f"{head}{more} more"])


def complain_of_kept(ids: Sequence[str], known: str, remedy: str) -> None:
    """Report the submissions that keep another value than the given one, and how to change it.

    Args:
        known: their stored values.
        remedy: the command, with `{}` for their ids.
    """
    if not ids:
        return
    short = " ".join(id[:8] for id in ids[:_MOST_NAMED]) + (" …" if len(ids) > _MOST_NAMED else "")
    are = "1 submission is" if len(ids) == 1 else f"{len(ids)} submissions are"
    complain([f"{are} {known}, which stays; to change it: {remedy.format(short)}"])


def told_of_copy(rows: Mapping[str, int]) -> str:
    """What a copy of a store holds, in one line."""
    parts = [
        counted(rows[table], word)
        for table, word in (
            ("submissions", "submission"),
            ("reviews", "review"),
            ("findings", "finding"),
            ("decisions", "decision"),
            ("rulings", "ruling"),
        )
    ]
    return f"{', '.join(parts)}; {sum(rows.values()):,} rows copied and compared"


@contextmanager
def progress(items: Sequence[_T], doing: str = "reviewing") -> Iterator[Iterable[_T]]:
    """Yield the items, with a progress bar on standard error if that is a terminal."""
    if len(items) < 2 or not sys.stderr.isatty():
        yield items
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # Refreshed at each step and not by a thread, since processes cannot be forked safely beside
    # one.
    with Progress(*columns, console=console, transient=True, auto_refresh=False) as bar:
        yield bar.track(items)
