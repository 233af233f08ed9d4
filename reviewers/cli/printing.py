"""Exit codes, error lines and progress bars."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import typer

from reviewers.errors import printable

OK, NOT_READY, UNUSABLE = 0, 1, 2
_MOST_TOLD = 20
_MOST_NAMED = 5
_T = TypeVar("_T")


def complain(problems: Iterable[str]) -> None:
    """Print each problem on a line of standard error."""
    for problem in problems:
        typer.echo(f"areachair: {printable(problem)}", err=True)


def complain_of_some(remarks: Sequence[object], head: str = "") -> None:
    """Print what refuses nothing, each line with this head: the first ones, and how many more
    there are.
    """
    complain(f"{head}{each}" for each in remarks[:_MOST_TOLD])
    if more := len(remarks[_MOST_TOLD:]):
        complain([f"{head}{more} more"])


def complain_of_kept(ids: Sequence[str], known: str, remedy: str) -> None:
    """Say which submissions keep something else than what was given, and how to change it.

    Args:
        known: what they are known with instead.
        remedy: the command, with `{}` for their ids.
    """
    if not ids:
        return
    short = " ".join(id[:8] for id in ids[:_MOST_NAMED]) + (" …" if len(ids) > _MOST_NAMED else "")
    are = "1 submission is" if len(ids) == 1 else f"{len(ids)} submissions are"
    complain([f"{are} {known}, which stays; to change it: {remedy.format(short)}"])


@contextmanager
def progress(items: Sequence[_T], doing: str = "reviewing") -> Iterator[Iterable[_T]]:
    """Give the items back, with a bar on standard error that follows them where that is a
    terminal.
    """
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
    # Refreshed at each step and by no thread of its own: beside one, processes could not be forked.
    with Progress(*columns, console=console, transient=True, auto_refresh=False) as bar:
        yield bar.track(items)
