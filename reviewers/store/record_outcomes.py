"""The lines of an export that tell of commits, real runs and a person's word on attempts."""

import re

from reviewers.outcomes.failure import Form
from reviewers.outcomes.outcome import Outcome, Stage
from reviewers.records import Span
from reviewers.store.commits import StoredCommit
from reviewers.store.lineages import LineageRelation
from reviewers.store.record_lines import Fields, author_of_line, reason_of_line

_HASH = re.compile("[0-9a-f]{1,64}")
_LONGEST_SOURCE = 200


def commit_of_line(fields: Fields) -> StoredCommit:
    """Return the commit of a line.

    Raises:
        BundleError: a field is missing or not of its kind.
    """
    branches = fields.get("branches", list)
    if not all(isinstance(each, str) for each in branches):
        raise fields.wrong("branches")
    return StoredCommit(
        repository=fields.get("repository", str),
        commit=_hash(fields, "commit"),
        at=fields.at_or_none(),
        message=fields.get("message", str),
        branches=tuple(branches),
    )


def outcome_of_line(fields: Fields, submission_id: str) -> Outcome:
    """Return the outcome of a line.

    Raises:
        BundleError: a field is missing or not of its kind.
    """
    source, digest = fields.get("source", str), fields.get("digest", str)
    if not 0 < len(source) <= _LONGEST_SOURCE or (digest and not _HASH.fullmatch(digest)):
        raise fields.wrong("source")
    return Outcome(
        submission=submission_id,
        stage=fields.word("stage", Stage),
        exit_code=fields.or_none("exit_code", int),
        at=fields.at(),
        source=source,
        excerpt=fields.get("excerpt", str),
        digest=digest,
        error=fields.or_none("error", str),
        message=fields.or_none("message", str),
        form=fields.word_or_none("form", Form),
        spans=tuple(_spans(fields)),
        category=fields.or_none("category", str),
    )


def relation_of_line(fields: Fields) -> LineageRelation:
    """Return the relation of a line.

    Raises:
        BundleError: a field is missing or not of its kind, or both submissions are one.
    """
    one, other = _hash(fields, "one"), _hash(fields, "other")
    if one == other or fields.get("of", str) not in (one, other):
        raise fields.wrong("other")
    reason = reason_of_line(fields, needed=True)
    return LineageRelation(
        one, other, fields.get("together", bool), reason, author_of_line(fields), fields.at()
    )


def _spans(fields: Fields) -> list[Span]:
    found = [
        Fields({"span": each}, fields.source).span("span") for each in fields.get("spans", list)
    ]
    if None in found:
        raise fields.wrong("spans")
    return [span for span in found if span is not None]


def _hash(fields: Fields, name: str) -> str:
    found = fields.get(name, str)
    if not _HASH.fullmatch(found):
        raise fields.wrong(name)
    return found
