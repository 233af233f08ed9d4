"""The repairs of the submission that is open: has them proven by a worker, keeps what a person
takes of them, and stores the repaired version.
"""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from dashboard import jobs
from dashboard.panels import AskedReviewer, PanelState
from reviewers.batch.effective_reviews import EffectiveReviews
from reviewers.errors import AreachairError, UnknownSubmission
from reviewers.jobs.handing_in import repairs_asker
from reviewers.jobs.names import MEND, REPAIRS
from reviewers.offers import Offer, ProvenWay
from reviewers.panel.version import own_version
from reviewers.records import Severity
from reviewers.store import Store
from reviewers.store.authors import Signer
from reviewers.store.repairs import (
    ProvenRepairs,
    SubmissionRepairs,
    Wanted,
    choose_repairs,
    repairs_of,
    way_key,
)
from reviewers.store.submission import find_submission
from reviewers.store.triage import RULES


@dataclass(frozen=True, slots=True)
class Repairs:
    """What the desk knows of the repairs of a submission.

    Attributes:
        candidates: ids of the findings of which a repair is looked for.
        problem: why they cannot be proven; empty if they can.
        proving: whether a worker proves the plan, or what was taken of it, at this moment.
        mending: whether a worker stores the repaired version.
        mended: the id of the repaired version that `shown` makes, where the store has it.
    """

    known: SubmissionRepairs
    candidates: frozenset[str]
    problem: str = ""
    proving: bool = False
    mending: bool = False
    mended: str | None = None

    @property
    def offers(self) -> Sequence[Offer]:
        """The offered repairs, in the order of a run."""
        return self.known.plan.offers.repairs if self.known.plan else ()

    @property
    def taken(self) -> Mapping[str, str] | None:
        """What people took, as jobs have it; None if nothing, and so all are meant."""
        return self.known.taken or None

    @property
    def shown(self) -> ProvenRepairs | None:
        """What people took, or all if they took nothing; None until it is proven."""
        return self.known.made if self.known.taken else self.known.plan


def repairs_beside(
    store: Store, id: str, reviews: EffectiveReviews, asked: Sequence[AskedReviewer]
) -> Repairs | None:
    """Return the repairs of a submission, and hand in what is still to be proven, once; None where
    the rules found nothing that stops a run.

    Args:
        asked: all jobs about the submission.
    """
    if not (candidates := _candidates(reviews)):
        return None
    repairs = Repairs(repairs_of(store, id, own_version()), candidates)
    jobs_by = {each.reviewer: each for each in asked}
    if repairs.shown is None:
        job = jobs_by.get(repairs_asker(REPAIRS, repairs.taken))
        if job is None:
            try:
                jobs.prove_repairs(store, id, repairs.taken)
            except AreachairError as error:
                return replace(repairs, problem=str(error))
            return replace(repairs, proving=True)
        if job.state.live:
            return replace(repairs, proving=True)
        stopped = "stopped" if job.state is PanelState.CANCELLED else "proven by other code"
        return replace(repairs, problem=job.problem or stopped)
    mend = jobs_by.get(repairs_asker(MEND, repairs.taken))
    return replace(
        repairs,
        mending=mend is not None and mend.state.live,
        problem=mend.problem if mend and not mend.state.live else "",
        mended=_stored(store, repairs.shown.repaired),
    )


def act_on_repairs(
    store: Store, submission_id: str, event: Mapping[str, Any], author: Signer
) -> None:
    """Do what a browser event asks for; an invalid one changes nothing.

    Args:
        event: `repair` (finding, way as `way_id` names it: None takes it back), `repair_all`,
            `mend` or `prove`.

    Raises:
        StoreError: the author's name cannot be kept.
    """
    known = repairs_of(store, submission_id, own_version())
    offers = {each.finding: each for each in (known.plan.offers.repairs if known.plan else ())}
    match event:
        case {"kind": "repair", "finding": str(finding), "way": way} if finding in offers:
            offer = offers[finding]
            keys = {way_id(each): way_key(each) for each in offer.ways}
            if way is None or way in keys:
                wanted = Wanted(finding, offer.rule, None if way is None else keys[way])
                choose_repairs(store, submission_id, [wanted], author)
        case {"kind": "repair_all"}:
            every = [
                Wanted(id, offer.rule, way_key(offer.ways[0]))
                for id, offer in offers.items()
                if not offer.asks and id not in known.taken
            ]
            choose_repairs(store, submission_id, every, author)
        case {"kind": "mend"} if offers:
            jobs.mend(store, submission_id, known.taken or None)
        case {"kind": "prove"}:
            jobs.prove_repairs(store, submission_id, known.taken or None)


def way_id(way: ProvenWay) -> str:
    """Return by what the browser names a way: the words by which it is kept are a submission's."""
    return hashlib.blake2s(way_key(way).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _candidates(reviews: EffectiveReviews) -> frozenset[str]:
    """What certainly stops a run, and the other blockers of the rules."""
    met = reviews.dry_run.failures if reviews.dry_run else ()
    stopping = {each.finding for each in met if each.certain}
    return frozenset(
        finding.id
        for stored in reviews.stored.values()
        if stored.review.reviewer == RULES
        for finding in stored.review.findings
        if finding.severity is Severity.BLOCKER or finding.id in stopping
    )


def _stored(store: Store, id: str) -> str | None:
    with suppress(UnknownSubmission):
        return find_submission(store, id)
    return None
