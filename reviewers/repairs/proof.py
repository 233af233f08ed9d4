"""Proves a proposal: its edits are made in memory, and the result is reviewed again."""

import json
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from reviewers.facts import Facts
from reviewers.facts.python_nodes import unparsed
from reviewers.offers import Edit
from reviewers.records import Failure, Finding, Severity, Span, Submission
from reviewers.repairs.base import Proposal
from reviewers.repairs.edits import CannotEdit, mended
from reviewers.repairs.safety import objection
from reviewers.rules import registered, run_rules
from reviewers.rules.base import UNREAD
from reviewers.rules.run import RulesReport


@dataclass(frozen=True, eq=False)
class ReviewedVersion:
    """A version of a submission with what the rules say of it."""

    submission: Submission
    facts: Facts
    report: RulesReport

    @property
    def failures(self) -> tuple[Failure, ...]:
        """What a run certainly meets, in its order."""
        run = self.report.dry_run
        return tuple(each for each in run.failures if each.certain) if run else ()

    @cached_property
    def worst(self) -> tuple[Finding, ...]:
        """The findings of severity major and above."""
        return tuple(each for each in self.report.findings if each.severity is not Severity.MINOR)


def reviewed(submission: Submission, before: ReviewedVersion | None = None) -> ReviewedVersion:
    """Review a version; nothing of it is run.

    Args:
        before: the version that was edited, whose facts hold where they cannot differ.
    """
    facts = Facts(submission)
    if before is not None:
        facts.take_over(before.facts)
    return ReviewedVersion(submission, facts, run_rules(facts))


@dataclass(frozen=True, slots=True)
class Proven:
    """A proposal that holds.

    Attributes:
        before, after: the versions that were reviewed, without and with its edits; those of the
            others that were proven with it lie between them, too.
        on, made: the files that it edits, and what it makes of them.
        gone: the findings that are gone with the one that it repairs.
        shown: findings that the run comes to only now; none of them is on an edited line.
        others: how many more repairs were proven by the same review.
    """

    proposal: Proposal
    before: ReviewedVersion
    after: ReviewedVersion
    on: Submission
    made: Submission
    gone: tuple[Finding, ...]
    shown: tuple[Finding, ...]
    others: int = 0


@dataclass(frozen=True, slots=True)
class Unproven:
    """A proposal that does not hold, and why, in one sentence."""

    proposal: Proposal
    reason: str


def prove(before: ReviewedVersion, finding: Finding, proposal: Proposal) -> Proven | Unproven:
    """Make the edits of a proposal and review the result (see `prove_together`)."""
    told = prove_together(before, [(finding, proposal)])
    return told if isinstance(told, Unproven) else told[0]


def prove_together(
    before: ReviewedVersion, repairs: Sequence[tuple[Finding, Proposal]]
) -> list[Proven] | Unproven:
    """Make the edits of proposals for several findings and review the result once.

    They hold if each finding is gone, no other of severity major and above came instead, what stops
    the commands first is gone or stands where it stood, what the code does outside the edits is the
    same, and the edits do nothing that no repair may do (`reviewers.repairs.safety`).
    """
    proposal = repairs[0][1]
    versions = [before.submission]
    edits: list[Edit] = []
    moves: dict[str, str] = {}
    for _, each in repairs:
        edits += each.edits
        moves |= each.moves
        try:
            versions.append(mended(before.submission, edits, moves.items()))
        except CannotEdit as error:
            return Unproven(each, f"it cannot be written: {error}")
        if versions[-1].id == versions[-2].id:
            return Unproven(each, "it changes nothing")
    after = reviewed(versions[-1], before)
    moved = Moved(before, edits, moves)
    kept = {each.id: moved.counterpart(each, after.report.findings) for each in before.worst}
    for finding, each in repairs:
        if moved.counterpart(finding, after.report.findings) is not None:
            return Unproven(each, "the finding is still there")
    known = {each.id for each in kept.values() if each is not None}
    known |= {each.id for each in before.report.findings}
    came = [each for each in after.worst if each.id not in known]
    # Where nothing could be composed before, or a file did not parse, little was known of it.
    was_unread = any(registered()[each.rule or ""].stops == UNREAD for each, _ in repairs)
    unread = {path for path, file in before.facts.python.items() if file.syntax_error}
    for new in came:
        is_behind = (
            registered()[new.rule or ""].stops is not None
            or (was_unread and new.severity is Severity.MAJOR)
            or (new.span is not None and new.span.file in unread)
        )
        if not is_behind or moved.is_written(new.span):
            return Unproven(proposal, f"then there is {new.rule} at {new.span}: {new.message}")
    if why := _earlier(before, after, moved):
        return Unproven(proposal, why)
    told = {name for finding, _ in repairs for name in _named(finding, finding.says)}
    told |= {name for finding, _ in repairs for name in _brought_in(before.facts, finding)}
    if why := _called_otherwise(before, after, moved, told):
        return Unproven(proposal, why)
    if why := objection(before.facts, after.facts, any(each.asks for _, each in repairs)):
        return Unproven(proposal, why)
    own = {finding.id for finding, _ in repairs}
    gone = tuple(each for each in before.worst if kept[each.id] is None and each.id not in own)
    return [
        Proven(
            proposal=each,
            before=before,
            after=after,
            on=versions[at],
            made=versions[at + 1],
            gone=(finding, *(gone if not at else ())),
            shown=tuple(came) if not at else (),
            others=len(repairs) - 1,
        )
        for at, (finding, each) in enumerate(repairs)
    ]


