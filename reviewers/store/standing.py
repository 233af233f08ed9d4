"""Where a submission stands: what the reviews, decisions and rulings on it come to, and how much it needs a person."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from reviewers.claims.missed import missed_blockers
from reviewers.records import Check, Finding, Review, Ruling, Severity, Verdict

RULES = "rules"
RECORDED = "recorded"

# To be raised whenever this file (or what it asks of the claims) comes to other results: stores then recompute on opening.
VERSION = 4

# A cell has no room for more, and a page of them must stay light.
_LONGEST_FAILURE = 300

CONTRADICTED, DISAGREE, ALL_REFUTED, NO_VERDICT, DOUBTFUL, UNDECIDED, DECIDED = 60, 50, 40, 30, 20, 10, 0


@dataclass(frozen=True, slots=True)
class ReviewChip:
    """One reviewer's current review in one cell.

    Attributes:
        confirmed, refuted, unverified: findings by fact check, a person's rulings counted in (dismiss: refuted,
            confirm: confirmed).
        blockers: confirmed findings of severity blocker.
        failure: its first 300 characters; the review has all of it.
    """

    reviewer: str
    model: str | None
    verdict: Verdict | None
    failure: str | None
    confirmed: int
    refuted: int
    unverified: int
    blockers: int


@dataclass(frozen=True, slots=True)
class Tally:
    """One reviewer's findings in one category under one criterion (0: under none), by fact check, rulings counted in."""

    reviewer: str
    category: str
    criterion: int
    confirmed: int
    refuted: int
    unverified: int


@dataclass(frozen=True, slots=True)
class Standing:
    """Everything that the inbox and the trends need to know of one submission.

    Attributes:
        open_rank, attention: how much it needs a person, and why, were it not decided.
        missed: as `missed_ids`, counted.
    """

    chips: tuple[ReviewChip, ...]
    tallies: tuple[Tally, ...]
    open_rank: int
    attention: str
    disagree: bool
    contradicted: bool
    refuted: bool
    missed: int | None


def ruled(review: Review, rulings: Mapping[str, Ruling]) -> Review:
    """Return the review with a person's rulings in the place of the fact checks that they overrule."""
    findings = tuple(_ruled(finding, rulings.get(finding.id)) for finding in review.findings)
    return replace(review, findings=findings)


def missed_ids(reviews: Iterable[Review], rulings: Mapping[str, Ruling]) -> frozenset[str] | None:
    """Return the ids of the rules' confirmed blockers that no LLM claim covers.

    None where no LLM reviewer gave a verdict, or the rules did not: then nobody knows.
    """
    counted = [ruled(review, rulings) for review in reviews if review.verdict is not None]
    by_rules = [review for review in counted if review.reviewer == RULES]
    by_llms = [review for review in counted if review.reviewer != RULES]
    if not by_rules or not by_llms:
        return None
    claims = [finding for review in by_llms for finding in review.findings]
    return missed_blockers(claims, [finding for review in by_rules for finding in review.findings])


def standing(reviews: Sequence[Review], rulings: Mapping[str, Ruling]) -> Standing:
    """Return where a submission stands after its current reviews and the rulings that count, by finding id."""
    missed = missed_ids(reviews, rulings)
    counted = [ruled(review, rulings) for review in reviews]
    chips = tuple(_chip(review) for review in counted)
    missed_count = None if missed is None else len(missed)
    rank, attention = _attention(counted, chips, missed_count or 0)
    return Standing(
        chips=chips,
        tallies=tuple(_tallies(counted)),
        open_rank=rank,
        attention=attention,
        disagree=_disagree(chips),
        contradicted=_contradicted(chips),
        refuted=_refuted_claims(counted) > 0,
        missed=missed_count,
    )


def _ruled(finding: Finding, ruling: Ruling | None) -> Finding:
    if ruling is None or ruling is Ruling.WITHDRAWN:
        return finding
    result = Check.CONFIRMED if ruling is Ruling.CONFIRM else Check.REFUTED
    misreading = finding.check.misreading if result is Check.REFUTED else None
    return replace(finding, check=replace(finding.check, result=result, misreading=misreading))


def _is_confirmed_blocker(finding: Finding) -> bool:
    return finding.check.result is Check.CONFIRMED and finding.severity is Severity.BLOCKER


