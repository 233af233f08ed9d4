"""`areachair contracts` lists the built-in contracts; `--contract` is parsed here too."""

from collections.abc import Collection
from typing import Annotated

import typer

from reviewers.cli.printing import complain_of_kept
from reviewers.rubric.built_in import built_in, contract_text, parse_contract
from reviewers.rubric.choice import contract_of
from reviewers.store import Store
from reviewers.store.contracts import contracts_of


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


def complain_of_other_contracts(store: Store, ids: Collection[str], text: str | None) -> None:
    """Say which submissions were known already, judged by another contract than the one given, and
    how to change it.
    """
    if text is None:
        return
    wanted = parse_contract(text)
    kept = contracts_of(store, ids)
    complain_of_kept(
        [id for id, known in kept.items() if contract_of(known).contract != wanted],
        "already known, judged by another contract",
        f"areachair contract {{}} --set {wanted.name}",
    )


def command(
    name: Annotated[
        str | None, typer.Argument(help="Name of the contract to print as TOML.")
    ] = None,
) -> None:
    """List the built-in contracts, or print one as TOML."""
    typer.echo(contracts_text(name), nl=False)
