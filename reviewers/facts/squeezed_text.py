"""Texts found again, white space aside."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

_SPACE = re.compile(r"\s+")
_LEFT_OUT = 300  # characters between two pieces at the most
_MOST_PLACES = 20


def squeezed(text: str) -> str:
    """A text without white space."""
    return _SPACE.sub("", text)


class SqueezedText:
    """A file's text without white space."""

    def __init__(self, lines: Sequence[str]) -> None:
        plain = [squeezed(line) for line in lines]
        self._text = "".join(plain)
        self._starts = list(accumulate(map(len, plain), initial=0))

    def lines_with(self, parts: Sequence[str]) -> list[int]:
        """The first lines of the places where texts follow each other closely."""
        first, *rest = filter(None, parts)
        found: list[int] = []
        at = -1
        while (at := self._text.find(first, at + 1)) >= 0 and len(found) < _MOST_PLACES:
            end = at + len(first)
            for part in rest:
                next_ = self._text.find(part, end, end + len(part) + _LEFT_OUT)
                if next_ < 0:
                    break
                end = next_ + len(part)
            else:
                found.append(bisect_right(self._starts, at))
        return found

    def has_apart(self, parts: Sequence[str]) -> bool:
        """Whether texts follow each other at all."""
        end = 0
        for part in parts:
            at = self._text.find(part, end)
            if at < 0:
                return False
            end = at + len(part)
        return True
