"""Under which category a finding is filed: what it says decides, once it is read."""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any

from reviewers.claims.defect_keys import statements_of
from reviewers.records import Finding


def filed(finding: Finding) -> Finding:
    """The finding under the category of what it says; as it is where that tells none."""
    category = category_of(finding)
    return finding if category is None else replace(finding, category=category)


def category_of(finding: Finding) -> str | None:
    """The category of the first statement of a finding that has one; None where none has."""
    found = map(_category, statements_of(finding.proposition))
    return next((category for category in found if category is not None), None)


def _category(said: Mapping[str, Any]) -> str | None:
    while "p" not in said:
        inner = next((each for each in said.values() if isinstance(each, dict)), None)
        if inner is None:
            return None
        said = inner
    table = _tables()
    by = table["predicates"].get(str(said["p"]), "@file")
    match by:
        case "@error":
            return _of_error(str(said.get("error") or ""), table["errors"])
        case "@activity":
            activities = table["activities"]
            return activities.get(str(said.get("activity")), activities["*"])
        case "@file":
            return _of_file(said.get("scope"), table["files"])
    return by


def _of_error(error: str, errors: Mapping[str, str]) -> str | None:
    return errors.get(error.rpartition(".")[2], errors["*"]) if error else None


def _of_file(scope: object, patterns: Mapping[str, str]) -> str | None:
    file = scope.get("file") if isinstance(scope, dict) else scope
    path = str(file or "").partition("::")[0]
    return next((patterns[one] for one in patterns if fnmatchcase(path, one)), None)


@cache
def _tables() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads((files(__package__) / "categories.toml").read_text("utf-8"))
