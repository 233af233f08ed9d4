"""Compares values as a person would: globs match, and case and word separators do not count."""

import re
from collections.abc import Callable
from fnmatch import translate
from functools import lru_cache
from typing import TypeAlias

Value: TypeAlias = str | int | float | bool | None
_ASIDE = re.compile(r"(?<=[^\s|])\|(?=[^\s|])")  # no `int | None`
_QUOTED = re.compile(r"""\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*""")


def alike(found: Value, wanted: Value) -> bool:
    """Whether a value is the one that is meant: a text may be a glob, `|` parts alternatives, and
    case and the sign between words do not count. A text as Python writes it, in quotes, is
    the text inside them.
    """
    if not isinstance(found, str) or not isinstance(wanted, str):
        return found == wanted and isinstance(found, bool) == isinstance(wanted, bool)
    plain = _plain(found)
    return any(match(plain) for match in _matches(wanted, bare=True))


def written_as(code: str, wanted: str) -> bool:
    """Whether code is the one that is meant, as `alike` has it, but with its quotes."""
    plain = _plain(code)
    return any(match(plain) for match in _matches(wanted))


@lru_cache(maxsize=8_192)
def _matches(wanted: str, *, bare: bool = False) -> tuple[Callable[[str], object], ...]:
    """What takes the plain texts that are meant; `bare`: the text inside quotes, too."""
    told = dict.fromkeys((wanted, *wanted.split("|")))
    if bare:
        quoted = filter(None, map(_QUOTED.fullmatch, tuple(told)))
        told |= dict.fromkeys(text[1] or text[2] or "" for text in quoted)
    # A `[` begins an item, no set of signs.
    return tuple(re.compile(translate(_plain(one).replace("[", "[[]"))).match for one in told)


def _plain(value: str) -> str:
    return value.strip().lower().replace("-", "_").replace(" ", "_")


def alternatives(text: str) -> list[str]:
    """The pieces of code of which any is meant."""
    return _ASIDE.split(text)


def is_outline(text: str) -> bool:
    """Whether a text is a glob that says something."""
    return "*" in text and any(map(str.isalnum, text))


def names_like(name: str, wanted: str) -> bool | None:
    """Whether a name, or code, is the one that is outlined by a glob: `*val*` is `val_loader`; None
    where the letters are there as part of other words (`validation`, `interval`).
    """
    if not is_outline(wanted):
        return name == wanted
    parts = [re.escape(one) for one in wanted.lower().split("*")]
    said = name.lower()
    if re.fullmatch(".*".join(parts), said) is None:
        return False
    edge = r"(?:(?<![a-z0-9])|(?![a-z0-9])).*(?:(?<![a-z0-9])|(?![a-z0-9]))"
    return True if re.fullmatch(edge.join(parts), said) else None
