"""Which public names third-party libraries have, in which versions, and what their callables take.

Read statically from wheels by `build.py` and shipped compressed. What the index does not know is
unknown, and unknown is never a finding.
"""

from functools import cache

from reviewers.facts.third_party.index import Absent, CallFit, Index, Known, Unknown
from reviewers.facts.third_party.signature import Parameter, Signature, accepts
from reviewers.facts.third_party.versions import Availability, Change, Presence, Span

__all__ = [
    "Absent",
    "Availability",
    "CallFit",
    "Change",
    "Index",
    "Known",
    "Parameter",
    "Presence",
    "Signature",
    "Span",
    "Unknown",
    "accepts",
    "load_index",
]


@cache
def load_index() -> Index:
    """The shipped index, one for the whole process: what it has read once it need not read
    again.
    """
    return Index()
