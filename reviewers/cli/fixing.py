"""`areachair fix`: the repairs of a submission, each proven by reviewing it again."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from reviewers.cli.options import ContractName
from reviewers.cli.printing import NOT_READY, OK, UNUSABLE, complain, complain_of_some
from reviewers.errors import AreachairError, printable
from reviewers.library import propose_repairs
from reviewers.offers import Offer, Offers
from reviewers.records import Submission, counted, failure_lines, remarks_on
from reviewers.repairs import Plan
from reviewers.repairs.offers import offers
from reviewers.repairs.patch import patch
from reviewers.rules import find_rule


def command(
    path: Annotated[str, typer.Argument(help="A log, folder, archive or JSON file.")],
    diff: Annotated[
        bool, typer.Option("--diff", help="Print the repairs as a patch that git apply takes.")
    ] = False,
    write: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Write the repaired version; empty or absent."),
    ] = None,
    first: Annotated[
        bool, typer.Option("--first", help="Repair only what stops a run first.")
    ] = False,
    only: Annotated[
        str | None, typer.Option(metavar="RULE", help="Repair only the findings of this rule.")
    ] = None,
    contract: ContractName = None,
) -> None:
    """Repair a submission in memory. Nothing of it is run or changed; each repair is proven by
    reviewing the repaired version again.

    Exit code: 0 the repaired version is ready, 1 it is not, 2 it could not be reviewed.
    """
    rule = find_rule(only).id if only else ""
    if write is not None:
        _check_empty(write)
    plan = propose_repairs(path, only_first=first, only_rule=rule, contract=contract)
    told = offers(plan)
    lines = list(_told(plan, told))
    if diff:
        _print_patch(lines, plan)
    else:
        typer.echo("\n".join(map(printable, lines)))
    if write is not None:
        _write(plan.last.submission, write)
    complain_of_some(remarks_on(plan.first.submission))
    partial = plan.last.report.partial
    if told.is_ready and partial:
        complain(failure_lines(plan.first.submission, [("rules", "; ".join(partial))]))
        raise typer.Exit(UNUSABLE)
    raise typer.Exit(OK if told.is_ready else NOT_READY)


def _told(plan: Plan, told: Offers) -> Iterator[str]:
    """The plan for a person: what is repaired and how that is proven, what is asked, and what is
    left.
    """
    asked = f", {counted(told.questions, 'question')}" if told.questions else ""
    ends = "the repaired version is ready" if told.is_ready else "the repaired version is not ready"
    head = f"{counted(len(told.repairs), 'repair')}{asked}" if told.repairs else "no repair"
    yield f"{plan.first.submission.name}: {head}; {ends}"
    for number, offer in enumerate(told.repairs, 1):
        yield from _offered(number, offer)
    yield from (f"  not repaired: {line}" for line in told.left)
    if told.stops:
        yield f"  still stops: {told.stops}"


def _offered(number: int, offer: Offer) -> Iterator[str]:
    taken, *others = offer.ways
    yield f"  {number}. {offer.span or ''}  {offer.rule}  {taken.intent}"
    if taken.consequence:
        yield f"     {taken.consequence}"
    yield f"     proven: {offer.proof}"
    if offer.asks:
        yield f"     question: {offer.asks} Taken: {taken.choice}"
    for other in others:
        meant = f"{other.choice}: {other.intent}" if offer.asks else other.intent
        yield f"     or {meant}{f' ({other.consequence})' if other.consequence else ''}"
    for line in offer.shown:
        yield f"     behind it: {line}"


def _print_patch(lines: list[str], plan: Plan) -> None:
    """The plan as comments, which `git apply` skips, and the patch."""
    made = patch(plan.first.submission, plan.last.submission)
    if sys.stdout.isatty():  # what a submission says must not drive the terminal
        made = "".join(f"{printable(line)}\n" for line in made.split("\n"))
    text = "".join(f"# {printable(line)}\n" for line in lines) + made
    typer.echo(text.encode(errors="surrogateescape"), nl=False)


def _check_empty(folder: str) -> None:
    """Refuse a folder that has anything in it.

    Raises:
        AreachairError: it has, or it is no folder.
    """
    path = Path(folder)
    try:
        is_free = not os.path.lexists(path) or (
            path.is_dir() and next(path.iterdir(), None) is None
        )
    except OSError as error:
        raise AreachairError(f"{folder}: {error.strerror}; name another folder") from None
    if not is_free:
        raise AreachairError(f"{folder} is not an empty folder; name one that is empty or absent")


def _write(submission: Submission, folder: str) -> None:
    """Write all files of a version, or none.

    Raises:
        AreachairError: they cannot be written.
    """
    path = Path(folder).resolve()
    beside = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name[:40]}-"))
        for name, file in submission.by_path.items():
            there = beside / name
            there.parent.mkdir(parents=True, exist_ok=True)
            there.write_bytes(file.data)
        beside.chmod(0o777 & ~_umask())
        os.replace(beside, path)
    except OSError as error:
        with suppress(OSError):
            if beside is not None:
                shutil.rmtree(beside)
        raise AreachairError(
            f"{folder} cannot be written: {error.strerror}; name another folder"
        ) from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
