"""Finds quoted or named code in a submission."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from rapidfuzz import fuzz, process

from reviewers.facts import Facts
from reviewers.facts.quoted_tokens import TokenIndex, token_count, unescape
from reviewers.records import Span

_NEAR_ENOUGH = 84.0
_SHORTEST_NEAR = 12


class Search:
    """Searches one submission and caches the results."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._indexes: dict[str, TokenIndex] = {}
        self._prose: dict[str, dict[int, int]] = {}

    def index(self, path: str) -> TokenIndex:
        """The tokens of a file."""
        if path not in self._indexes:
            self._indexes[path] = TokenIndex(self.facts.text(path) or "")
        return self._indexes[path]

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Every file, code before configuration."""
        return tuple(
            sorted(self.facts.submission.by_path, key=lambda path: (not path.endswith(".py"), path))
        )

    def quote(self, quote: str, paths: Iterable[str]) -> Iterator[Span]:
        """Yield the places with a quote's tokens, in the files given; in each file code before
        prose and imports.
        """
        for path in paths:
            found = [Span(path, first, last) for first, last in self.index(path).find(quote)]
            yield from sorted(found, key=lambda span: self._worth(path, span.line or 0))

    def quoted(self, quote: str, paths: Sequence[str]) -> Span | None:
        """The first place with a quote's tokens, as written or without the prompt's escapes."""
        for words in dict.fromkeys((quote, unescape(quote))):
            if found := next(self.quote(words, paths), None):
                return found
        return None

    def near(self, quote: str, paths: Iterable[str]) -> Span | None:
        """The line most similar to a quote, if one is similar enough."""
        wanted = unescape(quote).strip()
        if len(wanted) < _SHORTEST_NEAR or token_count(wanted) < 3:
            return None
        best: tuple[float, Span] | None = None
        for path in paths:
            lines = [line.strip() for line in self.facts.lines(path)]
            found = process.extractOne(wanted, lines, scorer=fuzz.ratio, score_cutoff=_NEAR_ENOUGH)
            if found and (best is None or found[1] > best[0]):
                best = (found[1], Span(path, found[2] + 1))
        return best[1] if best else None

    def _worth(self, path: str, line: int) -> int:
        """0 for a line of code, 1 for an import, 2 for a comment or docstring."""
        if path not in self._prose:
            file = self.facts.python.get(path)
            docs = {
                number
                for literal in (file.strings if file else ())
                if literal.is_docstring
                for number in range(literal.line, literal.end_line + 1)
            }
            imports = {
                number
                for node in (file.nodes if file else ())
                if isinstance(node, (ast.Import, ast.ImportFrom))
                for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
            }
            comments = {
                number
                for number, text in enumerate(self.facts.lines(path), 1)
                if text.lstrip().startswith("#")
            }
            self._prose[path] = {**dict.fromkeys(imports, 1), **dict.fromkeys(docs | comments, 2)}
        return self._prose[path].get(line, 0)
