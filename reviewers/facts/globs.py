"""Compares values as a person would: globs match, and case and word separators do not count."""

import re
from fnmatch import fnmatchcase
from typing import TypeAlias

Value: TypeAlias = str | int | float | bool | None
_QUOTED = re.compile(r"""\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*""")


def alike(found: Value, wanted: Value) -> bool:
    """Whether a value is the one that is meant: a text may be a glob, `|` parts alternatives, and
    case and the sign between words do not count. A text as Python writes it, in quotes, is
    the text inside them.
    """
    if not isinstance(found, str) or not isinstance(wanted, str):
        return found == wanted and isinstance(found, bool) == isinstance(wanted, bool)
    return written_as(found, wanted) or any(
        written_as(found, text[1] or text[2] or "")
        for one in (wanted, *wanted.split("|"))
        if (text := _QUOTED.fullmatch(one))
    )


def written_as(code: str, wanted: str) -> bool:
    """Whether code is the one that is meant, as `alike` has it, but with its quotes."""
    return any(
        fnmatchcase(_plain(code), _plain(one).replace("[", "[[]"))  # an item, no set of signs
        for one in dict.fromkeys((wanted, *wanted.split("|")))
    )


def _plain(value: str) -> str:
    return value.strip().lower().replace("-", "_").replace(" ", "_")
