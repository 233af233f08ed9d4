"""`areachair diff`: compares the findings of two attempts, from the store or from disk."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

import typer

from reviewers import settings
from reviewers.batch import Unread, review_bundles
from reviewers.bundles import bundle_paths
from reviewers.cli.options import StoreUrl
from reviewers.cli.printing import complain
from reviewers.errors import AreachairError, BundleError, ReviewerError
from reviewers.store import Store
from reviewers.store.submission import SubmissionRecord, load_submission, record_of

_BEGINNING = re.compile(r"\s*[0-9a-fA-F]{8,64}\s*")


class DiffFormat(StrEnum):
    """What `diff` prints."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


def command(
    before: Annotated[
        str, typer.Argument(help="A bundle, or an id prefix of a submission in the store.")
    ],
    after: Annotated[str, typer.Argument(help="The later attempt: a bundle or an id prefix.")],
    reviewer: Annotated[
        str | None, typer.Option(help="Compare this reviewer's findings only.")
    ] = None,
    format: Annotated[DiffFormat, typer.Option()] = DiffFormat.TEXT,
    store: StoreUrl = None,
) -> None:
    """Show what happened to each finding from one attempt to another: new, unchanged, moved or
    fixed. Nothing is stored.
    """
    # They load all that looks into code, which takes other commands half of their start.
    from reviewers.exports.attempts_page import attempts_json, attempts_page
    from reviewers.store.carry_over import carried, compared

    one, other = (_record(each, store) for each in (before, after))
    matchings = compared(one, other, reviewer)
    if not matchings:
        known = ", ".join(compared(one, other)) if reviewer else ""
        who = f"{reviewer!r} did not give" if reviewer else "no reviewer gave"
        raise ReviewerError(
            f"{who} a verdict on both" + (f"; choose from {known}" if known else "")
        )
    if reviewer is None:
        complain(_left_out(one, other, set(matchings)))
    words = carried(one, other, matchings)
    if format is DiffFormat.JSON:
        typer.echo(json.dumps(attempts_json(one.submission, other.submission, matchings, words)))
    else:
        is_markdown = format is DiffFormat.MARKDOWN
        typer.echo(
            attempts_page(one.submission, other.submission, matchings, words, markdown=is_markdown),
            nl=False,
        )


def _record(named: str, store_url: str | None) -> SubmissionRecord:
    if os.path.exists(named):
        return _reviewed(named)
    if not _BEGINNING.fullmatch(named):
        raise BundleError(
            named, "there is no such file or folder, and no submission with this id prefix"
        )
    with closing(Store.open(store_url or settings.store_url())) as store:
        return load_submission(store, named)


def _reviewed(path: str) -> SubmissionRecord:
    items = list(review_bundles(bundle_paths([path])))
    for item in items:
        if isinstance(item, Unread):
            raise AreachairError(item.problem)
    if len(items) != 1 or isinstance(items[0], Unread):
        raise BundleError(
            path,
            f"it contains {len(items)} submissions; name one of them, or a prefix of an id",
        )
    return record_of(items[0].submission, items[0].reviews, datetime.now(UTC))


def _left_out(one: SubmissionRecord, other: SubmissionRecord, shown: set[str]) -> Iterator[str]:
    """A line for each reviewer that is not compared."""
    for name in dict.fromkeys((*one.names, *other.names)):
        if name not in shown:
            yield f"{name} is left out: it did not give a verdict on both"
