"""Why a search found a submission: the place that holds most of the words, which are marked."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Connection, select

from reviewers.store.rows import known_number, with_context
from reviewers.store.search import first_pieces, places_in
from reviewers.store.store import Store
from reviewers.store.tables import (
    contents,
    findings,
    own_findings,
    reviews,
    run_configs,
    submission_files,
    submissions,
)

_LONGEST_FILE = 200_000
_LONGEST_LINE = 2_000
_MOST_LINES = 400
"""Of one file that are looked at."""
_SHOWN = 160
_BEFORE = 10
"""In characters: of the text, and before the first word that is asked for."""


class FoundIn(StrEnum):
    """What kind of text holds the words."""

    NAME = "name"
    CODE = "code"
    FINDING = "finding"
    CONTEXT = "context"


@dataclass(frozen=True, slots=True)
class SearchPlace:
    """The best place of a submission for a search: the one with most of its words.

    Attributes:
        file, line: of code, or of the line that a finding is about; line is 1-based.
        by: the reviewer of a finding, or what kind of context it is; empty for a name or code.
        finding: its id; None elsewhere.
        text: of the place, in short.
        marks: where the words stand in `text`: start and end, in order, apart from each other.
        more: how many other places hold as many of the words.
    """

    kind: FoundIn
    text: str
    marks: tuple[tuple[int, int], ...]
    file: str | None = None
    line: int | None = None
    by: str = ""
    finding: str | None = None
    more: int = 0


_Place = tuple[FoundIn, str, str | None, int | None, str, str | None]


def search_places(
    store: Store, ids: Sequence[str], asked: str, *, in_names: bool = False
) -> dict[str, SearchPlace]:
    """Return the best place of each submission in which a place is found.

    Args:
        in_names: look at names and hypotheses alone.
    """
    if not asked.strip():
        return {}
    found: dict[str, SearchPlace] = {}
    with store.reading() as connection:
        for id in ids:
            number = known_number(connection, id)
            if number is not None:
                places = _places(connection, number, id, asked, in_names=in_names)
                if (best := _best(places, asked)) is not None:
                    found[id] = best
    return found


def _best(places: Iterable[_Place], asked: str) -> SearchPlace | None:
    best: _Place | None = None
    most = more = 0
    for place in places:
        words = len({word for _, _, word in places_in(place[1], asked)})
        if words > most:
            best, most, more = place, words, 0
        elif words and words == most:
            more += 1
    if best is None:
        return None
    kind, text, file, line, by, finding = best
    shown = _cut(text, places_in(text, asked)[0][0])
    marks = _apart((start, end) for start, end, _ in places_in(shown, asked))
    return SearchPlace(kind, shown, marks, file, line, by, finding, more)


def _cut(text: str, at: int) -> str:
    """As much of a line as is shown, with the first word that is asked for in it."""
    start = 0 if at <= _BEFORE else at - _BEFORE // 2
    if start:
        # From the beginning of a word on, so that a part of one is not taken for it.
        space = re.search(r"\s", text[start:at])
        start = start + space.end() if space else at
    cut = text[start : start + _SHOWN]
    return ("…" if start else "") + cut + ("…" if start + _SHOWN < len(text) else "")


def _apart(marks: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    apart: list[tuple[int, int]] = []
    for start, end in sorted(marks):
        if apart and start <= apart[-1][1]:
            apart[-1] = apart[-1][0], max(end, apart[-1][1])
        else:
            apart.append((start, end))
    return tuple(apart)


def _places(
    connection: Connection, number: int, id: str, asked: str, *, in_names: bool
) -> Iterator[_Place]:
    """All texts that may hold the words, the most telling first: of two places with equally many
    words the first one is shown.
    """
    its = with_context(submissions.c.name)
    row = connection.execute(its.where(submissions.c.number == number)).one()
    yield FoundIn.NAME, row.name, None, None, "", None
    if not in_names:
        yield from _code(connection, number, asked)
        yield from _findings(connection, number, id)
        runs = select(run_configs.c.run_id).where(run_configs.c.submission == number)
        for run in connection.scalars(runs.order_by(run_configs.c.position)):
            yield FoundIn.CONTEXT, run, None, None, "run", None
    for title, text in row.context["hypothesis"].items():
        yield FoundIn.CONTEXT, text or "", None, None, title, None
    for line in (row.context["method"] or "").splitlines():
        yield FoundIn.CONTEXT, line, None, None, "method", None


def _code(connection: Connection, number: int, asked: str) -> Iterator[_Place]:
    pieces = [re.escape(piece) for piece in first_pieces(asked)]
    if not pieces:
        return
    beginning = re.compile("|".join(pieces), re.IGNORECASE)
    for files in (submission_files, run_configs):
        wanted = select(files.c.path, files.c.repaired, contents.c.data).join(
            contents, contents.c.sha256 == files.c.content
        )
        wanted = wanted.where(files.c.submission == number).order_by(files.c.position)
        for row in connection.execute(wanted):
            text = row.repaired or row.data[:_LONGEST_FILE].decode("utf-8", "replace")
            for line, words in _lines(text[:_LONGEST_FILE], beginning):
                yield FoundIn.CODE, words, row.path, line, "", None


def _lines(text: str, beginning: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """The numbered lines in which a word may begin."""
    after, line, told = 0, 1, 0
    for found in beginning.finditer(text):
        if found.start() < after:
            continue
        start = text.rfind("\n", 0, found.start()) + 1
        line += text.count("\n", after, start)
        end = text.find("\n", start)
        after = len(text) if end < 0 else end
        told += 1
        if told > _MOST_LINES:
            return
        yield line, text[start:after].strip()[:_LONGEST_LINE]


def _findings(connection: Connection, number: int, id: str) -> Iterator[_Place]:
    said = (
        select(
            findings.c.id,
            findings.c.message,
            findings.c.claim,
            findings.c.file,
            findings.c.line,
            reviews.c.reviewer,
        )
        .join(reviews, reviews.c.number == findings.c.review)
        .where(reviews.c.submission == number, reviews.c.current)
        .order_by(reviews.c.number, findings.c.position)
    )
    seen: dict[str, set[str]] = defaultdict(set)
    for row in connection.execute(said):
        for text in (row.claim, row.message):
            if text and text not in seen[row.id]:
                seen[row.id].add(text)
                words = " ".join(text.split())
                yield FoundIn.FINDING, words, row.file, row.line, row.reviewer, row.id
    own = select(own_findings).where(own_findings.c.submission_id == id)
    for row in connection.execute(own.order_by(own_findings.c.number)):
        words = " ".join(row.message.split())
        yield FoundIn.FINDING, words, row.file, row.line, row.author, row.id
