"""`areachair outcome`: records the result of a real run and shows who predicted it; also the table
of `stats --outcomes`.
"""

import os
from collections.abc import Iterator
from contextlib import closing
from typing import Annotated

import typer

from reviewers import settings
from reviewers.cli.options import StoreUrl
from reviewers.cli.printing import OK
from reviewers.errors import BundleError, printable
from reviewers.outcomes import Fate, LinkedFailure, Outcome, Stage, outcome_of_run
from reviewers.records import Finding
from reviewers.store import Store
from reviewers.store.submission import SubmissionRecord

_MOST_READ = 20_000_000
"""Bytes of an output that are read: its end, where a failure is reported."""
_LONGEST = 110
_MOST_SHOWN = 3


def command(
    submission: Annotated[
        str,
        typer.Argument(
            help="Id prefix of a submission in the store, or a bundle, which is then stored."
        ),
    ],
    stage: Annotated[Stage, typer.Option(help="Which run it was.")],
    exit_code: Annotated[int, typer.Option(help="Exit code of the run; negative for a signal.")],
    stderr: Annotated[
        str | None, typer.Option(metavar="FILE", help="File with its standard error.")
    ] = None,
    stdout: Annotated[
        str | None, typer.Option(metavar="FILE", help="File with its standard output.")
    ] = None,
    store: StoreUrl = None,
) -> None:
    """Record the result of a real run and show who predicted it. Recording the same exit code
    and output again changes nothing.
    """
    with closing(Store.open(store or settings.store_url())) as opened:
        output = "\n".join(_end_of(path) for path in (stdout, stderr) if path is not None)
        raise typer.Exit(_attach(opened, submission, stage, exit_code, output))


def outcomes_text(store: Store) -> str:
    """Return the reviewers' record over all outcomes of a store."""
    from reviewers.exports.outcomes_page import outcomes_page
    from reviewers.outcomes.scoreboard import added_scores
    from reviewers.store.outcomes import foresights

    return outcomes_page(added_scores((each.links, each.told) for each in foresights(store)))


def _attach(store: Store, named: str, stage: Stage, exit_code: int, output: str) -> int:
    from reviewers.cli.import_sources import kept_submission
    from reviewers.store.outcomes import add_outcome, linked_outcomes
    from reviewers.store.submission import load_submission

    if not -(2**31) < exit_code < 2**31:
        raise BundleError("--exit-code", f"{exit_code} is not an exit code")
    record = load_submission(store, kept_submission(store, named))
    made, _ = outcome_of_run(record.submission, output, exit_code, stage, store.now())
    is_new = add_outcome(store, made)
    (shown,) = (
        each
        for each in linked_outcomes(store, record.submission.id)
        if (each.outcome.digest, each.outcome.stage, each.outcome.source)
        == (made.digest, made.stage, made.source)
    )
    typer.echo("\n".join(_told(record, shown.outcome, shown.link, is_new)))
    return OK


def _told(
    record: SubmissionRecord, outcome: Outcome, link: LinkedFailure | None, is_new: bool
) -> Iterator[str]:
    ended = "failed" if outcome.failed else "ran"
    known = "" if is_new else "  (already known)"
    yield printable(
        f"{record.submission.name}: {ended} in the {outcome.stage} run, exit code"
        f" {outcome.exit_code}{known}"
    )
    if link is None:
        if outcome.failed:
            yield "  its output contains no error; pass it with --stderr or --stdout"
        return
    said = next(iter((outcome.message or "").strip().splitlines()), "")
    place = str(outcome.spans[0]) if outcome.spans else "(no place in the submission)"
    yield printable(f"  {outcome.error}: {said}" if said else f"  {outcome.error}")
    yield printable(f"  {place}  {outcome.category}")
    found = {
        (stored.review.reviewer, each.id): each
        for stored in record.reviews
        for each in stored.review.findings
    }
    for reviewer, ids in link.findings.items():
        fate = link.fate(reviewer)
        yield printable(
            f"  {reviewer}: {'not predictable' if fate is Fate.NOT_REACHABLE else fate}"
        )
        for id in ids[:_MOST_SHOWN]:
            yield printable(f"    {_short(found[reviewer, id])}")
        if len(ids) > _MOST_SHOWN:
            yield f"    and {len(ids) - _MOST_SHOWN} more"


def _short(finding: Finding) -> str:
    words = " ".join((finding.claim or finding.message).split())
    shortened = words if len(words) <= _LONGEST else f"{words[:_LONGEST]} …"
    return "  ".join(
        filter(
            None,
            [
                str(finding.span) if finding.span else "",
                finding.rule or finding.category,
                shortened,
            ],
        )
    )


def _end_of(path: str) -> str:
    try:
        with open(path, "rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - _MOST_READ))
            return stream.read(_MOST_READ).decode("utf-8", "replace")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise BundleError(path, f"the output cannot be read: {reason}") from None
