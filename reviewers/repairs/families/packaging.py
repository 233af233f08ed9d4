"""Repairs of pyproject.toml: PEP 621, and what is not declared."""

import re
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, cast

import tomlkit
from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import InvalidVersion, Version
from tomlkit.exceptions import TOMLKitError

from reviewers.facts import Facts
from reviewers.records import Finding
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import CannotEdit, whole

_FILE = "pyproject.toml"
_PERSON = re.compile(r"\s*(?P<name>[^<>]*?)\s*(?:<(?P<email>[^<>\s]+)>)?\s*")
_Table = MutableMapping[str, Any]


@repairs("FS04", "FS06")
def pep_621(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Dependencies as an array of requirements under [project]."""
    if finding.span is None or finding.span.file != _FILE:
        return
    document = _document(facts)
    poetry = _table(_table(document, "tool"), "poetry")
    if "project" not in document:
        made = tomlkit.table()
        for key in ("name", "version", "description"):
            if isinstance(poetry.get(key), str):
                made[key] = poetry[key]
        document["project"] = made
    project = cast(_Table, document["project"])
    told = []
    listed = project.get("dependencies")
    declared = listed if isinstance(listed, dict) else {}
    if listed is None:
        declared = dict(_table(poetry, "dependencies"))
    if declared:
        wanted = [
            wish for name, version in declared.items() if (wish := requirement(name, version))
        ]
        python = declared.get("python")
        if isinstance(python, str) and "requires-python" not in project:
            project["requires-python"] = ",".join(specifiers(python)) or ">=3.10"
        if "dependencies" in project:
            del project["dependencies"]
        array = tomlkit.array()
        array.extend(wanted)
        # Behind the plain keys and before any table of [project], or it would belong to that.
        tables = {key: project.pop(key) for key in _tables_of(project)}
        project["dependencies"] = array.multiline(True)
        project.update(tables)
        told.append("dependencies as an array of requirements")
    for key in ("authors", "maintainers"):
        people = project.get(key)
        if isinstance(people, list) and any(isinstance(each, str) for each in people):
            project[key] = tomlkit.item([_person(each) for each in people])
            told.append(f"{key} as tables")
    if told:
        text = tomlkit.dumps(cast(Any, document))
        yield Proposal(f"Write {' and '.join(told)} under [project]", (whole(facts, _FILE, text),))


@repairs("FS07")
def declare_dependency(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The distribution that the finding names, at the end of the list."""
    name = next((each for each in finding.names if each and _is_distribution(each)), None)
    document = _document(facts)
    listed = _table(document, "project").get("dependencies")
    if name is not None and isinstance(listed, list):
        listed.append(name)
        text = tomlkit.dumps(cast(Any, document))
        yield Proposal(f"Declare {name} among the dependencies", (whole(facts, _FILE, text),))


def requirement(name: str, version: object) -> str | None:
    """A PEP 508 requirement for an entry of a table of dependencies as Poetry writes it; None for
    Python itself.

    Raises:
        CannotEdit: no requirement says the same.
    """
    if name == "python":
        return None
    extras, marker, url = "", "", ""
    if isinstance(version, Mapping):
        if named := version.get("extras"):
            extras = f"[{','.join(map(str, named))}]"
        marker = f" ; {version['markers']}" if "markers" in version else ""
        url = f" @ git+{version['git']}" if "git" in version else ""
        revision = next((version[key] for key in ("rev", "tag", "branch") if key in version), "")
        url += f"@{revision}" if url and revision else ""
        version = version.get("version", "*")
    if not isinstance(version, str):
        raise CannotEdit(f"{name} has a version of an unknown form")
    made = f"{name}{extras}{url or ','.join(specifiers(version))}{marker}"
    try:
        Requirement(made)
    except InvalidRequirement as error:
        raise CannotEdit(f"{made!r} is no requirement") from error
    return made


def specifiers(version: str) -> list[str]:
    """The PEP 440 specifiers for a version constraint of Poetry: `^2.1` is `>=2.1`, `<3`."""
    found: list[str] = []
    for part in (each.strip() for each in version.split(",")):
        if part in ("", "*", "latest"):
            continue
        sign, number = (part[0], part[1:].strip()) if part[0] in "^~" else ("", part)
        if part.startswith("~="):
            found.append(part)
        elif sign:
            found += [f">={number}", f"<{_next(number, sign)}"]
        elif part[0].isdigit():
            found.append(f"=={part}")
        else:
            found.append(part.replace(" ", ""))
    return found


def _next(number: str, sign: str) -> str:
    """The first version that a caret or tilde leaves out."""
    try:
        release = list(Version(number).release)
    except InvalidVersion as error:
        raise CannotEdit(f"{number!r} is no version") from error
    if sign == "~":
        at = min(1, len(release) - 1)
    else:
        at = next((n for n, each in enumerate(release) if each), len(release) - 1)
    return ".".join(map(str, [*release[:at], release[at] + 1]))


def _document(facts: Facts) -> _Table:
    try:
        return cast(_Table, tomlkit.parse(facts.text(_FILE) or ""))
    except TOMLKitError as error:
        raise CannotEdit(f"{_FILE} is no TOML") from error


def _table(within: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = within.get(key)
    return found if isinstance(found, Mapping) else {}


def _tables_of(project: _Table) -> list[str]:
    return [key for key, value in project.items() if isinstance(value, Mapping)]


def _person(told: object) -> object:
    found = _PERSON.fullmatch(told) if isinstance(told, str) else None
    if found is None:
        return told
    table = tomlkit.inline_table()
    table.update({key: value for key, value in found.groupdict().items() if value})
    return table


def _is_distribution(name: str) -> bool:
    return re.fullmatch(r"[A-Za-z0-9][\w.-]*", name) is not None
