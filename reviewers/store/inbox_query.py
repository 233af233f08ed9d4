"""The inbox's query, and the SQL conditions that it stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Any, Literal

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    FromClause,
    Integer,
    Row,
    Select,
    Table,
    and_,
    false,
    func,
    literal,
    literal_column,
    or_,
    select,
    true,
)

from reviewers.outcomes.category import ENVIRONMENT
from reviewers.records import Verdict
from reviewers.store.authors import Authors, written_by
from reviewers.store.columns import sortable
from reviewers.store.human_input import PEOPLE
from reviewers.store.reviewer_names import named
from reviewers.store.search import holds_every_word
from reviewers.store.tables import (
    attempts,
    chips,
    decisions,
    outcomes,
    reader_tallies,
    reviews,
    run_configs,
    standings,
    submissions,
    tallies,
)
from reviewers.store.triage import RULES

_MOST_WORDS = 20  # that are looked for in names
_LONGEST_NAME = 500  # in characters; databases refuse long patterns


class View(StrEnum):
    """Saved views; `ALL` holds every submission."""

    NEEDS_DECISION = "needs-decision"  # no decision yet
    DISAGREE = "disagree"  # two reviewers with different verdicts
    CONTRADICTED = "contradicted"  # a reviewer says ready, a confirmed blocker says no
    REFUTED = "refuted"  # at least one claim is refuted
    DECIDED = "decided"
    ALL = "all"


class Sort(StrEnum):
    """What is at the top."""

    NEEDED = "needed"  # what needs a person most
    NEWEST = "newest"
    OLDEST = "oldest"
    NAME = "name"
    BLOCKERS = "blockers"  # most confirmed blockers by one reviewer
    REFUTED = "refuted"  # most refuted claims of LLM reviewers
    MISSED = "missed"  # most confirmed blockers that no LLM reviewer named


class ReadAs(StrEnum):
    """The result of a claim by its reader."""

    JUDGED = "judged"  # its reading is judged
    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    OPEN = "open"
    OVERRULED = "overruled"  # a person reads it otherwise, or ruled against the fact check
    TWO_WAYS = "two-ways"  # another reader reads it otherwise


@dataclass(frozen=True, slots=True)
class InboxQuery:
    """What to show; None does not filter. Filters are joined by and.

    Attributes:
        text: every word must be in the name, run ids, hypothesis, method, a finding's message, a
            claim or the code, where a word begins: `bert` finds DistilBERT and `trials` finds
            n_trials.
        in_names: look for the text in names and titles alone, anywhere in a word: what anybody says
            of a submission must not lead to it.
        reviewer, verdict: together they ask for this verdict by this reviewer; alone, by any. A
            recorded answer's reviewer may be named with its model, here and below (see
            `reviewers.store.reviewer_names`).
        other, other_verdict: the same of a second reviewer.
        category, criterion: one finding has both, and is this reviewer's where one is given;
            refuted and dismissed ones do not count.
        refuted: the finding asked for by category and criterion is a refuted or dismissed one
            instead; alone, any such one.
        lineage, attempt: only submissions of this lineage, and of this number within their lineage.
        blind_decision: the verdict that people gave blind (`blind_verdicts`).
        undecided_by: id of an author who has no decision on it that stands.
        since, until: days in UTC, both included, on which it was generated, or imported where that
            is not known.
        model, dataset: of one of its run configs.
        generator, contract: who generated it, and by which contract it is judged.
        missed_by: this reviewer did not name a proven blocker there.
        failed_by: this reviewer was asked, and gave no verdict.
        proven: whether the rules prove a blocker there; they looked, at least.
        outcome: whether it failed by its own fault when it was really run, or ran through.
        read_by: this reader was to read a claim there.
        reading: the result of a claim there by that reader, or by any.
        mark: what a mark of the trends counts beyond that, in a word of `trends_marks`.
        assigned_to: id of the author who looks after it.
        unassigned: only what nobody looks after.
        by_lineage: show of each lineage the latest attempt that matches, instead of every one.
        limit, offset: the page, counted in what is shown.
    """

    view: View = View.ALL
    text: str = ""
    reviewer: str | None = None
    verdict: Verdict | None = None
    category: str | None = None
    criterion: int | None = None
    refuted: bool = False
    lineage: str | None = None
    decision: Verdict | None = None
    limit: int = 50
    offset: int = 0
    undecided_by: str | None = None
    since: date | None = None
    until: date | None = None
    attempt: int | None = None
    model: str | None = None
    dataset: str | None = None
    generator: str | None = None
    contract: str | None = None
    other: str | None = None
    other_verdict: Verdict | None = None
    missed_by: str | None = None
    failed_by: str | None = None
    proven: bool | None = None
    outcome: Literal["failed", "ran"] | None = None
    read_by: str | None = None
    reading: ReadAs | None = None
    mark: str | None = None
    blind_decision: Verdict | None = None
    in_names: bool = False
    assigned_to: str | None = None
    unassigned: bool = False
    by_lineage: bool = False
    sort: Sort = Sort.NEEDED


VIEWS: Mapping[View, ColumnElement[bool]] = {
    View.NEEDS_DECISION: ~standings.c.decided,
    View.DISAGREE: standings.c.disagree.is_(True),
    View.CONTRADICTED: standings.c.contradicted.is_(True),
    View.REFUTED: standings.c.refuted.is_(True),
    View.DECIDED: standings.c.decided.is_(True),
    View.ALL: true(),
}
# The plus keeps SQLite from fetching wide rows one by one by this number: the order's index is
# walked instead, which is twice as fast for a filter that lets much through.
_SUBMISSION: ColumnElement[int] = literal_column("+standings.submission", Integer)


def matching(connection: Connection, query: InboxQuery) -> Select[int]:
    """Return the numbers of the submissions that match, in no order."""
    wanted = select(standings.c.submission).where(VIEWS[query.view], *_days(query))
    if query.in_names:
        wanted = wanted.where(
            *in_names(query.text, connection.dialect.name, standings.c.sort_name, standings.c.title)
        )
    else:
        wanted = wanted.where(*holds_every_word(query.text, _SUBMISSION, connection.dialect.name))
    if query.decision is not None:
        wanted = wanted.where(standings.c.decision == query.decision)
    if query.assigned_to is not None:
        keys = Authors(connection).keys(query.assigned_to)
        wanted = wanted.where(standings.c.assigned.in_(keys))
    if query.unassigned:
        wanted = wanted.where(standings.c.assigned.is_(None))
    if query.blind_decision is not None:
        wanted = wanted.where(_SUBMISSION.in_(blind_verdicts(query.blind_decision)))
    if query.undecided_by is not None:
        wanted = wanted.where(_SUBMISSION.not_in(decided_by(connection, query.undecided_by)))
    if query.mark is not None:
        # They load numpy, which few commands need.
        from reviewers.store.trends_marks import marked
        from reviewers.store.trends_query import TrendsQuery

        trend = TrendsQuery(
            reviewer=query.reviewer,
            criterion=query.criterion,
            category=query.category,
            refuted=query.refuted,
        )
        wanted = wanted.where(_SUBMISSION.in_(marked(connection, query.mark, trend)))
    for members in _members(query):
        wanted = wanted.where(_SUBMISSION.in_(members))
    return wanted


def blind_verdicts(verdict: Verdict) -> Select[int]:
    """Return the numbers of the decided submissions on which the last verdict that was given blind
    is this one.

    What a person said after seeing the reviews does not take its place: else who gives in to a
    reviewer would count as having agreed with it.
    """
    given = select(func.max(decisions.c.number)).where(
        decisions.c.blind.is_(True), decisions.c.verdict.is_not(None)
    )
    return (
        select(standings.c.submission)
        .join(submissions, submissions.c.number == standings.c.submission)
        .join(decisions, decisions.c.submission_id == submissions.c.id)
        .where(standings.c.decided, decisions.c.verdict == verdict)
        .where(decisions.c.number.in_(given.group_by(decisions.c.submission_id)))
    )


def decided_by(connection: Connection, author: str) -> Select[int]:
    """Return the numbers of the submissions on which this person's newest record is a verdict."""
    return select(submissions.c.number).where(
        submissions.c.id.in_(ids_decided_by(connection, author))
    )


