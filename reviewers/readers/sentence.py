"""The ways in which a statement may be built: which of its words relates things, and of which of
its phrases that is said. There is no grammar: each verb and each phrase is tried, and what explains
the most words is taken.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from reviewers.readers.items import LISTING, Clause, Item
from reviewers.readers.lexicon import Lexicon, Relation
from reviewers.readers.words import IRREGULAR, stem

_PARTICIPLES = ("ed", "en", "wn", "nt", "de", "un", "set", "ead", "id", "ght", "ept", "ost")
_NO_PARTICIPLES = ("ment", "tain", "eed")
_PLACES = frozenset({"file", "definition", "role", "command"})
_PLAIN = frozenset({"run", "set", "read", "put", "cut"})  # forms of a verb that are all one
_EXAMPLES = frozenset({"such as", "for example", "for instance"})
_ASKED = frozenset({"that", "whether", "how", "what", "why", "if"})  # "checks that x exists"
_NOUNS = ("tion", "ment", "age", "ance", "ence", "ure")
_GROUP = frozenset({"aux", "not", "only", "skip", "there"})
_CONTENT = frozenset({"in", "verb"})
_LIGHT = frozenset({"use", "lack", "have", "make"})
_CALLING = frozenset({"use", "call", "start", "launch"})
_RUNNING = frozenset({"go", "have", "train", "use", "call", "start", "fail"})  # of what has no object, as "trains without x"
_CALLED = frozenset({"callee", "library", "imported", "definition"})
_FAULTS = frozenset({"malformed", "note"})  # of which it is enough to say where they are


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


def acts(item: Item) -> bool:
    """Whether a verb has the form in which it stands behind one subject: "draws"."""
    form = item.text.lower().partition(" ")[0]
    return form.endswith("s") and not form.endswith("ss")


def is_participle(item: Item) -> bool:
    """Whether a word says what is done to something: "drawn", "is *set*"."""
    form = item.text.lower().partition(" ")[0]
    return form in IRREGULAR or (form.endswith(_PARTICIPLES) and not form.endswith(_NO_PARTICIPLES))


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


def members(structure: Structure) -> Iterator[Structure]:
    """A structure for each member of a list of things of different kinds."""
    what = structure.object
    kinds = [
        set().union(*(one.meanings.keys() for one in part)) for part in (what.parts if what else ())
    ]
    is_list = len(kinds) > 1 and all(kinds) and not set.intersection(*kinds)
    if what is not None and is_list and not structure.is_limited:
        for part in what.parts:
            yield replace(structure, object=replace(what, parts=[part]))


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


class _Sentence:
    """A statement's words, each with what it does: `in` of a phrase, `verb`, `aux`, `not`, `no`,
    `only`, `limit`, `the`, `prep`, `and`, `which`, `there`, `stop`, `skip`.
    """

    def __init__(self, clause: Clause, words: Lexicon) -> None:
        self.words, self.groups, self.clause = words, words.groups, clause
        self.items = [one for one in clause.items if one.text not in ("(", ")", "[", "]")]
        self.strays: list[Item] = []
        self.tags: list[str] = []
        for at, one in enumerate(self.items):
            self.tags.append(self._tag(at, one))
        for at in self.verbs():
            if self._is_adjective(at):
                self.tags[at] = "in"
            elif (behind := self._verb_behind(at)) is not None:
                self.tags[at], self.tags[behind] = "in", "verb"
        self.have, self.be = (words.relations[stem(one)] for one in ("have", "be"))

    def _tag(self, at: int, item: Item) -> str:
        groups, text = self.groups, item.text.lower()
        after = self.items[at + 1] if at + 1 < len(self.items) else None
        before = self.items[at - 1] if at else None
        if text in LISTING:
            return "and" if at or text != "nor" else "not"
        if item.kind == "stop":
            return "stop"
        if item.meanings.keys() & {"word", "join"}:
            return "skip"
        if "limit" in item.meanings or text in ("except", "besides"):
            return "limit"
        if "deny" in item.meanings:
            return "not"
        if item.meanings or item.kind != "word":
            return "verb" if item.relations(self.words) and self._is_verb_here(at) else "in"
        if item.stem in groups["bare"]:
            acting = after is not None and acts(after) and bool(after.relations(self.words))
            return "not" if acting and item.is_in(groups["nobody"]) else "no"
        if item.is_in(groups["negations"]):
            ahead = [one for one in self.items[at + 1 : at + 4] if one.stem not in ("be", "ever")]
            is_deed = bool(ahead) and bool(ahead[0].relations(self.words))
            is_deed &= bool(ahead) and (is_participle(ahead[0]) or ahead[0].text.endswith("ing"))
            return "prep" if item.stem == "without" and not is_deed else "not"
        if item.is_in(groups["only"]):
            return "only"
        if text in ("there", "it"):
            return "there" if text == "there" else "in"
        if item.stem in groups["counts"] and text != "on":
            is_last = after is None or after.is_in(groups["prepositions"])
            return "in" if text == "one" and is_last else "skip"
        if text in ("that", "which") and before is not None and self._is_content(before):
            return "which"
        is_alone = after is None or after.is_in(groups["auxiliaries"] | groups["negations"])
        is_article = item.is_in(groups["every"] | groups["articles"])
        if is_article and not (is_alone and item.is_in(groups["pronouns"])):
            return "the"
        if item.is_in(groups["pronouns"]):
            return "in"
        is_had = item.stem == "hav" or item.stem == stem("have")
        is_getting = item.stem == "get" and after is not None and not is_participle(after)
        if not is_getting and item.is_in(groups["auxiliaries"] | groups["will"]) and (
            not is_had or (after is not None and self._helps(at))
        ):
            return "aux"
        is_verb = bool(item.relations(self.words)) and not text.endswith("ing")
        if item.is_in(groups["prepositions"]) and not is_verb:
            return "prep"
        is_naming = item.is_in(groups["naming"]) and is_participle(item) and before is not None
        if is_naming and self.tags[-1] == "in" and before.stem in self.words.kinds:
            return "skip"  # "a function called x"
        if item.relations(self.words):
            return "verb" if self._is_verb_here(at) else "in"
        is_manner = text.endswith("ly") and not item.is_in(groups["changing"] | groups["faults"])
        if item.is_in(groups["possible"]) or is_manner:
            return "skip"
        return "in"

    def _is_content(self, item: Item) -> bool:
        return bool(item.meanings) or item.stem in self.words.kinds or item.kind != "word"

    def _helps(self, at: int) -> bool:
        """Whether "has" is an auxiliary: a participle comes next, not what is had."""
        rest = [one for one in self.items[at + 1 :] if not one.is_in(self.groups["negations"])]
        return bool(rest) and (
            rest[0].stem == "be" or (is_participle(rest[0]) and bool(rest[0].relations(self.words)))
        )

    def _is_verb_here(self, at: int) -> bool:
        """Whether a word that may relate things does so here, and is no noun."""
        item = self.items[at]
        before = self.items[at - 1] if at else None
        after = self.items[at + 1] if at + 1 < len(self.items) else None
        before_it = next((one for one in reversed(self.tags) if one not in ("skip", "only")), "")
        if " " in item.text and not item.meanings:
            return True  # an idiom
        if before is not None:
            is_named = before_it == "the"
            is_state = item.is_in(self.groups["absences"])
            if before.is_in(self.groups["negations"]) and before.stem in self.groups["bare"]:
                return False
            if is_named and (not is_state or "verb" in self.tags):
                return False
            if before.is_in(self.groups["prepositions"]) and not item.text.endswith("ing"):
                return before.stem == "to" and not is_participle(item)
        if before_it in ("aux", "not"):
            return True
        if item.meanings:  # a noun as well
            return acts(item) and after is not None and before is not None
        if after is not None and after.stem == "of" and not is_participle(item):
            return False
        text = item.text.lower()
        is_behind = before_it == "verb" and not before.text.endswith("ing")
        if is_behind and (is_participle(item) or acts(item)):
            return False
        is_form = acts(item) or is_participle(item) or text.endswith("ing")
        is_form &= text not in _PLAIN
        if is_form or item.is_in(self.groups["states"]) or before is None:
            return True
        if text.endswith(_NOUNS):
            return False
        if before.text.lower() == "to":
            return True
        head = self.items[self.tags.index("prep") - 1] if "prep" in self.tags else before
        is_many = head.text.lower().endswith("s") or "and" in self.tags
        is_subject = is_many or before.is_in(self.groups["pronouns"])
        has_verb = {"verb", "aux"} & set(self.tags)
        return before_it == "which" or (before_it == "in" and is_subject and not has_verb)

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

    def _verb_behind(self, at: int) -> int | None:
        """The verb of which a word in "s" is the subject: "the runs *ignore* x"."""
        behind = at + 1
        while self.tags[behind : behind + 1] == ["skip"]:
            behind += 1
        if not at or not acts(self.items[at]) or self.tags[behind : behind + 2] != ["in", "in"]:
            return None
        other = self.items[behind]
        is_plain = not (acts(other) or is_participle(other) or other.text.endswith(("ing", *_NOUNS)))
        return behind if is_plain and not other.meanings and other.relations(self.words) else None

    # Verbs

    def verbs(self) -> list[int]:
        return [at for at, tag in enumerate(self.tags) if tag == "verb"]

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
        return item.stem in self.words.filler or all(
            one.weak for one in item.relations(self.words)
        )

    def _start(self, at: int) -> int:
        """Where the auxiliaries and negations of a verb begin."""
        group = _GROUP | ({"the"} if " " in self.items[at].text else set())  # "no *part of*"
        while at and self.tags[at - 1] in group:
            at -= 1
        return at

    # Phrases

    def phrases(self, start: int, end: int) -> list[Phrase]:
        """The phrases between two places, cut at prepositions and verbs."""
        found: list[Phrase] = []
        now = Phrase("", [[]], start)
        is_aside = False

        def close() -> None:
            nonlocal now
            now.parts = [part for part in now.parts if part]
            if now.items:
                found.append(now)
            now = Phrase("", [[]], at + 1)

        for at in range(start, end):
            tag, item = self.tags[at], self.items[at]
            led = now.prep and not found and not start and end < len(self.tags)
            if tag == "prep":
                is_of = item.stem == "of" and all(map(self._is_empty, now.items))
                is_of &= bool(now.items) or now.is_denied
                if is_of:
                    continue  # "the value of x" is x
                close()
                is_purpose = item.stem == "to" and self.tags[at + 1 : at + 2] == ["verb"]
                now.prep = "aside" if is_purpose or is_aside else item.stem
            elif tag in ("stop", "which", "verb", "aux", "not", "there"):
                was_denied, was = now.is_denied, now.prep
                close()
                if tag in ("which", "verb"):
                    is_aside = bool(found) and self.tags[at - 1] not in _GROUP
                    now.prep = "aside" if tag == "which" or found else was
                now.is_denied = was_denied and not found
            elif led and tag == "and" and item.text == "," and now.items:
                close()
            elif tag == "and":
                now.is_either |= item.stem in ("or", "/", "nor")
                if now.items:
                    now.parts.append([])
            elif tag == "no":
                if now.items and now.parts[-1]:
                    close()
                now.is_denied = True
            elif tag in ("only", "limit"):
                now.is_limited = True
                if tag == "limit":
                    now.is_beyond = not (now.is_denied or item.meanings.get("limit"))
                    self.strays += [one for one in now.items if one.meanings]
                    now.is_denied, now.parts = False, [[]]
            elif tag == "the":
                if now.parts[-1]:
                    close()
                is_every = item.is_in(self.groups["every"])
                now.is_every |= is_every
                now.is_definite |= item.stem != "a" and not is_every
            elif tag == "skip" and item.text.lower() in _EXAMPLES:
                now.parts = [[one for one in now.items if one.meanings]]
            elif tag == "in":
                if led and item.meanings and now.items and now.items[-1].meanings.keys() & _PLACES:
                    close()  # "in x y is …"
                now.parts[-1].append(item)
        at = end
        close()
        return found

    def _is_empty(self, item: Item) -> bool:
        """Whether a word says nothing of its own: "value"."""
        return item.stem in self.words.filler and not (
            item.meanings or item.relations(self.words)
        )

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
        item, start = self.items[at], self._start(at)
        group = [self.tags[one] for one in range(start, at)]
        helpers = {self.items[one].stem for one in range(start, at) if self.tags[one] == "aux"}
        end = at + 1
        if self.tags[end : end + 2] == ["and", "verb"]:
            end += 2  # "reads or acts upon x"
        elsewhere = [
            one
            for one, tag in enumerate(self.tags)
            if tag == "not" and not start <= one < at and one < end
        ]
        nowhere = [
            one for one in range(end, len(self.tags)) if self.items[one].text.lower() == "nowhere"
        ]
        asked = self.items[end : end + 1]
        if elsewhere or self.tags[end:].count("not") > len(nowhere) or (asked and asked[0].text.lower() in _ASKED):
            return
        denials = group.count("not") + len(nowhere)
        ahead, behind = self.phrases(0, start), self.phrases(end, len(self.items))
        is_going_on = item.text.lower().endswith("ing") and not item.is_in(self.groups["states"])
        direct = next((one for one in behind[:1] if not one.prep and one.at <= end + 2), None)
        if direct is None and behind and behind[0].prep in self.groups["governed"]:
            governed = replace(behind[0], prep="")
        else:
            governed = None
        subject = next((one for one in reversed(ahead) if not one.prep), None)
        is_state = item.is_in(self.groups["states"])
        is_passive = ("be" in helpers and not is_going_on) or (
            direct is None and (is_participle(item) or is_state)
        )
        if is_passive:
            by = next((one for one in behind if one.prep == "by"), None)
            options = [one for one in ahead if not one.prep] or [None]
            for what in options:
                rest = [one for one in (*ahead, *behind) if one is not what and one is not by]
                beside = "of" if " " in item.text else "as"
                rest = [
                    replace(one, prep=one.prep or (beside if one is direct and one.names else "aside"))
                    for one in rest
                ]
                yield from self._related(item, what, by, rest, denials, group)
            if direct is not None and subject is not None:
                rest = [one for one in behind if one is not direct]
                yield from self._related(item, direct, subject, rest, denials, group)
            return
        options = [(direct, None)] if direct is not None else []
        if governed is not None:
            options.append((governed, behind[0]))
        if not options:
            options = [(None, None)]
            if subject is not None and not self.clause.adds and self.clause.joined != "effect":
                rest = [one for one in (*ahead, *behind) if one is not subject]
                yield from self._related(item, subject, None, rest, denials, group)
                return
        for what, same in options:
            rest = [one for one in (*ahead, *behind) if one not in (what, same, subject)]
            rest = [replace(one, prep=one.prep or "aside") for one in rest]
            yield from self._related(item, what, subject, rest, denials, group)

    def _of_being(self) -> Iterator[Structure]:
        """What something is, or where: "x is a stub", "x is in y", "there is no x"."""
        at = next((one for one, tag in enumerate(self.tags) if tag == "aux"), None)
        if at is None or self.items[at].stem not in ("be", "do"):
            return
        start, end = self._start(at), at + 1
        while end < len(self.tags) and self.tags[end] in _GROUP:
            end += 1
        is_idiom = any(" " in one.text and not one.meanings for one in self.items[end : end + 2])
        if self.tags[end : end + 1] == ["verb"] or is_idiom:
            return
        group = self.tags[start:end]
        denials = group.count("not")
        ahead, behind = self.phrases(0, start), self.phrases(end, len(self.items))
        subject = next((one for one in reversed(ahead) if not one.prep), None)
        direct = next((one for one in behind[:1] if not one.prep), None)
        rest = [one for one in (*ahead, *behind) if one is not subject and one is not direct]
        if self.items[at].stem == "do":  # "does no early stopping"
            if direct is not None and subject is not None:
                making = self.words.relations[stem("make")]
                yield from self._related(None, direct, subject, rest, denials, group, making)
        elif "there" in group and direct is not None:
            yield from self._related(None, direct, None, rest, denials, group, self.have)
        elif subject is None:
            return
        elif direct is None and (rest or "word" in self.items[-1].meanings):
            yield from self._related(None, subject, None, rest, denials, group, self.have)
        elif direct is None:
            return
        elif direct.is_limited:  # "bar charts are the only figures drawn by x"
            deed = next((one for one in self.verbs() if one >= end), None)
            item = self.items[deed] if deed is not None else None
            if deed is not None:
                rest = [*ahead, *self.phrases(deed + 1, len(self.items))]
                rest = [one for one in rest if one is not subject]
            relations = item.relations(self.words) if item else self.have
            yield from self._related(item, subject, None, rest, denials, ["only"], relations)
        elif self._is_empty(direct.items[0]):  # "is part of x"
            place = replace(direct, prep="in").without(direct.items[0])
            yield from self._related(None, subject, None, [place, *rest], denials, group, self.have)
        else:
            yield from self._related(None, direct, subject, rest, denials, group, self.be)
            yield from self._related(
                None, subject, None, [replace(direct, prep="as"), *rest], denials, group, self.be
            )

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
        failing = [
            one
            for each in found
            for one in each.items
            if any(relation.name == "fail" for relation in one.relations(self.words))
        ]
        has_error = any("error" in one.meanings for each in found for one in each.items)
        if failing:
            relations = [one for one in failing[0].relations(self.words) if one.name == "fail"]
            yield from self._related(failing[0], head.without(failing[0]), None, others, 0, (), relations)
        elif has_error:
            yield from self._related(None, head, None, others, 0, (), self.words.relations["fail"][:1])
        told = [one for one in head.items if one.meanings]
        is_fault = bool(told) and all(one.meanings.keys() & _FAULTS for one in told)
        if head.is_denied or is_fault:
            yield from self._related(None, head, None, others, 0, (), self.have)

    def _related(
        self,
        item: Item | None,
        what: Phrase | None,
        actor: Phrase | None,
        others: Sequence[Phrase],
        denials: int,
        group: Sequence[str],
        relations: Sequence[Relation] = (),
    ) -> Iterator[Structure]:
        """A structure for each relation that a verb may be, with its denials counted."""
        if what is not None and what.is_beyond:
            if denials != 1:
                return
            denials = 0
        if item is not None and what is not None:
            what = what.without(item)
        is_limited = "only" in group or (what is not None and what.is_limited)
        if actor is not None and actor.is_limited:
            return
        without = next((one for one in others if one.prep == "without"), None)
        if any(one.is_denied for one in others):
            return
        for one in relations or (item.relations(self.words) if item else ()):
            total = denials + one.denies + sum(
                each is not None and each.is_denied for each in (what, actor)
            )
            moved = next((each for each in others if one.at and each.prep == one.at), None)
            rest = list(others)
            target = what
            if moved is not None:  # "assigns x to y"
                rest = [each for each in rest if each is not moved]
                rest = [*([replace(what, prep="as")] if what is not None else []), *rest]
                target = replace(moved, prep="")
            if without is not None:
                rest = [each for each in rest if each is not without]
                is_called = target is not None and any(
                    each.meanings.keys() & _CALLED for each in target.items
                )
                if total == 0 and is_called and one.name in _CALLING:
                    call = self.words.relations[stem("call")][0]
                    yield Structure(call, item, target, actor, [*rest, without], True)
                elif total == 0 and one.name in _RUNNING:
                    lack = replace(without, prep="")
                    for have in self.have:
                        yield Structure(have, None, lack, actor or what, rest, True)
                continue
            if total > 1 or (not is_limited and {"only", "limit"} & set(self.tags)):
                continue
            if total and target is not None and target.parts and any(
                each.is_in(self.groups["more"]) for each in target.parts[0]
            ):
                continue  # "the other x are missing"
            strays = tuple(self.strays)
            yield Structure(one, item, target, actor, rest, total == 1, is_limited, strays)

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
        yield from self._by_means(structure)
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

    def _by_means(self, structure: Structure) -> Iterator[Structure]:
        """What is called, where something is done by means of it: "reads x via y()"."""
        means = next((one for one in structure.others if one.prep in self.groups["means"]), None)
        what, name = structure.object, structure.relation.name
        is_called = means is not None and any(one.meanings.keys() & _CALLED for one in means.items)
        if means is None or what is None or not is_called or name in ("call", "fail", "go"):
            return
        others = [one for one in structure.others if one is not means]
        yield replace(
            structure,
            relation=self.words.relations[stem("call")][0],
            object=replace(means, prep=""),
            others=[replace(what, prep="aside"), *others],
        )
