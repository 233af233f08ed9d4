"""Under which category a claim is filed, and how bad that is: what it says decides, once it is
read; before that what it names.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Any

from reviewers.claims.locate import Named
from reviewers.propositions import PREDICATES
from reviewers.records import Finding, Severity, Span
from reviewers.rubric import UNCATEGORISED, rubric
from reviewers.statements import statements_of


def filed(finding: Finding) -> Finding:
    """The finding under the predicate that it says first, and under the category of the first that
    has one; as it is where it is not read.
    """
    said = [atom for each in statements_of(finding.proposition) if (atom := _atom(each))]
    if not said:
        return finding
    finding = replace(finding, kind=str(said[0]["p"]))
    category = next((found for atom in said if (found := _category(atom))), None)
    return finding if category is None else replace(finding, category=category)


def weighed(finding: Finding) -> Finding:
    """The claim of a reviewer who states neither, with the usual severity and criterion of its
    category.
    """
    category = finding.category
    return replace(finding, severity=severity_of(category), criterion=criterion_of(category))


def severity_of(category: str) -> Severity:
    """How bad a defect of a category is, where nobody says so."""
    usual = _tables()["severities"]
    return Severity(usual.get(category, usual["*"]))


def criterion_of(category: str) -> int | None:
    """The criterion of the rubric that speaks of a category first."""
    return next(iter(rubric().categories[category].criteria), None)


def category_named(said: Named, span: Span | None) -> str:
    """The category of a claim that nobody has read: of the first thing that it names and that tells
    one, else of the file in which it stands.
    """
    tables = _tables()
    for meanings in said.things:
        if "error" in meanings:
            return tables["errors"].get(meanings["error"], tables["errors"]["*"])
        if meanings.get("library") in tables["activities"]:
            return tables["activities"][meanings["library"]]
        if "key" in meanings:
            return "hydra-composition"
    return _of_file(span.file if span else "") or UNCATEGORISED


def _atom(said: Mapping[str, Any]) -> Mapping[str, Any] | None:
    while "p" not in said:
        held = (one if isinstance(one, list) else [one] for one in said.values())
        inner = next((each for each in chain(*held) if isinstance(each, dict)), None)
        if inner is None:
            return None
        said = inner
    return said


def _category(said: Mapping[str, Any]) -> str | None:
    predicate = PREDICATES.get(str(said["p"]))
    tables = _tables()
    match predicate.category if predicate else "by file":
        case "by error":
            error = str(said.get("error") or "").rpartition(".")[2]
            return tables["errors"].get(error, tables["errors"]["*"]) if error else None
        case "by activity":
            activities = tables["activities"]
            return activities.get(str(said.get("activity")), activities["*"])
        case "by file":
            scope = said.get("scope")
            file = scope.get("file") if isinstance(scope, dict) else scope
            return _of_file(str(file or "").partition("::")[0])
        case category:
            return category


def _of_file(path: str) -> str | None:
    patterns = _tables()["files"]
    return next((patterns[one] for one in patterns if fnmatchcase(path, one)), None)


@cache
def _tables() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads((files(__package__) / "categories.toml").read_text("utf-8"))
