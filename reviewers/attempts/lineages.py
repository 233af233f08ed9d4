"""Groups submissions into lineages and orders them: by content, by names and sources, or as a
person stated.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, combinations, pairwise

from rapidfuzz import fuzz

from reviewers.attempts.members import Member, candidates_key
from reviewers.attempts.ordering import arranged, shared_code

_NEAR = 90.0
"""Two texts of a method this alike are one method, spelled differently."""
_MOST_WORDINGS = 300
"""Of more different texts under one key only equal ones are joined; nobody words one method so
often.
"""
_MOST_APART = 150
"""So many members under one key are compared each with each where a person took some apart."""
_SURE = 0.3
"""Successive attempts that share less of their code were written again; their order is a guess."""
_CLEAR = 0.08
"""A margin from which on an order is said to be known; measured on parts of real lineages, 87 in
100 such orders were right, and all where one attempt was found ready, so that only its margin must
not be 0. Below it were 70 in 100.
"""


class Why(StrEnum):
    """What joins two submissions."""

    DECISION = "decision"
    CONTENT = "content"
    NAME = "name"


class OrderBy(StrEnum):
    """Where the order of attempts comes from, the surest first."""

    NAMES = "names"  # every name says it
    SOURCE = "source"  # the places or times of the source say it, or there is only one attempt
    CONTENT = "content"  # the code that successive attempts share
    GUESS = "guess"  # the attempts share too little code, or another order is nearly as good


@dataclass(frozen=True, slots=True)
class Join:
    """Two submissions in one lineage, and what joins them.

    Attributes:
        one, other: ids of members.
        score: likeness of the methods' texts, 0 to 100; None if one of them has none, or a
            person decided.
    """

    one: str
    other: str
    why: Why
    score: float | None = None


@dataclass(frozen=True, slots=True)
class LineageDecision:
    """A person's word on whether two submissions are attempts at one experiment.

    Attributes:
        one, other: ids of members, in any order.
        together: False takes them apart.
        at: time of the decision in seconds; the newest of a pair wins, and of two that exclude each
            other the newer.
    """

    one: str
    other: str
    together: bool
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt: its number, 1-based, and the ids of its members, sorted; more than one where
    copies were given. An attempt as we repaired it has the number of that attempt, and follows it.
    """

    number: int
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lineage:
    """Attempts at one experiment.

    Attributes:
        key: `candidates_key` of its first attempt.
        name: as the names of its members say, the first of them; None if none says one.
        attempts: in order. Their numbers are those of the names where every name gives one; else
            they count from 1.
        joins: what ties the members together; one fewer than there are members.
        order_by: where the order comes from.
        margin: see `Arranged`; None if the order was given.
    """

    key: str
    name: str | None
    attempts: tuple[Attempt, ...]
    joins: tuple[Join, ...]
    order_by: OrderBy
    margin: float | None = None

    @property
    def members(self) -> tuple[str, ...]:
        """The ids of all members, attempt by attempt."""
        return tuple(id for attempt in self.attempts for id in attempt.members)


def recognise(
    submissions: Sequence[Member], decisions: Sequence[LineageDecision] = ()
) -> tuple[Lineage, ...]:
    """Return the lineages, each member in exactly one; sorted by name, then key. The order given
    does not matter.

    Two members of one `candidates_key` are joined where the texts of their methods are nearly
    equal, or one has none; a name joins only where content says nothing. So lineages never reach
    over keys, except by a person's decision. Those that a person took apart are never in one
    lineage: what would tie them together is left out, the weakest first.
    """
    known = {member.id: member for member in sorted(submissions, key=_surest_first, reverse=True)}
    blocks: dict[str, list[Member]] = defaultdict(list)
    for id in sorted(known):
        blocks[candidates_key(known[id])].append(known[id])
    groups = _Groups(known)
    for decision in _accepted_order(decisions):
        groups.decide(decision)
    for block in blocks.values():
        for join in _joins(block, {member.id for member in block if member.id in groups.apart}):
            groups.join(join)
    made = [_lineage([known[id] for id in ids], joins) for ids, joins in groups.parts()]
    return tuple(
        sorted(
            made,
            key=lambda lineage: (
                lineage.name is None,
                lineage.name or "",
                lineage.key,
                lineage.members,
            ),
        )
    )


