"""The words that the screen uses for recorded values."""

from reviewers.records import Found, Misreading, Verdict
from reviewers.rubric import rubric
from reviewers.store.authors import Author

MISREADINGS = {
    Misreading.PROMPT_ARTIFACT: "read an escape as code",
    Misreading.WRONG_LOCATION: "looked at the wrong place",
    Misreading.STALE_VERSION_KNOWLEDGE: "knows an older version",
    Misreading.INVENTED_REQUIREMENT: "asked for what nobody requires",
    Misreading.MISREAD_CODE: "misread the code",
}
PLACES = {
    Found.LINE: "the line that it names",
    Found.QUOTE: "the code that it quotes",
    Found.NEAR: "the code nearest to what it quotes",
    Found.DEFINITION: "where what it names is defined",
    Found.USE: "where what it names is used",
    Found.PROOF: "the code that decides it",
    Found.ANCHOR: "where code for it usually stands",
    Found.BORROWED: "where the claim before it is shown",
    Found.WORDS: "its words fit here",
    Found.FILE: "the file that it names",
    Found.SYMPTOM: "where it shows",
    Found.AGAIN: "the same again",
}
POINTERS = {
    Found.SYMPTOM: "shows here, its cause is at",
    Found.AGAIN: "holds here too, it is told at",
}
DISMISSALS = (
    "The code is right",
    "Wrong place",
    "Nobody asked for this",
    "Knowledge of an old version",
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


def category_title(category: str) -> str:
    """Return the rubric's title of a category; a category of an older or foreign rubric is its own
    title.
    """
    known = rubric().categories.get(category)
    return known.title if known else category


def criterion_title(number: int) -> str:
    """Return a criterion's number with its title."""
    known = rubric().criteria.get(number)
    return f"{number} {known.title}" if known else str(number)
