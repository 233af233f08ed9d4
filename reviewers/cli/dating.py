"""`--date` and `areachair date`: when submissions were generated, as stated by a person."""

from collections.abc import Collection
from contextlib import closing
from datetime import datetime
from typing import Annotated

import typer

from reviewers import settings
from reviewers.bundles.dating import disbelief
from reviewers.cli.options import StoreUrl
from reviewers.cli.origin import parsed_date
from reviewers.cli.printing import complain_of_kept
from reviewers.errors import AreachairError, printable
from reviewers.exports.wording import date_words
from reviewers.store import Store
from reviewers.store.dating import date_submission, dates_of
from reviewers.store.submission import find_submission

_MIDNIGHT = "T00:00:00+00:00"


def complain_of_other_dates(store: Store, ids: Collection[str], date: datetime | None) -> None:
    """Say which submissions were known with another date than the one given, and how to change
    it.
    """
    if date is None:
        return
    kept = dates_of(store, ids)
    others = [id for id, known in kept.items() if known is not None and known.at != date]
    day = date.isoformat().removesuffix(_MIDNIGHT)
    complain_of_kept(others, "known with another date", f"areachair date {{}} --set {day}")


def command(
    submissions: Annotated[
        list[str],
        typer.Argument(metavar="SUBMISSION", help="Id prefixes of submissions in the store."),
    ],
    given: Annotated[
        str | None,
        typer.Option("--set", metavar="DATE", help="Record this date."),
    ] = None,
    store: StoreUrl = None,
) -> None:
    """Show when submissions were generated and how that is known; --set changes it."""
    with closing(Store.open(store or settings.store_url())) as opened:
        ids = [find_submission(opened, each) for each in submissions]
        if given is not None:
            at = parsed_date("--set", given)
            if why := disbelief(at):
                raise AreachairError(f"--set {given} is {why}; nothing is changed")
            for id in ids:
                date_submission(opened, id, at)
        dates = dates_of(opened, ids)
        for id in ids:
            typer.echo(printable(f"{id[:8]}  {date_words(dates[id])}"))
