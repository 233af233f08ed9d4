"""The contracts that ship with areachair, and those in a user's own file."""

import os
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from reviewers.errors import ContractError, printable
from reviewers.rubric.contract import MOST_BYTES, Contract, merged, read_contract
from reviewers.toml_text import TomlProblem, parse_toml, read_toml

PLAIN = "plain"
_EXTENDS = "extends"


@cache
def built_in() -> Mapping[str, Contract]:
    """Return the contracts that ship with areachair by name."""
    return {name: read_contract(_whole(tables)) for name, tables in _tables().items()}


def contract_text(name: str) -> str:
    """Return the TOML of a contract that ships with areachair.

    Raises:
        ContractError: none has this name; the text names those there are.
    """
    if name not in built_in():
        raise ContractError(
            f"there is no contract {printable(name)[:60]!r}; give one of"
            f" {', '.join(sorted(built_in()))}, or a TOML file"
        )
    text: str = _folder().joinpath(f"{name}.toml").read_text("utf-8")
    return text


def open_contract(given: str) -> Contract:
    """Return a contract by the name of one that ships with areachair, or by the path of a file.

    Raises:
        ContractError: there is none, or the file is invalid; the text names file and key.
    """
    if given in built_in():
        return built_in()[given]
    path = Path(given)
    if path.suffix != ".toml" and os.sep not in given:
        contract_text(given)
    try:
        return _made(read_toml(path, MOST_BYTES))
    except OSError as error:
        problem = f"{error.strerror or error}; name a TOML file"
    except (TomlProblem, ContractError) as error:
        problem = str(error)
    raise ContractError(printable(f"{path}: {problem}"))


def stated_contract(given: str) -> str:
    """Return the TOML that is kept of a contract that is named as `open_contract` takes it.

    Raises:
        ContractError: there is none, or it is invalid.
    """
    open_contract(given)
    return f'extends = "{given}"\n' if given in built_in() else Path(given).read_text("utf-8-sig")


def parse_contract(text: str) -> Contract:
    """Return the contract that a TOML text says.

    Raises:
        ContractError: it is invalid; the text names the key.
    """
    if len(text.encode()) > MOST_BYTES:
        raise ContractError(f"larger than {MOST_BYTES:,} bytes; contracts are smaller")
    try:
        return _made(parse_toml(text))
    except TomlProblem as problem:
        raise ContractError(f"not valid TOML: {problem}") from None


def _made(tables: Mapping[str, Any]) -> Contract:
    return read_contract(_whole(tables))


def _whole(tables: Mapping[str, Any]) -> Mapping[str, Any]:
    """The tables with those of the contract that they extend beneath them."""
    own = {key: value for key, value in tables.items() if key != _EXTENDS}
    base = tables.get(_EXTENDS)
    if base is None:
        return own
    if not isinstance(base, str) or base not in _tables():
        raise ContractError(
            f"{_EXTENDS}: it must name one of {', '.join(sorted(_tables()))}, on which this builds"
        )
    return merged(_whole(_tables()[base]), own)


@cache
def _tables() -> Mapping[str, Mapping[str, Any]]:
    files = sorted(_folder().iterdir(), key=lambda file: file.name)
    read = [tomllib.loads(file.read_text("utf-8")) for file in files if file.name.endswith(".toml")]
    return {tables["name"]: tables for tables in read}


def _folder() -> Any:
    return resources.files(__package__).joinpath("contracts")
