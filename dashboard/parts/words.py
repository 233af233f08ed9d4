"""The words that the screen uses for recorded values."""

from typing import Any

from reviewers.records import Found, Misreading, Verdict
from reviewers.rubric import rubric
from reviewers.store.authors import Author
from reviewers.store.triage import ReviewChip

MISREADINGS = {
    Misreading.PROMPT_ARTIFACT: "read an escape as code",
    Misreading.WRONG_LOCATION: "looked at the wrong place",
    Misreading.STALE_VERSION_KNOWLEDGE: "used knowledge of an older version",
    Misreading.INVENTED_REQUIREMENT: "asked for something that is not required",
    Misreading.MISREAD_CODE: "misread the code",
}
PLACES = {
    Found.LINE: "the line it names",
    Found.QUOTE: "the code it quotes",
    Found.NEAR: "the code closest to its quote",
    Found.DEFINITION: "the definition of what it names",
    Found.USE: "a use of what it names",
    Found.PROOF: "the code that decides it",
    Found.ANCHOR: "the usual place for such code",
    Found.BORROWED: "the place of the previous claim",
    Found.WORDS: "code with similar wording",
    Found.FILE: "the file it names",
    Found.SYMPTOM: "the symptom",
    Found.AGAIN: "another occurrence",
}
POINTERS = {
    Found.SYMPTOM: "appears here; its cause is at",
    Found.AGAIN: "also applies here; reported at",
}
DISMISSALS = (
    "The code is right",
    "Wrong place",
    "Not required",
    "Outdated version",
    "Not worth fixing",
)
"""One for each of the keys 1 to 5; anything else is said in the person's own words."""


def author_words(author: Author) -> str:
    """The author's name, and what else has to be known of it."""
    return f"{author} · earlier record" if author.is_earlier else str(author)


def verdict_words(verdict: Verdict | None, *, partial: bool = False) -> str:
    """Say a verdict; a review without one failed, and a partial one did not look at everything."""
    if partial and verdict is None:
        return "partial"
    words = {Verdict.READY: "ready", Verdict.NOT_READY: "not ready", None: "failed"}[verdict]
    return f"{words}, partial" if partial else words


def chip_data(chip: ReviewChip) -> dict[str, Any]:
    """Return what the browser draws of a review in a list: its verdict and its fact checks."""
    return {
        "verdict": chip.verdict and str(chip.verdict),
        "words": verdict_words(chip.verdict, partial=chip.partial > 0),
        "counts": {
            "confirmed": chip.confirmed,
            "refuted": chip.refuted,
            "unverified": chip.unverified,
        },
    }


def criterion_title(number: int) -> str:
    """Return a criterion's number with its title."""
    known = rubric().criteria.get(number)
    return f"{number} {known.title}" if known else str(number)
