"""Edits of pyproject.toml by the place of its tables and entries in the text, so that comments,
order and layout of everything else stay; tomlkit only reads.
"""

import re
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import tomlkit
from tomlkit.exceptions import TOMLKitError

from reviewers.facts import Facts
from reviewers.offers import Edit
from reviewers.repairs.edits import CannotEdit

FILE = "pyproject.toml"
_HEADER = re.compile(r"^[ \t]*\[\[?[ \t]*([^\[\]\n]+?)[ \t]*\]\]?[ \t]*(?:#.*)?$", re.MULTILINE)
_TOKEN = re.compile(r"""#[^\n]*|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|\[|\]""")
Table = MutableMapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Block:
    """A table in the text: where its header begins, where what follows it begins, and where its
    last line that says something ends.
    """

    start: int
    end: int
    content_end: int


class TomlEdits:
    """pyproject.toml as text and as values."""

    def __init__(self, facts: Facts) -> None:
        self.text = facts.text(FILE) or ""
        self._facts = facts
        try:
            self.document = cast(Table, tomlkit.parse(self.text))
        except TOMLKitError as error:
            raise CannotEdit(f"{FILE} is no TOML") from error

    @property
    def end_of_line(self) -> str:
        """What ends the last line, where nothing does."""
        return "" if self.text.endswith("\n") or not self.text else "\n"

    def table(self, *keys: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.document
        for key in keys:
            found = mapping_of(found.get(key))
        return found

    def is_built_by(self, backend: str) -> bool:
        return str(self.table("build-system").get("build-backend", "")).startswith(backend)

    @cached_property
    def blocks(self) -> Mapping[str, _Block]:
        """The tables under a header of their own, by their dotted name."""
        heads = list(_HEADER.finditer(self.text))
        found: dict[str, _Block] = {}
        for at, head in enumerate(heads):
            end = heads[at + 1].start() if at + 1 < len(heads) else len(self.text)
            # Comments right above the next header belong to that.
            while end < len(self.text) and (line := self._line_before(end)).lstrip()[:1] == "#":
                end -= len(line)
            body = self.text[head.start() : end]
            last = len(body.rstrip())
            content_end = head.start() + last + (1 if body[last : last + 1] == "\n" else 0)
            name = ".".join(part.strip().strip("\"'") for part in head[1].split("."))
            if name in found or (name.partition(".")[0] not in self.document):
                raise CannotEdit(f"[{name}] is there twice")
            found[name] = _Block(head.start(), end, content_end)
        return found

    def _line_before(self, at: int) -> str:
        return self.text[self.text.rfind("\n", 0, at - 1) + 1 : at]

    def without(self, *blocks: _Block) -> Iterator[Edit]:
        """Take tables out; one empty line stays between their neighbours."""
        spans: list[tuple[int, int]] = []
        for block in sorted(blocks, key=lambda each: each.start):
            if spans and spans[-1][1] == block.start:
                spans[-1] = spans[-1][0], block.end
            else:
                spans.append((block.start, block.end))
        for start, end in spans:
            before = self.text[:start].rstrip()
            last = end == len(self.text)
            yield Edit(FILE, min(start, len(before) + 1) if last and before else start, end, "")

    def _value_of(self, key: str) -> re.Match[str] | None:
        own = self.blocks.get("project")
        pattern = re.compile(rf"^[ \t]*{re.escape(key)}[ \t]*=[ \t]*", re.MULTILINE)
        return pattern.search(self.text, own.start, own.end) if own else None

    def put_value(self, key: str, value: str) -> Edit:
        """Write a text as the value of a key of [project]."""
        own, found = self.blocks.get("project"), self._value_of(key)
        if own is None:
            raise CannotEdit("[project] has no table of its own")
        if found is None:
            name = self._value_of("name")
            end = self.text.find("\n", name.end()) + 1 if name else 0
            at = end or own.content_end
            return Edit(FILE, at, at, f'{key} = "{value}"\n')
        token = _TOKEN.match(self.text, found.end())
        if token is None or token[0][0] not in "\"'":
            raise CannotEdit(f"{key} is not a string")
        return Edit(FILE, token.start(), token.end(), f'"{value}"')

    def line_of(self, key: str) -> Edit | None:
        """Take the line with a key of [project] out."""
        if (found := self._value_of(key)) is None:
            return None
        end = self.text.find("\n", found.end())
        return Edit(FILE, found.start(), end + 1 if end >= 0 else len(self.text), "")

    def array(self, key: str) -> "ArrayEdits":
        """The array of a key of [project].

        Raises:
            CannotEdit: there is none.
        """
        found = self._value_of(key)
        if found is None or self.text[found.end() : found.end() + 1] != "[":
            raise CannotEdit(f"project.{key} is no array")
        return ArrayEdits(self.text, found.end())


class ArrayEdits:
    """An array of texts in the text of a file, whose `[` is at a character.

    Attributes:
        span: its characters.
        values: the texts in it.
    """

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._spans: list[tuple[int, int]] = []
        depth = 0
        for token in _TOKEN.finditer(text, start):
            depth += {"[": 1, "]": -1}.get(token[0], 0)
            if token[0][0] in "\"'" and depth == 1:
                self._spans.append(token.span())
            if not depth:
                self.span = start, token.end()
                break
        else:
            raise CannotEdit("an array without its end")
        self.values = [text[start + 1 : end - 1] for start, end in self._spans]

    def put(self, at: int, value: str) -> Edit:
        return Edit(FILE, *self._spans[at], quoted(value))

    def without(self, *left_out: int) -> Iterator[Edit]:
        """Take entries out, each with its comma and, where nothing else is there, its line."""
        is_before = False  # whether the one in front is taken out up to the next one
        for at in sorted(left_out):
            start, end = self._spans[at]
            rest = re.compile(r"[ \t]*,?[ \t]*").match(self._text, end)
            behind = rest.end() if rest else end
            begin = self._text.rfind("\n", 0, start) + 1
            is_alone = not self._text[begin:start].strip()
            line_end = re.compile(r"(#[^\n]*)?\n").match(self._text, behind)
            if is_alone and line_end:
                yield Edit(FILE, begin, line_end.end(), "")
            elif is_alone or not at or (is_before and at - 1 in left_out):
                yield Edit(FILE, start, behind, "")
                is_before = True
                continue
            else:
                yield Edit(FILE, self._spans[at - 1][1], end, "")
            is_before = False

    def append(self, names: Sequence[str]) -> Iterator[Edit]:
        """Write entries behind the last one, each on its line if that is how they stand."""
        entries = list(map(quoted, names))
        if not self._spans:
            yield Edit(FILE, self.span[0] + 1, self.span[0] + 1, ", ".join(entries))
            return
        start, end = self._spans[-1]
        begin = self._text.rfind("\n", 0, start) + 1
        indent = self._text[begin:start]
        comma = re.compile(r"[ \t]*,").match(self._text, end)
        if indent.strip() or begin <= self.span[0]:
            yield Edit(FILE, end, end, "".join(f", {each}" for each in entries))
            return
        if comma is None:
            yield Edit(FILE, end, end, ",")
        at = self._text.find("\n", end)
        yield Edit(FILE, at, at, "".join(f"\n{indent}{each}," for each in entries))


def mapping_of(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def quoted(text: str) -> str:
    return f"'{text}'" if '"' in text and "'" not in text else str(tomlkit.string(text).as_string())
