"""`areachair lineage`: lists attempts at one experiment and corrects which submissions belong
together; also prints the result of importing a git history.
"""

import re
from collections.abc import Iterator
from contextlib import closing
from typing import Annotated

import typer

from reviewers import settings
from reviewers.attempts.lineages import OrderBy
from reviewers.batch.bundles import UNKNOWN_ORIGIN, Origin
from reviewers.cli.authors import acting
from reviewers.cli.options import StoreUrl
from reviewers.cli.printing import complain_of_some, progress
from reviewers.errors import AreachairError, BundleError, StoreError, printable
from reviewers.store import Store
from reviewers.store.lineages import LineageAttempt, LineageRecord, lineage_of, relate
from reviewers.store.triage import ReviewChip

_ORDER = {
    OrderBy.NAMES: "ordered by name",
    OrderBy.SOURCE: "ordered by source",
    OrderBy.CONTENT: "ordered by their code",
    OrderBy.GUESS: "the order is a guess",
}


def command(
    submission: Annotated[str, typer.Argument(help="Id prefix of a submission in the store.")],
    join: Annotated[
        str | None,
        typer.Option(metavar="OTHER", help="Record that OTHER belongs to the same experiment."),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(metavar="OTHER", help="Record that OTHER belongs to another experiment."),
    ] = None,
    reason: Annotated[str, typer.Option(help="Reason for joining or splitting.")] = "",
    store: StoreUrl = None,
) -> None:
    """List all attempts at a submission's experiment with their verdicts; --join and --split
    overrule the recognised lineage.
    """
    with closing(Store.open(store or settings.store_url())) as opened:
        if join is not None and split is not None:
            raise StoreError("--join and --split exclude each other; use one command for each")
        if other := join or split:
            relate(opened, submission, other, join is not None, reason, acting())
        typer.echo("\n".join(_told(lineage_of(opened, submission))))


def histories_among(paths: list[str], wanted: bool) -> list[str]:
    """Return which paths are to be read as histories.

    Raises:
        AreachairError: histories are wanted, and no path is a repository.
    """
    from reviewers.batch.histories import is_history

    found = [path for path in paths if is_history(path, wanted)]
    if wanted and not found:
        raise AreachairError("--history needs a git repository; name the folder that contains .git")
    return found


def import_histories(
    store: Store,
    paths: list[str],
    pattern: str | None,
    origin: Origin = UNKNOWN_ORIGIN,
    jobs: int | None = None,
    fresh: bool = False,
) -> list[str]:
    """Keep histories and print a line for each; return the problems."""
    from reviewers.batch.histories import import_history
    from reviewers.bundles.history import FIX

    try:
        fix = FIX if pattern is None else re.compile(pattern)
    except re.error as error:
        raise AreachairError(f"--fix-pattern is not a regular expression: {error}") from None
    problems: list[str] = []
    for path in paths:
        try:
            found = import_history(store, path, fix, progress, origin, jobs, fresh)
        except BundleError as error:
            problems.append(str(error))
            continue
        typer.echo(
            printable(
                f"{path}: {_count(found.attempts, 'attempt')}, {found.new_attempts} new or changed;"
                f" {_count(found.fixes, 'fix', 'fixes')}, {found.new_fixes} new"
            )
        )
        complain_of_some(found.skipped, f"{path}: skipped ")
        complain_of_some(found.remarks)
        problems += found.problems
    return problems


def _told(record: LineageRecord) -> Iterator[str]:
    count = len({attempt.number for attempt in record.attempts} - {0})
    order = f", {_ORDER[record.order_by]}" if count > 1 else ""
    yield printable(f"{record.name or 'no name'}: {_count(count, 'attempt')}{order}")
    width = max(len(str(attempt.number)) for attempt in record.attempts)
    for attempt in record.attempts:
        yield printable(f"  {attempt.number:{width}}  " + "  ".join(_words(attempt)))
    for said in record.relations:
        verb = "joined with" if said.together else "split from"
        yield printable(f"  {said.one[:8]} {verb} {said.other[:8]} by {said.author}: {said.reason}")


def _words(attempt: LineageAttempt) -> Iterator[str]:
    yield attempt.id[:8]
    yield attempt.name
    if (known := attempt.generated) is not None:
        yield f"{'≈ ' if known.by.is_guess else ''}{known.at:%Y-%m-%d}"
    yield from map(_verdict, attempt.chips)
    if attempt.decision is not None:
        yield f"decided {attempt.decision.replace('_', ' ')}"
    yield from (f"commit {commit.commit[:10]}" for commit in attempt.commits[:1])


def _verdict(chip: ReviewChip) -> str:
    verdict = "failed" if chip.verdict is None else chip.verdict.replace("_", " ")
    return f"{chip.reviewer}: {verdict} ✓{chip.confirmed} ✗{chip.refuted} ?{chip.unverified}"


def _count(number: int, noun: str, several: str | None = None) -> str:
    return f"{number} {noun if number == 1 else several or noun + 's'}"


def survival_text(store: Store) -> str:
    """Return how many attempts the categories of defects survive, over all lineages of a store."""
    from reviewers.exports.survival_page import survival_page
    from reviewers.store.survivals import survivals

    return survival_page(survivals(store))