def ids_decided_by(connection: Connection, author: str) -> Select[str]:
    """Return the ids of the submissions on which this person's newest record is a verdict.

    Args:
        author: the author's id.
    """
    verdicts = func.max(decisions.c.number).filter(decisions.c.verdict.is_not(None))
    mine = (
        select(decisions.c.submission_id)
        .where(written_by(connection, decisions, author))
        .group_by(decisions.c.submission_id)
    )
    return mine.having(func.max(decisions.c.number) == verdicts)


def latest_attempts(wanted: Select[int], *, every: bool = False) -> Select[int]:
    """Return of each lineage the number of the latest attempt among those that are wanted; a
    submission that stands alone is one.

    Args:
        every: all that there are is wanted.
    """
    # One number for both, so that the index is walked once and nothing is sorted.
    last = func.max(attempts.c.number * literal(_APART, BigInteger) + attempts.c.submission)
    tied = select((last % _APART).label("submission"))
    if not every:
        tied = tied.where(attempts.c.submission.in_(select(wanted.subquery().c.submission)))
    known = select(attempts.c.submission).where(attempts.c.submission == standings.c.submission)
    alone = wanted.where(~known.exists())
    latest = tied.group_by(attempts.c.first).union_all(alone)
    return select(standings.c.submission).where(_SUBMISSION.in_(latest))


