"""Kleene's strong logic over answers: what is unknown never becomes false, and what decides brings
its witnesses along.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from reviewers.propositions.answers import (
    Answer,
    Listing,
    Part,
    Truth,
    denied,
    joined,
    open_,
    proved,
)
from reviewers.propositions.laws import Law, ruled_out
from reviewers.propositions.links import linked
from reviewers.propositions.terms import (
    AllOf,
    AnyOf,
    Atom,
    Because,
    Every,
    Not,
    Only,
    Possible,
    Proposition,
    Scope,
    Value,
    Would,
    put,
)
from reviewers.propositions.vocabulary import Predicate, alike
from reviewers.propositions.world import World
from reviewers.steps import part as step

_MOST_VALUES = 200  # that a variable takes


def judge(
    proposition: Proposition,
    world: World,
    vocabulary: Mapping[str, Predicate],
    laws: Sequence[Law],
) -> Answer:
    """What the code says to a proposition."""
    return _Judge(vocabulary, laws).answer(proposition, world)


class _Judge:
    def __init__(self, vocabulary: Mapping[str, Predicate], laws: Sequence[Law]) -> None:
        self._vocabulary = vocabulary
        self._laws = laws

    def answer(self, proposition: Proposition, world: World) -> Answer:
        asked = world.is_reached, world.is_possible, world.is_explained, world.about
        key = (proposition, *asked)
        return world.kept(key, lambda: self._ways[type(proposition)](self, proposition, world))

    def _atom(self, atom: Atom, world: World) -> Answer:
        predicate = self._vocabulary[atom.predicate]
        given = dict(atom.arguments)
        narrower = {name: given[name] for name in predicate.narrowing if name in given}
        with step():
            found = predicate.answer(world, given)
        if found.truth is Truth.TRUE and not found.witnesses:
            raise ValueError(f"`{predicate.name}` is true without a witness")
        if found.truth is Truth.FALSE and found.gaps:
            return open_(*found.gaps)
        if narrower and found.truth is Truth.TRUE and not _is_shown(narrower, found):
            # What is never so is not so then; what is so may not be so then.
            told = ", ".join(f"{name} `{value}`" for name, value in narrower.items())
            return open_(f"whether it is so {told} is not known")
        scope = given.get("scope")
        if isinstance(scope, Scope) and not all(
            world.happens(scope, one.span.file, one.span.line) for one in found.witnesses
        ):
            # A place that shows it, or the opposite, may be one of another mode or run.
            return open_(f"whether it is so {_narrowed(scope)} is not known")
        return found

    def _not(self, proposition: Not, world: World) -> Answer:
        # What is said not to fail is denied by any failure, however it fails.
        return self.answer(proposition.part, replace(world, is_explained=True)).negated()

    def _all(self, proposition: AllOf, world: World) -> Answer:
        *causes, effect = proposition.parts
        if causes and (by_law := self._by_law(AllOf(tuple(causes)), effect, world)):
            return by_law
        found = self._parts(proposition.parts, world)
        return _conjunction(tuple(self._explained(part, found, world) for part in found))

    def _explained(self, part: Part, beside: Sequence[Part], world: World) -> Part:
        """A part that is open by itself, as the effect of one that stands beside it."""
        if part.answer.truth is not Truth.UNKNOWN or world.is_explained:
            return part
        answer = self.answer(part.proposition, replace(world, is_explained=True))
        so = [one for one in beside if one.answer.truth is Truth.TRUE]
        ways = [replace(answer, witnesses=(one,)) for one in answer.witnesses] or [answer]
        led_to = [
            way.witnesses
            for way in ways
            if answer.truth is Truth.TRUE
            and any(linked(by.proposition, part.proposition, by.answer, way) for by in so)
        ]
        return (
            Part(part.proposition, replace(answer, witnesses=sum(led_to, ()))) if led_to else part
        )

    def _any(self, proposition: AnyOf, world: World) -> Answer:
        return _disjunction(self._parts(proposition.parts, world))

    def _parts(self, propositions: Sequence[Proposition], world: World) -> tuple[Part, ...]:
        return tuple(Part(part, self.answer(part, world)) for part in propositions)

    def _every(self, proposition: Every, world: World) -> Answer:
        values = proposition.among or world.domain(proposition.variable)
        if not values:
            return open_(f"nothing says which {proposition.variable}s there are")
        if len(values) > _MOST_VALUES:
            return open_(f"there are more than {_MOST_VALUES} {proposition.variable}s")
        each = [put(proposition.part, {proposition.variable: value}) for value in values]
        found = _conjunction(self._parts(each, world))
        # One that is not so refutes "every"; of those that are listed, each is a part.
        return found if proposition.among else replace(found, parts=())

    def _only(self, proposition: Only, world: World) -> Answer:
        """Whether the listing is complete, within the values and not empty."""
        predicate = self._vocabulary[proposition.atom.predicate]
        lister = (predicate.values or {}).get(proposition.hole)
        if lister is None:
            return open_(f"what fills `{proposition.hole}` of `{predicate.name}` is not listed")
        with step():
            found: Listing = lister(world, **dict(proposition.atom.arguments))
        outside = [
            one
            for one in found.filled
            if not any(
                alike(kind, value) for value in proposition.values for kind in one.alternatives
            )
        ]
        if outside:
            return denied(found.looked_at, (), [one.witness for one in outside])
        if found.gaps or not found.filled:
            return open_(*(found.gaps or ("no such thing exists",)))
        return proved(one.witness for one in found.filled)

    def _because(self, proposition: Because, world: World) -> Answer:
        if by_law := self._by_law(proposition.cause, proposition.effect, world):
            return by_law
        cause = Part(proposition.cause, self.answer(proposition.cause, world))
        effect = Part(
            proposition.effect, self.answer(proposition.effect, replace(world, is_explained=True))
        )
        both = _conjunction((cause, effect))
        if both.truth is not Truth.TRUE:
            return both
        if linked(proposition.cause, proposition.effect, cause.answer, effect.answer):
            return both
        return Answer(
            Truth.UNKNOWN,
            both.witnesses,
            both.looked_at,
            ("both are so; nothing shows that the one leads to the other",),
            both.parts,
        )

    def _by_law(self, cause: Proposition, effect: Proposition, world: World) -> Answer | None:
        """That a cause does not lead to an effect, where a law says so; an effect that says enough
        to be so by itself may be.
        """
        law = ruled_out(cause, effect, self._laws)
        if law is None:
            return None
        against = denied([f"{law.says} ({law.source})"])
        found = Part(effect, self.answer(effect, world))
        is_so = found.answer.truth is Truth.TRUE
        return replace(against, parts=(Part(cause, against), found)) if is_so else against

    def _would(self, proposition: Would, world: World) -> Answer:
        return self.answer(proposition.part, replace(world, is_reached=True))

    def _possible(self, proposition: Possible, world: World) -> Answer:
        return self.answer(proposition.part, replace(world, is_possible=True))

    _ways: Mapping[type, Callable[..., Answer]] = {
        Atom: _atom,
        Not: _not,
        AllOf: _all,
        AnyOf: _any,
        Every: _every,
        Only: _only,
        Because: _because,
        Would: _would,
        Possible: _possible,
    }


def _narrowed(scope: Scope) -> str:
    told = {"in mode": scope.mode, "for run": scope.run}
    return " ".join(f"{how} `{name}`" for how, name in told.items() if name)


def _is_shown(narrower: Mapping[str, Value], found: Answer) -> bool:
    """Whether the code that shows a thing says itself that it is only so then."""
    return set(narrower) == {"when"} and any(
        str(narrower["when"]) in one.said for one in found.witnesses
    )


def _conjunction(parts: tuple[Part, ...]) -> Answer:
    """False if a part is false, true if all are true, else unknown."""
    answers = [part.answer for part in parts]
    against = [one for one in answers if one.truth is Truth.FALSE]
    if against:
        return joined(against, Truth.FALSE, parts)
    if all(one.truth is Truth.TRUE for one in answers):
        return joined(answers, Truth.TRUE, parts)
    return joined([one for one in answers if one.truth is Truth.UNKNOWN], Truth.UNKNOWN, parts)


def _disjunction(parts: tuple[Part, ...]) -> Answer:
    """True if a part is true, false if all are false, else unknown."""
    opposite = tuple(Part(part.proposition, part.answer.negated()) for part in parts)
    found = _conjunction(opposite).negated()
    return Answer(found.truth, found.witnesses, found.looked_at, found.gaps, parts)
