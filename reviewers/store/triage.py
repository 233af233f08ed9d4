"""Triage: a summary of the reviews, decisions and rulings on a submission, and how urgently it
needs a person.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from reviewers.matching.defects import Comparisons
from reviewers.matching.missed import missed_blockers
from reviewers.records import Check, Finding, Review, Severity, Verdict
from reviewers.store.human_input import PEOPLE, HumanInput, OwnFinding

RULES = "rules"
RECORDED = "recorded"


def _code_version() -> int:
    """A number that changes with the code that derives a standing: stores then recompute it."""
    found = hashlib.sha256()
    for module in (
        "matching/defects",
        "matching/missed",
        "matching/place",
        "matching/rows",
        "matching/statements",
        "matching/thresholds",
        "matching/words",
        "store/groupings",
        "store/refresh",
        "store/rollup_counts",
        "store/human_input",
        __name__,
    ):
        path = f"{module.removeprefix('reviewers.').replace('.', '/')}.py"
        found.update((Path(__file__).parents[1] / path).read_bytes())
    return int.from_bytes(found.digest()[:4]) >> 1  # fits the column


VERSION = _code_version()

# A cell has no room for more, and a page of them must stay light.
_LONGEST_FAILURE = 300
_LONGEST_AUTHOR = 60

CONTRADICTED, DISAGREE, ALL_REFUTED, NO_VERDICT, DOUBTFUL, UNDECIDED, DECIDED = (
    60,
    50,
    40,
    30,
    20,
    10,
    0,
)


@dataclass(frozen=True, slots=True)
class ReviewChip:
    """One reviewer's current review in one cell.

    Attributes:
        confirmed, refuted, unverified: findings by fact check, a person's rulings counted in
            (dismiss: refuted, confirm: confirmed).
        blockers: confirmed findings of severity blocker, a person's severity counted in.
        missed: blockers that the rules prove or a person found, and that this reviewer does not
            name; None for the rules, and where it gave no verdict or neither the rules nor a person
            looked.
        failure: its first 300 characters; the review has all of it.
        partial: number of parts that the review does not cover.
    """

    reviewer: str
    model: str | None
    verdict: Verdict | None
    failure: str | None
    confirmed: int
    refuted: int
    unverified: int
    blockers: int
    missed: int | None = None
    partial: int = 0


@dataclass(frozen=True, slots=True)
class Tally:
    """One reviewer's findings in one category under one criterion (0: under none), by fact check,
    rulings counted in.

    Findings of persons are under the reviewer `people`.
    """

    reviewer: str
    category: str
    criterion: int
    confirmed: int
    refuted: int
    unverified: int


@dataclass(frozen=True, slots=True)
class TriageSummary:
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


def missed_ids(reviews: Iterable[Review], said: HumanInput) -> frozenset[str] | None:
    """Return the ids of confirmed blockers, of the rules or of persons, that no LLM claim covers.

    None if no LLM reviewer gave a verdict, or neither the rules did nor a person found anything:
    then nobody knows.
    """
    return _missed([said.ruled(review) for review in reviews], said, Comparisons())


def _missed(
    reviews: Iterable[Review], said: HumanInput, known: Comparisons
) -> frozenset[str] | None:
    """As `missed_ids`, of reviews with people's input applied."""
    counted = [review for review in reviews if review.verdict is not None]
    proven = proven_findings(counted, said)
    by_llms = [review for review in counted if review.reviewer != RULES]
    if proven is None or not by_llms:
        return None
    claims = [finding for review in by_llms for finding in review.findings]
    return missed_blockers(claims, proven, known=known)


def proven_findings(counted: Iterable[Review], said: HumanInput) -> tuple[Finding, ...] | None:
    """Return what the claims of LLM reviewers are measured by: the findings of the rules, and those
    of persons.

    Args:
        counted: the current reviews, each as `HumanInput.ruled` gives it.

    Returns:
        None if neither the rules gave a verdict nor a person found anything.
    """
    by_rules = [
        review for review in counted if review.reviewer == RULES and review.verdict is not None
    ]
    if not by_rules and not said.found:
        return None
    return (
        *(finding for review in by_rules for finding in review.findings),
        *(own.finding for own in said.found),
    )


def names_on_screen(reviewers: Sequence[str]) -> tuple[str, ...]:
    """Return what to call each of these reviewers; a bundle may bring several answers along, all
    called `recorded`.
    """
    # No reviewer can be configured with such a sign in its name.
    nth = (reviewers[: place + 1].count(name) for place, name in enumerate(reviewers))
    return tuple(
        f"{name} #{number}" if reviewers.count(name) > 1 else name
        for name, number in zip(reviewers, nth, strict=True)
    )


def standing(
    counted: Sequence[Review], said: HumanInput, known: Comparisons | None = None
) -> TriageSummary:
    """Return where a submission stands.

    Args:
        counted: its current reviews, each as `HumanInput.ruled` gives it.
        said: what people said of the findings.
        known: as for `merged`.
    """
    known = known or Comparisons()
    missed = _missed(counted, said, known)
    proven = proven_findings(counted, said)
    chips = tuple(_chip(review, proven, known) for review in counted)
    seen = [own for own in said.found if _is_confirmed_blocker(own.finding)]
    missed_count = None if missed is None else len(missed)
    rank, attention = _attention(counted, chips, missed_count or 0, seen)
    return TriageSummary(
        chips=chips,
        tallies=tuple(_tallies(counted, said)),
        open_rank=rank,
        attention=attention,
        disagree=_disagree(chips),
        contradicted=_contradicted(chips, seen),
        refuted=_refuted_claims(counted) > 0,
        missed=missed_count,
    )


