"""Chooses the contract of a submission, and records where the choice comes from."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from reviewers.errors import ContractError
from reviewers.records import ContractSource, GivenContract, SourceFile, Submission
from reviewers.rubric.built_in import PLAIN, built_in, parse_contract
from reviewers.rubric.contract import Contract
from reviewers.rubric.reading import read_prompt

_ENOUGH = 0.8  # of the files that a contract expects
_SPOKEN = (".py", ".yaml", ".yml")
_CODE = re.compile(r"^(?:def|class|import|from|async|if)\s", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The contract by which a submission is judged.

    Attributes:
        problem: why a contract that came with the submission does not count; empty if it does
            or none came.
    """

    contract: Contract
    source: ContractSource
    problem: str = ""


def contract_of(submission: Submission) -> Chosen:
    """Return the contract by which a submission is judged.

    What a person chose comes first, then what the command line named, the prompt of the log, an
    `areachair.toml` beside the code, and last what files and code look like.
    """
    given, criteria = submission.contract, submission.context.criteria
    if given is not None and given.source is not ContractSource.FILE:
        return _given(given, submission)
    if criteria is not None and (read := _read(criteria)) is not None:
        return Chosen(read, ContractSource.PROMPT)
    if given is not None:
        return _given(given, submission)
    return Chosen(_guess(submission), ContractSource.GUESS)


def _given(given: GivenContract, submission: Submission) -> Chosen:
    try:
        return Chosen(_parsed(given.text), given.source)
    except ContractError as error:
        return Chosen(_guess(submission), ContractSource.GUESS, str(error))


@lru_cache(256)
def _parsed(text: str) -> Contract:
    return parse_contract(text)


@lru_cache(256)
def _read(criteria: str) -> Contract | None:
    return read_prompt(criteria)


def _guess(submission: Submission) -> Contract:
    """The contract whose files are there, of those the one whose modes the code mentions."""
    paths = submission.by_path
    texts = [file.text for path, file in paths.items() if path.endswith(_SPOKEN)]
    fitting = [each for each in built_in().values() if _fits(each, paths)]
    return max(fitting, key=lambda each: _likeness(each, paths, texts), default=built_in()[PLAIN])


def _fits(contract: Contract, paths: Mapping[str, object]) -> bool:
    expected = contract.files.expected
    return (
        bool(expected)
        and not contract.files.from_base
        and sum(path in paths for path in expected) >= _ENOUGH * len(expected)
    )


def _likeness(
    contract: Contract, paths: Mapping[str, SourceFile], texts: Iterable[str]
) -> tuple[int, bool, bool, int, int]:
    modes = {name: mode.word for name, mode in contract.modes.items() if mode.word}
    signs = {
        *(rf"\b{re.escape(_key(word))}\b" for word in modes.values()),
        *(
            rf"""["']{re.escape(name)}["']"""
            for name, word in modes.items()
            if word.endswith(f"={name}")
        ),
    }
    spoken = sum(any(re.search(sign, text) for text in texts) for sign in signs)
    folder = contract.runs.folder
    has_runs = folder is not None and any(path.startswith(f"{folder}/") for path in paths)
    script = paths.get(contract.experiment.file) if contract.experiment else None
    works = script is not None and _CODE.search(script.text) is not None
    return (
        max(0, spoken - (len(signs) - spoken)),
        works,
        has_runs,
        -contract.provisional,
        -len(modes),
    )


def _key(word: str) -> str:
    return word.lstrip("-").partition("=")[0].replace("-", "_")
