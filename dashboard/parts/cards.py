"""Findings as cards and files as entries, in the form that the code view, the file list and the
findings list share.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, Protocol

from dashboard.parts.plain import one_line, visible
from dashboard.parts.repetition import without_repetition
from dashboard.parts.words import (
    MISREADINGS,
    PLACES,
    POINTERS,
    author_words,
    criterion_title,
)
from reviewers.batch.effective_reviews import EffectiveReviews
from reviewers.exports.wording import counted_check
from reviewers.matching.rows import MergedFinding
from reviewers.propositions import InvalidReading, parse
from reviewers.propositions import sentence as sentence_of
from reviewers.records import (
    NOT_READ,
    Check,
    DryRun,
    FactCheck,
    Finding,
    Severity,
    Submission,
)
from reviewers.rubric import category_title
from reviewers.rules import registered
from reviewers.store.human_input import PEOPLE, Remark
from reviewers.store.readers import PersonsReading
from reviewers.store.submission import FindingRuling, SubmissionRecord
from reviewers.store.triage import RULES

# No path of a submission begins with a slash, so this cannot be one of its files.
NO_PLACE = "//no-place"
NO_PLACE_TITLE = "Claims without a place"
_ROOT = "top folder"
_ABSENT = "Absent"
_UNPLACED = "No place found"
_SUREST = (Check.CONFIRMED, Check.UNVERIFIED, Check.REFUTED)


class Shown(Protocol):
    """What the code view draws under a line: a finding, or what happened there when it was really
    run.
    """

    @property
    def key(self) -> str:
        """Unique on the screen."""

    @property
    def file(self) -> str:
        """The file under which it is shown."""

    @property
    def line(self) -> int | None:
        """The first line, None for a whole file or no place."""

    @property
    def folded(self) -> bool:
        """Whether only its heading is shown at first; the keys step over it."""

    def data(self) -> dict[str, Any]:
        """Return what the browser needs to draw it (see cards.js): `kind` is `finding` or
        `outcome`; every text visible text.
        """


_MOST_POINTERS = 300  # in one file


@dataclass(frozen=True, slots=True)
class Card:
    """One finding of one review, with what people and the other reviewers made of it.

    Attributes:
        key: unique on the screen; a finding's id is unique only within its review.
        reviewer: its name on screen; the author of a person's own finding.
        ruling: the person's word that counts, if any.
        missed_by: LLM reviewers that should have named this blocker and did not.
        changed: the severity that a person gave it, where it is another.
        remarks: what people said of it, oldest first.
        history: how persons read the claim, oldest first.
        own: when a person added it; None for a reviewer's finding.
        row: number of the first merged defect that it belongs to; cards of one row at one line
            stand together under the first.
        lead: key of that first card; empty if it is this one.
        repair: the proven repair of a rule's finding, see `repairs_data`; None if there is none.
    """

    key: str
    finding: Finding
    reviewer: str
    ruling: FindingRuling | None
    missed_by: tuple[str, ...]
    changed: Severity | None = None
    remarks: tuple[Remark, ...] = ()
    history: tuple[PersonsReading, ...] = ()
    own: datetime | None = None
    row: int | None = None
    lead: str = ""
    repair: Mapping[str, Any] | None = None

    @property
    def check(self) -> Check:
        """The fact check, or the person's word where there is one."""
        return counted_check(self.finding, self.ruling)

    @property
    def severity(self) -> Severity:
        """The reviewer's severity, or the person's where there is one."""
        return self.changed or self.finding.severity

    @property
    def marked_as(self) -> str:
        """The name whose mark it has (`reviewer_marks.py`); persons share one."""
        return PEOPLE if self.own else self.reviewer

    @property
    def folded(self) -> bool:
        """Whether it is refuted or dismissed."""
        return self.check is Check.REFUTED

    @property
    def file(self) -> str:
        """The file under which it is shown."""
        return self.finding.span.file if self.finding.span else NO_PLACE

    @property
    def line(self) -> int | None:
        """The first line, None for a whole file or no place."""
        return self.finding.span.line if self.finding.span else None

    @property
    def name(self) -> str:
        """A rule's name in words; empty for a claim, which has words of its own."""
        known = registered().get(self.finding.rule or "")
        return visible(known.name.replace("_", " ")) if known else ""

    def data(self) -> dict[str, Any]:
        """Return what the browser needs to draw the card; every text in it is visible text."""
        finding, check = self.finding, self.finding.check
        understood = _understood(finding, self.history)
        claim = (finding.claim or "").strip()
        parts = [text for part in finding.parts for text in (part.claim, part.check.known)]
        looked_at = ", ".join(finding.understood.looked_at) if finding.understood else ""
        adds = without_repetition(finding.message, claim)
        evidence = without_repetition(check.evidence, finding.message, claim, looked_at, *parts)
        return {
            "kind": "finding",
            "key": self.key,
            "id": finding.id,
            "file": self.file,
            "place": visible(str(finding.span)) if finding.span else "",
            "line": self.line,
            "end": finding.span.end_line if finding.span else None,
            "severity": str(self.severity),
            "was": str(finding.severity) if self.severity is not finding.severity else "",
            "reviewer": visible(self.reviewer),
            "own": self.own and self.own.isoformat(),
            "lead": self.lead,
            "row": self.row,
            "rule": visible(finding.rule or ""),
            "name": self.name,
            "claim": visible(claim),
            "message": visible(finding.message).strip() if adds else "",
            "criterion": (
                visible(criterion_title(finding.criterion)) if finding.criterion is not None else ""
            ),
            "category": visible(category_title(finding.category)),
            "check": str(self.check),
            "checked": str(check.result),
            "evidence": visible(evidence),
            "shown_at": _target(check.span),
            "understood": understood,
            "misreading": MISREADINGS[check.misreading] if check.misreading else "",
            "found": PLACES[finding.places[0].found] if finding.places and not finding.rule else "",
            "also": [
                {**target, "found": PLACES[place.found]}
                for place in finding.further
                if (target := _target(place.span))
            ],
            "missed_by": [visible(name) for name in self.missed_by],
            "ruling": _ruling(self.ruling),
            "remarks": [_remark(remark) for remark in self.remarks],
            "repair": self.repair,
        }


