"""What a structure may say: the predicates that its relation and the kinds of its object allow.

A reading accounts for every content word. A word that only narrows the claim may be left over: the
reading is then weaker than the claim if it affirms, and stronger if it denies. Any other word that
fits nowhere makes the reading fail.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice

from reviewers.propositions import PREDICATES
from reviewers.readers.accounting import (
    CONFIGS,
    PROGRAMS,
    Candidate,
    Context,
    Json,
    denied,
    literal,
    widened,
)
from reviewers.readers.failing import Failing
from reviewers.readers.items import Clause, Item
from reviewers.readers.lexicon import Slots
from reviewers.readers.naming import Naming, Values
from reviewers.readers.phrases import NotBuilt
from reviewers.readers.refusals import IN_CONFIGS, KEYS, MANIFEST, refusals, refusals_of_denials
from reviewers.readers.sentence import Structure, structures
from reviewers.readers.tagging import is_participle

_MOST_STRUCTURES = 60
_LITTLE = 0.8  # cost of what is left over
_MODELESS = frozenset({"has_key", "exists", "parses", "empty", "declares", "command_line"})
_UNIQUE = frozenset({"command_line", "returns", "limits", "stub"})  # of which there is one
_WITHOUT_SCOPE = frozenset({"callee"})
_SORTS = {"str": "<string>", "dict": "<table>", "list": "<list>", "NoneType": "<null>"}
"""Of a key's value, by type."""
_STEPS = ("callee", "library", "definition", "imported", "name", "step")
_CALLABLE = ("callee", "library", "definition", "imported", "name")


def candidates(clause: Clause, context: Context) -> tuple[list[Candidate], str]:
    """All ways to read a statement, the best first; and why there is none."""
    found: list[Candidate] = []
    problem = "no known relation found"
    built = structures(clause, context.words, context.relation)
    try:
        for number, structure in enumerate(islice(built, _MOST_STRUCTURES)):
            own, why = _ways(structure, clause, context)
            problem = why or problem
            for way in own:
                way.score -= 0.001 * number + structure.doubt
            found += own
    except NotBuilt as none:
        problem = str(none)
    return sorted(found, key=_score, reverse=True), problem


def _score(one: Candidate) -> float:
    return one.score


def _ways(structure: Structure, clause: Clause, context: Context) -> tuple[list[Candidate], str]:
    """The ways to read one structure; and why the last one failed that did."""
    ways: list[Callable[[], Candidate]] = [
        partial(_Filling(structure, clause, context).candidate, kind, predicate, rank)
        for rank, (kind, predicates) in enumerate(structure.relation.of.items())
        for predicate in predicates.split("|")
    ]
    what, name = structure.object, structure.relation.name
    has_error = what is not None and any("error" in one.meanings for one in what.items)
    if name in ("fail", "go") or (name in ("have", "be") and has_error):
        ways.append(Failing(structure, clause, context).candidate)
    found, problem = [], ""
    for way in ways:
        try:
            found.append(way())
        except NotBuilt as none:
            problem = str(none)
    return found, problem


def _is_proper(item: Item) -> bool:
    """Whether a word is written as names are: "EWC", "CIFAR-10"."""
    return any(sign.isupper() or sign.isdigit() for sign in item.text[1:])


@dataclass(slots=True)
class _Said:
    """One predicate of one kind of things, while it is filled.

    Attributes:
        values: of its object.
        fixed: its other arguments.
    """

    kind: str
    predicate: str
    slots: Slots
    things: Values
    values: list[str]
    scopes: list[str]
    fixed: Json
    is_denied: bool


