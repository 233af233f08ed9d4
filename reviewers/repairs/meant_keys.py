"""Which key of a configuration is meant by a dotted path that leads nowhere."""

import re
from collections.abc import Collection, Sequence

from rapidfuzz import fuzz

_TYPO = 80  # of 100, between a word and itself with a slip
_SHORTEST = 3  # letters that a word may be shortened to
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
    ("image", "img", "picture"),
)
_AS = {word: each[0].split() for each in _ALIKE for word in each if " " not in word}


def meant(path: str, among: Collection[str]) -> Sequence[str]:
    """The keys that a dotted path may mean, the nearest kind alone: a single one is clear, several
    are a person's to choose from.

    The kinds: one that has its section for its first words; the path behind the sections that it
    forgets; the path without sections that are too many; a name of the same section that is spelled
    otherwise, or has words more or less; the same name in another section; one of another section
    that is spelled otherwise, or has other words.

    Args:
        among: dotted paths that are there; the path itself is not.
    """
    section, _, name = path.rpartition(".")
    others = [(each, *_split(each)) for each in dict.fromkeys(among) if each != path]
    kinds = (
        [each for each, _, _ in others if are_joined(each, name)],
        [each for each, _, _ in others if each.endswith(f".{path}")],
        [each for each, _, _ in others if path.endswith(f".{each}") and "." in each],
        [each for each, at, own in others if at == section and are_same(own, name)],
        [each for each, at, own in others if at == section and are_alike(own, name)],
        [each for each, at, own in others if own == name and are_same(at, section)],
        [each for each, _, own in others if own == name],
        [each for each, _, own in others if are_same(own, name)],
        [each for each, _, own in others if are_alike(own, name)],
    )
    return next((found for found in kinds if found), [])


def are_same(one: str, other: str) -> bool:
    """Whether two names are spellings of one: `lr` and `learning_rate`, `max` and `high`."""
    words, others = _words(one), _words(other)
    if "".join(words) == "".join(others):
        return bool(words)
    pairs = list(zip(words, others, strict=False))
    return bool(pairs) and len(words) == len(others) and all(_are_one(*pair) for pair in pairs)


def are_alike(one: str, other: str) -> bool:
    """Whether two names may be one: spellings of one, or one has words more."""
    fewer, more = sorted((_words(one), _words(other)), key=len)
    has_all = all(any(_are_one(word, each) for each in more) for word in fewer)
    return are_same(one, other) or (bool(fewer) and has_all)


def are_joined(path: str, name: str) -> bool:
    """Whether the last parts of a path make a name: `router.temperature_init` that of
    `router_temperature_init`.
    """
    parts = path.split(".")
    return any("_".join(parts[at:]) == name for at in range(len(parts) - 1))


def has_words(path: str, name: str) -> bool:
    """Whether a path has all words of a name, in its sections or its key."""
    there = _words(path)
    return all(any(_are_one(word, each) for each in there) for word in _words(name))


def _split(path: str) -> tuple[str, str]:
    section, _, name = path.rpartition(".")
    return section, name


def _are_one(word: str, other: str) -> bool:
    """Whether two words are one that is shortened or mistyped; `lambda_1` is not `lambda_2`."""
    short, long = sorted((word, other), key=len)
    if word == other or (len(short) >= _SHORTEST and long.startswith(short)):
        return True
    is_word = len(short) > _SHORTEST + 1 and word.isalpha() and other.isalpha()
    return is_word and fuzz.ratio(word, other) >= _TYPO


def _words(name: str) -> list[str]:
    parts = re.split(r"[\W_]+", _CAMEL.sub("_", name).lower())
    found = [word for each in parts if each for word in _AS.get(each, [each])]
    return [each for each in found if each not in _COUNTING] or found
