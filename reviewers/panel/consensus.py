"""What several reviews come to together: the defects, who agrees on what, and the verdict that
follows, with its reason.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from reviewers.matching.rows import MergedFinding, merged
from reviewers.records import (
    Check,
    Finding,
    Reliability,
    Review,
    Severity,
    Verdict,
    reliability_name,
)

_LONGEST_TITLE = 120
_UNKNOWN = Reliability()
_DECIDING = {
    Severity.BLOCKER: "blocker",
    Severity.MAJOR: "blocker or major defect",
}


@dataclass(frozen=True, slots=True)
class Vote:
    """One reviewer's verdict and what it is worth here.

    Attributes:
        has_ground: False where it says not ready, but everything that it names and that would
            decide this is refuted; then it is not counted.
    """

    reviewer: str
    verdict: Verdict
    worth: Reliability
    has_ground: bool


@dataclass(frozen=True, slots=True)
class Consensus:
    """What the reviews of one submission come to.

    Attributes:
        ready, not_ready, failed: names of the reviewers, sorted.
        rows: every defect once, as `merged` gives them.
        votes: the verdicts with what they are worth, sorted by name.
        suggestion: a verdict for a person to accept or not; None where nothing speaks for one more
            than for the other.
        because: where it comes from, or why there is none, in one sentence.
    """

    ready: tuple[str, ...]
    not_ready: tuple[str, ...]
    failed: tuple[str, ...]
    rows: tuple[MergedFinding, ...]
    votes: tuple[Vote, ...]
    suggestion: Verdict | None
    because: str

    @property
    def proof(self) -> tuple[str, Finding] | None:
        """The confirmed finding that decides, with its reviewer; None where none does."""
        return next(iter(_proofs(self.rows)), None)


def consensus(
    reviews: Mapping[str, Review],
    worths: Mapping[str, Reliability],
    mildest: Severity = Severity.BLOCKER,
    rows: tuple[MergedFinding, ...] | None = None,
) -> Consensus:
    """Return what reviews come to; their order changes nothing.

    A proven defect as severe as the contract asks decides, no matter who found it. Else verdicts
    are weighed by what the reviewers' past is worth; a `not_ready` of which every such defect is
    refuted has no weight.

    Args:
        reviews: by the reviewer's name on screen, a person's rulings counted in.
        worths: by `reliability_name`, or by the name on screen, which goes before.
        mildest: the mildest severity with which the contract calls a submission not ready.
        rows: what `merged` gives for these reviews, where that is known.
    """
    names = sorted(reviews)
    if rows is None:
        rows = merged({name: reviews[name].findings for name in names}, mildest)
    votes = tuple(
        Vote(
            name,
            verdict,
            _worth(name, reviews[name], worths),
            _has_ground(reviews[name], mildest),
        )
        for name in names
        if (verdict := reviews[name].verdict) is not None
    )
    suggestion, because = _proven(rows) or _weighed(votes, len(names), _DECIDING[mildest])
    return Consensus(
        ready=tuple(vote.reviewer for vote in votes if vote.verdict is Verdict.READY),
        not_ready=tuple(vote.reviewer for vote in votes if vote.verdict is Verdict.NOT_READY),
        failed=tuple(name for name in names if reviews[name].verdict is None),
        rows=rows,
        votes=votes,
        suggestion=suggestion,
        because=because,
    )


def _worth(name: str, review: Review, worths: Mapping[str, Reliability]) -> Reliability:
    kept = worths.get(name)
    return (
        kept
        if kept is not None
        else worths.get(reliability_name(review.reviewer, review.model), _UNKNOWN)
    )


def _has_ground(review: Review, mildest: Severity) -> bool:
    grounds = [each for each in review.findings if each.severity.rank <= mildest.rank]
    refuted = bool(grounds) and all(each.check.result is Check.REFUTED for each in grounds)
    return review.verdict is Verdict.READY or not refuted


def _proven(rows: Sequence[MergedFinding]) -> tuple[Verdict, str] | None:
    proofs = _proofs(rows)
    if not proofs:
        return None
    reviewer, finding = proofs[0]
    what = (
        "a blocker is confirmed"
        if finding.severity is Severity.BLOCKER
        else "every criterion must hold, and a major defect is confirmed"
    )
    by = (
        f"{reviewer} proves it"
        if finding.rule is not None
        else f"{reviewer} found it and the code bears it out"
    )
    others = len(proofs) - 1
    more = f", and {others} more {'is' if others == 1 else 'are'} confirmed" if others else ""
    place = f"{finding.span}: " if finding.span else ""
    return (
        Verdict.NOT_READY,
        f"Not ready: {what}, {place}{_short(finding.message)} ({by}{more}).",
    )


def _proofs(rows: Sequence[MergedFinding]) -> list[tuple[str, Finding]]:
    """What decides, the worst and of these a rule's first; one finding may prove several rows."""
    proofs = dict.fromkeys(row.proof for row in rows if row.proof is not None)
    return sorted(proofs, key=lambda each: (each[1].severity.rank, each[1].rule is None))


