"""Which key of a configuration is meant by a dotted path that leads nowhere."""

import re
from collections.abc import Collection, Sequence

from rapidfuzz import fuzz

_TYPO = 85  # of 100, between two spellings of a name
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_COUNTING = frozenset({"n", "num", "number", "of", "the"})
# Words that code and configurations have for the same thing.
_ALIKE = (
    ("low", "min", "lower", "minimum", "lb"),
    ("high", "max", "upper", "maximum", "ub"),
    ("choices", "choice", "values", "options", "categories", "candidates"),
    ("learning rate", "lr"),
    ("batch size", "bs", "batchsize"),
    ("weight decay", "wd"),
    ("length", "len"),
    ("configuration", "config", "conf", "cfg"),
)
_AS = {word: each[0].split() for each in _ALIKE for word in each}


def meant(path: str, among: Collection[str]) -> Sequence[str]:
    """The keys that a dotted path may mean, the nearest kind alone: a single one is clear, several
    are a person's to choose from.

    The kinds: the path behind the sections that it forgets; the path without sections that are too
    many; a name of the same section that is written alike; the same name in another section; a name
    of another section that is written alike.

    Args:
        among: dotted paths that are there; the path itself is not.
    """
    section, _, name = path.rpartition(".")
    others = [each for each in dict.fromkeys(among) if each != path]
    kinds = (
        lambda each: each.endswith(f".{path}"),
        lambda each: path.endswith(f".{each}") and "." in each,
        lambda each: each.rpartition(".")[0] == section and are_alike(each.rpartition(".")[2], name),
        lambda each: each.rpartition(".")[2] == name,
        lambda each: are_alike(each.rpartition(".")[2], name),
    )
    for is_one in kinds:
        if found := [each for each in others if is_one(each)]:
            exact = [each for each in found if _words(each) == _words(path)]
            return exact if len(exact) == 1 else found
    return ()


def are_same(one: str, other: str) -> bool:
    """Whether two names have the same words, such as `low` and `min`."""
    return _words(one) == _words(other) != []


def are_alike(one: str, other: str) -> bool:
    """Whether two names may be one: spelled otherwise, shortened, or with a word more."""
    words, others = _words(one), _words(other)
    if not words or not others:
        return False
    if words == others or fuzz.ratio("".join(words), "".join(others)) >= _TYPO:
        return True
    fewer, more = sorted((words, others), key=len)
    return all(any(_is_short_for(word, each) for each in more) for word in fewer)


def _is_short_for(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    return word == other or (len(short) >= 3 and long.startswith(short))


def _words(name: str) -> list[str]:
    parts = re.split(r"[\W_]+", _CAMEL.sub("_", name.rpartition(".")[2]).lower())
    kept = [each for each in parts if each and each not in _COUNTING]
    return [word for each in kept for word in _AS.get(each, [each])]
