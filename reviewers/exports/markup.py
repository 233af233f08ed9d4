"""Builds HTML from elements; every text is escaped on entry, so nothing of a submission becomes
markup.
"""

import re
from collections.abc import Iterable
from html import escape

from reviewers.panel.fencing import visible
from reviewers.records import lines_of

_NAME = re.compile(r"[a-z][a-z0-9-]*")
_EMPTY = frozenset({"meta", "link", "br"})


class Markup(str):
    """HTML that was made here, as opposed to plain text."""

    __slots__ = ()


def element(name: str, /, *children: str, **attributes: str | None) -> Markup:
    """Return an element; children that are texts are escaped, attributes that are None or empty are
    left out.

    Args:
        attributes: a trailing underscore is dropped (`class_`), the others become hyphens.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(shown(value))}"'
        for key, value in attributes.items()
        if value
    )
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not an element")
    inner = joined(children)
    return (
        Markup(f"<{name}{written}>")
        if name in _EMPTY
        else Markup(f"<{name}{written}>{inner}</{name}>")
    )


def joined(children: Iterable[str]) -> Markup:
    """Return children one after another, texts escaped."""
    return Markup(
        "".join(child if isinstance(child, Markup) else text(child) for child in children)
    )


def text(value: str) -> Markup:
    """Return a text escaped; control, bidirectional and zero-width characters stand as their code
    points, line ends stay.
    """
    return Markup(escape(shown(value), quote=False))


def shown(value: str) -> str:
    """Return a text in which nothing is hidden, its lines kept."""
    if value.isascii() and value.isprintable():
        return value
    return "\n".join(visible(line) for line in lines_of(value))


def cut(value: str, longest: int) -> str:
    """Return a text of at most so many characters; what is left out is said."""
    value = value.strip()
    return (
        value
        if len(value) <= longest
        else f"{value[:longest]} … ({len(value) - longest:,} more characters)"
    )
