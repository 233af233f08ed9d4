"""The parameters of a callable, and whether a call fits them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Kind = Literal["positional", "either", "rest", "keyword", "more"]


@dataclass(frozen=True, slots=True)
class SignatureParameter:
    """One parameter.

    Attributes:
        kind: positional only, either way, `*rest`, keyword only, `**more`.
        aliases: other keywords that set it.
    """

    name: str
    kind: Kind
    optional: bool
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameter lists of a callable, without the object it is bound to.

    Attributes:
        alternatives: more than one where overloads or conditional definitions exist: a call fits if
            it fits any.
        returns: dotted classes of the annotated result, empty if it is not known; what comes
            back at run time may be a subclass with more attributes.
    """

    alternatives: tuple[tuple[SignatureParameter, ...], ...]
    returns: tuple[str, ...] = ()

    @property
    def parameters(self) -> tuple[SignatureParameter, ...]:
        """The first parameter list, mostly the only one."""
        return self.alternatives[0]


@lru_cache(maxsize=4096)
def parse_parameters(text: str) -> tuple[SignatureParameter, ...]:
    """Read the index's notation: `a,/,b|alias,c=,*rest,d,e=,**more`; a lone `*` opens the
    keyword-only ones.
    """
    found: list[SignatureParameter] = []
    kind: Kind = "either"
    for part in text.split(",") if text else ():
        name, *aliases = part.strip("*=").split("|")
        if part == "/":
            found = [
                SignatureParameter(parameter.name, "positional", parameter.optional)
                for parameter in found
            ]
        elif part.startswith("**"):
            found.append(SignatureParameter(name, "more", True))
        elif part.startswith("*"):
            if name:
                found.append(SignatureParameter(name, "rest", True))
            kind = "keyword"
        else:
            found.append(SignatureParameter(name, kind, part.endswith("="), tuple(aliases)))
    return tuple(found)


def accepts(
    signature: Signature,
    positional: int,
    keywords: Collection[str] = (),
    *,
    star_args: bool = False,
    star_kwargs: bool = False,
) -> str | None:
    """Say why a call does not fit, None if it fits or may fit.

    Args:
        positional: the number of plain positional arguments.
        keywords: the names given as keywords.
        star_args: the call also unpacks a sequence, so more positional arguments may follow.
        star_kwargs: the call also unpacks a mapping, so more keywords may follow.
    """
    problems = []
    for parameters in signature.alternatives:
        problem = _problem(parameters, positional, keywords, star_args, star_kwargs)
        if problem is None:
            return None
        shared = sum(
            name in keywords
            for parameter in parameters
            for name in (parameter.name, *parameter.aliases)
        )
        problems.append((shared, problem))
    # Of several parameter lists the one that was most likely meant explains best.
    return max(problems, key=lambda pair: pair[0])[1] if problems else None


def _problem(
    parameters: Sequence[SignatureParameter],
    positional: int,
    keywords: Collection[str],
    star_args: bool,
    star_kwargs: bool,
) -> str | None:
    places = [parameter for parameter in parameters if parameter.kind in ("positional", "either")]
    takes_rest = any(parameter.kind == "rest" for parameter in parameters)
    takes_more = any(parameter.kind == "more" for parameter in parameters)
    named = {
        name: parameter.name
        for parameter in parameters
        if parameter.kind in ("either", "keyword")
        for name in (parameter.name, *parameter.aliases)
    }
    for keyword in keywords:
        if keyword not in named and not takes_more:
            return f"takes no keyword {keyword!r}"
    if positional > len(places) and not takes_rest:
        return f"takes {_count(len(places))}, not {positional}"
    filled = {parameter.name for parameter in places[:positional] if parameter.kind == "either"}
    for keyword in keywords:
        if named.get(keyword) in filled:
            return f"gets {keyword!r} twice, by position and by keyword"
    if star_args or star_kwargs:
        return None
    given = {named[keyword] for keyword in keywords if keyword in named}
    missing = [
        parameter.name
        for parameter in places[positional:]
        if not parameter.optional and parameter.name not in given
    ]
    missing += [
        parameter.name
        for parameter in parameters
        if parameter.kind == "keyword" and not parameter.optional and parameter.name not in given
    ]
    return f"misses {', '.join(repr(name) for name in missing)}" if missing else None


def _count(number: int) -> str:
    return (
        "no positional argument"
        if not number
        else f"at most {number} positional argument{'s' if number > 1 else ''}"
    )
