"""A user's own rubric: a TOML file that rewords or extends the built-in one."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reviewers.errors import RubricError, printable
from reviewers.rubric.records import Category, Criterion, Rubric
from reviewers.toml_text import TomlProblem, read_toml

_LARGEST_BYTES = 200_000
_HIGHEST = 99
_LONGEST = 4_000
_SHOWN = 60
_WORDS = ("title", "question", "facts")


def read_rubric(path: Path, shipped: Rubric) -> Rubric:
    """Return the shipped rubric as the file changes it.

    A `[[criterion]]` of a known number replaces the words that it gives; one of a new number (to
    99) is added and needs all of them. A category of a known id may be called otherwise; a new one
    is added. Nothing can be taken away, since rules and what is stored refer to it.

    Raises:
        RubricError: the file cannot be read or is invalid; the text says why.
    """
    try:
        return _changed(read_toml(path, _LARGEST_BYTES), shipped)
    except OSError as error:
        problem = f"{error.strerror or error}; AREACHAIR_RUBRIC must name a TOML file"
    except (TomlProblem, _Senseless) as error:
        problem = str(error)
    raise RubricError(printable(f"{path}: {problem}"))


class _Senseless(Exception):
    """The file is invalid; the text says why, without the path."""


def _changed(data: Mapping[str, Any], shipped: Rubric) -> Rubric:
    _refuse_others(data, {"version", "criterion", "categories"}, "the file")
    version, rows, named = (
        data.get("version", shipped.version),
        data.get("criterion", []),
        data.get("categories", {}),
    )
    if type(version) is not int:
        raise _Senseless("version must be a whole number")
    if not isinstance(rows, list):
        raise _Senseless("criteria must be written as [[criterion]] tables")
    if not isinstance(named, dict):
        raise _Senseless("categories must be a table")
    criteria = dict(shipped.criteria)
    for row in rows:
        made = _criterion(row, criteria)
        criteria[made.number] = made
    categories = dict(shipped.categories)
    for id, row in named.items():
        categories[id] = _category(id, row, categories.get(id), criteria)
    return Rubric(version, dict(sorted(criteria.items())), categories)


def _criterion(row: Any, known: Mapping[int, Criterion]) -> Criterion:
    number = row.get("number") if isinstance(row, dict) else None
    if type(number) is not int or not 1 <= number <= _HIGHEST:
        raise _Senseless(f"each [[criterion]] needs a number of 1 to {_HIGHEST}")
    where = f"criterion {number}"
    _refuse_others(row, {"number", *_WORDS}, where)
    before = known.get(number)
    words = {name: _text(row[name], f"{where}: {name}") for name in _WORDS if name in row}
    if before is None and (absent := [name for name in _WORDS if name not in words]):
        raise _Senseless(f"{where} is new and needs a {absent[0]}")
    kept = {} if before is None else {name: getattr(before, name) for name in _WORDS}
    return Criterion(number=number, **{**kept, **words})


def _category(
    id: str, row: Any, before: Category | None, criteria: Mapping[int, Criterion]
) -> Category:
    where = f"category {id[:_SHOWN]!r}"
    if not isinstance(row, dict):
        raise _Senseless(f'{where} must be a table such as {{ title = "…" }}')
    _refuse_others(row, {"title", "criteria"}, where)
    if before is None and "title" not in row:
        raise _Senseless(f"{where} is new and needs a title")
    under = row.get("criteria", list(before.criteria) if before else [])
    if not isinstance(under, list) or not all(
        type(number) is int and number in criteria for number in under
    ):
        raise _Senseless(f"{where}: criteria must be a list of numbers of the rubric")
    title = (
        _text(row["title"], f"{where}: title") if "title" in row else before.title if before else id
    )
    return Category(id, title, tuple(under))


def _refuse_others(table: Mapping[str, Any], known: set[str], where: str) -> None:
    if others := sorted(set(table) - known):
        raise _Senseless(f"{where} has no {others[0][:_SHOWN]!r}, only {', '.join(sorted(known))}")


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST:
        raise _Senseless(f"{where} must be a text of 1 to {_LONGEST:,} characters")
    return " ".join(value.split())