def pointers(path: str, cards: Sequence[Shown]) -> list[dict[str, Any]]:
    """Return pointers for the lines of a file at which findings of other cards also appear."""
    return [
        {"at": place.span.line, "words": f"{card.name} {POINTERS[place.found]}", **there}
        for card in cards
        if isinstance(card, Card) and card.finding.rule and not card.folded
        for place in card.finding.further
        if place.span.file == path and place.span.line and place.found in POINTERS
        if (there := _target(card.finding.span))
    ][:_MOST_POINTERS]


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
            "name": (
                NO_PLACE_TITLE if self.path == NO_PLACE else one_line(self.path.rpartition("/")[2])
            ),
            "group": one_line(self.group),
            "absent": self.absent,
            "counts": [
                [str(severity), self.counts[severity]]
                for severity in Severity
                if self.counts.get(severity)
            ],
            "folded": self.folded,
        }


def cards_of(
    reviews: EffectiveReviews,
    rows: Sequence[MergedFinding] = (),
    repairs: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> tuple[Card, ...]:
    """Return a card for every finding, in reading order: files as listed, then lines, whole-file
    ones first, worst first.

    Args:
        rows: every defect once; cards of one row at one line follow each other, the surest first.
        repairs: by the id of the rule's finding.
    """
    cards = [*_reviewers_cards(reviews, rows, repairs), *_own_cards(reviews.record)]
    order = {path: place for place, path in enumerate(_paths(reviews.record.submission, cards))}
    together: dict[object, list[Card]] = defaultdict(list)
    for card in cards:
        at = card.key if card.row is None else (card.row, card.file, card.line)
        together[at].append(card)
    groups = [sorted(group, key=_surest) for group in together.values()]
    groups.sort(
        key=lambda group: (order[group[0].file], group[0].line or 0, *_said_first(group[0]))
    )
    return tuple(
        replace(card, lead="" if card is group[0] else group[0].key)
        for group in groups
        for card in group
    )


def _reviewers_cards(
    reviews: EffectiveReviews,
    rows: Sequence[MergedFinding],
    repairs: Mapping[str, Mapping[str, Any]],
) -> Iterator[Card]:
    record = reviews.record
    rulings, severities, said = record.ruling_of, record.severity_of, _remarks_of(record)
    read: dict[str | None, list[PersonsReading]] = defaultdict(list)
    for each in record.read_by_people:
        read[each.claim].append(each)
    filed = record.said.filed
    missed: dict[str, list[str]] = defaultdict(list)
    for name, findings in reviews.missed.items():
        for finding in findings:
            missed[finding.id].append(name)
    row_of = {
        (name, finding.id): number
        for number, row in reversed(list(enumerate(rows)))
        for name, told in row.mentions.items()
        for finding in (each.finding for each in told)
    }
    for name, stored in reviews.stored.items():
        for finding in stored.review.findings:
            yield Card(
                key=f"{name}/{finding.id}",
                finding=filed(finding),
                reviewer=name,
                ruling=rulings.get(finding.id),
                missed_by=tuple(missed[finding.id]) if stored.review.reviewer == RULES else (),
                changed=severities.get(finding.id),
                remarks=said.get(finding.id, ()),
                history=tuple(read[finding.claim]),
                row=row_of.get((name, finding.id)),
                repair=repairs.get(finding.id) if finding.rule else None,
            )


def _own_cards(record: SubmissionRecord) -> Iterator[Card]:
    rulings, severities, said = record.ruling_of, record.severity_of, _remarks_of(record)
    for own in record.own:
        id = own.finding.id
        yield Card(
            key=f"{PEOPLE}/{id}",
            finding=own.finding,
            reviewer=own.author.name,
            ruling=rulings.get(id),
            missed_by=(),
            changed=severities.get(id),
            remarks=said.get(id, ()),
            own=own.at,
        )


def _remarks_of(record: SubmissionRecord) -> Mapping[str, tuple[Remark, ...]]:
    said: dict[str, tuple[Remark, ...]] = {}
    for remark in record.remarks:
        said[remark.finding_id] = (remark, *said.get(remark.finding_id, ()))
    return said


def _surest(card: Card) -> tuple[object, ...]:
    """What leads a group: what counts before what is refuted, a rule's words before a model's, the
    worst first. As the reviewers left it, since a person's word on a card must not move it.
    """
    said = card.finding
    surest = _SUREST.index(said.check.result)
    return (surest, said.rule is None, said.severity.rank, card.reviewer)


def _said_first(card: Card) -> tuple[bool, int]:
    return card.finding.check.result is Check.REFUTED, card.finding.severity.rank


def by_weight(cards: Sequence[Card], met: DryRun | None) -> tuple[Card, ...]:
    """Return cards in the order in which they decide: what is refuted last, the worst first; of
    these what stops a run, in the order in which it is met, then the surest.
    """
    failures = [each for command in met.commands for each in met.of(command.step)] if met else []
    met_at = {each.finding: at for at, each in reversed(list(enumerate(failures)))}

    def weight(card: Card) -> tuple[object, ...]:
        stops = met_at.get(card.finding.id, len(failures)) if card.finding.rule else len(failures)
        return card.folded, card.severity.rank, stops, _SUREST.index(card.check)

    return tuple(sorted(cards, key=weight))


def files_of(submission: Submission, cards: Sequence[Card]) -> tuple[FileEntry, ...]:
    """Return the submission's files by folder, run configs last, then files that findings name but
    that are not there.
    """
    entries = []
    by_file: dict[str, list[Card]] = defaultdict(list)
    for card in cards:
        by_file[card.file].append(card)
    for path, group in _paths(submission, cards).items():
        mine = by_file[path]
        entries.append(
            FileEntry(
                path=path,
                group=group,
                absent=group == _ABSENT,
                counts=Counter(card.severity for card in mine if not card.folded),
                folded=sum(card.folded for card in mine),
            )
        )
    return tuple(entries)


def _paths(submission: Submission, cards: Sequence[Card]) -> dict[str, str]:
    """All paths in reading order, each with its group."""
    files = sorted(
        (file.path for file in submission.files),
        key=lambda path: (not path.startswith("src/"), path.rpartition("/")),
    )
    paths = {path: f"{path.rpartition('/')[0]}/" if "/" in path else _ROOT for path in files}
    paths |= {run.file.path: f"{run.file.path.rpartition('/')[0]}/" for run in submission.runs}
    named = sorted({card.file for card in cards} - {NO_PLACE})
    paths |= {path: _ABSENT for path in named if path not in paths}
    if any(card.file == NO_PLACE for card in cards):
        paths[NO_PLACE] = _UNPLACED
    return paths


def _target(span: Any) -> dict[str, Any] | None:
    return {"file": span.file, "line": span.line, "place": visible(str(span))} if span else None


def _understood(finding: Finding, history: Sequence[PersonsReading]) -> dict[str, Any] | None:
    """The reading of a claim and the fact checks of its parts; None for a single statement without
    a reading.
    """
    said = finding.understood
    if said is None and not finding.parts:
        return None
    parts = [(part.claim, part.check) for part in finding.parts]
    if not parts and said is not None and said.sentence:
        # The evidence of the one part there is stands above.
        parts = [(said.sentence, FactCheck(finding.check.result, ""))]
    return {
        "reader": visible(said.reader) if said else "",
        "why_not": visible(said.why_not) if said else "",
        "looked_at": visible(", ".join(said.looked_at)) if said else "",
        "otherwise": [
            {"reader": visible(reader), "sentence": visible(sentence)}
            for reader, sentence in (said.otherwise if said else ())
        ],
        # One that counts is shown by its reader and its sentence.
        "history": list(map(_read, history)) if len(history) > 1 else [],
        "parts": [
            {
                "words": visible(words),
                "check": str(check.result),
                "evidence": visible(check.known or _unread(check)),
                "at": _target(check.span),
            }
            for words, check in parts
        ],
    }


def _read(said: PersonsReading) -> dict[str, str]:
    """One record of a person's reading; `sentence` is empty if it was taken back."""
    sentence = said.why_not
    if said.proposition is not None:
        try:
            sentence = sentence_of(parse(said.proposition))
        except InvalidReading:
            sentence = "in an older vocabulary"
    return {
        "author": visible(author_words(said.author)),
        "at": said.at.isoformat(),
        "sentence": "" if said.is_withdrawn else visible(sentence),
    }


def _unread(check: FactCheck) -> str:
    """Why a part is not read; empty if it is."""
    return check.evidence if check.evidence.startswith(NOT_READ) else ""


def _ruling(ruling: FindingRuling | None) -> dict[str, str] | None:
    if ruling is None:
        return None
    return {
        "word": str(ruling.ruling),
        "reason": visible(ruling.reason),
        "author": visible(author_words(ruling.author)),
        "at": ruling.at.isoformat(),
    }


def _remark(remark: Remark) -> dict[str, str]:
    return {
        "severity": str(remark.severity or ""),
        "comment": visible(remark.comment),
        "author": visible(author_words(remark.author)),
        "at": remark.at.isoformat(),
    }
