"""Batches submitted to providers, stored so that their answers are collected after a restart and
not paid for twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from sqlalchemy import insert, select, update

from reviewers.roles import Act
from reviewers.store.store import Store
from reviewers.store.tables import batches


@dataclass(frozen=True, slots=True)
class ProviderBatch:
    """One batch.

    Attributes:
        label: ours, by which the provider finds it again.
        server: base URL of the provider, without a slash at its end.
        provider_ids: what the provider calls its parts; none if it is not known whether the
            provider got it.
        questions: submission id by question id.
    """

    label: str
    reviewer: str
    server: str
    provider_ids: tuple[str, ...]
    questions: Mapping[str, str]


def open_batches(store: Store, server: str) -> tuple[ProviderBatch, ...]:
    """Return the batches at a server whose answers have not been collected, oldest first, all
    that were sent.
    """
    wanted = select(batches).where(batches.c.server == server, batches.c.ended.is_(False))
    with store.reading() as connection:
        rows = connection.execute(wanted.order_by(batches.c.at, batches.c.label))
        return tuple(
            ProviderBatch(
                row.label, row.reviewer, row.server, tuple(row.provider_ids), row.questions
            )
            for row in rows
        )


def announce_batch(store: Store, batch: ProviderBatch) -> None:
    """Record a batch before it is submitted."""
    with store.writing(Act.ASK) as connection:
        connection.execute(
            insert(batches).values(**asdict(batch), ended=False, at=datetime.now(UTC))
        )


def name_batch(store: Store, label: str, provider_ids: Sequence[str]) -> None:
    """Record the provider's ids of a batch's parts."""
    with store.writing(Act.ASK) as connection:
        connection.execute(
            update(batches).where(batches.c.label == label).values(provider_ids=list(provider_ids))
        )


def end_batch(store: Store, label: str) -> None:
    """Record that a batch is finished."""
    with store.writing(Act.ASK) as connection:
        connection.execute(update(batches).where(batches.c.label == label).values(ended=True))
