"""What the code says to a proposition: true with its witnesses, false with the certificate that
all was looked at, or that it cannot be told.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from reviewers.propositions.terms import Proposition
from reviewers.records import Span


class Truth(StrEnum):
    """The three values of Kleene's logic."""

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "unknown"

    def __invert__(self) -> "Truth":
        return _OPPOSITE.get(self, self)


_OPPOSITE = {Truth.TRUE: Truth.FALSE, Truth.FALSE: Truth.TRUE}


@dataclass(frozen=True, slots=True)
class Witness:
    """A place in the submission that does what was said.

    Attributes:
        said: what stands there, in one line.
    """

    span: Span
    said: str


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a proposition, with what the code says to it."""

    proposition: Proposition
    answer: "Answer"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the code says; made by `proved`, `denied` and `open_`, so that nothing is true without a
    witness, nor false without a certificate.

    Attributes:
        witnesses: the places that decide, those that speak against it included.
        looked_at: what was looked at, which is all that there is to be looked at ("4 files").
        gaps: what keeps it from being told: what could not be looked at, or is not known.
        parts: of what it is made.
    """

    truth: Truth
    witnesses: tuple[Witness, ...] = ()
    looked_at: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()

    def __post_init__(self) -> None:
        if self.truth is not Truth.UNKNOWN and not (self.witnesses or self.looked_at):
            raise ValueError(f"an answer is {self.truth} without a witness or a certificate")

    @property
    def is_partly(self) -> bool:
        """Whether some parts are so and others are not."""
        found = {part.answer.truth for part in self.parts}
        return self.truth is Truth.FALSE and (
            found >= {Truth.TRUE, Truth.FALSE} or any(part.answer.is_partly for part in self.parts)
        )

    def negated(self) -> "Answer":
        """What the code says to the opposite."""
        return replace(self, truth=~self.truth)


def proved(witnesses: Iterable[Witness]) -> Answer:
    """True, for there it is; open where there is no witness."""
    found = tuple(dict.fromkeys(witnesses))
    return Answer(Truth.TRUE, found) if found else open_("nothing shows it")


def denied(
    looked_at: Iterable[str], gaps: Iterable[str] = (), against: Iterable[Witness] = ()
) -> Answer:
    """False, for all was looked at and it is not there; open where there are gaps.

    Args:
        against: places that show the opposite.
    """
    seen, missing = tuple(dict.fromkeys(looked_at)), tuple(dict.fromkeys(gaps))
    contrary = tuple(dict.fromkeys(against))
    if missing or not (seen or contrary):
        return Answer(Truth.UNKNOWN, (), seen, missing or ("nothing was looked at",))
    return Answer(Truth.FALSE, contrary, seen)


def open_(*gaps: str) -> Answer:
    """Not to be told, and why."""
    return Answer(Truth.UNKNOWN, gaps=gaps)


@dataclass(frozen=True, slots=True)
class Filled:
    """What fills the hole of an atom, and where; a text with `|` may be any of several."""

    value: str | float | bool | None
    witness: Witness

    @property
    def alternatives(self) -> tuple[str | float | bool | None, ...]:
        """What it may be."""
        return tuple(self.value.split("|")) if isinstance(self.value, str) else (self.value,)


@dataclass(frozen=True, slots=True)
class Listing:
    """All values that fill a hole.

    Attributes:
        gaps: why there may be more.
    """

    filled: tuple[Filled, ...]
    looked_at: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()


def joined(answers: Sequence[Answer], truth: Truth, made_of: tuple[Part, ...]) -> Answer:
    """An answer that rests on others: their witnesses, what they looked at and their gaps."""
    return Answer(
        truth,
        tuple(dict.fromkeys(one for answer in answers for one in answer.witnesses)),
        tuple(dict.fromkeys(one for answer in answers for one in answer.looked_at)),
        tuple(dict.fromkeys(one for answer in answers for one in answer.gaps)),
        made_of,
    )
