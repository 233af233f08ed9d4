"""`areachair contract`: shows by which contract submissions are judged, and changes it."""

from contextlib import closing
from typing import Annotated

import typer

from reviewers import settings
from reviewers.batch.judging import judge_by
from reviewers.cli.authors import acting
from reviewers.cli.options import StoreUrl
from reviewers.errors import printable
from reviewers.rubric.built_in import stated_contract
from reviewers.rubric.choice import contract_of
from reviewers.store import Store
from reviewers.store.contracts import contracts_of
from reviewers.store.submission import find_submission


def command(
    submissions: Annotated[
        list[str],
        typer.Argument(metavar="SUBMISSION", help="Id prefixes of submissions in the store."),
    ],
    given: Annotated[
        str | None,
        typer.Option("--set", metavar="NAME|FILE", help="Use this contract from now on."),
    ] = None,
    store: StoreUrl = None,
) -> None:
    """Show the contract of submissions and its source.

    --set changes it: rules and fact checks run again; models are asked only on request.
    """
    with closing(Store.open(store or settings.store_url())) as opened:
        ids = [find_submission(opened, each) for each in submissions]
        if given is not None:
            text = stated_contract(given)
            for id in ids:
                judge_by(opened, id, text, acting())
        kept = contracts_of(opened, ids)
        for id in ids:
            chosen = contract_of(kept[id])
            typer.echo(printable(f"{id[:8]}  {chosen.contract.name}  ({chosen.source})"))
