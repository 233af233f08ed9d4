"""`areachair feedback`: prints the corrected review for a generator."""

import json
from contextlib import ExitStack, closing
from enum import StrEnum
from typing import Annotated

import typer

from reviewers.batch import Unread, review_bundles
from reviewers.batch.repairing import taken_patch
from reviewers.bundles import bundle_paths
from reviewers.cli.options import Paths
from reviewers.cli.printing import NOT_READY, OK, UNUSABLE, complain, progress
from reviewers.errors import printable
from reviewers.exports.feedback import corrected_review, feedback_json, feedback_markdown
from reviewers.library import proven_patch
from reviewers.records import Submission, Verdict
from reviewers.rubric.choice import contract_of
from reviewers.store import Store
from reviewers.store.human_input import HumanInput


class FeedbackFormat(StrEnum):
    """What `feedback` prints."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


def command(
    paths: Paths,
    format: Annotated[
        FeedbackFormat,
        typer.Option(help="text is for a generator's code_issue; json has one object per line."),
    ] = FeedbackFormat.TEXT,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            help="Store whose rulings override the fact checks, and whose accepted repairs are"
            " added as a patch.",
        ),
    ] = None,
    proven_only: Annotated[
        bool, typer.Option("--proven-only", help="Leave out what no check could decide.")
    ] = False,
    patch: Annotated[
        bool, typer.Option("--patch", help="Add the proven repairs as a patch, accepted or not.")
    ] = False,
) -> None:
    """Print the corrected review: confirmed, missed and unverified findings, nothing refuted.
    Exit codes as in review.
    """
    raise typer.Exit(_feedback(paths, format, store, proven_only, has_patch=patch))


def _feedback(
    paths: list[str],
    format: FeedbackFormat,
    store_url: str | None,
    proven_only: bool,
    *,
    has_patch: bool,
) -> int:
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
                store.said_on(item.submission.id) if store else HumanInput(),
                contract_of(item.submission).contract.mildest,
                proven_only=proven_only,
                patch=_patch(store, item.submission, has_all=has_patch),
            )
            ready &= corrected.verdict is Verdict.READY
            match format:
                case FeedbackFormat.JSON:
                    typer.echo(json.dumps(feedback_json(item.submission, corrected)))
                case FeedbackFormat.MARKDOWN:
                    typer.echo(feedback_markdown(item.submission, corrected))
                case FeedbackFormat.TEXT:
                    head = [f"{item.submission.name}:"] if len(found) > 1 else []
                    lines = [*head, *corrected.code_issue.splitlines()]
                    typer.echo("\n".join(map(_readable, lines)))
    complain(problems)
    return UNUSABLE if problems else OK if ready else NOT_READY


def _patch(store: Store | None, submission: Submission, *, has_all: bool) -> str:
    """What people took, else all repairs where these are asked for."""
    taken = taken_patch(store, submission) if store else ""
    return taken or (proven_patch(submission) if has_all else "")


def _readable(line: str) -> str:
    """The line for a terminal; its tabs are the code's own."""
    return "\t".join(map(printable, line.split("\t")))
