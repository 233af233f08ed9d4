"""The grammar of a statement: its verb, what the verb is said of, who does it, and where.

Nothing here knows a predicate. Each word of content stands in the structure or is one of its
strays, so that a reading can be refused that does not account for all of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from reviewers.readers.items import Clause, Item
from reviewers.readers.lexicon import Lexicon, Relation
from reviewers.readers.phrases import NotBuilt, Phrase, Phrases, acts, form, is_participle
from reviewers.readers.words import stem

_HELPERS = {"get": "be", "hav": "have"}
_NAMING = ("thing", "noun", "name", "word")
_OPENING = ("thing", "the", "bare", "name", "word")
_DONE_WITHOUT = frozenset({"call", "start", "launch"})
_RUNNING = frozenset({"go", "have", "train"})  # of what has no object, as "trains without x"
_STATED = frozenset({"type", "number"})
_FAULTS = frozenset({"malformed", "note"})  # of which it is enough to say where they are
_CALLED = frozenset({"callee", "library", "imported", "definition"})
_LIGHT = frozenset({"use", "lack", "have"})


@dataclass(slots=True)
class Structure:
    """One way in which a statement may be built.

    Attributes:
        relation: what is said; by `verb`, which is None where only existence is meant.
        object: what it is said of.
        actor: who does it.
        others: what stands behind prepositions, in order.
        strays: words of content that stand nowhere.
    """

    relation: Relation
    verb: Item | None
    object: Phrase | None = None
    actor: Phrase | None = None
    others: list[Phrase] = field(default_factory=list)
    is_denied: bool = False
    is_limited: bool = False
    strays: Sequence[Item] = ()

    @property
    def phrases(self) -> list[Phrase]:
        return [one for one in (self.object, self.actor, *self.others) if one is not None]


@dataclass(slots=True)
class _Verb:
    """The auxiliaries and negations of a verb, and where the verb itself stands.

    Attributes:
        leading, beside: the phrases before the subject, and those behind it.
    """

    at: int
    leading: list[Phrase]
    beside: list[Phrase]
    denials: int = 0
    is_limited: bool = False
    helper: str = ""
    has_there: bool = False


def begins_with_subject(items: Sequence[Item], words: Lexicon) -> bool:
    """Whether a verb stands among words, and what it is said of before it."""
    grammar = _Grammar(Clause(list(items)), words)
    try:
        at = grammar.verb_at() or 0
    except NotBuilt:
        return True
    return not {"thing", *_NAMING, "deed"}.isdisjoint(grammar.tags[:at])


def has_verb(items: Sequence[Item], words: Lexicon) -> bool:
    """Whether a verb stands among words, be it one that is not known."""
    try:
        return _Grammar(Clause(list(items)), words).verb_at() is not None
    except NotBuilt:
        return True


def states(items: Sequence[Item], words: Lexicon) -> bool:
    """Whether words make a statement: a verb stands in them, or something is said to be missing."""
    if has_verb(items, words):
        return True
    grammar = _Grammar(Clause(list(items)), words)
    is_absent = "bare" in grammar.tags or any(one.is_in(words.groups["absences"]) for one in items)
    return is_absent and not {"thing", "word"}.isdisjoint(grammar.tags)


def members(structure: Structure) -> Iterator[Structure]:
    """A structure for each member of a list of things of different kinds."""
    what = structure.object
    kinds = [
        set().union(*(one.meanings.keys() for one in part)) for part in (what.parts if what else ())
    ]
    is_list = len(kinds) > 1 and all(kinds) and not set.intersection(*kinds)
    if what is None or not is_list or structure.is_limited:
        return
    for part in what.parts:
        yield replace(structure, object=replace(what, parts=[part]))


def structures(clause: Clause, words: Lexicon, before: Relation | None) -> Iterator[Structure]:
    """The ways to build a statement, the likeliest first.

    Args:
        before: the relation of the statement before, which one goes on that has none: "not x".

    Raises:
        NotBuilt: there is none.
    """
    grammar = _Grammar(clause, words)
    if before is not None and clause.adds and (ellipsis := grammar.ellipsis(before)):
        yield ellipsis
    else:
        yield from grammar.structures()


class _Grammar(Phrases):
    def __init__(self, clause: Clause, words: Lexicon) -> None:
        super().__init__(clause.items, words)
        self.clause = clause
        self.have, self.be = (words.relations[stem(one)] for one in ("have", "be"))

    def structures(self) -> Iterator[Structure]:
        denials = [at for at, tag in enumerate(self.tags) if tag in ("not", "bare", "deny")]
        if denials and any(
            item.is_in(self.groups["degrees"])
            and (item.text.lower().endswith("ly") or at == denials[-1] + 1)
            for at, item in enumerate(self.items)
            if at > denials[0]
        ):
            raise NotBuilt("only how it is done is denied")
        start = self.verb_at()
        yield from self._nominal() if start is None else self._verbal(start)

    # The verb

    def verb_at(self) -> int | None:
        """Where the words begin that are the verb: its auxiliaries, a negation, or itself. The verb
        of "the file that x writes" is that of the statement only where there is no other.
        """
        is_relative, inner = False, None
        for at, tag in enumerate(self.tags):
            if is_relative and at < len(self.tags) - 1 and tag == "word" and inner is None:
                continue
            if self._is_unknown_verb(at):
                raise NotBuilt(f"not understood: {self.items[at].text}")
            is_after_noun = at > 0 and self.tags[at - 1] in _NAMING
            if tag == "it" and is_after_noun and self.items[at].stem in ("that", "which"):
                is_relative = True
            is_verb = tag in ("deed", "thing") and bool(self.items[at].relations(self.words))
            if tag in ("aux", "not", "deny") or (is_verb and self._is_finite(at)):
                while at and self.tags[at - 1] in ("skip", "only"):
                    at -= 1
                if not is_relative or inner is not None:
                    return at
                inner = at
        return inner

    def _is_unknown_verb(self, at: int) -> bool:
        """Whether a word that nothing is known of stands where a verb does."""
        return (
            self.tags[at] == "word"
            and self.tags[at - 1 : at] in (["thing"], ["noun"], ["skip"], ["it"], ["word"])
            and self.tags[at + 1 : at + 2] in (["thing"], ["the"], ["name"], ["bare"])
            and (self.items[at].text.lower().endswith("s") or self.tags[at + 1] in ("the", "bare"))
            and "prep" not in self.tags[:at]
        )

    def _is_finite(self, at: int) -> bool:
        """Whether a word that may relate things is the statement's verb here."""
        item = self.items[at]
        before, after = self.near(at, -1), self.near(at, 1)
        following = self.tags[after] if after is not None else ""
        stem_after = self.items[after].stem if after is not None else ""
        if before is None:
            opens = following in _OPENING or stem_after == "on"
            opens |= following == "deed" and stem_after in self.words.kinds  # "breaks run x"
            goes_on = self.clause.adds and is_participle(item) and following == "prep"
            return self.tags[at] == "deed" and ((acts(item) and opens) or goes_on)
        has_subject = set(self.tags[:at]) & {"thing", "name", "word", "it", "noun", "deed"}
        if not has_subject or self.tags[before] in ("the", "bare", "prep") or following == "aux":
            return False
        if stem_after == "of" and not form(item).endswith("ed"):
            return False
        if acts(item) and all(one.of for one in item.relations(self.words)):
            is_place = following == "prep" and stem_after not in self.groups["governed"]
            if following == "and" or (is_place and self.tags[before] == "word"):
                return False  # "the relative imports in x"; what fails may stand alone
        is_state = item.is_in(self.groups["states"]) and not acts(item)
        if form(item).endswith("ing") or is_state:
            return False
        if self.tags[at] == "thing" and following not in _OPENING and stem_after != "without":
            return False
        if is_participle(item):
            return not any(
                tag == "aux" or (tag == "deed" and self._is_plain_verb(later))
                for later, tag in enumerate(self.tags[at + 1 :], at + 1)
            )
        return self._is_plain_verb(at)

    def _is_plain_verb(self, at: int) -> bool:
        item, before = self.items[at], self.near(at, -1)
        if before is None:
            return False
        if acts(item):
            noun = self.items[before]
            is_verb = self.tags[before] == "deed" and (acts(noun) or is_participle(noun))
            return not is_verb and self.tags[before] not in ("the", "bare", "prep")
        if form(item).endswith(("ed", "ing", "ion", "ment")):
            return False
        preps = [here for here, tag in enumerate(self.tags[:at]) if tag == "prep" and here]
        head = self.near(preps[0], -1) if preps else before
        is_plural = head is not None and self.items[head].text.lower().endswith("s")
        return is_plural or self.tags[before] == "it" or "and" in self.tags[:before]

    def _verb(self, at: int, leading: list[Phrase], beside: list[Phrase]) -> _Verb:
        verb = _Verb(at, leading, beside)
        while verb.at < len(self.items):
            tag, item = self.tags[verb.at], self.items[verb.at]
            if tag not in ("aux", "not", "deny", "skip", "only", "there"):
                break
            verb.denials += tag in ("not", "deny")
            verb.is_limited |= tag == "only"
            verb.has_there |= tag == "there"
            if tag == "aux":
                verb.helper = _HELPERS.get(item.stem, item.stem)
            if tag == "deny" and not item.text.lower().endswith("to"):
                raise NotBuilt("what is denied is not said")
            verb.at += 1
        verb.has_there |= "there" in self.tags[:at]
        while self.tags[verb.at : verb.at + 2] == ["deed", "deed"] and all(
            map(acts, self.items[verb.at : verb.at + 2])
        ):
            verb.at += 1  # "computes or back-propagates", of which the list is lost
        return verb

    # Statements with a verb

    def _verbal(self, start: int) -> Iterator[Structure]:
        before = self.between(0, start)
        subject = next((one for one in reversed(before) if not one.prep), None)
        if subject is None and len(before) == 1:
            before, subject = self._led_by(before[0])
        here = next((at for at, one in enumerate(before) if one is subject), len(before))
        verb = self._verb(start, before[:here], before[here + 1 :])
        after = self.items[verb.at] if verb.at < len(self.items) else None
        tag = self.tags[verb.at] if after is not None else ""
        if verb.has_there:
            yield from self._said(None, self.have, None, self._rest(verb), verb)
        elif after is not None and self._is_main(after, tag, verb.helper):
            yield from self._main(after, subject, verb)
        elif verb.helper == "be" and subject is not None:
            yield from self._copula(subject, self._rest(verb), verb)
        elif verb.helper in ("have", "do") and tag != "word" and self.tags[verb.at - 1] != "skip":
            relations = self.have if verb.helper == "have" else self.words.relations[stem("make")]
            yield from self._said(None, relations, subject, self._rest(verb), verb)
        else:
            raise NotBuilt("no known relation found")

    def _rest(self, verb: _Verb) -> list[Phrase]:
        return self.between(verb.at, len(self.items))

    def _is_main(self, item: Item, tag: str, helper: str) -> bool:
        """Whether the word behind the auxiliaries is the verb, and no noun."""
        if tag == "thing":
            return bool(item.relations(self.words)) and helper not in ("be", "have")
        return tag == "deed" and (helper != "have" or is_participle(item))

    def _main(self, item: Item, subject: Phrase | None, verb: _Verb) -> Iterator[Structure]:
        end = verb.at + 1
        if self.tags[end : end + 1] == ["and"] and self.tags[end + 1 : end + 2] in (
            ["deed"],
            ["word"],
        ):
            end += 2  # "reads or acts upon x"
        rest = self.between(end, len(self.items))
        is_state = item.is_in(self.groups["states"])
        has_object = bool(rest) and not rest[0].prep
        is_going_on = item.text.lower().endswith("ing") and (not is_state or has_object)
        is_passive = (
            (verb.helper == "be" and not is_going_on)
            or (not verb.helper and is_participle(item) and not has_object)
            or (is_state and not has_object)
        )
        describes = self.tags[verb.at + 1 : verb.at + 2] in ([one] for one in (*_OPENING, "noun"))
        if (
            is_passive
            and has_object
            and describes
            and self.tags[verb.at + 1] not in ("the", "bare")
            and subject is not None
            and subject.names_something
        ):
            yield from self._copula(subject, self._rest(verb), verb)
            return
        relations = item.relations(self.words)
        yield from self._said(item, relations, subject, rest, verb, is_passive=is_passive)

    def _led_by(self, phrase: Phrase) -> tuple[list[Phrase], Phrase | None]:
        """Where a statement begins with a place, that place and the subject: "in x y is …"."""
        first, *more = phrase.parts
        end = next((at for at, one in enumerate(first, 1) if one.meanings), len(first))
        if more:
            return [replace(phrase, parts=[first])], replace(phrase, prep="", parts=more)
        if end < len(first):
            place = replace(phrase, parts=[first[:end]])
            return [place], replace(phrase, prep="", parts=[first[end:]])
        return [phrase], None

    def _said(
        self,
        item: Item | None,
        relations: Sequence[Relation],
        subject: Phrase | None,
        rest: list[Phrase],
        verb: _Verb,
        *,
        is_passive: bool = False,
    ) -> Iterator[Structure]:
        direct = next((one for one in rest if not one.prep), None)
        if direct is None and not is_passive and rest and rest[0].prep in self.groups["governed"]:
            direct = rest[0] = replace(rest[0], prep="")
        if direct is None and subject is not None and not self.clause.adds:
            is_passive |= self.clause.joined != "effect"
        others = [*verb.beside, *(one for one in rest if one is not direct), *verb.leading]
        what, actor = direct, subject
        if is_passive:
            what = subject
            actor = next((one for one in others if one.prep == "by"), None)
            others = [one for one in others if one is not actor]
            if direct is not None and what is not None and not what.names_something:
                what = direct  # "the files are empty: x, y"
            elif direct is not None:
                others = [replace(direct, prep="as"), *others]
        elif subject is not None and subject.is_limited:
            raise NotBuilt("what is limited is who does it")
        is_limited = verb.is_limited or (what is not None and what.is_limited)
        denials = verb.denials
        if what is not None and what.is_beyond:  # "never draws figures other than x"
            if denials != 1:
                raise NotBuilt("what is beyond it is not said")
            denials = 0
        for one in relations:
            target = next((each for each in others if one.at and each.prep == one.at), None)
            if target is not None:  # "assigns x to y", "x lies under y"
                moved = what or actor
                behind = [
                    *([replace(moved, prep="as")] if moved is not None else []),
                    *(each for each in others if each is not target),
                ]
                actor = actor if what is not None else None
                structure = Structure(one, item, replace(target, prep=""), actor, behind)
            else:
                structure = Structure(one, item, what, actor, others)
            structure.is_limited, structure.strays = is_limited, self.strays
            yield from self._resolved(structure, denials)

    def _copula(self, subject: Phrase, rest: list[Phrase], verb: _Verb) -> Iterator[Structure]:
        """What something is: in a place, of a sort, or a relation said as an adjective."""
        is_there = "word" in self.items[-1].meanings  # "is in the code"
        is_there |= stem(self.items[-1].text) in self.groups["staying"]
        if not rest and not is_there:
            raise NotBuilt("it states nothing")
        if not rest or rest[0].prep:
            yield from self._said(None, self.have, subject, rest, verb, is_passive=True)
            return
        first, *others = rest
        if first.is_limited:  # "bar charts are the only figures"
            limited = replace(verb, is_limited=True)
            deed = others[0].deed if others else None  # "the only figures *drawn* by x"
            relations = deed.relations(self.words) if deed else self.have
            yield from self._said(deed, relations, subject, others, limited, is_passive=True)
            return
        for deed in (item for item in first.items if item.relations(self.words)):
            things = [item for item in first.items if item is not deed and item.meanings]
            strays = [one for one in first.items if one is not deed and one.is_unknown(self.words)]
            behind = [
                *([Phrase("of", [things])] if things else []),
                *verb.beside,
                *others,
                *verb.leading,
            ]
            is_limited = verb.is_limited or subject.is_limited
            for one in deed.relations(self.words):
                structure = Structure(one, deed, subject, None, behind, False, is_limited, strays)
                yield from self._resolved(structure, verb.denials + first.is_denied)
        subject = replace(subject, is_limited=False)
        yield from self._said(None, self.be, subject, rest, verb)
        if any(one.meanings.keys() & _STATED for one in first.items):  # "x is a string"
            yield from self._said(None, self.be, subject, rest, verb, is_passive=True)

    # Statements without one

    def ellipsis(self, relation: Relation) -> Structure | None:
        """A statement that denies of something else what was said: "…, not x"."""
        denials = sum(tag in ("not", "bare") for tag in self.tags)
        has_verb = any(item.relations(self.words) for item in self.items) or "aux" in self.tags
        if denials != 1 or has_verb:
            return None
        self.tags = ["skip" if tag == "not" else tag for tag in self.tags]
        phrases = [one for one in self.between(0, len(self.items)) if one.items]
        if len(phrases) != 1 or phrases[0].prep:
            return None
        return Structure(relation, None, phrases[0], is_denied=True)

    def _nominal(self) -> Iterator[Structure]:
        """What a noun states: "missing x in y", "x missing", "lack of x", "no call to x"."""
        phrases = self.between(0, len(self.items))
        head = next((one for one in phrases if not one.prep), None)
        others = [one for one in phrases if one is not head]
        if head is None:
            without = next((one for one in phrases if one.prep == "without"), None)
            if without is None:
                raise NotBuilt("no known relation found")
            head = replace(without, is_denied=True)
            others = [one for one in others if one is not without]
        absent = self.groups["states"] | self.groups["absences"]
        ends = (head.parts[0][0], head.parts[-1][-1]) if head.parts else ()
        lack = next((one for one in ends if one.is_in(absent) and one.relations(self.words)), None)
        relations: Sequence[Relation] = self.have
        if lack is not None:
            relations, head = lack.relations(self.words), head.without(lack)
            if not head.items and others and others[0].prep == "of":
                head, others = replace(others[0], prep=""), others[1:]
            if not self.says(head.items) and not self.clause.adds:
                raise NotBuilt("what is missing is not said")
        elif (crash := self._failing(phrases)) is not None:
            lack, relations, head = crash[0], crash[1], head.without(crash[0]) if crash[0] else head
        elif not (head.is_denied or self._is_fault(head)):
            raise NotBuilt("it states nothing")
        for one in relations:
            structure = Structure(
                one, lack, head, None, others, False, head.is_limited, self.strays
            )
            yield from self._resolved(structure, 0)

    @staticmethod
    def _is_fault(phrase: Phrase) -> bool:
        told = [one for one in phrase.items if one.meanings]
        return bool(told) and all(one.meanings.keys() & _FAULTS for one in told)

    def _failing(self, phrases: Sequence[Phrase]) -> tuple[Item | None, Sequence[Relation]] | None:
        """The noun that says that something fails, if need be only the error with which."""
        items = [item for phrase in phrases for item in phrase.items]
        for item in items:
            if found := [one for one in item.relations(self.words) if one.name == "fail"]:
                return item, found
        if any("error" in item.meanings for item in items):
            return None, self.words.relations["fail"][:1]
        return None

    # Words that stand for others

    def _resolved(self, structure: Structure, denials: int) -> Iterator[Structure]:
        """A structure with its denials counted; what only carries a noun that says what is done
        gives way to that noun: "makes no call to x", "no check of x exists".
        """
        denied = denials + structure.relation.denies
        denied += sum(
            one is not None and one.is_denied for one in (structure.object, structure.actor)
        )
        without = next((one for one in structure.others if one.prep == "without"), None)
        if without is not None and denied == 0:
            yield from self._lacking(structure, without)
            return
        what = structure.object  # "omits outputs: no x"
        is_twice = what is not None and what.is_denied and structure.relation.denies
        if denied > 2 or any(one.is_denied or one is without for one in structure.others):
            return  # it denies several things
        if is_twice:
            return
        structure.is_denied = denied % 2 == 1
        yield from self._by_noun(structure)
        yield structure
        yield from self._by_means(structure)

    def _by_means(self, structure: Structure) -> Iterator[Structure]:
        """What is called, where something is done by means of it: "reads x via y()"."""
        means = next((one for one in structure.others if one.prep in self.groups["means"]), None)
        what, name = structure.object, structure.relation.name
        is_called = means is not None and any(one.meanings.keys() & _CALLED for one in means.items)
        if means is None or what is None or not is_called or name in ("call", "fail", "go"):
            return
        others = [
            replace(what, prep="aside"),
            *(one for one in structure.others if one is not means),
        ]
        (call, *_) = self.words.relations[stem("call")]
        yield replace(structure, relation=call, object=replace(means, prep=""), others=others)

    def _by_noun(self, structure: Structure) -> Iterator[Structure]:
        phrase, name = structure.object, structure.relation.name
        is_light = structure.verb is None or structure.relation.weak >= 1 or name in _LIGHT
        noun = self._noun_of_deed(phrase) if is_light and phrase else None
        if noun is None or phrase is None:
            return
        left = phrase.without(noun)
        is_named = any(item.meanings or item.is_unknown(self.words) for item in left.items)
        follows = structure.others[0] if structure.others else None
        is_of = follows is not None and follows.prep in (
            ("of", "to") if is_named else self.groups["complements"]
        )  # fmt: skip
        if not is_of and not is_named:
            return
        what, others = left, structure.others
        if is_of and follows is not None:
            what = replace(follows, prep="", is_limited=phrase.is_limited)
            others = [*structure.others[1:], *([replace(left, prep="mod")] if is_named else [])]
        for one in noun.relations(self.words):
            is_denied = structure.is_denied != one.denies
            yield replace(
                structure, relation=one, verb=noun, object=what, others=others, is_denied=is_denied
            )

    def _lacking(self, structure: Structure, without: Phrase) -> Iterator[Structure]:
        """What is lacking is what is said: "x is used without being imported", "trains without
        y".
        """
        others = [one for one in structure.others if one is not without]
        if without.deed is not None:
            others = [replace(one, prep="aside") if one.prep == "from" else one for one in others]
            actor = structure.actor or next(
                (one for one in others if one.prep in ("in", "by")), None
            )
            is_it = all(item.is_in(self.groups["pronouns"]) for item in without.items)
            actor = actor or (None if is_it else structure.object)
            what = structure.object if is_it else without
            others = [one for one in others if one is not actor]
            for one in without.deed.relations(self.words):
                yield Structure(one, without.deed, what, actor, others, not one.denies)
        elif structure.relation.name in _DONE_WITHOUT:
            yield replace(structure, others=[*others, without], is_denied=True)
            if structure.actor is not None:  # "starts x without the mode"
                what = replace(without, prep="")
                for one in self.words.relations[stem("pass")]:
                    yield Structure(one, None, what, structure.actor, others, True)
        elif (
            structure.relation.name == "use"
            and structure.object is not None
            and any(one.meanings.keys() & _CALLED for one in structure.object.items)
        ):
            (call, *_) = self.words.relations[stem("call")]
            yield replace(structure, relation=call, others=[*others, without], is_denied=True)
        elif (
            structure.actor is not None
            or structure.relation.name in _RUNNING
            or any("activity" in one.meanings for one in without.items)
        ):
            actor, what = structure.actor or structure.object, replace(without, prep="")
            for one in self.have:
                yield Structure(one, None, what, actor, others, True)

    def _noun_of_deed(self, phrase: Phrase) -> Item | None:
        """The noun in a phrase that says what is done."""
        part = phrase.parts[-1] if phrase.parts else []
        for item in reversed(part):
            said = {one.name for one in item.relations(self.words)}
            if item is not part[-1] and said == {"fail"}:
                continue  # an "exit code" is no exit
            is_deed = not item.meanings and bool(item.relations(self.words))
            if is_deed and not item.is_in(self.groups["states"]) and not is_participle(item):
                return item
        return None
