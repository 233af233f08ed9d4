"""How long the questions of each page take; run by hand.

    python -m tests.benchmarks.store_speed [--postgresql] [--times N] [--only WORDS] STORE [STORE …]

Each STORE (`python -m tests.benchmarks.big_store` makes one) is left alone: a copy is measured,
with --postgresql in a server of its own. Of each question the first answer of a connection is told
apart; the rest are medians. The CPU time is that of this process and of the server. Of two stores
and more, the exponent says how a question grows from the smallest to the largest: 0 not at all, 1
as the store does.
"""

from __future__ import annotations

import argparse
import math
import os
import sqlite3
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from itertools import count
from pathlib import Path
from time import perf_counter, process_time

from reviewers.records import Ruling, Verdict
from reviewers.store import Store
from reviewers.store.agreement import (
    Against,
    GroundTruth,
    readers,
    refuted_categories,
    ruled,
    stamp,
    together,
    track_records,
)
from reviewers.store.change_stamp import news
from reviewers.store.full_record import kept_ids
from reviewers.store.inbox import (
    InboxQuery,
    Sort,
    View,
    given_reasons,
    inbox,
    next_undecided,
    reviewers_seen,
    undecided_count,
    view_counts,
)
from reviewers.store.inbox_choices import choices
from reviewers.store.lineages import lineage_of
from reviewers.store.reliability import past
from reviewers.store.spending import spending
from reviewers.store.stats_summary import headline
from reviewers.store.submission import load_submission
from reviewers.store.trends import (
    Dimension,
    Looked,
    Over,
    TrendsQuery,
    by_category,
    by_dimension,
    by_period,
    by_reviewer,
    halves,
    looked_at,
)
from reviewers.store.trends_causes import first_failures
from reviewers.store.trends_history import by_claims, by_fate, survival
from tests.benchmarks.store_copy import copy_store, postgresql_server

TIMES = 9
_FEWEST, _LONGEST = 4, 4.0
"""After so many times and seconds a question is asked no more."""
_ME = "ada"
_EVERYTHING = TrendsQuery()
_ALL = InboxQuery(view=View.NEEDS_DECISION, text="loss", category="data-leakage", reviewer="qwen")
INBOX: Mapping[str, InboxQuery] = {
    **{f"view {view}": InboxQuery(view=view) for view in View},
    **{f"sort {sort}": InboxQuery(sort=sort) for sort in Sort},
    "word in all": InboxQuery(text="loss"),
    "word in some": InboxQuery(text="dropout"),
    "two words": InboxQuery(text="hydra gate"),
    "name in the code": InboxQuery(text="torch.nn"),
    "word in none": InboxQuery(text="zzzz"),
    "other marks": InboxQuery(text="lr=0.1"),
    "reviewer": InboxQuery(reviewer="qwen"),
    "reviewer's verdict": InboxQuery(reviewer="qwen", verdict=Verdict.READY),
    "category": InboxQuery(category="hydra-composition"),
    "rare category": InboxQuery(category="reviewer-manipulation"),
    "category by reviewer": InboxQuery(category="hydra-composition", reviewer="qwen"),
    "refuted": InboxQuery(refuted=True),
    "criterion": InboxQuery(criterion=2),
    "model": InboxQuery(model="resnet18"),
    "data set": InboxQuery(dataset="imdb"),
    "generator": InboxQuery(generator="airas-0.5"),
    "contract": InboxQuery(contract="nine-modes"),
    "outcome failed": InboxQuery(outcome="failed"),
    "outcome ran": InboxQuery(outcome="ran"),
    "proven": InboxQuery(proven=True),
    "not proven": InboxQuery(proven=False),
    "missed by": InboxQuery(missed_by="qwen"),
    "failed by": InboxQuery(failed_by="qwen"),
    "two reviewers": InboxQuery(
        reviewer="qwen", verdict=Verdict.READY, other="gpt-5", other_verdict=Verdict.NOT_READY
    ),
    "undecided by me": InboxQuery(undecided_by=_ME),
    "decided ready": InboxQuery(decision=Verdict.READY),
    "blind decision": InboxQuery(blind_decision=Verdict.READY),
    "since": InboxQuery(since=date(2026, 6, 1)),
    "attempt": InboxQuery(attempt=3),
    "unassigned": InboxQuery(unassigned=True),
    "assigned": InboxQuery(assigned_to=_ME),
    "names alone": InboxQuery(text="gate", in_names=True),
    "mark blocked": InboxQuery(mark="blocked"),
    "filter and word": InboxQuery(text="loss", category="data-leakage", refuted=True),
    "all filters and word": replace(_ALL, sort=Sort.BLOCKERS),
    "page 100": InboxQuery(offset=99 * 50),
    "page 100 of a word": InboxQuery(text="loss", offset=99 * 50),
    "page 100 of a category": InboxQuery(category="hydra-composition", offset=99 * 50),
    "lineages": InboxQuery(by_lineage=True),
    "lineages of a word": InboxQuery(text="dropout", by_lineage=True),
}
_HIGHEST = 0.6
_WALL = {"inbox": 60, "frame": 60, "open": 30, "write": 30, "trends": 300, "reviewers": 60}
"""Milliseconds by the clock that each kind of question may take."""


