"""A fix that a submission needed before it ran: the changed lines, and why."""

from collections.abc import Iterator
from dataclasses import dataclass

from reviewers.outcomes.category import category_of_words
from reviewers.records import Span
from reviewers.rubric import UNCATEGORISED

_REMOVED, _ADDED = "-", "+"


@dataclass(frozen=True, slots=True)
class Fix:
    """One commit or edit between what was accepted and what ran.

    Attributes:
        spans: the changed lines, as they lie in the accepted submission; for lines put in, the line
            above them.
        words: what is known of its reason: the commit's message, the failure before it.
        category: where somebody said it; None if it is to be read from the words and the changed
            files.
        removed, added: the text of the changed lines, where it is known.
    """

    spans: tuple[Span, ...]
    words: str = ""
    category: str | None = None
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    @classmethod
    def of_changes(cls, spans: tuple[Span, ...], words: str, changes: str) -> "Fix":
        """Return a fix as its `changes` were kept."""
        lines = changes.split("\n")
        return cls(
            spans,
            words,
            removed=tuple(line[1:] for line in lines if line.startswith(_REMOVED)),
            added=tuple(line[1:] for line in lines if line.startswith(_ADDED)),
        )

    def changes(self, most: int) -> str:
        """The changed lines as an outcome keeps them: marked, whole lines only, so many characters
        at most.
        """
        kept: list[str] = []
        marked = (
            *(_REMOVED + line for line in self.removed),
            *(_ADDED + line for line in self.added),
        )
        for line in marked:
            most -= len(line) + 1
            if most < 0:
                break
            kept.append(line)
        return "\n".join(kept)


def category_of_fix(fix: Fix) -> str:
    """Return the category that somebody gave it, else that of its words."""
    return fix.category or category_of_words(fix.words)


def categories_of_fix(fix: Fix) -> frozenset[str]:
    """Return the categories that a finding may have which predicts it."""
    category = category_of_fix(fix)
    return frozenset({category} if category != UNCATEGORISED else _categories_of_files(fix))


def _categories_of_files(fix: Fix) -> Iterator[str]:
    """What a change of these files is mostly about."""
    for span in fix.spans:
        if span.file == "pyproject.toml":
            yield "packaging-invalid"
        elif span.file.endswith((".yaml", ".yml")):
            yield "hydra-composition"
        elif span.file == "src/evaluate.py":
            yield from ("evaluation-incomplete", "cli-contract")
