"""A submission as texts by path, and the small edits that operators make to them."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import yaml


@dataclass(frozen=True)
class Mutation:
    """One way to change a submission.

    Attributes:
        files: new texts by path; None takes a file away.
        path, line: where the change was made.
        what: the change in a few words.
    """

    files: Mapping[str, str | None]
    path: str
    line: int | None
    what: str


@dataclass(frozen=True)
class Pair:
    """A key of a YAML file with its value."""

    path: tuple[str, ...]
    key: yaml.ScalarNode
    value: yaml.Node
    flow: bool

    @property
    def line(self) -> int:
        return self.key.start_mark.line + 1

    @property
    def last_line(self) -> int:
        return _last_line(self.value) + 1


def _last_line(node: yaml.Node) -> int:
    if isinstance(node, yaml.ScalarNode) or node.flow_style or not node.value:
        return node.end_mark.line
    last = node.value[-1]
    return _last_line(last[1] if isinstance(last, tuple) else last)


@dataclass(frozen=True)
class Tree:
    """A submission that starts.

    Attributes:
        ran: the (path, line) that its documented commands execute in the stub world.
    """

    files: Mapping[str, str]
    ran: frozenset[tuple[str, int]] = field(default=frozenset(), repr=False)

    @cached_property
    def modules(self) -> Mapping[str, ast.Module]:
        return {
            path: ast.parse(text)
            for path, text in self.files.items()
            if path.endswith(".py") and text.strip()
        }

    @cached_property
    def runs(self) -> tuple[str, ...]:
        return tuple(path for path in self.files if re.match(r"config/runs?/.*\.ya?ml$", path))

    @cached_property
    def code(self) -> str:
        """All Python of it."""
        return "\n".join(text for path, text in self.files.items() if path.endswith(".py"))

    def nodes(
        self, *kinds: type[ast.AST], reached: bool = True
    ) -> Iterator[tuple[str, ast.AST, str]]:
        """Each node of a kind with its file and source; only those that are executed."""
        for path, module in self.modules.items():
            for node in ast.walk(module):
                if isinstance(node, kinds) and (
                    not reached or (path, node.lineno) in self.ran  # type: ignore[attr-defined]
                ):
                    yield path, node, ast.get_source_segment(self.files[path], node) or ""

    def functions(self, reached: bool = True) -> Iterator[tuple[str, ast.FunctionDef]]:
        """Each function whose body is executed."""
        for path, module in self.modules.items():
            for node in ast.walk(module):
                if isinstance(node, ast.FunctionDef) and (
                    not reached or (path, body(node)[0].lineno) in self.ran
                ):
                    yield path, node

    def pairs(self, *paths: str) -> Iterator[tuple[str, Pair]]:
        """Each key of the YAML files, those of sections before those in them."""
        for path in paths:
            root = yaml.compose(self.files[path])
            if isinstance(root, yaml.MappingNode):
                for pair in _pairs(root, ()):
                    yield path, pair

    def mains(self) -> Iterator[tuple[str, ast.FunctionDef]]:
        """Each `main` that Hydra calls."""
        for path, function in self.functions():
            if function.name == "main" and "hydra" in "".join(
                map(ast.dump, function.decorator_list)
            ):
                yield path, function

    def text(self, path: str, node: ast.AST) -> str:
        """The source of a node."""
        return self.files[path][slice(*extent(self.files[path], node))]

    def replaced(self, path: str, node: ast.AST, new: str, what: str = "") -> Mutation:
        """Write other source in a node's place."""
        start, end = extent(self.files[path], node)
        return self.cut(path, start, end, new, what or new, node.lineno)  # type: ignore[attr-defined]

    def revalued(self, path: str, pair: Pair, new: str, what: str = "") -> Mutation:
        """Write another value for a key."""
        start, end = pair.value.start_mark.index, pair.value.end_mark.index
        return self.cut(path, start, end, new, what or f"{pair.path}={new}", pair.line)

    def cut(self, path: str, start: int, end: int, new: str, what: str, line: int) -> Mutation:
        """Write another text between two offsets."""
        text = self.files[path]
        return Mutation({path: text[:start] + new + text[end:]}, path, line, what)

    def without_lines(self, path: str, first: int, last: int, what: str) -> Mutation:
        """Take lines away, both ends included."""
        lines = self.files[path].splitlines(keepends=True)
        return Mutation(
            {path: "".join(lines[: first - 1] + lines[last:])}, path, min(first, len(lines)), what
        )

    def inserted(self, path: str, before: int, new: str, what: str) -> Mutation:
        """Write whole lines before a line."""
        at = offset(self.files[path] + "\n", before, 0)
        return self.cut(path, at, at, new + "\n", what, before)

    def begun(self, path: str, function: ast.FunctionDef, new: str, what: str) -> Mutation:
        """Write lines before the first statement of a function."""
        return self.inserted(path, body(function)[0].lineno, new, what)


def _pairs(node: yaml.MappingNode, above: tuple[str, ...]) -> Iterator[Pair]:
    for key, value in node.value:
        path = (*above, key.value)
        yield Pair(path, key, value, bool(node.flow_style))
        if isinstance(value, yaml.MappingNode):
            yield from _pairs(value, path)


def offset(text: str, line: int, column: int) -> int:
    """The place in a text of a line, 1-based, and a column in UTF-8 bytes, as `ast` counts."""
    lines = text.splitlines(keepends=True)
    return sum(map(len, lines[: line - 1])) + len(lines[line - 1].encode()[:column].decode())


def extent(text: str, node: ast.AST) -> tuple[int, int]:
    """Where a node begins and ends in a text."""
    return (
        offset(text, node.lineno, node.col_offset),  # type: ignore[attr-defined]
        offset(text, node.end_lineno, node.end_col_offset),  # type: ignore[attr-defined]
    )


def body(function: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of a function behind its docstring."""
    first = function.body[0]
    is_text = (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )
    return function.body[1:] if is_text and len(function.body) > 1 else function.body


def indent(text: str, line: int) -> str:
    """The blanks before a line."""
    found = text.splitlines()[line - 1]
    return found[: len(found) - len(found.lstrip())]
