"""Updates the lineages of submissions; every function runs within its caller's transaction."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, or_, select, text, true, update

from reviewers.attempts.lineages import Lineage, LineageDecision, Why, recognise
from reviewers.attempts.members import Member, candidates_key, member_of, original_of
from reviewers.records import ResearchContext
from reviewers.store.changes import mark_changed
from reviewers.store.insert import parts
from reviewers.store.rows import submission_of, with_context
from reviewers.store.submission_title import title
from reviewers.store.tables import IN_LINEAGES, attempts, relations, run_configs, submissions

_LOCK = 0x6C696E65  # "line"
_MOST_READ = 40
"""Of more members the code is not read: nobody could tell their order by it."""
_LONGEST_NAME = 60
_LONGEST_GIVEN = 150
"""Characters of a name that a source gives; it ends up in an index, which PostgreSQL bounds."""
_SHORTEST_BEGINNING = 3
_DIGITS = 6
"""Of a submission's id, to tell lineages of one name apart."""


def recognise_around(connection: Connection, numbers: Iterable[int]) -> None:
    """Update the lineages of these submissions and of all that may be attempts at the same
    experiments.
    """
    _hold(connection)
    rows = [
        row
        for few in parts(sorted(set(numbers)))
        for row in _likenesses(connection, submissions.c.number.in_(few))
    ]
    told = [(row.number, row.likeness or _likeness(connection, row.number)) for row in rows]
    _recognise(connection, {likeness for _, likeness in told})


def forget(connection: Connection, numbers: Iterable[int]) -> None:
    """Take submissions that no longer count out of their lineages."""
    _hold(connection)
    _write(connection, sorted(numbers), {})


def recognise_all(connection: Connection) -> None:
    """Recompute every submission's likeness and lineage."""
    _hold(connection)
    left = {
        _likeness(connection, number)
        for number in connection.scalars(select(submissions.c.number).where(IN_LINEAGES)).all()
    }
    connection.execute(delete(attempts))
    mark_changed(connection, true())
    while left:
        left -= _recognise(connection, {left.pop()})


def relations_among(connection: Connection, ids: Iterable[str]) -> list[Row[Any]]:
    """Return all that persons said of these submissions and others, the oldest first."""
    wanted = sorted(set(ids))
    found = {
        row.number: row
        for few in parts(wanted)
        for row in connection.execute(
            select(relations).where(or_(relations.c.one.in_(few), relations.c.other.in_(few)))
        )
    }
    return sorted(found.values(), key=lambda row: (row.at, row.number))


