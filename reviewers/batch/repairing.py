"""The repairs that people took, made together and proven anew."""

from collections.abc import Mapping, Sequence

from reviewers.panel.version import own_version
from reviewers.records import Finding, Submission
from reviewers.repairs import Plan, Proposal, planned
from reviewers.repairs.patch import patch
from reviewers.store import Store
from reviewers.store.repairs import repairs_of, way_key


def planned_as_taken(submission: Submission, taken: Mapping[str, str] | None) -> Plan:
    """Plan the repairs of a submission as people want them; one that cannot be made any more, or
    only behind one that they did not take, is left out.

    Args:
        taken: by finding id, each in the way that `way_key` names; None for the whole plan.
    """
    if taken is None:
        return planned(submission)

    def choose(finding: Finding, ways: Sequence[Proposal]) -> Proposal | None:
        wanted = taken.get(finding.id)
        return next((each for each in ways if way_key(each) == wanted), None)

    return planned(submission, choose=choose)


def taken_patch(store: Store, submission: Submission) -> str:
    """Return the patch of the repairs that people took; empty if they took none."""
    known = repairs_of(store, submission.id, own_version())
    if known.made is not None:
        return known.made.patch
    if not known.choices:
        return ""
    taken = {id: each.way for id, each in known.choices.items()}
    plan = planned_as_taken(submission, taken)
    return patch(plan.first.submission, plan.last.submission)
