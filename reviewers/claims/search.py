"""Where in a submission something stands: quotes, names, definitions."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz import fuzz, process

from reviewers.claims.config_keys import ConfigKeys
from reviewers.claims.tokens import TokenIndex, token_count, unescape
from reviewers.claims.worded import Worded, import_lines
from reviewers.facts import Facts
from reviewers.facts.python_file import Definition
from reviewers.records import Span

_NEAR_ENOUGH = 84.0
_SHORTEST_NEAR = 12
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Hit:
    """A place with how it was found; `near` means that the text there is only like the quote."""

    span: Span
    near: bool = False


class Search:
    """Looks things up in one submission; what is looked up once is kept."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._indexes: dict[str, TokenIndex] = {}
        self._prose: dict[str, dict[int, int]] = {}
        self._nodes: dict[str, dict[int, list[ast.AST]]] = {}

    def index(self, path: str) -> TokenIndex:
        """The tokens of a file."""
        if path not in self._indexes:
            self._indexes[path] = TokenIndex(self.facts.text(path) or "")
        return self._indexes[path]

    @cached_property
    def config(self) -> ConfigKeys:
        """The keys of the YAML files."""
        return ConfigKeys(self.facts)

    @cached_property
    def worded(self) -> Worded:
        """The words of the code's identifiers."""
        return Worded(self.facts)

    @cached_property
    def defined(self) -> frozenset[str]:
        """The last names of every function, method and class."""
        return frozenset(
            found.name.rpartition(".")[2]
            for file in self.facts.python.values()
            for found in file.definitions
        )

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Every file, code before configuration."""
        return tuple(
            sorted(self.facts.submission.by_path, key=lambda path: (not path.endswith(".py"), path))
        )

    def quote(self, quote: str, paths: Iterable[str]) -> Iterator[Hit]:
        """Yield the places with a quote's tokens, in the files given; in each file code before
        prose and imports.
        """
        for path in paths:
            found = [Span(path, first, last) for first, last in self.index(path).find(quote)]
            yield from map(Hit, sorted(found, key=lambda span: self.worth(path, span.line or 0)))

    def worth(self, path: str, line: int) -> int:
        """0 for a line of code, 1 for an import, 2 for a comment or docstring."""
        if path not in self._prose:
            file = self.facts.python.get(path)
            literals = file.strings if file else ()
            docs = {
                number
                for literal in literals
                if literal.is_docstring
                for number in range(literal.line, literal.end_line + 1)
            }
            imports = import_lines(file) if file else frozenset[int]()
            comments = {
                number
                for number, text in enumerate(self.facts.lines(path), 1)
                if text.lstrip().startswith("#")
            }
            self._prose[path] = {**dict.fromkeys(imports, 1), **dict.fromkeys(docs | comments, 2)}
        return self._prose[path].get(line, 0)

    def quoted(self, quote: str, paths: Sequence[str]) -> Hit | None:
        """The first place with a quote's tokens, as it stands or without the prompt's escapes."""
        for words in dict.fromkeys((quote, unescape(quote))):
            if hit := next(self.quote(words, paths), None):
                return hit
        return None

    def near(self, quote: str, paths: Iterable[str]) -> Hit | None:
        """The line most like a quote, where one is like enough."""
        wanted = unescape(quote).strip()
        if len(wanted) < _SHORTEST_NEAR or token_count(wanted) < 3:
            return None
        best: tuple[float, Span] | None = None
        for path in paths:
            lines = [line.strip() for line in self.facts.lines(path)]
            found = process.extractOne(wanted, lines, scorer=fuzz.ratio, score_cutoff=_NEAR_ENOUGH)
            if found and (best is None or found[1] > best[0]):
                best = (found[1], Span(path, found[2] + 1))
        return Hit(best[1], near=True) if best else None

    @cached_property
    def _words(self) -> dict[str, dict[str, list[int]]]:
        """Every word to its lines in each file, comments and strings included."""
        found: dict[str, dict[str, list[int]]] = {}
        for path in self.paths:
            for number, line in enumerate(self.facts.lines(path), 1):
                for word in set(_WORD.findall(line)):
                    found.setdefault(word, {}).setdefault(path, []).append(number)
        return found

    def word(self, word: str, paths: Iterable[str] | None = None) -> Iterator[Span]:
        """Yield the lines with a word, in the order of the files given."""
        lines = self._words.get(word, {})
        for path in self.paths if paths is None else paths:
            for number in sorted(
                lines.get(path, ()), key=lambda line: (self.worth(path, line), line)
            ):
                yield Span(path, number)

    def nodes(self, path: str, line: int) -> Sequence[ast.AST]:
        """The nodes of a Python file that start on a line."""
        if path not in self._nodes:
            found: dict[int, list[ast.AST]] = {}
            for node in self.facts.python[path].nodes:
                if (number := getattr(node, "lineno", None)) is not None:
                    found.setdefault(number, []).append(node)
            self._nodes[path] = found
        return self._nodes[path].get(line, [])

    def definition(
        self, name: str, paths: Iterable[str] | None = None
    ) -> tuple[str, Definition] | None:
        """A function, method or class by its qualified name or the end of it, with the file it
        stands in.
        """
        wanted = name.removeprefix("self.")
        for path in self.facts.python if paths is None else paths:
            file = self.facts.python.get(path)
            for found in file.definitions if file else ():
                if found.name == wanted or found.name.endswith("." + wanted):
                    return path, found
        return None

    def dotted(self, name: str, paths: Sequence[str]) -> Span | None:
        """The first line with a dotted name such as `cfg.model.name`, in the files given."""
        hit = next(self.quote(name, paths), None)
        return hit.span if hit else None

    def stores(self, name: str, paths: Iterable[str]) -> list[Span]:
        """The lines on which a name or attribute is assigned, in order."""
        last = name.rpartition(".")[2]
        files = ((path, self.facts.python.get(path)) for path in paths)
        nodes = ((path, node) for path, file in files if file for node in file.nodes)
        stored = (
            (path, node)
            for path, node in nodes
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store)
        )
        return [Span(path, node.lineno) for path, node in stored if last == _called(node)]

    def calls(self, name: str, paths: Iterable[str]) -> list[Span]:
        """The lines on which a function or method of this name is called, in order."""
        last = name.rpartition(".")[2]
        files = ((path, self.facts.python.get(path)) for path in paths)
        return [
            Span(path, call.line)
            for path, file in files
            if file
            for call in file.calls
            if last == _called(call.node.func)
        ]


def _called(function: ast.expr) -> str | None:
    """The last part of a name or attribute, such as that of what is called."""
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else None
