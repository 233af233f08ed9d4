"""Whether two values are the same to a person: globs, case, and the signs between words."""

from fnmatch import fnmatchcase
from typing import TypeAlias

Value: TypeAlias = str | int | float | bool | None


def alike(found: Value, wanted: Value) -> bool:
    """Whether a value is the one that is meant: a text may be a glob, `|` parts alternatives, and
    case and the sign between words do not count.
    """
    if not isinstance(found, str) or not isinstance(wanted, str):
        return found == wanted and isinstance(found, bool) == isinstance(wanted, bool)
    return any(fnmatchcase(_plain(found), _plain(one)) for one in wanted.split("|"))


def _plain(value: str) -> str:
    return value.strip().lower().replace("-", "_").replace(" ", "_")