def _hold(connection: Connection) -> None:
    """Let one transaction at a time recognise; of two that add attempts at once, each would miss
    the other's.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})


def _recognise(connection: Connection, likenesses: set[str]) -> set[str]:
    """Write the lineages of these likenesses and of those that persons tied to them; return all of
    them.
    """
    rows, said, reached = _tied(connection, likenesses)
    numbers = {row.id: row.number for row in rows}
    members = {member.id: member for member in _members(connection, rows)}
    decisions = [
        LineageDecision(each.one, each.other, each.together, each.at.timestamp()) for each in said
    ]
    values: dict[int, dict[str, Any]] = {}
    for lineage in recognise(list(members.values()), decisions):
        called = _called(lineage, members)
        if called is not None:
            values |= {numbers[id]: each for id, each in _values(lineage, members, called)}
    _write(connection, sorted(numbers.values()), values)
    return reached


def _tied(
    connection: Connection, likenesses: set[str]
) -> tuple[list[Row[Any]], list[Row[Any]], set[str]]:
    """The submissions of these likenesses and of those that persons tied to them, what they said,
    and all the likenesses.
    """
    rows: dict[str, Row[Any]] = {}
    said: dict[int, Row[Any]] = {}
    reached: set[str] = set()
    wanted = set(likenesses)
    while wanted:
        reached |= wanted
        new = [
            row
            for few in parts(sorted(wanted))
            for row in _likenesses(connection, submissions.c.likeness.in_(few), named=True)
        ]
        rows |= {row.id: row for row in new}
        found = relations_among(connection, [row.id for row in new])
        said |= {each.number: each for each in found}
        others = sorted({id for each in found for id in (each.one, each.other)} - rows.keys())
        beyond = [
            row.likeness
            for few in parts(others)
            for row in _likenesses(connection, submissions.c.id.in_(few))
        ]
        wanted = set(beyond) - reached
    return list(rows.values()), sorted(said.values(), key=lambda each: each.number), reached


def _likenesses(connection: Connection, condition: Any, *, named: bool = False) -> Sequence[Any]:
    own = (
        submissions.c.number,
        submissions.c.id,
        submissions.c.likeness,
        submissions.c.lineage,
        submissions.c.attempt,
        submissions.c.generated_at,
        submissions.c.generator,
        submissions.c.source,
    )
    wanted = with_context(*own) if named else select(*own)
    return connection.execute(wanted.where(condition, IN_LINEAGES)).all()


def _likeness(connection: Connection, number: int) -> str:
    """Work out and keep what a submission shares with its fellow attempts."""
    (row,) = _likenesses(connection, submissions.c.number == number, named=True)
    (member,) = _without_code(connection, [row])
    likeness = candidates_key(member)
    connection.execute(
        update(submissions).where(submissions.c.number == number).values(likeness=likeness)
    )
    return likeness


def _members(connection: Connection, rows: Sequence[Row[Any]]) -> list[Member]:
    if 1 < len(rows) <= _MOST_READ:
        return [
            member_of(submission_of(connection, row.number), row.id, _position(row)) for row in rows
        ]
    return _without_code(connection, rows)


def _without_code(connection: Connection, rows: Sequence[Row[Any]]) -> list[Member]:
    runs: dict[int, list[str]] = defaultdict(list)
    for few in parts([row.number for row in rows]):
        wanted = select(run_configs.c.submission, run_configs.c.run_id).where(
            run_configs.c.submission.in_(few)
        )
        for run in connection.execute(
            wanted.order_by(run_configs.c.submission, run_configs.c.position)
        ):
            runs[run.submission].append(run.run_id)
    return [
        Member(
            row.id,
            lineage=row.lineage,
            attempt=row.attempt,
            hypothesis=row.context["hypothesis"],
            method=row.context["method"],
            runs=tuple(runs[row.number]),
            position=_position(row),
            repaired=original_of(row.generator, row.source),
        )
        for row in rows
    ]


def _position(row: Row[Any]) -> float | None:
    return None if row.generated_at is None else row.generated_at.timestamp()


def _called(lineage: Lineage, members: Mapping[str, Member]) -> str | None:
    """The name to show before it is distinguished from others; None for one submission alone, of
    which no name is known.
    """
    if lineage.name is not None:
        return lineage.name[:_LONGEST_GIVEN]
    if len(lineage.members) == 1:
        return None
    first = members[lineage.attempts[0].members[0]]
    context = ResearchContext(hypothesis=first.hypothesis, method=first.method)
    if words := title(context, ()).rstrip(".:;, "):
        return (
            words if len(words) <= _LONGEST_NAME else words[:_LONGEST_NAME].rsplit(" ", 1)[0] + " …"
        )
    beginning = _common_beginning(
        [run for id in lineage.members for run in members[id].runs]
    ).strip("-_. ")
    return beginning[:_LONGEST_NAME] if len(beginning) >= _SHORTEST_BEGINNING else lineage.key[:8]


def _common_beginning(texts: Sequence[str]) -> str:
    first, last = min(texts, default=""), max(texts, default="")  # all others lie between these two
    return first[
        : next(
            (at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other),
            len(first),
        )
    ]


def _values(
    lineage: Lineage, members: Mapping[str, Member], called: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The row of each member, by its id."""
    ties: dict[str, list[tuple[bool, float, Why, float | None]]] = defaultdict(list)
    for join in lineage.joins:
        for id in (join.one, join.other):
            ties[id].append((join.why is Why.DECISION, join.score or 0.0, join.why, join.score))
    for attempt in lineage.attempts:
        for id in attempt.members:
            is_ours = members[id].repaired is not None
            _, _, why, score = max(
                ties[id], key=lambda tie: tie[:2], default=(False, 0.0, None, None)
            )
            yield (
                id,
                {
                    "number": -attempt.number if is_ours else attempt.number,
                    "first": lineage.attempts[0].members[0],
                    "called": called,
                    "order_by": lineage.order_by,
                    "why": why,
                    "score": score,
                },
            )


def _write(
    connection: Connection, numbers: Sequence[int], values: Mapping[int, dict[str, Any]]
) -> None:
    """Replace the rows of these submissions where they say something else, and see to it that names
    are told apart.
    """
    known = {
        row.submission: row
        for few in parts(numbers)
        for row in connection.execute(select(attempts).where(attempts.c.submission.in_(few)))
    }
    gone = [
        number
        for number, row in known.items()
        if number not in values or not _same(row, values[number])
    ]
    for few in parts(gone):
        connection.execute(delete(attempts).where(attempts.c.submission.in_(few)))
    new = [
        {"submission": number, "lineage": each["called"], **each}
        for number, each in values.items()
        if number not in known or number in set(gone)
    ]
    if new:
        connection.execute(insert(attempts), new)
    changed = {*gone, *(each["submission"] for each in new)}
    for called in sorted(
        {known[number].called for number in gone} | {each["called"] for each in new}
    ):
        changed.update(_tell_apart(connection, called))
    for few in parts(sorted(changed)):
        mark_changed(connection, submissions.c.number.in_(few))


def _same(row: Row[Any], values: Mapping[str, Any]) -> bool:
    return all(getattr(row, name) == value for name, value in values.items())


def _tell_apart(connection: Connection, called: str) -> Iterator[int]:
    """Give lineages of one name different names, whichever was there first; yield the submissions
    whose lineage has another name now.
    """
    ours = attempts.c.called == called
    firsts = connection.scalars(select(attempts.c.first).where(ours).distinct()).all()
    for first in firsts:
        name = called if len(firsts) == 1 else f"{called} {first[:_DIGITS]}"
        own = ours & (attempts.c.first == first) & (attempts.c.lineage != name)
        renamed = update(attempts).where(own).values(lineage=name)
        yield from connection.scalars(renamed.returning(attempts.c.submission))