def _short(message: str) -> str:
    words = " ".join(message.split()).rstrip(".")
    return words if len(words) <= _LONGEST_TITLE else words[: _LONGEST_TITLE - 1].rstrip() + "…"


def _weighed(votes: Sequence[Vote], asked: int, deciding: str) -> tuple[Verdict | None, str]:
    """Say which side weighs more where nothing is proven that decides."""
    if not votes:
        return (
            None,
            (
                "No suggestion: no reviewer gave a verdict."
                if asked
                else "No suggestion: no reviews yet."
            ),
        )
    groundless = [vote.reviewer for vote in votes if not vote.has_ground]
    aside = (
        f"; every {deciding} that {_listed(groundless)} {_count(groundless, 'names', 'name')} is"
        " refuted"
        if groundless
        else ""
    )
    sides = {
        verdict: [vote for vote in votes if vote.has_ground and vote.verdict is verdict]
        for verdict in Verdict
    }
    # Rounded as they are shown: nobody should see a suggestion that rests on a difference of 0.00.
    weights = {
        verdict: round(fsum(round(vote.worth.weight, 2) for vote in side), 2)
        for verdict, side in sides.items()
    }
    heavier, lighter = sorted(Verdict, key=lambda verdict: -weights[verdict])
    if not sides[heavier]:
        return None, f"No suggestion: nothing is confirmed{aside}."
    if not sides[lighter]:
        only = (
            "the only verdict that counts is"
            if len(sides[heavier]) == 1
            else "all verdicts that count are"
        )
        return (
            heavier,
            (
                f"{_said(heavier)}: no {deciding} is confirmed, and {only} that of"
                f" {_weighted(sides[heavier])}{aside}."
            ),
        )
    words = {
        verdict: f"{_said(verdict).lower()} {_weighted(side)}" for verdict, side in sides.items()
    }
    against = f"{words[heavier]} against {words[lighter]}"
    if weights[heavier] == weights[lighter]:
        return (
            None,
            (
                f"No suggestion: no {deciding} is confirmed, and the verdicts weigh the same:"
                f" {against}{aside}."
            ),
        )
    because = f"no {deciding} is confirmed, and by weight it is {against}{aside}."
    return heavier, f"{_said(heavier)}: {because}"


def _weighted(votes: Sequence[Vote]) -> str:
    """Each reviewer with its weight and what that rests on."""
    return _listed(
        [f"{vote.reviewer} {vote.worth.weight:.2f} ({_cases(vote.worth.cases)})" for vote in votes]
    )


def _cases(number: int) -> str:
    return f"{number} {'case' if number == 1 else 'cases'}" if number else "no past"


def _said(verdict: Verdict) -> str:
    return "Ready" if verdict is Verdict.READY else "Not ready"


def _count(names: Sequence[str], one: str, several: str) -> str:
    return one if len(names) == 1 else several


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
