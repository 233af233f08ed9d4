"""What another tool found, as a review: each result at its place in the submission, checked where
the code can tell.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from reviewers.bundles.sarif import ToolPlace, ToolResult, ToolRun
from reviewers.claims.understanding import understood
from reviewers.errors import printable
from reviewers.facts.fingerprint import distinct, fingerprint
from reviewers.panel.checking import OwnFindings, known_of
from reviewers.panel.fencing import visible
from reviewers.panel.tool_rules import ToolRule, tool_rule
from reviewers.records import (
    Check,
    FactCheck,
    Finding,
    Found,
    Place,
    Review,
    Severity,
    Span,
    Submission,
    Verdict,
    lines_of,
)

MOST_SHOWN = 2_000
"""Results of one run that become findings; what a tool says beyond them is counted in words."""
_LONGEST_NAME = 100
_DEFECTS = ("fail", "review", "open")


def tool_review(submission: Submission, run: ToolRun) -> Review:
    """Return what a tool's run says of a submission.

    Every result that speaks of a defect becomes a finding: error, warning and note are blocker,
    major and minor, unless `tool_rules.toml` knows the rule better; a blocker makes the verdict. A
    result about another file is listed without a place. Suppressed results, and those that only an
    earlier run had, are left out. The tool can be overruled like any other reviewer: what the code
    proves or disproves of a message is its fact check, all else stays unverified.
    """
    reviewer = f"sarif:{printable(run.tool)[:_LONGEST_NAME]}"
    model = None if run.version is None else printable(f"{run.tool} {run.version}")[:_LONGEST_NAME]
    wanted = [
        each
        for each in run.results
        if each.kind in _DEFECTS and not each.suppressed and not each.absent
    ]
    paths = _Paths(submission)
    placed = [
        _Placed(result, paths, tool_rule(run.tool, result.rule, result.name))
        for result in wanted[:MOST_SHOWN]
    ]
    text = _as_text(placed)
    known = known_of(submission)
    reported = tuple(distinct(_findings(placed, text, known, run.tool)))
    judged = understood(reported, {}, known.facts, known.failures, text.whole)
    findings = tuple(
        one if one.check.result is not Check.UNVERIFIED else replace(one, check=each.check)
        for one, each in zip(judged.findings, reported, strict=True)
    )
    blocked = any(finding.severity is Severity.BLOCKER for finding in findings)
    verdict = None if run.failure else Verdict.NOT_READY if blocked else Verdict.READY
    left_out = (
        f"\n\n{len(wanted) - MOST_SHOWN:,} further results are not shown."
        if len(wanted) > MOST_SHOWN
        else ""
    )
    return Review(
        reviewer=reviewer,
        model=model,
        verdict=verdict,
        failure=printable(run.failure) if run.failure else None,
        findings=findings,
        text=f"{text.whole}{left_out}" or None,
        partial=judged.partial,
    )


@dataclass(frozen=True)
class _Placed:
    """A result with its places in the submission, best first; none where it speaks of another
    file.
    """

    result: ToolResult
    paths: "_Paths"
    rule: ToolRule

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        found = (self.paths.span(place) for place in self.result.places)
        return tuple(dict.fromkeys(span for span in found if span is not None))

    @property
    def severity(self) -> Severity:
        return self.rule.severity_at(self.result.level)

    @property
    def message(self) -> str:
        """The tool's words on one line, its rule behind them."""
        words = visible(" ".join(self.result.message.split())) or visible(
            self.result.name or "no message"
        )
        return f"{words} ({visible(self.result.rule)})" if self.result.rule else words

    @property
    def where(self) -> str:
        """The place in words: that in the submission, else as the tool writes it."""
        if self.spans:
            return str(self.spans[0])
        first = next((place for place in self.result.places if place.path), None)
        if first is None:
            return ""
        return str(Span(first.path[-_LONGEST_NAME:], first.line, first.end_line))

    @property
    def note(self) -> str:
        """What a reader must know of the place."""
        if self.spans and self.result.places[0].line is not None and self.spans[0].line is None:
            return f"line {self.result.places[0].line} is beyond the end of {self.spans[0].file}"
        if not self.spans and self.where:
            return f"{self.where} is not part of the submission"
        return "" if self.spans else "it names no place"


