"""What the words of a statement do in it."""

from collections.abc import Iterator

from reviewers.readers.items import LISTING, Clause, Item
from reviewers.readers.lexicon import Lexicon
from reviewers.readers.words import IRREGULAR, stem

GROUP = frozenset({"aux", "not", "only", "skip", "there"})
"""Of what stands before a verb and belongs to it."""
_PARTICIPLES = ("ed", "en", "wn", "nt", "de", "un", "set", "ead", "id", "ght", "ept", "ost")
_NO_PARTICIPLES = ("ment", "tain", "eed")
_PLAIN = frozenset({"run", "set", "read", "put", "cut"})  # forms of a verb that are all one
_NOUNS = ("tion", "ment", "age", "ance", "ence", "ure")


def acts(item: Item) -> bool:
    """Whether a verb has the form in which it stands behind one subject: "draws"."""
    form = item.text.lower().partition(" ")[0]
    return form.endswith("s") and not form.endswith("ss")


def is_participle(item: Item) -> bool:
    """Whether a word says what is done to something: "drawn", "is *set*"."""
    form = item.text.lower().partition(" ")[0]
    return form in IRREGULAR or (form.endswith(_PARTICIPLES) and not form.endswith(_NO_PARTICIPLES))


class Tagged:
    """A statement's words, each with what it does: `in` of a phrase, `verb`, `aux`, `not`, `no`,
    `only`, `limit`, `the`, `prep`, `and`, `which`, `there`, `stop`, `skip`.
    """

    def __init__(self, clause: Clause, words: Lexicon) -> None:
        self.words, self.groups, self.clause = words, words.groups, clause
        self.items = [one for one in clause.items if one.text not in ("(", ")", "[", "]")]
        self.tags: list[str] = []
        for at, one in enumerate(self.items):
            self.tags.append(next(tag for tag, is_so in self._tags(at, one) if is_so))
        for at in self.verbs():
            if self._is_adjective(at):
                self.tags[at] = "in"

    def verbs(self) -> list[int]:
        return [at for at, tag in enumerate(self.tags) if tag == "verb"]

    def is_empty(self, item: Item) -> bool:
        """Whether a word says nothing of its own: "value"."""
        return item.stem in self.words.filler and not (item.meanings or item.relations(self.words))

    def _tags(self, at: int, item: Item) -> Iterator[tuple[str, bool]]:
        """What a word may do, and whether it does so; the first counts."""
        yield "not", not at and item.text.lower() == "nor"
        yield "and", item.text.lower() in LISTING
        yield "stop", item.kind == "stop"
        yield "skip", bool(item.meanings.keys() & {"word", "join"})
        yield "limit", "limit" in item.meanings or item.text.lower() in ("except", "besides")
        yield "not", "deny" in item.meanings
        relates = bool(item.relations(self.words)) and self._is_verb_here(at)
        is_name = bool(item.meanings) or item.kind != "word"
        yield "verb", is_name and relates
        yield "in", is_name
        yield from self._small(at, item)
        yield "verb", relates
        yield "in", bool(item.relations(self.words))
        is_manner = item.text.lower().endswith("ly")
        is_manner &= not item.is_in(self.groups["changing"] | self.groups["faults"])
        yield "skip", is_manner or item.is_in(self.groups["possible"])
        yield "in", True

    def _small(self, at: int, item: Item) -> Iterator[tuple[str, bool]]:
        """What a word may do that names nothing."""
        groups, text = self.groups, item.text.lower()
        before, after = self._at(at - 1), self._at(at + 1)
        acting = after is not None and acts(after) and bool(after.relations(self.words))
        yield "not", item.is_in(groups["nobody"]) and acting
        yield "no", item.stem in groups["bare"]
        yield "prep", item.stem == "without" and not self._is_deed(at + 1)
        yield "not", item.is_in(groups["negations"])
        yield "only", item.is_in(groups["only"])
        yield "there", text == "there"
        yield "in", text == "it"  # of which "its" has the stem
        is_last = after is None or after.is_in(groups["prepositions"])
        yield "in", text == "one" and is_last
        yield "skip", item.stem in groups["counts"] and text != "on"
        is_named = before is not None and (
            bool(before.meanings) or before.stem in self.words.kinds or before.kind != "word"
        )
        yield "which", text in ("that", "which") and is_named
        is_alone = after is None or after.is_in(groups["auxiliaries"] | groups["negations"])
        is_article = item.is_in(groups["every"] | groups["articles"])
        yield "the", is_article and not (is_alone and item.is_in(groups["pronouns"]))
        yield "in", item.is_in(groups["pronouns"])
        yield "aux", item.is_in(groups["auxiliaries"] | groups["will"]) and self._helps(at)
        is_verb = bool(item.relations(self.words)) and not text.endswith("ing")
        yield "prep", item.is_in(groups["prepositions"]) and not is_verb
        is_naming = item.is_in(groups["naming"]) and is_participle(item)
        is_kind = before is not None and before.stem in self.words.kinds
        yield "skip", is_naming and is_kind and self.tags[-1] == "in"  # "a function called x"

    def _at(self, at: int) -> Item | None:
        return self.items[at] if 0 <= at < len(self.items) else None

    def _is_deed(self, at: int) -> bool:
        """Whether it is told what is done: "without *being imported*"."""
        ahead = [one for one in self.items[at : at + 3] if one.stem not in ("be", "ever")]
        return bool(ahead and ahead[0].relations(self.words)) and (
            is_participle(ahead[0]) or ahead[0].text.endswith("ing")
        )

    def _helps(self, at: int) -> bool:
        """Whether "has" or "gets" is an auxiliary: a participle comes next, not what is had."""
        item = self.items[at]
        rest = [one for one in self.items[at + 1 :] if not one.is_in(self.groups["negations"])]
        done = bool(rest) and is_participle(rest[0])
        if item.stem == "get":
            return done or not rest
        if item.stem != stem("have"):
            return True
        return bool(rest) and (
            rest[0].stem == "be" or (done and bool(rest[0].relations(self.words)))
        )

    def _is_verb_here(self, at: int) -> bool:
        """Whether a word that may relate things does so here, and is no noun."""
        item, before, after = self.items[at], self._at(at - 1), self._at(at + 1)
        if " " in item.text and not item.meanings:
            return True  # an idiom
        last = next((one for one in reversed(self.tags) if one not in ("skip", "only")), "")
        if before is not None and (known := self._beside(item, before, last)) is not None:
            return known
        if item.meanings:  # a noun as well
            return acts(item) and after is not None and before is not None
        if after is not None and after.stem == "of" and not is_participle(item):
            return False
        has_form = acts(item) or is_participle(item) or item.text.lower().endswith("ing")
        if before is None or item.is_in(self.groups["states"]):
            return True
        if has_form and item.text.lower() not in _PLAIN:
            is_behind = last == "verb" and not before.text.endswith("ing")
            return not (is_behind and (is_participle(item) or acts(item)))
        return not item.text.lower().endswith(_NOUNS) and self._has_many_before(before, last)

    def _beside(self, item: Item, before: Item, last: str) -> bool | None:
        """Whether a word is a verb by the one before it; None where that does not tell."""
        if before.is_in(self.groups["negations"]) and before.stem in self.groups["bare"]:
            return False
        if last == "the" and (not item.is_in(self.groups["absences"]) or "verb" in self.tags):
            return False
        if before.is_in(self.groups["prepositions"]) and not item.text.endswith("ing"):
            return before.stem == "to" and not is_participle(item)
        return True if last in ("aux", "not") else None

    def _has_many_before(self, before: Item, last: str) -> bool:
        """Whether a verb without an ending has a subject that asks for none: "the files use x"."""
        head = self.items[self.tags.index("prep") - 1] if "prep" in self.tags else before
        is_many = head.text.lower().endswith("s") or "and" in self.tags
        is_many |= before.is_in(self.groups["pronouns"])
        return last == "which" or (
            last == "in" and is_many and not {"verb", "aux"} & set(self.tags)
        )

    def _is_adjective(self, at: int) -> bool:
        """Whether a participle only says of which kind the next thing is: "derived metrics"."""
        before, after = self.tags[at - 1] if at else "", self.tags[at + 1 : at + 2]
        others = {"verb", "aux"} & {*self.tags[:at], *self.tags[at + 1 :]}
        if not at and after == ["prep"] and acts(self.items[at]) and "aux" in others:
            return True  # "calls to x are absent"
        return (
            after == ["in"]
            and is_participle(self.items[at])
            and " " not in self.items[at].text
            and before in ("", "the", "and", "verb", "no")
            and bool(others)
        )
