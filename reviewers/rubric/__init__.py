"""The criteria and the failure categories: those that ship with areachair, and a user's own wording
of them.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path

from reviewers import settings
from reviewers.rubric.built_in import built_in
from reviewers.rubric.contract import Contract
from reviewers.rubric.records import Category, Criterion, Rubric
from reviewers.rubric.user_rubric import read_rubric

__all__ = [
    "UNCATEGORISED", "Category", "Criterion", "Rubric", "category_title", "criteria_of", "rubric",
    "rubric_number", "shipped_rubric",
]  # fmt: skip

NINE = "nine-modes"
UNCATEGORISED = "uncategorised"


@cache
def shipped_rubric() -> Rubric:
    """Return the nine criteria and the categories that ship with areachair.

    The criteria are those of the contract on which rules and categories were built.
    """
    data = tomllib.loads(resources.files(__package__).joinpath("rubric.toml").read_text("utf-8"))
    return Rubric(
        version=data["version"],
        criteria={
            number: Criterion(number, asked.title, asked.question, asked.facts)
            for number, asked in built_in()[NINE].criteria.items()
        },
        categories={
            id: Category(id, row["title"], tuple(row["criteria"]))
            for id, row in data["categories"].items()
        },
    )


def rubric() -> Rubric:
    """Return the rubric that counts: the shipped one, as the file named by `AREACHAIR_RUBRIC`
    changes it.

    Raises:
        RubricError: that file cannot be read, or is invalid.
    """
    path = settings.rubric_file()
    return shipped_rubric() if path is None else _own(path)


@cache
def _own(path: Path) -> Rubric:
    return read_rubric(path, shipped_rubric())


def category_title(category: str) -> str:
    """Return the rubric's title of a category; a category of an older or foreign rubric is its own
    title.
    """
    known = rubric().categories.get(category)
    return known.title if known else category


def criteria_of(contract: Contract) -> Mapping[int, Criterion]:
    """Return the criteria of a contract by number, in the words of the file that
    `AREACHAIR_RUBRIC` names where it words them again, with those that it adds.
    """
    shipped, ours = shipped_rubric().criteria, rubric().criteria
    found: dict[int, Criterion] = {}
    for number, asked in contract.criteria.items():
        own = ours.get(asked.like) if asked.like else None
        if own is not None and own != shipped.get(own.number):
            found[number] = replace(own, number=number)
        else:
            found[number] = Criterion(number, asked.title, asked.question, asked.facts)
    for number, added in ours.items():
        if number not in shipped:
            found.setdefault(number, added)
    return found


def rubric_number(contract: Contract, number: int) -> int | None:
    """Return the number in the rubric of a contract's criterion; None if the rubric does not ask
    for the same.
    """
    asked = contract.criteria.get(number)
    return asked.like if asked else number if number in rubric().criteria else None
