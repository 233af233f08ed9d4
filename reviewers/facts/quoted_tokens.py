"""Finds a quote in a file by equal tokens: spacing, line breaks and quote style are ignored,
everything else counts.
"""

import bisect
import re
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate

_TOKEN = re.compile(r"\w+|[^\w\s\"'`“”‘’«»]")
_ELLIPSIS = re.compile(r"\.\.\.|…|\[\.\.\.\]")
_END = "\x00"
_LONGEST_GAP = 120
"""Tokens that an ellipsis in a quote may stand for."""
_MOST_FOUND = 50


class TokenIndex:
    """The tokens of one file, of any language."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _tokens(self) -> tuple[str, list[int], list[int]]:
        """All tokens in one string, where each starts in it, and the line on which each stands."""
        parts: list[str] = []
        lines: list[int] = []
        for number, line in enumerate(self.text.split("\n"), 1):
            found = _TOKEN.findall(line)
            parts += found
            lines += [number] * len(found)
        starts = list(accumulate((len(part) + 1 for part in parts), initial=1))[: len(parts)]
        return _END + "".join(part + _END for part in parts), starts, lines

    def find(self, quote: str) -> Iterator[tuple[int, int]]:
        """Yield first and last line of every place that has the quote's tokens; an ellipsis stands
        for a gap.
        """
        parts = [tokens for part in _ELLIPSIS.split(quote) if (tokens := _TOKEN.findall(part))]
        if not parts:
            return
        text, starts, lines = self._tokens
        first, *rest = [_END + "".join(token + _END for token in tokens) for tokens in parts]
        position, found = text.find(first), 0
        while position >= 0 and found < _MOST_FOUND:
            index = bisect.bisect_left(starts, position + 1)
            last = self._rest(rest, index + len(parts[0]), parts[1:])
            if last is not None:
                yield lines[index], lines[last - 1]
                found += 1
            position = text.find(first, position + 1)

    def _rest(self, rest: list[str], token: int, parts: list[list[str]]) -> int | None:
        """Number of tokens up to the end of the quote's last part; None if a part does not
        follow.
        """
        text, starts, _ = self._tokens
        for part, tokens in zip(rest, parts, strict=True):
            begin = starts[token] - 1 if token < len(starts) else len(text)
            limit = (
                starts[min(token + _LONGEST_GAP, len(starts) - 1)]
                + sum(map(len, tokens))
                + len(tokens)
                + 1
                if starts
                else 0
            )
            position = text.find(part, begin, limit)
            if position < 0:
                return None
            token = bisect.bisect_left(starts, position + 1) + len(tokens)
        return token


def token_count(quote: str) -> int:
    """How many tokens a quote has, ellipses not counted."""
    return sum(len(_TOKEN.findall(part)) for part in _ELLIPSIS.split(quote))


def unescape(quote: str) -> str:
    r"""Undo what a prompt's JSON and markdown add to code: `-\u003e`, `-\\>` and a control
    character before `e` are `->`.
    """
    quote = re.sub(r"\\+u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), quote)
    quote = quote.replace("\x03e", ">").replace("\x03c", "<")
    return re.sub(r"\\+([<>&\"'`*_\[\]{}()#-])", r"\1", quote)
