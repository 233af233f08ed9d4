"""How alike two findings of one rule or kind are in two attempts: in words, names and code. Similar
words alone are no proof, the names in them must agree.
"""

from collections.abc import Callable, Iterator, Sequence

from rapidfuzz import fuzz, process

from reviewers.attempts.traces import FindingTrace
from reviewers.matching.thresholds import (
    CLAIM_IN_ORDER,
    CLAIM_IN_ORDER_NAMED,
    CLAIM_WORDS,
    CLAIM_WORDS_NAMED,
    ENOUGH_NAMES,
    SAME_PROSE,
    SIMILAR_CODE,
    SIMILAR_NAMES,
    SIMILAR_PROSE,
    SOME_NAMES,
)

Alike = Iterator[tuple[FindingTrace, FindingTrace, float]]
"""Pairs of findings that may be one defect, each with how alike they are, 0 to 100."""
Likeness = Callable[[Sequence[FindingTrace], Sequence[FindingTrace]], Alike]

_FEWEST_WORDS = 3


def defects_alike(left: Sequence[FindingTrace], right: Sequence[FindingTrace]) -> Alike:
    """Yield findings of one rule in one file that say much the same of the same names in similar
    code.
    """
    for one, other, prose in _compared(left, right, fuzz.ratio, SIMILAR_PROSE):
        coded, code = bool(one.code and other.code), fuzz.ratio(one.code, other.code)
        named = _names_agree(one, other, prose, code)
        if named and (code >= SIMILAR_CODE or not coded or _is_list(one, other, prose)):
            yield one, other, (prose + code) / 2 if coded else prose


def same_place(one: FindingTrace, other: FindingTrace) -> Alike:
    """Yield two findings of one rule whose lines stand for each other, if words and names are
    alike; the code may differ more.
    """
    prose, code = fuzz.ratio(one.prose, other.prose), fuzz.ratio(one.code, other.code)
    if prose >= SIMILAR_PROSE and _names_agree(one, other, prose, code):
        yield one, other, (prose + code) / 2


def claims_alike(left: Sequence[FindingTrace], right: Sequence[FindingTrace]) -> Alike:
    """Yield claims of one kind that say the same in other words, of one file as far as both name
    one.
    """
    for one, other, words in _compared(left, right, fuzz.token_set_ratio, CLAIM_WORDS_NAMED):
        if one.file != other.file and one.file is not None and other.file is not None:
            continue
        shared = len(one.names & other.names)
        if one.names and other.names and not shared:
            continue
        in_order = fuzz.token_sort_ratio(one.words, other.words)
        if (
            words >= (CLAIM_WORDS_NAMED if shared > 1 else CLAIM_WORDS)
            and in_order >= (CLAIM_IN_ORDER_NAMED if shared else CLAIM_IN_ORDER)
            and min(len(each.words.split()) for each in (one, other)) >= _FEWEST_WORDS
        ):
            yield one, other, (words + in_order) / 2


def _compared(
    left: Sequence[FindingTrace],
    right: Sequence[FindingTrace],
    scorer: Callable[..., float],
    cutoff: float,
) -> Alike:
    of_claims = scorer is fuzz.token_set_ratio
    table = process.cdist(
        [one.words if of_claims else one.prose for one in left],
        [other.words if of_claims else other.prose for other in right],
        scorer=scorer,
        score_cutoff=cutoff,
    )
    for one, row in zip(left, table.tolist(), strict=True):
        for other, score in zip(right, row, strict=True):
            if score >= cutoff:
                yield one, other, score


def _is_list(one: FindingTrace, other: FindingTrace, prose: float) -> bool:
    """Whether both say the same of lists of names that overlap."""
    return prose >= SAME_PROSE and (one.told.overlap(other.told) or 0.0) >= SOME_NAMES


def _names_agree(one: FindingTrace, other: FindingTrace, prose: float, code: float) -> bool:
    """Whether two messages may speak of the same: most names are in both, or spelled much the same
    in similar code.
    """
    shared = one.told.overlap(other.told)
    if shared is None or shared >= ENOUGH_NAMES or _is_list(one, other, prose):
        return True
    first, second = (" ".join(sorted(each.names)) for each in (one, other))
    return (
        code >= SIMILAR_CODE
        and _digits(first) == _digits(second)
        and fuzz.ratio(first, second) >= SIMILAR_NAMES
    )


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))
