"""One verdict on many submissions, each with its own record; and the reasons that a person gave
before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, func, insert, select, update

from reviewers.errors import UnknownSubmission
from reviewers.records import Verdict
from reviewers.store.authors import Signer, sign, written_by
from reviewers.store.insert import held, parts
from reviewers.store.rollups import count_anew
from reviewers.store.tables import decisions, standings
from reviewers.store.triage import DECIDED

_LOOKED_BACK = 300
_LONGEST_REASON = 200


def keep_decisions(
    connection: Connection,
    ids: Iterable[str],
    verdict: Verdict | None,
    reason: str,
    signer: Signer,
    at: datetime,
    blind: Collection[str] | None,
) -> int:
    """Add the same decision on each of these submissions and return how many records that made.

    Args:
        ids: what stands twice counts once.
        verdict: None takes back the decision that counts; if there is none, nothing is written.
        blind: those of the ids of which the person had not seen what others say; None if that
            is not known.

    Raises:
        UnknownSubmission: the store does not hold one of them.
    """
    wanted = sorted(set(ids))
    numbers = held(connection, wanted)
    if (unknown := next((id for id in wanted if id not in numbers), None)) is not None:
        raise UnknownSubmission(f"the store has no submission {unknown[:64]!r}")
    if verdict is None:
        decided = {id for some in parts(wanted) for id in connection.scalars(_decided(some))}
        numbers = {id: number for id, number in numbers.items() if id in decided}
    by = sign(connection, signer, at)
    said = {"verdict": verdict, "reason": reason, **by, "at": at}
    for names in parts(list(numbers)):
        rows = [
            {"submission_id": id, **said, "blind": None if blind is None else id in blind}
            for id in names
        ]
        connection.execute(insert(decisions), rows)
    for some in parts(list(numbers.values())):
        connection.execute(
            update(standings)
            .where(standings.c.submission.in_(some))
            .values(_standing(verdict, by["signer"], at))
        )
    count_anew(connection, numbers.values())
    return len(numbers)


def _decided(ids: Sequence[str]) -> Select[str]:
    """The ids of those with a decision that counts; base code may have one, and no standing."""
    newest = select(func.max(decisions.c.number)).where(decisions.c.submission_id.in_(ids))
    return select(decisions.c.submission_id).where(
        decisions.c.number.in_(newest.group_by(decisions.c.submission_id)),
        decisions.c.verdict.is_not(None),
    )


def _standing(verdict: Verdict | None, key: str, at: datetime) -> dict[str, Any]:
    """What a decision changes of all that is derived; so no review needs to be read."""
    if verdict is None:
        return {
            "decided": False,
            "decision": None,
            "decided_at": None,
            "decided_by": None,
            "rank": standings.c.open_rank,
        }
    return {
        "decided": True,
        "decision": verdict,
        "decided_at": at,
        "decided_by": key,
        "rank": DECIDED,
    }


def given_reasons(
    connection: Connection, author: str, verdict: Verdict, most: int
) -> tuple[str, ...]:
    """Return the reasons that a person, given by the author's id, gave most often of late for a
    verdict.
    """
    wanted = select(decisions.c.reason).where(
        written_by(connection, decisions, author), decisions.c.verdict == verdict
    )
    # By the table's own order: an author's decisions are many, and the last few hundred are near
    # its end.
    late = wanted.order_by(decisions.c.number.desc()).limit(_LOOKED_BACK).subquery()
    often = (
        select(late.c.reason).group_by(late.c.reason).order_by(func.count().desc(), late.c.reason)
    )
    short = often.where(func.length(late.c.reason) <= _LONGEST_REASON)
    return tuple(connection.scalars(short.limit(most)))