class _Paths:
    """The submission's files, found by what a tool calls them."""

    def __init__(self, submission: Submission) -> None:
        self._files = submission.by_path
        self._found: dict[str, str | None] = {}

    def span(self, place: ToolPlace) -> Span | None:
        path = self.find(place.path)
        if path is None:
            return None
        text = self._files[path].text
        lines = _lines(place, text)
        return Span(path) if lines is None or lines[0] > len(lines_of(text)) else Span(path, *lines)

    def find(self, path: str) -> str | None:
        """Return the submission's path that the tool's ends with, the longest; else the only one
        that ends with the tool's.
        """
        if path not in self._found:
            self._found[path] = self._find(path)
        return self._found[path]

    def _find(self, path: str) -> str | None:
        inside = [own for own in self._files if path == own or path.endswith(f"/{own}")]
        if inside:
            return max(inside, key=len)
        beneath = [
            own
            for own in self._files
            if path and not path.startswith("/") and own.endswith(f"/{path}")
        ]
        return beneath[0] if len(beneath) == 1 else None


def _lines(place: ToolPlace, text: str) -> tuple[int, int] | None:
    """The lines of a place: as given, counted from its characters, or where its snippet stands
    alone.
    """
    end = len(lines_of(text))
    if place.line is not None:
        return place.line, max(place.line, min(place.end_line or place.line, end))
    start, length = place.offset, place.length or 1
    if start is None and place.snippet and place.snippet.strip() and text.count(place.snippet) == 1:
        start, length = text.index(place.snippet), len(place.snippet.rstrip())
    if start is None or start >= len(text):
        return None
    first = len(lines_of(text[: start + 1]))
    last = len(lines_of(text[: max(start + 1, min(start + length, len(text)))]))
    return max(1, first), max(1, first, last)


@dataclass(frozen=True, slots=True)
class _Text:
    """All results as a numbered list, and the stretch of each message in it."""

    whole: str
    stretches: tuple[tuple[int, int], ...]


def _as_text(placed: Sequence[_Placed]) -> _Text:
    parts: list[str] = []
    stretches = []
    position = 0
    for number, each in enumerate(placed, 1):
        head = f"{number}. {visible(each.where)}: " if each.where else f"{number}. "
        start = position + len(head)
        stretches.append((start, start + len(each.message)))
        parts.append(head + each.message)
        position = stretches[-1][1] + 2
    return _Text("\n\n".join(parts), tuple(stretches))


def _findings(
    placed: Sequence[_Placed], text: _Text, known: OwnFindings, tool: str
) -> Iterator[Finding]:
    for each, (start, end) in zip(placed, text.stretches, strict=True):
        span = each.spans[0] if each.spans else None
        found = Found.FILE if span is None or span.line is None else Found.LINE
        yield Finding(
            id=fingerprint(
                known.facts, f"sarif:{tool}:{each.result.rule or ''}", span, each.message
            ),
            category=each.rule.category,
            criterion=each.rule.criterion,
            severity=each.severity,
            message=each.message,
            claim=each.message,
            claim_at=(start, end),
            span=span,
            places=tuple(
                Place(where, found if where == span else Found.LINE) for where in each.spans
            ),
            check=FactCheck(Check.UNVERIFIED, _open(each, tool)),
        )


def _open(placed: _Placed, tool: str) -> str:
    told = f"{printable(tool)[:_LONGEST_NAME]} reports it; no check of areachair decides it"
    return f"{told}; {placed.note}" if placed.note else told
