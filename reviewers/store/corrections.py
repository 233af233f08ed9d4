"""A person's correction of a name that was given by mistake: a new name beside the old one, which
stays on the records.
"""

from collections.abc import Sequence

from sqlalchemy import Connection, and_, or_, select

from reviewers.errors import StoreError
from reviewers.store.authors import AuthorName, Authors, Given, checked_name, keep_names
from reviewers.store.refresh import refresh
from reviewers.store.store import Store
from reviewers.store.tables import own_findings, submissions


def known_authors(store: Store) -> tuple[tuple[AuthorName, ...], ...]:
    """Return the names of everybody who ever signed a record, the oldest first."""
    with store.reading() as connection:
        return tuple(map(tuple, Authors(connection).every.values()))


def has_signed(store: Store, id: str) -> bool:
    """Whether records are signed by the author with this id."""
    with store.reading() as connection:
        return bool(Authors(connection).keys(id))


def correct_name(store: Store, old: str, new: str, *, earlier: bool = False) -> None:
    """Show what was signed with a name under another one from now on; both stay known.

    Who is called by the new name already is the same author then, where both names were given at
    the desk.

    Args:
        earlier: whether records from before authors were told apart are meant as well; they stay
            authors of their own.

    Raises:
        StoreError: nobody at the desk signed with the old name, or the new one cannot be kept.
    """
    new = checked_name(new)
    if new == old:
        return
    with store.writing() as connection:
        names = Authors(connection)
        keys = names.called(old) if earlier else names.keys(old)
        meant = [key for key in keys if names.every[key][-1].given is not Given.PROVIDER]
        if not meant:
            raise StoreError(f"nothing is signed by a name {old[:100]!r} that was given here")
        at = store.now()
        added = [AuthorName(key, names.every[key][-1].given, new, at) for key in meant]
        refresh_named(connection, keep_names(connection, added))


def refresh_named(connection: Connection, names: Sequence[AuthorName]) -> None:
    """Write anew what is derived with the names of these authors in it."""
    keys = {each.key for each in names}
    every = Authors(connection).every
    earlier = [every[key][0].name for key in keys if every[key][0].given is Given.RECORDED]
    theirs = or_(
        own_findings.c.signer.in_(keys),
        and_(own_findings.c.signer.is_(None), own_findings.c.author.in_(earlier)),
    )
    wanted = select(submissions.c.number).where(
        submissions.c.id.in_(select(own_findings.c.submission_id).where(theirs))
    )
    for number in connection.scalars(wanted.order_by(submissions.c.number)).all():
        refresh(connection, number, texts=False)
