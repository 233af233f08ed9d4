"""What can be told of a finding's place without line numbers, and where the lines of one attempt
stand in the next.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rapidfuzz.distance import LCSseq

from reviewers.matching.statements import text_of
from reviewers.matching.words import Words, words_of
from reviewers.records import Finding, Span, Submission, lines_of

if TYPE_CHECKING:
    from reviewers.facts import Facts

_TOKEN = re.compile(r"\w+|[^\w\s]")
_SPACE = re.compile(r"\s+")
_NUMBER = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?(?!\w)")
_COUNTED = re.compile(r"-\d+$")
_LONGEST_CODE = 4_000
_SHORTEST_CODE = 12
_LONGEST_WORDS = 400
_MOST_ALIGNED = 100_000_000
"""Lines of one file times lines of the other; larger pairs are not aligned."""


@dataclass(frozen=True)
class Side:
    """A submission with the findings of one reviewer."""

    submission: Submission
    findings: tuple[Finding, ...]

    @cached_property
    def traces(self) -> tuple[FindingTrace, ...]:
        """One for each finding, in an order that does not depend on that of the findings."""
        from reviewers.facts import Facts  # takes a second, and the store asks for no trace

        places = _Places(Facts(self.submission))
        return tuple(
            sorted(
                (_trace(finding, places) for finding in self.findings),
                key=lambda trace: trace.order,
            )
        )

    def only(self, findings: Iterable[Finding]) -> Side:
        """The side with these of its findings alone; what was looked up of them is kept."""
        wanted = {id(finding) for finding in findings}
        kept = tuple(trace for trace in self.traces if id(trace.finding) in wanted)
        side = Side(self.submission, tuple(trace.finding for trace in kept))
        side.__dict__["traces"] = kept
        return side

    def has(self, trace: FindingTrace) -> bool:
        """Whether the code of a finding of another side stands in the same file here; too little
        code says nothing.
        """
        return len(trace.code) >= _SHORTEST_CODE and trace.code in self._spaced.get(
            trace.file or "", ""
        )

    @cached_property
    def _spaced(self) -> Mapping[str, str]:
        return {path: _SPACE.sub(" ", text) for path, text in self.texts.items()}

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """Every file's text by path, run configs included."""
        return {path: file.text for path, file in self.submission.by_path.items()}


@dataclass(frozen=True, kw_only=True, slots=True)
class FindingTrace:
    """A finding as it can be found again.

    Attributes:
        says: the rule's id, or that it is a claim and of which kind.
        file, line: None where the finding has no place, or no line.
        scope: qualified name of the innermost definition around it; empty outside of any, and in
            files without definitions.
        code: the code of its lines with one space between words; empty where it has no lines.
        masked: its code with the definition's name blanked, and which line of the definition it is.
        body: hash of the tokens of that definition, its name blanked; empty outside of any.
        words: what it is compared by, in lower case with numbers blanked.
        told: what it names and how it is worded.
        order: sorts findings whatever order they come in; equal only for findings that nothing
            tells apart.
    """

    finding: Finding
    says: str
    file: str | None
    line: int | None
    scope: str
    code: str
    masked: tuple[str, int]
    body: str
    words: str
    told: Words
    order: tuple[str | int, ...]

    @property
    def id(self) -> str:
        """The fingerprint, without the count that tells equal ones of a review apart."""
        return _COUNTED.sub("", self.finding.id)

    @property
    def subject(self) -> frozenset[str]:
        """What it is about."""
        return self.told.subject

    @property
    def places(self) -> frozenset[tuple[str, int]]:
        """File and line of every place that a rule's finding tells; only its own of a claim."""
        told = () if self.is_claim else self.finding.further
        spans = (place.span for place in told)
        own = [(self.file, self.line)] if self.file is not None and self.line is not None else []
        return frozenset((*own, *((span.file, span.line) for span in spans if span.line)))

    @property
    def is_claim(self) -> bool:
        """Whether these are a reviewer's words, not a rule's."""
        return self.finding.rule is None


