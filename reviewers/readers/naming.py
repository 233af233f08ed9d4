"""The things of which a relation is said, by the kind for which each is taken."""

from reviewers.readers.accounting import SOFT, Account
from reviewers.readers.items import Item
from reviewers.readers.phrases import NotBuilt, Phrase
from reviewers.readers.words import stem

Values = list[tuple[tuple[Item, ...], str]]
"""Each thing's words, and its value."""
_MOST_OBJECTS = 8
_DEEDS = frozenset({"deed", "switch", "some", "act"})  # what has no name of its own
_NAMED_BY_NOUN = frozenset({"column", "dataset"})  # kinds that only a noun beside a name tells
_ALSO_CALLED = {
    "name": ("definition", "callee", "imported"),
    "key": ("metric", "column", "argument"),
}
_ADJECTIVE = ("ed", "ful", "ous", "able", "ible", "ive", "plete")
_UNSAID = "of what it is said is not said"


class Naming(Account):
    """The things of a structure."""

    def values(self, kind: str, at: str) -> Values:
        """The things of a kind of which the relation is said, a list's members in their order.

        Args:
            at: the prepositions behind which they may stand as well.
        """
        phrase = self._phrase_of(kind, at)
        if phrase is None or not any(
            one.meanings
            or one.kind != "word"
            or one.is_unknown(self.words)
            or (kind in _DEEDS and one.stem in self.words.done_to)
            for one in phrase.items
        ):
            return self._spoken_of(kind, phrase)
        found: Values = []
        for part in phrase.parts:
            if kind == "style" and found:  # "the positional arguments x and y"
                self.used.update(id(one) for one in phrase.items if "argument" in one.meanings)
                break
            values = self._of_part(kind, part)
            if not values and any(
                one.meanings.keys() - SOFT
                or one.kind != "word"
                or one.is_unknown(self.words)
                or (len(part) == 1 and one.relations(self.words))
                for one in part
            ):
                raise NotBuilt(f"no {kind}: {part[-1].text[:60]}")
            found += values
        if not found or len(found) > _MOST_OBJECTS:
            raise NotBuilt("it speaks of too many things" if found else _UNSAID)
        self.used.update(id(one) for items, _ in found for one in items)
        return found

    def _phrase_of(self, kind: str, at: str) -> Phrase | None:
        phrase = self.structure.object
        if not at or (phrase and any(kind in one.meanings for one in phrase.items)):
            return phrase
        for other in self.places:
            is_there = other.prep in map(stem, at.split())
            if is_there and any(kind in item.meanings for item in other.items):
                soft = SOFT - {"command"}
                self.used.update(  # "a merged config at x.yaml"
                    id(one)
                    for one in (phrase.items if phrase else ())
                    if one.meanings.keys() <= soft
                )
                return other
        return phrase

    def _of_part(self, kind: str, part: list[Item]) -> Values:
        if kind == "component":
            return self._component(part)
        if kind in _DEEDS:
            return self._deed(part)
        if kind == "process":
            scripts = [one for one in part if one.meanings.get("file", "").endswith(".py")]
            return [
                ((one,), one.meanings["file"].removesuffix(".py").replace("/", "."))
                for one in scripts
            ]
        nouns = [one for one in part if not one.meanings and one.stem in self.words.kinds]
        typed = frozenset[str]().union(*(self.words.kinds[one.stem] for one in nouns))
        if kind in typed and kind in _NAMED_BY_NOUN:
            found = [(one, one.text) for one in part if "name" in one.meanings]
        else:
            found = [
                (one, one.meanings[kind])
                for one in part
                if kind in one.meanings and self._may_be(one, kind, typed, part)
            ]
        if kind == "figure" and found and all(value == "*" for _, value in found):
            shown = [one for each in self.structure.others for one in each.items]
            found += [(one, one.meanings[kind]) for one in shown if kind in one.meanings]
        found.sort(key=lambda one: one[1] == "*")  # "a bar figure"
        if found:  # with the noun that tells its kind
            self.used.update(map(id, nouns))
        if kind == "figure":
            if found and found[0][1] == "*" and any(one.is_in(self.groups["more"]) for one in part):
                return []
            self.used.update(id(one) for one, _ in found)
        return [((one,), value) for one, value in found[:1]]

    def _may_be(self, item: Item, kind: str, typed: frozenset[str], part: list[Item]) -> bool:
        """Whether a thing may be of a kind, by the nouns beside it, too: "the *metric* x"."""
        relation = self.relation
        if item.text.endswith("'s") or (kind == "text" and "file" in item.meanings):
            return False
        if kind != "file" and any(one.is_in(self.groups["folders"]) for one in part):
            return False
        if kind == "argument" and typed and kind not in typed:
            return False
        is_word = kind in ("key", "metric") and item.kind == "word"
        is_word |= kind in ("activity", "library")
        if is_word and item.entity is not None and part[-1] is not item:
            after = part[part.index(item) + 1]
            if (after.meanings or after.is_unknown(self.words)) and not after.relations(self.words):
                return False  # of a "Hydra run file" the file is spoken of
            own = item.meanings.keys() | {"name", "file"}
            if after.stem in self.words.kinds and not self.words.kinds[after.stem] & own:
                return False  # of "Optuna parameters", these
        typed &= item.meanings.keys() & relation.of.keys()
        is_plain = item.kind == "word" and item.entity is not None and kind in ("key", "metric")
        if is_plain and kind not in typed and relation.name not in ("log", "pass", "fix"):
            return False
        is_had = "callee" in item.meanings and relation.name in ("have", "lack")
        if is_had and kind == "callee" and "name" in typed:
            return False
        return not typed or kind in typed or kind == "definition"

    def _deed(self, part: list[Item]) -> Values:
        """What is done to things without a name: "saves the best model"."""
        named = self.words.deeds.get("log" if self._is_sunk else self.relation.name, {})
        for start in range(len(part)):
            for end in range(len(part), start, -1):
                stems = tuple(" ".join(one.stem for one in part[start:end]).split())
                if value := named.get(stems):
                    return [(tuple(part[start:end]), value)]
        return []

    @property
    def _is_sunk(self) -> bool:
        """Whether it speaks of what is put into a summary."""
        return any("sink" in one.meanings for one in self.clause.items)

    def _component(self, part: list[Item]) -> Values:
        """Words that the lexicon does not have, where they name a part of the method."""
        run = [one for one in part if self._names_component(one)]
        if any(one.meanings and one not in run for one in part):
            return []
        while run and (run[-1].text.endswith(_ADJECTIVE) or run[0].stem in self.words.kinds):
            run = run[:-1] if run[-1].text.endswith(_ADJECTIVE) else run[1:]
        own = [
            one
            for one in run
            if one.stem not in self.words.kinds and one.stem not in self.groups["unspecific"]
        ]
        is_term = sum(len(one.stem.split("-")) for one in own) > 1 or any(
            one.kind != "word" or "component" in one.meanings or one.stem in self.table.terms
            for one in own
        )
        is_term &= not any(one.is_in(self.groups["askers"]) for one in part[-1:])
        return [(tuple(run), " ".join(one.text for one in run))] if own and is_term else []

    def _names_component(self, item: Item) -> bool:
        if not item.meanings:
            is_noun = item.stem in self.words.kinds or item.is_in(self.groups["parts"])
            return is_noun or item.is_unknown(self.words)
        is_plain = item.kind == "word" and item.meanings.keys() <= {"key", "metric"}
        return "component" in item.meanings or (is_plain and item.text.islower())

    def _spoken_of(self, kind: str, phrase: Phrase | None) -> Values:
        """What "it" or "these attributes" were in the statement before, of which one that names
        nothing goes on: "x is imported but unused".
        """
        items = phrase.items if phrase is not None else []
        is_pronoun = any(one.is_in(self.groups["pronouns"]) for one in items)
        goes_on = self.clause.adds or self.clause.joined == "effect"
        if not (is_pronoun or phrase.is_definite if phrase is not None else goes_on):
            raise NotBuilt(_UNSAID)
        nouns = (one.stem for one in items if one.stem in self.words.kinds)
        typed = frozenset[str]().union(*(self.words.kinds[each] for each in nouns))
        typed = typed.union(*(_ALSO_CALLED.get(each, ()) for each in typed))
        if typed and kind not in typed:  # "the key" is not a file
            raise NotBuilt("it is of another kind than what was spoken of")
        last = self.context.kind
        if last != kind and last in self.relation.of:
            raise NotBuilt("it was something else in the statement before")
        things = (*self.context.objects, *self.context.named)
        named = [one.meanings[kind] for one in things if kind in one.meanings]
        found: Values = [((), value) for value in dict.fromkeys(named)]
        is_many = any(
            one.is_in(self.groups["plural"])
            or (one.stem in self.words.kinds and one.text.endswith("s"))
            for one in items
        )
        if not found or (is_many and len(found) < 2):
            raise NotBuilt(_UNSAID)
        return found
