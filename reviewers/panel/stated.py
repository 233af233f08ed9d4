"""What a model states of each finding apart from its words, and the readable text in which those
words stand.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from reviewers.claims.cited import Cited
from reviewers.panel.fencing import as_written, shown_path, visible
from reviewers.records import Finding, Severity, Span, lines_of
from reviewers.rubric import UNCATEGORISED, rubric

_FENCE = re.compile(r"^(?=[ \t]*(?:`{3}|~{3}))", re.MULTILINE)
_NUMBERED = re.compile(r"[ \t]*(\d{1,9})(?: (.*))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFinding:
    """One finding as a model gives it; what it left out or got wrong is None, `uncategorised` or
    major.

    Attributes:
        proposition: the same as a proposition in JSON, which may be none of the vocabulary.
    """

    message: str
    criterion: int | None = None
    category: str = UNCATEGORISED
    severity: Severity = Severity.MAJOR
    file: str | None = None
    line: int | None = None
    end_line: int | None = None
    quote: str | None = None
    proposition: object = None


@dataclass(frozen=True, slots=True)
class Stated:
    """What a model said of a stretch of its review's text, and where that stretch is."""

    cited: Cited
    finding: StatedFinding

    def moved(self, offset: int) -> "Stated":
        """Return the same of a text that begins so many characters further on."""
        cited = self.cited
        moved = replace(cited, start=cited.start + offset, end=cited.end + offset)
        return replace(self, cited=moved)

    def applied(self, finding: Finding) -> Finding:
        """Return a checked claim with the model's severity, and with its category where the checks
        know none.
        """
        said = self.finding
        if finding.kind is not None and finding.category != UNCATEGORISED:
            return replace(finding, severity=said.severity)
        return replace(
            finding,
            severity=said.severity,
            category=said.category if said.category != UNCATEGORISED else finding.category,
            criterion=said.criterion or finding.criterion,
        )


def as_text(findings: Sequence[StatedFinding]) -> tuple[str, tuple[Stated, ...]]:
    """Return a numbered list to read, with what was stated of each message in it; quotes stand in
    fences below.
    """
    parts: list[str] = []
    stated: list[Stated] = []
    position = 0
    for number, finding in enumerate(findings, 1):
        head = f"{number}. {place}: " if (place := _place(finding)) else f"{number}. "
        message = _message(finding)
        quote = without_numbers(finding.quote, finding.line) if finding.quote else None
        item = f"{head}{message}{_fenced(quote) if quote else ''}"
        start = position + len(head)
        cited = Cited(
            start,
            start + len(message),
            finding.file,
            finding.line,
            finding.end_line,
            as_written(quote) if quote else None,
        )
        stated.append(Stated(cited, finding))
        parts.append(item)
        position += len(item) + 2
    return "\n\n".join(parts), tuple(stated)


def over(findings: Iterable[Finding], stated: Sequence[Stated]) -> Iterable[Finding]:
    """Yield the checked claims, each with what the model stated of the stretch of text in which it
    stands.
    """
    for finding in findings:
        start, end = finding.claim_at or (0, 0)
        said = next(
            (each for each in stated if each.cited.start < end and start < each.cited.end), None
        )
        yield finding if said is None else said.applied(finding)


def without_numbers(quote: str, line: int | None) -> str:
    """Return a quote without the line numbers that stood before its lines in the prompt."""
    lines = quote.split("\n")
    found = [_NUMBERED.fullmatch(each) for each in lines]
    numbers = [int(each[1]) for each in found if each is not None]
    counted = len(numbers) == len(lines) and all(
        after == before + 1 for before, after in pairwise(numbers)
    )
    if not counted or (len(lines) == 1 and numbers[0] != line):
        return quote
    return "\n".join(each[2] or "" for each in found if each is not None)


def _place(finding: StatedFinding) -> str:
    if not finding.file:
        return ""
    path = shown_path(finding.file)
    return path if finding.line is None else str(Span(path, finding.line, finding.end_line))


def _message(finding: StatedFinding) -> str:
    """The words, indented under their number; a fence that stays open in them would swallow what
    follows.
    """
    said = finding.message.strip() or rubric().categories[finding.category].title
    if len(_FENCE.findall(said)) % 2:
        said = _FENCE.sub(r"\\", said)
    return "\n   ".join(visible(as_written(line)) for line in lines_of(said))


def _fenced(quote: str) -> str:
    lines = (visible(as_written(line)) for line in lines_of(quote.strip("\n")))
    return (
        "\n\n   ```\n" + "\n".join("   " + _FENCE.sub(r"\\", line) for line in lines) + "\n   ```"
    )
