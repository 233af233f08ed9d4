"""Orders attempts by content alone: each is derived from the one before and repairs what its review
criticised.

Three signs are weighed: successive attempts share more code than others; names that a review asks
for and the code lacks appear in a later attempt; and an attempt judged ready ends its lineage. None
of them is a proof. If every attempt was written again, the order cannot be known, and
`Arranged.margin` says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from reviewers.attempts.members import Member

Order = tuple[int, ...]

_EXACT = 11
"""Up to so many attempts every order is weighed (2ⁿ·n² steps); of more, a good one is sought by
moving attempts about.
"""
_MOST = 40
"""Of more attempts than this no order is sought; they stay as they were given."""
_ROUNDS = 30
_REPAIRS = 0.3
"""What a complaint that is repaired weighs against shared code; measured: any weight from 0.1 to
0.5 gives the same orders.
"""
_ENDS = 2.0
"""What a verdict of ready weighs: more than all the code of two attempts."""
_SMOOTH = 2


@dataclass(frozen=True, slots=True)
class Arranged:
    """An order of attempts.

    Attributes:
        order: indices into what was given, first attempt first.
        margin: by how much the weight of this order exceeds that of the best one that moves one
            attempt elsewhere or turns a stretch around; in shares of the code of one attempt, 0
            where another order does as well or none was sought.
        shared: mean share of code, 0 to 1, that successive attempts have in common.
    """

    order: Order
    margin: float
    shared: float


def arranged(members: Sequence[Member], known: Sequence[int] = ()) -> Arranged:
    """Return the most plausible order of attempts by their content alone.

    Args:
        members: different attempts of one lineage; the result does not depend on their order unless
            there are too many.
        known: indices whose order among each other is known and kept.
    """
    count = len(members)
    if count > _MOST:
        rest = [index for index in range(count) if index not in set(known)]
        return Arranged((*known, *rest), 0.0, 0.0)
    weights = _Weights(members)
    best = (
        weights.best() if count <= _EXACT and not known else _sought(weights, count, tuple(known))
    )
    others = [weights.of(order) for order in _neighbours(best) if _keeps(order, known)]
    margin = weights.of(best) - max(others) if others else 0.0
    shared = [weights.shared[one][other] for one, other in pairwise(best)]
    return Arranged(best, max(margin, 0.0), sum(shared) / len(shared) if shared else 1.0)


class _Weights:
    """How much speaks for an order: the code that neighbours share, and for each pair what says
    which comes first.
    """

    def __init__(self, members: Sequence[Member]) -> None:
        self.count = count = len(members)
        self.shared = [[0.0] * count for _ in members]
        self.first = [[0.0] * count for _ in members]
        for one, other in combinations(range(count), 2):
            self.shared[one][other] = self.shared[other][one] = shared_code(
                members[one], members[other]
            )
            told = _told(members[one], members[other]) / count
            self.first[one][other], self.first[other][one] = told, -told

    def of(self, order: Order) -> float:
        return sum(self.shared[one][other] for one, other in pairwise(order)) + sum(
            self.first[one][other] for one, other in combinations(order, 2)
        )

    def best(self) -> Order:
        """The best of all orders, by growing best orders of ever larger subsets (Held and Karp,
        1962).
        """
        reached: dict[tuple[int, int], tuple[float, Order]] = {
            (1 << last, last): (0.0, (last,)) for last in range(self.count)
        }
        for _ in range(self.count - 1):
            grown: dict[tuple[int, int], tuple[float, Order]] = {}
            for (chosen, last), (weight, order) in reached.items():
                for new in range(self.count):
                    if chosen >> new & 1:
                        continue
                    key = (chosen | 1 << new, new)
                    found = (
                        weight + self.shared[last][new] + sum(self.first[old][new] for old in order)
                    )
                    if key not in grown or (found, order) > (grown[key][0], grown[key][1][:-1]):
                        grown[key] = found, (*order, new)
            reached = grown
        return max(reached.values())[1] if reached else ()


def shared_code(one: Member, other: Member) -> float:
    """Return the share, 0 to 1, of the shorter code's lines that the other has; a truncated attempt
    is still near its source.
    """
    shorter = min(one.lines.total(), other.lines.total())
    return (one.lines & other.lines).total() / shorter if shorter else 0.0


def _told(one: Member, other: Member) -> float:
    """How much says that one comes before the other: positive for before, negative for after."""
    forth = len((one.spoken_of - one.names) & other.names)
    back = len((other.spoken_of - other.names) & one.names)
    repairs = (forth - back) / (forth + back + _SMOOTH)
    return _REPAIRS * repairs + _ENDS * (other.ready - one.ready)


def _sought(weights: _Weights, count: int, known: Order) -> Order:
    """A good order: attempts are put in where they weigh most, then moved and turned as long as
    that helps.
    """
    order = known
    for new in (index for index in range(count) if index not in set(known)):
        order = max((_with(order, place, new) for place in range(len(order) + 1)), key=weights.of)
    for _ in range(_ROUNDS):
        better = max(
            (other for other in _neighbours(order) if _keeps(other, known)),
            key=weights.of,
            default=order,
        )
        if weights.of(better) <= weights.of(order):
            break
        order = better
    return order


def _with(order: Order, place: int, new: int) -> Order:
    return (*order[:place], new, *order[place:])


def _neighbours(order: Order) -> list[Order]:
    """Orders in which one attempt stands elsewhere or a stretch is turned around, each once."""
    found: dict[Order, None] = {}
    for place, moved in enumerate(order):
        rest = (*order[:place], *order[place + 1 :])
        found |= dict.fromkeys(
            _with(rest, other, moved) for other in range(len(order)) if other != place
        )
    for start, end in combinations(range(len(order) + 1), 2):
        found[(*order[:start], *reversed(order[start:end]), *order[end:])] = None
    found.pop(order, None)
    return list(found)


def _keeps(order: Order, known: Sequence[int]) -> bool:
    return not known or [index for index in order if index in set(known)] == list(known)
