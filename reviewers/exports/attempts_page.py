"""Two attempts compared as Markdown and as JSON: what is new, what stayed, what moved and what was
fixed.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from reviewers.errors import printable
from reviewers.exports.markdown_table import markdown_table
from reviewers.exports.review_json import finding_json, submission_head
from reviewers.matching.attempts import FindingState, Matching, Pair
from reviewers.records import Check, Finding, Ruling, Severity, Submission, moment
from reviewers.store.carry_over import Carried

SCHEMA = "areachair.diff/1"
SHOWN = (FindingState.NEW, FindingState.UNCHANGED, FindingState.MOVED, FindingState.FIXED)
_TITLES = {
    FindingState.NEW: "New",
    FindingState.UNCHANGED: "Unchanged",
    FindingState.MOVED: "Moved",
    FindingState.FIXED: "Fixed",
}


def attempts_page(
    before: Submission,
    after: Submission,
    matchings: Mapping[str, Matching],
    carried: Mapping[str, Carried] | None = None,
    *,
    markdown: bool = True,
) -> str:
    """Return the page: counters by reviewer and severity, then every finding under what happened to
    it.

    Args:
        markdown: whether it is to be read by a program that knows Markdown, and not by a person at
            a terminal.
        matchings: by reviewer, in the order in which they are to be shown.
        carried: people's words on the earlier attempt that hold on, by the id of the later finding.
    """
    carried = carried or {}
    shown = _literal if markdown else _plain
    parts = [f"# {shown(before.name)} → {shown(after.name)}", _headline(matchings)]
    if rows := list(_rows(matchings)):
        parts.append(markdown_table(("findings", *SHOWN), rows))
    if any(finding.rule is None for matching in matchings.values() for finding in matching.fixed):
        parts.append("Of a claim, fixed means only that the later review does not make it again.")
    for state in SHOWN:
        lines = [
            f"- {shown(line)}"
            for reviewer, matching in matchings.items()
            for line in _lines(reviewer, matching, state, carried)
        ]
        if lines:
            parts += [f"## {_TITLES[state]}", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def attempts_json(
    before: Submission,
    after: Submission,
    matchings: Mapping[str, Matching],
    carried: Mapping[str, Carried] | None = None,
) -> dict[str, Any]:
    """Return the object `areachair.diff/1`; of a finding that stayed both forms are given, the
    earlier under `was`.

    Args:
        matchings, carried: as for `attempts_page`.
    """
    carried = carried or {}
    standing = {id(finding) for matching in matchings.values() for finding in matching.standing}
    return {
        "schema": SCHEMA,
        "before": submission_head(before),
        "after": submission_head(after),
        "reviews": [
            {
                "reviewer": reviewer,
                "counts": _counts(matching),
                "findings": [
                    *(
                        {
                            "state": pair.state,
                            **finding_json(pair.after),
                            **_was(pair),
                            **_ruled(pair, carried),
                        }
                        for pair in matching.pairs
                    ),
                    *(
                        {"state": FindingState.NEW, **finding_json(finding)}
                        for finding in matching.new
                    ),
                    *(
                        {
                            "state": FindingState.FIXED,
                            **finding_json(finding),
                            "code_stands": id(finding) in standing,
                        }
                        for finding in matching.fixed
                    ),
                ],
            }
            for reviewer, matching in matchings.items()
        ],
    }


def _was(pair: Pair) -> dict[str, Any]:
    return {
        "matched_by": pair.how,
        "likeness": round(pair.score),
        "same_code": pair.same_code,
        "was": finding_json(pair.before),
    }


def _ruled(pair: Pair, carried: Mapping[str, Carried]) -> dict[str, Any]:
    word = carried.get(pair.after.id)
    if word is None:
        return {}
    ruling = word.ruling
    said = {
        "ruling": ruling.ruling,
        "reason": ruling.reason,
        "author": str(ruling.author),
        "at": moment(ruling.at),
    }
    return {"ruling_before": {**said, "same_code": word.same_code}}


def _counts(matching: Matching) -> dict[str, int]:
    counted = Counter(state for state, _ in matching.states())
    return {state: counted[state] for state in SHOWN}


def _headline(matchings: Mapping[str, Matching]) -> str:
    total = Counter(state for matching in matchings.values() for state, _ in matching.states())
    return ", ".join(f"{total[state]} {state}" for state in SHOWN) + "."


def _rows(matchings: Mapping[str, Matching]) -> Iterator[tuple[str, ...]]:
    """A row for each reviewer and severity that has a finding."""
    for reviewer, matching in matchings.items():
        counted = Counter((finding.severity, state) for state, finding in matching.states())
        for severity in Severity:
            if any(counted[severity, state] for state in SHOWN):
                yield (
                    f"{reviewer}, {severity}",
                    *(str(counted[severity, state]) for state in SHOWN),
                )


def _lines(
    reviewer: str, matching: Matching, wanted: FindingState, carried: Mapping[str, Carried]
) -> Iterator[str]:
    """What became so, the worst first, then by place."""
    was = {id(pair.after): pair.before for pair in matching.pairs}
    standing = set(map(id, matching.standing))
    found = [finding for state, finding in matching.states() if state is wanted]
    for finding in sorted(found, key=lambda each: (each.severity.rank, *_place(each))):
        told = _told(
            reviewer, finding, was.get(id(finding)) if wanted is FindingState.MOVED else None
        )
        notes = [" (its code is still there)"] if id(finding) in standing else []
        notes += (
            [_word(carried[finding.id])] if finding.id in carried and id(finding) in was else []
        )
        yield "".join((" ".join(told), *notes))


def _word(carried: Carried) -> str:
    ruling = carried.ruling
    deed = "confirmed" if ruling.ruling is Ruling.CONFIRM else "dismissed"
    because = f": {ruling.reason}" if ruling.reason else ""
    changed = "" if carried.same_code else "; its code has changed since"
    return f" ({deed} by {ruling.author} on the attempt before{because}{changed})"


def _told(reviewer: str, finding: Finding, was: Finding | None) -> Iterator[str]:
    place = str(finding.span) if finding.span else "no place"
    origin = f" (before: {was.span or 'no place'})" if was else ""
    doubt = f", {finding.check.result}" if finding.check.result is not Check.CONFIRMED else ""
    yield f"{reviewer}, {finding.severity}{doubt}:"
    yield from filter(None, (finding.rule, f"{place}{origin}:", finding.message))


def _place(finding: Finding) -> tuple[str, int, str]:
    return (
        (finding.span.file, finding.span.line or 0, finding.id)
        if finding.span
        else ("", 0, finding.id)
    )


def _plain(text: str) -> str:
    """The text on one line, safe for a terminal."""
    return printable(" ".join(text.split()))


def _literal(text: str) -> str:
    """The text on one line with everything escaped that Markdown, HTML or a terminal would read as
    more than text.
    """
    return "".join(
        f"\\{character}" if character in "\\`*[]<>#|~&$^!" else character
        for character in _plain(text)
    )