def _earlier(before: ReviewedVersion, after: ReviewedVersion, moved: "Moved") -> str:
    """Whether the commands stop earlier than before."""
    if not before.failures or not after.failures:
        return ""
    first, then = before.failures[0], after.failures[0]
    stays = any(moved.is_same(first, each) for each in after.failures)
    if stays and not moved.is_same(first, then):
        return f"then `{then.command}` stops earlier, at {then.place}: {then.message}"
    return ""


def _called_otherwise(
    before: ReviewedVersion, after: ReviewedVersion, moved: "Moved", told: Container[str]
) -> str:
    """Whether a line that is not edited calls another function than before, since an import is
    gone or a name means something else.

    Args:
        told: what the findings name; such a name is to mean something else.
    """
    for path in moved.paths:
        was, now = before.facts.python.get(path), after.facts.python.get(path)
        if was is None or now is None or was.tree is None:
            continue
        calls = Counter((call.line, call.name) for call in now.calls)
        for call in was.calls:
            line = moved.line(path, call.line)
            name = call.name or unparsed(call.node.func)
            is_told = name in told or any(part in told for part in name.split("."))
            if line is not None and not calls[line, call.name] and not is_told:
                return f"then {path}:{line} no longer calls {name}"
    return ""


class Moved:
    """Where the lines of a version are after edits."""

    def __init__(
        self, before: ReviewedVersion, edits: Iterable[Edit], moves: Mapping[str, str]
    ) -> None:
        self._to = moves
        self._from = {new: old for old, new in moves.items()}
        self._edits: dict[str, list[Edit]] = {}
        for edit in sorted(edits):
            self._edits.setdefault(edit.path, []).append(edit)
        self._texts = {path: before.facts.text(path) or "" for path in self._edits}
        self._known = {each.id for each in before.report.findings}
        self._said = {(each.rule, each.message) for each in before.report.findings}

    @cached_property
    def _lines(self) -> Mapping[str, Mapping[int, int]]:
        """The line that each line which is not edited has afterwards, both 1-based."""
        return {path: self._of(path, False) for path in self._edits}

    @cached_property
    def _there(self) -> Mapping[str, Mapping[int, int]]:
        """The same with the lines of which only a part is edited."""
        return {path: self._of(path, True) for path in self._edits}

    def _of(self, path: str, with_parts: bool) -> Mapping[int, int]:
        text = self._texts[path]
        count = text.count("\n") + 1
        touched: set[int] = set()
        shifts = [0] * (count + 2)
        for edit in self._edits[path]:
            first = text.count("\n", 0, edit.start) + 1
            last = text.count("\n", 0, edit.end) + 1
            is_whole = _begins_line(text, edit.start) and _begins_line(text, edit.end)
            if is_whole and edit.text[-1:] in ("", "\n"):
                last -= 1  # whole lines, so the line behind is not touched
            elif edit.start == edit.end and edit.text.startswith("\n"):
                first += 1  # new lines behind this one
            is_part = "\n" not in edit.text and "\n" not in text[edit.start : edit.end]
            if not (with_parts and is_part):
                touched.update(range(first, last + 1))
            shifts[last + 1] += edit.text.count("\n") - text.count("\n", edit.start, edit.end)
        moved: dict[int, int] = {}
        shift = 0
        for line in range(1, count + 1):
            shift += shifts[line]
            if line not in touched:
                moved[line] = line + shift
        return moved

    @property
    def paths(self) -> Iterable[str]:
        """The files that are edited."""
        return self._edits

    def line(self, path: str, line: int) -> int | None:
        """Where a line of the version before is after the edits; None if it is edited."""
        return self._lines[path].get(line) if path in self._edits else line

    @cached_property
    def _kept(self) -> Mapping[str, frozenset[int]]:
        return {path: frozenset(lines.values()) for path, lines in self._lines.items()}

    def is_written(self, span: Span | None) -> bool:
        """Whether a place of the version after has a line that the edits wrote."""
        path = self._from.get(span.file, span.file) if span else ""
        if span is None or path not in self._edits or span.line is None:
            return False
        lines = range(span.line, (span.end_line or span.line) + 1)
        return any(line not in self._kept[path] for line in lines)

    def place(self, span: Span) -> Span | None:
        """Where a place of the version before is after the edits; None if no line of it is left."""
        path = self._to.get(span.file, span.file)
        if span.file not in self._edits or span.line is None:
            return replace(span, file=path)
        lines = range(span.line, (span.end_line or span.line) + 1)
        there = [self._there[span.file][n] for n in lines if n in self._there[span.file]]
        return Span(path, min(there), max(there)) if there else None

    def is_same(self, one: Failure, other: Failure) -> bool:
        """Whether a failure of the version before is one of the version after."""
        place = self.place(one.place)
        return (
            one.finding == other.finding
            if one.finding
            else (one.error == other.error and place is not None and _touch(place, other.place))
        )

    def counterpart(self, finding: Finding, among: Iterable[Finding]) -> Finding | None:
        """The same finding in the version after; None if it is gone."""
        place = self.place(finding.span) if finding.span else None
        for other in among:
            # Of several at one line, the next takes the id of the one that is gone.
            if other.id == finding.id and not self._is_another(other, finding):
                return other
        for other in among:
            if other.rule == finding.rule and other.span and finding.span:
                is_there = place is not None and _touch(place, other.span)
                if is_there and other.span.line is None:  # a file may lack several things
                    is_there = other.names == finding.names
                elif is_there:
                    is_there = not self._is_another(other, finding)
                is_moved = other.message == finding.message and other.id not in self._known
                if is_there or is_moved:
                    return other
        return None

    def _is_another(self, other: Finding, finding: Finding) -> bool:
        """Whether a finding at the place of one is one that was beside it before, or is about a
        further name, such as the second column of a line, which the edits did not write.
        """
        was_there = (other.rule, other.message) in self._said
        texts = {edit.text.strip("\"'") for edits in self._edits.values() for edit in edits}
        is_next = _about_others(finding, other) and not texts & {*other.names}
        return is_next or (was_there and other.message != finding.message)


