"""What every export of a record needs: reviewers by name, findings with people's words counted in, texts that can be written."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from reviewers.records import Check, Finding, Ruling
from reviewers.store.submission import FindingRuling, StoredReview, SubmissionRecord


@dataclass(frozen=True)
class Told:
    """One finding of one review beside a person's word on it.

    Attributes:
        ruling: the word that counts; None where there is none or it was taken back.
    """

    finding: Finding
    ruling: FindingRuling | None

    @property
    def check(self) -> Check:
        """The person's word where there is one, else the fact check."""
        return counted_check(self.finding, self.ruling)


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
    def told(self) -> tuple[Told, ...]:
        """Its findings in their order."""
        rulings = self.record.ruling_of
        return tuple(Told(finding, rulings.get(finding.id)) for finding in self.stored.review.findings)


def counted_check(finding: Finding, ruling: FindingRuling | None) -> Check:
    """Return what counts of a finding: the person's word where there is one, else the fact check."""
    if ruling is None:
        return finding.check.result
    return Check.CONFIRMED if ruling.ruling is Ruling.CONFIRM else Check.REFUTED


def voices(record: SubmissionRecord) -> Iterator[Voice]:
    """Yield the reviewers of a record."""
    return (Voice(name, stored, record) for name, stored in zip(record.names, record.reviews, strict=True))


def moment(at: datetime) -> str:
    """Return a time as ISO 8601 in UTC, with microseconds, so that texts sort as times do."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def writable(text: str) -> str:
    """Return text that UTF-8 can hold: halves of surrogate pairs become U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def kind_words(kind: str | None) -> str:
    """Return a claim's kind in words."""
    return (
        "a claim of no known kind"
        if kind in (None, "other")
        else f"a claim about {str(kind).replace('-', ' ').replace('_', ' ')}"
    )
