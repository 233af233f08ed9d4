"""The lines of an export that tell what persons found, and what they remarked on findings."""

from reviewers.records import Severity
from reviewers.store.people import LONGEST_COMMENT, LONGEST_MESSAGE
from reviewers.store.record_lines import Fields, author_of_line
from reviewers.store.said import OwnFinding, Remark, own_finding


def own_finding_of_line(fields: Fields) -> OwnFinding:
    """Return a person's finding of a line.

    Raises:
        BundleError: a field is missing or not of its kind.
    """
    span, message, author = fields.span("span"), fields.get("message", str), author_of_line(fields)
    if span is None:
        raise fields.wrong("span")
    if not 0 < len(message) <= LONGEST_MESSAGE:
        raise fields.wrong("message")
    severity, criterion = fields.word("severity", Severity), fields.or_none("criterion", int)
    id, category = fields.name("id"), fields.name("category")
    found = own_finding(id, span, severity, category, criterion, message, author.name)
    return OwnFinding(found, author, fields.at())


def remark_of_line(fields: Fields) -> Remark:
    """Return a person's remark of a line.

    Raises:
        BundleError: a field is missing or not of its kind, or it says nothing.
    """
    severity, comment = fields.word_or_none("severity", Severity), fields.get("comment", str)
    if (severity is None and not comment) or len(comment) > LONGEST_COMMENT:
        raise fields.wrong("comment")
    return Remark(
        fields.get("finding", str), severity, comment, author_of_line(fields), fields.at()
    )
