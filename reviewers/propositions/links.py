"""Whether a cause that is so leads to an effect that is so."""

import re
from collections.abc import Iterator

from reviewers.propositions.answers import Answer
from reviewers.propositions.terms import Atom, Passed, Proposition, Scope, Spot, atoms

_WORD = re.compile(r"[\w./*-]+")
_QUOTED = re.compile(r"[`']([\w.]+)[`']")
_NAMES = ("file", "key", "name", "target", "package", "callee", "expr", "column", "parameter")
_SHORTEST = 4  # letters of a word that is the name by chance only seldom, if it is not quoted


def linked(cause: Proposition, effect: Proposition, why: Answer, then: Answer) -> bool:
    """Whether what shows the effect names what the cause is about, or stands at one of its places,
    or whether the effect is about a file that the cause says is empty, absent or broken. An effect
    that nothing shows, for it is that something is not there, has to name it itself.
    """
    about = {name for atom in atoms(cause) for name in _names(atom) if name}
    said = [one.said for one in then.witnesses]
    words = {word.strip(".") for one in said for word in _WORD.findall(one)}
    words |= {word.rpartition(".")[2] for word in words}
    shown = {word for word in words if len(word) >= _SHORTEST}
    shown |= {word for one in said for word in _QUOTED.findall(one)}
    if not then.witnesses:
        shown |= {name for atom in atoms(effect) for name in _names(atom)}
    gone = {str(atom.get("file")) for atom in atoms(cause) if atom.predicate in _WITHOUT_CONTENT}
    files = {value for atom in atoms(effect) for value in _files(atom)}
    files |= {one.span.file for one in then.witnesses}
    meet = any(one.span.is_near(other.span) for one in why.witnesses for other in then.witnesses)
    return bool(about & shown or gone & files or meet)


_WITHOUT_CONTENT = ("empty", "exists", "parses")


def _names(atom: Atom) -> Iterator[str]:
    """The names, keys and files that an atom speaks of, whole and by their last part."""
    for name, value in atom.arguments:
        match value:
            case Spot(expression=expression) if expression:
                yield expression
            case str() if name in _NAMES:
                yield value
                yield value.rpartition("/" if name == "file" else ".")[2]
            case Passed(named):
                yield from (key for key, _ in named)


def _files(atom: Atom) -> Iterator[str]:
    for _, value in atom.arguments:
        if isinstance(value, Scope | Spot) and value.file:
            yield value.file
        elif isinstance(value, str):
            yield value
