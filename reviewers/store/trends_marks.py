"""Filters for the marks of the trends that the inbox lacks: each is a word in an address.

Words: `confirmed`, `refuted`, `unverified` (a finding with this fact check), `blocked` (a confirmed
blocker), `attempt-3` (the third attempt or a later one), `before-3` (an earlier one),
`kept-2:CATEGORY` (it appeared two attempts before and has stayed since), `predicted:CATEGORY`,
`missed:CATEGORY` and `not-reachable:CATEGORY` (a real failure or fix), `cause:RULE` and
`cause:PREDICATE` (a finding of a rule, or a claim that says so).
"""

from __future__ import annotations

import json
import re

import numpy as np
from sqlalchemy import Connection, Integer, Select, cast, column, func, literal, select
from sqlalchemy.dialects.postgresql import JSONB

from reviewers.outcomes.linking import Fate
from reviewers.records import Check
from reviewers.store.trends import blocked_in
from reviewers.store.trends_causes import caused
from reviewers.store.trends_facts import Flags, facts
from reviewers.store.trends_history import fated, survivors
from reviewers.store.trends_query import Looked, TrendsQuery

BLOCKED, CAUSE = "blocked", "cause"
_WORD = re.compile(
    r"(?P<word>[a-z]+(?:-[a-z]+)*)(?:-(?P<number>[0-9]{1,4}))?(?::(?P<category>.{1,200}))?",
    re.DOTALL,
)


def is_mark(word: str) -> bool:
    """Whether a word is one of those above."""
    found = _WORD.fullmatch(word)
    if found is None:
        return False
    kind, number, category = found["word"], found["number"], found["category"]
    match number is not None, category is not None:
        case False, False:
            return kind == BLOCKED or kind in set(Check)
        case True, False:
            return kind in ("attempt", "before")
        case True, True:
            return kind == "kept"
        case _:
            return kind in (CAUSE, *Fate)


def marked(connection: Connection, word: str, query: TrendsQuery) -> Select[int]:
    """Return the numbers of the submissions that a mark counts under a query; none if the word
    is not a mark.
    """
    looked = Looked(facts(connection), query)
    flags = _flags(connection, looked, word) if is_mark(word) else looked.held_by()
    numbers = json.dumps(looked.facts.submissions["number"][flags].tolist())
    # As one value, since a question can name only so many.
    if connection.dialect.name == "postgresql":
        each = func.jsonb_array_elements_text(cast(literal(numbers), JSONB)).table_valued("value")
        return select(cast(each.c.value, Integer))
    return select(func.json_each(literal(numbers)).table_valued(column("value", Integer)).c.value)


def _flags(connection: Connection, looked: Looked, word: str) -> Flags:
    found = _WORD.fullmatch(word)
    assert found is not None  # is_mark has seen to it
    kind, number, category = found["word"], int(found["number"] or 0), found["category"]
    if kind == BLOCKED:
        return blocked_in(looked) & looked.of
    if kind == "attempt":
        return looked.of & (looked.facts.submissions["attempt"] >= number)
    if kind == "before":
        attempt = looked.facts.submissions["attempt"]
        return looked.of & (attempt > 0) & (attempt < number)
    if kind == CAUSE:
        rows = [found.row for found in caused(connection, looked, category)]
        return looked.held_by(np.array(rows, dtype=np.int64))
    if kind == "kept":
        return survivors(looked, category, number)
    if category is not None:
        return fated(looked, category, Fate(kind))
    tallies = looked.facts.tallies
    having = looked.told & (tallies[kind] > 0)
    return np.logical_and(looked.held_by(tallies["submission"][having]), looked.of)
