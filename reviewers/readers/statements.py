"""What a structure may say: the predicates that its relation and the kinds of its object allow.

A reading accounts for every word of content. What only narrows is left over: then the reading is
weaker than the claim where it affirms, and stronger where it denies. Any other word that finds no
place makes the reading fail.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from reviewers.readers.grammar import Structure, structures
from reviewers.readers.items import Clause, Item
from reviewers.readers.lexicon import Lexicon, Relation, Slots
from reviewers.readers.linking import WELL_KNOWN, SymbolTable
from reviewers.readers.phrases import NotBuilt, Phrase
from reviewers.readers.words import stem

Json = dict[str, Any]
Values = list[tuple[tuple[Item, ...], str]]
_MOST_OBJECTS = 8
_MOST_FRAMES = 24
_MOST_LEFT = 5  # words that only narrow
_LITTLE = 0.8  # cost of what is left over
_MUCH = 5.5
_SOFT = frozenset({"command", "target", "role", "what", "type", "style", "per", "activity"}) | {
    *(
        "where",
        "section",
        "measure",
        "figure",
        "mode",
        "note",
        "runs",
        "vacant",
        "component",
        "owner",
    ),
}  # kinds of things that only narrow where they find no place
_DEEDS = frozenset({"deed", "switch", "some", "act"})  # what has no name of its own
_MODELESS = frozenset({"has_key", "exists", "parses", "empty", "declares", "command_line"})
_STATES = frozenset({"exists", "parses", "empty"})  # of a file, which nothing but its name tells
_ALL_CODE = frozenset(map(stem, ("code", "submission", "program", "repository")))
_TOLD_TO_TRACKERS = frozenset({"logs", "reads_metric", "passes", "fails"})
_OF_CODE = frozenset({"does", "computes", "draws", "logs", "reads_metric", "writes", "returns"})
_IN_CONFIGS = frozenset({"sets", "defines", "uses", "calls", "reads_key", "implements"})
_OF_ERRORS = frozenset({"fail", "raise", "go", "catch"})
_CONFIGS = (".yaml", ".yml", ".toml")
_PROGRAMS = (".py", *_CONFIGS, "*")
_MANIFEST = "pyproject.toml"
_CALLABLE = ("callee", "library", "definition", "imported", "name")
_SPOTS = ("definition", "callee", "library", "key", "name")
_NUMBERS = {"one": "1", "single": "1", "two": "2", "three": "3"}
_NAMED_BY_NOUN = frozenset({"column", "dataset"})  # kinds that only a noun beside a name tells
_QUALIFYING = frozenset({"library", "package", "activity"})
_COMMON = frozenset({"datasets", "evaluate"})  # libraries that are words, too
_HARD_CODED = frozenset(map(stem, ("hard-code", "hardcode", "fix")))
_ADJECTIVE = ("ed", "ful", "ous", "able", "ible", "ive", "plete")


@dataclass(slots=True)
class Context:
    """What a statement may leave unsaid: of what the ones before spoke.

    Attributes:
        scope: the part of the code.
        is_given: whether the reviewer gave it as the claim's place.
        objects: the things of the last statement.
        named: those that it only names, if need be in its condition.
        spoken: all things that it names.
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
    spoken: list[Item] = field(default_factory=list)
    relation: Relation | None = None
    mode: str = ""
    kind: str = ""


