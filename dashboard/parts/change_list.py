"""New, rising and falling categories with their figures; each line links to its submissions."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.parts.component import load
from dashboard.parts.plain import one_line

_mount = load("change_list")


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """One line: `kind` is new, rising or falling."""

    kind: str
    name: str
    figures: str
    href: str


def change_list(lines: Sequence[ChangeLine], *, key: str) -> None:
    """Draw the lines."""
    shown = [
        {"kind": line.kind, "name": one_line(line.name), "figures": line.figures, "href": line.href}
        for line in lines
    ]
    _mount(key=key, data={"lines": shown})