@dataclass(frozen=True, slots=True)
class Took:
    """What a question took, in milliseconds.

    Attributes:
        first: by the clock, as the first of its connection; for a search it matters.
    """

    cpu: float
    wall: float
    first: float
    times: int


class Stopwatch:
    """Asks questions and takes their times."""

    def __init__(self, url: str, server: int | None, times: int, only: str) -> None:
        """Args: server: the first process of a PostgreSQL server, whose CPU time counts too."""
        self.url, self._server, self._times, self._only = url, server, times, only
        self.took: dict[str, Took] = {}

    def wants(self, name: str) -> bool:
        return self._only in name

    def run(self, name: str, ask: Callable[[], object], times: int | None = None) -> None:
        """Ask once, and then so often that the median says something."""
        if not self.wants(name):
            return
        runs: list[tuple[float, float]] = []
        began = perf_counter()
        while len(runs) <= (times or self._times):
            if len(runs) >= _FEWEST and perf_counter() - began > _LONGEST:
                break
            cpu, wall = self._cpu(), perf_counter()
            ask()
            wall = perf_counter() - wall
            runs.append(((self._cpu() - cpu) * 1000, wall * 1000))
        rest = runs[1:] or runs
        cpu, wall = (statistics.median(each) for each in zip(*rest, strict=True))
        if self._server is not None:  # its ticks are too long for one question
            cpu = statistics.mean(each for each, _ in rest)
        self.took[name] = Took(cpu, wall, runs[0][1], len(rest))

    def _cpu(self) -> float:
        return process_time() + (0 if self._server is None else _cpu_of(self._server))


