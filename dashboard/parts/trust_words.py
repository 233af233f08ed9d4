"""What the figures of trust mean, in sentences."""

from collections.abc import Mapping, Sequence

from dashboard.parts.agreement_table import signed
from dashboard.parts.figures import number
from dashboard.parts.plain import one_line
from reviewers.agreement import FEW, Alpha, Confusion
from reviewers.store.agreement import Against, CategoryClaims, GroundTruth, Together, TrackRecord

_MEANINGS: Mapping[GroundTruth, str] = {
    GroundTruth.DECISIONS: (
        "True is what people decided last. Who saw the verdicts first agrees more easily than who"
        " judged blind."
    ),
    GroundTruth.RULINGS: (
        "True is what people said of single findings. Nobody rules on what was not said, so there"
        " is no recall."
    ),
    GroundTruth.BLOCKERS: (
        "Truly not ready is where the rules prove a blocker. All else counts as ready, but may"
        " still fail."
    ),
    GroundTruth.OUTCOMES: (
        "Truly not ready is what failed by its own fault in a real run. The machine's faults do not"
        " count."
    ),
}
_BESIDE: Mapping[GroundTruth, str] = {
    GroundTruth.DECISIONS: "people's decisions",
    GroundTruth.RULINGS: "people's rulings",
    GroundTruth.BLOCKERS: "proven blockers",
    GroundTruth.OUTCOMES: "real outcomes",
}
_NONE: Mapping[GroundTruth, str] = {
    GroundTruth.DECISIONS: (
        "Nobody decided on a submission that it reviewed yet; a decision in the inbox counts here"
        " at once."
    ),
    GroundTruth.BLOCKERS: "The rules looked at no submission that it reviewed.",
    GroundTruth.OUTCOMES: (
        "No submission that it reviewed was really run yet; areachair outcome add tells what came"
        " of a run."
    ),
}


_BLIND_MEANING = (
    "True is the last verdict that people gave before they saw what others say. What they said"
    " after seeing it does not count here, nor what was decided before this was recorded."
)


def meaning(against: Against) -> str:
    """Say what is taken for true."""
    if against.blind:
        return _BLIND_MEANING
    told = (
        f"The verdicts of {one_line(against.reviewer, 80)} are taken for true: this tells"
        " agreement, not who is right."
    )
    return _MEANINGS.get(against.truth, told)


def beside_words(against: Against) -> str:
    """Name what is taken for true."""
    if against.blind:
        return "people's blind decisions"
    return _BESIDE.get(against.truth, against.reviewer)


def matrix_words(record: TrackRecord, against: Against) -> str:
    """Say what a confusion matrix rests on."""
    beside = record.beside
    if beside is None or not beside.cases:
        if against.blind:
            return "Nobody decided blind on a submission that it reviewed yet."
        return _NONE.get(against.truth, "Both gave a verdict on no submission.")
    left = max(0, record.reviews - beside.cases)
    more = f" Of {number(left)} more that it reviewed, the truth is not known." if left else ""
    told = (
        f"Shares of {_counted(beside.cases, 'submission')} that have both; a cell opens them in the"
        f" inbox.{more}"
    )
    return told + _one_sided(beside)


def _one_sided(beside: Confusion) -> str:
    """What cannot be told where what is taken for true never varies."""
    if not beside.alarms + beside.passed:
        return (
            " None is truly ready: precision is 100 % whatever one says, and false alarms cannot"
            " show."
        )
    if not beside.caught + beside.missed:
        return " None is truly not ready: there is nothing to be caught."
    return ""


def together_words(found: Together) -> str:
    """Say how far everybody agrees."""
    if found.reviewers is None and found.with_people is None:
        return (
            "All together: nothing was judged by two that ever differ, so there is no"
            " Krippendorff's alpha."
        )
    people = (
        f"; {_alpha(found.with_people)}, with people as one more"
        if found.with_people != found.reviewers
        else ""
    )
    little = " So few say little." if found.reviewers and found.reviewers.units < FEW else ""
    told = f"All together: Krippendorff's alpha {_alpha(found.reviewers)}{people}.{little}"
    return f"{told} 1 is full agreement, 0 is chance; 0.67 is the least to build on."


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
        " Recorded answers of all models are counted together."
        if record.reviewer != record.name
        else ""
    )
    others = (
        f" {_counted(clean, 'category', 'categories')} without a refuted finding"
        f" {'is' if clean == 1 else 'are'} left out."
        if clean
        else ""
    )
    return f"Surest first, by the lower end of the interval of 95 %.{others}{models}"


def _alpha(found: Alpha | None) -> str:
    if found is None:
        return "unknown"
    return (
        f"{signed(found.value)} over {_counted(found.units, 'submission')} with"
        f" {number(found.ratings)} verdicts"
    )


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{number(count)} {one if count == 1 else many or one + 's'}"
