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
from reviewers.offers import Hunk, Offer, ProvenWay, hunks_of
from reviewers.panel.version import own_version
from reviewers.records import Severity
from reviewers.store import Store
from reviewers.store.authors import Signer
from reviewers.store.repairs import (
    ProvenRepairs,
    SubmissionRepairs,
    Wanted,
    choose_repairs,
    edit_key,
    edit_of,
    repairs_of,
    way_key,
)
from reviewers.store.submission import find_submission
from reviewers.store.triage import RULES

EDITED = "edited"
"""By what the browser names the lines that a person wrote, among the ways of a repair."""


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
    def open(self) -> Sequence[Offer]:
        """The offered repairs that nobody declined."""
        return [each for each in self.offers if each.finding not in self.known.declined]

    @property
    def shown(self) -> ProvenRepairs | None:
        """What people took, or all that they did not decline if they took nothing; None until it
        is proven.
        """
        return self.known.plan if self.known.wanted is None else self.known.made


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
        job = jobs_by.get(repairs_asker(REPAIRS, repairs.known.wanted))
        if job is None:
            try:
                jobs.prove_repairs(store, id, repairs.known.wanted)
            except AreachairError as error:
                return replace(repairs, problem=str(error))
            return replace(repairs, proving=True)
        if job.state.live:
            return replace(repairs, proving=True)
        stopped = "stopped" if job.state is PanelState.CANCELLED else "proven by other code"
        return replace(repairs, problem=job.problem or stopped)
    mend = jobs_by.get(repairs_asker(MEND, repairs.known.wanted))
    return replace(
        repairs,
        mending=mend is not None and mend.state.live,
        problem=mend.problem if mend and not mend.state.live else "",
        mended=_stored(store, repairs.shown.repaired) if repairs.shown.patch else None,
    )


def act_on_repairs(
    store: Store, submission_id: str, event: Mapping[str, Any], author: Signer
) -> None:
    """Do what a browser event asks for; an invalid one changes nothing.

    Args:
        event: `repair` (finding, way as `way_id` names it: None takes back what was said of it),
            `repair_decline` (finding, why), `repair_edit` (finding, way, a text for each hunk),
            `repair_own` (finding: the edit is to be made though it is not proven), `repair_all`,
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
        case {"kind": "repair_decline", "finding": str(finding), "why": str(why)} if (
            finding in offers and why.strip()
        ):
            declined = Wanted(finding, offers[finding].rule, None, why.strip())
            choose_repairs(store, submission_id, [declined], author)
        case {
            "kind": "repair_edit",
            "finding": str(finding),
            "way": str(way),
            "texts": [*texts],
        } if finding in offers:
            hunks = hunks_of_ways(known, offers[finding]).get(way) or ()
            if len(texts) == len(hunks) and all(isinstance(each, str) for each in texts):
                edited = edit_of([with_text(*each) for each in zip(hunks, texts, strict=True)])
                mine = Wanted(finding, offers[finding].rule, edit_key(edited), None, edited)
                choose_repairs(store, submission_id, [mine], author)
        case {"kind": "repair_own", "finding": str(finding)} if finding in offers:
            if (said := known.edit(offers[finding])) is not None and said.edited is not None:
                key = edit_key(said.edited, is_own=True)
                own = Wanted(finding, said.rule, key, None, said.edited)
                choose_repairs(store, submission_id, [own], author)
        case {"kind": "repair_all"}:
            every = [
                Wanted(id, offer.rule, way_key(offer.ways[0]))
                for id, offer in offers.items()
                if not offer.asks and id not in known.taken and id not in known.declined
            ]
            choose_repairs(store, submission_id, every, author)
        case {"kind": "mend"} if offers:
            jobs.mend(store, submission_id, known.wanted)
        case {"kind": "prove"}:
            jobs.prove_repairs(store, submission_id, known.wanted)


def way_id(way: ProvenWay) -> str:
    """Return by what the browser names a way: the words by which it is kept are a submission's."""
    return hashlib.blake2s(way_key(way).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def hunks_of_ways(known: SubmissionRepairs, offer: Offer) -> Mapping[str, Sequence[Hunk]]:
    """Return the hunks of each way of a repair, and of a person's edit of it, by `way_id` and
    `EDITED`.
    """
    said = known.edit(offer)
    ways = {way_id(way): [*hunks_of(way.patch)] for way in offer.ways}
    return ways if said is None else {**ways, EDITED: said.hunks}


def text_of(hunk: Hunk) -> str:
    """Return the new lines of a hunk as they are edited: whatever ends a line in their file, and
    without the last line's end.
    """
    return hunk.new.replace("\r\n", "\n").removesuffix("\n")


def with_text(hunk: Hunk, text: str) -> Hunk:
    """Return a hunk with other new lines; the inverse of `text_of`."""
    lines = text.replace("\r\n", "\n") + ("\n" if hunk.new.endswith("\n") and text else "")
    return replace(hunk, new=lines.replace("\n", "\r\n") if "\r\n" in hunk.new else lines)


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
