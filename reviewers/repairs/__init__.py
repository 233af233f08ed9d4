"""From a proven defect to a proven repair.

A repair belongs to a rule: a function that proposes edits of a finding's files, in
`reviewers/repairs/families`. `planned` makes the edits of each proposal in memory, reviews the
result, and keeps what holds.
"""

from importlib import import_module
from pkgutil import iter_modules

from reviewers.repairs import families
from reviewers.repairs.base import Proposal, registered, repairs
from reviewers.repairs.plan import Plan, Repair, planned

for _module in iter_modules(families.__path__):
    import_module(f"{families.__name__}.{_module.name}")

__all__ = ["Plan", "Proposal", "Repair", "planned", "registered", "repairs"]
