"""The words of a statement that are accounted for, and those that are left over."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from reviewers.readers.items import Clause, Item
from reviewers.readers.lexicon import Lexicon, Relation
from reviewers.readers.linking import WELL_KNOWN, SymbolTable
from reviewers.readers.phrases import NotBuilt, Phrase
from reviewers.readers.sentence import Structure
from reviewers.readers.words import stem

Json = dict[str, Any]
MUCH = 5.5  # cost of what is left over
CONFIGS = (".yaml", ".yml", ".toml")
PROGRAMS = (".py", *CONFIGS, "*")
SOFT = frozenset({"command", "target", "role", "what", "type", "style", "per", "activity"}) | {
    *("where", "section", "measure", "figure", "mode", "note", "runs", "vacant", "component"),
    "owner",
}  # kinds of things that only narrow where they find no place
COMMON = frozenset({"datasets", "evaluate"})  # libraries that are words, too
_ANYWHERE = frozenset({"anywhere", "nowhere"})
_MOST_LEFT = 5  # words that only narrow
_QUALIFYING = frozenset({"library", "package", "activity"})
_TOLD_TO_TRACKERS = frozenset({"logs", "reads_metric", "passes", "fails"})


@dataclass(slots=True)
class Context:
    """What a statement may leave unsaid: of what the ones before spoke.

    Attributes:
        scope: the part of the code.
        is_given: whether the reviewer gave it as the claim's place.
        inherited: the scope that an earlier claim has, where this one goes on with it.
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
    inherited: str = ""
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
        is_guess: whether its scope is neither named in it nor before it.
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
    is_guess: bool = False


