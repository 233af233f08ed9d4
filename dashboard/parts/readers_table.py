"""Fact checks of claims by reader; each number opens its submissions in the inbox."""

from collections.abc import Sequence

from dashboard.addresses import inbox_address
from dashboard.parts.agreement_table import few, range_text
from dashboard.parts.facts_table import Cell, Linked, facts_table
from dashboard.parts.figures import number
from reviewers.agreement import Interval
from reviewers.store.inbox import InboxQuery, ReadAs
from reviewers.store.readers import ReaderTally

_HEADINGS = (
    "Reader", "Claims given", "Read", "Decided", "Confirmed", "Refuted", "Unverified", "Overruled",
    "Read in two ways",
)  # fmt: skip


def readers_table(readers: Sequence[ReaderTally], *, key: str) -> None:
    """Draw one row a reader, in the order given."""
    facts_table(
        "Fact checks of claims, by reader",
        _HEADINGS,
        [_row(each) for each in readers],
        numbers=range(1, len(_HEADINGS)),
        key=key,
    )


def _row(of: ReaderTally) -> Sequence[Cell]:
    decided = of.confirmed + of.refuted
    overruled = _share(of.overruled, of.judged + of.reread, of.overruled_share)
    return (
        of.reader,
        _linked(of, of.asked, None),
        _linked(of, of.judged, ReadAs.JUDGED),
        _share(decided, of.judged, of.decided) if decided else number(decided),
        _linked(of, of.confirmed, ReadAs.CONFIRMED),
        _linked(of, of.refuted, ReadAs.REFUTED),
        _linked(of, of.unverified, ReadAs.OPEN),
        _linked(of, of.overruled, ReadAs.OVERRULED, overruled),
        _linked(of, of.two_ways, ReadAs.TWO_WAYS),
    )


def _linked(of: ReaderTally, count: int, came: ReadAs | None, words: str = "") -> Cell:
    if not count:
        return number(count)
    address = inbox_address(InboxQuery(read_by=of.reader, reading=came))
    return Linked(words or number(count), address)


def _share(hits: int, cases: int, share: Interval | None) -> str:
    if share is None:
        return number(hits)
    told = few(cases, "claim") or f"{share.share:.0%} of {number(cases)}, {range_text(share)}"
    return f"{number(hits)} ({told})"