def _chip(review: Review) -> ReviewChip:
    return ReviewChip(
        reviewer=review.reviewer,
        model=review.model,
        verdict=review.verdict,
        failure=None if review.failure is None else review.failure[:_LONGEST_FAILURE],
        confirmed=review.count(Check.CONFIRMED),
        refuted=review.count(Check.REFUTED),
        unverified=review.count(Check.UNVERIFIED),
        blockers=sum(map(_is_confirmed_blocker, review.findings)),
    )


def _tallies(reviews: Iterable[Review]) -> Iterable[Tally]:
    """A review without a verdict is no look at the submission, so what it may hold does not count."""
    counts = Counter(
        (review.reviewer, finding.category, finding.criterion or 0, finding.check.result)
        for review in reviews
        if review.verdict is not None
        for finding in review.findings
    )
    for key in dict.fromkeys(key[:3] for key in counts):
        yield Tally(*key, *(counts[(*key, result)] for result in (Check.CONFIRMED, Check.REFUTED, Check.UNVERIFIED)))


def _attention(reviews: Sequence[Review], chips: Sequence[ReviewChip], missed: int) -> tuple[int, str]:
    """Return the rank and the reason in words; the first reason that holds is the one given."""
    # One defect may be found by several reviewers under several ids: the most that one of them found is surely true.
    blockers = max((chip.blockers for chip in chips), default=0)
    if _contradicted(chips):
        ready = _names(chip for chip in chips if chip.verdict is Verdict.READY)
        return CONTRADICTED, f"{ready} ready, but {_count(blockers, 'confirmed blocker')}"
    if _disagree(chips):
        return DISAGREE, "reviewers disagree"
    if blockers == 0 and (unfounded := [review for review in reviews if _is_unfounded(review)]):
        return ALL_REFUTED, _unfounded_words(unfounded)
    if failed := [chip for chip in chips if chip.verdict is None]:
        return NO_VERDICT, f"no verdict from {_listed(chip.reviewer for chip in failed)}"
    refuted = _refuted_claims(reviews)
    doubts = [_count(refuted, "claim") + " refuted"] * bool(refuted) + [_count(missed, "blocker") + " missed"] * bool(missed)
    if doubts:
        return DOUBTFUL, ", ".join(doubts)
    return UNDECIDED, "no decision yet" if chips else "not reviewed yet"


def _contradicted(chips: Iterable[ReviewChip]) -> bool:
    chips = tuple(chips)
    return any(chip.verdict is Verdict.READY for chip in chips) and any(chip.blockers for chip in chips)


def _disagree(chips: Iterable[ReviewChip]) -> bool:
    return {Verdict.READY, Verdict.NOT_READY} <= {chip.verdict for chip in chips}


def _refuted_claims(reviews: Iterable[Review]) -> int:
    """A dismissed finding of a rule is no claim, and so not counted here."""
    return sum(
        finding.rule is None and finding.check.result is Check.REFUTED for review in reviews for finding in review.findings
    )


def _blocker_claims(review: Review) -> list[Finding]:
    return [finding for finding in review.findings if finding.rule is None and finding.severity is Severity.BLOCKER]


def _is_unfounded(review: Review) -> bool:
    """Whether it says not ready, and everything that would stop the submission is refuted."""
    blockers = _blocker_claims(review)
    return (
        review.verdict is Verdict.NOT_READY
        and bool(blockers)
        and all(finding.check.result is Check.REFUTED for finding in blockers)
    )


def _unfounded_words(reviews: Sequence[Review]) -> str:
    if len(reviews) > 1:
        return f"{_listed(review.reviewer for review in reviews)} say not ready, but all their blockers are refuted"
    count = len(_blocker_claims(reviews[0]))
    blockers = "its only blocker is" if count == 1 else f"all its {count} blockers are"
    return f"{reviews[0].reviewer} says not ready, but {blockers} refuted"


def _names(chips: Iterable[ReviewChip]) -> str:
    names = [chip.reviewer for chip in chips]
    return f"{_listed(names)} {'says' if len(set(names)) == 1 else 'say'}"


def _listed(names: Iterable[str]) -> str:
    distinct = list(dict.fromkeys(names))
    if len(distinct) > 2:
        return f"{len(distinct)} reviewers"
    return " and ".join(distinct)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
