"""The repairs that people took, made together and proven anew."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from rapidfuzz.distance import Levenshtein

from reviewers.offers import Edit, Hunk, Offer, ProvenWay
from reviewers.panel.version import own_version
from reviewers.records import Finding, Submission
from reviewers.repairs import Plan, Proposal, planned
from reviewers.repairs.edits import CannotEdit, mended
from reviewers.repairs.offers import offers, proof_words
from reviewers.repairs.patch import patch
from reviewers.repairs.proof import ReviewedVersion, Unproven, prove
from reviewers.store import Store
from reviewers.store.repairs import (
    ProvenRepairs,
    RepairChoice,
    SubmissionRepairs,
    repairs_of,
    way_key,
)


def made_as_wanted(
    known: SubmissionRepairs, submission: Submission, wanted: Mapping[str, str] | None
) -> tuple[ProvenRepairs, Submission]:
    """Make the repairs of a submission as people want them; return them with the repaired version.
    One that cannot be made any more, or only behind one that they did not take, is left out; so is
    a person's edit that does not hold, unless they keep it as their own.

    Args:
        known: the plan that they saw, and what they wrote.
        wanted: by finding id, each in the way that `way_key` or `edit_key` names; None for the
            whole plan.
    """
    plans: list[Plan] = []
    told: list[Offer] = []
    unproven: dict[str, str] = {}
    now = submission
    in_order = [each.finding for each in known.plan.offers.repairs] if known.plan else []
    for offer, choice in _edits(known, wanted or {}):
        plans.append(_planned(now, wanted, in_order[: in_order.index(offer.finding)]))
        told += _repairs(plans)
        made = _edited(plans[-1].last, offer, choice)
        if isinstance(made, str):
            unproven[offer.finding] = made
            now = plans[-1].last.submission
            continue
        edited, now, reason = made
        told.append(edited)
        if reason:
            unproven[offer.finding] = reason
    plans.append(_planned(now, wanted, wanted or ()))
    told += _repairs(plans)
    last = plans[-1].last.submission
    found = replace(offers(plans[-1]), repairs=tuple(told))
    return ProvenRepairs(found, patch(submission, last), last.id, unproven), last


def taken_patch(store: Store, submission: Submission) -> str:
    """Return the patch of the repairs that people took; empty if they took none."""
    known = repairs_of(store, submission.id, own_version())
    if not known.choices:
        return ""
    if known.made is not None:
        return known.made.patch
    if known.plan is None:  # what people edited is told apart by it
        known = replace(known, plan=made_as_wanted(known, submission, None)[0])
    taken = {id: each.way for id, each in known.choices.items()}
    return made_as_wanted(known, submission, taken)[0].patch


def _edits(
    known: SubmissionRepairs, wanted: Mapping[str, str]
) -> Iterator[tuple[Offer, RepairChoice]]:
    """The edits that are wanted, in the order of the plan; one that was edited again is not."""
    for offer in known.plan.offers.repairs if known.plan else ():
        choice = known.edit(offer)
        if choice is not None and wanted.get(offer.finding) == choice.way:
            yield offer, choice


def _planned(
    submission: Submission, wanted: Mapping[str, str] | None, some: Collection[str]
) -> Plan:
    """Args: some: the findings of which the repairs are made now; of the whole plan all are."""
    if wanted is None:
        return planned(submission)

    def choose(finding: Finding, ways: Sequence[Proposal]) -> Proposal | None:
        chosen = wanted.get(finding.id) if finding.id in some else None
        return next((each for each in ways if way_key(each) == chosen), None)

    return planned(submission, choose=choose)


def _repairs(plans: Sequence[Plan]) -> Iterator[Offer]:
    """What the last of the plans makes. Behind an edit of a person, the places of its edits are not
    those of the submission.
    """
    for offer in offers(plans[-1]).repairs:
        ways = offer.ways if len(plans) == 1 else (replace(way, edits=()) for way in offer.ways)
        yield replace(offer, ways=tuple(ways))


def _edited(
    version: ReviewedVersion, offer: Offer, choice: RepairChoice
) -> tuple[Offer, Submission, str] | str:
    """Make what a person wrote; return it with the version after it and why it is not proven, or
    why it is not made.
    """
    try:
        edits = tuple(_edits_of(version.submission, choice.hunks))
        made = mended(version.submission, edits)
    except CannotEdit as error:
        return str(error)
    finding = next((each for each in version.report.findings if each.id == offer.finding), None)
    way = ProvenWay("As edited", patch(version.submission, made))
    edited = replace(offer, ways=(way,), proof="", gone=(), shown=())
    if finding is None:
        reason = "what it repairs is not there any more"
    else:
        proposal = Proposal(way.intent, edits, asks=offer.asks)
        proven = prove(version, finding, proposal)
        if not isinstance(proven, Unproven):
            shown = tuple(f"{each.span}: {each.message}" for each in proven.shown)
            gone = tuple(each.id for each in proven.gone)
            return replace(edited, proof=proof_words(proven), gone=gone, shown=shown), made, ""
        reason = proven.reason
    return (edited, made, reason) if choice.is_own else reason


def _edits_of(submission: Submission, hunks: Sequence[Hunk]) -> Iterator[Edit]:
    """What differs in hunks, line by line.

    Raises:
        CannotEdit: their old lines are not there.
    """
    for hunk in hunks:
        file = submission.by_path.get(hunk.path)
        if hunk.is_new_file:
            if file is not None:
                raise CannotEdit(f"{hunk.path} is there already")
            yield Edit(hunk.path, 0, 0, hunk.new)
            continue
        at = _found(file.text, hunk) if file else None
        if at is None:
            raise CannotEdit(f"the lines of {hunk.path} that it replaces are not there")
        old, new = (side.splitlines(keepends=True) for side in (hunk.old, hunk.new))
        starts = [at]
        for line in old:
            starts.append(starts[-1] + len(line))
        for step in Levenshtein.opcodes(old, new):
            if step.tag != "equal":
                text = "".join(new[step.dest_start : step.dest_end])
                yield Edit(hunk.path, starts[step.src_start], starts[step.src_end], text)


def _found(text: str, hunk: Hunk) -> int | None:
    """Where the old lines of a hunk begin: where they were, or else the place nearest to that."""
    places: dict[int, int] = {}
    line, at = 1, 0
    for each in [*text.splitlines(keepends=True), ""]:
        is_whole = hunk.old[-1:] in ("", "\n") or at + len(hunk.old) == len(text)
        if is_whole and text.startswith(hunk.old, at):
            places[abs(line - max(1, hunk.line))] = at
        line, at = line + 1, at + len(each)
    return places[min(places)] if places else None
