"""How alike two findings of one rule or kind are in two attempts: in words, names and code. Similar
words alone are no proof, the names in them must agree.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import product

from rapidfuzz import fuzz, process

from reviewers.matching.thresholds import (
    CLAIM_IN_ORDER,
    CLAIM_IN_ORDER_NAMED,
    CLAIM_WORDS,
    CLAIM_WORDS_NAMED,
    ENOUGH_NAMES,
    FEWEST_LISTED,
    FEWEST_WORDS,
    SIMILAR_CODE,
    SIMILAR_NAMES,
    SOME_NAMES,
)
from reviewers.matching.traces import FindingTrace

Alike = Iterator[tuple[FindingTrace, FindingTrace, float]]
"""Pairs of findings that may be one defect, each with how alike they are, 0 to 100."""
Likeness = Callable[[Sequence[FindingTrace], Sequence[FindingTrace]], Alike]


def defects_alike(left: Sequence[FindingTrace], right: Sequence[FindingTrace]) -> Alike:
    """Yield findings of one rule in one file that name much the same in similar code."""
    for one, other in product(left, right):
        coded, code = bool(one.code and other.code), fuzz.ratio(one.code, other.code)
        if _names_agree(one, other, code) and (
            code >= SIMILAR_CODE or not coded or _are_lists(one, other)
        ):
            yield one, other, code if coded else 100.0 * (one.told.overlap(other.told) or 0.0)


def same_place(one: FindingTrace, other: FindingTrace) -> Alike:
    """Yield two findings of one rule whose lines stand for each other, if their names agree; the
    code may differ more.
    """
    code = fuzz.ratio(one.code, other.code)
    if _names_agree(one, other, code):
        yield one, other, code


def claims_alike(left: Sequence[FindingTrace], right: Sequence[FindingTrace]) -> Alike:
    """Yield claims of one kind that say the same in other words, of one file as far as both name
    one.
    """
    table = process.cdist(
        [one.words for one in left],
        [other.words for other in right],
        scorer=fuzz.token_set_ratio,
        score_cutoff=CLAIM_WORDS_NAMED,
    )
    for (one, other), words in zip(product(left, right), table.flat, strict=True):
        if words < CLAIM_WORDS_NAMED:
            continue
        if one.file != other.file and one.file is not None and other.file is not None:
            continue
        shared = len(one.told.names & other.told.names)
        if one.told.names and other.told.names and not shared:
            continue
        in_order = fuzz.token_sort_ratio(one.words, other.words)
        if (
            words >= (CLAIM_WORDS_NAMED if shared > 1 else CLAIM_WORDS)
            and in_order >= (CLAIM_IN_ORDER_NAMED if shared else CLAIM_IN_ORDER)
            and min(len(each.words.split()) for each in (one, other)) >= FEWEST_WORDS
        ):
            yield one, other, (words + in_order) / 2


def _are_lists(one: FindingTrace, other: FindingTrace) -> bool:
    """Whether both name several things, and some of them are the same."""
    fewer = min(len(one.subject), len(other.subject))
    return fewer >= FEWEST_LISTED and (one.told.overlap(other.told) or 0.0) >= SOME_NAMES


def _names_agree(one: FindingTrace, other: FindingTrace, code: float) -> bool:
    """Whether two findings may speak of the same: most names are in both, or spelled much the same
    in similar code.
    """
    shared = one.told.overlap(other.told)
    if shared is None or shared >= ENOUGH_NAMES or _are_lists(one, other):
        return True
    first, second = (" ".join(sorted(each.subject)) for each in (one, other))
    return (
        code >= SIMILAR_CODE
        and _digits(first) == _digits(second)
        and fuzz.ratio(first, second) >= SIMILAR_NAMES
    )


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))
