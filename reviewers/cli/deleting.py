"""`areachair delete`: deletes submissions for good, and says what would be deleted."""

import re
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from typing import Annotated

import typer
from rich.filesize import decimal

from reviewers import settings
from reviewers.backends.cached import Replies
from reviewers.cli.authors import acting
from reviewers.cli.options import StoreUrl
from reviewers.cli.printing import OK, UNUSABLE
from reviewers.errors import AreachairError, StoreError, printable
from reviewers.records import counted
from reviewers.store import Store
from reviewers.store.deletion import Deletable, deletable, delete_submissions
from reviewers.store.submission import find_submission
from reviewers.store.upkeep import free_pages

_AGE = re.compile(r"([1-9][0-9]{0,5})d")


def command(
    submissions: Annotated[
        list[str] | None, typer.Argument(metavar="SUBMISSION", help="Id prefixes.")
    ] = None,
    reason: Annotated[str, typer.Option(help="Why; kept with your name and the time.")] = "",
    older_than: Annotated[
        str | None,
        typer.Option(metavar="DAYSd", help="All that were imported so long ago, such as 180d."),
    ] = None,
    keep_decided: Annotated[
        bool, typer.Option("--keep-decided", help="Except those that a person ever decided on.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List them, and delete nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    store: StoreUrl = None,
) -> None:
    """Delete submissions with their files, reviews, decisions, and the cached answers about them.

    It cannot be undone. A record stays of who deleted which submission, when and why; backups and
    exports that were made before still hold it.
    """
    if bool(submissions) == (older_than is not None):
        raise AreachairError("name submissions, or an age with --older-than; not both")
    with closing(Store.open(store or settings.store_url())) as opened:
        ids = {find_submission(opened, each) for each in submissions or ()}
        age = None if older_than is None else _age(older_than)
        found = deletable(opened, ids, older_than=age, keep_decided=keep_decided)
        for line in _listed(found):
            typer.echo(printable(line))
        if dry_run or not found:
            return
        if not reason.strip():
            raise AreachairError("a deletion needs a reason: say why with --reason")
        if not yes and not typer.confirm(
            f"Delete {_these(found)} for good?", default=False, err=True
        ):
            raise typer.Exit(UNUSABLE)
        _delete(opened, found, reason)
    raise typer.Exit(OK)


def _age(text: str) -> timedelta:
    if (days := _AGE.fullmatch(text.strip())) is None:
        raise AreachairError(f"--older-than {text!r} is not a number of days; write it like 180d")
    return timedelta(days=int(days[1]))


def _listed(found: tuple[Deletable, ...]) -> Iterator[str]:
    for each in found:
        decided = "  decided" if each.decided else ""
        yield f"{each.id[:12]}  {each.imported_at:%Y-%m-%d}  {each.name}{decided}"
    if not found:
        yield "no submission to delete"


def _these(found: tuple[Deletable, ...]) -> str:
    return counted(len(found), "submission")


def _delete(store: Store, found: tuple[Deletable, ...], reason: str) -> None:
    deleted = delete_submissions(store, [each.id for each in found], reason, acting())
    replies = Replies(settings.replies_folder())
    kept = sum(replies.forget(request) for request in deleted.requests)
    typer.echo(
        f"deleted {counted(deleted.submissions, 'submission')},"
        f" {counted(deleted.files, 'file')} and {counted(kept, 'cached answer')}"
    )
    try:
        with store.outside() as connection:
            freed = free_pages(connection)
    except StoreError as error:
        typer.echo(printable(f"The file stays as large as it is: {error}"), err=True)
        return
    typer.echo(
        "PostgreSQL frees their space when autovacuum comes by; VACUUM FULL gives it back at once"
        if freed is None
        else f"{decimal(max(freed, 0))} given back to the disk"
    )