class Account:
    """The words of a structure: what fills arguments is used, the rest is left over or refused.

    Attributes:
        is_guess: whether the part of the code of which it is said is not named.
        cost: how much what is left over narrows what is said.
        is_qualified: whether a phrase is left over that says how or on what: "on the test set".
    """

    def __init__(self, structure: Structure, clause: Clause, context: Context) -> None:
        self.structure, self.clause, self.context = structure, clause, context
        self.table, self.words, self.groups = context.table, context.words, context.words.groups
        self.relation = structure.relation
        self.used: set[int] = set()
        self.is_guess = False
        self.left: list[str] = []
        self.cost = 0.0
        self.is_qualified = False

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
        """All phrases but the object's."""
        return [one for one in self.structure.phrases if one is not self.structure.object]

    def also(self, kinds: str, preps: str) -> str | None:
        """What fills one more argument: a thing of some kinds behind some prepositions."""
        structure = self.structure
        standing = [("object", structure.object), ("actor", structure.actor)]
        standing += [(one.prep, one) for one in structure.others]
        for preposition in map(stem, preps.split()):
            found = [
                item for by, one in standing if one and by == preposition for item in one.items
            ]
            for item in sorted(found, key=lambda one: not one.meanings):  # things before words
                if id(item) in self.used or item.is_in(self.groups["pronouns"]):
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
        return next((one for one in spoken if "." not in name and one.endswith(f".{name}")), name)

    # Scope

    def scopes(self, by: str, *, source: str = "") -> list[str]:
        """The parts of the code of which it is said: those that the statement names, else that of
        the statement before, else the script of a command.

        Args:
            by: the command.
            source: the preposition behind which no place stands, but where something comes from.
        """
        actor, what = self.structure.actor, self.structure.object
        places = self.groups["places"] | {"mod", "on"}
        phrases = [
            one
            for one in self.places
            if one is actor or (one.prep in places and one.prep != source)
        ]
        beside = [*phrases, *([what] if what is not None else [])]
        if chosen := self._named_places(phrases, beside):
            within = [one for one in chosen if one.partition("::")[0] in set(chosen) - {one}]
            return within or chosen
        if any(one.text.lower() in _ANYWHERE for one in self.clause.items):
            return ["code"]
        commands = [
            (item, self.table.roles[item.meanings["command"]])
            for phrase in beside
            for part in phrase.parts
            for item in part
            if item.meanings.get("command") in self.table.roles and id(item) not in self.used
        ]
        if len(commands) == 1 and not self.context.scope:
            ((item, script),) = commands
            self.used.add(id(item))
            return [script]
        self.is_guess = not (self.context.scope and self.context.is_given)
        script = self.table.roles.get(by, "")
        is_before = self.clause.joined != "effect"  # what follows may happen elsewhere
        return [
            (self.context.scope if is_before or self.context.is_given else script)
            or self.context.scope
            or script
            or "code"
        ]

    def _named_places(self, phrases: list[Phrase], beside: list[Phrase]) -> list[str]:
        chosen: list[str] = []
        for phrase in beside:
            found = [
                (item, value)
                for item in phrase.items
                if (value := self._place(item)) and (phrase in phrases or "role" in item.meanings)
            ]
            values = list(dict.fromkeys(value for _, value in found))
            if not chosen or all(_is_in(one, each) for one in values for each in chosen):
                chosen = values or chosen
            elif not all(_is_in(one, each) for one in chosen for each in values):
                raise NotBuilt("several places are named")
            self.used.update(id(item) for item, _ in found)
        return chosen

    def _place(self, item: Item) -> str:
        if id(item) in self.used:
            return ""
        said = item.meanings
        if said.get("file", "").endswith(PROGRAMS):
            return said["file"]
        role = self.table.roles.get(said.get("role", ""), "")
        is_named = any("file" in one.meanings for each in self.places for one in each.items)
        if not said.get("definition") and not role and "owner" in said and not is_named:
            self.is_guess = True
            return said["owner"]
        return said.get("definition") or role

    # What is left

    @property
    def is_loose(self) -> bool:
        """Whether so much is left over that what is so does not prove it."""
        is_narrowed = bool(self.left) and self.clause.is_narrowed
        return self.cost > MUCH or self.is_qualified or is_narrowed

    def account(self, predicate: str) -> None:
        """Account for every word that fills no place.

        Raises:
            NotBuilt: a word is half of what is said.
        """
        asides = {"aside"} | (self.groups["asides"] if predicate == "fails" else set())
        for phrase in self.structure.phrases:
            is_aside = phrase.prep in asides
            if phrase.prep == "without" and not any(id(one) in self.used for one in phrase.items):
                raise NotBuilt("what is left out is not understood")
            for part in phrase.parts:
                self._account_for(part, phrase, predicate, is_aside=is_aside)
        for item in self.structure.strays:
            self._leave_out(item.text, 2.5)
        self.left += [item.text for item in self.clause.when[1:] if item.meanings.keys() - {"mode"}]
        if not self.left and any(item.is_unknown(self.words) for item in self.clause.when):
            self.left.append(" ".join(item.text for item in self.clause.when)[:60])
        if len(self.left) > _MOST_LEFT:
            raise NotBuilt(f"not understood: {', '.join(self.left)[:120]}")

    def _account_for(
        self, part: Sequence[Item], phrase: Phrase, predicate: str, *, is_aside: bool
    ) -> None:
        is_used = any(id(item) in self.used for item in part)
        is_member = phrase is self.structure.object and len(phrase.parts) > 1
        told = frozenset[str]().union(*(one.meanings.keys() for one in part))
        if is_member and not is_used and told & self.relation.of.keys():
            raise NotBuilt(f"not understood: {part[0].text[:80]}")  # a member of a list
        has_file = any("file" in one.meanings for one in part)
        for item in part:
            if has_file and item.meanings and item.meanings.keys() <= _QUALIFYING:
                continue  # "Hydra run file"
            if id(item) in self.used or item is self.structure.verb:
                continue
            is_actor = phrase is self.structure.actor and not is_used
            if is_actor and "name" in item.meanings and "owner" not in item.meanings:
                raise NotBuilt(f"not understood: {item.text[:80]}")
            self._leave(item, predicate, is_aside=is_aside and not is_used)
        is_left = not is_used and any(
            item.text in self.left and not item.relations(self.words) for item in part
        )
        self.is_qualified |= is_left and phrase.prep in self.groups["qualifiers"]

    def _leave_out(self, text: str, cost: float) -> None:
        self.left.append(text)
        self.cost += cost

    def _leave(self, item: Item, predicate: str, *, is_aside: bool) -> None:
        text = item.text
        if item.meanings:
            is_tracker = text.lower() in WELL_KNOWN and predicate in _TOLD_TO_TRACKERS
            if is_tracker or predicate == "parses":
                return
            is_soft = (
                item.meanings.keys() <= SOFT | {"name"}
                or text.lower() in COMMON
                or (item.kind == "word" and item.meanings.keys() <= {"metric", "key"})
            )
            if "error" in item.meanings or not (is_soft or is_aside):
                raise NotBuilt(f"not understood: {text[:80]}")
            self._leave_out(text, 0.8 if item.kind == "word" and not is_soft else 2.5)
        elif item.kind != "word":
            raise NotBuilt(f"not understood: {text[:80]}")
        elif item.is_in(self.groups["changing"]) or item.is_in(self.groups["faults"]):
            raise NotBuilt(f"not understood: {text}")
        elif item.is_unknown(self.words):
            self._leave_out(text, 0.8)
        elif (
            item.relations(self.words)
            and item.stem not in self.words.filler
            and not all(one.weak for one in item.relations(self.words))
        ):
            self._leave_out(text, 1.5)


def _is_in(name: str, file: str) -> bool:
    return name.startswith(f"{file}::")


def denied(said: Json) -> Json:
    return {"not": said}


def widened(said: Json, slot: str) -> Json:
    return {
        key: "code" if key == slot and "p" in said
        else [widened(one, slot) for one in value] if key in ("all", "any")
        else widened(value, slot)
        if isinstance(value, dict) and key in ("not", "only", "holds", "possible")
        else value
        for key, value in said.items()
    }  # fmt: skip


def literal(text: str) -> Any:
    text = text.strip("`\"'")
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"true": True, "false": False, "none": None, "null": None}.get(text.lower(), text)
