"""A submission's findings as cards, and its files as entries: what code view, file list and findings list share."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.counted import Counted
from dashboard.parts.plain import one_line, visible
from dashboard.parts.words import MISREADINGS, PLACES, category_title, criterion_title
from reviewers.exports.wording import counted_check
from reviewers.records import Check, Finding, Severity, Submission
from reviewers.rules import registered
from reviewers.store.standing import RULES
from reviewers.store.submission import FindingRuling

# No path of a submission begins with a slash, so this cannot be one of its files.
NO_PLACE = "//no-place"
NO_PLACE_TITLE = "Claims without a place"
_ROOT = "top folder"
_ABSENT = "Absent"
_UNPLACED = "No place found"


@dataclass(frozen=True, slots=True)
class Card:
    """One finding of one review, with what people and the other reviewers made of it.

    Attributes:
        key: unique on the screen; a finding's id is unique only within its review.
        reviewer: its name on screen.
        ruling: the person's word that counts, if any.
        missed_by: LLM reviewers that should have named this blocker and did not.
    """

    key: str
    finding: Finding
    reviewer: str
    ruling: FindingRuling | None
    missed_by: tuple[str, ...]

    @property
    def check(self) -> Check:
        """The fact check, or the person's word where there is one."""
        return counted_check(self.finding, self.ruling)

    @property
    def file(self) -> str:
        """The file under which it is shown."""
        return self.finding.span.file if self.finding.span else NO_PLACE

    @property
    def line(self) -> int | None:
        """The first line, None for a whole file or no place."""
        return self.finding.span.line if self.finding.span else None

    def data(self) -> dict[str, Any]:
        """Return what the browser needs to draw the card; every text in it is visible text."""
        finding, check = self.finding, self.finding.check
        known = registered().get(finding.rule or "")
        return {
            "key": self.key,
            "file": self.file,
            "place": visible(str(finding.span)) if finding.span else "",
            "line": self.line,
            "end": finding.span.end_line if finding.span else None,
            "severity": str(finding.severity),
            "reviewer": visible(self.reviewer),
            "rule": visible(finding.rule or ""),
            "name": visible(known.name.replace("_", " ") if known else _kind(finding.kind)),
            "claim": visible(finding.claim or "").strip(),
            "message": visible(finding.message).strip(),
            "criterion": visible(criterion_title(finding.criterion)) if finding.criterion is not None else "",
            "category": visible(category_title(finding.category)),
            "check": str(self.check),
            "evidence": visible(check.evidence).strip(),
            "shown_at": _target(check.span),
            "misreading": MISREADINGS[check.misreading] if check.misreading else "",
            "found": PLACES[finding.places[0].found] if finding.places else "",
            "also": [{**target, "found": PLACES[place.found]} for place in finding.places[1:] if (target := _target(place.span))],
            "missed_by": [visible(name) for name in self.missed_by],
            "ruling": _ruling(self.ruling),
        }


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file in the list; `group` is its folder, or says that it is absent or no file at all."""

    path: str
    group: str
    absent: bool
    counts: Mapping[Severity, int]
    folded: int

    def data(self) -> dict[str, Any]:
        """Return what the browser needs to draw the entry."""
        return {
            "path": self.path,
            "title": one_line(self.path),
            "name": NO_PLACE_TITLE if self.path == NO_PLACE else one_line(self.path.rpartition("/")[2]),
            "group": one_line(self.group),
            "absent": self.absent,
            "counts": [[str(severity), self.counts[severity]] for severity in Severity if self.counts.get(severity)],
            "folded": self.folded,
        }


def cards_of(reviews: Counted) -> tuple[Card, ...]:
    """Return a card for every finding, in reading order: files as listed, then lines, whole-file ones first, worst first."""
    rulings = reviews.record.ruling_of
    missed: dict[str, list[str]] = defaultdict(list)
    for name, findings in reviews.missed.items():
        for finding in findings:
            missed[finding.id].append(name)
    cards = [
        Card(
            key=f"{name}/{finding.id}",
            finding=finding,
            reviewer=name,
            ruling=rulings.get(finding.id),
            missed_by=tuple(missed[finding.id]) if stored.review.reviewer == RULES else (),
        )
        for name, stored in reviews.stored.items()
        for finding in stored.review.findings
    ]
    order = {path: place for place, path in enumerate(_paths(reviews.record.submission, cards))}
    return tuple(sorted(cards, key=lambda card: (order[card.file], card.line or 0, card.finding.severity.rank)))


def files_of(submission: Submission, cards: Sequence[Card]) -> tuple[FileEntry, ...]:
    """Return the submission's files by folder, run configs last, then files that findings name but that are not there."""
    entries = []
    for path, group in _paths(submission, cards).items():
        mine = [card for card in cards if card.file == path]
        entries.append(
            FileEntry(
                path=path,
                group=group,
                absent=group == _ABSENT,
                counts=Counter(card.finding.severity for card in mine if card.check is not Check.REFUTED),
                folded=sum(card.check is Check.REFUTED for card in mine),
            )
        )
    return tuple(entries)


def first_file(entries: Sequence[FileEntry]) -> str:
    """Return the file to open first: the one with the most of the worst, where there is a file to be seen."""
    seen = [entry for entry in entries if entry.path != NO_PLACE] or entries
    return max(seen, key=lambda entry: tuple(entry.counts.get(severity, 0) for severity in Severity)).path if seen else ""


def _paths(submission: Submission, cards: Sequence[Card]) -> dict[str, str]:
    """Every path in reading order, with the group under which it stands."""
    files = sorted((file.path for file in submission.files), key=lambda path: (not path.startswith("src/"), path.rpartition("/")))
    paths = {path: f"{path.rpartition('/')[0]}/" if "/" in path else _ROOT for path in files}
    paths |= {run.file.path: f"{run.file.path.rpartition('/')[0]}/" for run in submission.runs}
    named = sorted({card.file for card in cards} - {NO_PLACE})
    paths |= {path: _ABSENT for path in named if path not in paths}
    if any(card.file == NO_PLACE for card in cards):
        paths[NO_PLACE] = _UNPLACED
    return paths


def _kind(kind: str | None) -> str:
    """A claim's kind in words; that it is of no known kind is said by its evidence already."""
    return "" if kind in {None, "other"} else str(kind).replace("-", " ")


def _target(span: Any) -> dict[str, Any] | None:
    return {"file": span.file, "line": span.line, "place": visible(str(span))} if span else None


def _ruling(ruling: FindingRuling | None) -> dict[str, str] | None:
    if ruling is None:
        return None
    return {
        "word": str(ruling.ruling),
        "reason": visible(ruling.reason),
        "author": visible(ruling.author),
        "at": ruling.at.isoformat(),
    }
