"""`areachair contracts`, `areachair contract` and `--contract`: what submissions are judged by."""

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Annotated

import typer

from reviewers import settings
from reviewers.batch.judging import judge_by
from reviewers.cli.authors import acting
from reviewers.cli.printing import complain
from reviewers.errors import printable
from reviewers.rubric.built_in import built_in, contract_text, open_contract, parse_contract
from reviewers.rubric.choice import contract_of
from reviewers.store import Store
from reviewers.store.contracts import contracts_of
from reviewers.store.submission import find_submission

_MOST_NAMED = 5
ContractName = Annotated[
    str | None,
    typer.Option(
        "--contract",
        metavar="NAME|FILE",
        help="What their pipeline asks: one of `areachair contracts`, or a TOML file.",
    ),
]


def contracts_text(name: str | None) -> str:
    """Return the TOML of a contract, or a line for each that ships with areachair.

    Raises:
        ContractError: none has this name.
    """
    if name is not None:
        return contract_text(name)
    width = max(map(len, built_in()))
    return "".join(
        f"{name:{width}}  {contract.title}{', provisional' if contract.provisional else ''}\n"
        for name, contract in built_in().items()
    )


def stated_contract(given: str | None) -> str | None:
    """Return the TOML of the contract that was named.

    Raises:
        ContractError: there is none, or it makes no sense.
    """
    if given is None:
        return None
    open_contract(given)
    return f'extends = "{given}"\n' if given in built_in() else Path(given).read_text("utf-8-sig")


def complain_of_other_contracts(store: Store, ids: Collection[str], text: str | None) -> None:
    """Say which submissions were known already, judged by another contract than the one given, and
    how to change it.
    """
    if text is None:
        return
    wanted = parse_contract(text)
    kept = contracts_of(store, ids)
    others = [id[:8] for id, known in kept.items() if contract_of(known).contract != wanted]
    if others:
        named = " ".join(others[:_MOST_NAMED]) + (" …" if len(others) > _MOST_NAMED else "")
        are = "1 submission is" if len(others) == 1 else f"{len(others)} submissions are"
        complain(
            [
                f"{are} known already, judged by another contract, which stays; to change it:"
                f" areachair contract {named} --set {wanted.name}"
            ]
        )


def register_contracts(
    app: typer.Typer, one_line_errors: Callable[[], AbstractContextManager[None]]
) -> None:
    """Add the commands to the command line."""

    @app.command()
    def contracts(
        name: Annotated[
            str | None, typer.Argument(help="A contract, to be printed as TOML.")
        ] = None,
    ) -> None:
        """List what pipelines ask of their submissions, as far as areachair knows, or print one."""
        with one_line_errors():
            typer.echo(contracts_text(name), nl=False)

    @app.command()
    def contract(
        submissions: Annotated[
            list[str], typer.Argument(metavar="SUBMISSION", help="Beginnings of ids in the store.")
        ],
        given: Annotated[
            str | None,
            typer.Option(
                "--set", metavar="NAME|FILE", help="Judge them by this contract from now on."
            ),
        ] = None,
        store: Annotated[
            str | None, typer.Option("--store", help="SQLAlchemy URL of the store.")
        ] = None,
    ) -> None:
        """Say by which contract submissions are judged, and how that is known.

        --set changes it: rules and fact checks are made again; models are asked only on request.
        """
        with one_line_errors(), closing(Store.open(store or settings.store_url())) as opened:
            ids = [find_submission(opened, each) for each in submissions]
            if given is not None:
                text = stated_contract(given)
                for id in ids:
                    judge_by(opened, id, text, acting())
            kept = contracts_of(opened, ids)
            for id in ids:
                chosen = contract_of(kept[id])
                typer.echo(printable(f"{id[:8]}  {chosen.contract.name}  ({chosen.source})"))
