"""How alike two findings are in words and code: similar words alone are no proof, the names in them
must agree.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from rapidfuzz import fuzz, process

from reviewers.attempts.traces import FindingTrace

Alike = Iterator[tuple[FindingTrace, FindingTrace, float]]
"""Pairs of findings that may be one defect, each with how alike they are, 0 to 100."""
Likeness = Callable[[Sequence[FindingTrace], Sequence[FindingTrace]], Alike]

_NEAR_WORDS = 72.0
_NEAR_CODE = 60.0
_NEAR_NAMES = 80.0
_CLAIM_WORDS = 78.0
_CLAIM_IN_ORDER = 55.0
_CLAIM_NAMED = 58.0
"""Enough where both name the same two things of the code."""
_CLAIM_IN_ORDER_NAMED = 45.0
_TWO = 2
_FEWEST_WORDS = 3

_LONGEST = 2_000
"""Characters of a message in which names are looked for."""
_QUOTED = re.compile(r"`([^`\n]{1,200})`")
_NAME = re.compile(r"[A-Za-z_][\w-]*(?:\.[\w-]+)*")
_IDENTIFIER = re.compile(r"(?<!['\"\w])[A-Za-z_]\w*(?:\.\w+)*")
_COMMAND = re.compile(r"^(?:uv|python\d?) ")
_WORD = re.compile(r"\w+")
_LED_IN = re.compile(r"^once [^:`]{1,80}: ")
_ASIDE = re.compile(r" ?\((?:also|like|logged)\b[^)]*\)")
_STOPS = re.compile(r"( stops with \w+): [^;(]*")
_FILE = re.compile(r"\.(?:py|ya?ml|toml|json|txt|md|pdf|csv)$", re.IGNORECASE)
_LISTED = re.compile(r"#(?:, #| and #)+")


def defects_alike(left: Sequence[FindingTrace], right: Sequence[FindingTrace]) -> Alike:
    """Yield findings of one rule in one file whose messages and code are alike.

    What a message speaks of first, where that is a plain name, must be the same: `cfg.lr` is not
    `cfg.epochs`.
    """
    for one, other, words in _compared(left, right, fuzz.ratio, _NEAR_WORDS):
        coded, code = bool(one.code and other.code), fuzz.ratio(one.code, other.code)
        if _subjects_agree(one, other, code) and (code >= _NEAR_CODE or not coded):
            yield one, other, (words + code) / 2 if coded else words


def shapes_alike(left: Sequence[FindingTrace], right: Sequence[FindingTrace]) -> Alike:
    """Yield findings that say the same of the same names: those of the list that a message gives
    need only overlap.
    """
    for one in left:
        for other in right:
            code = fuzz.ratio(one.code, other.code)
            if _named(one.finding.message) & _named(other.finding.message) or (
                code >= _NEAR_CODE and _subjects_agree(one, other, code)
            ):
                yield one, other, (100 + code) / 2


def same_place(one: FindingTrace, other: FindingTrace) -> Alike:
    """Yield two findings of one rule whose lines stand for each other, if words and names are
    alike; the code may differ more.
    """
    words, code = fuzz.ratio(one.words, other.words), fuzz.ratio(one.code, other.code)
    if words >= _NEAR_WORDS and _subjects_agree(one, other, code):
        yield one, other, (words + code) / 2


def claims_alike(left: Sequence[FindingTrace], right: Sequence[FindingTrace]) -> Alike:
    """Yield claims of one kind that say the same in other words, of one file as far as both name
    one.
    """
    for one, other, words in _compared(left, right, fuzz.token_set_ratio, _CLAIM_NAMED):
        if one.file != other.file and one.file is not None and other.file is not None:
            continue
        first, second = (_claim_names(each.finding.message) for each in (one, other))
        shared = len(first & second)
        if first and second and not shared:
            continue
        in_order = fuzz.token_sort_ratio(one.words, other.words)
        enough = words >= (_CLAIM_NAMED if shared >= _TWO else _CLAIM_WORDS)
        ordered = in_order >= (_CLAIM_IN_ORDER_NAMED if shared else _CLAIM_IN_ORDER)
        if (
            enough
            and ordered
            and min(len(_WORD.findall(each.words)) for each in (one, other)) >= _FEWEST_WORDS
        ):
            yield one, other, (words + in_order) / 2


@lru_cache(maxsize=20_000)
def shape(message: str) -> str:
    """A message without its names and numbers, of lists only the first, without asides: what a rule
    says of whatever it names.
    """
    text = _IDENTIFIER.sub(
        _blanked,
        _QUOTED.sub("#", _ASIDE.sub("", _STOPS.sub(r"\1", _LED_IN.sub("", message[:_LONGEST])))),
    )
    return _LISTED.sub("#", re.sub(r"\d+(?:\.\d+)?", "#", text)).casefold()


def _compared(
    left: Sequence[FindingTrace],
    right: Sequence[FindingTrace],
    scorer: Callable[..., float],
    cutoff: float,
) -> Alike:
    table = process.cdist(
        [one.words for one in left],
        [other.words for other in right],
        scorer=scorer,
        score_cutoff=cutoff,
    )
    for one, row in zip(left, table.tolist(), strict=True):
        for other, score in zip(right, row, strict=True):
            if score >= cutoff:
                yield one, other, score


def _subjects_agree(one: FindingTrace, other: FindingTrace, code: float) -> bool:
    """Whether what two messages speak of may be one thing: a name is itself or, in similar code,
    spelled much the same.
    """
    first, second = subject(one.finding.message), subject(other.finding.message)
    if (
        first == second
        or not (_NAME.fullmatch(first) and _NAME.fullmatch(second))
        or _named_alike(first, second)
    ):
        return True
    digits = [re.findall(r"\d", name) for name in (first, second)]
    last, its = first.rpartition(".")[2], second.rpartition(".")[2]
    return code >= _NEAR_CODE and digits[0] == digits[1] and fuzz.ratio(last, its) >= _NEAR_NAMES


def _named_alike(one: str, other: str) -> bool:
    """Whether one key is the other with more of its path: `run.dataset.name` and `dataset.name`."""
    return "." in one and "." in other and (one.endswith(f".{other}") or other.endswith(f".{one}"))


@lru_cache(maxsize=20_000)
def subject(message: str) -> str:
    """What a message quotes first, commands aside; empty where it quotes nothing."""
    return next(
        (code for code in _QUOTED.findall(message[:_LONGEST]) if not _COMMAND.match(code)), ""
    )


@lru_cache(maxsize=20_000)
def _named(message: str) -> frozenset[str]:
    """The names that a message puts in quotes, commands aside; those of objects themselves say
    nothing.
    """
    quoted = [code for code in _QUOTED.findall(message[:_LONGEST]) if not _COMMAND.match(code)]
    plain = [code for code in quoted if _NAME.fullmatch(code)]
    within = [
        name
        for code in quoted
        for name in _NAME.findall(code)
        if "." in name and not name.startswith("self.")
    ]
    return frozenset((*plain, *within))


@lru_cache(maxsize=20_000)
def _claim_names(message: str) -> frozenset[str]:
    quoted = _QUOTED.findall(message[:_LONGEST])
    bare = filter(_is_code, _IDENTIFIER.findall(message[:_LONGEST]))
    names = (name for text in (*quoted, *bare) for name in _NAME.findall(text))
    return frozenset(name.casefold() for name in names if not _FILE.search(name))


def _blanked(found: re.Match[str]) -> str:
    return "#" if "." in found[0] or "_" in found[0].strip("_") else found[0]


def _is_code(word: str) -> bool:
    """Whether a word is written as names in code are, and words are not: dotted, with an
    underscore, or a capital within.
    """
    return "." in word or "_" in word or not (word.islower() or word.isupper() or word.istitle())
