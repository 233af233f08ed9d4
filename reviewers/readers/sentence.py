"""The ways in which a statement may be built: which of its words relates things, and of which of
its phrases that is said. There is no grammar: each verb and each phrase is tried, and what explains
the most words is taken.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from reviewers.readers.items import Clause, Item
from reviewers.readers.lexicon import Lexicon, Relation
from reviewers.readers.phrases import NotBuilt, Phrase, Phrases
from reviewers.readers.tagging import GROUP, Tagged, acts, is_participle
from reviewers.readers.words import stem

_ASKED = frozenset({"that", "whether", "how", "what", "why", "if"})  # "checks that x exists"
_CONTENT = frozenset({"in", "verb"})
_LIGHT = frozenset({"use", "lack", "have", "make"})
_CALLING = frozenset({"use", "call", "start", "launch"})
_CALLED = frozenset({"callee", "library", "imported", "definition"})
_FAULTS = frozenset({"malformed", "note"})  # of which it is enough to say where they are


@dataclass(slots=True)
class Structure:
    """One way in which a statement may be built.

    Attributes:
        relation: what is said; by `verb`, which is None where only existence is meant.
        object: what it is said of.
        actor: who does it.
        others: the other phrases, in order.
        strays: words of content that stand nowhere.
        doubt: how unlikely its verb is to be that of the statement.
    """

    relation: Relation
    verb: Item | None
    object: Phrase | None = None
    actor: Phrase | None = None
    others: list[Phrase] = field(default_factory=list)
    is_denied: bool = False
    is_limited: bool = False
    strays: Sequence[Item] = ()
    doubt: float = 0.0

    @property
    def phrases(self) -> list[Phrase]:
        return [one for one in (self.object, self.actor, *self.others) if one is not None]


def begins_with_subject(items: Sequence[Item], words: Lexicon) -> bool:
    """Whether a verb stands among words, and what it is said of before it."""
    sentence = _Sentence(Clause(list(items)), words)
    at = next(iter(sentence.verbs()), 0)
    return any(tag in _CONTENT for tag in sentence.tags[:at])


def has_verb(items: Sequence[Item], words: Lexicon) -> bool:
    """Whether a verb stands among words."""
    sentence = _Sentence(Clause(list(items)), words)
    return bool({"aux", "not"} & set(sentence.tags)) or any(
        sentence.doubt(at) < 1 for at in sentence.verbs()
    )


def states(items: Sequence[Item], words: Lexicon) -> bool:
    """Whether words make a statement: a verb stands in them, or something is said to be missing."""
    sentence = _Sentence(Clause(list(items)), words)
    is_absent = "no" in sentence.tags or any(one.is_in(words.groups["absences"]) for one in items)
    return has_verb(items, words) or (is_absent and "in" in sentence.tags)


def structures(clause: Clause, words: Lexicon, before: Relation | None) -> Iterator[Structure]:
    """The ways to build a statement.

    Args:
        before: the relation of the statement before, which one goes on that has none: "not x".
    """
    sentence = _Sentence(clause, words)
    if sentence.denies_degree:
        raise NotBuilt("only how it is done is denied")
    found = list(sentence.ellipsis(before)) if before is not None and clause.adds else []
    found = found or list(sentence.structures())
    if not found:
        raise NotBuilt("no known relation found")
    for one in found:
        yield from sentence.with_nouns(one)


@dataclass(slots=True)
class _Verb:
    """A verb that is tried, with what stands around it.

    Attributes:
        group: the tags of its auxiliaries and negations.
        ahead, behind: the phrases before it and after it.
    """

    item: Item | None
    group: Sequence[str]
    denials: int
    ahead: list[Phrase]
    behind: list[Phrase]
    relations: Sequence[Relation] = ()

    @property
    def subject(self) -> Phrase | None:
        return next((one for one in reversed(self.ahead) if not one.prep), None)

    @property
    def direct(self) -> Phrase | None:
        return next((one for one in self.behind[:1] if not one.prep), None)

    def others(self, *used: Phrase | None, beside: str = "aside") -> list[Phrase]:
        """All other phrases; `beside` is the preposition of its object."""
        return [
            replace(one, prep=one.prep or (beside if one is self.direct and one.names else "aside"))
            for one in (*self.ahead, *self.behind)
            if not any(one is each for each in used)
        ]


class _Sentence(Tagged):
    def __init__(self, clause: Clause, words: Lexicon) -> None:
        super().__init__(clause, words)
        self.strays: list[Item] = []
        self.have, self.be = (words.relations[stem(one)] for one in ("have", "be"))
        self._call = words.relations[stem("call")][0]

    # Verbs

    def doubt(self, at: int) -> float:
        """How unlikely a word is to be the verb of the statement."""
        item, before = self.items[at], self.tags[at - 1] if at else ""
        group = set(self.tags[self._start(at) : at])
        if group & {"aux", "not"}:
            found = 0.0
        elif acts(item):
            found = 0.2
        elif item.is_in(self.groups["states"]):
            found = 0.5
        elif is_participle(item):
            opens = not at and self.tags[1:2] == ["in"] and not self.clause.adds
            found = 1.1 if opens else 0.6  # "aggregated tests"
        else:
            found = 1.0 if item.text.lower().endswith("ing") else 0.9
        is_purpose = before == "prep"
        is_inner = "which" in self.tags[:at] and any(
            self.tags[one] in ("aux", "verb") for one in range(at + 1, len(self.tags))
        )
        return found + 2.0 * is_purpose + 1.0 * is_inner

    def _is_weak(self, item: Item) -> bool:
        """Whether a word that may relate things says little by itself."""
        return item.stem in self.words.filler or all(one.weak for one in item.relations(self.words))

    def _start(self, at: int) -> int:
        """Where the auxiliaries and negations of a verb begin."""
        group = GROUP | ({"the"} if " " in self.items[at].text else set())  # "no *part of*"
        while at and self.tags[at - 1] in group:
            at -= 1
        return at

    def phrases(self, start: int, end: int) -> list[Phrase]:
        made = Phrases(self, start, end)
        self.strays += [one for one in made.strays if one not in self.strays]
        return made.found

    # Structures

    @property
    def denies_degree(self) -> bool:
        denials = [at for at, tag in enumerate(self.tags) if tag in ("not", "no")]
        return bool(denials) and any(
            item.is_in(self.groups["degrees"])
            and (item.text.lower().endswith("ly") or at == denials[-1] + 1)
            for at, item in enumerate(self.items)
            if at > denials[0]
        )

    def _refuse_unknown_verb(self) -> None:
        """Refuse a statement whose verb is not known: "no gradient *reaches* x"."""
        for at, item in enumerate(self.items[:-1]):
            is_between = at and self.tags[at - 1] in ("in", "skip", "only", "not")
            is_between = is_between and self.tags[at] == "in" and "prep" not in self.tags[:at]
            is_verb = item.is_unknown(self.words) and acts(item)
            if is_between and is_verb and self.tags[at + 1] in ("in", "the", "no"):
                raise NotBuilt(f"not understood: {item.text}")

    def structures(self) -> Iterator[Structure]:
        self._refuse_unknown_verb()
        verbs = self.verbs()
        for at in verbs:
            doubt = self.doubt(at)
            others = [self.items[one] for one in verbs if one != at and self.doubt(one) < doubt + 1]
            for one in self._of_verb(at):
                one.doubt = doubt + 0.3 * len(others)
                one.strays = (*one.strays, *(each for each in others if not self._is_weak(each)))
                yield one
        if not verbs or "aux" in self.tags:
            yield from self._of_being()
        if "aux" not in self.tags and all(self.doubt(one) >= 1 for one in verbs):
            yield from self._of_nothing()

    def _of_verb(self, at: int) -> Iterator[Structure]:
        verb = self._verb(at)
        if verb is None or verb.item is None:
            return
        item, subject, direct = verb.item, verb.subject, verb.direct
        start = self._start(at)
        is_state = item.is_in(self.groups["states"])
        helpers = {one.stem for one in self.items[start:at]} | {stem(item.text.partition(" ")[0])}
        is_done = "be" in helpers and (is_state or not item.text.lower().endswith("ing"))
        is_state |= is_participle(item) and not helpers & {"do", "will"}
        if is_done or (direct is None and is_state):
            yield from self._of_done(verb)
            return
        governed = None
        if direct is None and verb.behind and verb.behind[0].prep in self.groups["governed"]:
            governed = replace(verb.behind[0], prep="")
        if direct is not None or governed is not None:
            behind = verb.behind[0]
            rest = verb.others(behind, subject)
            yield from self._related(verb, governed or direct, subject, rest)
        elif subject is not None and not self.clause.adds and self.clause.joined != "effect":
            yield from self._related(verb, subject, None, verb.others(subject))
        else:
            yield from self._related(verb, None, subject, verb.others(subject))

    def _verb(self, at: int) -> _Verb | None:
        """A verb with its surroundings; None where something else is denied or asked."""
        start, end = self._start(at), at + 1
        another = self.items[end + 1 : end + 2]
        if self.tags[end : end + 1] == ["and"] and another:
            is_verb = self.tags[end + 1] == "verb" or another[0].is_unknown(self.words)
            end += 2 * is_verb  # "reads or acts upon x"
        denials = self.tags[start:at].count("not")
        nowhere = sum(one.text.lower() == "nowhere" for one in self.items[end:])
        is_asked = any(one.text.lower() in _ASKED for one in self.items[end : end + 1])
        if is_asked or self.tags.count("not") > denials + nowhere:
            return None
        ahead, behind = self.phrases(0, start), self.phrases(end, len(self.items))
        return _Verb(self.items[at], self.tags[start:at], denials + nowhere, ahead, behind)

    def _of_done(self, verb: _Verb) -> Iterator[Structure]:
        """What is done to something, by whom, or how it is: "x is read by y", "x is missing"."""
        by = next((one for one in verb.behind if one.prep == "by"), None)
        beside = "of" if verb.item is not None and " " in verb.item.text else "as"
        options: list[Phrase | None] = [one for one in verb.ahead if not one.prep]
        for what in options or [None]:
            yield from self._related(verb, what, by, verb.others(what, by, beside=beside))
        if verb.direct is not None and verb.subject is not None:
            rest = [one for one in verb.behind if one is not verb.direct]
            yield from self._related(verb, verb.direct, verb.subject, rest)

    def _of_being(self) -> Iterator[Structure]:
        """What something is, or where: "x is a stub", "x is in y", "there is no x"."""
        at = next((one for one, tag in enumerate(self.tags) if tag == "aux"), None)
        if at is None or self.items[at].stem not in ("be", "do"):
            return
        start, end = self._start(at), at + 1
        while end < len(self.tags) and self.tags[end] in GROUP:
            end += 1
        is_idiom = any(" " in one.text and not one.meanings for one in self.items[end : end + 2])
        if self.tags[end : end + 1] == ["verb"] or is_idiom:
            return
        group = self.tags[start:end]
        ahead, behind = self.phrases(0, start), self.phrases(end, len(self.items))
        verb = _Verb(None, group, group.count("not"), ahead, behind, self.have)
        subject, direct = verb.subject, verb.direct
        if "there" in group and direct is not None:
            yield from self._related(verb, direct, None, verb.others(direct))
        elif subject is not None and direct is None and self.items[at].stem == "be":
            last = self.items[-1]
            is_there = stem(last.text) in self.groups["staying"] or "word" in last.meanings
            if is_there or verb.others(subject):
                yield from self._related(verb, subject, None, verb.others(subject))
        elif subject is not None and direct is not None:
            yield from self._of_kind(verb, subject, direct, self.items[at].stem, end)

    def _of_kind(
        self, verb: _Verb, subject: Phrase, direct: Phrase, helper: str, end: int
    ) -> Iterator[Structure]:
        rest = verb.others(subject, direct)
        if helper == "do":  # "does no early stopping"
            verb.relations = self.words.relations[stem("make")]
            yield from self._related(verb, direct, subject, rest)
        elif direct.is_limited:  # "bar charts are the only figures drawn by x"
            deed = next((one for one in self.verbs() if one >= end), None)
            if deed is not None:
                verb.item, verb.behind = self.items[deed], self.phrases(deed + 1, len(self.items))
                verb.relations = ()
                rest = verb.others(subject)
            verb.group = ["only"]
            yield from self._related(verb, subject, None, rest)
        elif self.is_empty(direct.items[0]):  # "is part of x"
            place = replace(direct, prep="in").without(direct.items[0])
            yield from self._related(verb, subject, None, [place, *rest])
        else:
            verb.relations = self.be
            yield from self._related(verb, direct, subject, rest)
            yield from self._related(verb, subject, None, [replace(direct, prep="as"), *rest])

    def _of_nothing(self) -> Iterator[Structure]:
        """What a noun states: "no call to x", "syntax error in y"."""
        found = self.phrases(0, len(self.items))
        head = next((one for one in found if not one.prep), None)
        head = head or next((one for one in found if one.prep == "without"), None)
        if head is None or "not" in self.tags:
            return
        others = [one for one in found if one is not head]
        if head.prep:
            head = replace(head, prep="", is_denied=True)
        told = [one for one in head.items if one.meanings]
        is_fault = bool(told) and all(one.meanings.keys() & _FAULTS for one in told)
        items = [one for each in found for one in each.items]
        fail = self.words.relations["fail"][0]
        crash = next((one for one in items if fail in one.relations(self.words)), None)
        if crash is not None or any("error" in one.meanings for one in items):
            verb = _Verb(crash, (), 0, found, [], [fail])
            yield from self._related(verb, head, None, others)
        if head.is_denied or is_fault:
            verb = _Verb(None, (), 0, found, [], self.have)
            yield from self._related(verb, head, None, others)

    def _related(
        self, verb: _Verb, what: Phrase | None, actor: Phrase | None, others: Sequence[Phrase]
    ) -> Iterator[Structure]:
        """A structure for each relation that a verb may be, with its denials counted."""
        denials, item = verb.denials, verb.item
        if what is not None and what.is_beyond:
            denials -= 1  # "never draws figures other than x"
        if item is not None and what is not None:
            what = what.without(item)
        is_limited = "only" in verb.group or (what is not None and what.is_limited)
        is_lost = not is_limited and bool({"only", "limit"} & set(self.tags))
        is_lost |= (actor is not None and actor.is_limited) or denials < 0
        if is_lost or any(one.is_denied for one in others):
            return
        without = next((one for one in others if one.prep == "without"), None)
        denials += sum(one is not None and one.is_denied for one in (what, actor))
        for one in verb.relations or (item.relations(self.words) if item else ()):
            total = denials + one.denies
            is_undone = total == 2 and one.denies and verb.denials == 1  # "was not replaced"
            moved = next((each for each in others if one.at and each.prep == one.at), None)
            target, rest = what, [each for each in others if each is not moved]
            if moved is not None:  # "assigns x to y"
                rest = [*([replace(what, prep="as")] if what is not None else []), *rest]
                target = replace(moved, prep="")
            found = Structure(one, item, target, actor, rest, total == 1, is_limited)
            found.strays = tuple(self.strays)
            first = what.parts[0] if what is not None and what.parts else []
            if total == 1 and any(each.is_in(self.groups["more"]) for each in first):
                continue  # more of its kind is spoken of: "the other x"
            is_called = target is not None and any(
                i.meanings.keys() & _CALLED for i in target.items
            )
            if without is not None and is_called and one.name in _CALLING and not total:
                yield replace(found, relation=self._call, is_denied=True)  # "calls x without y"
            elif without is None and (total < 2 or is_undone):
                yield found

    def ellipsis(self, relation: Relation) -> Iterator[Structure]:
        """A statement that denies of something else what was said: "…, not x"."""
        has_verb = {"verb", "aux"} & set(self.tags)
        if sum(tag in ("not", "no") for tag in self.tags) == 1 and not has_verb:
            found = self.phrases(0, len(self.items))
            if len(found) == 1 and found[0].prep in ("", "of"):
                yield Structure(relation, None, replace(found[0], prep=""), is_denied=True)

    def with_nouns(self, structure: Structure) -> Iterator[Structure]:
        """A structure; and, of one whose verb only carries a noun that says what is done, that
        noun's: "makes no call to x".
        """
        yield structure
        phrase, name = structure.object, structure.relation.name
        is_light = structure.verb is None or structure.relation.weak >= 1 or name in _LIGHT
        if not is_light or phrase is None or not phrase.parts:
            return
        for noun in reversed(phrase.parts[-1]):
            relations = [one for one in noun.relations(self.words) if one.name != "fail"]
            is_noun = not (is_participle(noun) or noun.is_in(self.groups["states"]))
            if noun.meanings or not relations or not is_noun:
                continue
            left = phrase.without(noun)
            is_named = any(one.meanings or one.is_unknown(self.words) for one in left.items)
            follows = next((one for one in structure.others if one.at > phrase.at), None)
            what, others = left, structure.others
            if follows is not None and follows.prep in (
                ("of", "to") if is_named else self.groups["complements"]
            ):
                what = replace(follows, prep="", is_limited=phrase.is_limited)
                others = [one for one in others if one is not follows]
                others += [replace(left, prep="mod")] if is_named else []
            elif not is_named:
                continue
            for one in relations:
                yield replace(
                    structure,
                    relation=one,
                    verb=noun,
                    object=what,
                    others=others,
                    is_denied=structure.is_denied != one.denies,
                )
            return
