"""What `areachair contracts` prints."""

from reviewers.rubric.built_in import built_in, contract_text


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
