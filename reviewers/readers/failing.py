"""A statement that a command fails: with an error, at a place, for a run, in a mode."""

from collections.abc import Iterator, Sequence

from reviewers.readers.accounting import Account, Candidate, Json, denied
from reviewers.readers.items import Item
from reviewers.readers.linking import WELL_KNOWN
from reviewers.readers.phrases import NotBuilt, Phrase

_OF_ANY_RUN = ("run=<", "run={", "run=$")
_SPOTS = frozenset({"definition", "callee", "library", "key", "name"})


def raises_itself(one: Account) -> bool:
    """Whether code raises an error itself: it does so, whether it is reached or not."""
    items, words = one.clause.items, one.words
    names = {item.meanings["error"] for item in items if "error" in item.meanings}
    is_raised = "NotImplementedError" in names or any(
        names & raised for raised in one.table.raised.values()
    )
    raises = one.structure.verb is not None and any(
        each.name == "raise" for each in one.structure.verb.relations(words)
    )
    return (
        raises
        and is_raised
        and one.clause.joined != "effect"
        and not any(item.is_in(words.groups["will"]) for item in items)
        and any(item.meanings.keys() & {"file", "definition"} for item in items)
    )


class Failing(Account):
    """A structure whose verb says that something fails."""

    def candidate(self) -> Candidate:
        """A command fails, with an error, at a place, of a run, in a mode."""
        structure, table, relation = self.structure, self.table, self.relation
        phrases = structure.phrases
        for why, is_so in self._refusals():
            if is_so:
                raise NotBuilt(why)
        told = [one for one in self.clause.when if one.meanings.keys() & (_SPOTS | {"file"})]
        said: Json = {"p": "fails"}
        if error := self.take("error", phrases):
            said["error"] = error
        scripts = self._scripts([item for phrase in phrases for item in phrase.items])
        actors = [one for one in (structure.object, structure.actor) if one is not None]
        command = self.take("role", actors)
        commands = [] if command else self._commands(phrases)
        command = command or next(iter(commands), None) or self.take("role", phrases)
        ran = scripts or self._scripts(told)
        if command is None and len(ran) == 1:
            command = table.command_of(ran[0])
        path = self.context.scope.partition("::")[0]
        if command or path.endswith(".py"):
            said["command"] = command or table.command_of(path)
        for kind in ("run", "mode"):
            if found := self.take(kind, phrases):
                said[kind] = found
        self.used.update(  # "any call such as run=<id>"
            id(one)
            for phrase in phrases
            for one in phrase.items
            if one.meanings.get("pair", "").startswith(_OF_ANY_RUN)
        )
        if at := self._spot(told):
            said["at"] = at
        is_of_all = any(
            one.stem in self.groups["everything"] for phrase in phrases for one in phrase.items
        )
        if relation.name == "go" and not (error or command or at or is_of_all):
            raise NotBuilt("what does not run is not named")
        self.account("fails")
        json: Json = said
        if self.is_of_every("run") and "run" not in said:
            json = {"every": "run", "holds": {**said, "run": "$run"}}
        denies = structure.is_denied
        is_of_another = not command and any(
            one.is_unknown(self.words)
            for phrase in (structure.actor, structure.object)
            for one in (phrase.items if phrase else ())
        )
        return Candidate(
            3.0 * len(self.used) - self.cost - relation.weak,
            self.hedged(denied(json) if denies else json),
            tuple(self.left),
            denies,
            relation,
            [],
            self.context.scope,
            is_loose=not denies
            and (is_of_another or (bool(self.left) and self.clause.is_narrowed)),
        )

    def _refusals(self) -> Iterator[tuple[str, bool]]:
        """What the words say that is no failure, and whether it is so."""
        structure, verb, when = self.structure, self.structure.verb, self.clause.when
        items = [one for phrase in structure.phrases for one in phrase.items]
        is_done = structure.is_denied or structure.actor is not None
        yield "who runs something does not fail", structure.relation.name == "go" and is_done
        yield "code raises it, whether it is reached or not", raises_itself(self)
        yield (
            "what is not caught need not happen",
            any(one.is_in(self.groups["uncaught"]) for one in items),
        )
        is_error = any(
            "error" in one.meanings or "error" in self.words.kinds.get(one.stem, ())
            for one in items
        )
        is_happening = verb is not None and verb.is_in(self.groups["happening"])
        yield "what occurs is no error", is_happening and not is_error
        later = [
            one
            for each in structure.others
            if each.prep in self.groups["later"]
            for one in each.items
        ]
        later += when if any(one.stem in self.groups["later"] for one in when) else []
        yield "it ends after so many", any("what" in one.meanings for one in later)

    def _scripts(self, items: Sequence[Item]) -> list[str]:
        found = {
            path: item for item in items if (path := item.meanings.get("file", "")).endswith(".py")
        }
        if len(found) > 1:
            raise NotBuilt("several scripts are named")
        self.used.update(map(id, found.values()))
        return list(found)

    def _commands(self, phrases: Sequence[Phrase]) -> list[str]:
        found = [
            one
            for phrase in phrases
            for part in phrase.parts
            for one, after in zip(part, [*part[1:], None], strict=True)
            if "command" in one.meanings
            and one is not self.structure.verb
            and (after is None or after.stem not in self.words.kinds)  # "evaluation metrics"
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
            and one.meanings.keys() & _SPOTS
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
