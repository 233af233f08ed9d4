"""Records what a person does to findings in the code view."""

from collections.abc import Mapping
from typing import Any

from reviewers.records import Ruling, Severity, Span, Submission
from reviewers.rubric import rubric
from reviewers.store import Store
from reviewers.store.authors import Signer

_LONGEST = 4_000


def record_event(
    store: Store, submission: Submission, event: Mapping[str, Any], author: Signer, *, blind: bool
) -> None:
    """Store the record that a browser event requests; an invalid event changes nothing.

    Args:
        blind: whether the person has not seen others' opinions of the submission.
        event: `rule` (key, word, reason), `remark` (key, severity, comment), or `find` (file, line,
            end, severity, category, message).

    Raises:
        StoreError: the store refuses it, because a reason, an author or the finding is missing.
    """
    id = submission.id
    match event:
        case {
            "kind": "rule",
            "key": str(key),
            "word": str(word),
            "reason": str(reason),
        } if word in set(Ruling):
            store.rule_on(id, _id(key), Ruling(word), reason, author, blind=blind)
        case {"kind": "remark", "key": str(key), "severity": str(word), "comment": str(comment)}:
            severity = Severity(word) if word in set(Severity) else None
            if severity or comment.strip():
                store.remark(
                    id,
                    _id(key),
                    author=author,
                    severity=severity,
                    comment=comment.strip()[:_LONGEST],
                )
        case {
            "kind": "find",
            "file": str(file),
            "message": str(message),
            "severity": str(severity),
            "category": str(category),
        } if message.strip() and severity in set(Severity) and file in submission.by_path:
            known = rubric().categories.get(category)
            criteria = known.criteria if known else ()
            store.add_finding(
                id,
                span=_span(file, event.get("line"), event.get("end")),
                severity=Severity(severity),
                category=category,
                criterion=criteria[0] if len(criteria) == 1 else None,
                message=message.strip()[:_LONGEST],
                author=author,
            )


def _id(key: str) -> str:
    return key.rpartition("/")[2]


def _span(file: str, line: object, end: object) -> Span:
    match line, end:
        case int(first), int(last) if 0 < first <= last:
            return Span(file, first, last)
        case _:
            return Span(file)
