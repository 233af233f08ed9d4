"""Find the code that a claim describes in plain words: "the entropy bonus" is `entropy_bonus`."""

import ast
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache

from reviewers.claims.wording import wording
from reviewers.facts import Facts
from reviewers.facts.python_file import PythonFile
from reviewers.records import Span

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]{2,}", re.ASCII)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{2,}", re.ASCII)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_COMMON = wording().too_common
_ENOUGH = 5.5
_DEFINITION = 1.3
"""How much more a line counts that defines something by the words wanted."""

_WINDOW = 4
"""Lines that are looked at together."""


class Worded:
    """The words of a submission's identifiers, line by line."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    @cached_property
    def _lines(self) -> dict[str, list[tuple[int, frozenset[str]]]]:
        """Each line of code of each Python file, as the words that its identifiers are made of."""
        found: dict[str, list[tuple[int, frozenset[str]]]] = {}
        for path in self._facts.python:
            imports = import_lines(self._facts.python[path])
            lines = enumerate(self._facts.lines(path), 1)
            read = ((number, _words_of(text)) for number, text in lines if number not in imports)
            found[path] = [(number, words) for number, words in read if words]
        return found

    @cached_property
    def _weights(self) -> dict[str, float]:
        """A word weighs more the fewer lines have it."""
        counts = Counter(
            word for lines in self._lines.values() for _, words in lines for word in words
        )
        total = sum(map(len, self._lines.values())) or 1
        return {word: math.log(1 + total / count) for word, count in counts.items()}

    def find(self, said: str, paths: Iterable[str], enough: float = _ENOUGH) -> Iterator[Span]:
        """Yield the lines, in the files given, that share the most telling words with a claim; none
        where too few are shared.
        """
        wanted = frozenset(_stem(word) for word in _WORD.findall(said)) - _COMMON
        wanted |= {
            _stem(word.casefold())
            for word in _WORD.findall(said.replace("-", "").replace(" ", "_"))
            if 0 < len(word) < 20
        } & self._weights.keys()
        wanted = wanted & self._weights.keys()
        best: tuple[float, Span] | None = None
        for path in paths:
            lines = self._lines.get(path, [])
            for index, (number, words) in enumerate(lines):
                if not words & wanted:
                    continue
                together = set(words & wanted)
                last = number
                for later, more in lines[index + 1 : index + _WINDOW]:
                    if later - number >= _WINDOW:
                        break
                    if more & wanted - together:
                        together |= more & wanted
                        last = later
                score = sum(self._weights[word] for word in together) - 0.3 * (last - number)
                score *= (
                    _DEFINITION
                    if self._facts.lines(path)[number - 1].lstrip().startswith(("def ", "class "))
                    else 1.0
                )
                if best is None or score > best[0] + 0.01:
                    best = (score, Span(path, number, last))
        if best is not None and best[0] >= enough:
            yield best[1]


def import_lines(file: PythonFile) -> frozenset[int]:
    """The lines of a file's import statements."""
    found = (node for node in file.nodes if isinstance(node, ast.Import | ast.ImportFrom))
    return frozenset(
        number
        for node in found
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    )


def _words_of(line: str) -> frozenset[str]:
    words = [words_in(identifier) for identifier in _IDENTIFIER.findall(line.partition("#")[0])]
    return frozenset().union(*words)


@lru_cache(maxsize=20_000)
def words_in(identifier: str) -> frozenset[str]:
    """The words that an identifier is made of, and all of them as one."""
    parts = [part.casefold() for part in _PARTS.findall(identifier)]
    words = {stem for part in parts if len(stem := _stem(part)) > 2 and stem not in _COMMON}
    return frozenset(words | {"".join(parts)} if len(parts) > 1 else words)


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    """Without the commonest endings, so that "embeddings" meets `embed`."""
    word = word.casefold()
    for ending in ("ation", "ings", "ing", "ions", "ion", "ers", "er", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word
