"""Repairs of what only older releases of a library have."""

from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.distributions import distribution_of
from reviewers.records import Finding
from reviewers.repairs.base import Proposal, repairs, stated
from reviewers.repairs.families.packaging import bounded


@repairs("IM09", "IM11")
def older_release(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The newest release that is known to have the name, as an upper bound."""
    change = facts.third_party.exists(stated(finding, "library_has", "name")).change
    if change is None or not change.is_loss:
        return
    name = distribution_of(change.library) or change.library
    if edit := bounded(facts, name, change.has):
        yield Proposal(
            f"Require {name}<={change.has}, which still has it",
            (edit,),
            f"{name} is then held at this release or an older one",
            is_last=True,
        )
