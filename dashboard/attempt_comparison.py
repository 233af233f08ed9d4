"""Compares a submission with an earlier attempt of its lineage: what happened to its files and to
each finding.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import streamlit as st

from dashboard.file_changes import FileChange, file_changes
from dashboard.parts.cards import NO_PLACE, Card
from reviewers.attempts.histories import history
from reviewers.exports.wording import counted_check
from reviewers.matching.attempts import FindingState, match
from reviewers.matching.traces import Side
from reviewers.records import Check, Finding, Review, Submission
from reviewers.store import Store
from reviewers.store.lineages import LineageAttempt, LineageRecord, lineage_of
from reviewers.store.submission import SubmissionRecord, load_submission

_SHORTEST = 8
_LOOKED_BACK = 20
"""Attempts before the earlier one in which a finding that came again is looked for."""


class FindingFate(StrEnum):
    """What happened to a finding since an earlier attempt, as it is shown."""

    FIXED = "fixed"
    DROPPED = "dropped"  # a claim that is not made again, which proves nothing
    UNCHANGED = "unchanged"
    MOVED = "moved"
    NEW = "new"
    RETURNED = "returned"


@dataclass(frozen=True, slots=True)
class Since:
    """What happened to one finding of the submission.

    Attributes:
        was: the finding in the earlier attempt; None if it was not there.
    """

    fate: FindingFate
    was: Finding | None = None


@dataclass(frozen=True, slots=True)
class Gone:
    """A finding of the earlier attempt that the submission's reviews do not have.

    Attributes:
        reviewer: its name on screen.
        file: of the submission, under which it is shown.
        standing: whether the code that it speaks of is there as before.
    """

    reviewer: str
    finding: Finding
    file: str
    standing: bool

    @property
    def fate(self) -> FindingFate:
        """Whether it was fixed, or only not claimed again."""
        return FindingFate.DROPPED if self.finding.rule is None else FindingFate.FIXED

    @property
    def key(self) -> str:
        """Unique on the screen, and no key of a card."""
        return f"gone/{self.reviewer}/{self.finding.id}"


@dataclass(frozen=True)
class Comparison:
    """A submission beside an earlier attempt.

    Attributes:
        number: of the earlier attempt.
        since: by reviewer's name on screen and finding's id.
        gone: by file and line; what the code or a person refuted was no defect and is left out.
        files: what differs, by path; see `file_changes`.
        unheard: reviewers that gave a verdict on one of the two only.
    """

    before: SubmissionRecord
    number: int
    since: Mapping[tuple[str, str], Since]
    gone: tuple[Gone, ...]
    files: Mapping[str, FileChange]
    unheard: tuple[str, ...]

    def tally(self, cards: Sequence[Card]) -> Mapping[FindingFate, int]:
        """Return how many defects had which fate; refuted ones do not count."""
        now = (self.of(card) for card in cards if card.check is not Check.REFUTED)
        return Counter([*(each.fate for each in now if each), *(each.fate for each in self.gone)])

    def old_path(self, path: str) -> str:
        """Return what a file of the submission was called; its own path if it was not there."""
        change = self.files.get(path)
        return change.was if change and change.was is not None else path

    def of(self, card: Card) -> Since | None:
        """Return the fate of a card's finding; None if its reviewer did not review the earlier
        attempt.
        """
        return self.since.get((card.reviewer, card.finding.id))


@dataclass(frozen=True)
class Attempts:
    """The position of a submission in its lineage, and the attempt it is compared with.

    Attributes:
        place: of the submission in its lineage, as `LineageAttempt.place` says.
        earlier: attempts before it, oldest first; `later`: those after it. Of copies the first
            stands for all, and what we repaired is none of the generator's.
        comparison: None if it is compared with none.
        note: why the attempt that the address names cannot be compared; empty if it can.
    """

    record: SubmissionRecord
    lineage: LineageRecord
    place: tuple[int, bool]
    earlier: tuple[LineageAttempt, ...]
    later: tuple[LineageAttempt, ...]
    comparison: Comparison | None = None
    note: str = ""

    @property
    def gone(self) -> tuple[Gone, ...]:
        """What is gone since the attempt that it is compared with."""
        return self.comparison.gone if self.comparison else ()

    @property
    def count(self) -> int:
        """How many attempts there are, copies counted once; base code and what we repaired do not
        count.
        """
        return len({each.number for each in self.lineage.attempts} - {0})


def attempts_beside(store: Store, record: SubmissionRecord, against: str | None) -> Attempts:
    """Return a submission among its attempts, compared with the one that an id prefix names."""
    id = record.submission.id
    lineage = lineage_of(store, id)
    place = next(each.place for each in lineage.attempts if each.id == id)
    firsts = {each.place: each for each in reversed(lineage.attempts) if not each.repaired}
    earlier = tuple(firsts[each] for each in sorted(firsts) if each < place)
    later = tuple(firsts[each] for each in sorted(firsts) if each > place)
    if not against:
        return Attempts(record, lineage, place, earlier, later)
    chosen = [
        each
        for each in lineage.attempts
        if len(against) >= _SHORTEST and each.id.startswith(against)
    ]
    if len(chosen) == 1 and chosen[0].place < place:
        beside = _comparison(store, record, chosen[0], earlier)
        return Attempts(record, lineage, place, earlier, later, beside)
    return Attempts(record, lineage, place, earlier, later, note=_objection(chosen, id, place))


def _objection(chosen: Sequence[LineageAttempt], id: str, place: tuple[int, bool]) -> str:
    if len(chosen) != 1:
        return (
            "The address asks for a comparison with a submission outside this lineage; choose"
            " an attempt here."
        )
    if chosen[0].id == id:
        return "A submission cannot be compared with itself; choose an earlier attempt."
    if chosen[0].place == place:
        return "A submission cannot be compared with a copy of itself; choose an earlier attempt."
    return f"Attempt {chosen[0].number} is later; open it to compare it with this one."


def _comparison(
    store: Store,
    record: SubmissionRecord,
    chosen: LineageAttempt,
    earlier: Sequence[LineageAttempt],
) -> Comparison:
    before = load_submission(store, chosen.id)
    older = [each.id for each in earlier if each.place < chosen.place][-_LOOKED_BACK:]
    return _compared(
        before.submission.id,
        record.submission.id,
        _stamp(before) + _stamp(record),
        store,
        before,
        record,
        older,
        chosen.number,
    )


@st.cache_resource(show_spinner=False, max_entries=64, ttl=600)
def _compared(
    one: str,
    other: str,
    stamp: str,
    _store: Store,
    _before: SubmissionRecord,
    _after: SubmissionRecord,
    _older: Sequence[str],
    _number: int,
) -> Comparison:
    """Work a comparison out once; the stamp says on which reviews and rulings it rests."""
    before, after = sides(_before), sides(_after)
    files = file_changes(_before.submission, _after.submission)
    now = {change.was: path for path, change in files.items()}
    since: dict[tuple[str, str], Since] = {}
    gone: list[Gone] = []
    for name in after.keys() & before.keys():
        matching = match(before[name], after[name])
        standing = set(map(id, matching.standing))
        for pair in matching.pairs:
            fate = FindingFate.MOVED if pair.state is FindingState.MOVED else FindingFate.UNCHANGED
            since[name, pair.after.id] = Since(fate, pair.before)
        since |= {(name, finding.id): Since(FindingFate.NEW) for finding in matching.new}
        for finding in matching.fixed:
            if _counts(_before, finding):
                file = now.get(finding.span.file, finding.span.file) if finding.span else NO_PLACE
                gone.append(Gone(name, finding, file, id(finding) in standing))
    fresh = {key for key, each in since.items() if each.fate is FindingFate.NEW}
    if fresh and _older:
        past = [sides(load_submission(_store, each)) for each in _older]
        for name in {name for name, _ in fresh}:
            lives = history([*(side.get(name) for side in past), before[name], after[name]])
            back = {
                life.latest.id
                for life in lives
                if life.open and life.states[-1][1] is FindingState.RETURNED
            }
            since |= {
                (name, finding): Since(FindingFate.RETURNED)
                for finding in back
                if (name, finding) in fresh
            }
    return Comparison(
        before=_before,
        number=_number,
        since=since,
        gone=tuple(sorted(gone, key=_place)),
        files=files,
        unheard=tuple(sorted(before.keys() ^ after.keys())) if after else (),
    )


def fates_between(
    store: Store, one: LineageAttempt, other: LineageAttempt
) -> Mapping[FindingFate, int]:
    """Return the number of defects by fate from one attempt to a later one; a defect that returned
    counts as new.
    """
    return _fates(one.id, other.id, repr((one.chips, other.chips)), store)


@st.cache_resource(show_spinner=False, max_entries=512, ttl=3600)
def _fates(one: str, other: str, stamp: str, _store: Store) -> Mapping[FindingFate, int]:
    before, after = load_submission(_store, one), load_submission(_store, other)
    left, right = sides(before), sides(after)
    counts: Counter[FindingFate] = Counter()
    for name in left.keys() & right.keys():
        matching = match(left[name], right[name])
        for state, finding in matching.states():
            if _counts(before if state is FindingState.FIXED else after, finding):
                counts[
                    FindingFate.DROPPED
                    if state is FindingState.FIXED and finding.rule is None
                    else FindingFate(state)
                ] += 1
    return counts


def sides(record: SubmissionRecord) -> Mapping[str, Side]:
    """Return what each reviewer with a verdict found, ready to be matched, by its name on
    screen.
    """
    said = zip(record.names, (stored.review for stored in record.reviews), strict=True)
    found = {name: review for name, review in said if review.verdict is not None}
    return {
        name: _side(
            record.submission.id,
            ascii(name),
            repr((review.request, [finding.id for finding in review.findings])),
            record.submission,
            review,
        )
        for name, review in found.items()
    }


@st.cache_resource(show_spinner=False, max_entries=256, ttl=3600)
def _side(id: str, name: str, stamp: str, _submission: Submission, _review: Review) -> Side:
    return Side(_submission, _review.findings)


def _counts(record: SubmissionRecord, finding: Finding) -> bool:
    return counted_check(finding, record.ruling_of.get(finding.id)) is not Check.REFUTED


def _place(gone: Gone) -> tuple[str, int, int]:
    span = gone.finding.span
    return (
        (span.file, span.line or 0, gone.finding.severity.rank)
        if span
        else ("", 0, gone.finding.severity.rank)
    )


def _stamp(record: SubmissionRecord) -> str:
    rulings = sorted((id, ruling.ruling, ruling.at) for id, ruling in record.ruling_of.items())
    return repr(
        (
            [(name, stored.at) for name, stored in zip(record.names, record.reviews, strict=True)],
            rulings,
        )
    )
