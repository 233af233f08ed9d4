"""The desk's own sentences read back: what `propositions.sentence` says, and nothing else.

The patterns come from the registry's templates, so that a new predicate is read as soon as it can
be told. What is found is told again and must be the same text.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import product
from typing import Any

from reviewers.propositions import PREDICATES, InvalidReading, parse, sentence
from reviewers.propositions.parameters import LITERAL
from reviewers.propositions.reading import VARIABLES
from reviewers.propositions.show import (
    FORMS,
    OPTIONAL,
    UNQUOTED,
    UNSURE_ARTICLE,
    VERB,
    verb,
)
from reviewers.propositions.terms import (
    AllOf,
    AnyOf,
    Because,
    Every,
    Not,
    Possible,
    Proposition,
    Would,
)
from reviewers.propositions.vocabulary import SLOT

_LONGEST = 2_000
_MOST_DEEP = 6
_MOST_PARTS = 250  # pieces of a sentence that are tried
_MOST_CUTS = 40  # places at which a sentence may be cut in two
_ONE = r"`[^`]{1,600}`"
_LITERALS = (LITERAL, {"type": "boolean"})
_ONLY = "\0"  # where `only` may stand before a phrase of several words
_WORDS = r"(?!(?:no|not|only)\b)\w[\w .|*\[\]@/-]{0,79}?"
_SPACED = ("base", "type")  # arguments of several words, which others write with underscores
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?")
_EACH = re.compile(rf"for each of ({_ONE}(?:(?:, {_ONE})* and {_ONE})?): ")
_EVERY = re.compile(rf"(not )?for every ({'|'.join(VARIABLES)}): ")
_NUMBERED = re.compile(r"(?:and |or )?\(\d{1,2}\) ")
_PREFIXES: Sequence[tuple[str, Callable[[Proposition], Proposition]]] = (
    ("possibly, ", Possible),
    ("on no start, ", lambda part: Not(Possible(part))),
    ("if it were reached, ", Would),
    ("not all of this: ", Not),
    ("it is not the case that ", Not),
)


def meant(text: str) -> Proposition | None:
    """The proposition that is told in just these words; None where none is, or several are."""
    text = text.strip().removesuffix(".")
    if len(text) > _LONGEST:
        return None
    found = [
        one for one in dict.fromkeys(_Hearer().heard(text, _MOST_DEEP)) if sentence(one) == text
    ]
    return found[0] if len(found) == 1 else None


class _Hearer:
    """Tries the ways in which a text may be cut, each part once, and not without end."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], Sequence[Proposition]] = {}

    def heard(self, text: str, deep: int) -> Sequence[Proposition]:
        """All that a text may tell."""
        key = (text, deep)
        if key not in self._known:
            if deep == 0 or len(self._known) >= _MOST_PARTS:
                return ()
            self._known[key] = ()
            self._known[key] = tuple(_atoms(text)) or tuple(self._joined(text, deep - 1))
        return self._known[key]

    def _joined(self, text: str, deep: int) -> Iterator[Proposition]:
        for prefix, wrap in _PREFIXES:
            if text.startswith(prefix):
                yield from map(wrap, self.heard(text.removeprefix(prefix), deep))
        if found := _EACH.match(text):
            among = tuple(one.strip("`") for one in _series(found[1]))
            for variable in VARIABLES:
                if f"that {variable}" in text or f"<{variable}>" in text:
                    yield from self._every(text[found.end() :], variable, among, deep)
        if found := _EVERY.match(text):
            each = self._every(text[found.end() :], found[2], (), deep)
            yield from map(Not, each) if found[1] else each
        if text.startswith("because "):
            ways = (*_cuts(text, ", and so "), *_cuts(text.removeprefix("because "), ": "))
            for cause, effect in ways:
                effect = effect[1:-1] if effect.startswith("(because ") else effect
                pairs = product(self.heard(cause, deep), self.heard(effect, deep))
                yield from (Because(*pair) for pair in pairs)
        for joint, kind in ((" and ", AllOf), (" or ", AnyOf)):
            for parts in _lists(text, joint):
                if whole := self._together(parts, kind, deep):
                    yield whole

    def _every(
        self, text: str, variable: str, among: tuple[str, ...], deep: int
    ) -> Iterator[Proposition]:
        """What holds of each value of a variable, for which words stand in the text."""
        sign, that = f"`${variable}`", f"that {variable}"
        text = text.replace(f"{that}'s file", f"`{variable}:${variable}`")
        text = text.replace(f"<{variable}>", f"${variable}")
        for before in ("", f"{variable} ", f"the {variable} "):
            for part in self.heard(text.replace(that, before + sign), deep):
                yield Every(variable, part, among)

    def _together(
        self, parts: Sequence[str], kind: type[AllOf] | type[AnyOf], deep: int
    ) -> Proposition | None:
        """A list of statements; those of neighbours told as one stand in it one by one."""
        found: list[Proposition] = []
        for part in parts:
            is_inner = part.startswith("(") and part.endswith(")")
            told = self.heard(part[1:-1] if is_inner else part, deep)
            if not told:
                return None
            found += told[0].parts if isinstance(told[0], kind) and not is_inner else told[:1]
        return kind(tuple(found))


def _lists(text: str, joint: str) -> Iterator[Sequence[str]]:
    """The parts of a list, however it may be cut."""
    if _NUMBERED.match(text):
        yield [_NUMBERED.sub("", part, count=1) for part in _pieces(text, "; ")]
        return
    for before, last in _cuts(text, joint):
        yield [before, last]
        if len(several := _pieces(before, ", ")) > 1:
            yield [*several, last]