@dataclass(slots=True)
class Candidate:
    """One way to read a statement.

    Attributes:
        score: how well it accounts for the words.
        left: words that it does not say.
        denies: whether it denies what it speaks of.
        wider: the same of all code, where it is a guess of which file it is said.
        is_loose: whether so much is left over that what is so does not prove it.
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


def candidates(clause: Clause, context: Context) -> tuple[list[Candidate], str]:
    """All ways to read a statement, the best first; and why there is none."""
    found: list[Candidate] = []
    problem = "no known relation found"
    try:
        for number, structure in enumerate(
            islice(structures(clause, context.words, context.relation), _MOST_FRAMES)
        ):
            for fill in _fillings(structure, clause, context):
                try:
                    one = fill()
                except NotBuilt as none:
                    problem = str(none)
                else:
                    one.score -= 0.01 * number
                    found.append(one)
    except NotBuilt as none:
        problem = str(none)
    return sorted(found, key=lambda one: -one.score), problem


def _fillings(structure: Structure, clause: Clause, context: Context) -> Iterator[Any]:
    relation = structure.relation
    if relation.name in ("fail", "go"):
        yield lambda: _Filling(structure, clause, context).failure()
    for rank, (kind, predicates) in enumerate(relation.of.items()):
        for predicate in predicates.split("|"):
            yield lambda kind=kind, predicate=predicate, rank=rank: _Filling(
                structure, clause, context
            ).candidate(kind, predicate, rank)


class _Filling:
    """One structure, of which one predicate is tried."""

    def __init__(self, structure: Structure, clause: Clause, context: Context) -> None:
        self.clause, self.context = clause, context
        self.table, self.words = context.table, context.words
        self.groups = context.words.groups
        self.used: set[int] = set()
        self.structure, self.relation = structure, structure.relation
        self.is_guess = False
        self.left: list[str] = []
        self.cost = 0.0

    def take(self, kind: str, phrases: Sequence[Phrase]) -> str | None:
        """The one thing of a kind that is not used yet, wherever it stands."""
        found = [
            (item, item.meanings[kind])
            for phrase in phrases
            for item in phrase.items
            if kind in item.meanings and id(item) not in self.used
        ]
        if len({value for _, value in found}) > 1:
            raise NotBuilt(f"several things may be its {kind}")
        self.used.update(id(item) for item, _ in found)
        return found[0][1] if found else None

    def hedged(self, json: Json) -> Json:
        if not any(item.is_in(self.groups["possible"]) for item in self.clause.items):
            return json
        return {"possible": json}

    def is_of_every(self, noun: str) -> bool:
        items = self.clause.items
        return any(
            item.is_in(self.groups["every"])
            and any(one.stem == noun for one in items[at + 1 : at + 4])
            for at, item in enumerate(items)
        )

    @property
    def places(self) -> list[Phrase]:
        return [one for one in (self.structure.actor, *self.structure.others) if one is not None]

    def candidate(self, kind: str, predicate: str, rank: int) -> Candidate:
        structure, context = self.structure, self.context
        values = self._values(kind, self.words.slots[predicate.lstrip("!")].at)
        if len(values) > _MOST_OBJECTS:
            raise NotBuilt("it speaks of too many things")
        objects = [items[0] for items, _ in values if items]
        denies = structure.is_denied != predicate.startswith("!")
        predicate = predicate.lstrip("!")
        said = list(dict.fromkeys(value for _, value in values))
        if kind == "definition":
            said = [value.partition("::")[2] for value in said]
        if predicate == "command_line":
            self.used.update(
                id(one) for one in self.clause.items if one.meanings.get("activity") == "cli"
            )
        self._refuse(kind, predicate, said, objects or list(context.objects), denies=denies)
        slots = self.words.slots[predicate]
        if predicate == "calls" and kind in ("library", "name"):
            wild = "{}.*" if kind == "library" else "{0}|*.{0}"
            said = [one if "." in one else wild.format(one) for one in said]
        json, is_limited, scope = self._atoms(kind, predicate, slots, said, values, denies)
        self._account(predicate)
        is_total = denies and predicate == "parses"
        score = 3.0 * len(self.used) - self.cost - 0.05 * rank - self.relation.weak
        score -= 2.0 * (kind in ("component", "name", "text")) * (self.relation.weak >= 1)
        return Candidate(
            score,
            self.hedged(json),
            tuple(self.left),
            denies and not is_limited and not is_total,
            self.relation,
            objects or list(context.objects),
            scope,
            kind,
            self._wider(json, predicate, slots.scope, denies=denies),
            is_total
            or (self.cost <= _LITTLE and not (is_limited and self.is_guess) and kind != "process"),
            self.cost > _MUCH or (bool(self.left) and bool(self.clause.when)),
            is_total,
        )

    # What it is said of

    def _values(self, kind: str, at: str) -> Values:
        """The things of a kind of which the relation is said, a list's members in their order."""
        phrase = self.structure.object
        if at and not (phrase and any(kind in one.meanings for one in phrase.items)):
            others = [one for one in self.places if one.prep in map(stem, at.split())]
            there = next(
                (one for one in others if any(kind in item.meanings for item in one.items)), None
            )
            if there is not None and phrase is not None:  # "a merged config at x.yaml"
                self.used.update(
                    id(one) for one in phrase.items if one.meanings.keys() <= _SOFT - {"command"}
                )
            phrase = there or phrase
        if phrase is None or not any(
            one.meanings
            or one.kind != "word"
            or one.is_unknown(self.words)
            or (kind in _DEEDS and one.stem in self.words.done_to)
            for one in phrase.items
        ):
            return self._spoken_of(kind, phrase)
        found: Values = []
        if kind == "style":  # "the positional arguments x and y"
            self.used.update(id(one) for one in phrase.items if "argument" in one.meanings)
        for part in phrase.parts:
            if kind == "style" and found:
                break
            values = self._of_part(kind, part)
            if not values and any(
                one.meanings.keys() - _SOFT or one.kind != "word" for one in part
            ):
                raise NotBuilt(f"no {kind}: {part[-1].text[:60]}")
            if not values and any(one.is_unknown(self.words) for one in part):
                raise NotBuilt(f"no {kind}: {part[-1].text[:60]}")
            found += values
        if not found:
            raise NotBuilt("of what it is said is not said")
        for items, _ in found:
            self.used.update(map(id, items))
        return found

    def _of_part(self, kind: str, part: list[Item]) -> Values:
        if kind == "component":
            return self._component(part)
        if kind in _DEEDS:
            return self._deed(part)
        typed = frozenset[str]().union(
            *(self.words.kinds.get(one.stem, ()) for one in part if not one.meanings)
        )
        found = [
            one for one in part if kind in one.meanings and self._may_be(one, kind, typed, part)
        ]
        if kind in typed and kind in _NAMED_BY_NOUN:
            found = [one for one in part if "name" in one.meanings]
            for one in found:
                one.meanings = {**one.meanings, kind: one.text}
        if kind == "process":
            return [
                ((one,), one.meanings["file"].removesuffix(".py").replace("/", "."))
                for one in part
                if one.meanings.get("file", "").endswith(".py")
            ]
        if kind == "figure" and len(found) > 1:
            found = [one for one in found if one.meanings["figure"] != "*"]
        if len({one.meanings[kind] for one in found}) > 1:
            raise NotBuilt(f"several things may be the {kind}")
        for one in part:  # the noun that tells its kind
            if found and not one.meanings and one.stem in self.words.kinds:
                self.used.add(id(one))
        return [((one,), one.meanings[kind]) for one in found[:1]]

    def _may_be(self, item: Item, kind: str, typed: frozenset[str], part: list[Item]) -> bool:
        """Whether a thing may be of a kind, by the nouns beside it, too: "the *metric* x"."""
        relation = self.relation
        if item.text.endswith("'s") or (kind == "text" and "file" in item.meanings):
            return False
        if kind == "argument" and typed and kind not in typed:
            return False
        if kind == "name" and "definition" in item.meanings and relation.name == "set":
            return False
        if kind in ("activity", "library") and item.entity is not None and part[-1] is not item:
            after = part[part.index(item) + 1]
            if (after.meanings or after.is_unknown(self.words)) and not after.relations(self.words):
                return False  # of a "Hydra run file" the file is spoken of
        if item.text.lower() in _COMMON and "package" not in typed:
            return relation.name in ("import", "dependency")
        typed &= item.meanings.keys() & relation.of.keys()
        is_plain = item.kind == "word" and item.entity is not None and kind in ("key", "metric")
        if is_plain and kind not in typed and relation.name not in ("log", "pass"):
            return False
        is_had = "callee" in item.meanings and relation.name in ("have", "lack")
        # "no call()" is a call that is missing, "no such() method" a definition.
        if is_had and kind == ("callee" if "name" in typed else "name"):
            return False
        return not typed or kind in typed or kind == "definition"

    def _deed(self, part: list[Item]) -> Values:
        """What is done to things without a name: "saves the best model"."""
        named = self.words.deeds.get(self.relation.name, {})
        for start in range(len(part)):
            for end in range(len(part), start, -1):
                stems = tuple(" ".join(one.stem for one in part[start:end]).split())
                if value := named.get(stems):
                    return [(tuple(part[start:end]), value)]
        return []

    def _component(self, part: list[Item]) -> Values:
        """Words that the lexicon does not have, where they name a part of the method."""
        run = [
            one
            for one in part
            if "component" in one.meanings
            or one.is_unknown(self.words)
            or (one.stem in self.words.kinds and not one.meanings)
            or (
                one.kind == "word"
                and one.meanings
                and one.meanings.keys() <= {"key", "metric"}
                and one.text.islower()
            )
            or one.is_in(self.groups["parts"])
        ]
        if any(one.meanings and one not in run for one in part):
            return []
        while run and (run[-1].text.endswith(_ADJECTIVE) or run[0].stem in self.words.kinds):
            run = run[:-1] if run[-1].text.endswith(_ADJECTIVE) else run[1:]
        words = [
            piece
            for one in run
            if one.stem not in self.words.kinds
            for piece in one.stem.split("-")
        ]
        is_term = bool(words) and (
            len(words) > 1
            or any(
                one.kind != "word" or "component" in one.meanings or one.stem in self.table.terms
                for one in run
            )
        )
        if not is_term:
            return []
        return [(tuple(run), " ".join(one.text for one in run))]

    def _spoken_of(self, kind: str, phrase: Phrase | None) -> Values:
        """What "it" or "these attributes" were in the statement before, of which one that names
        nothing goes on: "x is imported but unused".
        """
        if phrase is None and not (self.clause.adds or self.clause.joined == "effect"):
            raise NotBuilt("of what it is said is not said")
        if (
            phrase is not None
            and not phrase.is_definite
            and not any(one.is_in(self.groups["pronouns"]) for one in phrase.items)
        ):
            raise NotBuilt("of what it is said is not said")
        last = self.context.kind
        if last != kind and last in self.relation.of:
            raise NotBuilt("it was something else in the statement before")
        things = (*self.context.objects, *self.context.named)
        found: Values = [((), one.meanings[kind]) for one in things if kind in one.meanings]
        found = list(dict.fromkeys(found))
        many = phrase is not None and any(
            one.is_in(self.groups["plural"])
            or (one.stem in self.words.kinds and one.text.endswith("s"))
            for one in phrase.items
        )
        if not found or (many and len(found) < 2):
            raise NotBuilt("of what it is said is not said")
        return found

    def _refuse(
        self, kind: str, predicate: str, said: list[str], objects: list[Item], *, denies: bool
    ) -> None:
        """Refuse what a kind's words do not support.

        Raises:
            NotBuilt: always where it returns not.
        """
        structure, relation = self.structure, self.relation
        if predicate == "implements" and not denies and relation.name != "implement":
            raise NotBuilt("what is implemented is not said")
        if predicate == "implements" and kind == "name" and "callee" in objects[0].meanings:
            raise NotBuilt("a function is there or not")
        if predicate == "implements" and kind == "text" and not denies:
            raise NotBuilt("what is implemented is not said")
        if (
            predicate == "accepts"
            and relation.name not in ("accept", "refuse")
            and not (structure.verb is not None and structure.verb.stem in ("accept", "tak"))
            and not any(
                "argument" in self.words.kinds.get(one.stem, ()) for one in self.clause.items
            )
        ):
            raise NotBuilt("no argument is named")
        if predicate == "library_has" and (structure.actor or not any("." in one for one in said)):
            raise NotBuilt("it is the name of the library itself")
        if predicate == "raises" and not self._raises_itself():
            raise NotBuilt("nothing raises it itself")
        if predicate == "sound" and denies:
            raise NotBuilt("what is wrong is not said")
        if predicate in ("writes", "reads_file") and any(one.endswith(".py") for one in said):
            raise NotBuilt("a script is neither read nor written by another one")
        if (
            predicate == "declares"
            and relation.name != "dependency"
            and not any(
                item.meanings.get("file") == _MANIFEST
                or "package" in self.words.kinds.get(item.stem, ())
                for item in self.clause.items
            )
        ):
            raise NotBuilt("no dependency is spoken of")
        if (
            predicate == "logs"
            and relation.name == "write"
            and not any(
                "wandb" in item.text.lower() or "summary" in item.text.lower()
                for item in self.clause.items
            )
        ):
            raise NotBuilt("where it is written is not said")
        if (
            kind == "file"
            and predicate in ("exists", "parses", "empty")
            and any(
                item.meanings.keys() - _SOFT
                for item in (structure.actor.items if structure.actor else ())
            )
        ):
            raise NotBuilt("who does it is no object of it")

    # The atoms

    def _atoms(
        self, kind: str, predicate: str, slots: Slots, said: list[str], values: Values, denies: bool
    ) -> tuple[Json, bool, str]:
        """The predicate of each place and each thing, joined; whether it is limited; its place."""
        fixed: Json = {}
        pairs = kind in ("pair", "switch", "entry")
        if pairs:
            if len(said) > 1:
                raise NotBuilt("several pairs are named")
            name, sign, value = said[0].partition(": " if kind == "entry" else "=")
            said = [name]
            if sign:
                fixed["value"] = _literal(value)
        for slot, kinds, preps, needed in slots.also:
            if slot in fixed:
                continue
            if (found := self._also(kinds, preps)) is not None and slot != "_":
                fixed[slot] = _literal(found) if slot in ("value", "to") else found
            elif needed and found is None:
                raise NotBuilt(f"no {slot} is named")
        if slots.scope == "where":
            scopes = [self._where()]
        elif predicate == "library_has" or slots.scope == "callee":
            scopes = [""]
        elif slots.scope:
            home = self.words.homes.get(said[0], "") if kind == "activity" else ""
            scopes = self._scopes(home or slots.by)
        elif predicate == "declares":
            if self.take("file", self.places) not in (None, _MANIFEST):
                raise NotBuilt("another file declares no package")
            scopes = [""]
        else:
            scopes = [""]
        if slots.object == "file" and kind != "file" and not slots.scope:
            said = self._scopes("")
            if any(not one.endswith(_PROGRAMS) for one in said):
                raise NotBuilt("no file is named")
        scope = scopes[0]
        if predicate == "imports":
            said = self._imported(said, scope)
        if scope.endswith(_CONFIGS) and predicate in _IN_CONFIGS:
            if kind in _CALLABLE[:-1]:
                raise NotBuilt("a configuration calls nothing")
            is_key = predicate in ("defines", "sets", "reads_key") or all(
                one in self.table.all_keys for one in said
            )
            predicate = "has_key" if is_key else "contains"
            slots = self.words.slots[predicate]
        elif scope.endswith(_CONFIGS) and predicate in _OF_CODE:
            raise NotBuilt("a configuration does nothing")
        if predicate == "has_key" and (section := self.take("section", self.places)):
            said = [f"{section}.{one.removeprefix(f'{section}.')}" for one in said]
        if predicate == "contains":
            said = [one.rstrip(" .…") or one for one in said]
            is_vague = scope == "code" or (
                kind in ("name", "component") and not scope.endswith(_CONFIGS)
            )
            if kind != "note" and is_vague:
                raise NotBuilt("it quotes something, and no file")
        mode = self.take("mode", self.structure.phrases) or self.context.mode
        if mode and predicate not in _MODELESS and "mode" not in fixed:
            fixed["mode"] = mode
        if predicate == "published":
            fixed["kind"] = "dataset"
        if predicate == "draws" and (per := self.take("per", self.structure.phrases)):
            fixed["per"] = per
        if predicate == "sets" and self.structure.verb and self.structure.verb.stem in _HARD_CODED:
            fixed.setdefault("value", "constant")
        if kind == "process":
            fixed["mentions"], said = said[0], ["subprocess"]
        elif predicate == "calls" and kind == "argument":
            callee = self._also(" ".join(_CALLABLE), "to of in into for actor")
            if callee is None:
                raise NotBuilt("no function is named")
            fixed["with"], said = dict.fromkeys(said, "*"), [callee]
        elif predicate == "calls":
            fixed |= self._given(values)
        if predicate in ("reads_metric",):
            texts = self.table.texts.get(self.table.roles.get("evaluate", ""), frozenset())
            if scope != self.table.roles.get("evaluate") or not all(one in texts for one in said):
                raise NotBuilt("it reads no metric")
        is_any_case = kind == "note" and not any(
            items[0].text.isupper() for items, _ in values if items
        )
        if is_any_case:
            said = [spelt for one in said for spelt in (one, one.lower(), one.capitalize())]
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
                for one in said
            ]
        if predicate == "calls" and (turned := self._turned(parts)):
            parts = [turned]
        json, limited = self._joined(
            parts, scopes, slots, values, kind, predicate, denies=denies, is_any_case=is_any_case
        )
        return json, limited, scope

    def _also(self, kinds: str, preps: str) -> str | None:
        """What fills one more argument: a thing of some kinds behind some prepositions."""
        structure = self.structure
        standing = [("object", structure.object), ("actor", structure.actor)]
        standing += [(one.prep, one) for one in structure.others]
        for preposition in map(stem, preps.split()):
            for item in (
                item for by, one in standing if one and by == preposition for item in one.items
            ):
                if id(item) in self.used:
                    continue
                if kinds == "*":
                    self.used.add(id(item))
                    return item.meanings.get("library", item.text)
                for kind in kinds.split():
                    if kind in item.meanings:
                        self.used.add(id(item))
                        value = item.meanings[kind]
                        return self._whole(value.partition("::")[2] or value)
        return None

    def _whole(self, name: str) -> str:
        """The whole name of which the statement before spoke, where only its end is said again."""
        spoken = (one.meanings.get("library", "") for one in self.context.spoken)
        beside = (f".{name}", f"{name}.")
        return next(
            (
                one
                for one in spoken
                if "." not in name and (one.endswith(beside[0]) or one.startswith(beside[1]))
            ),
            name,
        )

    def _turned(self, parts: list[Json]) -> Json | None:
        """What a call says that stands in a context or in an order."""
        when = self.clause.when
        said = [
            next((one.meanings[kind] for kind in _CALLABLE if kind in one.meanings), None)
            for one in when
        ]
        others = [name.partition("::")[2] or name for name in said if name]
        if when and when[0].stem in ("befor", "after") and len(others) == 1:
            if len(parts) > 1:
                raise NotBuilt("several things are said to come before another one")
            places = [one.meanings["file"] for one in when if "file" in one.meanings]
            first, then = parts[0]["callee"], others[0]
            if when[0].stem == "after":
                first, then = then, first
            when.clear()
            scope = next(iter(places), parts[0].get("scope", "code"))
            return {"p": "before", "scope": scope, "first": first, "then": then}
        if len(parts) == 1 and (context := self._also("callee library", "within inside under")):
            return {
                "p": "within",
                "scope": parts[0]["scope"],
                "thing": parts[0]["callee"],
                "context": context,
            }
        return None

    def _where(self) -> str:
        where = self.take("where", self.places)
        if where == "composed":
            return where
        if (run := self.take("run", self.places)) is not None:
            return f"run:{run}"
        if where:
            return "run:*"
        found = {
            item.meanings["file"]: item
            for phrase in self.places
            for item in phrase.items
            if item.meanings.get("file", "").endswith(_CONFIGS)
        }
        if len(found) > 1:
            raise NotBuilt("several files are named")
        for value, item in found.items():
            self.used.add(id(item))
            return value
        return self.context.scope if self.context.scope.endswith(_CONFIGS) else "composed"

    def _imported(self, said: list[str], scope: str) -> list[str]:
        """What is imported, with the module behind "from"."""
        said = [
            one.removesuffix(".py").replace("/", ".") if one.endswith(".py") else one
            for one in said
        ]
        for phrase in self.structure.others:
            if phrase.prep != "from" or not phrase.items or id(phrase.items[0]) in self.used:
                continue
            item = phrase.items[0]
            self.used.add(id(item))
            module = (
                item.meanings.get("file", "").removesuffix(".py").replace("/", ".") or item.text
            )
            if module.startswith("."):
                folder = scope.partition("::")[0].rpartition("/")[0].replace("/", ".")
                module = f"{folder}{module}" if folder else module.lstrip(".")
            return [f"{module}.{one}" for one in said]
        return said

    def _given(self, values: Values) -> Json:
        """The arguments of a call that are written out, named behind "with", or left out."""
        given: Json = {}
        for items, _ in values:
            thing = items[0].entity if items else None
            if thing and thing.args:
                given["args"] = list(thing.args)
            if thing and thing.named:
                given["with"] = dict(thing.named)
        for phrase in self.structure.others:
            if phrase.prep not in ("with", "us", "without"):
                continue
            for item in phrase.items:
                if not item.meanings.keys() & {"argument", "pair"} and not (
                    phrase.prep == "without" and item.is_unknown(self.words)
                ):
                    continue
                self.used.add(id(item))
                name, _, value = item.text.partition("=")
                given.setdefault("with", {})[name] = _literal(value) if value else "*"
        return given

    # Scope

    def _scopes(self, by: str) -> list[str]:
        """The parts of the code of which it is said: those that the statement names, else that of
        the statement before, else the script of a command.
        """
        places = self.groups["places"] | {"mod", "on"}
        phrases = [one for one in self.places if one is self.structure.actor or one.prep in places]
        beside = [one for one in (self.structure.object,) if one is not None]
        chosen: list[str] = []
        for phrase in (*phrases, *beside):
            values = [
                value
                for item in phrase.items
                if (value := self._place(item)) and (phrase in phrases or "role" in item.meanings)
            ]
            if not values:
                continue
            if not chosen:
                chosen = list(dict.fromkeys(values))
            elif all(
                "::" in one and one.startswith(f"{each}::") for one in values for each in chosen
            ):
                chosen = values
            elif not all(one.startswith(f"{each}::") for one in chosen for each in values):
                raise NotBuilt("several places are named")
            self.used.update(id(item) for item in phrase.items if self._place(item))
        if chosen:
            named = [one for one in chosen if "::" in one]
            within = [one for one in named if one.partition("::")[0] in chosen]
            return within or chosen
        commands = [
            (item, item.meanings["command"])
            for phrase in (*phrases, *beside)
            for item in phrase.items
            if "command" in item.meanings and id(item) not in self.used
        ]
        if (
            len(commands) == 1
            and commands[0][1] in self.table.roles
            and (
                not self.context.scope
                or (self.structure.actor and commands[0][0] in self.structure.actor.items)
            )
        ):
            self.used.add(id(commands[0][0]))
            return [self.table.roles[commands[0][1]]]
        if self.context.scope:
            self.is_guess = not self.context.is_given
            return [self.context.scope]
        self.is_guess = True
        actor = self.structure.actor
        if actor is not None and any(one.is_unknown(self.words) for one in actor.items):
            return ["code"]
        return [self.table.roles.get(by, "") or "code"]

    def _place(self, item: Item) -> str:
        if id(item) in self.used:
            return ""
        for kind in ("file", "definition", "role", "owner"):
            value = item.meanings.get(kind, "")
            if kind == "role":
                value = self.table.roles.get(value, "")
            if value and (kind != "file" or value.endswith(_PROGRAMS)):
                self.is_guess |= kind == "owner"
                return value
        return ""

    def _wider(self, json: Json, predicate: str, slot: str, *, denies: bool) -> Json | None:
        """The same of all code, where it is only a guess that one file is meant."""
        if (
            not self.is_guess
            or denies
            or slot != "scope"
            or '"code"' in repr(json).replace("'", '"')
        ):
            return None
        return self.hedged(_widened(json, slot))

    def _joined(
        self,
        parts: list[Json],
        scopes: list[str],
        slots: Slots,
        values: Values,
        kind: str,
        predicate: str,
        *,
        denies: bool,
        is_any_case: bool,
    ) -> tuple[Json, bool]:
        denies = self.structure.is_denied != (denies != self.structure.is_denied)
        if self.structure.is_limited:
            if denies:
                raise NotBuilt("what is limited is denied as well")
            is_one = any(i.text.lower() in ("one", "single", "1") for i in self.clause.items)
            if kind == "runs" and is_one and len(parts) == 1:
                return {"not": parts[0]}, False
            if len(scopes) > 1 or kind == "runs":
                raise NotBuilt("what is limited is said of several")
            if predicate in ("command_line", "returns", "limits"):  # of which there is one
                return parts[0], False
            are = [
                items[0].text if items and "|" in value and " " not in items[0].text else value
                for items, value in values
            ]
            return {"only": {**parts[0], slots.object: "?"}, "hole": slots.object, "are": are}, True
        if is_any_case:
            return (_denied({"any": parts}) if denies else {"any": parts}), False
        if len(parts) == 1:
            return (_denied(parts[0]) if denies else parts[0]), False
        phrase = self.structure.object
        if denies and phrase is not None and phrase.is_every and self._denies_all():
            return {"not": {"all": parts}}, False
        if phrase is not None and phrase.is_either and not denies:
            return {"any": parts}, False
        return {"all": [_denied(part) for part in parts] if denies else parts}, False

    def _denies_all(self) -> bool:
        """Whether "not all" stands there."""
        items = self.clause.items
        return any(
            item.is_in(self.groups["negations"])
            and any(
                one.is_in(self.groups["every"]) and one.stem != "any" for one in items[at + 1 :]
            )
            for at, item in enumerate(items)
        )

    # What is left

    def _account(self, predicate: str) -> None:
        """Account for every word that fills no place.

        Raises:
            NotBuilt: a word is half of what is said.
        """
        for phrase in self.structure.phrases:
            is_aside = phrase.prep == "aside" or (
                predicate == "fails" and phrase.prep in self.groups["asides"]
            )
            for part in phrase.parts:
                is_used = any(id(item) in self.used for item in part)
                for item in part:
                    is_library = item.meanings and item.meanings.keys() <= _QUALIFYING
                    if is_library and any("file" in one.meanings for one in part):
                        continue  # "Hydra run file"
                    if id(item) not in self.used and item is not self.structure.verb:
                        self._leave(item, predicate, is_aside=is_aside and not is_used)
            is_aside = phrase.prep == "aside"
            if phrase.deed is not None and phrase.deed is not self.structure.verb and not is_aside:
                self._leave_out(phrase.deed.text, 1.5)
        for item in self.structure.strays:
            self._leave_out(item.text, 2.5)
        self.left += [item.text for item in self.clause.when[1:] if item.meanings]
        if (
            not self.left
            and self.clause.when
            and any(item.is_unknown(self.words) for item in self.clause.when)
        ):
            self.left.append(" ".join(item.text for item in self.clause.when)[:60])
        if len(self.left) > _MOST_LEFT:
            raise NotBuilt(f"not understood: {', '.join(self.left)[:120]}")

    def _leave_out(self, text: str, cost: float) -> None:
        self.left.append(text)
        self.cost += cost

    def _leave(self, item: Item, predicate: str, *, is_aside: bool) -> None:
        text = item.text
        if item.meanings:
            if item.meanings.keys() & {"limit", "deny", "word"}:
                return
            is_tracker = text.lower() in WELL_KNOWN and predicate in (
                "logs",
                "reads_metric",
                "passes",
            )
            if is_tracker or (predicate == "parses" and "text" in item.meanings):
                return
            is_soft = item.meanings.keys() <= _SOFT | {"name"} or (
                item.kind == "word" and item.meanings.keys() <= {"metric", "key"}
            )
            if (
                not (is_soft or (is_aside and "number" not in item.meanings))
                or "error" in item.meanings
            ):
                raise NotBuilt(f"not understood: {text[:80]}")
            self._leave_out(text, 0.8 if item.kind == "word" and not is_soft else 2.5)
        elif item.kind != "word":
            if not is_aside:
                raise NotBuilt(f"not understood: {text[:80]}")
            self._leave_out(text, 2.5)
        elif item.is_in(self.groups["changing"]) or item.is_in(self.groups["faults"]):
            raise NotBuilt(f"not understood: {text}")
        elif item.is_in(self.groups["narrowing"]):
            self._leave_out(text, _MUCH + 0.1)
        elif item.is_unknown(self.words):
            self._leave_out(text, 0.8)
        elif (
            item.relations(self.words)
            and item.stem not in self.words.filler
            and not all(one.weak for one in item.relations(self.words))
        ):
            self._leave_out(text, 1.5)

    # Failures

    def failure(self) -> Candidate:
        """A command fails, with an error, at a place, of a run, in a mode."""
        structure, table, relation = self.structure, self.table, self.relation
        phrases = structure.phrases
        if relation.name == "go" and (structure.is_denied or structure.actor is not None):
            raise NotBuilt("who runs something does not fail")
        if self._raises_itself():
            raise NotBuilt("code raises it, whether it is reached or not")
        told = [one for one in self.clause.when if one.meanings.keys() & {*_SPOTS, "file"}]
        files = [
            (item, path)
            for phrase in phrases
            for item in phrase.items
            if (path := item.meanings.get("file", "")).endswith(".py")
        ]
        if len(files) > 1:
            raise NotBuilt("several scripts are named")
        ran = [path for _, path in files] or [
            path for one in told if (path := one.meanings.get("file", "")).endswith(".py")
        ]
        self.used.update(id(item) for item, _ in files)
        said: Json = {"p": "fails", "command": ""}
        if error := self.take("error", phrases):
            said["error"] = error
        commands = self._commands(phrases)
        command = next(iter(commands), None) or self.take("role", phrases)
        if command is None and len(ran) == 1:
            command = table.command_of(ran[0])
        path = self.context.scope.partition("::")[0]
        default = table.command_of(path) if path.endswith(".py") else "train"
        said["command"] = command or default
        for kind in ("run", "mode"):
            if found := self.take(kind, phrases):
                said[kind] = found
        if at := self._spot(told):
            said["at"] = at
        is_of_all = any(one.stem in _ALL_CODE for phrase in phrases for one in phrase.items)
        if relation.name == "go" and not (error or command or at or is_of_all):
            raise NotBuilt("what does not run is not named")
        self._account("fails")
        json: Json = said
        if self.is_of_every("run") and "run" not in said:
            json = {"every": "run", "holds": {**said, "run": "$run"}}
        if commands[1:]:
            json = {"all": [{**said, "command": one} for one in commands]}
        denies = structure.is_denied
        subject = structure.actor or structure.object
        is_of_another = not command and any(
            one.is_unknown(self.words) for one in (subject.items if subject else ())
        )
        wider = None
        if not command and not self.context.is_given and "at" not in said:
            other = {**said, "command": "main" if default != "main" else "train"}
            wider = self.hedged(_denied(other) if denies else other)
        return Candidate(
            3.0 * len(self.used) - self.cost - relation.weak,
            self.hedged(_denied(json) if denies else json),
            tuple(self.left),
            denies,
            relation,
            [],
            self.context.scope,
            wider=wider,
            is_loose=is_of_another,
        )

    def _raises_itself(self) -> bool:
        """Whether code raises an error itself: it does so, whether it is reached or not."""
        items, words = self.clause.items, self.words
        names = {one.meanings["error"] for one in items if "error" in one.meanings}
        is_raised = "NotImplementedError" in names or any(
            names & raised for raised in self.table.raised.values()
        )
        raises = self.structure.verb is not None and any(
            one.name == "raise" for one in self.structure.verb.relations(words)
        )
        return (
            raises
            and is_raised
            and self.clause.joined != "effect"
            and not any(one.is_in(words.groups["will"]) for one in items)
            and any(one.meanings.keys() & {"file", "definition"} for one in items)
        )

    def _commands(self, phrases: Sequence[Phrase]) -> list[str]:
        found = [
            one
            for phrase in phrases
            for one in phrase.items
            if "command" in one.meanings and one is not self.structure.verb
        ]
        self.used.update(map(id, found))
        return list(dict.fromkeys(one.meanings["command"] for one in found))

    def _spot(self, told: list[Item]) -> str | None:
        """Where it fails: what fails, or what stands behind a preposition of place."""
        structure, places = self.structure, self.groups["places"] | {"when", "on"}
        spots = [
            one
            for phrase in structure.phrases
            if phrase in (structure.object, structure.actor) or phrase.prep in places
            for part in phrase.parts
            for one in part
            if not any(id(each) in self.used for each in part)
            and one.meanings.keys() & set(_SPOTS)
            and "component" not in one.meanings
            and one.text.lower() not in WELL_KNOWN
        ]
        when = [one for one in told if "file" not in one.meanings]
        if not spots and len(when) == 1 and any(i.text.endswith("ing") for i in self.clause.when):
            self.clause.when.remove(when[0])  # "when accessing x"
            return when[0].text.removesuffix("()")
        if len(spots) > 1:
            raise NotBuilt("several things may be where it fails")
        self.used.update(map(id, spots))
        return spots[0].text.removesuffix("()") if spots else None


def _denied(said: Json) -> Json:
    return {"possible": _denied(said["possible"])} if "possible" in said else {"not": said}


def _widened(said: Json, slot: str) -> Json:
    return {
        key: "code" if key == slot and "p" in said
        else [_widened(one, slot) for one in value] if key in ("all", "any")
        else _widened(value, slot)
        if isinstance(value, dict) and key in ("not", "only", "holds", "possible")
        else value
        for key, value in said.items()
    }  # fmt: skip


def _literal(text: str) -> Any:
    text = text.strip("`\"'")
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"true": True, "false": False, "none": None, "null": None}.get(text.lower(), text)
