"""What Poetry writes of a dependency, as PEP 508 and 440 write it."""

import re
from collections.abc import Mapping

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import InvalidVersion, Version

from reviewers.repairs.edits import CannotEdit

_CONSTRAINT = re.compile(r"(\^|~=|~|===|==|>=|<=|!=|>|<|)\s*([^\s,^~=<>!]+)")


def requirement(name: str, version: object) -> str | None:
    """A PEP 508 requirement for an entry of a table of dependencies as Poetry writes it; None for
    Python itself.

    Raises:
        CannotEdit: no requirement says the same.
    """
    if name == "python":
        return None
    extras, url = "", ""
    markers: list[str] = []
    if isinstance(version, Mapping):
        if named := version.get("extras"):
            extras = f"[{','.join(map(str, named))}]"
        if "markers" in version:
            markers.append(str(version["markers"]))
        if isinstance(python := version.get("python"), str):
            markers += [
                f'python_version {sign} "{number}"'
                for each in specifiers(python)
                for sign, number in [_signed(each)]
            ]
        if isinstance(platform := version.get("platform"), str):
            markers.append(f'sys_platform == "{platform}"')
        url = f" @ git+{version['git']}" if "git" in version else ""
        url = f" @ {version['url']}" if "url" in version else url
        revision = next((version[key] for key in ("rev", "tag", "branch") if key in version), "")
        url += f"@{revision}" if url and revision else ""
        if "path" in version:
            raise CannotEdit(f"{name} lies in a folder")
        version = version.get("version", "*")
    if not isinstance(version, str):
        raise CannotEdit(f"{name} has a version of an unknown form")
    marker = " and ".join(f"({each})" if " or " in each else each for each in markers)
    made = f"{name}{extras}{url or ','.join(specifiers(version))}{f' ; {marker}' if marker else ''}"
    if not is_requirement(made):
        raise CannotEdit(f"{made!r} is no requirement")
    return made


def specifiers(version: str) -> list[str]:
    """The PEP 440 specifiers for a version constraint of Poetry: `^2.1` becomes `>=2.1`. The upper
    bound of a caret is nobody's choice, and keeps old releases beside new ones that break them.
    """
    found: list[str] = []
    if "|" in version:
        raise CannotEdit(f"{version!r} gives a choice")
    for sign, number in _CONSTRAINT.findall(version):
        if number in ("*", "latest"):
            continue
        if sign == "^":
            found.append(f">={number}")
        elif sign == "~":
            found += [f">={number}", f"<{_next(number)}"]
        elif sign in (">=", ">", "<", "<=", "~="):
            found.append(f"{sign}{number.removesuffix('.*')}")
        else:
            found.append(f"{sign or '=='}{number}")
    return found


def _next(number: str) -> str:
    """The first version that a tilde leaves out."""
    try:
        release = list(Version(number.removesuffix(".*")).release)
    except InvalidVersion as error:
        raise CannotEdit(f"{number!r} is no version") from error
    at = min(1, len(release) - 1)
    return ".".join(map(str, [*release[:at], release[at] + 1]))


def _signed(specifier: str) -> tuple[str, str]:
    sign = re.match(r"[<>=!~]+", specifier)
    assert sign is not None
    return sign[0], specifier[sign.end() :]


def is_requirement(entry: str) -> bool:
    try:
        Requirement(entry)
    except InvalidRequirement:
        return False
    return True
