"""The records of a rubric."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Criterion:
    """One question of the rubric; `number` counts from 1, and `facts` states what a submission is
    measured by.
    """

    number: int
    title: str
    question: str
    facts: str


@dataclass(frozen=True, slots=True)
class Category:
    """One kind of failure, stable over rubric versions; `criteria` are the questions under which it
    can fall.
    """

    id: str
    title: str
    criteria: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rubric:
    """Criteria by number and categories by id, both in the order of the file."""

    version: int
    criteria: Mapping[int, Criterion]
    categories: Mapping[str, Category]
