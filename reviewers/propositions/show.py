"""Sentences from propositions: one template a predicate, and the grammar of what joins them."""

import re
from collections.abc import Iterator, Mapping, Sequence

from reviewers.propositions.registry import PREDICATES
from reviewers.propositions.terms import (
    AllOf,
    AnyOf,
    Atom,
    Because,
    Every,
    Not,
    Only,
    Passed,
    Possible,
    Proposition,
    Scope,
    Spot,
    Value,
    Would,
)
from reviewers.propositions.vocabulary import SLOT, Predicate

OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
VERB = re.compile(r"\(([^|()]*)\|([^|()]*)\)")

FORMS = re.compile(r"<([^<>|]*)\|([^<>|]*)>")  # of one, and of several
UNSURE_ARTICLE = re.compile(r"\ba (?=\{\w+\})")
_PLAIN = re.compile(r"[\w /-]+")  # words; what has other signs is code
_VOWEL = re.compile(r"`?[aeioAEIO]")
_PLURALS = {"is": "are", "has": "have", "does": "do"}
UNQUOTED = frozenset(
    {"activity", "what", "per", "style", "command", "type", "kind", "base", "figure"}
)


def sentence(proposition: Proposition, vocabulary: Mapping[str, Predicate] = PREDICATES) -> str:
    """A proposition in plain English, names and texts in backticks, without a full stop."""
    return _Teller(vocabulary).told(proposition)


def lines(
    proposition: Proposition, vocabulary: Mapping[str, Predicate] = PREDICATES
) -> list[tuple[Proposition, str]]:
    """The parts of a proposition that are judged one by one, each as a sentence; one where it has
    no parts.
    """
    teller = _Teller(vocabulary)
    match proposition:
        case AllOf(found):
            return [line for part in found for line in lines(part, vocabulary)]
        case Because(cause, effect):
            return lines(cause, vocabulary) + lines(effect, vocabulary)
    return [(proposition, teller.told(proposition))]


class _Teller:
    def __init__(self, vocabulary: Mapping[str, Predicate]) -> None:
        self._vocabulary = vocabulary

    def told(self, proposition: Proposition, *, is_so: bool = True) -> str:
        match proposition:
            case Atom():
                return self._atom(proposition, dict(_shown(proposition)), is_so=is_so)
            case Not(part):
                return self.told(part, is_so=not is_so)
            case AllOf(found) if not is_so:
                return f"not all of this: {self._list(found, 'and')}"
            case AnyOf(found) if not is_so:
                return self._list([Not(part) for part in found], "and")
            case AllOf(found):
                return self._list(found, "and")
            case AnyOf(found):
                return self._list(found, "or")
            case Every(variable, part, among):
                each = f"each of {_either(among, 'and')}" if among else f"every {variable}"
                return (
                    f"{'' if is_so else 'not '}for {each}: {_in_words(self.told(part), variable)}"
                )
            case Only(atom, hole, values):
                texts = [_text(hole, value) for value in values]
                filled = dict(_shown(atom)) | {hole: _series(texts, "and")}
                told = self._atom(atom, filled, only=hole, several=hole if texts[1:] else "")
                return ("" if is_so else "it is not the case that ") + told
            case Because(cause, effect):
                told = self.told(effect)
                told = f"({told})" if isinstance(effect, Because) else told
                is_chain = isinstance(cause, Because)
                said = self.told(cause)
                said = f"{said}, and so {told}" if is_chain else f"because {said}: {told}"
                return said if is_so else f"it is not the case that {said}"
            case Would(part):
                return f"if it were reached, {self.told(part, is_so=is_so)}"
            case Possible(part):
                return f"{'possibly' if is_so else 'on no start'}, {self.told(part)}"

    def _atom(
        self,
        atom: Atom,
        shown: Mapping[str, str],
        *,
        is_so: bool = True,
        several: str = "",
        only: str = "",
    ) -> str:
        """The sentence of an atom.

        Args:
            several: the argument that stands for more than one.
            only: the argument that nothing else fills.
        """
        template = self._vocabulary[atom.predicate].template
        template = OPTIONAL.sub(
            lambda found: found[1] if all(name in shown for name in SLOT.findall(found[1])) else "",
            template,
        )
        for form in FORMS.finditer(template):
            said = form[2 if several in SLOT.findall(form[2]) else 1]
            if only in SLOT.findall(said):
                said, only = f"only {said}", ""
            template = template.replace(form[0], said)
        if only:
            template = template.replace(f"{{{only}}}", f"only {{{only}}}")
        has_many = f"{{{several}}} (" in template and " and " in shown.get(several, "")
        template = VERB.sub(lambda found: verb(found[1 if is_so else 2], many=has_many), template)
        if has_many:
            template = UNSURE_ARTICLE.sub("", template)
        template = UNSURE_ARTICLE.sub(
            lambda found: "an " if _VOWEL.match(_next(template, found, shown)) else "a ", template
        )
        return SLOT.sub(lambda found: shown.get(found[1], ""), template)

    def _list(self, found: Sequence[Proposition], joint: str) -> str:
        told = list(self._merged(found, joint))
        if len(told) == 1:
            return told[0]
        if any(", " in one or ": " in one for one in told) and len(told) > 2:
            numbered = [f"({number}) {one}" for number, one in enumerate(told, 1)]
            return f"{'; '.join(numbered[:-1])}; {joint} {numbered[-1]}"
        return f"{', '.join(told[:-1])} {joint} {told[-1]}"

    def _merged(self, found: Sequence[Proposition], joint: str) -> Iterator[str]:
        """Each part as a sentence; neighbours that differ in one argument only are one."""
        waiting = list(found)
        while waiting:
            first = waiting.pop(0)
            atom, is_so = _polar(first)
            if atom is None:
                told = self.told(first)
                yield f"({told})" if isinstance(first, AllOf | AnyOf | Because) else told
                continue
            group, differs = [atom], ""
            # "Never `a` or `b`" denies both: what denies one of them is told apart.
            while waiting and (is_so or joint == "and"):
                other, other_so = _polar(waiting[0])
                slot = _difference(atom, other) if other and other_so == is_so else ""
                if other is None or not slot or (slot not in (differs, "") and differs):
                    break
                differs = slot
                group.append(other)
                waiting.pop(0)
            shown = dict(_shown(atom))
            if differs:
                values = [_text(differs, one[differs]) for one in group]
                shown[differs] = _series(values, joint if is_so else "or")
            yield self._atom(atom, shown, is_so=is_so, several=differs)