def _about_others(one: Finding, other: Finding) -> bool:
    """Whether two findings at one place are about different names, such as `np.float * np.Inf`."""
    told = [
        {
            name
            for name in _named(each, json.dumps(json.loads(each.says or "{}").get("because")))
            if not name.endswith(("Error", "Exception"))  # what is raised says not of what
        }
        for each in (one, other)
    ]
    return bool(told[0] and told[1] and not told[0] & told[1])


def _named(finding: Finding, says: str) -> set[str]:
    """What a finding names, beside what it says as a proposition."""
    return {*finding.names, *_texts(json.loads(says or "null"))}


def _brought_in(facts: Facts, finding: Finding) -> Iterator[str]:
    """The names that an import at a finding's place brings in, which mean nothing if it fails."""
    span = finding.span
    for item in facts.python[span.file].imports if span and span.file in facts.python else ():
        if span is not None and item.line == span.line:
            yield from filter(None, (item.bound, item.module.rpartition(".")[2]))


def _texts(says: object) -> Iterator[str]:
    """The texts in a part of a proposition, its predicates and places left out."""
    if isinstance(says, dict):
        for key, value in says.items():
            if key not in ("p", "at", "file", "scope", "command", "run", "mode"):
                yield from _texts(value)
    elif isinstance(says, list):
        for value in says:
            yield from _texts(value)
    elif isinstance(says, str):
        yield says


def _touch(one: Span, other: Span) -> bool:
    if one.file != other.file or (one.line is None) != (other.line is None):
        return False
    return one.line is None or one.is_near(other)


def _begins_line(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] == "\n"
