"""The public names of third-party libraries by version, and the parameters of their callables.

Read statically from wheels by `build.py` and shipped compressed. What is not in the index is
unknown, and unknown is never a finding.
"""

from functools import cache
from pathlib import Path

from reviewers.facts.third_party.index import Absent, CallFit, Index, Known, Unknown
from reviewers.facts.third_party.signature import Signature, SignatureParameter, accepts
from reviewers.facts.third_party.versions import Availability, Presence, VersionChange, VersionSpan

__all__ = [
    "Absent", "Availability", "CallFit", "Index", "Known", "Presence", "Signature",
    "SignatureParameter", "Unknown", "VersionChange", "VersionSpan", "accepts",
    "lacking_in_standard", "load_index", "standard_names",
]  # fmt: skip


@cache
def load_index() -> Index:
    """The shipped index, one for the whole process: what it has read once it need not read
    again.
    """
    return Index()


@cache
def _standard() -> dict[str, frozenset[str]]:
    lines = (Path(__file__).parent / "data/standard.txt").read_text("utf-8").splitlines()
    return {line.partition(":")[0]: frozenset(line.split()[1:]) for line in lines}


def standard_names(module: str) -> frozenset[str]:
    """The public names that a module of the standard library has in some version of Python; empty
    if nothing is known of it.
    """
    return _standard().get(module, frozenset())


def lacking_in_standard(dotted: str) -> str | None:
    """The public name in a dotted one, `json.dumped`, that a module of the standard library has in
    no version of Python; None if there is none, or if nothing is known.
    """
    parts = dotted.split(".")
    for at in range(len(parts) - 1, 0, -1):
        names = _standard().get(".".join(parts[:at]))
        if names is not None:
            is_there = parts[at] in names or parts[at].startswith("_")
            return None if is_there else ".".join(parts[: at + 1])
    return None