def _is_confirmed_blocker(finding: Finding) -> bool:
    return finding.check.result is Check.CONFIRMED and finding.severity is Severity.BLOCKER


def _chip(review: Review, proven: tuple[Finding, ...] | None, known: Comparisons) -> ReviewChip:
    is_measured = proven is not None and review.reviewer != RULES and review.verdict is not None
    return ReviewChip(
        reviewer=review.reviewer,
        model=review.model,
        verdict=review.verdict,
        failure=None if review.failure is None else review.failure[:_LONGEST_FAILURE],
        confirmed=review.count(Check.CONFIRMED),
        refuted=review.count(Check.REFUTED),
        unverified=review.count(Check.UNVERIFIED),
        blockers=sum(map(_is_confirmed_blocker, review.findings)),
        missed=(
            len(missed_blockers(review.findings, proven or (), known=known))
            if is_measured
            else None
        ),
        partial=len(review.partial),
    )


def _tallies(reviews: Iterable[Review], said: HumanInput) -> Iterable[Tally]:
    """A review without a verdict has not looked at the submission, so what it may hold does not
    count.
    """
    found = [
        (review.reviewer, finding)
        for review in reviews
        if review.verdict is not None
        for finding in review.findings
    ]
    found += [(PEOPLE, said.counted(own.finding)) for own in said.own]
    counts = Counter(
        (name, finding.category, finding.criterion or 0, finding.check.result)
        for name, finding in found
    )
    for key in dict.fromkeys(key[:3] for key in counts):
        yield Tally(
            *key,
            *(
                counts[(*key, result)]
                for result in (Check.CONFIRMED, Check.REFUTED, Check.UNVERIFIED)
            ),
        )


def _attention(
    reviews: Sequence[Review], chips: Sequence[ReviewChip], missed: int, seen: Sequence[OwnFinding]
) -> tuple[int, str]:
    """Return the rank and the reason in words; the first reason that holds is the one given.

    Args:
        seen: blockers that persons found.
    """
    # One defect may be found by several reviewers under several ids: the most that one of them
    # found is surely true.
    proven = max((chip.blockers for chip in chips), default=0)
    blockers = max(proven, len(seen))
    if _contradicted(chips, seen):
        ready = _names(chip for chip in chips if chip.verdict is Verdict.READY)
        return (
            CONTRADICTED,
            (
                f"{ready} ready, but"
                f" {_count(blockers, 'confirmed blocker') if proven else _seen_words(seen)}"
            ),
        )
    if _disagree(chips):
        return DISAGREE, "reviewers disagree"
    if blockers == 0 and (unfounded := [review for review in reviews if _is_unfounded(review)]):
        return ALL_REFUTED, _unfounded_words(unfounded)
    if failed := [chip for chip in chips if chip.verdict is None]:
        return NO_VERDICT, f"no verdict from {_listed(chip.reviewer for chip in failed)}"
    refuted = _refuted_claims(reviews)
    if partial := [chip for chip in chips if chip.partial]:
        names = _listed(chip.reviewer for chip in partial)
        return DOUBTFUL, f"only a part was looked at by {names}"
    doubts = [_count(refuted, "claim") + " refuted"] * bool(refuted) + [
        _count(missed, "blocker") + " missed"
    ] * bool(missed)
    if doubts:
        return DOUBTFUL, ", ".join(doubts)
    if seen:
        return UNDECIDED, _seen_words(seen)
    return UNDECIDED, "no decision yet" if chips else "not reviewed yet"


def _contradicted(chips: Sequence[ReviewChip], seen: Sequence[OwnFinding]) -> bool:
    return any(chip.verdict is Verdict.READY for chip in chips) and (
        bool(seen) or any(chip.blockers for chip in chips)
    )


def _seen_words(seen: Sequence[OwnFinding]) -> str:
    authors = _listed((own.author.name[:_LONGEST_AUTHOR] for own in seen), "people")
    return f"{authors} found {'a blocker' if len(seen) == 1 else _count(len(seen), 'blocker')}"


def _disagree(chips: Iterable[ReviewChip]) -> bool:
    return {Verdict.READY, Verdict.NOT_READY} <= {chip.verdict for chip in chips}


def _refuted_claims(reviews: Iterable[Review]) -> int:
    """A dismissed finding of a rule is not a claim, and so not counted here."""
    return sum(
        finding.rule is None and finding.check.result is Check.REFUTED
        for review in reviews
        for finding in review.findings
    )


def _blocker_claims(review: Review) -> list[Finding]:
    return [
        finding
        for finding in review.findings
        if finding.rule is None and finding.severity is Severity.BLOCKER
    ]


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
        return (
            f"{_listed(review.reviewer for review in reviews)} say not ready, but all their"
            " blockers are refuted"
        )
    count = len(_blocker_claims(reviews[0]))
    blockers = "its only blocker is" if count == 1 else f"all its {count} blockers are"
    return f"{reviews[0].reviewer} says not ready, but {blockers} refuted"


def _names(chips: Iterable[ReviewChip]) -> str:
    names = [chip.reviewer for chip in chips]
    return f"{_listed(names)} {'says' if len(set(names)) == 1 else 'say'}"


def _listed(names: Iterable[str], many: str = "reviewers") -> str:
    distinct = list(dict.fromkeys(names))
    if len(distinct) > 2:
        return f"{len(distinct)} {many}"
    return " and ".join(distinct)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