class _Groups:
    """Sets of members that grow by joins, and never hold two that a person took apart."""

    def __init__(self, ids: Mapping[str, Member]) -> None:
        self._group = {id: id for id in ids}
        self._held = {id: [id] for id in ids}
        self._joins: list[Join] = []
        self.apart: dict[str, set[str]] = defaultdict(set)

    def decide(self, decision: LineageDecision) -> None:
        """Heed a decision as far as those before it allow."""
        one, other = decision.one, decision.other
        if one == other or one not in self._group or other not in self._group:
            return
        if decision.together:
            self.join(Join(min(one, other), max(one, other), Why.DECISION))
        elif self._group[one] != self._group[other]:
            self.apart[one].add(other)
            self.apart[other].add(one)

    def join(self, join: Join) -> None:
        """Make one group of two, unless they are one or must not be."""
        small, large = sorted(
            (self._group[join.one], self._group[join.other]),
            key=lambda group: len(self._held[group]),
        )
        if small == large:
            return
        if any(
            self._group[other] == large
            for id in self._held[small]
            for other in self.apart.get(id, ())
        ):
            return
        for id in self._held[small]:
            self._group[id] = large
        self._held[large] += self._held.pop(small)
        self._joins.append(join)

    def parts(self) -> Iterator[tuple[list[str], tuple[Join, ...]]]:
        """Yield each group's ids, sorted, and its joins."""
        joins: dict[str, list[Join]] = defaultdict(list)
        for join in self._joins:
            joins[self._group[join.one]].append(join)
        for group, ids in self._held.items():
            yield sorted(ids), tuple(sorted(joins[group], key=lambda join: (join.one, join.other)))


def _accepted_order(decisions: Sequence[LineageDecision]) -> list[LineageDecision]:
    """The newest decision of each pair, newest first; at one time apart goes before together."""
    newest: dict[tuple[str, ...], LineageDecision] = {}
    for decision in sorted(decisions, key=lambda each: (each.at, not each.together)):
        newest[tuple(sorted((decision.one, decision.other)))] = decision
    return [
        each
        for _, each in sorted(
            newest.items(), key=lambda pair: (-pair[1].at, pair[1].together, pair[0])
        )
    ]


def _joins(block: Sequence[Member], apart: Collection[str]) -> list[Join]:
    """What joins the members of one key, the strongest first.

    Where a person took some of them apart, the others stay with the one of these whose code they
    share most.
    """
    if apart and len(block) <= _MOST_APART:
        found = [
            (one.id in apart or other.id in apart, shared_code(one, other), _join(one, other))
            for one, other in combinations(block, 2)
        ]
        ranked = sorted(found, key=lambda each: (not each[0], -each[1]))
        return [join for _, _, join in ranked if join is not None]
    wordings: dict[str, list[Member]] = defaultdict(list)
    for member in block:
        wordings[member.wording].append(member)
    equal = chain.from_iterable(pairwise(members) for members in wordings.values())
    firsts = [members[0] for members in wordings.values()]
    pairs = [*equal, *(combinations(firsts, 2) if len(firsts) <= _MOST_WORDINGS else ())]
    joins = [join for one, other in pairs if (join := _join(one, other)) is not None]
    return sorted(joins, key=lambda join: -(join.score or 0.0))


