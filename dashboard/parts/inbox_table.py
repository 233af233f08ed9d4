"""The inbox table: one row per submission, one cell per reviewer, and keys to decide on one or many
rows.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dashboard.addresses import PAGE_SIZE, inbox_address, submission_address
from dashboard.dates import age_of
from dashboard.parts.colours import reviewer_colours
from dashboard.parts.component import load
from dashboard.parts.plain import one_line
from dashboard.parts.words import author_words, chip_data, verdict_words
from reviewers.records import Verdict
from reviewers.store.inbox import InboxPage, InboxQuery, InboxRow, ReviewChip

_mount = load("inbox_table")


@dataclass(frozen=True, slots=True)
class Person:
    """Who is at the desk.

    Attributes:
        reasons: given lately, to be offered again.
        hidden: ids of the submissions whose reviews this person does not want to see before
            deciding.
    """

    name: str
    reasons: Mapping[Verdict, Sequence[str]]
    hidden: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """The result of the last decisions.

    Attributes:
        at: when, in seconds since 1970; tells one such message from the next.
        undo: ids of the submissions whose decision can be taken back at once.
    """

    words: str
    at: float
    undo: tuple[str, ...] = ()


def inbox_table(
    found: InboxPage,
    reviewers: Sequence[str],
    query: InboxQuery,
    person: Person,
    done: Done | None,
    *,
    contracts: bool,
    meant: Mapping[str, str],
    key: str,
    on_events: Callable[[], None],
) -> None:
    """Draw the rows in the order given.

    Where there is no row, it says only the outcome of the last decisions.

    Events: `decide` with `ids`, `verdict` and `reason`; `decide_all` with `verdict`, `reason`, the
    `total` that was agreed to and whether to `keep` decisions that stand; `undo`.

    Args:
        reviewers: one column each, in this order.
        query: goes along with each link.
        contracts: whether a column tells by which contract each is judged.
        meant: the finding at which a submission opens, by its id; at its first one else.
    """
    colours = reviewer_colours(reviewers)
    data = {
        "reviewers": [
            {"name": one_line(name), "short": _short(name, reviewers), "rev": colours[name]}
            for name in reviewers
        ],
        "contracts": contracts,
        "rows": [
            _row(row, reviewers, query, row.id in person.hidden, meant.get(row.id))
            for row in found.rows
        ],
        "query": inbox_address(replace(query, offset=0)),
        "total": found.total,
        "decided": found.decided,
        "offset": query.offset,
        "pages": {
            name: inbox_address(replace(query, offset=at))
            for name, at in _turns(found, query.offset).items()
        },
        "person": {
            "name": person.name,
            "reasons": {
                str(of): [one_line(each) for each in said] for of, said in person.reasons.items()
            },
        },
        "said": (
            done and {"words": one_line(done.words, 300), "number": done.at, "undo": len(done.undo)}
        ),
    }
    _mount(key=key, data=data, on_events=on_events)


def _turns(found: InboxPage, offset: int) -> Mapping[str, int]:
    """Where the pages before and after begin."""
    last = max(0, (found.total - 1) // PAGE_SIZE * PAGE_SIZE)
    before = {"First": 0, "Previous": min(last, offset - PAGE_SIZE)} if offset else {}
    after = {"Next": offset + PAGE_SIZE, "Last": last} if offset < last else {}
    return {**before, **after}


def _row(
    row: InboxRow, reviewers: Sequence[str], query: InboxQuery, hidden: bool, meant: str | None
) -> dict[str, Any]:
    return {
        "id": row.id,
        "href": submission_address(row.id, query, meant),
        "name": one_line(row.name),
        "attempt": row.attempt and f"attempt {row.attempt} of {row.attempts}",
        "title": one_line(row.title, 240),
        "contract": one_line(row.contract or "—"),
        "age": age_of(row.generated, row.imported_at),
        "hidden": hidden,
        "cells": (
            []
            if hidden
            else [
                [_review(chip) for chip in row.chips if chip.reviewer == name] for name in reviewers
            ]
        ),
        "missed": None if hidden else row.missed,
        "attention": "hidden until you decide" if hidden else one_line(row.attention),
        # Who goes through what they have not decided on themselves is led to what others
        # decided on, too.
        "open": hidden or row.decision is None or query.undecided_by is not None,
        **_decision(row, hidden),
    }


def _decision(row: InboxRow, hidden: bool) -> dict[str, Any]:
    """The current decision; None on a hidden row, where it would be another person's."""
    verdict, author, at = (
        (None, None, None) if hidden else (row.decision, row.decided_by, row.decided_at)
    )
    return {
        "decision": verdict and str(verdict),
        "decided": verdict_words(verdict) if verdict else "",
        "decided_by": one_line(author_words(author), 160) if author else "",
        "initials": _initials(author.name) if author else "",
        "decided_at": at and at.isoformat(),
    }


def _review(chip: ReviewChip) -> dict[str, Any]:
    return {
        **chip_data(chip),
        "model": one_line(chip.model or ""),
        "failure": one_line(chip.failure or ""),
        "blockers": chip.blockers,
    }


def _short(name: str, reviewers: Sequence[str]) -> str:
    """The name without its provider, unless another one is called so too."""
    own = name.rpartition(":")[2]
    return one_line(
        own if own and [each.rpartition(":")[2] for each in reviewers].count(own) == 1 else name
    )


def _initials(author: str) -> str:
    words = one_line(author, 60).replace(".", " ").replace("_", " ").split()
    return "".join(word[0].upper() for word in words[:3]) if len(words) > 1 else "".join(words)[:8]
