"""What people recorded about a submission's findings: rulings, severities, comments, and findings
of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from reviewers.records import Check, FactCheck, Finding, Review, Ruling, Severity, Span
from reviewers.store.authors import Author, signature_values, signed_rows
from reviewers.store.tables import own_findings, remarks, rulings

PEOPLE = "people"
"""What persons together are called where findings are counted by reviewer."""


@dataclass(frozen=True, slots=True)
class OwnFinding:
    """A person's finding.

    Attributes:
        finding: as it was written; `HumanInput` tells what counts.
    """

    finding: Finding
    author: Author
    at: datetime


@dataclass(frozen=True, slots=True)
class Remark:
    """One record of a person's comment on a finding, or of the severity that it has in that
    person's eyes, or of both.

    Attributes:
        severity: None leaves it as it is.
        comment: empty where only the severity is meant.
        category: under which the person files it; None leaves it as it is.
    """

    finding_id: str
    severity: Severity | None
    comment: str
    author: Author
    at: datetime
    category: str | None = None


@dataclass(frozen=True, slots=True)
class HumanInput:
    """What people said of the findings on one submission, as it counts.

    Attributes:
        rulings: by finding id, withdrawn ones left out.
        severities, categories: by finding id, the last one given.
        own: the oldest first, dismissed ones included.
    """

    rulings: Mapping[str, Ruling] = field(default_factory=dict)
    severities: Mapping[str, Severity] = field(default_factory=dict)
    own: tuple[OwnFinding, ...] = ()
    categories: Mapping[str, str] = field(default_factory=dict)

    def counted(self, finding: Finding) -> Finding:
        """Return a finding with what people said of it in the place of its fact check, its severity
        and its category.
        """
        finding = self.filed(finding)
        ruling, severity = (
            self.rulings.get(finding.id),
            self.severities.get(finding.id, finding.severity),
        )
        if severity is not finding.severity:
            finding = replace(finding, severity=severity)
        if ruling is None or ruling is Ruling.WITHDRAWN:
            return finding
        result = Check.CONFIRMED if ruling is Ruling.CONFIRM else Check.REFUTED
        misreading = finding.check.misreading if result is Check.REFUTED else None
        return replace(finding, check=replace(finding.check, result=result, misreading=misreading))

    def filed(self, finding: Finding) -> Finding:
        """Return a finding under the category under which a person filed it."""
        category = self.categories.get(finding.id, finding.category)
        return finding if category == finding.category else replace(finding, category=category)

    def ruled(self, review: Review) -> Review:
        """Return a review with every finding as it counts."""
        return replace(review, findings=tuple(map(self.counted, review.findings)))

    @property
    def found(self) -> tuple[OwnFinding, ...]:
        """People's findings as they count, those left out that somebody dismissed."""
        counted = (replace(own, finding=self.counted(own.finding)) for own in self.own)
        return tuple(own for own in counted if own.finding.check.result is Check.CONFIRMED)


def said_in(connection: Connection, submission_id: str) -> HumanInput:
    """Return what people said of the findings on a submission, as it counts."""
    remarked = remarks_in(connection, submission_id)
    return HumanInput(
        rulings=counted_rulings(connection, submission_id),
        severities={each.finding_id: each.severity for each in remarked if each.severity},
        own=own_in(connection, submission_id),
        categories={each.finding_id: each.category for each in remarked if each.category},
    )


def counted_rulings(connection: Connection, submission_id: str) -> Mapping[str, Ruling]:
    """Return the ruling that counts by finding id, withdrawn ones left out."""
    wanted = select(rulings.c.finding_id, rulings.c.ruling).where(
        rulings.c.submission_id == submission_id
    )
    newest = {
        row.finding_id: Ruling(row.ruling)
        for row in connection.execute(wanted.order_by(rulings.c.number))
    }
    return {id: ruling for id, ruling in newest.items() if ruling is not Ruling.WITHDRAWN}


def own_in(connection: Connection, submission_id: str) -> tuple[OwnFinding, ...]:
    """Return all findings of persons on a submission as they were written, the oldest first."""
    return tuple(
        OwnFinding(
            own_finding(
                row.id,
                Span(row.file, row.line, row.end_line),
                Severity(row.severity),
                row.category,
                row.criterion,
                row.message,
                author.name,
            ),
            author,
            row.at,
        )
        for row, author in signed_rows(connection, own_findings, submission_id)
    )


def remarks_in(connection: Connection, submission_id: str) -> tuple[Remark, ...]:
    """Return all remarks on findings of a submission, the oldest first."""
    return tuple(
        Remark(
            row.finding_id,
            row.severity and Severity(row.severity),
            row.comment,
            author,
            row.at,
            row.category,
        )
        for row, author in signed_rows(connection, remarks, submission_id)
    )


def own_finding(
    id: str,
    span: Span,
    severity: Severity,
    category: str,
    criterion: int | None,
    message: str,
    author: str,
) -> Finding:
    """Return a person's finding: what somebody saw is confirmed until somebody dismisses it."""
    return Finding(
        id=id,
        category=category,
        severity=severity,
        message=message,
        check=FactCheck(Check.CONFIRMED, f"seen by {author}"),
        criterion=criterion,
        span=span,
    )


def is_own(finding: Finding) -> bool:
    """Whether it is a person's: neither a rule's finding nor a reviewer's claim."""
    return finding.rule is None and finding.claim is None and finding.kind is None


def own_values(own: OwnFinding) -> dict[str, Any]:
    """Return the columns of a person's finding, its submission aside."""
    return {**signature_values(own.author), "at": own.at, **finding_columns(own.finding)}


def finding_columns(found: Finding) -> dict[str, Any]:
    """Return the columns of what a person found, who and when aside."""
    span = found.span
    return {
        "id": found.id,
        "category": found.category,
        "severity": found.severity,
        "criterion": found.criterion,
        "line": span.line if span else None,
        "end_line": span.end_line if span else None,
        "file": span.file if span else None,
        "message": found.message,
    }