def _cuts(text: str, at: str) -> Iterator[tuple[str, str]]:
    """A text in two, wherever a sign stands outside of names."""
    pieces = _pieces(text, at)
    for count in range(1, min(len(pieces), _MOST_CUTS)):
        yield at.join(pieces[:count]), at.join(pieces[count:])


def _pieces(text: str, at: str) -> list[str]:
    pieces: list[str] = []
    for number, outer in enumerate(text.split("`")):
        first, *rest = [outer] if number % 2 else outer.split(at)
        if pieces:
            pieces[-1] += f"`{first}"
        else:
            pieces.append(first)
        pieces += rest
    return pieces


@lru_cache(maxsize=1)
def _templates() -> Sequence[tuple[str, bool, str, str]]:
    """Each predicate's sentence as it affirms and as it denies, with words that stand in any such
    sentence.
    """
    found = {
        (name, is_so, template, _certain_words(template))
        for name, predicate in PREDICATES.items()
        for is_so in (True, False)
        for many in (True, False)
        for form in (1, 2)
        for template in [_plain(predicate.template, form, is_so=is_so, many=many)]
    }
    return sorted(found)


def _plain(template: str, form: int, *, is_so: bool, many: bool) -> str:
    template = VERB.sub(lambda found: verb(found[1 if is_so else 2], many=many), template)
    template = UNSURE_ARTICLE.sub("", template) if many else template
    return FORMS.sub(lambda found: _ONLY + found[form], template)


def _certain_words(template: str) -> str:
    pieces = SLOT.sub(_ONLY, OPTIONAL.sub(_ONLY, template)).split(_ONLY)
    return max((one.strip().removesuffix(" a") for one in pieces), key=len)


@cache
def _pattern(template: str) -> "re.Pattern[str]":
    pattern, at = "", 0
    for found in OPTIONAL.finditer(template):
        pattern += f"{_slots(template[at : found.start()])}(?:{_slots(found[1])})?"
        at = found.end()
    return re.compile(pattern + _slots(template[at:]))


def _slots(text: str) -> str:
    pattern, at = "", 0
    for found in SLOT.finditer(text):
        name = found[1]
        one = (
            f"{_WORDS}|{_ONE}"
            if name in UNQUOTED
            else f"the code|{_ONE}"
            if name == "scope"
            else _ONE
        )
        several = f"(?:{one})(?:(?:, (?:{one}))*(?P<joint_{name}> and | or )(?:{one}))?"
        before = text[at : found.start()]
        only = f"(?P<only_{name}>only )?" if _ONLY not in before else ""
        article = before.endswith("a ")
        before = re.escape(before.removesuffix("a ") if article else before)
        pattern += before.replace(re.escape(_ONLY), f"(?P<only_{name}>only )?")
        pattern += "an? " * article + f"{only}(?P<{name}>{several})"
        at = found.end()
    return pattern + re.escape(text[at:])


def _atoms(text: str) -> Iterator[Proposition]:
    for name, is_so, template, words in _templates():
        # Patterns are dear to compile, and few sentences have the words of many.
        if words in text and (match := _pattern(template).fullmatch(text)) is not None:
            try:
                yield from _filled(name, match.groupdict(), is_so=is_so)
            except InvalidReading:
                continue


def _filled(name: str, said: Mapping[str, str | None], *, is_so: bool) -> Iterator[Proposition]:
    parameters = PREDICATES[name].parameters
    given: dict[str, Any] = {"p": name}
    several, only = "", ""
    for slot, text in said.items():
        if text is None or slot.startswith(("joint_", "only_")):
            continue
        if slot not in parameters:  # the run or the mode of its scope
            given[slot] = text.strip("`")
            continue
        if said.get(f"only_{slot}"):
            only = slot
        elif said.get(f"joint_{slot}"):
            if several:
                return
            several = slot
        given[slot] = _value(slot, text, is_literal=parameters[slot].schema in _LITERALS)
    values = _series(str(said.get(several or only)))
    if only and is_so and not several:
        is_literal = parameters[only].schema in _LITERALS
        are = [_value(only, one, is_literal=is_literal) for one in values]
        yield parse({"only": {**given, only: "?"}, "hole": only, "are": are})
        return
    if only:
        return
    if not several:
        atom = parse(given)
        yield atom if is_so else Not(atom)
        return
    schema = parameters[several].schema
    atoms = [
        parse({**given, several: _value(several, one, is_literal=schema in _LITERALS)})
        for one in values
    ]
    joint = str(said[f"joint_{several}"]).strip()
    if is_so:
        yield AllOf(tuple(atoms)) if joint == "and" else AnyOf(tuple(atoms))
    elif joint == "or":
        yield AllOf(tuple(map(Not, atoms)))


def _series(text: str) -> Sequence[str]:
    """The members of `a`, `b` and `c`."""
    *first, last = _pieces(text, ", ")
    return [*first, *(_pieces(last, " and ") if " and " in last else _pieces(last, " or "))]


def _value(slot: str, text: str, *, is_literal: bool) -> Any:
    if text == "the code":
        return "code"
    if not text.startswith("`"):
        return text if slot in _SPACED else text.replace(" ", "_")
    inner = text.strip("`")
    if slot == "with":
        pairs = [one.partition("=") for one in inner.split(", ")]
        return [
            {"name": key if equals else None, "value": _literal(value if equals else key)}
            for key, equals, value in pairs
        ]
    if slot == "args":
        return [_literal(one) for one in inner.split(", ")]
    return _literal(inner) if is_literal else inner


def _literal(text: str) -> Any:
    if _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return {"true": True, "false": False, "None": None}.get(text, text)
