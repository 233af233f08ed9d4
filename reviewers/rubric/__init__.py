"""The nine criteria and the failure categories, read from `rubric.toml`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

UNCATEGORISED = "uncategorised"


@dataclass(frozen=True, slots=True)
class Criterion:
    """One question of the rubric; `number` counts from 1, and `facts` say what a submission is held to."""

    number: int
    title: str
    question: str
    facts: str


@dataclass(frozen=True, slots=True)
class Category:
    """One kind of failure, stable over rubric versions; `criteria` are the questions under which it can fall."""

    id: str
    title: str
    criteria: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rubric:
    """Criteria by number and categories by id, both in the order of the file."""

    version: int
    criteria: Mapping[int, Criterion]
    categories: Mapping[str, Category]


@cache
def rubric() -> Rubric:
    """Return the rubric that ships with areachair."""
    data = tomllib.loads(resources.files(__package__).joinpath("rubric.toml").read_text("utf-8"))
    return Rubric(
        version=data["version"],
        criteria={row["number"]: Criterion(**row) for row in data["criterion"]},
        categories={id: Category(id, row["title"], tuple(row["criteria"])) for id, row in data["categories"].items()},
    )