_APART = 1 << 32


def in_names(text: str, dialect: str, *columns: ColumnElement[str]) -> list[ColumnElement[bool]]:
    """Return the conditions under which each word stands in one of these columns, anywhere."""
    return [
        or_(
            *(
                # SQLite's LIKE takes capitals for small letters by itself, in a third of the time.
                (column.contains if dialect == "sqlite" else column.icontains)(
                    sortable(word.lower()), autoescape=True
                )
                for column in columns
            )
        )
        for word in text[:_LONGEST_NAME].split()[:_MOST_WORDS]
    ]


def _days(query: InboxQuery) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if query.since is not None:
        conditions.append(standings.c.dated_at >= _midnight(query.since))
    if query.until is not None and query.until < date.max:
        conditions.append(standings.c.dated_at < _midnight(query.until + timedelta(days=1)))
    return conditions


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _members(query: InboxQuery) -> list[Select[int]]:
    """What each filter lets through; what several of them let through matches."""
    finding = _with_finding(query)
    found = [_reviewed(query.other, query.other_verdict), finding]
    # Who has a finding there has a review there.
    if finding is None or query.verdict is not None:
        found.append(_reviewed(query.reviewer, query.verdict))
    for number, pairs in (
        (attempts.c.submission, _pairs(attempts, lineage=query.lineage, number=query.attempt)),
        (run_configs.c.submission, _pairs(run_configs, model=query.model)),
        (run_configs.c.submission, _pairs(run_configs, dataset=query.dataset)),
        (submissions.c.number, _pairs(submissions, generator=query.generator)),
        (submissions.c.number, _pairs(submissions, contract=query.contract)),
    ):
        if pairs:
            found.append(select(number).where(*pairs))
    for reviewer, condition in (
        (query.missed_by, chips.c.missed > 0),
        (query.failed_by, chips.c.verdict.is_(None)),
    ):
        if reviewer is not None:
            found.append(select(chips.c.submission).where(named(chips, reviewer), condition))
    if query.read_by is not None or query.reading is not None:
        found.append(_read(query.read_by, query.reading))
    if query.proven is not None:
        found.append(by_rules(proven=query.proven))
    if query.outcome is not None:
        found.append(came_to(query.outcome))
    return [members for members in found if members is not None]


def _pairs(table: Table, **wanted: object) -> list[ColumnElement[bool]]:
    """That columns have these values; None does not filter."""
    return [table.c[name] == value for name, value in wanted.items() if value is not None]


def _reviewed(reviewer: str | None, verdict: Verdict | None) -> Select[int] | None:
    if reviewer is None and verdict is None:
        return None
    if reviewer == PEOPLE and verdict is None:
        return select(tallies.c.submission).where(tallies.c.reviewer == PEOPLE)
    given = select(reviews.c.submission).where(reviews.c.current)
    given = given if reviewer is None else given.where(named(reviews, reviewer))
    return given if verdict is None else given.where(reviews.c.verdict == verdict)


def _with_finding(query: InboxQuery) -> Select[int] | None:
    # A mark says itself what is refuted there.
    asked = (
        query.category is not None
        or query.criterion is not None
        or (query.refuted and query.mark is None)
    )
    if not asked:
        return None
    counting = (
        tallies.c.refuted > literal_column("0")  # as the index has it
        if query.refuted
        else or_(tallies.c.confirmed > 0, tallies.c.unverified > 0)
    )
    names = ("reviewer", "category", "criterion")
    pairs = _pairs(tallies, **{name: getattr(query, name) for name in names})
    return select(tallies.c.submission).where(counting, *pairs)


