"""The contracts that came with submissions, asked for many at once."""

from collections.abc import Collection, Mapping

from sqlalchemy import select

from reviewers.store.keep import parts
from reviewers.store.store import Store
from reviewers.store.tables import submissions


def contracts_of(store: Store, ids: Collection[str]) -> Mapping[str, str | None]:
    """Return the TOML of what came with those submissions that are kept, by id; None where nothing
    did.
    """
    found: dict[str, str | None] = {}
    wanted = select(submissions.c.id, submissions.c.contract_text)
    with store.reading() as connection:
        for some in parts(sorted(ids)):
            rows = connection.execute(wanted.where(submissions.c.id.in_(some)))
            found |= {row.id: row.contract_text for row in rows}
    return found
