"""What a reviewer changed when it looked at its own review again: what it withdrew, what it kept,
what is new.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from reviewers.matching.defects import ComparedFinding, same_defect
from reviewers.records import Check, Finding, Review, Verdict, counted

_MOST_COMPARED = 200
"""Findings of each review that are compared by what they say; those beyond are matched by their id
alone.
"""


@dataclass(frozen=True, slots=True)
class Changes:
    """A review beside the one that it revises.

    Attributes:
        before, after: the verdicts; None where the review failed.
        withdrawn: findings of the earlier review that the later one no longer has, in its order.
        kept: pairs of a finding and what it became, in the earlier review's order.
        new: findings of the later review that the earlier one had not, in its order.
        refuted: how many findings of the earlier review are refuted, `taken_back` of them
            withdrawn.
        shown: how many missed blockers the reviewer was shown, `taken_up` of them named in the
            later review.
        further: how many of the new findings name none of them.
    """

    before: Verdict | None
    after: Verdict | None
    withdrawn: tuple[Finding, ...]
    kept: tuple[tuple[Finding, Finding], ...]
    new: tuple[Finding, ...]
    refuted: int
    taken_back: int
    shown: int
    taken_up: int
    further: int

    @property
    def summary(self) -> str:
        """All of it in one sentence."""
        if self.after is None:
            return "It gave no second verdict: the first one stands."
        if self.before is self.after:
            verdict = f"Still {_said(self.after)}"
        else:
            verdict = f"Now {_said(self.after)}" + (
                f" instead of {_said(self.before)}" if self.before else ""
            )
        unforced = len(self.withdrawn) - self.taken_back
        parts = [
            (
                f"took back {self.taken_back} of {counted(self.refuted, 'refuted finding')}"
                if self.refuted
                else ""
            ),
            f"withdrew {counted(unforced, 'finding')} that nothing refutes" if unforced else "",
            (
                f"took up {self.taken_up} of {counted(self.shown, 'missed blocker')}"
                if self.shown
                else ""
            ),
            f"added {counted(self.further, 'finding')}" if self.further else "",
        ]
        return (
            f"{verdict}: it {_listed([part for part in parts if part] or ['changed no finding'])}."
        )


def changes(before: Review, after: Review, missed: Sequence[Finding] = ()) -> Changes:
    """Return what changed from one review to the next by the same reviewer.

    Findings are matched by id, then by what they say, each at most once and the surest pair first.
    Where the later review failed, nothing was withdrawn, kept or added.

    Args:
        before: with the fact checks that the reviewer was shown, a person's rulings counted in.
        missed: the blockers that the reviewer was shown as missed by it.
    """
    answered = after.verdict is not None
    later = after.findings if answered else ()
    pairs = dict(_matched(before.findings, later)) if answered else {}
    gone = [
        finding for place, finding in enumerate(before.findings) if answered and place not in pairs
    ]
    found_again = set(pairs.values())
    new = [finding for place, finding in enumerate(later) if place not in found_again]
    return Changes(
        before=before.verdict,
        after=after.verdict,
        withdrawn=tuple(gone),
        kept=tuple((before.findings[place], later[pairs[place]]) for place in sorted(pairs)),
        new=tuple(new),
        refuted=before.count(Check.REFUTED),
        taken_back=sum(finding.check.result is Check.REFUTED for finding in gone),
        shown=len(missed),
        taken_up=sum(any(_names(finding, blocker) for finding in later) for blocker in missed),
        further=sum(not any(_names(finding, blocker) for blocker in missed) for finding in new),
    )


def _names(finding: Finding, blocker: Finding) -> bool:
    return finding.check.result is not Check.REFUTED and bool(
        same_defect(ComparedFinding(finding), ComparedFinding(blocker))
    )


def _matched(before: Sequence[Finding], after: Sequence[Finding]) -> Iterator[tuple[int, int]]:
    """Pairs of places in both, each place in at most one."""
    by_id: dict[str, list[int]] = defaultdict(list)
    for place, finding in reversed(list(enumerate(after))):
        by_id[finding.id].append(place)
    taken: dict[int, int] = {}
    for place, finding in enumerate(before):
        if by_id[finding.id]:
            taken[place] = by_id[finding.id].pop()
    yield from taken.items()
    here, there = _left(before, taken), _left(after, taken.values())
    scored = [
        (-same_defect(one, other), here_at, there_at)
        for here_at, one in here.items()
        for there_at, other in there.items()
    ]
    left, free = set(here), set(there)
    for score, here_at, there_at in sorted(scored):
        if score and here_at in left and there_at in free:
            left.remove(here_at)
            free.remove(there_at)
            yield here_at, there_at


def _left(findings: Sequence[Finding], taken: Collection[int]) -> dict[int, ComparedFinding]:
    """The findings that are not matched yet, by their place."""
    left = (place for place in range(len(findings)) if place not in taken)
    return {place: ComparedFinding(findings[place]) for place in islice(left, _MOST_COMPARED)}


def _said(verdict: Verdict) -> str:
    return verdict.replace("_", " ")


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
