"""Reads a prompt back, knowing nothing but the rules that it tells the model."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from reviewers.panel.prompts import Prompt

_NUMBERED = re.compile(r"([1-9]\d*)(?: (.*))?", re.DOTALL)
_MARK = re.compile("⟦U\\+([0-9A-F]{4,6})⟧")
_EMPTY = re.compile("⟦([0-9,]+) empty lines⟧")


@dataclass
class Unfolded:
    """A user message taken apart.

    Attributes:
        headings: the fence lines, without the fence's word.
        files: path to lines.
        prose: the lines of context and of lists, without their prefix.
        last: what follows the last fence line.
        loose: lines that are neither numbered nor prefixed nor a fence; there must be none.
    """

    fence: str
    headings: list[str] = field(default_factory=list)
    files: dict[str, list[str]] = field(default_factory=dict)
    prose: list[str] = field(default_factory=list)
    last: list[str] = field(default_factory=list)
    loose: list[str] = field(default_factory=list)


def unfolded(prompt: Prompt) -> Unfolded:
    """Take the user message of a prompt apart."""
    lines = prompt.messages[1].text.split("\n")
    found = Unfolded(lines[0].split(" ")[1])
    current: list[str] | None = None
    for place, line in enumerate(lines):
        if line.startswith(start := f"=== {found.fence} "):
            heading = line.removeprefix(start)
            found.headings.append(heading)
            kind, _, path = heading.partition("file ")
            current = found.files.setdefault(unmarked(path), []) if kind in ("", "empty ") else None
            if heading == "end of the submission":
                found.last = lines[place + 1 :]
                break
        elif line.startswith("> ") or line == ">":
            found.prose.append(line[2:])
        elif (
            (numbered := _NUMBERED.fullmatch(line))
            and current is not None
            and int(numbered[1]) == len(current) + 1
        ):
            empty = _EMPTY.fullmatch(numbered[2] or "")
            current += (
                [""] * int(empty[1].replace(",", "")) if empty else [unmarked(numbered[2] or "")]
            )
        else:
            found.loose.append(line)
    return found


def unmarked(text: str) -> str:
    """Undo the marks that stand for invisible characters."""
    return _MARK.sub(lambda mark: chr(int(mark[1], 16)), text)


def without_fence(text: Iterable[str], fence: str) -> list[str]:
    """Lines with the fence's word, which follows from the content, made the same."""
    return [line.replace(f"=== {fence} ", "=== ", 1) for line in text]