class _Filling(Naming):
    """One structure, of which one predicate is tried."""

    def candidate(self, kind: str, predicate: str, rank: int) -> Candidate:
        context = self.context
        is_denied = self.structure.is_denied != predicate.startswith("!")
        predicate = predicate.lstrip("!")
        slots = self.words.slots[predicate]
        things = self.values(kind, slots.at)
        objects = [items[0] for items, _ in things if items] or list(context.objects)
        said = _Said(kind, predicate, slots, things, [], [""], {}, is_denied)
        said.values = list(dict.fromkeys(value for _, value in things))
        for why, is_so in chain(
            refusals(self, predicate, kind, objects, said.values),
            refusals_of_denials(self, predicate, kind, objects, is_denied=is_denied),
        ):
            if is_so:
                raise NotBuilt(why)
        self._fill(said)
        json, is_limited = self._joined(said, self._parts(said))
        self.account(predicate)
        is_total = is_denied and predicate == "parses"
        is_weak = self.relation.weak >= 1
        score = 3.0 * len(self.used) - self.cost - 0.05 * rank - self.relation.weak
        score -= 2.0 * (kind in ("component", "name", "text") and is_weak)
        is_elsewhere = self.is_guess and said.scopes == [context.inherited]
        is_wide = (
            self.is_guess
            and said.slots.scope == "scope"
            and (is_elsewhere or not is_denied or predicate == "computes")
        )
        is_sure = self.cost <= (0 if is_limited else _LITTLE)
        is_sure &= not (is_limited and self.is_guess)
        # What is called may still never be reached.
        verb = self.structure.verb
        is_sure &= not (is_denied and verb is not None and verb.is_in(self.groups["reached"]))
        # A stub may be called a placeholder that is marked by no such word.
        is_marked = any(items and items[0].text.isupper() for items, _ in things)
        is_sure &= kind != "note" or is_marked
        denies = is_denied and not is_total
        is_loose = not denies and self.is_loose
        # Code may do under other words what plain words say that it does not; a short part of it
        # is sure to use them, and a proper name has no others.
        is_worded = denies and predicate == "implements" and kind == "component"
        is_worded &= not any(map(_is_proper, (one for items, _ in said.things for one in items)))
        is_loose |= is_worded and "::" not in said.scopes[0]
        return Candidate(
            score,
            self.hedged(json),
            tuple(self.left),
            denies,
            self.relation,
            objects,
            said.scopes[0],
            kind,
            self.hedged(widened(json, "scope")) if is_wide and said.scopes != ["code"] else None,
            is_total or is_sure,
            is_loose,
            is_total,
            self.is_guess and said.scopes != [context.scope],
        )

    # Arguments

    def _fill(self, said: _Said) -> None:
        """Its values, its places and its other arguments.

        Raises:
            NotBuilt: one of them is missing, or is two.
        """
        self._spell(said)
        self._add_further(said)
        if said.predicate == "has_value":
            said.values = [literal(one) for one in said.values]
            self.used.update(id(one) for one in self.clause.items if one.is_in(self.groups["ever"]))
        if self.relation.name == "be" and said.kind == "key" and "value" not in said.fixed:
            raise NotBuilt("it is not understood what the key is")
        self._place_it(said)
        if said.predicate == "contains" and said.kind != "note":
            is_config = said.scopes[0].endswith(CONFIGS)
            if said.scopes == ["code"] or (said.kind in ("name", "component") and not is_config):
                raise NotBuilt("it quotes something, and no file")
        whens = (one.meanings["mode"] for one in self.clause.when if "mode" in one.meanings)
        mode = self.take("mode", self.structure.phrases) or next(whens, self.context.mode)
        if mode and said.predicate not in _MODELESS:
            said.fixed.setdefault("mode", mode)
        drawn = (one.meanings.get("per") for each in self.structure.phrases for one in each.items)
        if said.predicate == "draws" and (per := next(filter(None, drawn), None)):
            said.fixed["per"] = per
        if said.predicate == "calls":
            self._call(said)
        if said.predicate == "reads_metric":
            script = self.table.roles.get("evaluate", "")
            texts = self.table.texts.get(script, frozenset())
            if said.scopes != [script] or not all(one in texts for one in said.values):
                raise NotBuilt("it reads no metric")

    def _add_further(self, said: _Said) -> None:
        """Its arguments besides the scope and the object.

        Raises:
            NotBuilt: one is missing, or only its type is told.
        """
        items = self.clause.items
        for slot, kinds, preps, needed in said.slots.also:
            if slot in said.fixed:
                continue
            if (found := self.also(kinds, preps)) is not None and slot != "_":
                is_value = slot in ("value", "to")
                sorts = [
                    one.meanings["type"]
                    for one in items
                    if one.text == found and "type" in one.meanings
                ]
                if is_value and sorts:
                    if said.predicate != "has_key" or sorts[0] not in _SORTS:
                        raise NotBuilt("its type is told, and no value")
                    found = _SORTS[sorts[0]]
                said.fixed[slot] = literal(found) if is_value else found
            elif needed:
                raise NotBuilt(f"no {slot} is named")

    def _spell(self, said: _Said) -> None:
        """Values as their predicate takes them, with what the name of one tells of others."""
        kind, values = said.kind, said.values
        if kind in ("pair", "switch", "entry"):
            if len(values) > 1:
                raise NotBuilt("several pairs are named")
            name, _, value = values[0].partition(": " if kind == "entry" else "=")
            said.values = [name]
            said.fixed["value"] = literal(value)
        elif kind == "definition":
            said.values = [one.partition("::")[2] for one in values]
        elif kind == "note" and not any(items[0].text.isupper() for items, _ in said.things):
            said.values = [
                spelt for one in values for spelt in (one, one.lower(), one.capitalize())
            ]
        if said.predicate == "calls" and kind in ("library", "name"):
            wild = "{}.*" if kind == "library" else "{0}|*.{0}"
            said.values = [one if "." in one else wild.format(one) for one in values]
        elif said.predicate == "published":
            said.fixed["kind"] = "dataset"
        elif said.predicate == "command_line":
            self.used.update(
                id(one) for one in self.clause.items if one.meanings.get("activity") == "cli"
            )

    def _place_it(self, said: _Said) -> None:
        """The places of which it is said; what it says of a configuration."""
        slots, predicate = said.slots, said.predicate
        if slots.scope == "where":
            said.scopes = [self._where()]
        elif slots.scope and slots.scope not in _WITHOUT_SCOPE:
            home = self.words.homes.get(said.values[0], "") if said.kind == "activity" else ""
            verb = self.structure.verb  # of "the import is missing from x" the place is x
            is_done = self.structure.actor is not None or (verb and is_participle(verb))
            source = "from" if predicate == "imports" and is_done else ""
            said.scopes = self.scopes(home or slots.by, source=source)
        elif predicate == "declares" and self.take("file", self.places) not in (None, MANIFEST):
            raise NotBuilt("another file declares no package")
        elif slots.object == "file" and said.kind != "file":
            said.values = self.scopes("")
            if any(not one.endswith(PROGRAMS) for one in said.values):
                raise NotBuilt("no file is named")
        scope = said.scopes[0]
        if predicate == "imports":
            said.values = self._imported(said.values, scope)
        if scope.endswith(CONFIGS) and predicate in IN_CONFIGS:
            if said.kind in _CALLABLE[:-1]:
                raise NotBuilt("a configuration calls nothing")
            said.predicate = "has_key" if predicate in KEYS else "contains"
            said.slots = self.words.slots[said.predicate]

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
            if item.meanings.get("file", "").endswith(CONFIGS)
        }
        if len(found) > 1:
            raise NotBuilt("several files are named")
        for value, item in found.items():
            self.used.add(id(item))
            return value
        return self.context.scope if self.context.scope.endswith(CONFIGS) else "composed"

    def _imported(self, said: list[str], scope: str) -> list[str]:
        """What is imported, with the module behind "from"."""
        said = [
            one.removesuffix(".py").replace("/", ".") if one.endswith(".py") else one
            for one in said
        ]
        others = [each for each in self.structure.others if each.prep == "from"]
        sources = [one for each in others for one in each.items[:1] if id(one) not in self.used]
        for item in sources[:1]:
            self.used.add(id(item))
            module = item.meanings.get("file", item.text).removesuffix(".py").replace("/", ".")
            if module.startswith("."):
                module = (scope.rpartition("/")[0].replace("/", ".") + module).lstrip(".")
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
            for item in phrase.items if phrase.prep in ("with", "us", "without") else ():
                if item.meanings.keys() & {"argument", "pair"}:
                    self.used.add(id(item))
                    name, _, value = item.text.partition("=")
                    given.setdefault("with", {})[name] = literal(value) if value else "*"
        return given

    def _call(self, said: _Said) -> None:
        """What a call is given, or which process it starts."""
        if said.kind == "process":
            if self.structure.actor is None and said.scopes == ["code"]:
                raise NotBuilt("who starts it is not said")
            said.fixed["mentions"], said.values = said.values[0], ["subprocess"]
        elif said.kind == "argument":
            callee = self.also(" ".join(_CALLABLE), "to of in into for actor")
            if callee is None:
                raise NotBuilt("no function is named")
            said.fixed["with"], said.values = dict.fromkeys(said.values, "*"), [callee]
        else:
            said.fixed |= self._given(said.things)

    # The whole

    def _parts(self, said: _Said) -> list[Json]:
        """The predicate of each place and each thing."""
        predicate, slots = said.predicate, said.slots
        if said.kind == "runs":
            atoms = (
                {"p": predicate, slots.scope: one, slots.object: "$run"} for one in said.scopes
            )
            return [{"every": "run", "holds": atom} for atom in atoms]
        parts = [
            {
                "p": predicate,
                **({slots.scope: place} if place else {}),
                **said.fixed,
                **({slots.object: one} if slots.object else {}),
            }
            for place in said.scopes
            for one in said.values
        ]
        turned = self._turned(parts) if predicate == "calls" else None
        return [turned] if turned else parts

    def _turned(self, parts: list[Json]) -> Json | None:
        """What a call says that stands in a context or in an order."""
        when = self.clause.when
        said = [
            next((one.meanings[kind] for kind in _STEPS if kind in one.meanings), None)
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
        if len(parts) == 1 and (context := self.also("callee library", "within inside under")):
            part = parts[0]
            return {"p": "within", "scope": part["scope"], "thing": part["callee"]} | {
                "context": context
            }
        return None

    def _joined(self, said: _Said, parts: list[Json]) -> tuple[Json, bool]:
        """What is said of each, joined; and whether it is limited to them."""
        phrase, is_denied = self.structure.object, said.is_denied
        if self.structure.is_limited:
            return self._limited(said, parts)
        if len(parts) == 1:
            return (denied(parts[0]) if is_denied else parts[0]), False
        if said.kind == "note":
            return (denied({"any": parts}) if is_denied else {"any": parts}), False
        if phrase is not None and phrase.is_either and not is_denied:
            return {"any": parts}, False
        return {"all": [denied(part) for part in parts] if is_denied else parts}, False

    def _limited(self, said: _Said, parts: list[Json]) -> tuple[Json, bool]:
        if said.is_denied:
            raise NotBuilt("what is limited is denied as well")
        is_one = any(one.text.lower() in ("one", "single", "1") for one in self.clause.items)
        if said.kind == "runs" and is_one:
            return {"not": parts[0]}, False
        if said.predicate == "defines" and self.relation.name != "define":
            raise NotBuilt("a part of the method is not all that code defines")
        if len(said.scopes) > 1 or said.kind == "runs":
            raise NotBuilt("what is limited is said of several")
        if said.predicate in _UNIQUE:
            return parts[0], False
        if said.slots.object not in (PREDICATES[said.predicate].values or {}):
            raise NotBuilt("to what it is limited cannot be listed")
        are = [value.partition("::")[2] or value for _, value in said.things]
        hole = said.slots.object
        return {"only": {**parts[0], hole: "?"}, "hole": hole, "are": are}, True
