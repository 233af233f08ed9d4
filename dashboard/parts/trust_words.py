"""Sentences that explain the reliability figures."""

from collections.abc import Mapping, Sequence

from dashboard.parts.agreement_table import signed
from dashboard.parts.figures import number
from dashboard.parts.plain import one_line
from reviewers.agreement import FEW, Alpha, Confusion
from reviewers.records import counted
from reviewers.store.agreement import Against, CategoryClaims, GroundTruth, Together, TrackRecord

_MEANINGS: Mapping[GroundTruth, str] = {
    GroundTruth.DECISIONS: (
        "The reference is people's last decision. People who saw the verdicts first agree more"
        " easily than people who decided blind."
    ),
    GroundTruth.RULINGS: (
        "The reference is people's rulings on single findings. No one rules on missing"
        " findings, so there is no recall."
    ),
    GroundTruth.BLOCKERS: (
        "A submission counts as not ready if the rules confirm a blocker. All others count as"
        " ready but may still fail."
    ),
    GroundTruth.OUTCOMES: (
        "A submission counts as not ready if a real run failed through its own fault. Failures"
        " of the machine do not count."
    ),
}
_BESIDE: Mapping[GroundTruth, str] = {
    GroundTruth.DECISIONS: "people's decisions",
    GroundTruth.RULINGS: "people's rulings",
    GroundTruth.BLOCKERS: "confirmed blockers",
    GroundTruth.OUTCOMES: "real runs",
}
_NONE: Mapping[GroundTruth, str] = {
    GroundTruth.DECISIONS: (
        "No one has decided on a submission that it reviewed yet; decisions count here immediately."
    ),
    GroundTruth.BLOCKERS: "The rules have not checked any submission that it reviewed.",
    GroundTruth.OUTCOMES: (
        "No real run of a submission that it reviewed is recorded yet; areachair outcome adds one."
    ),
}


_BLIND_MEANING = (
    "The reference is the last verdict people gave before they saw what others say. Later"
    " verdicts, and decisions from before this was recorded, do not count."
)


def meaning(against: Against) -> str:
    """Say what the reference is."""
    if against.blind:
        return _BLIND_MEANING
    told = (
        f"The verdicts of {one_line(against.reviewer, 80)} are the reference: the figures show"
        " agreement, not who is right."
    )
    return _MEANINGS.get(against.truth, told)


def beside_words(against: Against) -> str:
    """Name the reference."""
    if against.blind:
        return "people's blind decisions"
    return _BESIDE.get(against.truth, against.reviewer)


def matrix_words(record: TrackRecord, against: Against) -> str:
    """Say what a confusion matrix rests on."""
    beside = record.beside
    if beside is None or not beside.cases:
        if against.blind:
            return "No one has decided blind on a submission that it reviewed yet."
        return _NONE.get(against.truth, "There is no submission on which both gave a verdict.")
    left = max(0, record.reviews - beside.cases)
    more = f" For {number(left)} more that it reviewed there is no reference." if left else ""
    told = (
        f"Shares of {counted(beside.cases, 'submission')} with both; a cell opens them in the"
        f" inbox.{more}"
    )
    return told + _one_sided(beside)


def _one_sided(beside: Confusion) -> str:
    """What cannot be measured if the reference never varies."""
    if not beside.alarms + beside.passed:
        return (
            " None of them is ready, so precision is 100 % for any verdict and false alarms"
            " cannot occur."
        )
    if not beside.caught + beside.missed:
        return " All of them are ready, so there is nothing to catch."
    return ""


def together_words(found: Together) -> str:
    """Say how far everybody agrees."""
    if found.reviewers is None and found.with_people is None:
        return (
            "Overall: no two verdicts on a submission ever differ, so there is no"
            " Krippendorff's alpha."
        )
    people = (
        f"; {_alpha(found.with_people)} with people as one more reviewer"
        if found.with_people != found.reviewers
        else ""
    )
    little = " Too few to be conclusive." if found.reviewers and found.reviewers.units < FEW else ""
    told = f"Overall: Krippendorff's alpha {_alpha(found.reviewers)}{people}.{little}"
    return f"{told} 1 is full agreement, 0 is chance; below 0.67 it is not reliable."


def refuted_title(record: TrackRecord) -> str:
    """Ask what the table of refuted categories answers."""
    return (
        f"Where is {record.name} refuted?"
        if record.name == record.reviewer
        else "Where are recorded answers refuted?"
    )


def refuted_words(counts: Sequence[CategoryClaims], record: TrackRecord) -> str:
    """Say what the table of refuted categories leaves out."""
    clean = sum(not count.refuted for count in counts)
    models = (
        " Recorded answers of all models count together." if record.reviewer != record.name else ""
    )
    others = (
        f" {clean:,} {'category' if clean == 1 else 'categories'} without a refuted finding"
        f" {'is' if clean == 1 else 'are'} left out."
        if clean
        else ""
    )
    return f"Ordered by the lower end of the 95 % interval.{others}{models}"


def _alpha(found: Alpha | None) -> str:
    if found is None:
        return "unknown"
    return (
        f"{signed(found.value)} over {counted(found.units, 'submission')} with"
        f" {number(found.ratings)} verdicts"
    )
