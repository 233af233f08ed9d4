"""The contracts of submissions: what came with them, and what people chose."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection, insert, select

from reviewers.records import Submission
from reviewers.roles import Act
from reviewers.rubric.built_in import parse_contract
from reviewers.store.authors import Author, Signer, sign, signed_rows, signer_of
from reviewers.store.change_log import ChangeKind, keep_change
from reviewers.store.insert import name_contract, numbered, parts
from reviewers.store.refresh import refresh
from reviewers.store.rows import shown_submission
from reviewers.store.store import Store
from reviewers.store.submission import identified
from reviewers.store.tables import contract_choices, submissions


@dataclass(frozen=True, slots=True)
class ContractChoice:
    """A person's word on the contract by which a submission is judged.

    Attributes:
        text: TOML; None takes earlier choices back.
    """

    text: str | None
    author: Author
    at: datetime


def contracts_of(store: Store, ids: Collection[str]) -> Mapping[str, Submission]:
    """Return those submissions that are kept, by id, each with the contract that counts."""
    found: dict[str, Submission] = {}
    with store.reading() as connection:
        for some in parts(sorted(ids)):
            wanted = select(submissions.c.id, submissions.c.number)
            for row in connection.execute(wanted.where(submissions.c.id.in_(some))).all():
                found[row.id] = shown_submission(connection, row.number)
    return found


def judged_as_kept(store: Store, submission: Submission) -> Submission:
    """Return a submission with the contract by which the store has it judged, where it is kept."""
    kept = contracts_of(store, [submission.id]).get(submission.id)
    return submission if kept is None else replace(submission, contract=kept.contract)


def choose_contract(
    store: Store, prefix: str, text: str | None, author: str | Signer
) -> Submission:
    """Say by which contract a submission is judged from now on; its reviews stay as they are until
    others are added.

    Args:
        prefix: its id, or an unambiguous prefix of at least 8 characters.
        text: TOML; None takes earlier choices back.

    Raises:
        ContractError: the contract is invalid.
        StoreError: the author's name cannot be kept.
        UnknownSubmission: there is none, or the prefix is ambiguous.
    """
    if text is not None:
        parse_contract(text)
    signer = signer_of(author)
    with store.writing(Act.CHOOSE_CONTRACT) as connection:
        number, id = identified(connection, prefix)
        numbered(connection, id)
        earlier = choices_in(connection, id)
        if text != (earlier[-1].text if earlier else None):
            at = store.now()
            by = sign(connection, signer, at)
            values = {"submission_id": id, "text": text, "at": at, **by}
            connection.execute(insert(contract_choices).values(values))
            its = select(submissions.c.contract).where(submissions.c.number == number)
            before = connection.scalar(its)
            name_contract(connection, number)
            names = before, connection.scalar(its)
            keep_change(connection, ChangeKind.CONTRACT, f"submission {id[:12]}", names, by, at)
            refresh(connection, number, texts=False)
        return shown_submission(connection, number)


def choices_in(connection: Connection, submission_id: str) -> tuple[ContractChoice, ...]:
    """Return what persons chose for a submission, the oldest first."""
    return tuple(
        ContractChoice(row.text, author, row.at)
        for row, author in signed_rows(connection, contract_choices, submission_id)
    )
