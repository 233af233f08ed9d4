"""The phrases that the words of a statement make around nouns."""

from dataclasses import dataclass, replace

from reviewers.readers.items import Item
from reviewers.readers.tagging import GROUP, Tagged

_PLACES = frozenset({"file", "definition", "role", "command"})
_EXAMPLES = frozenset({"such as", "for example", "for instance"})
_CUTS = frozenset({"stop", "which", "verb", "aux", "not", "there"})


class NotBuilt(Exception):
    """The words do not make a statement; the text says why."""


@dataclass(slots=True)
class Phrase:
    """Words around a noun, or several in a list.

    Attributes:
        prep: the preposition before it; `aside` where it only says which thing is meant.
        parts: the members of the list.
        at: where it begins.
        is_beyond: whether it is all but what stands in it.
    """

    prep: str
    parts: list[list[Item]]
    at: int = 0
    is_denied: bool = False
    is_limited: bool = False
    is_beyond: bool = False
    is_every: bool = False
    is_either: bool = False
    is_definite: bool = False

    @property
    def items(self) -> list[Item]:
        return [item for part in self.parts for item in part]

    @property
    def names(self) -> bool:
        """Whether a thing with a meaning stands in it."""
        return any(item.meanings for item in self.items)

    def without(self, item: Item) -> "Phrase":
        parts = [[one for one in part if one is not item] for part in self.parts]
        return replace(self, parts=[part for part in parts if part])


class Phrases:
    """The phrases between two places of a statement, cut at prepositions and verbs.

    Attributes:
        strays: what is passed over: "no *metric* other than x".
    """

    def __init__(self, tagged: Tagged, start: int, end: int) -> None:
        self._tagged, self._groups = tagged, tagged.groups
        self.found: list[Phrase] = []
        self.strays: list[Item] = []
        self._now = Phrase("", [[]], start)
        self._is_aside = False  # behind what only says which thing is meant
        for at in range(start, end):
            # "In x, y is …" and "in x y is …" begin with a place.
            opens = bool(self._now.prep) and not (self.found or start) and end < len(tagged.tags)
            self._add(at, tagged.tags[at], tagged.items[at], opens=opens)
        self._close(end)

    def _close(self, at: int) -> None:
        self._now.parts = [part for part in self._now.parts if part]
        if self._now.items:
            self.found.append(self._now)
        self._now = Phrase("", [[]], at + 1)

    def _add(self, at: int, tag: str, item: Item, *, opens: bool) -> None:
        now = self._now
        is_other = bool(item.meanings and now.items and now.items[-1].meanings.keys() & _PLACES)
        if tag in ("prep", *_CUTS):
            self._cut(at, tag, item)
        elif opens and now.items and ((tag == "in" and is_other) or item.text == ","):
            self._close(at - 1 if tag == "in" else at)
            self._now.parts[-1] += [item] if tag == "in" else []
        elif tag == "and":
            now.is_either |= item.stem in ("or", "/", "nor")
            now.parts += [[]] if now.items else []
        elif tag in ("no", "the"):
            self._mark(at, tag, item)
        elif tag in ("only", "limit"):
            self._limit(tag, item)
        elif tag == "skip" and item.text.lower() in _EXAMPLES:
            now.parts = [[one for one in now.items if one.meanings]]
        elif tag == "in":
            now.parts[-1].append(item)

    def _cut(self, at: int, tag: str, item: Item) -> None:
        was, tags = self._now, self._tagged.tags
        if tag == "prep":
            is_of = item.stem == "of" and all(map(self._tagged.is_empty, was.items))
            if is_of and (was.items or was.is_denied):
                return  # "the value of x" is x
            self._close(at)
            is_purpose = item.stem == "to" and tags[at + 1 : at + 2] == ["verb"]
            self._now.prep = "aside" if is_purpose or self._is_aside else item.stem
            return
        self._close(at)
        if tag in ("which", "verb"):
            self._is_aside = bool(self.found) and tags[at - 1] not in GROUP
            self._now.prep = "aside" if tag == "which" or self.found else was.prep
        self._now.is_denied = was.is_denied and not self.found

    def _mark(self, at: int, tag: str, item: Item) -> None:
        if self._now.parts[-1]:
            self._close(at)
        if tag == "no":
            self._now.is_denied = True
            return
        is_every = item.is_in(self._groups["every"])
        self._now.is_every |= is_every
        self._now.is_definite |= item.stem != "a" and not is_every

    def _limit(self, tag: str, item: Item) -> None:
        now = self._now
        now.is_limited = True
        if tag == "limit":  # "no metric other than x"
            now.is_beyond = not (now.is_denied or item.meanings.get("limit"))
            self.strays += [one for one in now.items if one.meanings]
            now.is_denied, now.parts = False, [[]]
