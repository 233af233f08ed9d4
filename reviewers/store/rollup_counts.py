"""What one submission adds to the counts of the whole store: the one place that says what is
counted, whatever the store is asked.

Each key begins with a word: `views`, `name`, `track`, `beside` with what is taken for true,
`together`, `ruled`, `category`, `took`, `past` and `reader`. Who asks for one
says what its other parts and its numbers are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, Table, func, select

from reviewers.records import Ruling, Verdict, reliability_name
from reviewers.store.inbox_query import FAILED, RAN
from reviewers.store.reviewer_names import called
from reviewers.store.tables import (
    COUNTED,
    RESULT,
    chips,
    decisions,
    findings,
    outcomes,
    reader_tallies,
    reviews,
    rulings,
    run_configs,
    standings,
    submissions,
    tallies,
)
from reviewers.store.triage import RECORDED, RULES

Key = tuple[Any, ...]
Part = Mapping[Key, tuple[int, ...]]

READ = ("asked", "confirmed", "refuted", "unverified", "reread", "ruled_out", "two_ways")
PAST = ("verdicts", "confirmed", "refuted", "agreed", "disagreed", "contradicted", "upheld")
TRACK = ("reviews", "measured", "confirmed", "refuted", "unverified", "missed")
FLAGS = ("decided", "disagree", "contradicted", "refuted")
NAMES = {
    "generator": submissions,
    "contract": submissions,
    "model": run_configs,
    "dataset": run_configs,
}
MICRO = 1_000_000
_STEPS = 16  # of a quantity's histogram, each time it doubles


def parts_of(connection: Connection, numbers: Sequence[int]) -> Mapping[int, Part]:
    """Return what each of these submissions adds; nothing of what counts nowhere."""
    return {each.row.number: each.part() for each in _loaded(connection, numbers)}


def step_of(amount: float) -> int | None:
    """Return the step of a histogram that a quantity is in; None for what is not above 0."""
    if not 0 < amount < math.inf:
        return None
    step = math.floor(math.log2(amount) * _STEPS)
    return step - (amount < least_of(step)) + (amount >= least_of(step + 1))


def least_of(step: int) -> float:
    """Return the smallest quantity of a step."""
    return math.exp2(step / _STEPS)


@dataclass(slots=True)
class _Submission:
    """What is stored of a submission that counts.

    Attributes:
        row: its own row with what its standing says.
        ruled: a key for each finding on which somebody's ruling stands.
        failed, ran: whether outcomes say so.
        blind: the newest verdict that was given blind.
    """

    row: Row[Any]
    chips: list[Row[Any]] = field(default_factory=list)
    tallies: list[Row[Any]] = field(default_factory=list)
    read: list[Row[Any]] = field(default_factory=list)
    runs: list[Row[Any]] = field(default_factory=list)
    took: list[Row[Any]] = field(default_factory=list)
    ruled: list[Key] = field(default_factory=list)
    failed: bool = False
    ran: bool = False
    blind: str | None = None

    def part(self) -> Part:
        found: dict[Key, tuple[int, ...]] = {}
        for key, numbers in self._added():
            known = found.get(key, ())
            found[key] = tuple(map(sum, zip(known, numbers, strict=True))) if known else numbers
        return found

    def _added(self) -> Iterator[tuple[Key, tuple[int, ...]]]:
        yield ("views", *(bool(getattr(self.row, name)) for name in FLAGS)), (1,)
        yield from self._names()
        yield from self._beside()
        yield from self._past()
        for one in self.chips:
            told = one.confirmed, one.refuted, one.unverified
            known = one.missed is not None
            numbers = (1, int(known), *told, one.missed or 0)
            yield ("track", *_who(one), one.verdict), numbers
        for one in self.tallies:
            every = one.confirmed + one.refuted + one.unverified
            yield ("category", one.reviewer, one.category), (one.refuted, every, 0)
        for key in {(one.reviewer, one.category) for one in self.tallies if one.refuted}:
            yield ("category", *key), (0, 0, 1)
        for one in self.read:
            yield ("reader", one.reader), tuple(getattr(one, name) for name in READ)
        yield from ((key, (1,)) for key in self.ruled)
        for one in self.took:
            # Money in whole millionths of a micro-dollar, time in microseconds: sums are exact.
            for name, amount, unit in (
                ("seconds", one.seconds, MICRO),
                ("cost_usd", one.cost_usd, MICRO * MICRO),
            ):
                if amount is not None and math.isfinite(amount):
                    yield ("took", name, *_who(one), step_of(amount)), (1, round(amount * unit))

    def _names(self) -> Iterator[tuple[Key, tuple[int, ...]]]:
        named = {("reviewer", one.reviewer) for one in self.chips}
        for name, table in NAMES.items():
            rows: Iterable[Any] = (self.row,) if table is submissions else self.runs
            named |= {(name, value) for row in rows if (value := getattr(row, name))}
        yield from ((("name", *each), (1,)) for each in named)

    def _beside(self) -> Iterator[tuple[Key, tuple[int, ...]]]:
        """The verdicts of each reviewer beside what is taken for true, and how many agree."""
        rules = [one for one in self.chips if one.reviewer == RULES]
        decision, blind = self.row.decision, self.blind if self.row.decided else None
        sides = {
            ("decisions", ""): _sides(decision),
            ("blind", ""): _sides(blind),
            ("outcomes", ""): (self.ran and not self.failed, self.failed),
            ("blockers", ""): (
                any(one.verdict is not None and not one.blockers for one in rules),
                any(one.blockers for one in rules),
            ),
        }
        for other in self.chips:
            for name in {other.reviewer, called(other.reviewer, other.model)}:
                key = "reviewer", name
                ready, not_ready = sides.get(key, (False, False))
                is_ready, is_not = _sides(other.verdict)
                sides[key] = ready or is_ready, not_ready or is_not
        for (truth, other_name), (ready, not_ready) in sides.items():
            if ready or not_ready:
                for who in {(*_who(one), one.verdict) for one in self.chips}:
                    yield (f"beside {truth}", other_name, *who), (int(ready), int(not_ready))
        given = [one.verdict for one in self.chips if one.verdict is not None]
        if given:
            counts = (given.count(verdict) for verdict in Verdict)
            yield ("together", *counts, decision, blind), (1,)

    def _past(self) -> Iterator[tuple[Key, tuple[int, ...]]]:
        proven = any(one.reviewer == RULES and one.blockers for one in self.chips)
        decision = self.row.decision
        for one in self.chips:
            if one.verdict is None:
                continue
            by_rules = one.reviewer == RULES
            told = (0, 0) if by_rules else (one.confirmed, one.refuted)
            agreed, is_ready = one.verdict == decision, one.verdict == Verdict.READY
            weighed = proven and not by_rules and decision is None
            name = reliability_name(one.reviewer, one.model)
            yield (
                ("past", name),
                (
                    *(1, *told),
                    *(int(decision is not None and each) for each in (agreed, not agreed)),
                    *(int(weighed and each) for each in (is_ready, not is_ready)),
                ),
            )


def _who(row: Row[Any]) -> tuple[str, str | None]:
    """A reviewer, with its model if its name says too little."""
    return row.reviewer, (row.model or None) if row.reviewer == RECORDED else None


def _sides(verdict: str | None) -> tuple[bool, bool]:
    return verdict == Verdict.READY, verdict == Verdict.NOT_READY


def _loaded(connection: Connection, numbers: Sequence[int]) -> Iterable[_Submission]:
    its = (submissions.c.number, submissions.c.id, submissions.c.generator, submissions.c.contract)
    stands = (standings.c.decision, *(standings.c[name] for name in FLAGS))
    wanted = (
        select(*its, *stands)
        .join(standings, standings.c.submission == submissions.c.number)
        .where(submissions.c.number.in_(numbers), COUNTED)
    )
    found = {row.number: _Submission(row) for row in connection.execute(wanted)}
    if not found:
        return ()
    by_id = {each.row.id: each for each in found.values()}

    def rows(table: Table, *names: str, only: Any = None) -> Iterator[tuple[_Submission, Row[Any]]]:
        of = table.c.submission
        asked = select(of, *(table.c[name] for name in names)).where(of.in_([*found]))
        for row in connection.execute(asked if only is None else asked.where(only)):
            yield found[row.submission], row

    for each, row in rows(chips, "reviewer", "model", "verdict", *TRACK[2:], "blockers"):
        each.chips.append(row)
    for each, row in rows(tallies, "reviewer", "category", *TRACK[2:5]):
        each.tallies.append(row)
    for each, row in rows(reader_tallies, "reader", *READ):
        each.read.append(row)
    for each, row in rows(run_configs, "model", "dataset"):
        each.runs.append(row)
    for each, row in rows(
        reviews, "reviewer", "model", "seconds", "cost_usd", only=reviews.c.current
    ):
        each.took.append(row)
    of = outcomes.c.submission_id
    told = select(of, func.count().filter(FAILED), func.count().filter(RAN))
    for id, failed, ran in connection.execute(told.where(of.in_([*by_id])).group_by(of)):
        by_id[id].failed, by_id[id].ran = failed > 0, ran > 0
    given = (
        select(decisions.c.submission_id, decisions.c.verdict)
        .where(decisions.c.submission_id.in_([*by_id]))
        .where(decisions.c.blind.is_(True), decisions.c.verdict.is_not(None))
        .order_by(decisions.c.number)
    )
    for id, verdict in connection.execute(given):
        by_id[id].blind = verdict
    _add_ruled(connection, by_id)
    return found.values()


def _add_ruled(connection: Connection, by_id: Mapping[str, _Submission]) -> None:
    """Add the findings of current reviews on which a person's ruling stands."""
    its = (rulings.c.submission_id, rulings.c.finding_id, rulings.c.ruling)
    given = select(*its).where(rulings.c.submission_id.in_([*by_id])).order_by(rulings.c.number)
    stands = {(id, finding): ruling for id, finding, ruling in connection.execute(given)}
    if not stands:
        return
    owners = {by_id[id].row.number: by_id[id] for id, _ in stands}
    # From the few submissions: an index of all current reviews would be walked otherwise.
    made = (
        select(reviews.c.submission, reviews.c.reviewer, reviews.c.model)
        .add_columns(findings.c.id, RESULT.label("result"))
        .join(findings, findings.c.review == reviews.c.number)
        .where(reviews.c.submission.in_([*owners]), reviews.c.current)
    )
    for number, reviewer, model, finding, result in connection.execute(made):
        owner = owners[number]
        ruling = stands.get((owner.row.id, finding))
        if ruling is not None and ruling != Ruling.WITHDRAWN:
            key = "ruled", called(reviewer, model), ruling == Ruling.DISMISS, result
            owner.ruled.append(key)
