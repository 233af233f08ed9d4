"""A file beside its version in an earlier attempt, for the code view, and the control that chooses
the attempt.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import streamlit as st

from dashboard.addresses import beginning
from dashboard.attempt_comparison import Attempts, Comparison, FindingFate, Gone
from dashboard.file_changes import ChangedFile
from dashboard.line_diff import DiffStep, Mark, changed_words, steps, successors
from dashboard.parts.cards import Card, FileEntry
from dashboard.parts.finding_fates import fate_counts
from dashboard.parts.plain import one_line, visible
from dashboard.parts.repetition import without_repetition
from dashboard.parts.tokens import TokenSource, source_tokens
from reviewers.exports.wording import attempt_words

MARKED = "w"
"""CSS class of words that changed within a line."""


@dataclass(frozen=True, slots=True)
class Diff:
    """Two files as one; read-only, since all sessions share it.

    Attributes:
        steps: `[n]` for lines that stayed, `[gone, came]` for a change, in order.
        inked: the same, where lines that differ in white space only have stayed.
        gone: tokens of all lines that `steps` removes, in order.
        lines: tokens of all lines of the later file, changed words marked.
    """

    steps: list[list[int]]
    inked: list[list[int]]
    gone: list[list[str]]
    lines: list[list[str]]


def code_diff(attempts: Attempts, path: str, cards: Sequence[Card]) -> dict[str, Any]:
    """Return what the code view draws besides a file's lines and cards: `attempts` and, while it
    compares, `diff` and `lines`.

    Args:
        path: the shown file.
        cards: all cards of the submission.
    """
    beside = attempts.comparison
    data: dict[str, Any] = {"attempts": _strip(attempts, cards), "diff": None}
    if beside is None:
        return data
    was = beside.old_path(path)
    here, before = (
        attempts.record.submission.by_path.get(path),
        beside.before.submission.by_path.get(was),
    )
    diff = _diff(was, before.reading if before else None, path, here.reading if here else None)
    return data | {
        "lines": diff.lines,
        "diff": {
            "key": beginning(beside.before.submission.id),
            "steps": diff.steps,
            "inked": diff.inked,
            "gone": diff.gone,
            "was": attempt_words(beside.number),
            "words": _words(beside, path, was),
            "past": [past_card(gone, beside.number) for gone in beside.gone if gone.file == path],
        },
        "since": since_of([card for card in cards if card.file == path], beside),
    }


def since_of(cards: Sequence[Card], beside: Comparison | None) -> Mapping[str, dict[str, str]]:
    """Return each card's fate since the compared attempt, and its former place in words, by card
    key.
    """
    if beside is None:
        return {}
    found = ((card.key, beside.of(card)) for card in cards)
    return {
        key: {
            "fate": str(since.fate),
            "was_at": (
                visible(str(since.was.span))
                if since.fate is FindingFate.MOVED and since.was and since.was.span
                else ""
            ),
        }
        for key, since in found
        if since is not None
    }


def past_card(gone: Gone, number: int) -> dict[str, Any]:
    """Return a finding that is gone since the attempt of this number as the browser draws it."""
    finding = gone.finding
    return {
        "key": gone.key,
        "file": gone.file,
        "line": finding.span.line if finding.span else None,
        "place": visible(str(finding.span)) if finding.span else "",
        "severity": str(finding.severity),
        "reviewer": visible(gone.reviewer),
        "rule": visible(finding.rule or ""),
        "fate": str(gone.fate),
        "message": visible(finding.claim or finding.message).strip(),
        "evidence": visible(without_repetition(finding.check.evidence, finding.message)),
        "check": str(finding.check.result),
        "where": attempt_words(number),
        "standing": gone.standing,
    }


def removed_files(attempts: Attempts, entries: Sequence[FileEntry]) -> tuple[FileEntry, ...]:
    """Return an entry for each file that is no longer there, so that what was in it can be read;
    those listed already are not.
    """
    if attempts.comparison is None:
        return ()
    known = {entry.path for entry in entries}
    changes = attempts.comparison.files
    gone = sorted(
        path
        for path, each in changes.items()
        if each.change is ChangedFile.REMOVED and path not in known
    )
    group = f"Removed since {attempt_words(attempts.comparison.number)}"
    return tuple(
        FileEntry(path=path, group=group, absent=True, counts={}, folded=0) for path in gone
    )


def change_of(attempts: Attempts, path: str) -> dict[str, Any] | None:
    """Return what became of a file, as the file list draws it; None if it is as it was, or
    nothing is compared.
    """
    beside = attempts.comparison
    change = beside.files.get(path) if beside else None
    if change is None:
        return None
    was = (
        f" (was {one_line(change.was)})"
        if change.change is ChangedFile.RENAMED and change.was
        else ""
    )
    return {
        "change": str(change.change),
        "words": f"{change.change}{was}",
        "came": change.came,
        "gone": change.gone,
    }


def tally_words(attempts: Attempts, cards: Sequence[Card]) -> list[list[Any]]:
    """Return how many findings had which fate, as `[fate, words, count]`, without those that none
    had.
    """
    if attempts.comparison is None:
        return []
    counts = attempts.comparison.tally(cards)
    return fate_counts(counts)


def _strip(attempts: Attempts, cards: Sequence[Card]) -> dict[str, Any] | None:
    """The line that chooses an attempt; None if there is none to choose and nothing to say."""
    if not attempts.earlier and not attempts.note:
        return None
    beside = attempts.comparison
    return {
        "options": [
            [beginning(each.id), attempt_words(each.number)] for each in reversed(attempts.earlier)
        ],
        "against": beginning(beside.before.submission.id) if beside else "",
        "note": attempts.note,
        "tally": tally_words(attempts, cards),
        "unheard": [one_line(name) for name in beside.unheard] if beside else [],
    }


def _words(beside: Comparison, path: str, was: str) -> str:
    """A remark about the whole file; empty if the lines say everything."""
    change = beside.files.get(path)
    if change is None:
        was_there = path in beside.before.submission.by_path
        return f"as in {attempt_words(beside.number)}" if was_there else ""
    match change.change:
        case ChangedFile.ADDED:
            return f"not in {attempt_words(beside.number)}"
        case ChangedFile.REMOVED:
            return f"only in {attempt_words(beside.number)}"
        case ChangedFile.RENAMED:
            return f"was {one_line(was)}"
        case _:
            return ""


@st.cache_resource(show_spinner=False, max_entries=64)
def _diff(was: str, before: str | None, path: str, after: str | None) -> Diff:
    texts = ((was, before), (path, after))
    one, other = (
        TokenSource([], "") if text is None else source_tokens(name, text) for name, text in texts
    )
    old, new = (["".join(tokens[1::2]) for tokens in source.lines] for source in (one, other))
    told = steps(old, new)
    gone = {
        line: one.lines[line]
        for step in told
        if not step.same
        for line in range(step.start, step.end)
    }
    lines = list(other.lines)
    for line, onto in successors(old, new, told):
        marks, its = changed_words(old[line], new[onto])
        gone[line], lines[onto] = marked(gone[line], marks), marked(lines[onto], its)
    inked = (["".join(line.split()) for line in lines] for lines in (old, new))
    return Diff(
        steps=_counted(told),
        inked=_counted(steps(*inked)),
        gone=[gone[line] for line in sorted(gone)],
        lines=lines,
    )


def _counted(told: Sequence[DiffStep]) -> list[list[int]]:
    return [
        [step.end - step.start] if step.same else [step.end - step.start, step.onto_end - step.onto]
        for step in told
    ]


def marked(tokens: list[str], marks: Sequence[Mark]) -> list[str]:
    """Return a line's tokens with those characters in tokens of their own that have changed, their
    class made `… w`.
    """
    if not marks:
        return tokens
    made: list[str] = []
    edges = [edge for mark in marks for edge in mark]
    at = 0
    for kind, text in zip(tokens[::2], tokens[1::2], strict=True):
        cuts = [at, *(edge for edge in edges if at < edge < at + len(text)), at + len(text)]
        for start, end in pairwise(cuts):
            within = any(first <= start < last for first, last in marks)
            made += [f"{kind} {MARKED}".strip() if within else kind, text[start - at : end - at]]
        at += len(text)
    return made
