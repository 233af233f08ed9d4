"""The lines of an export that tell what persons found, what they remarked on findings, which
contract they chose, and how claims are read.
"""

from reviewers.errors import ContractError
from reviewers.records import Severity
from reviewers.rubric.built_in import parse_contract
from reviewers.store.contracts import ContractChoice
from reviewers.store.human_input import OwnFinding, Remark, own_finding
from reviewers.store.people import LONGEST_COMMENT, LONGEST_MESSAGE
from reviewers.store.readings import LONGEST_CLAIM, NewReading, StoredReading
from reviewers.store.record_lines import Fields, author_of_line


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
    category = fields.name("category") if fields.value.get("category") else None
    author = author_of_line(fields)
    return Remark(fields.get("finding", str), severity, comment, author, fields.at(), category)


def contract_of_line(fields: Fields) -> ContractChoice:
    """Return a person's choice of a contract of a line.

    Raises:
        BundleError: a field is missing or not of its kind, or the contract makes no sense.
    """
    text = fields.or_none("text", str)
    if text is not None:
        try:
            parse_contract(text)
        except ContractError:
            raise fields.wrong("text") from None
    return ContractChoice(text, author_of_line(fields), fields.at())


def reading_of_line(fields: Fields) -> StoredReading:
    """Return a reading of a line.

    Raises:
        BundleError: a field is missing or not of its kind.
    """
    claim, leftover = fields.get("claim", str), fields.or_none("leftover", list) or []
    if not 0 < len(claim) <= LONGEST_CLAIM:
        raise fields.wrong("claim")
    if not all(isinstance(each, str) for each in leftover):
        raise fields.wrong("leftover")
    said = NewReading(
        claim=claim,
        vocabulary=fields.name("vocabulary"),
        reader=fields.name("reader"),
        proposition=fields.or_none("proposition", dict),
        why_not=fields.get("why_not", str),
        leftover=tuple(leftover),
    )
    author = None if fields.value.get("author") is None else author_of_line(fields)
    return StoredReading(said, author, fields.at())
