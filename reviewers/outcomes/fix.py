"""A fix that a submission needed before it ran: the lines that it changed, and what the change is
about.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from reviewers.outcomes.category import category_of_words
from reviewers.outcomes.evidence import Subject, error_names, names_in, telling_names
from reviewers.records import Span
from reviewers.rubric import UNCATEGORISED

_MOST_LINES = (
    400  # changed lines that are read for names; who rewrites more says little of one defect
)


@dataclass(frozen=True, slots=True)
class Fix:
    """One commit or edit between what was accepted and what ran.

    Attributes:
        spans: the changed lines, as they lie in the accepted submission; for lines put in, the line
            above them.
        words: what is known of its reason: the commit's message, the failure before it.
        category: where somebody said it; None where it is to be read from the words and the changed
            files.
        removed, added: the text of the changed lines, where it is known.
    """

    spans: tuple[Span, ...]
    words: str = ""
    category: str | None = None
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


def subject_of_fix(fix: Fix) -> Subject:
    """Return what a finding has to speak of so that it predicts the fix."""
    category = fix.category or category_of_words(fix.words)
    categories = frozenset({category} - {UNCATEGORISED}) | (
        frozenset(_by_files(fix)) if category == UNCATEGORISED else frozenset()
    )
    before, after = "\n".join(fix.removed[:_MOST_LINES]), "\n".join(fix.added[:_MOST_LINES])
    changed = (
        names_in(before) ^ names_in(after)
        if before and after
        else names_in(before) | names_in(after)
    )
    return Subject(
        spans=fix.spans,
        category=category,
        categories=categories,
        names=names_in(fix.words) | changed,
        telling=telling_names(fix.words),
        key=None,
        errors=error_names(fix.words),
        words=fix.words,
        is_fix=True,
    )


def _by_files(fix: Fix) -> Iterator[str]:
    """What a change of these files is mostly about."""
    for span in fix.spans:
        if span.file == "pyproject.toml":
            yield "packaging-invalid"
        elif span.file.endswith((".yaml", ".yml")):
            yield "hydra-composition"
        elif span.file == "src/evaluate.py":
            yield from ("evaluation-incomplete", "cli-contract")
