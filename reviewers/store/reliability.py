"""How reliable each reviewer was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from reviewers.records import Reliability
from reviewers.store.rollup_counts import PAST
from reviewers.store.rollups import part_of, sums
from reviewers.store.store import Store


@dataclass(frozen=True, slots=True)
class Past:
    """The past of every reviewer, counted so that a part of it can be left out.

    Attributes:
        counts: by `reliability_name`, the fields of `Reliability`, and how many `verdicts` they are
            made of.
    """

    counts: Mapping[str, Mapping[str, int]]

    def without(self, part: Past) -> Past:
        """Return the rest; a part that was added only after the whole was counted leaves
        nothing below zero.
        """
        left = {name: Counter(counts) for name, counts in self.counts.items()}
        for name, counts in part.counts.items():
            left[name] = left.get(name, Counter()) - Counter(counts)
        return Past({name: counts for name, counts in left.items() if counts["verdicts"] > 0})

    @property
    def reliabilities(self) -> Mapping[str, Reliability]:
        """By `reliability_name`."""
        fields = [field for field in PAST if field != "verdicts"]
        return {
            name: Reliability(**{field: self.counts[name].get(field, 0) for field in fields})
            for name in sorted(self.counts)
        }


def past(store: Store, only: str | None = None) -> Past:
    """Return the past as it stands.

    Args:
        only: id of the one submission that counts.
    """
    with store.reading() as connection:
        found = sums(connection, "past") if only is None else part_of(connection, only, "past")
        return Past({name: dict(zip(PAST, numbers, strict=True)) for name, numbers in found})