class Alignment:
    """Which lines of two texts are one line: the longest common subsequence, spacing at line ends
    aside.

    Where lines were replaced by others, a line stands for the one at the same share of the way
    through them.
    """

    def __init__(self, before: str, after: str) -> None:
        one, other = ([line.strip() for line in lines_of(text)] for text in (before, after))
        self._starts: list[int] = []
        self._blocks: list[tuple[bool, int, int, int]] = []
        if len(one) * len(other) > _MOST_ALIGNED:
            return
        replaced = (0, 0)
        for step in LCSseq.opcodes(one, other):
            if step.tag == "equal":
                self._add_replaced(*replaced, step.src_start, step.dest_start)
                self._add(True, step.src_start, step.src_end, step.dest_start)
                replaced = step.src_end, step.dest_end
        self._add_replaced(*replaced, len(one), len(other))

    def _add_replaced(self, start: int, onto: int, end: int, onto_end: int) -> None:
        if end > start:
            self._starts.append(start)
            self._blocks.append((False, end, onto, onto_end))

    def _add(self, equal: bool, start: int, end: int, onto: int) -> None:
        self._starts.append(start)
        self._blocks.append((equal, end, onto, onto + end - start))

    def of(self, line: int) -> tuple[int, bool] | None:
        """Where a line stands in the other text, 1-based, and whether unchanged; None where it was
        taken out or is not known.
        """
        place = bisect_right(self._starts, line - 1) - 1
        if place < 0:
            return None
        equal, end, onto, onto_end = self._blocks[place]
        start = self._starts[place]
        if line > end or onto_end == onto:
            return None
        if equal:
            return onto + line - start, True
        return onto + 1 + (line - 1 - start) * (onto_end - onto) // (end - start), False


class _Places:
    """What stands around the lines of a submission; each definition's tokens are hashed once."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._bodies: dict[tuple[str, str], tuple[int, str]] = {}
        self._definitions: dict[str, Mapping[str, tuple[int, int]]] = {}

    def code(self, span: Span) -> str:
        """The lines of a span, cut where no person would have written on."""
        if span.line is None:
            return ""
        return "\n".join(self._facts.lines(span.file)[span.line - 1 : span.end_line])[
            :_LONGEST_CODE
        ]

    def scope(self, file: str, line: int) -> str:
        """The innermost definition around a line."""
        python = self._facts.python.get(file)
        return python.scope_at(line) if python else ""

    def body(self, file: str, scope: str) -> tuple[int, str]:
        """First line of a definition, and the hash of its tokens without its name; empty outside of
        any.
        """
        if not scope:
            return 0, ""
        if (file, scope) not in self._bodies:
            first, last = self._lines(file).get(scope, (0, 0))
            text = (
                blanked(scope, "\n".join(self._facts.lines(file)[first - 1 : last]))
                if first
                else ""
            )
            hashed = (
                hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() if text else ""
            )
            self._bodies[file, scope] = first, hashed
        return self._bodies[file, scope]

    def _lines(self, file: str) -> Mapping[str, tuple[int, int]]:
        if file not in self._definitions:
            found = self._facts.python[file].definitions
            self._definitions[file] = {each.name: (each.line, each.end_line) for each in found}
        return self._definitions[file]


def _trace(finding: Finding, places: _Places) -> FindingTrace:
    span, text = finding.span, text_of(finding)
    says = finding.rule or f"claim {finding.category}"
    file, line = (span.file, span.line) if span else (None, None)
    code = places.code(span) if span else ""
    scope = places.scope(file, line) if file is not None and line is not None else ""
    first, body = places.body(file, scope) if file is not None else (0, "")
    return FindingTrace(
        finding=finding,
        says=says,
        file=file,
        line=line,
        scope=scope,
        code=_SPACE.sub(" ", code).strip(),
        masked=(blanked(scope, code), (line or 0) - first) if scope else ("", 0),
        body=body,
        words=_SPACE.sub(" ", _NUMBER.sub("#", text[:_LONGEST_WORDS])).strip().casefold(),
        told=words_of(text),
        order=(
            says,
            file or "",
            line or 0,
            (span.end_line or 0) if span else 0,
            *(finding.claim_at or (0, 0)),
            finding.message,
            finding.id,
            finding.check.evidence,
            finding.severity,
        ),
    )


def blanked(scope: str, code: str) -> str:
    """The tokens of code with the name of a definition blanked; spacing does not count."""
    own = scope.rpartition(".")[2]
    return " ".join("_" if token == own else token for token in _TOKEN.findall(code))
