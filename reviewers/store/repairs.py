"""The proven repairs of submissions, as a worker made them, and which of them people took."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any, Protocol

from sqlalchemy import Connection, delete, func, insert, select

from reviewers.errors import StoreError
from reviewers.offers import Hunk, Offer, Offers, ProvenWay, offers_json, offers_of
from reviewers.records import OWN_GENERATOR
from reviewers.roles import Act
from reviewers.store.authors import Author, Signer, sign, signed_rows, signer_of
from reviewers.store.insert import numbered
from reviewers.store.store import Store
from reviewers.store.tables import SHOWN, repair_choices, repair_plans, submissions

LONGEST_WAY = 2_000
"""In characters: of the words by which a chosen way is kept."""
LONGEST_REASON = 500
LONGEST_EDIT = 200_000
"""In characters, as it is kept."""
_WHOLE = ""
_EDITED, _OWN = "edited ", "own "


@dataclass(frozen=True, slots=True)
class RepairChoice:
    """One record of a person who takes a repair or takes that back.

    Attributes:
        way: which way, as `way_key` names it; empty if none is taken.
        taken: whether it is to be made.
        reason: why it is declined; None if it is not.
        edited: the hunks that the person wrote instead of the way's own, as JSON; None if they
            wrote none.
    """

    finding_id: str
    rule: str
    way: str
    taken: bool
    author: Author
    at: datetime
    reason: str | None = None
    edited: str | None = None

    def __post_init__(self) -> None:
        wrong = len(self.way) > LONGEST_WAY or (self.taken and not self.way)
        if wrong or not _fits(self.taken, self.reason, self.edited):
            raise ValueError(self.way)

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """What the person wrote."""
        return tuple(Hunk(**each) for each in json.loads(self.edited or "[]"))

    @property
    def is_own(self) -> bool:
        """Whether the person's edit is to be made even where its review proves nothing."""
        return self.way.startswith(_OWN)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person wants of one repair.

    Attributes:
        way: None for none of its ways.
        reason: why it is declined; None if it is not.
        edited: what they wrote instead of the lines that are offered, see `edit_of`; then `way` is
            `edit_key` of it.
    """

    finding_id: str
    rule: str
    way: str | None
    reason: str | None = None
    edited: str | None = None


@dataclass(frozen=True, slots=True)
class ProvenRepairs:
    """Repairs that were made one after another, each proven on the version before it.

    Attributes:
        patch: from the submission to the repaired version, as `git apply` takes it.
        repaired: id of the repaired version.
        unproven: of edits of people that do not hold the reason why, by finding id. Such an edit is
            among the repairs where its person keeps it all the same.
    """

    offers: Offers
    patch: str
    repaired: str
    unproven: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SubmissionRepairs:
    """What is known of the repairs of a submission.

    Attributes:
        plan: all that is offered; None where no worker made it yet.
        choices: what counts of people's words, by finding id; what was taken back is left out.
        declined: the newest words of people who want no repair of a finding, by its id.
        made: what is wanted, made together; None if that is the whole plan, or no worker has made
            it yet.
    """

    plan: ProvenRepairs | None
    choices: Mapping[str, RepairChoice]
    declined: Mapping[str, RepairChoice]
    made: ProvenRepairs | None

    @property
    def taken(self) -> Mapping[str, str]:
        """The ways that people took of those that are offered, and their edits, by finding id."""
        offers = self.plan.offers.repairs if self.plan else ()
        return {
            each.finding: self.choices[each.finding].way
            for each in offers
            if self.edit(each) is not None or self.way(each) is not None
        }

    @property
    def wanted(self) -> Mapping[str, str] | None:
        """What is to be made: what people took, else all that they did not decline; None for the
        whole plan.
        """
        offers = self.plan.offers.repairs if self.plan else ()
        if self.taken or not any(each.finding in self.declined for each in offers):
            return self.taken or None
        left = [each for each in offers if each.finding not in self.declined]
        return {each.finding: way_key(each.ways[0]) for each in left}

    def edit(self, offer: Offer) -> RepairChoice | None:
        """Return a person's edit of a repair; None if none counts."""
        choice = self.choices.get(offer.finding)
        return choice if choice and choice.edited is not None else None

    def way(self, offer: Offer) -> ProvenWay | None:
        """Return the way of a repair that a person took; None if that is not offered any more."""
        choice = self.choices.get(offer.finding)
        ways = (each for each in offer.ways if choice and way_key(each) == choice.way)
        return next(ways, None)


class RepairWay(Protocol):
    """A way to repair a finding, as it is proposed or offered."""

    @property
    def intent(self) -> str: ...
    @property
    def choice(self) -> str: ...


def way_key(way: RepairWay) -> str:
    """Return the words by which a chosen way is kept: the answer, or else what it does."""
    return (way.choice or way.intent)[:LONGEST_WAY]


def edit_of(hunks: Sequence[Hunk]) -> str:
    """Return what a person wrote as it is kept."""
    return json.dumps([asdict(each) for each in hunks])


def edit_key(edited: str, *, is_own: bool = False) -> str:
    """Return by what an edit is known among the ways of a repair.

    Args:
        is_own: whether it is made even where its review proves nothing.
    """
    return f"{_OWN if is_own else _EDITED}{hashlib.sha256(edited.encode()).hexdigest()}"


