"""Laws of Python and its libraries that no code shows: causes that never lead to a certain effect.
They are listed with their sources in `laws.toml`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from reviewers.propositions.reading import parse
from reviewers.propositions.terms import AllOf, Atom, Not, Proposition
from reviewers.propositions.vocabulary import alike
from reviewers.toml_text import parse_toml


@dataclass(frozen=True, slots=True)
class Law:
    """That a cause does not lead to an effect.

    Attributes:
        cause, effect: patterns; an argument that they do not have may be anything, and a text is a
            glob.
        says: the law in one sentence.
        source: where it is written.
    """

    cause: Proposition
    effect: Proposition
    says: str
    source: str


@cache
def shipped_laws() -> tuple[Law, ...]:
    """The laws of `laws.toml`."""
    read = parse_toml(files("reviewers.propositions").joinpath("laws.toml").read_text("utf-8"))
    return tuple(
        Law(
            parse(law["cause"], is_pattern=True),
            parse(law["effect"], is_pattern=True),
            law["says"],
            law["source"],
        )
        for law in read["law"]
    )


def ruled_out(cause: Proposition, effect: Proposition, laws: Sequence[Law]) -> Law | None:
    """The law by which a cause does not lead to an effect, None where there is none."""
    return next((law for law in laws if fits(law.cause, cause) and fits(law.effect, effect)), None)


def fits(pattern: Proposition, said: Proposition) -> bool:
    """Whether what is said is an instance of a pattern; of several things said together, each."""
    match pattern, said:
        case _, AllOf(parts):
            return all(fits(pattern, part) for part in parts)
        case Not(inner), Not(part):
            return fits(inner, part)
        case Atom(name, wanted), Atom(other):
            return name == other and all(
                (value := said.get(key)) is not None and alike(str(value), str(one))
                for key, one in wanted
            )
    return pattern == said