def _read(reader: str | None, came: ReadAs | None) -> Select[int]:
    found = select(reader_tallies.c.submission).where(*_pairs(reader_tallies, reader=reader))
    return found if came is None else found.where(_CAME[came] > 0)


_DECIDED = reader_tallies.c.confirmed + reader_tallies.c.refuted
_CAME: Mapping[ReadAs, ColumnElement[int]] = {
    ReadAs.JUDGED: _DECIDED + reader_tallies.c.unverified,
    ReadAs.CONFIRMED: reader_tallies.c.confirmed,
    ReadAs.REFUTED: reader_tallies.c.refuted,
    ReadAs.OPEN: reader_tallies.c.unverified,
    ReadAs.OVERRULED: reader_tallies.c.reread + reader_tallies.c.ruled_out,
    ReadAs.TWO_WAYS: reader_tallies.c.two_ways,
}


def by_rules(*, proven: bool) -> Select[int]:
    """Return the numbers of the submissions in which the rules prove a blocker, or looked and prove
    none.
    """
    looked = select(chips.c.submission).where(chips.c.reviewer == RULES)
    if proven:
        return looked.where(chips.c.blockers > 0)
    return looked.where(chips.c.verdict.is_not(None), chips.c.blockers == 0)


_OWN = outcomes.c.category.is_distinct_from(ENVIRONMENT)
_RUN = outcomes.c.source == "run"
FAILED = _OWN & (outcomes.c.error.is_not(None) | (outcomes.c.exit_code != 0) | ~_RUN)
RAN = _OWN & _RUN & outcomes.c.error.is_(None) & (outcomes.c.exit_code == 0)
"""What failed by the machine's fault says nothing of the submission; one failure of its own
outweighs every success.
"""


def came_to(outcome: Literal["failed", "ran"]) -> Select[int]:
    """Return the numbers of the submissions with this outcome."""
    failed = select(outcomes.c.submission_id).where(FAILED)
    numbers = select(submissions.c.number)
    if outcome == "failed":
        return numbers.where(submissions.c.id.in_(failed))
    passed = select(outcomes.c.submission_id).where(RAN)
    return numbers.where(submissions.c.id.in_(passed), submissions.c.id.not_in(failed))


# What to sort by and whether the largest comes first; the last is unique, so that pages follow each
# other without a gap.
_Steps = tuple[tuple[ColumnElement[Any], bool], ...]
_NAMED: _Steps = ((standings.c.sort_name, False), (standings.c.submission, False))


def _largest(column: ColumnElement[Any]) -> _Steps:
    return ((column, True), (standings.c.submission, True))


_STEPS: Mapping[Sort, _Steps] = {
    Sort.NEEDED: ((standings.c.rank, True), (standings.c.dated_at, True), *_NAMED),
    Sort.NEWEST: _largest(standings.c.dated_at),
    Sort.OLDEST: ((standings.c.dated_at, False), (standings.c.submission, False)),
    Sort.NAME: _NAMED,
    Sort.BLOCKERS: _largest(standings.c.blockers),
    Sort.REFUTED: _largest(standings.c.claims_refuted),
    Sort.MISSED: _largest(standings.c.known_missed),
}


def order(sort: Sort, found: FromClause = standings) -> list[ColumnElement[Any]]:
    """Return what to order by: columns of standings, or of the same names."""
    named = ((found.c[column.name], falling) for column, falling in _STEPS[sort])
    return [column.desc() if falling else column.asc() for column, falling in named]


def steps_of(sort: Sort) -> list[ColumnElement[Any]]:
    """Return the columns to order by, without the submission."""
    return [column for column, _ in _STEPS[sort] if column is not standings.c.submission]


def later_than(here: Row[Any], sort: Sort) -> ColumnElement[bool]:
    """Return what comes after this standing, as if it had no decision."""
    later: ColumnElement[bool] = false()
    for column, falling in reversed(_STEPS[sort]):
        value = here.open_rank if column is standings.c.rank else here._mapping[column]
        later = or_(column < value if falling else column > value, and_(column == value, later))
    return later
