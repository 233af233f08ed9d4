"""How long the questions take that look at a whole store; run by hand.

    python -m tests.benchmarks.store_speed [--postgresql] [--times N] STORE.sqlite3

STORE (`python -m tests.benchmarks.big_store` makes one) is left alone: a copy is measured, with
--postgresql in a server of its own. Each search is the first question of its connection. The CPU
time is that of this process and of the server. The ratio is to the CPU time in which the database
counts all findings by their fact check, in the same minutes: it says more than a figure from
another machine.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from time import perf_counter, process_time

import psycopg
from sqlalchemy import make_url

from reviewers.records import Ruling, Verdict
from reviewers.store import Store
from reviewers.store.full_record import kept_ids
from reviewers.store.inbox import InboxQuery, Sort, View, inbox
from reviewers.store.stats_summary import headline
from reviewers.store.submission import load_submission
from reviewers.store.trends import TrendsQuery, by_category, halves, looked_at
from tests.benchmarks.store_copy import copy_store, postgresql_server

TIMES = 5
SEARCHES: Mapping[str, InboxQuery] = {
    "a word in all": InboxQuery(text="loss"),
    "a word in some": InboxQuery(text="dropout"),
    "two words": InboxQuery(text="hydra gate"),
    "a name in the code": InboxQuery(text="torch.nn"),
    "a word in none": InboxQuery(text="zzzz"),
    "what has other marks": InboxQuery(text="lr=0.1"),
    "a filter and a word": InboxQuery(text="loss", category="data-leakage", refuted=True),
    "all filters and a word": InboxQuery(
        view=View.NEEDS_DECISION,
        text="loss",
        category="data-leakage",
        reviewer="qwen",
        sort=Sort.BLOCKERS,
    ),
    "page 100 of a word": InboxQuery(text="loss", offset=99 * 50),
    "lineages": InboxQuery(by_lineage=True),
    "lineages with a word": InboxQuery(text="dropout", by_lineage=True),
    "what nobody looks after": InboxQuery(unassigned=True),
    "what somebody looks after": InboxQuery(assigned_to="ada"),
}
_REFERENCE = "counting all findings"
_COUNT = "SELECT result, count(*) FROM findings GROUP BY result"
_STATS, _AFTER = "stats", "trends after one ruling"
CPU_LIMITS = {_STATS: 5.0, _AFTER: 0.3}
WALL_LIMITS = {f"search {name}": 0.5 for name in SEARCHES}
"""Of PostgreSQL."""


class Stopwatch:
    """Collects seconds by what was done.

    Attributes:
        seconds: of CPU and of the clock.
    """

    def __init__(self, server: int | None) -> None:
        """Args: server: the first process of a PostgreSQL server, whose CPU time counts too."""
        self._server = server
        self.seconds: dict[str, list[tuple[float, float]]] = {}

    def run(self, deed: str, act: Callable[[], object]) -> None:
        """Do it once."""
        cpu, wall = self._cpu(), perf_counter()
        act()
        wall = perf_counter() - wall
        self.seconds.setdefault(deed, []).append((self._cpu() - cpu, wall))

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


def measure(url: str, server: int | None, times: int) -> dict[str, list[tuple[float, float]]]:
    """Return the seconds of everything, of CPU and of the clock."""
    watch = Stopwatch(server)
    for _ in range(times):
        watch.run(_REFERENCE, lambda: _counted(url))
    with closing(Store.open(url)) as store:
        for _ in range(times):
            watch.run(_STATS, lambda: headline(store))
    for name, query in SEARCHES.items():
        for _ in range(times):
            with closing(Store.open(url)) as store:
                watch.run(f"search {name}", partial(inbox, store, query))
    with closing(Store.open(url)) as store:
        watch.run("trends, the first page", lambda: _trends(store))
        for submission, finding in _findings(store, times):
            watch.run("trends again", lambda: _trends(store))
            store.rule_on(submission, finding, Ruling.CONFIRM, "", "the benchmark")
            watch.run(_AFTER, lambda: _trends(store))
    return watch.seconds


def _counted(url: str) -> None:
    """By the driver alone."""
    database = str(make_url(url).database)
    with closing(
        sqlite3.connect(database) if url.startswith("sqlite") else psycopg.connect(url)
    ) as connection:
        connection.execute(_COUNT).fetchall()


def _trends(store: Store) -> None:
    looked = looked_at(store, TrendsQuery())
    by_category(looked, halves(looked))


def _findings(store: Store, most: int) -> Iterator[tuple[str, str]]:
    """Submissions all over the store, each with one of its findings that counts."""
    ids = kept_ids(store)
    for id in ids[:: max(1, len(ids) // (3 * most))]:
        found = [
            finding.id
            for stored in load_submission(store, id).reviews
            if stored.review.verdict is Verdict.NOT_READY
            for finding in stored.review.findings
        ]
        if found and most:
            most -= 1
            yield id, found[0]


def report(seconds: Mapping[str, list[tuple[float, float]]], limits: Mapping[str, float]) -> None:
    """Print medians and ratios.

    Args:
        limits: of seconds by the clock, beside those of CPU time.
    """
    reference = statistics.median(cpu for cpu, _ in seconds[_REFERENCE])
    for deed, taken in seconds.items():
        cpu, wall = (statistics.median(each) for each in zip(*taken, strict=True))
        verdicts = [
            f"   under {limit[deed]:.1f} s{of}: {'yes' if time < limit[deed] else 'NO'}"
            for limit, of, time in ((CPU_LIMITS, " of CPU", cpu), (limits, "", wall))
            if deed in limit
        ]
        print(
            f"{deed:32} CPU {cpu:7.3f} s   clock {wall:7.3f} s   n={len(taken):<3}"
            f" {cpu / reference:6.2f} × {_REFERENCE}{''.join(verdicts)}"
        )


@contextmanager
def _copied(path: Path, postgresql: bool) -> Iterator[tuple[str, int | None]]:
    """A copy of a store, and the process that serves it where one does."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "store.sqlite3"
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        if not postgresql:
            yield f"sqlite:///{copy}", None
            return
        with postgresql_server() as (url, process):
            began = perf_counter()
            copy_store(copy, url)
            print(f"copied into PostgreSQL in {perf_counter() - began:.0f} s")
            yield url, process


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("store", type=Path, help="a SQLite store; nobody writes to it meanwhile")
    parser.add_argument("--postgresql", action="store_true", help="measure a copy in PostgreSQL")
    parser.add_argument("--times", type=int, default=TIMES, help="repetitions of each")
    options = parser.parse_args()
    with _copied(options.store, options.postgresql) as (url, process):
        report(measure(url, process, options.times), WALL_LIMITS if options.postgresql else {})


if __name__ == "__main__":
    main()
