"""Proven repairs as other programs apply them: SARIF fixes and reviewdog's suggestions."""

from collections.abc import Callable, Iterator
from typing import Any

from reviewers.exports.wording import writable
from reviewers.offers import Edit, Offers, ProvenWay
from reviewers.records import Submission


def sarif_fixes(
    submission: Submission,
    offers: Offers | None,
    finding: str,
    artifact: Callable[[str], dict[str, Any]],
) -> list[dict[str, Any]]:
    """The ways to repair a finding as SARIF fix objects.

    Args:
        artifact: gives the location of a file.
    """
    return [
        {
            "description": {"text": writable(_described(way))},
            "artifactChanges": [
                {
                    "artifactLocation": artifact(path),
                    "replacements": [_replacement(submission, edit) for edit in edits],
                }
                for path, edits in _by_path(way).items()
            ],
        }
        for way in _ways(offers, finding)
    ]


def suggestions(
    submission: Submission, offers: Offers | None, finding: str
) -> list[dict[str, Any]]:
    """The first way to repair a finding as rdjson suggestions, which have columns in bytes; empty
    where it edits several files, of which a comment on one line can show but one.
    """
    ways = list(_ways(offers, finding))[:1]
    if not ways or len(_by_path(ways[0])) != 1:
        return []
    found = []
    for edit in ways[0].edits:
        text = _text(submission, edit.path)
        ends = (_place(text, at) for at in (edit.start, edit.end))
        start, end = (
            {"line": line, "column": len(before.encode(errors="replace")) + 1}
            for line, before in ends
        )
        found.append({"range": {"start": start, "end": end}, "text": edit.text})
    return found


def _ways(offers: Offers | None, finding: str) -> Iterator[ProvenWay]:
    for offer in offers.repairs if offers else ():
        if offer.finding == finding:
            yield from (way for way in offer.ways if way.edits and _is_writable(way))


def _is_writable(way: ProvenWay) -> bool:
    """Whether its text may be passed on as it is: hiding a key in it would spoil the code."""
    return all(writable(edit.text) == edit.text for edit in way.edits)


def _described(way: ProvenWay) -> str:
    return f"{way.choice}: {way.intent}" if way.choice else way.intent


def _by_path(way: ProvenWay) -> dict[str, list[Edit]]:
    found: dict[str, list[Edit]] = {}
    for edit in sorted(way.edits):
        found.setdefault(edit.path, []).append(edit)
    return found


def _replacement(submission: Submission, edit: Edit) -> dict[str, Any]:
    text = _text(submission, edit.path)
    (line, before), (end, behind) = _place(text, edit.start), _place(text, edit.end)
    return {
        "deletedRegion": {
            "startLine": line,
            "startColumn": len(before) + 1,
            "endLine": end,
            "endColumn": len(behind) + 1,
        },
        "insertedContent": {"text": edit.text},
    }


def _text(submission: Submission, path: str) -> str:
    file = submission.by_path.get(path)
    return file.text if file else ""


def _place(text: str, at: int) -> tuple[int, str]:
    """The line of a character, 1-based, and what stands before it there."""
    begin = text.rfind("\n", 0, at) + 1
    return text.count("\n", 0, at) + 1, text[begin:at]
