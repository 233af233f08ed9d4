"""Which name is meant by one that is not there: how alike two names are, and whether one of several
is clearly meant.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from rapidfuzz.distance import OSA

from reviewers.offers import Edit
from reviewers.repairs.base import Proposal
from reviewers.repairs.renamed import renamed

CERTAIN = 84.0  # of 100, from which a name is meant where none of the others comes near
SPELLED = 90.0  # from which it is the same word, spelled otherwise or shortened
_MARGIN = 12.0  # by which it must be ahead of the next
_ASKED = 62.0  # from which a person is asked
_MOST_ASKED = 3
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_VOWELS = re.compile(r"[aeiou]")


def likeness(one: str, other: str) -> float:
    """How alike two names are, from 0 to 100: by their words, whose order, number and spelling may
    differ, and which may be shortened.
    """
    if _flat(one) == _flat(other):
        return 100.0
    first, second = _words(one), _words(other)
    if not first or not second:
        return 0.0
    if _is_short_for(first, second) or _is_short_for(second, first):
        return 92.0
    if len(first) != len(second) and min(map(len, (_flat(one), _flat(other)))) >= 8:
        slips = OSA.distance(_flat(one), _flat(other))
        if slips == 1:  # a space between words besides
            return 93.0
    left, total = list(second), 0.0
    for word in first:
        best = max(left, key=lambda each: _same(word, each), default="")
        if best and (found := _same(word, best)):
            left.remove(best)
            total += found
    return 200.0 * total / (len(first) + len(second))


def singular(name: str) -> str:
    """A name without the ending of the plural: `loader` for `loaders`."""
    head, _, last = name.rpartition("_")
    return f"{head}_{_stem(last)}" if head else _stem(last)


def differ_in_number(one: str, other: str) -> bool:
    """Whether one name stands for one of those for which the other does: another value."""
    return one != other and singular(one) == singular(other)


def ranked(wrong: str, candidates: Mapping[str, float]) -> list[tuple[float, str]]:
    """The candidates by likeness with what else speaks for each of them, the best first."""
    scored = [(likeness(wrong, name) + more, name) for name, more in candidates.items()]
    return sorted(scored, key=lambda each: (-each[0], each[1]))


def clearly_meant(wrong: str, candidates: Mapping[str, float], least: float = CERTAIN) -> str:
    """The one candidate that is clearly meant; empty if that is open.

    Args:
        candidates: each with what speaks for it besides its name, in points.
    """
    (best, name), *others = ranked(wrong, candidates) or [(0.0, "")]
    is_ahead = not others or best - others[0][0] >= _MARGIN or best >= 100 > others[0][0]
    return name if best >= least and is_ahead else ""


def nearest(wrong: str, candidates: Iterable[str] | Mapping[str, float]) -> list[str]:
    """The candidates among which a person may choose, the most likely one first."""
    among = candidates if isinstance(candidates, Mapping) else dict.fromkeys(candidates, 0.0)
    return [name for score, name in ranked(wrong, among) if score >= _ASKED][:_MOST_ASKED]


def ways(
    wrong: str,
    candidates: Mapping[str, float],
    edits: Callable[[str], tuple[Edit, ...]],
    tell: Callable[[str], str],
    asks: str,
) -> Iterator[Proposal]:
    """Propose what is clearly meant, else ask for it among what may be.

    Args:
        edits, tell: what a candidate stands for, and how that is put.
    """
    if name := clearly_meant(wrong, candidates):
        yield Proposal(tell(name), edits(name))
        return
    for name in nearest(wrong, candidates):
        yield Proposal(tell(name), edits(name), asks=asks, choice=name)


def _flat(name: str) -> str:
    return name.replace("_", "").casefold()


@cache
def _words(name: str) -> tuple[str, ...]:
    return tuple(part.casefold() for part in _PARTS.findall(name))


@cache
def _alike() -> Mapping[str, int]:
    """The words that code uses for each other, each with the number of its group."""
    groups = renamed()["alike"].values()
    return {word: number for number, group in enumerate(groups) for word in group}


def _same(one: str, other: str) -> float:
    """How surely two words are one, from 0 to 1."""
    if one == other:
        return 1.0
    if one.isdigit() or other.isdigit():
        return 0.0
    if _stem(one) == _stem(other):
        return 0.97
    short, long = sorted((one, other), key=len)
    if len(short) >= 3 and long.startswith(short):
        return 0.92
    skeleton = _VOWELS.sub("", long[1:])
    if len(short) >= 3 and short[0] == long[0] and _VOWELS.sub("", short[1:]) == short[1:]:
        rest = iter(skeleton)
        if all(letter in rest for letter in short[1:]):
            return 0.9  # cfg, ckpt
    known = _alike()
    if one in known and known[one] == known.get(other):
        return 0.88
    slips = OSA.distance(one, other)
    if one[0] != other[0] and sorted(one) != sorted(other):
        return 0.0  # nobody mistypes the first letter: encoder, decoder
    if slips == 1 and len(short) >= 4:
        # Another letter makes another word of a short one: test, text.
        is_other_letter = len(one) == len(other) and sorted(one) != sorted(other)
        return 0.95 if not is_other_letter or len(short) >= 6 else 0.75
    return 0.88 if slips == 2 and len(short) >= 8 else 0.0


def _stem(word: str) -> str:
    """A word without its ending of the plural."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def _is_short_for(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether a name is the first letters of another one's words: lr, learning_rate."""
    return len(one) == 1 and len(other) > 1 and one[0] == "".join(word[0] for word in other)