def _cpu_of(server: int) -> float:
    """Seconds of CPU of a process and of all that it started, those that have ended too."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended meanwhile
        if int(stat.parent.name) == server:
            ticks += sum(map(int, words[11:15]))
        elif int(words[1]) == server:
            ticks += sum(map(int, words[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def measure(watch: Stopwatch) -> Mapping[str, Took]:
    """Ask everything that pages ask."""
    for name, query in INBOX.items():
        if watch.wants(f"inbox {name}"):
            with closing(Store.open(watch.url)) as store:
                watch.run(f"inbox {name}", partial(inbox, store, query))
    with closing(Store.open(watch.url)) as store:
        ids = kept_ids(store)
        _frame(watch, store, ids)
        _reviewers(watch, store)
        _trends(watch, store)
        _writes(watch, store, ids)
    return watch.took


def _frame(watch: Stopwatch, store: Store, ids: Sequence[str]) -> None:
    """What is drawn around a list, and one submission."""
    watch.run("frame views' sizes", lambda: view_counts(store))
    watch.run("frame undecided by me", lambda: undecided_count(store, _ME))
    watch.run("frame reasons", lambda: given_reasons(store, _ME))
    watch.run("frame reviewers seen", lambda: reviewers_seen(store))
    watch.run("frame filters' names", lambda: choices(store))
    watch.run("frame next", lambda: next_undecided(store, "", InboxQuery()))
    watch.run(
        "frame next of a word", lambda: next_undecided(store, ids[7], InboxQuery(text="loss"))
    )
    watch.run("frame next of all filters", lambda: next_undecided(store, ids[7], _ALL))
    watch.run("frame size of a list", lambda: inbox(store, replace(_ALL, limit=0)))
    some = iter([*ids[:: max(1, len(ids) // 997)]] * 9)
    watch.run("open submission", lambda: load_submission(store, next(some)))
    watch.run("open its news", lambda: news(store, next(some)))
    watch.run("open its lineage", lambda: lineage_of(store, next(some)))


def _reviewers(watch: Stopwatch, store: Store) -> None:
    for truth in GroundTruth:
        against = Against(truth, "gpt-5" if truth is GroundTruth.REVIEWER else "")
        watch.run(f"reviewers by {truth}", partial(track_records, store, against))
    watch.run("reviewers by blind decisions", lambda: track_records(store, Against(blind=True)))
    watch.run("reviewers stamp", lambda: stamp(store))
    watch.run("reviewers alpha", lambda: together(store))
    watch.run("reviewers ruled", lambda: ruled(store))
    watch.run("reviewers refuted categories", lambda: refuted_categories(store, "qwen"))
    watch.run("reviewers spending", lambda: spending(store))
    watch.run("reviewers readers", lambda: readers(store))
    watch.run("reviewers past", lambda: past(store))
    watch.run("reviewers headline", lambda: headline(store), 2)


def _trends(watch: Stopwatch, store: Store) -> None:
    if not watch.wants("trends"):
        return

    def draw(made: Callable[[Looked], object], query: TrendsQuery = _EVERYTHING) -> object:
        return made(looked_at(store, query))

    # The first one reads the columns.
    watch.run("trends categories", lambda: draw(_categories))
    watch.run("trends nothing but stamp", lambda: looked_at(store, TrendsQuery()))
    for over in Over:
        watch.run(f"trends over {over}", partial(draw, partial(by_period, over=over)))
    watch.run("trends reviewers", partial(draw, by_reviewer))
    for dimension in Dimension:
        watch.run(
            f"trends by {dimension}", partial(draw, partial(by_dimension, dimension=dimension))
        )
    watch.run("trends survival", partial(draw, survival))
    watch.run("trends claims", partial(draw, partial(by_claims, over=Over.MONTH)))
    watch.run("trends outcomes", partial(draw, by_fate))
    watch.run("trends first failures", partial(draw, partial(first_failures, store)))
    for name, query in {
        "reviewer": TrendsQuery(reviewer="qwen"),
        "model and days": TrendsQuery(model="unet", since=date(2026, 3, 1)),
    }.items():
        watch.run(f"trends filtered by {name}", partial(draw, _categories, query))


def _categories(looked: Looked) -> object:
    return by_category(looked, halves(looked))


def _writes(watch: Stopwatch, store: Store, ids: Sequence[str]) -> None:
    some, numbers = iter(ids[:: max(1, len(ids) // 97)] * 9), count()
    watch.run(
        "write decision",
        lambda: store.decide(next(some), Verdict.READY, f"reason {next(numbers)}", _ME),
    )
    if not watch.wants("write ruling"):
        return
    found = _findings(store, 3 * TIMES)
    watch.run("write ruling", lambda: store.rule_on(*next(found), Ruling.CONFIRM, "", _ME))

    def again() -> object:
        store.rule_on(*next(found), Ruling.CONFIRM, "", _ME)
        return _categories(looked_at(store, TrendsQuery()))

    watch.run("write ruling, then trends", again)


def _findings(store: Store, most: int) -> Iterator[tuple[str, str]]:
    """Submissions all over the store, each with one of its findings that counts."""
    ids = kept_ids(store)
    found: list[tuple[str, str]] = []
    for id in ids[:: max(1, len(ids) // (3 * most))]:
        found += [
            (id, finding.id)
            for stored in load_submission(store, id).reviews
            if stored.review.verdict is Verdict.NOT_READY
            for finding in stored.review.findings[:1]
        ][:1]
    return iter(found)


def report(sizes: Sequence[int], taken: Sequence[Mapping[str, Took]]) -> None:
    """Print a table of all questions; what is over a limit is marked."""
    grows = len(sizes) > 1
    sizes_words = " / ".join(f"{size:,}" for size in sizes)
    print(f"\nload {os.getloadavg()[0]:.1f}; submissions {sizes_words}")
    print(f"| question | CPU ms | {'exponent | ' * grows}p50 ms | first ms | n |")
    print(f"|---|---:|{'---:|' * grows}---:|---:|---:|")
    for name in taken[-1]:
        each = [of[name] for of in taken if name in of]
        cpu = " / ".join(f"{one.cpu:.1f}" for one in each)
        last = each[-1]
        rise = max(last.cpu, 0.1) / max(each[0].cpu, 0.1)
        exponent = math.log(rise) / math.log(sizes[-1] / sizes[0]) if grows else 0.0
        over = last.wall > _WALL[name.split()[0]]
        grown = f"{exponent:.2f}{_mark(exponent > _HIGHEST)} | " if grows else ""
        print(
            f"| {name} | {cpu} | {grown}{last.wall:.1f}{_mark(over)} | {last.first:.0f} |"
            f" {last.times} |"
        )


def _mark(over: bool) -> str:
    """Return what stands behind a figure over its limit."""
    return " ✗" if over else ""


@contextmanager
def _copied(path: Path, postgresql: bool) -> Iterator[tuple[str, int | None]]:
    """A copy of a store, and the process that serves it where one does."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        copy = Path(folder) / "store.sqlite3"
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        Store.open(f"sqlite:///{copy}").close()  # brings an older one up to date
        if not postgresql:
            yield f"sqlite:///{copy}", None
            return
        with postgresql_server() as (url, process):
            began = perf_counter()
            copy_store(copy, url)
            print(f"copied into PostgreSQL in {perf_counter() - began:.0f} s", flush=True)
            yield url, process


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("stores", type=Path, nargs="+", help="SQLite stores, the smallest first")
    parser.add_argument("--postgresql", action="store_true", help="measure a copy in PostgreSQL")
    parser.add_argument("--times", type=int, default=TIMES, help="repetitions of each")
    parser.add_argument("--only", default="", help="questions with these words in their name")
    options = parser.parse_args()
    sizes: list[int] = []
    taken: list[Mapping[str, Took]] = []
    for path in options.stores:
        with _copied(path, options.postgresql) as (url, process):
            with closing(Store.open(url)) as store:
                sizes.append(len(kept_ids(store)))
            taken.append(measure(Stopwatch(url, process, options.times, options.only)))
    report(sizes, taken)


if __name__ == "__main__":
    main()
