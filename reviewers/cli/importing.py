"""`areachair import`: stores submissions with their reviews, and the results of other tools and
stores.
"""

from contextlib import closing
from typing import Annotated

import typer

from reviewers import settings
from reviewers.batch import Origin, Unread, useful_jobs
from reviewers.batch.bundles import UNKNOWN_ORIGIN
from reviewers.batch.importing import import_bundles
from reviewers.bundles import bundle_paths
from reviewers.cli.contracts import complain_of_other_contracts
from reviewers.cli.dating import complain_of_other_dates
from reviewers.cli.import_sources import import_exports, import_sarif, told_apart
from reviewers.cli.lineages import histories_among, import_histories
from reviewers.cli.options import ContractName, Date, Generator, Jobs, Paths, StoreUrl
from reviewers.cli.origin import stated_origin
from reviewers.cli.printing import OK, UNUSABLE, complain, complain_of_some, progress
from reviewers.errors import AreachairError
from reviewers.records import remarks_on
from reviewers.store import Store


def command(
    paths: Paths,
    store: StoreUrl = None,
    submission: Annotated[
        str | None,
        typer.Option(
            help=(
                "Submission of the SARIF files: an id prefix or a bundle.  [default: found by"
                " files]"
            )
        ),
    ] = None,
    history: Annotated[
        bool,
        typer.Option(
            "--history",
            help="Import git work trees as histories; bare repositories always are.",
        ),
    ] = False,
    fix_pattern: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX",
            help=(
                "Regular expression for the first line of fix commits.  [default: [CI]"
                " Automated fix and similar]"
            ),
        ),
    ] = None,
    generator: Generator = None,
    date: Date = None,
    contract: ContractName = None,
    jobs: Jobs = None,
    fresh: Annotated[
        bool,
        typer.Option(
            "--fresh", help="Review again even if this areachair version has reviewed it."
        ),
    ] = False,
) -> None:
    """Store submissions with their recorded and static reviews; import SARIF files and exports
    of other stores.

    Every attempt in a git repository is stored, and its fixes become outcomes of accepted
    attempts.

    Importing again changes nothing and is fast: the same version of areachair does not repeat a
    review.
    """
    with closing(Store.open(store or settings.store_url())) as opened:
        found = histories_among(paths, history)
        rest = [path for path in paths if path not in found]
        origin = stated_origin(generator, date, contract)
        if found and origin.date is not None:
            raise AreachairError(
                "--date is for bundles; a history takes its dates from its commits"
            )
        problems = import_histories(opened, found, fix_pattern, origin, jobs, fresh)
        complain(problems)
        code = import_all(opened, rest, submission, origin, jobs, fresh) if rest else OK
        raise typer.Exit(UNUSABLE if problems else code)


def import_all(
    store: Store,
    paths: list[str],
    about: str | None = None,
    origin: Origin = UNKNOWN_ORIGIN,
    jobs: int | None = None,
    fresh: bool = False,
) -> int:
    """Keep what is named, tell what was new, and return the exit code.

    Args:
        about: the submission that SARIF files are about, if they do not say so themselves.

    Raises:
        AreachairError: nothing could be begun.
    """
    apart = told_apart(paths)
    problems = import_exports(store, apart.exports)
    if apart.bundles:
        read, new, unread = keep_bundles(store, list(apart.bundles), origin, jobs, fresh)
        typer.echo(
            f"{read} {'submission' if read == 1 else 'submissions'} read: {new} new or changed,"
            f" {read - new} already known"
        )
        problems += unread
    problems += import_sarif(
        store, apart.sarif, about
    )  # last, since they may be about what came before
    complain(problems)
    return UNUSABLE if problems else OK


def keep_bundles(
    store: Store,
    paths: list[str],
    origin: Origin = UNKNOWN_ORIGIN,
    jobs: int | None = None,
    fresh: bool = False,
) -> tuple[int, int, list[str]]:
    """Keep bundles; return how many were read, how many of them were new, and the problems."""
    read = new = 0
    problems: list[str] = []
    remarks: list[str] = []
    ids: list[str] = []
    found = bundle_paths(paths)
    with progress(found) as shown:
        work = jobs or useful_jobs(len(found))
        for item, was_new in import_bundles(store, shown, origin, work, fresh):
            if not isinstance(item, Unread):
                read += 1
                ids.append(item.submission.id)
                remarks.extend(remarks_on(item.submission))
            new += was_new
            problems.extend(item.failures)
    complain_of_some(remarks)
    complain_of_other_dates(store, ids, origin.date)
    complain_of_other_contracts(store, ids, origin.contract)
    return read, new, problems
