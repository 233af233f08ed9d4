"""Where a submission's regular expression first matches a text, in bounded time.

Python's own engine can take forever on a hostile pattern; this one walks its parsed form, keeps the
set of positions that a match may have reached, and gives up on what it does not model.
"""

import re
import warnings
from collections.abc import Iterable, Sequence
from re import _constants as words  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from reviewers.steps import spend

HOLE = "\0"  # a part of the text that is not known
_LONGEST_PATTERN, _LONGEST_TEXT = 300, 4_000
_DIGITS, _SPACES = re.compile(r"\d"), re.compile(r"\s")
_WORD = re.compile(r"\w")
_CATEGORIES = {
    words.CATEGORY_DIGIT: (_DIGITS, True),
    words.CATEGORY_NOT_DIGIT: (_DIGITS, False),
    words.CATEGORY_SPACE: (_SPACES, True),
    words.CATEGORY_NOT_SPACE: (_SPACES, False),
    words.CATEGORY_WORD: (_WORD, True),
    words.CATEGORY_NOT_WORD: (_WORD, False),
}
_Items = Sequence[tuple[Any, Any]]


class _NotModelled(Exception):
    """The pattern has a part whose matches are not computed here."""


def first_match(pattern: str, text: str, *, any_case: bool = False) -> tuple[int, int] | None:
    """Return where the first match starts, and the last place where it may end.

    None if nothing matches, where a match may go on behind the text, and if that is not
    known.
    """
    if len(pattern) > _LONGEST_PATTERN or len(text) > _LONGEST_TEXT:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # of sets in sets, which Python may mean otherwise one day
            tree = parser.parse(pattern)
        any_case = any_case or bool(tree.state.flags & re.IGNORECASE)
        given = text.lower() if any_case else text, any_case, bool(tree.state.flags & re.DOTALL)
        certain, possible = _Walk(*given, through_holes=False), _Walk(*given, through_holes=True)
        for start in range(len(text)):
            possible.all(tree, {start})
            if possible.is_at_end:
                return None
            if ends := certain.all(tree, {start}):
                return start, max(ends)
    except (_NotModelled, re.error, OverflowError, RecursionError):
        return None
    return None


class _Walk:
    """The ways that matches can go.

    Args:
        through_holes: whether a hole counts as whatever is wanted, any number of times; else
            nothing matches there.
    """

    def __init__(self, text: str, any_case: bool, dot_all: bool, *, through_holes: bool) -> None:
        self._text = text
        self._any_case = any_case
        self._dot_all = dot_all
        self._through_holes = through_holes
        self.is_at_end = False

    def all(self, items: _Items, places: set[int]) -> set[int]:
        """Where a match may have got to behind the items, from any of the places."""
        for kind, given in items:
            if not places:
                break
            spend(len(places))
            places = self._one(kind, given, places)
        return places

    def _one(self, kind: Any, given: Any, places: set[int]) -> set[int]:
        match kind:
            case words.SUBPATTERN if not given[1] and not given[2]:
                return self.all(given[-1], places)
            case words.BRANCH:
                return set().union(*(self.all(branch, places) for branch in given[1]))
            case words.MAX_REPEAT | words.MIN_REPEAT:
                return self._repeated(given[0], given[1], given[2], places)
            case words.AT:
                return {place for place in places if self._is_at(given, place)}
        self.is_at_end = self.is_at_end or len(self._text) in places
        within = places - {len(self._text)}
        holes = {at for at in within if self._text[at] == HOLE}
        found = {at + 1 for at in within - holes if self._takes(kind, given, self._text[at])}
        return found | holes | {at + 1 for at in holes} if self._through_holes else found

    def _repeated(self, least: int, most: int, items: _Items, places: set[int]) -> set[int]:
        for _ in range(min(least, len(self._text) + 1)):
            places = self.all(items, places)
        found = last = places
        turns = int(most) - least
        while last and turns > 0:
            last = self.all(items, last) - found
            found, turns = found | last, turns - 1
        return found

    def _is_at(self, where: Any, place: int) -> bool:
        around = self._text[max(place - 1, 0) : place], self._text[place : place + 1]
        before, behind = (_WORD.match(each) is not None for each in around)
        match where:
            case words.AT_BOUNDARY:
                return before != behind
            case words.AT_BEGINNING | words.AT_BEGINNING_STRING:
                return place == 0
            case words.AT_END | words.AT_END_STRING:
                return False  # the text goes on
        raise _NotModelled

    def _takes(self, kind: Any, given: Any, letter: str) -> bool:
        match kind:
            case words.LITERAL:
                return self._folded(given) == letter
            case words.NOT_LITERAL:
                return self._folded(given) != letter
            case words.ANY:
                return self._dot_all or letter != "\n"
            case words.IN:
                return self._is_in(given, letter)
        raise _NotModelled

    def _is_in(self, given: Iterable[tuple[Any, Any]], letter: str) -> bool:
        wanted = True
        for kind, value in given:
            match kind:
                case words.NEGATE:
                    wanted = False
                    continue
                case words.RANGE:
                    letters = {letter, letter.upper()} if self._any_case else {letter}
                    found = any(value[0] <= ord(each) <= value[1] for each in letters if each)
                case words.CATEGORY:
                    category, positive = _CATEGORIES[value]
                    found = (category.match(letter) is not None) is positive
                case words.LITERAL:
                    found = self._folded(value) == letter
                case _:
                    raise _NotModelled
            if found:
                return wanted
        return not wanted

    def _folded(self, code: int) -> str:
        return chr(code).lower() if self._any_case else chr(code)