def _in_words(told: str, variable: str) -> str:
    """What holds of each value of a variable, told without its sign; `meant` undoes it."""
    that = f"that {variable}"
    told = told.replace(f"`{variable}:${variable}`", f"{that}'s file")
    told = re.sub(rf"(?:(?:the )?{variable} )?`\${variable}`", that, told)
    return told.replace(f"${variable}", f"<{variable}>")


def affirmed(template: str) -> str:
    """A template as it reads where it is so, of one thing."""
    return FORMS.sub(lambda found: found[1], VERB.sub(lambda found: found[1], template))


def verb(said: str, *, many: bool) -> str:
    """A verb of the third person, for one or for many."""
    first, space, rest = said.partition(" ")
    if first == "never":
        return f"never {verb(rest, many=many)}"
    if not many or not first:
        return said
    plural = first[:-2] if first.endswith(("ches", "sses")) else first.removesuffix("s")
    return _PLURALS.get(first, plural) + space + rest


def _next(template: str, found: re.Match[str], shown: Mapping[str, str]) -> str:
    """What is said in the slot behind a match."""
    slot = SLOT.match(template, found.end())
    return shown.get(slot[1], "") if slot else ""


def _polar(proposition: Proposition) -> tuple[Atom | None, bool]:
    """The atom that a part is or denies, and whether it says that it is so."""
    if isinstance(proposition, Atom):
        return proposition, True
    if isinstance(proposition, Not) and isinstance(proposition.part, Atom):
        return proposition.part, False
    return None, True


def _difference(one: Atom, other: Atom) -> str:
    """The argument in which two atoms of one predicate differ; empty where that is not one."""
    if one.predicate != other.predicate or len(one.arguments) != len(other.arguments):
        return ""
    pairs = zip(one.arguments, other.arguments, strict=True)
    differing = [mine[0] for mine, its in pairs if mine != its]
    same_names = all(m[0] == i[0] for m, i in zip(one.arguments, other.arguments, strict=True))
    return differing[0] if same_names and len(differing) == 1 else ""


def _shown(atom: Atom) -> Iterator[tuple[str, str]]:
    for name, value in atom.arguments:
        yield name, _text(name, value)
        if isinstance(value, Scope):
            yield from (
                (part, f"`{said}`")
                for part, said in (("mode", value.mode), ("run", value.run))
                if said
            )


def _text(name: str, value: Value) -> str:
    match value:
        case Scope("", "", _, _):
            return "the code"
        case Scope() | Spot():
            return f"`{value}`"
        case Passed(named, positional):
            said = [*map(_code, positional), *(f"{key}={_code(given)}" for key, given in named)]
            return f"`{', '.join(said)}`"
        case str() if name in UNQUOTED and _PLAIN.fullmatch(value):
            return value.replace("_", " ")
        case str():
            return f"`{value}`"
    return f"`{_code(value)}`"


def _code(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _either(values: Sequence[Value], joint: str) -> str:
    return _series([_text("", value) for value in values], joint)


def _series(texts: Sequence[str], joint: str) -> str:
    if len(texts) == 1:
        return texts[0]
    return f"{', '.join(texts[:-1])} {joint} {texts[-1]}"
