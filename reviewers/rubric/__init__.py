"""The criteria and the failure categories: those that ship with areachair, and a user's own wording
of them.
"""

import tomllib
from functools import cache
from importlib import resources
from pathlib import Path

from reviewers import settings
from reviewers.rubric.built_in import built_in
from reviewers.rubric.own import read_rubric
from reviewers.rubric.records import Category, Criterion, Rubric

__all__ = ["UNCATEGORISED", "Category", "Criterion", "Rubric", "rubric", "shipped_rubric"]

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
        RubricError: that file cannot be read, or makes no sense.
    """
    path = settings.rubric_file()
    return shipped_rubric() if path is None else _own(path)


@cache
def _own(path: Path) -> Rubric:
    return read_rubric(path, shipped_rubric())