def keep_repairs(
    store: Store,
    submission_id: str,
    version: str,
    proven: ProvenRepairs,
    taken: Mapping[str, str] | None = None,
) -> None:
    """Keep the plan of a submission, or the repairs that people took, in place of the same ones
    and of what other code proved.

    Args:
        version: of our code, which proved them.
        taken: the ways that were taken, by finding id; None for the plan.

    Raises:
        UnknownSubmission: the store has no submission with this id.
    """
    chosen = chosen_key(taken)
    told = {
        **{name: getattr(proven, name) for name in ("patch", "repaired", "unproven")},
        **offers_json(proven.offers),
    }
    with store.writing(Act.WORK) as connection:
        number = numbered(connection, submission_id)
        # What was made of other choices stays: people come back to them.
        old = (repair_plans.c.chosen == chosen) | (repair_plans.c.version != version)
        connection.execute(delete(repair_plans).where(repair_plans.c.submission == number, old))
        values = {"submission": number, "chosen": chosen, "version": version, "at": store.now()}
        connection.execute(insert(repair_plans).values(**values, told=told))


def repairs_of(store: Store, submission_id: str, version: str) -> SubmissionRepairs:
    """Return what is known of the repairs of a submission.

    Args:
        version: of our code; what another one proved does not count.
    """
    with store.reading() as connection:
        wanted = (
            select(repair_plans.c.chosen, repair_plans.c.told)
            .join(submissions, submissions.c.number == repair_plans.c.submission)
            .where(submissions.c.id == submission_id, repair_plans.c.version == version)
        )
        proven = {row.chosen: _proven(row.told) for row in connection.execute(wanted)}
        choices = {each.finding_id: each for each in repair_choices_in(connection, submission_id)}
    plan = proven.get(_WHOLE)
    known = SubmissionRepairs(
        plan,
        {id: each for id, each in choices.items() if each.taken},
        {id: each for id, each in choices.items() if each.reason is not None},
        None,
    )
    if plan is None or known.wanted is None:
        return known
    is_all = known.wanted == {each.finding: way_key(each.ways[0]) for each in plan.offers.repairs}
    return replace(known, made=plan if is_all else proven.get(chosen_key(known.wanted)))


def repaired_versions(store: Store) -> int:
    """Return how many versions that we repaired the store has; they are counted nowhere else."""
    ours = select(func.count()).where(submissions.c.generator == OWN_GENERATOR, SHOWN)
    with store.reading() as connection:
        return connection.scalar(ours) or 0


def offers_in(
    connection: Connection, number: int, submission_id: str, version: str
) -> Offers | None:
    """Return the repairs that this version of our code offers, without those that people declined;
    None if none are kept.
    """
    its = (repair_plans.c.submission == number) & (repair_plans.c.version == version)
    whole = repair_plans.c.chosen == _WHOLE
    told = connection.scalar(select(repair_plans.c.told).where(its, whole))
    if told is None:
        return None
    newest = {each.finding_id: each for each in repair_choices_in(connection, submission_id)}
    declined = {id for id, each in newest.items() if each.reason is not None}
    offers = offers_of(told)
    left = tuple(each for each in offers.repairs if each.finding not in declined)
    return replace(offers, repairs=left)


def choose_repairs(
    store: Store, submission_id: str, wanted: Sequence[Wanted], author: str | Signer
) -> int:
    """Take repairs, decline them, or take that back; return how many say something new.

    Raises:
        StoreError: the author's name cannot be kept, or a way, an edit or a reason says nothing or
            too much.
        UnknownSubmission: the store has no submission with this id.
    """
    signer = signer_of(author)
    if any(each.way is not None and not 0 < len(each.way) <= LONGEST_WAY for each in wanted):
        raise StoreError("there is no such way to repair it; load the submission again")
    if not all(_fits(each.way is not None, each.reason, each.edited) for each in wanted):
        raise StoreError(
            f"say why in at most {LONGEST_REASON} characters, and edit at most {LONGEST_EDIT:,}"
        )
    with store.writing(Act.REPAIR) as connection:
        numbered(connection, submission_id)
        said = {each.finding_id: each for each in repair_choices_in(connection, submission_id)}
        known = {id: (each.way if each.taken else None, each.reason) for id, each in said.items()}
        nothing = (None, None)
        new = [
            each
            for each in wanted
            if known.get(each.finding_id, nothing) != (each.way, each.reason)
        ]
        if new:
            at = store.now()
            by = sign(connection, signer, at)
            rows = [
                {
                    "submission_id": submission_id,
                    "finding_id": each.finding_id,
                    "rule": each.rule,
                    "way": each.way or "",
                    "taken": each.way is not None,
                    "reason": each.reason,
                    "edited": each.edited,
                    "at": at,
                    **by,
                }
                for each in new
            ]
            connection.execute(insert(repair_choices), rows)
        return len(new)


def repair_choices_in(connection: Connection, submission_id: str) -> tuple[RepairChoice, ...]:
    """Return which repairs of a submission persons took, the oldest first."""
    return tuple(
        RepairChoice(
            *(row.finding_id, row.rule, row.way, row.taken, author, row.at, row.reason, row.edited)
        )
        for row, author in signed_rows(connection, repair_choices, submission_id)
    )


def chosen_key(taken: Mapping[str, str] | None) -> str:
    """Return by what the repairs that were taken are kept; empty for the whole plan (None)."""
    if taken is None:
        return _WHOLE
    return hashlib.sha256(json.dumps(sorted(taken.items())).encode()).hexdigest()


def _proven(told: Mapping[str, Any]) -> ProvenRepairs:
    unproven = told.get("unproven", {})
    return ProvenRepairs(offers_of(told), told["patch"], told["repaired"], unproven)


def _fits(taken: bool, reason: str | None, edited: str | None) -> bool:
    """Whether what a person says is complete: who takes a repair declines none, and an edit is
    taken.
    """
    if reason is not None and (taken or not 0 < len(reason) <= LONGEST_REASON):
        return False
    return edited is None or (taken and len(edited) <= LONGEST_EDIT)