def _join(one: Member, other: Member) -> Join | None:
    """What joins two members of one key, None if their methods differ."""
    if not one.wording or not other.wording:
        silent = not any((one.hypothesis, other.hypothesis, one.wording, other.wording))
        return Join(
            one.id, other.id, Why.NAME if silent and one.lineage is not None else Why.CONTENT
        )
    score = fuzz.ratio(one.wording, other.wording, score_cutoff=_NEAR)
    return Join(one.id, other.id, Why.CONTENT, score) if score else None


def _lineage(members: Sequence[Member], joins: tuple[Join, ...]) -> Lineage:
    """Put copies together, and the attempts in order."""
    copies: dict[str, list[Member]] = defaultdict(list)
    for member in sorted(members, key=_surest_first):
        copies[member.digest or f"\0{member.id}"].append(member)
    firsts = [same[0] for same in copies.values()]
    given = [member for member in firsts if member.repaired is None]
    ordered, order_by, margin = _ordered(given or firsts)
    numbered = list(zip(_numbers(ordered), ordered, strict=True))
    if given:
        _insert_repaired(numbered, [member for member in firsts if member.repaired is not None])
    names = [
        member.lineage
        for member in sorted(members, key=_surest_first)
        if member.lineage is not None
    ]
    return Lineage(
        candidates_key(ordered[0]),
        names[0] if names else None,
        tuple(
            Attempt(
                number,
                tuple(sorted(member.id for member in copies[first.digest or f"\0{first.id}"])),
            )
            for number, first in numbered
        ),
        joins,
        order_by,
        margin,
    )


def _ordered(attempts: list[Member]) -> tuple[list[Member], OrderBy, float | None]:
    """The attempts in order, where the order comes from, and by how much it is the best where
    content gave it.
    """
    known, by = [member for member in attempts if member.attempt is not None], OrderBy.NAMES
    if not known:
        known, by = _placed(attempts), OrderBy.SOURCE
    if len(known) == len(attempts):
        return known, by, None
    if len(attempts) == 1:
        return attempts, OrderBy.SOURCE, None
    given = [*known, *(member for member in attempts if member not in known)]
    found = arranged(given, range(len(known)))
    clear = found.margin >= _CLEAR or (
        found.margin > 0 and any(member.ready for member in attempts)
    )
    sure = clear and found.shared >= _SURE
    return (
        [given[index] for index in found.order],
        OrderBy.CONTENT if sure else OrderBy.GUESS,
        found.margin,
    )


def _insert_repaired(numbered: list[tuple[int, Member]], repaired: Sequence[Member]) -> None:
    """Put each repaired version behind the attempt that it was made of, or where that is not known
    behind the one whose code it shares most; it has the number of that one, so that no other
    attempt gets another number.
    """
    for member in repaired:
        of = member.repaired or member.id
        near = [(each.id.startswith(of), shared_code(each, member)) for _, each in numbered]
        most = max(at for at, share in enumerate(near) if share == max(near))
        numbered.insert(most + 1, (numbered[most][0], member))


def _placed(attempts: Sequence[Member]) -> list[Member]:
    """Those whose source gives them a place, in its order; none of them where two have one
    place.
    """
    placed = {each.position: each for each in attempts if each.position is not None}
    told = sum(each.position is not None for each in attempts)
    return [placed[place] for place in sorted(placed)] if len(placed) == told else []


def _numbers(ordered: Sequence[Member]) -> Sequence[int]:
    """The numbers that the names give, where each gives one of its own in one lineage; else 1,
    2, …
    """
    stated = [member.attempt for member in ordered if member.attempt is not None]
    one_name = len({member.lineage for member in ordered}) == 1
    whole = len(stated) == len(ordered) == len(set(stated))
    return stated if one_name and whole else range(1, len(ordered) + 1)


def _surest_first(member: Member) -> tuple[object, ...]:
    """Sorts those whose names say most before others, and then by what the names say."""
    position = member.position if member.position is not None else float("inf")
    return (
        member.repaired is not None,
        member.attempt is None,
        member.lineage is None,
        member.lineage or "",
        member.attempt or 0,
        position,
        member.id,
    )
