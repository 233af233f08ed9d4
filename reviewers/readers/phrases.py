"""What the words of a statement do in it, and the phrases that they make around nouns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from reviewers.readers.items import LISTING, Item
from reviewers.readers.lexicon import Lexicon
from reviewers.readers.words import IRREGULAR

_EXAMPLES = frozenset({"such as", "for example", "for instance"})
_PARTICIPLES = ("ed", "en", "wn", "nt", "de", "un", "set", "ead", "id", "ght", "ept", "ost")
_NOUNS = frozenset({"thing", "name", "noun", "word"})


class NotBuilt(Exception):
    """The words do not make a statement; the text says why."""


@dataclass(slots=True)
class Phrase:
    """Words around a noun, or several in a list.

    Attributes:
        prep: the preposition before it; `aside` where it only says which thing is meant.
        parts: the members of the list.
        is_beyond: whether it is all but what stands in it.
        deed: the gerund that governs it: "without *importing* x".
        tells_which: whether it only says which thing is meant: "the key *that x reads*".
    """

    prep: str
    parts: list[list[Item]]
    is_denied: bool = False
    is_limited: bool = False
    is_beyond: bool = False
    is_every: bool = False
    is_either: bool = False
    is_definite: bool = False
    deed: Item | None = None
    tells_which: bool = False

    @property
    def items(self) -> list[Item]:
        return [item for part in self.parts for item in part]

    @property
    def names_something(self) -> bool:
        """Whether a thing with a meaning stands in it."""
        return any(item.meanings for item in self.items)

    def without(self, item: Item) -> "Phrase":
        parts = [[one for one in part if one is not item] for part in self.parts]
        return replace(self, parts=[part for part in parts if part])


def form(item: Item) -> str:
    """The form of a word, of several ones that of the first."""
    return item.text.lower().partition(" ")[0]


def acts(item: Item) -> bool:
    """Whether a verb has the form in which it stands behind one subject: "draws"."""
    return form(item).endswith("s") and not form(item).endswith("ss")


def is_participle(item: Item) -> bool:
    """Whether a word says what is done to something: "drawn", "is *set*"."""
    text = form(item)
    if text in IRREGULAR:
        return True
    return text.endswith(_PARTICIPLES) and not text.endswith(("ment", "tain", "eed"))


class Phrases:
    """A statement's words, each with what it does:

    `thing` a name or noun with a meaning, `name` and `word` without one, `noun` of the lexicon,
    `deed` a word of a relation, `aux`, `not`, `bare` ("no"), `deny`, `only`, `limit`, `the`, `it`,
    `prep`, `and`, `there`, `skip`.
    """

    def __init__(self, items: Sequence[Item], words: Lexicon) -> None:
        self.words, self.groups = words, words.groups
        self.items = [item for item in items if item.text not in ("(", ")", "[", "]")]
        self.tags = [self._tag(at, item) for at, item in enumerate(self.items)]
        self.strays: list[Item] = []

    def _tag(self, at: int, item: Item) -> str:
        if item.text.lower() in LISTING:
            return "and"
        if item.kind == "stop" or item.meanings.keys() & {"word", "join"}:
            return "skip"
        if item.meanings:
            return next((one for one in ("limit", "deny") if one in item.meanings), "thing")
        if item.kind != "word":
            return "name"
        return next(
            (tag for tag, is_so in self._function(at, item) if is_so), self._content(at, item)
        )

    def _function(self, at: int, item: Item) -> Iterator[tuple[str, bool]]:
        groups, after = self.groups, self.items[at + 1 : at + 2]
        is_alone = not after or after[0].is_in(groups["auxiliaries"] | groups["negations"])
        is_article = item.is_in(groups["every"] | groups["articles"])
        is_afloat = item.is_in(groups["every"]) and bool(after) and at > 0
        yield "skip", is_afloat and bool(self.items[at - 1].meanings) and self._is_verb(after[0])
        does = bool(after) and acts(after[0]) and bool(after[0].relations(self.words))
        yield "not", item.is_in(groups["nobody"]) and does
        yield "bare", item.stem in groups["bare"]
        yield "prep", item.stem == "without"
        yield "not", item.is_in(groups["negations"])
        yield "only", item.is_in(groups["only"])
        is_last = not after or after[0].is_in(groups["prepositions"])
        yield "it", item.text.lower() == "one" and at > 0 and is_last  # "stores one in x"
        yield "skip", item.stem in groups["counts"] and item.text.lower() != "on"
        yield "there", item.text.lower() == "there"
        yield "it", item.text.lower() == "it"  # of which "its" has the stem
        before = self.items[at - 1 : at] if at else []
        is_of_noun = any(one.meanings or one.stem in self.words.kinds for one in before)
        yield "it", item.stem == "that" and is_of_noun
        yield "the", is_article and not (is_alone and item.is_in(groups["pronouns"]))
        yield "it", item.is_in(groups["pronouns"])
        is_getting = item.stem == "get" and bool(after) and not is_participle(after[0])
        yield "aux", item.is_in(groups["auxiliaries"] | groups["will"]) and not is_getting
        is_verb = bool(item.relations(self.words)) and not item.text.lower().endswith("ing")
        yield "prep", item.is_in(groups["prepositions"]) and not is_verb
        yield "skip", item.is_in(groups["possible"]) or item.text.lower().endswith("ly")

    def _is_verb(self, item: Item) -> bool:
        return bool(item.relations(self.words)) or item.is_in(self.groups["auxiliaries"])

    def _content(self, at: int, item: Item) -> str:
        groups = self.groups
        if item.relations(self.words):
            return "deed"
        is_odd = item.is_in(groups["narrowing"] | groups["changing"] | groups["faults"])
        if is_odd or item.is_unknown(self.words):
            return "word"
        is_named = at > 0 and self.items[at - 1].is_in(groups["articles"] | groups["every"])
        return "noun" if item.stem in self.words.kinds or is_named else "skip"

    def near(self, at: int, step: int) -> int | None:
        """The next place in a direction whose word does something."""
        at += step
        while 0 <= at < len(self.tags) and self.tags[at] in ("skip", "only"):
            at += step
        return at if 0 <= at < len(self.tags) else None

    def between(self, start: int, end: int) -> list[Phrase]:
        """The phrases between two places, cut at prepositions and at what only says which.

        Raises:
            NotBuilt: a part of what stands there is denied.
        """
        found = [Phrase("", [[]])]
        at = start
        while at < end:
            if self.tags[at] == "prep" and self._goes_on(found[-1], end):
                at += 1
                continue
            opened = self._opened(found[-1], at, end, is_first=at == start)
            if opened is not None:
                found.append(opened)
            else:
                at += self._add(found[-1], at)
            at += 1
        for at, one in enumerate(found):
            one.parts = [part for part in one.parts if part]
            if one.is_denied and not self.says(one.items) and at + 1 < len(found):
                found[at + 1].is_denied = True
            if one.prep == "without" and not one.items and one.deed is None:
                raise NotBuilt("what is left out is not said")
        return [
            one
            for one in found
            if self.says(one.items)
            or one.deed is not None
            or (one.items and (one.prep == "without" or (one.is_denied and one is found[-1])))
        ]

    def _goes_on(self, now: Phrase, end: int) -> bool:
        """Whether what stands behind a preposition only tells which thing is meant, too: "the files
        named by x are missing", "lacks the section required by y".
        """
        is_subject = end < len(self.tags)
        is_demand = now.deed is not None and now.deed.stem in self.words.filler
        return now.prep == "aside" and (is_subject or is_demand)

    def _opened(self, now: Phrase, at: int, end: int, *, is_first: bool) -> Phrase | None:
        """The phrase that begins with a word; None where it goes on with the last one."""
        tag, item = self.tags[at], self.items[at]
        after = self.tags[at + 1] if at + 1 < end else ""
        if tag == "prep":
            is_empty = all(map(self._is_empty, now.items))
            is_place = any("sink" in one.meanings for one in self.items[at + 1 : at + 3])
            if item.stem == "of" and not is_first and is_empty and not is_place:
                return None  # "the value of x" is x
            is_noun = all(one.stem in self.words.kinds for one in now.items)
            if item.stem == "for" and is_empty and is_noun and after == "thing":
                return None  # "no entry for x"
            is_purpose = item.stem == "to" and after == "deed"
            is_aside = is_purpose and not is_participle(self.items[at + 1])
            return Phrase("aside" if is_aside else item.stem, [[]])
        if not now.items:
            return None
        if tag == "the" and self.tags[at - 1] != "and":
            opened = Phrase("", [[]])
            self._add(opened, at)
            return opened
        tells = tag == "deed" and not self._names(item) and (
            is_participle(item) or item.text.lower().endswith("ing")
        ) and not item.is_in(self.groups["states"])  # fmt: skip
        if tells and self.tags[at - 1] in _NOUNS and after in ("prep", "thing", "the", "name"):
            return Phrase("aside", [[]], deed=item, tells_which=True)
        is_relative = tag == "it" and item.stem in ("that", "which")
        return Phrase("aside", [[]], tells_which=True) if is_relative else None

    def _add(self, now: Phrase, at: int) -> int:
        """Go on with a phrase; the number of words after this one that are done with, too."""
        tag, item = self.tags[at], self.items[at]
        is_deed = tag == "deed" and not now.items and bool(now.prep)
        if tag in ("bare", "only", "limit", "the", "and"):
            self._mark(now, tag, item)
        elif is_deed and (item.text.lower().endswith("ing") or now.prep == "without"):
            now.deed = item
        elif tag == "aux":
            if item.is_in(self.groups["will"]) and now.prep != "aside":
                raise NotBuilt("two statements stand in one")
            if now.deed is None and now.prep != "aside" and item.text.lower() != "being":
                self.strays.append(item)
        elif tag in ("not", "deny"):
            if now.prep != "aside":
                raise NotBuilt("only a part of it is denied")
        elif item.text.lower() in _EXAMPLES:
            now.parts = [[one for one in now.items if one.meanings]]
            return self.tags[at + 1 : at + 2] == ["the"]
        elif self._goes_in(now, tag, item):
            now.parts[-1].append(item)
        return 0

    def _mark(self, now: Phrase, tag: str, item: Item) -> None:
        is_every = item.is_in(self.groups["every"])
        if tag == "bare":
            now.is_denied = True
        elif tag == "the":
            now.is_every |= is_every
            now.is_definite |= item.stem != "a" and not is_every
        elif tag == "and":
            now.is_either |= item.stem in ("or", "/")
            if now.items:
                now.parts.append([])
        else:
            now.is_limited = True
            if tag == "limit":  # "no metric other than x"
                now.is_beyond = not (now.is_denied or item.meanings["limit"])
                self.strays += [one for one in now.items if one.meanings]
                now.is_denied, now.parts = False, [[]]

    def _goes_in(self, now: Phrase, tag: str, item: Item) -> bool:
        if tag == "deed" and now.items and self._names(item):
            return False
        return tag not in ("skip", "prep") or (
            tag == "skip" and item.kind == "word" and not item.meanings
        )

    def _names(self, item: Item) -> bool:
        """Whether a participle only says that a name follows: "called"."""
        return item.is_in(self.groups["naming"]) and is_participle(item)

    def _is_empty(self, item: Item) -> bool:
        """Whether a word says nothing of its own: "value"."""
        is_filler = item.stem in self.words.filler and not item.meanings
        return is_filler and not item.relations(self.words)

    def says(self, items: Sequence[Item]) -> bool:
        """Whether words name anything."""
        telling = self.words.done_to | self.words.kinds.keys() | self.groups["pronouns"]
        return any(not self._is_empty(item) or item.stem in telling for item in items)
