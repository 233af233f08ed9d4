"""What one statement may say: every predicate that its relation words and its things allow, with
how well it explains the words.

A candidate that leaves a name, a number or an error unexplained is none. Words of content that are
left over narrow what is said: what is read is weaker than the claim where it affirms, and stronger
where it denies.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from reviewers.readers.items import LISTING, Clause, Item, is_noun, states
from reviewers.readers.lexicon import Lexicon, Relation
from reviewers.readers.linking import WELL_KNOWN, SymbolTable
from reviewers.readers.words import stem

Json = dict[str, Any]
Values = list[tuple[tuple[int, ...], str]]
_MOST_OBJECTS = 8
_LITTLE = 0.8  # cost of what is left over
_MUCH = 5.5
_MOST_LEFT = 5  # words that only narrow
# Kinds of things that only narrow where they find no place.
_SOFT = frozenset({"command", "target", "role", "what", "type", "style", "per", "activity"}) | {
    *("where", "section", "measure", "figure", "mode", "note", "runs", "vacant"),
}
_PROPER = frozenset({"component", "name", "owner"})
_OF_A_FILE = frozenset({"sound", "malformed", "empty"})
_FILES = frozenset(map(stem, ("code", "file", "script", "module", "syntax")))
_PROCESS = frozenset(map(stem, ("subprocess", "process", "child")))
_TAKES = frozenset(map(stem, ("accept", "take")))
_HARD_CODED = frozenset(map(stem, ("hard-code", "hardcode", "fix")))
_NUMBERS = {"one": "1", "single": "1", "two": "2", "three": "3"}
_BY_MEANS = frozenset({"with", "via", "us", "through", "by"})
_WITHIN = frozenset({"from", "in", "insid", "within"})
_QUALIFYING = frozenset({"activity", "library"})
_DEEDS = frozenset({"deed", "switch", "some", "act"})  # what has no name of its own
_MODELESS = frozenset({"has_key", "exists", "parses", "empty", "declares", "command_line"})
_ADJECTIVE = ("ed", "ful", "ous", "able", "ible", "ive", "plete")
_COMMON = frozenset({"datasets", "evaluate"})  # libraries that are words, too
_UNSAID = frozenset(
    {"skip", "refuse", "ignore", "undefined", "unimported", "catch"}
)  # never left over
_OF_CODE = frozenset({"does", "computes", "draws", "logs", "reads_metric", "writes", "returns"})
_LEFT_OUT = frozenset({"lack", "skip"})
_PARTICIPLES = ("ing", "ed", "en")
_STATES = frozenset({"exists", "parses", "empty"})  # said of a file, which does nothing
_WHOLE = frozenset({"parses"})  # nothing narrows what it denies
_ABSENCE = frozenset({"lack", "skip", "unsupported", "undefined", "ignore", "unimported"})
_CONFIGS = (".yaml", ".yml", ".toml")
_PROGRAMS = (".py", *_CONFIGS, "*")
_OF_ERRORS = frozenset({"fail", "raise", "go", "catch"})
_MANIFEST = "pyproject.toml"
_CALLABLE = ("callee", "library", "definition", "imported", "name")
_SPOTS = ("definition", "callee", "library", "key", "name")


@dataclass(slots=True)
class Context:
    """What a statement may leave unsaid: of what the ones before spoke.

    Attributes:
        scope: the part of the code.
        is_given: whether the reviewer gave it as the claim's place.
        objects: the things of the last statement.
        named: those that it only names, if need be in its condition.
        relation: of the last statement.
        mode: of which the headings above speak.
        kind: what the objects were taken for.
    """

    table: SymbolTable
    words: Lexicon
    scope: str = ""
    is_given: bool = False
    objects: list[Item] = field(default_factory=list)
    named: list[Item] = field(default_factory=list)
    relation: Relation | None = None
    mode: str = ""
    kind: str = ""


@dataclass(slots=True)
class Candidate:
    """One way to read a statement.

    Attributes:
        score: how many words it explains, and how well.
        left: words that it does not say.
        denies: whether it denies what it speaks of.
        wider: the same of all code, where it is a guess of which file it is said.
        is_loose: whether so much is left over, or a condition, that what is so does not prove it.
        is_sure: whether so little is left over that what is not so may be held against it.
        is_total: whether nothing that is said beside it could narrow it.
    """

    score: float
    json: Json
    left: tuple[str, ...]
    denies: bool
    relation: Relation
    objects: list[Item]
    scope: str
    kind: str = ""
    wider: Json | None = None
    is_sure: bool = True
    is_loose: bool = False
    is_total: bool = False


class _None(Exception):
    """The words do not make a statement in this way; the text says why."""


def candidates(clause: Clause, context: Context) -> tuple[list[Candidate], str]:
    """All ways to read a statement, the best first; and why there is none."""
    search = _Search(clause, context)
    found: list[Candidate] = []
    problem = "no known relation found"
    try:
        for build in search.builds():
            try:
                found.append(build())
            except _None as none:
                problem = str(none)
    except _None as none:
        return [], str(none)
    return sorted(found, key=lambda one: -one.score), problem


class _Search:
    def __init__(self, clause: Clause, context: Context) -> None:
        self.clause, self.items = clause, clause.items
        self.context, self.table, self.words = context, context.table, context.words
        self.groups = context.words.groups
        self.asides = frozenset(self._asides())
        self.is_guess = False
        self.negating: frozenset[int] = frozenset()

    # Relations and objects

    def builds(self) -> Iterator[Any]:
        """A function for each predicate and each of its objects that may be meant."""
        relations = [
            (at, one)
            for at, item in enumerate(self.items)
            for one in item.relations(self.words)
            if at not in self.asides and not self._is_adjective(at)
        ]
        strong = [one for one in relations if one[1].weak < 4]
        chosen = list(relations)
        has_error = any("error" in item.meanings for item in self.items)
        if has_error and not any(one.name in _OF_ERRORS for _, one in chosen):
            chosen.append((-1, self.words.relations["fail"][0]))
        if not strong and any(
            item.stem in ("no", "without") and not item.meanings for item in self.items
        ):
            chosen.append((-1, self.words.relations[stem("have")][0]))
        if not chosen and self.context.relation is not None and self.clause.adds:
            chosen = [(-1, self.context.relation)]
        for at, relation in chosen:
            is_raise = at >= 0 and any(
                one.name == "raise" for one in self.items[at].relations(self.words)
            )
            is_future = self.clause.joined == "effect" or any(
                item.is_in(self.groups["will"]) for item in self.items
            )
            is_started = self.items[0].text.lower().endswith("ing") and any(
                one.name == "go" for one in self.items[0].relations(self.words)
            )
            is_state = (
                is_raise
                and not is_future
                and not is_started
                and any(item.meanings.keys() & {"file", "definition"} for item in self.items)
                and self._is_raised()
            )
            if relation.name in ("fail", "go") and not is_state:
                yield lambda at=at, relation=relation: self._failure(at, relation)
            if relation.name == "raise" and not is_state:
                continue
            for rank, (kind, predicates) in enumerate(relation.of.items()):
                for group in self._groups(kind, at, relation):
                    for predicate in predicates.split("|"):
                        args = (at, relation, rank, kind, predicate, group)
                        yield lambda args=args: self._build(*args)

    def _is_raised(self) -> bool:
        """Whether code raises the error itself, so far as it is no more than its failure."""
        names = {item.meanings["error"] for item in self.items if "error" in item.meanings}
        return "NotImplementedError" in names or any(
            names & raised for raised in self.table.raised.values()
        )

    def _is_adjective(self, at: int) -> bool:
        """Whether a participle only describes what follows it: "every *provided* run"."""
        return (
            self.items[at].text.lower().endswith("ed")
            and at + 1 < len(self.items)
            and is_noun(self.items, at, self.words)
        )

    def _asides(self) -> Iterator[int]:
        """The places of what only says which thing is meant: "the files *named by Hydra* are
        absent".
        """
        items = self.items
        for at, item in enumerate(items):
            before = items[at - 1] if at else None
            if (
                item.stem == "that"
                and before is not None
                and not before.relations(self.words)
                and not self._only_is(items[:at])
            ):
                yield from range(at, self._end_of_part(at))
                continue
            if (
                before is None
                or item.meanings
                or not item.relations(self.words)
                or not item.text.lower().endswith(("ed", "en", "wn", "ing"))
                or before.is_in(self.groups["auxiliaries"])
                or before.is_in(self.groups["negations"])
                or before.is_in(self.groups["prepositions"])
                or before.is_in(self.groups["articles"])
                or before.text in LISTING
                or before.text.lower().endswith("ly")
            ):
                continue
            after = items[at + 1] if at + 1 < len(items) else None
            if (
                after is not None
                and after.is_in(self.groups["prepositions"])
                and states(items[:at], self.words)
            ):
                yield from range(at, self._end_of_part(at))
                continue
            for end in range(at + 1, len(items)):
                later = items[end]
                if later.is_in(self.groups["auxiliaries"]) and any(
                    one.relations(self.words) for one in items[end:]
                ):
                    yield from range(at, end)
                    break

    def _only_is(self, items: Sequence[Item]) -> bool:
        """Whether they say no more than what something is: "x is a stub that raises y"."""
        said = [one for each in items for one in each.relations(self.words)]
        return bool(said) and all(one.name == "be" for one in said)

    def _end_of_part(self, at: int) -> int:
        """Where what begins at a place ends: at the next comma, "and" or "or"."""
        ends = (h for h in range(at, len(self.items)) if self.items[h].text in LISTING)
        return next(ends, len(self.items))

    def _groups(self, kind: str, at: int, relation: Relation) -> Iterator[Values]:
        """The lists of things that may be one kind, each as far as it goes."""
        if kind == "component":
            yield from self._components()
            return
        if kind in _DEEDS:
            yield from self._deeds(at, relation)
            return
        yield from ([one] for one in self._implied(kind, at, relation))
        found: list[Values] = []
        last = -2
        for here, item in enumerate(self.items):
            if here == at or here in self.asides or not self._may_be(here, kind, relation):
                continue
            value: tuple[tuple[int, ...], str] = ((here,), item.meanings[kind])
            between = self.items[last + 1 : here] if found else []
            if found and self._are_joined(between):
                found[-1].append(value)
            else:
                found.append([value])
            last = here
        if not found:
            found = self._before(kind, at, relation)
        yield from found

    def _implied(
        self, kind: str, at: int, relation: Relation
    ) -> Iterator[tuple[tuple[int, ...], str]]:
        """Things of a kind that are named as another one, or that only an article points at."""
        has_figure = any("figure" in one.meanings for one in self.items)
        for here, item in enumerate(self.items):
            file = item.meanings.get("file", "")
            if kind == "tool" and self._preposition(here) in _BY_MEANS:  # "with json.load()"
                for one in ("callee", "library"):
                    if "." in item.meanings.get(one, ""):
                        yield (here,), item.meanings[one]
            elif kind == "process" and here > at and file.endswith(".py"):
                yield (here,), file.removesuffix(".py").replace("/", ".")
            elif kind == "figure" and not has_figure and "per" in item.meanings:
                yield (here,), "*"
        if kind == "file" and relation.name in _OF_A_FILE and (meant := self._file_meant()):
            yield meant

    def _file_meant(self) -> tuple[tuple[int, ...], str] | None:
        """The file of which the statement before spoke: "the code", "this module"."""
        file = self.context.scope.partition("::")[0]
        for at, (article, item) in enumerate(pairwise(self.items)):
            is_definite = article.stem in ("the", "thi") and item.stem in _FILES
            if is_definite and file.endswith(_PROGRAMS):
                return (at + 1,), file
        return None

    def _deeds(self, at: int, relation: Relation) -> Iterator[Values]:
        """What is done to things without a name: "saves the best model"."""
        named = self.words.deeds[relation.name]
        stems = [one.stem if one.kind == "word" else None for one in self.items]
        longest = max(map(len, named))
        here = 0
        while here < len(stems):
            for end in range(min(here + longest, len(stems)), here, -1):
                activity = named.get(tuple(map(str, stems[here:end])))
                if activity and not here <= at < end and not self._is_qualifier(end - 1):
                    yield [(tuple(range(here, end)), activity)]
                    here = end
                    break
            else:
                here += 1

    def _is_qualifier(self, at: int) -> bool:
        """Whether a word only says which thing is meant by the next one: "*model* card"."""
        after = self.items[at + 1] if at + 1 < len(self.items) else None
        return (
            after is not None
            and not after.relations(self.words)
            and (bool(after.meanings.keys() - {"word"}) or after.is_unknown(self.words))
        )

    def _may_be(self, at: int, kind: str, relation: Relation) -> bool:
        """Whether a thing may be of a kind, by the words beside it, too: "the metric x"."""
        item = self.items[at]
        if kind not in item.meanings:
            return False
        if kind in _SPOTS and self._preposition(at) == "by":
            return False  # who does it
        if item.text.endswith("'s"):
            return False  # whose it is
        if kind == "text" and "file" in item.meanings:
            return False
        if relation.name != "have" and self._is_without(at):
            return False  # what is done without it is said of something else
        typed: set[str] = set()
        for other in (at - 1, at + 1):
            if 0 <= other < len(self.items) and not self.items[other].meanings:
                typed |= self.words.kinds.get(self.items[other].stem, frozenset())
        if kind == "argument" and typed and kind not in typed:
            return False
        typed &= item.meanings.keys() & relation.of.keys()
        if kind == "name" and "definition" in item.meanings and relation.name == "set":
            return False
        is_had = "callee" in item.meanings and relation.name in ("have", "lack")
        # "no call()" is a call that is missing, "no such() method" a definition.
        if is_had and kind == ("callee" if "name" in typed else "name"):
            return False
        if kind in _QUALIFYING and item.entity is not None and self._is_qualifier(at):
            return False  # of a "Hydra run file" the file is spoken of
        if (
            item.text.lower() in _COMMON
            and "package" not in typed
            and relation.name not in ("import", "dependency")
        ):
            return False
        is_plain = item.kind == "word" and item.entity is not None and kind in ("key", "metric")
        if is_plain and kind not in typed and relation.name not in ("log", "pass"):
            return False
        return not typed or kind in typed or kind in ("definition", "callee")

    def _is_without(self, at: int) -> bool:
        """Whether "without" stands right before a thing, words that say nothing aside."""
        for item in reversed(self.items[:at]):
            if item.stem == "without":
                return True
            if item.meanings or item.relations(self.words) or item.text in LISTING:
                return False
        return False

    def _are_joined(self, between: Sequence[Item]) -> bool:
        """Whether only an "and", "or" or comma stands between two things, with words that say
        nothing.
        """
        joins = [item for item in between if item.text.lower() in LISTING]
        negates = [item for item in between if item.is_in(self.groups["negations"])]
        if any(
            one.text.lower() in LISTING and other.stem in ("not", "nev")
            for one, other in pairwise(between)
        ):
            raise _None("only a part of it is denied")
        if any(item.stem in ("not", "nev") for item in negates):
            return False
        return bool(joins) and all(
            item in joins
            or item in negates
            or item.is_in(self.groups["articles"])
            or item.is_in(self.groups["every"])
            or item.stem in self.words.kinds
            or (
                item.kind == "word"
                and not item.meanings
                and item.stem in self.words.filler
                and not item.is_in(self.groups["prepositions"])
            )
            for item in between
        )

    def _before(self, kind: str, at: int, relation: Relation) -> list[Values]:
        """What "it" or "these attributes" were in the statement before, of which one that names
        nothing goes on: "x is imported but unused".
        """
        places = [
            here for here, item in enumerate(self.items[:3]) if item.is_in(self.groups["pronouns"])
        ]
        if at >= 0 and at + 1 < len(self.items) and self.items[at + 1].is_in(self.groups["plural"]):
            places.append(at + 1)
        is_last = at >= 0 and not any(item.meanings for item in self.items[at:])
        if self.clause.joined == "effect" and is_last and not self._is_passive(at):
            places.append(at)  # "…, which the file does not have"
        if self.clause.adds and at >= 0 and not any(item.meanings for item in self.items):
            places.append(at)
        last = self.context.kind
        if last != kind and last in relation.of:
            return []  # what it was in the statement before, it is here, too
        for here in places:
            found: Values = [
                ((here,), one.meanings[kind])
                for one in (*self.context.objects, *self.context.named)
                if kind in one.meanings
            ]
            found = list(dict.fromkeys(found))
            if self.items[here].is_in(self.groups["plural"]) and len(found) < 2:
                return []
            return [found] if found else []
        return []

    def _components(self) -> Iterator[Values]:
        """Runs of words that the lexicon does not have, where one of a list names a part of the
        method.
        """
        found: list[Values] = []
        terms: list[bool] = []
        at = 0
        last = -2
        while at < len(self.items):
            end = at
            is_clause = at > 0 and self.items[at - 1].stem in ("that", "which")
            while end < len(self.items) and (
                (self._names_part(end) and not is_clause) or (end > at and self._is_plain(end))
            ):
                end += 1
            while end > at + 1 and self.items[end - 1].text.endswith("ed"):
                end -= 1  # "a part *described* in …"
            is_participle = self.items[at].text.endswith(("ing", "ed")) and end - at > 1
            is_adjective = end > at and self.items[end - 1].text.endswith(_ADJECTIVE)
            if end == at or is_adjective or (is_participle and "-" not in self.items[at].text):
                at += 1
                continue
            is_term = self._is_term(self.items[at:end])
            while end < len(self.items) and self._goes_on(end):
                end += 1
            value = (tuple(range(at, end)), " ".join(one.text for one in self.items[at:end]))
            if found and self._are_joined(self.items[last + 1 : at]):
                found[-1].append(value)
                terms[-1] |= is_term
            else:
                found.append([value])
                terms.append(is_term)
            last, at = end - 1, end
        yield from (group for group, is_term in zip(found, terms, strict=True) if is_term)

    def _is_term(self, run: Sequence[Item]) -> bool:
        """Whether words name something: they are written as no English word is, are two, or the
        method is described with them.
        """
        words = [part for one in run for part in one.stem.split("-")]
        return len(words) > 1 or any(
            one.kind != "word" or "component" in one.meanings or one.stem in self.table.terms
            for one in run
        )

    def _goes_on(self, at: int) -> bool:
        """Whether a word goes on with the name of a part: "cost *model*"."""
        item = self.items[at]
        if item.kind != "word" or self.items[at - 1].kind != "word":
            return False
        is_noun_here = item.stem in self.words.kinds or bool(item.meanings.keys() & _SOFT)
        if not is_noun_here and item.relations(self.words):
            return False
        return is_noun_here or (
            item.stem in self.words.filler
            and not any(
                item.is_in(self.groups[name])
                for name in ("articles", "auxiliaries", "prepositions", "every", "pronouns")
            )
            and item.text.lower() not in LISTING
            and item.is_in(self.groups["parts"])
        )

    def _is_plain(self, at: int) -> bool:
        """Whether a word is one of the submission's texts or keys only by chance."""
        item = self.items[at]
        return (
            item.kind == "word"
            and item.text.islower()
            and item.meanings.keys()
            <= {
                "key",
                "metric",
            }
            and bool(item.meanings)
        )

    def _names_part(self, at: int) -> bool:
        item = self.items[at]
        if at in self.asides or not (item.is_unknown(self.words) or "component" in item.meanings):
            return False
        beside = [self.items[one] for one in (at - 1, at + 1) if 0 <= one < len(self.items)]
        return not any("name" in self.words.kinds.get(one.stem, ()) for one in beside)

    # Where things stand

    def _preposition(self, at: int) -> str:
        """The preposition that governs a thing; empty for a subject or an object."""
        is_listed = self.items[at].kind == "word"
        for item in reversed(self.items[:at]):
            if item.is_in(self.groups["prepositions"]):
                return item.stem
            if item.text in LISTING:
                is_listed = True
                continue
            is_between = (
                item.is_in(self.groups["articles"])
                or item.is_unknown(self.words)
                or item.stem in self.words.kinds
                or (bool(item.meanings) and is_listed)
                or (item.kind == "word" and item.stem in self.words.filler)
            )
            if not is_between or item.is_in(self.groups["auxiliaries"]):
                return ""
            is_listed = is_listed and item.kind == "word"
        return ""

    def _is_passive(self, at: int) -> bool:
        if at < 0:
            return False
        item = self.items[at]
        if item.is_in(self.groups["states"]) and item.stem not in ("miss", "be"):
            return True
        if item.stem == "miss" and self._has_object(at):
            return False
        if not item.text.lower().endswith(
            ("ed", "en", "wn", "nt", "de", "un", "set", "ead", "ing")
        ):
            return False
        for other in reversed(self.items[:at]):
            if other.is_in(self.groups["auxiliaries"]):
                return other.stem == "be"
            if other.meanings or not (
                other.is_in(self.groups["negations"])
                or other.text.endswith("ly")
                or other.is_in(self.groups["only"])
                or other.stem in self.words.filler
            ):
                break
        return not any(one.meanings for one in self.items[at + 1 :])

    def _has_object(self, at: int) -> bool:
        """Whether something is named behind a relation, and no preposition before it."""
        for item in self.items[at + 1 :]:
            if item.meanings or item.is_unknown(self.words):
                return True
            if item.is_in(self.groups["prepositions"]) or item.text in LISTING:
                return False
        return False

    def _misplaced(self, group: Values, at: int, predicate: str) -> float:
        """How far a relation's object stands from where it is looked for."""
        first, last = group[0][0][0], group[-1][0][-1]
        if at < 0:
            return 0.5 * bool(self._preposition(first) in self.groups["places"])
        is_before = last < at
        says = self.items[at]
        is_noun_here = is_noun(self.items, at, self.words)
        acts = says.text.endswith("s") and not says.text.endswith("ss") and not is_noun_here
        lacks = acts and any(one.denies for one in says.relations(self.words))
        is_state = predicate in _STATES and not (lacks or self._goes_on_behind(at))
        if (
            is_before
            and acts
            and not is_state
            and says.stem not in ("mis", "fail")
            and not self._is_passive(at)
        ):
            raise _None("who does it is no object of it")
        if (
            not is_before
            and self._is_passive(at)
            and any(
                item.meanings and not self._preposition(here)
                for here, item in enumerate(self.items[:at])
            )
        ):
            raise _None("it is done to something else")
        wrong_side = 1.5 if is_before != self._is_passive(at) else 0.0
        far = (at - last if is_before else first - at) - 1
        preposition = self._preposition(first)
        governed = preposition in self.groups["places"] and not (
            predicate in ("reads_file", "reads_key", "reads_metric", "fails") and not is_before
        )
        return wrong_side + 0.1 * min(max(far, 0), 12) + 1.5 * governed

    # Scope

    def _scopes(self, by: str, at: int, used: set[int]) -> list[str]:
        """The parts of the code of which it is said: those that the statement names, else that of
        the statement before, else the script of a command.
        """
        found: list[tuple[int, str]] = []
        for here, item in enumerate(self.items):
            if here in used or here in self.asides:
                continue
            for kind in ("file", "definition", "role", "owner"):
                value = item.meanings.get(kind, "")
                if kind == "role":
                    value = self.table.roles.get(value, "")
                is_in = self._preposition(here) in self.groups["places"]
                is_actor = here < at and not self._preposition(here)
                if not value or (kind == "file" and not value.endswith(_PROGRAMS)):
                    continue
                if kind == "definition" and not (is_in or is_actor or at < 0):
                    continue
                if kind == "owner" and not is_actor:
                    continue
                found.append((here, value))
                self.is_guess |= kind == "owner"
                break
        names = [one for one in found if "::" in one[1]]
        files = [one for one in found if "::" not in one[1]]
        if within := [one for one in names if any(one[1].startswith(f"{f}::") for _, f in files)]:
            used.update(here for here, _ in (*within, *files))
            return self._unique(within)
        actors = [one for one in found if one[0] < at and not self._preposition(one[0])]
        chosen = actors or found
        if chosen:
            first = chosen[0][0]
            run = [first]
            for here, _ in chosen[1:]:
                if self._are_joined(self.items[run[-1] + 1 : here]):
                    run.append(here)
            used.update(run)
            return self._unique([one for one in chosen if one[0] in run])
        commands = [
            (here, item.meanings["command"])
            for here, item in enumerate(self.items)
            if "command" in item.meanings
            and here not in used
            and not item.relations(self.words)
            and not self._is_listed(here)
        ]
        if len(commands) == 1 and commands[0][1] in self.table.roles:
            here, command = commands[0]
            if not self.context.scope or (here < at and not self._preposition(here)):
                used.add(here)
                return [self.table.roles[command]]
        if self.context.scope:
            self.is_guess = not self.context.is_given
            return [self.context.scope]
        self.is_guess = True
        if any(item.is_unknown(self.words) for item in self.items[: max(at, 0)]):
            return ["code"]
        return [self.table.roles.get(by, "") or "code"]

    def _is_listed(self, at: int) -> bool:
        """Whether a word is one of a list of things."""
        return any(
            self.items[here].text in LISTING
            for here in (at - 1, at + 1)
            if 0 <= here < len(self.items)
        )

    @staticmethod
    def _unique(found: Sequence[tuple[int, str]]) -> list[str]:
        return list(dict.fromkeys(value for _, value in found))

    def _take(self, kind: str, used: set[int]) -> str | None:
        """The one thing of a kind that is not used yet, wherever it stands."""
        found = [
            (here, item.meanings[kind])
            for here, item in enumerate(self.items)
            if kind in item.meanings and here not in used
        ]
        if len({value for _, value in found}) > 1:
            raise _None(f"several things may be its {kind}")
        used.update(here for here, _ in found)
        return found[0][1] if found else None

    # Building

    def _build(
        self, at: int, relation: Relation, rank: int, kind: str, predicate: str, group: Values
    ) -> Candidate:
        if len(group) > _MOST_OBJECTS:
            raise _None("it speaks of too many things")
        used = {at, *(here for indices, _ in group for here in indices)}
        self.is_guess = False
        objects = [self.items[indices[0]] for indices, _ in group]
        if not any(one.meanings for one in objects):
            objects = list(self.context.objects)  # "it", or what "which" stands for
        denies = self._denies(at, relation, group) != predicate.startswith("!")
        predicate = predicate.lstrip("!")
        values = list(dict.fromkeys(value for _, value in group))
        if kind == "definition":
            values = [value.partition("::")[2] for value in values]
        slots = self.words.slots[predicate]
        if at < 0 and any(
            one.is_unknown(self.words) for h, one in enumerate(self.items) if h not in used
        ):
            raise _None("the predicate is unknown")
        if predicate == "implements" and kind == "name" and values[0] != objects[0].text:
            raise _None("a function is there or not")  # "f()"
        if predicate == "implements" and not denies:
            is_finite = at >= 0 and not is_noun(self.items, at, self.words)
            if relation.name != "implement" or not is_finite or kind == "text":
                raise _None("what is implemented is not said")
        if predicate == "calls" and kind == "library":
            values = [value if "." in value else f"{value}.*" for value in values]
        elif predicate == "calls" and kind == "name":
            values = [value if "." in value else f"{value}|*.{value}" for value in values]
        first = group[0][0][0]
        if relation.name == "lack" and first > at and self._preposition(first) in _WITHIN:
            raise _None("what is missing there is not named")
        score = -self._misplaced(group, at, predicate) - 0.05 * rank - relation.weak
        score -= 1.0 * (at >= 0 and is_noun(self.items, at, self.words))
        if predicate == "reads_metric":
            self._must_be_read(values, at, used)
        if predicate == "logs" and relation.name == "write":
            self._must_be_tracked(used)
        score -= 2.0 * (kind in ("component", "name", "text")) * (relation.weak >= 1)
        score -= 2.0 * self._is_of_a_deed(at, relation)
        self._must_state(at, relation, group)
        fixed: Json = {}
        scopes = [""]
        if kind == "file" and at >= 0:
            self._must_not_act(group, at, predicate)
        if predicate == "has_key":
            fixed["where"] = self._where(used)
            if kind == "entry" and len(values) == 1:
                key, _, value = values[0].partition(": ")
                fixed["value"] = _literal(value)
                values = [key]
        elif predicate == "accepts":
            if not any(
                "callee" in i.meanings
                or "." in i.meanings.get("library", i.meanings.get("imported", ""))
                or "argument" in self.words.kinds.get(i.stem, ())
                for i in self.items
            ) and not (at >= 0 and self.items[at].stem in _TAKES):
                raise _None("no argument is named")
            fixed["callee"] = self._callee(used)
        elif predicate == "library_has" and not any("." in value for value in values):
            raise _None("it is the name of the library itself")
        elif predicate == "declares":
            self._must_be_of_packages(relation)
            files = {h: one.meanings["file"] for h, one in self._files()}
            if set(files.values()) - {_MANIFEST}:
                raise _None("another file declares no package")
            used |= files.keys()
        elif predicate == "handles":
            fixed["thing"] = self._callee(used)
            scopes = self._scopes(slots.by, at, used)
        elif predicate == "imports":
            scopes = self._scopes(slots.by, at, used)
            values = self._imported(values, used, scopes[0])
        elif slots.scope:
            home = self.words.homes.get(values[0], "") if kind == "activity" else ""
            scopes = self._scopes(slots.by or home, at, used)
        elif slots.object == "file" and kind != "file":
            values = self._scopes("", at, used)
            if any(not value.endswith(_PROGRAMS) for value in values):
                raise _None("no file is named")
        scope = next(iter(scopes), "") or str(fixed.get("where", ""))
        if scope.endswith(_CONFIGS) and predicate in (
            "sets",
            "defines",
            "uses",
            "calls",
            "reads_key",
            "implements",
        ):
            if kind in _CALLABLE[:-1]:
                raise _None("a configuration calls nothing")
            is_key = kind in ("key", "name", "entry") and all(
                v in self.table.all_keys for v in values
            )
            predicate = "has_key" if is_key else "contains"
            slots = self.words.slots[predicate]
            scopes, fixed = ([""], {"where": scope}) if predicate == "has_key" else ([scope], {})
        elif scope.endswith(_CONFIGS) and predicate in _OF_CODE:
            raise _None("a configuration does nothing")
        if predicate == "has_key" and (section := self._take("section", used)):
            values = [f"{section}.{value.removeprefix(f'{section}.')}" for value in values]
        if predicate == "contains":
            values = [value.rstrip(" .…") or value for value in values]
        is_vague = scope == "code" or (
            kind in ("name", "component") and not scope.endswith(_CONFIGS)
        )
        if predicate == "contains" and kind != "note" and is_vague:
            raise _None("it quotes something, and no file")
        if predicate == "draws":
            if values == ["*"] and self._figure_beside(group):
                raise _None("the figure is said beside it")
            if per := self._take("per", used):
                fixed["per"] = per
        if kind == "process":
            fixed["mentions"], values = values[0], ["subprocess"]
            used |= {here for here, one in enumerate(self.items) if one.stem in _PROCESS}
        elif predicate == "calls" and kind == "argument":
            fixed["with"] = dict.fromkeys(values, "*")
            values = [self._callee(used)]
        elif predicate == "calls":
            fixed |= self._given(used)
            if kind == "tool" and (on := self._take("file", used)):
                fixed["on"] = on.rpartition("/")[2]
            if missing := self._left_out(group, used):
                fixed["with"] = {**fixed.get("with", {}), **missing}
        if predicate == "sets":
            if kind in ("pair", "switch"):
                values, (fixed["value"],) = _taken_apart(values)
            else:
                self._value(at, used, fixed)
                if self.items[at].stem in _HARD_CODED:
                    fixed.setdefault("value", "constant")
            if self.items[at].stem == "assign" and self._preposition(group[0][0][0]) != "to":
                raise _None("to what it is assigned is said elsewhere")
        mode = self._take("mode", used) or self.context.mode
        if mode and predicate not in _MODELESS:
            fixed["mode"] = mode
        if predicate == "command_line":
            used |= {h for h, one in enumerate(self.items) if "argument" in one.meanings}
        if predicate == "sound" and denies:
            raise _None("what is wrong is not said")
        if predicate == "limits":
            before = self.items[group[0][0][0] - 1].text.lower()
            if (number := self._take("number", used) or _NUMBERS.get(before)) is not None:
                fixed["to"] = _literal(number)
        is_any_case = kind == "note" and not any(one.text.isupper() for one in objects)
        if is_any_case:
            values = [spelt for one in values for spelt in (one, one.lower(), one.capitalize())]
        if kind == "runs":
            parts: list[Json] = [
                {"every": "run", "holds": {"p": predicate, slots.scope: one, slots.object: "$run"}}
                for one in scopes
            ]
        else:
            parts = [
                {
                    "p": predicate,
                    **({slots.scope: place} if place else {}),
                    **fixed,
                    **({slots.object: one} if slots.object else {}),
                }
                for place in scopes
                for one in values
            ]
        if predicate == "sets" and kind == "pair" and values[0] not in self.table.all_keys:
            # It may be an argument of a call as well.
            said = {"p": "calls", "scope": scopes[0], "callee": "*"}
            parts = [{"any": [*parts, {**said, "with": {values[0]: fixed["value"]}}]}]
        if predicate == "calls" and (order := self._order(values, scopes, used)):
            predicate, parts = "before", [order]
        json, is_limited = self._joined(
            parts, fixed, scopes, slots, values, denies, group, kind, is_any_case
        )
        left, cost = self._left(used, relation, predicate, at)
        is_total = denies and predicate in _WHOLE
        score += 3.0 * (at >= 0) - cost
        score += sum(self._worth(here) for here in used - {-1, at})
        return Candidate(
            score,
            self._hedged(json),
            left,
            denies and not is_limited and not is_total,
            relation,
            objects,
            scope,
            kind,
            self._wider(json, parts, slots.scope, denies=denies),
            is_total
            or (cost <= _LITTLE and not (is_limited and self.is_guess) and kind != "process"),
            cost > _MUCH
            or self._is_described(at)
            or (bool(left) and bool(self.clause.when))
            or kind == "tool",
            is_total,
        )

    def _order(self, values: Sequence[str], scopes: Sequence[str], used: set[int]) -> Json | None:
        """What is called before what, where a condition says so: "… before y() is called"."""
        when = self.clause.when
        said = [
            next((one.meanings[kind] for kind in _CALLABLE if kind in one.meanings), None)
            for one in when
        ]
        others = [name.partition("::")[2] or name for name in said if name]
        if not when or when[0].stem not in ("befor", "after") or len(others) != 1:
            return None
        if len(values) > 1 or len(scopes) > 1:
            raise _None("several things are said to come before another one")
        places = [one.meanings["file"] for one in when if "file" in one.meanings]
        first, then = values[0], others[0]
        if when[0].stem == "after":
            first, then = then, first
        when.clear()
        return {"p": "before", "scope": next(iter(places), scopes[0]), "first": first, "then": then}

    def _files(self) -> list[tuple[int, Item]]:
        return [(at, one) for at, one in enumerate(self.items) if "file" in one.meanings]

    def _is_described(self, at: int) -> bool:
        """Whether an unknown word says of which sort a deed is: "a *circular* import"."""
        return (
            at > 0
            and is_noun(self.items, at, self.words)
            and self.items[at - 1].is_unknown(self.words)
        )

    def _is_of_a_deed(self, at: int, relation: Relation) -> bool:
        """Whether what is said to be absent is a deed: "lacks a call of"."""
        return (relation.name in _ABSENCE or relation.name == "have") and any(
            is_noun(self.items, here, self.words) and not all(one.denies for one in others)
            for here, item in enumerate(self.items)
            if here > at and (others := item.relations(self.words))
        )

    def _wider(self, json: Json, parts: list[Json], slot: str, *, denies: bool) -> Json | None:
        """The same of all code, where it is only a guess that one file is meant."""
        if not self.is_guess or not slot or any(slot not in one for one in parts):
            return None
        if (
            denies
            or any(one[slot] == "code" for one in parts)
            or slot in ("file", "where", "callee")
        ):
            return None
        return self._hedged(_widened(json, slot))

    def _worth(self, at: int) -> float:
        """How much it explains to have used a word."""
        return 3.0 if self.items[at].meanings else 0.8

    def _joined(
        self,
        parts: list[Json],
        fixed: Json,
        scopes: list[str],
        slots: Any,
        values: list[str],
        denies: bool,
        group: Values,
        kind: str,
        is_any_case: bool,
    ) -> tuple[Json, bool]:
        limit = next((h for h, one in enumerate(self.items) if "limit" in one.meanings), None)
        only = next((h for h, one in enumerate(self.items) if one.is_in(self.groups["only"])), None)
        if limit is not None or only is not None:
            first = group[0][0][0]
            if only is not None and limit is None:
                if denies:
                    raise _None("what is limited is denied as well")
                between = self.items[min(only, first) + 1 : max(only, first)]
                if only > first or any(one.meanings for one in between):
                    raise _None("what is limited is something else")
            is_one = any(item.text.lower() in ("one", "single", "1") for item in self.items)
            if kind == "runs" and is_one and len(parts) == 1:
                return {"not": parts[0]}, False
            if len(scopes) > 1 or kind == "runs":
                raise _None("what is limited is said of several")
            values = [
                self.items[here].text
                if "|" in value and " " not in self.items[here].text
                else value
                for (here, *_), value in group
            ]
            predicate = parts[0]["p"]
            if predicate in ("command_line", "returns"):  # of which there is one
                return parts[0], False
            one = {**parts[0], slots.object: "?"}
            return {"only": one, "hole": slots.object, "are": values}, True
        if is_any_case:
            return (_denied({"any": parts}) if denies else {"any": parts}), False
        if len(parts) == 1:
            return (_denied(parts[0]) if denies else parts[0]), False
        if denies and self._denies_all(group):
            return {"not": {"all": parts}}, False
        span = self.items[group[0][0][0] : group[-1][0][-1]]
        if any(item.stem in ("or", "/") for item in span) and not denies:
            return {"any": parts}, False
        return {"all": [_denied(part) for part in parts] if denies else parts}, False

    def _denies_all(self, group: Values) -> bool:
        """Whether "not all" stands before the things."""
        for here in range(min(group[0][0][0], len(self.items) - 1)):
            if self.items[here].is_in(self.groups["negations"]):
                later = self.items[here + 1 : group[0][0][0]]
                return any(one.is_in(self.groups["every"]) and one.stem != "any" for one in later)
        return False

    def _hedged(self, json: Json) -> Json:
        if not any(item.is_in(self.groups["possible"]) for item in self.items):
            return json
        return {"possible": json}

    def _denies(self, at: int, relation: Relation, group: Values) -> bool:
        """Whether the statement denies its relation.

        Raises:
            _None: it denies several things, or it denies another one.
        """
        found: list[int] = []
        for here, item in enumerate(self.items):
            if here in self.asides:
                continue
            rels = item.relations(self.words)
            if here == at:
                if relation.denies:
                    found.append(here)
            elif (
                "deny" in item.meanings
                or item.is_in(self.groups["negations"])
                or (
                    rels
                    and all(one.denies and one.name in _ABSENCE for one in rels)
                    and not self._is_attribute(here, at, relation)
                )
            ):
                found.append(here)
        words = [self.items[here] for here in found]
        negations = [item for item in words if item.is_in(self.groups["negations"])]
        if any(
            self.items[here].is_in(self.groups["negations"])
            and self.items[here + 1].is_in(self.groups["degrees"])
            for here in found
            if here + 1 < len(self.items)
        ):
            raise _None("only a part of it is denied")
        if any(
            item.is_in(self.groups["degrees"]) and item.text.lower().endswith("ly")
            for here, item in enumerate(self.items)
            if any(first < here and self.items[first] in negations for first in found)
        ):
            raise _None("only how it is done is denied")
        nos = [here for here in found if self.items[here].stem in ("no", "nor", "neither")]
        if len(nos) > 1:  # "no a, no b", "neither a nor b"
            found = [here for here in found if here not in nos[1:]]
        if len(found) > 2:
            raise _None("it denies several things")
        if len(found) == 2:
            first, second = found
            between = self.items[first + 1 : second]
            is_far = len(between) > (0 if words[1].stem == "without" else 2)
            if is_far or any(one.meanings for one in between):
                raise _None("it denies several things")
        if len(found) == 1 and at >= 0 and found[0] != at and not words[0].meanings:
            # A negation that stands behind the relation and before another one is that one's.
            here = found[0]
            nearest = [
                other
                for other in range(here + 1, min(here + 4, len(self.items)))
                if self.items[other].relations(self.words)
                and (words[0].stem == "without" or not is_noun(self.items, other, self.words))
                and other not in self.asides
            ]
            if here > at and nearest and at not in nearest and words[0].stem != "no":
                raise _None("something else is denied")
        self.negating = frozenset(found)
        return len(found) % 2 == 1

    def _must_state(self, at: int, relation: Relation, group: Values) -> None:
        """Refuse a participle before its noun where nothing else is said: "aggregated figures"."""
        if at < 0 or relation.denies or self.clause.adds:
            return
        is_participle = self.items[at].text.lower().endswith(("ed", "ing", "en"))
        first = group[0][0][0] if group else 0
        has_verb = any(
            item.is_in(self.groups["auxiliaries"])
            or item.is_in(self.groups["negations"])
            or item.is_in(self.groups["only"])
            or (item.relations(self.words) and here != at)
            for here, item in enumerate(self.items)
        )
        if (
            is_participle
            and not has_verb
            and first > at
            and not any(one.meanings for one in self.items[:at])
        ):
            raise _None("it only names something")

    def _is_attribute(self, here: int, at: int, relation: Relation) -> bool:
        """Whether a word that denies only tells of a thing of a statement that is said already:
        "relies on the *missing* x".
        """
        before = self.items[here - 1] if here else None
        after = self.items[here + 1] if here + 1 < len(self.items) else None
        if relation.name == "fail" and before is not None and after is not None:
            return before.is_in(self.groups["articles"]) and bool(after.meanings)
        return (
            0 <= at < here
            and relation.weak < 1
            and before is not None
            and not before.is_in(self.groups["auxiliaries"])
            and any(item.meanings for item in self.items[here + 1 :])
        )

    def _must_be_of_packages(self, relation: Relation) -> None:
        """Refuse a library as a dependency where no dependency is spoken of."""
        if relation.name == "dependency":
            return
        if not any(
            item.meanings.get("file") == _MANIFEST
            or "package" in self.words.kinds.get(item.stem, ())
            for item in self.items
        ):
            raise _None("no dependency is spoken of")

    def _must_be_tracked(self, used: set[int]) -> None:
        """Refuse what is written where no tracking is spoken of."""
        found = {
            here
            for here, item in enumerate(self.items)
            if item.text.lower() in ("wandb", "summary", "run.summary", "wandb.summary")
        }
        used |= found
        if not found:
            raise _None("where it is written is not said")

    def _must_be_read(self, values: list[str], at: int, used: set[int]) -> None:
        """Refuse metrics that the evaluating script has no text of."""
        script = self.table.roles.get("evaluate", "")
        texts = self.table.texts.get(script, frozenset())
        places = [one.partition("::")[0] for one in self._scopes("evaluate", at, set(used))]
        if places != [script] or not all(value in texts for value in values):
            raise _None("it reads no metric")

    def _must_not_act(self, group: Values, at: int, predicate: str) -> None:
        """Refuse a file as what is read or written where it is who reads."""
        if predicate in ("writes", "reads_file") and any(
            value.endswith(".py") for _, value in group
        ):
            raise _None("a script is neither read nor written by another one")
        if group[0][0][0] > at or self._is_passive(at):
            return
        says = self.items[at]
        if says.is_in(self.groups["transitive"]) and not says.text.endswith(_PARTICIPLES):
            raise _None("who has something or lacks it is there")
        acts = group[0][1].endswith(".py")
        if self._goes_on_behind(at) if predicate in _STATES else acts:
            raise _None("who does it is no object of it")

    def _goes_on_behind(self, at: int) -> bool:
        """Whether things stand behind a relation, of which it may be said instead."""
        return any(item.meanings or item.is_unknown(self.words) for item in self.items[at + 1 :])

    def _figure_beside(self, group: Values) -> bool:
        here = {one for indices, _ in group for one in indices}
        return any(
            "figure" in item.meanings and item.meanings["figure"] != "*" and at not in here
            for at, item in enumerate(self.items)
        )

    def _where(self, used: set[int]) -> str:
        where = self._take("where", used)
        if where == "composed":
            return where
        if (run := self._take("run", used)) is not None:
            return f"run:{run}"
        if where:
            return "run:*"
        found = {
            value: here
            for here, item in enumerate(self.items)
            if here not in used and (value := item.meanings.get("file", "")).endswith(_CONFIGS)
        }
        if len(found) > 1:
            raise _None("several files are named")
        for value, here in found.items():
            used.add(here)
            return value
        return self.context.scope if self.context.scope.endswith(_CONFIGS) else "composed"

    def _callee(self, used: set[int]) -> str:
        for kind in _CALLABLE[:-1]:
            if found := self._take(kind, used):
                name = found.partition("::")[2] or found
                return self._named_before(name) or name
        raise _None("no function is named")

    def _named_before(self, name: str) -> str | None:
        """The whole name of which the statement before spoke, where only its end is said again."""
        spoken = (one.meanings.get("library", "") for one in self.context.objects)
        return next((one for one in spoken if "." not in name and one.endswith(f".{name}")), None)

    def _imported(self, values: list[str], used: set[int], scope: str) -> list[str]:
        """What is imported, with the module behind "from"."""
        values = [
            value.removesuffix(".py").replace("/", ".") if value.endswith(".py") else value
            for value in values
        ]
        for here, item in enumerate(self.items):
            if here in used or self._preposition(here) != "from" or not item.meanings:
                continue
            used.add(here)
            path = item.meanings.get("file", "")
            module = path.removesuffix(".py").replace("/", ".") or item.text
            if module.startswith("."):
                folder = scope.partition("::")[0].rpartition("/")[0].replace("/", ".")
                module = f"{folder}{module}" if folder else module.lstrip(".")
            return [f"{module}.{value}" for value in values]
        return values

    def _left_out(self, group: Values, used: set[int]) -> Json:
        """The argument behind "without": "is called without an id"."""
        ends = [at for at, item in enumerate(self.items) if item.stem == "without"]
        if not ends or ends[0] < group[-1][0][-1]:
            return {}
        for at, item in enumerate(self.items[ends[0] + 1 :], ends[0] + 1):
            if item.meanings or item.is_unknown(self.words):
                used.add(at)
                name, _, value = item.text.partition("=")
                return {name: _literal(value) if value else "*"}
        return {}

    def _given(self, used: set[int]) -> Json:
        """The arguments of a call that are written out, or named behind "with"."""
        given: Json = {}
        for here in sorted(used - {-1}):
            thing = self.items[here].entity
            if thing and thing.args:
                given["args"] = list(thing.args)
            if thing and thing.named:
                given["with"] = dict(thing.named)
        for here, item in enumerate(self.items):
            if here in used or not ({"argument", "pair"} & item.meanings.keys()):
                continue
            if self._preposition(here) in ("with", "us"):
                used.add(here)
                name, _, value = item.text.partition("=")
                given.setdefault("with", {})[name] = _literal(value) if value else "*"
        return given

    def _value(self, at: int, used: set[int], fixed: Json) -> None:
        """To what something is set."""
        for here, item in enumerate(self.items):
            is_told = here > at and self.items[here - 1].stem in ("to", "as")
            if here in used or here < at or not (item.meanings or is_told):
                continue
            if (
                self._preposition(here) in ("to", "as", "into", "with", "from")
                or item.kind == "number"
            ):
                used.add(here)
                fixed["value"] = _literal(item.meanings.get("library", item.text))
                return

    # Failures

    def _failure(self, at: int, relation: Relation) -> Candidate:
        used = {at}
        denies = self._denies(at, relation, [])
        if relation.name == "go" and denies:
            raise _None("it is said to run")
        if relation.name == "go" and any(
            (one.meanings or one.is_unknown(self.words)) and not self._preposition(here)
            for here, one in enumerate(self.items)
            if here > at
        ):
            raise _None("who runs something does not fail")
        said: Json = {"p": "fails", "command": ""}
        error = self._take("error", used)
        scripts = {
            item.meanings["file"]: here
            for here, item in enumerate(self.items)
            if item.meanings.get("file", "").endswith(".py")
        }
        commands = {
            here: item.meanings["command"]
            for here, item in enumerate(self.items)
            if "command" in item.meanings and here != at
        }
        named = list(dict.fromkeys(commands.values()))
        command = named[0] if named else None
        used.update(commands)
        if command is None and (role := self._take("role", used)):
            command = role
        ran = [one.meanings["file"] for one in self.clause.when if "file" in one.meanings]
        if command is None and not scripts and len(ran) == 1 and ran[0].endswith(".py"):
            command = self.table.command_of(ran[0])
        if len(scripts) == 1:
            ((path, here),) = scripts.items()
            used.add(here)
            command = command or self.table.command_of(path)
        elif scripts:
            raise _None("several scripts are named")
        path = self.context.scope.partition("::")[0]
        default = self.table.command_of(path) if path.endswith(".py") else "train"
        said["command"] = command or default
        if error:
            said["error"] = error
        if run := self._take("run", used):
            said["run"] = run
        if mode := self._take("mode", used):
            said["mode"] = mode
        spots = [
            here
            for here, item in enumerate(self.items)
            if here not in used
            and item.meanings.keys() & set(_SPOTS)
            and "component" not in item.meanings
            and item.text.lower() not in WELL_KNOWN
            and (here < at or self._preposition(here) in self.groups["places"] | {"when", "on"})
        ]
        if len(spots) > 1:
            raise _None("several things may be where it fails")
        told = [one for one in self.clause.when if one.meanings.keys() & {*_SPOTS}]
        if (
            not spots
            and len(told) == 1
            and any(one.text.endswith("ing") for one in self.clause.when)
        ):
            said["at"] = told[0].text.removesuffix("()")  # "when accessing x"
            self.clause.when.remove(told[0])
        for here in spots:
            used.add(here)
            said["at"] = self.items[here].text.removesuffix("()")
        is_named = error or named or scripts or spots or run
        if relation.name == "go" and not is_named and not self._is_of_all_code():
            raise _None("what does not run is not named")
        left, cost = self._left(used, relation, "fails", at)
        score = 3.0 * len(used - {-1}) - cost - relation.weak - (at < 0)
        json: Json = said
        if self._is_of_every("run") and "run" not in said:
            json = {"every": "run", "holds": {**said, "run": "$run"}}
        if named[1:]:
            json = {"all": [{**said, "command": one} for one in named]}
        json = _denied(json) if denies else json
        wider = None
        if not command and not self.context.is_given and "at" not in said:
            other = {**said, "command": "main" if default != "main" else "train"}
            wider = self._hedged(_denied(other) if denies else other)
        return Candidate(
            score, self._hedged(json), left, denies, relation, [], self.context.scope, "", wider
        )

    def _is_of_all_code(self) -> bool:
        stems = [stem(one) for one in ("code", "submission", "program", "repository")]
        return any(item.stem in stems for item in self.items)

    def _is_of_every(self, noun: str) -> bool:
        return any(
            item.is_in(self.groups["every"])
            and any(one.stem == noun for one in self.items[at + 1 : at + 4])
            for at, item in enumerate(self.items)
        )

    # What is left

    def _left(
        self, used: set[int], relation: Relation, predicate: str, at: int
    ) -> tuple[tuple[str, ...], float]:
        """The words that narrow what is said, and what they cost.

        Raises:
            _None: something is left that is half of the claim.
        """
        left: list[str] = []
        cost = 0.0
        for here, item in enumerate(self.items):
            if here in used or item.kind == "stop":
                continue
            is_aside = here in self.asides or self._preposition(here) in self.groups["asides"]
            if item.meanings:
                if item.meanings.keys() & {"limit", "deny", "word"}:
                    continue
                if item.text.lower() in WELL_KNOWN and predicate in (
                    "logs",
                    "reads_metric",
                    "passes",
                    "fails",
                    "composes",
                ):
                    continue
                if predicate == "parses" and "text" in item.meanings:
                    continue  # that which is no Python
                numbered = here and self.items[here - 1].is_in(self.groups["numbered"])
                if "number" in item.meanings and numbered:
                    continue
                if item.kind == "word" and (
                    item.meanings.keys() <= {"metric", "key"} or item.text.lower() in _COMMON
                ):
                    left.append(item.text)
                    cost += 0.8
                    continue
                after = self.items[here + 1].meanings if here + 1 in used else {}
                if "definition" in after and item.text.lower() in WELL_KNOWN:
                    continue  # it only says of what sort the next one is
                is_soft = item.meanings.keys() <= _SOFT or item.meanings.keys() <= _PROPER
                if not (is_soft or (is_aside and "number" not in item.meanings)):
                    raise _None(f"not understood: {item.text[:80]}")
                if "error" in item.meanings and predicate != "fails":
                    raise _None(f"not understood: {item.text[:80]}")
                left.append(item.text)
                cost += 2.5
            elif item.kind not in ("word", "stop"):
                if not is_aside:
                    raise _None(f"not understood: {item.text[:80]}")
                left.append(item.text)
                cost += 2.5
            elif item.is_in(self.groups["changing"]) or item.is_in(self.groups["faults"]):
                raise _None(f"not understood: {item.text}")
            elif item.is_in(self.groups["narrowing"]):
                left.append(item.text)
                cost += _MUCH + 0.1
            elif item.is_unknown(self.words):
                if self._is_verb(here):
                    raise _None(f"not understood: {item.text}")
                left.append(item.text)
                cost += 0.8
            elif others := item.relations(self.words):
                is_said = here in self.asides or (
                    here in self.negating and {one.name for one in others} <= _LEFT_OUT
                )
                if not is_said and any(one.name in _UNSAID for one in others):
                    raise _None(f"not understood: {item.text}")
                is_light = (
                    here in self.asides
                    or item.stem in self.words.filler
                    or is_noun(self.items, here, self.words)
                    or any(one is relation or predicate in one.of.values() for one in others)
                    or all(one.weak for one in others)
                )
                if not is_light:
                    left.append(item.text)
                    cost += 1.5
        left += [item.text for item in self.clause.when[1:] if item.meanings]
        if (
            not left
            and self.clause.when
            and any(item.is_unknown(self.words) for item in self.clause.when)
        ):
            left.append(" ".join(item.text for item in self.clause.when)[:60])
        if len(left) > _MOST_LEFT:
            raise _None(f"not understood: {', '.join(left)[:120]}")
        return tuple(left), cost

    def _is_verb(self, at: int) -> bool:
        """Whether a word that nothing is known of stands where a verb does."""
        before = self.items[at - 1] if at else None
        after = self.items[at + 1] if at + 1 < len(self.items) else None
        if before is None or before.meanings or before.kind != "word":
            return False
        follows = before.is_in(self.groups["will"]) or before.stem in (
            "to",
            "cannot",
            "can",
            "do",
            "not",
            "nev",
            "could",
            "may",
            "might",
        )
        return follows and not (after is not None and after.relations(self.words))


def _taken_apart(values: Sequence[str]) -> tuple[list[str], list[Any]]:
    """The name and the value of the one pair that is given."""
    if len(values) > 1:
        raise _None("several pairs are named")
    name, _, value = values[0].partition("=")
    return [name], [_literal(value)]


def _denied(said: Json) -> Json:
    if "possible" in said:
        return {"possible": _denied(said["possible"])}
    return {"not": said}


def _widened(said: Json, slot: str) -> Json:
    return {
        key: "code"
        if key == slot and "p" in said
        else [_widened(one, slot) for one in value]
        if key in ("all", "any")
        else _widened(value, slot)
        if isinstance(value, dict) and key in ("not", "only", "holds", "possible")
        else value
        for key, value in said.items()
    }


def _literal(text: str) -> Any:
    text = text.strip("`\"'")
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return {"true": True, "false": False, "none": None, "null": None}.get(text.lower(), text)
