"""What all exports of a record share: names of reviewers, findings with people's corrections
applied, sanitised text.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import time
from functools import cached_property

from reviewers.outcomes.masking import without_keys
from reviewers.records import Check, DatedBy, Finding, Generated, Ruling, Severity
from reviewers.store.human_input import Remark
from reviewers.store.submission import FindingRuling, StoredReview, SubmissionRecord


@dataclass(frozen=True)
class ToldFinding:
    """One finding beside what people said of it.

    Attributes:
        ruling: the word that counts; None if there is none or it was taken back.
        remarks: comments and severities that it was given, the newest first.
    """

    finding: Finding
    ruling: FindingRuling | None
    remarks: tuple[Remark, ...] = ()

    @property
    def check(self) -> Check:
        """The person's word where there is one, else the fact check."""
        return counted_check(self.finding, self.ruling)

    @property
    def severity(self) -> Severity:
        """The last one that a person gave, else the finding's own."""
        return next(
            (each.severity for each in self.remarks if each.severity is not None),
            self.finding.severity,
        )


@dataclass(frozen=True)
class Voice:
    """One reviewer of a record.

    Attributes:
        name: its name on screen, unique within the record.
    """

    name: str
    stored: StoredReview
    record: SubmissionRecord

    @cached_property
    def told(self) -> tuple[ToldFinding, ...]:
        """Its findings in their order."""
        return told_of(self.record, self.stored.review.findings)


def told_of(record: SubmissionRecord, findings: Iterable[Finding]) -> tuple[ToldFinding, ...]:
    """Return findings of a record, each beside what people said of it."""
    rulings = record.ruling_of
    remarks: dict[str, list[Remark]] = defaultdict(list)
    for remark in record.remarks:
        remarks[remark.finding_id].append(remark)
    return tuple(
        ToldFinding(finding, rulings.get(finding.id), tuple(remarks[finding.id]))
        for finding in findings
    )


def counted_check(finding: Finding, ruling: FindingRuling | None) -> Check:
    """Return what counts of a finding: the person's word where there is one, else the fact
    check.
    """
    if ruling is None:
        return finding.check.result
    return Check.CONFIRMED if ruling.ruling is Ruling.CONFIRM else Check.REFUTED


def voices(record: SubmissionRecord) -> Iterator[Voice]:
    """Yield the reviewers of a record."""
    return (
        Voice(name, stored, record)
        for name, stored in zip(record.names, record.reviews, strict=True)
    )


_KNOWN_BY = {
    DatedBy.GIVEN: "as a person says",
    DatedBy.CONTENT: "as its bundle says",
    DatedBy.COMMIT: "when it was committed",
    DatedBy.NAME: "a guess by its name",
    DatedBy.ARCHIVE: "a guess by the newest file of its archive",
}


def date_words(generated: Generated | None) -> str:
    """Say when a submission was generated, in UTC, and how it is known."""
    if generated is None:
        return "not known"
    at, by = generated.at, _KNOWN_BY[generated.by]
    known = f"{at:%Y-%m-%d}" if at.time() == time() else f"{at:%Y-%m-%d %H:%M} UTC"
    return f"{known}, {by}"


def attempt_words(number: int) -> str:
    """Return what an attempt is called; what attempts were derived from is attempt 0."""
    return f"attempt {number}" if number else "the base code"


def writable(text: str) -> str:
    """Return text that can be handed on: keys in it are hidden, halves of surrogate pairs become
    U+FFFD.
    """
    text = without_keys(text)
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
