"""A colour and a symbol for each reviewer, the same on every screen."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

from dashboard.parts.plain import one_line
from reviewers.store.human_input import PEOPLE
from reviewers.store.triage import RECORDED, RULES

# Each stands out from both themes' backgrounds by at least 3.7 to 1. In `shared.css` they are
# `rev-0` … `rev-7`.
HEX = ("#5b73e0", "#6b7a90", "#c2459b", "#0f8b8d", "#a9702f", "#6f8a1f", "#2b8cc4", "#9358c9")
_FIXED = {RECORDED: 0, RULES: 1, PEOPLE: 7}
_FREE = (2, 3, 4, 5, 6)


def reviewer_looks(names: Sequence[str]) -> Mapping[str, dict[str, Any]]:
    """Return what the browser draws of each reviewer by its name on screen: the name, `rev` for the
    colour, and the sign.
    """
    colours, signs = reviewer_colours(names), reviewer_signs(names)
    return {
        name: {"reviewer": one_line(name), "rev": colours[name], "sign": one_line(signs[name])}
        for name in names
    }


def reviewer_colours(names: Sequence[str]) -> Mapping[str, int]:
    """Return which of the eight colours each reviewer has; `recorded`, `rules` and `people` always
    have their own.

    Args:
        names: names on screen, such as `recorded #2`, in any order.
    """
    colours = {name: _FIXED[name] for name in names if name in _FIXED}
    for name in sorted(set(names) - set(colours)):
        first = crc32(name.encode("utf-8", "surrogatepass")) % len(_FREE)
        wished = (*_FREE[first:], *_FREE[:first])
        taken = Counter(colours.values())
        # Its own wherever it is free, so that a reviewer looks the same on every screen and
        # beside all others.
        colours[name] = min(wished, key=lambda colour: taken[colour])
    return colours


def reviewer_signs(names: Sequence[str]) -> Mapping[str, str]:
    """Return one or two characters for each reviewer, no two the same: its initial, and where they
    part from others with it.
    """
    initials: dict[str, list[str]] = defaultdict(list)
    for name in sorted(set(names)):
        initials[_said(name)[:1].upper()].append(name)
    signs: dict[str, str] = {}
    for initial, group in initials.items():
        if len(group) == 1:
            signs[group[0]] = initial
            continue
        words = [_said(name) for name in group]
        shared = next(
            (at for at, letters in enumerate(zip(*words, strict=False)) if len(set(letters)) > 1),
            min(map(len, words)),
        )
        seconds = [word[shared : shared + 1] for word in words]
        apart = len(set(seconds)) == len(group) and all(
            second.isalnum() or not second for second in seconds
        )
        signs |= {
            name: initial + (second if apart else str(place))
            for place, (name, second) in enumerate(zip(group, seconds, strict=True), 1)
        }
    return signs


def _said(name: str) -> str:
    """The name without its provider, which many share."""
    return name.rpartition(":")[2] or name
