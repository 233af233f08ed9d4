"""How long many people wait who use a desk at once; run by hand.

    python -m tests.benchmarks.sessions SESSIONS [--processes K] [--store STORE.sqlite3]

Each person is a websocket that speaks Streamlit's protocol and clicks every four seconds on average
(exponentially): 40 % open a submission, 35 % filter the inbox, 15 % search it, 10 % look at trends.
A click ends when the server says that the script has finished; what a browser does with the answer
is not measured. Beside it an empty page of Streamlit is run again and again, by the same clock.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.util import calc_hash
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from dashboard.viewing_memory import BROWSER_COOKIE, new_key
from tests.benchmarks.big_store import write_big_store
from tests.dashboard.clients import request
from tests.dashboard.models import until
from tests.dashboard.serving import Server, free_port

THINK_SECONDS = 4.0
LOST_SECONDS = 60.0
KINDS = {"open": 40, "filter": 35, "search": 15, "trends": 10}
WORDS = ("dropout", "hydra", "config", "batch", "gate", "loss")
VIEWS = ("", "needs-decision", "disagree", "contradicted", "refuted", "decided")
EMPTY = "empty page"
LOST, WRONG = "lost", "wrong"
SHOWN = {
    "open": b"areachair_code_view",
    "filter": b"areachair_inbox_bar",
    "search": b"areachair_inbox_bar",
    "trends": b"trends-filters",
}
"""What each answer has to hold."""

Seconds = dict[str, list[float]]


class Person:
    """One simulated person.

    Args:
        address: of the web process that answers.
        ids: the submissions to open.
        seconds: collects how long each kind of click took.
    """

    def __init__(self, address: str, ids: Sequence[str], name: str, seconds: Seconds) -> None:
        self._address = address
        self._ids = ids
        self._seconds = seconds
        self._chance = random.Random(name)
        self._cookies = f"{BROWSER_COOKIE}={new_key()}; areachair_author={name}"

    async def live(self, until: float) -> None:
        """Click until a moment of the monotonic clock."""
        chance = self._chance
        await asyncio.sleep(chance.uniform(0, THINK_SECONDS))
        while time.monotonic() < until:
            try:
                async with opened(self._address, self._cookies) as page:
                    await click(page)
                    while time.monotonic() < until:
                        await asyncio.sleep(chance.expovariate(1 / THINK_SECONDS))
                        (kind,) = chance.choices([*KINDS], [*KINDS.values()])
                        began = time.monotonic()
                        came = await click(page, *self._wish(kind))
                        is_right = SHOWN[kind] in came
                        self._seconds[kind if is_right else WRONG].append(time.monotonic() - began)
            except (OSError, TimeoutError, WebSocketException) as problem:
                print(f"lost: {type(problem).__name__} {problem}", file=sys.stderr)
                self._seconds[LOST].append(0.0)

    def _wish(self, kind: str) -> tuple[str, dict[str, str]]:
        match kind:
            case "open":
                return "submission", {"s": self._chance.choice(self._ids)}
            case "filter":
                return "", {"view": self._chance.choice(VIEWS)}
            case "search":
                return "", {"q": self._chance.choice(WORDS)}
            case _:
                return "trends", {}


def opened(address: str, cookies: str = "") -> connect:
    """Open Streamlit's websocket; an asynchronous context manager."""
    return connect(
        f"ws://{urlsplit(address).netloc}/_stcore/stream",
        origin=address,  # type: ignore[arg-type]
        subprotocols=["streamlit", "none"],  # type: ignore[list-item]
        additional_headers={"Cookie": cookies} if cookies else None,
        max_size=None,
        proxy=None,
        open_timeout=LOST_SECONDS,
    )


async def click(
    page: ClientConnection, path: str = "", params: dict[str, str] | None = None
) -> bytes:
    """Have a page run, wait for its end, and return all that came.

    Raises:
        TimeoutError: there was no answer.
    """
    wish = {"query_string": urlencode(params or {})}
    if path:
        wish["page_script_hash"] = calc_hash(path)
    await page.send(BackMsg(rerun_script=wish).SerializeToString())
    came: list[bytes] = []
    async with asyncio.timeout(LOST_SECONDS):
        async for part in page:
            assert isinstance(part, bytes)
            came.append(part)
            if ForwardMsg.FromString(part).WhichOneof("type") == "script_finished":
                break
    return b"".join(came)


async def look_at_nothing(address: str, until: float, seconds: Seconds) -> None:
    """Run an empty page again and again."""
    async with opened(address) as page:
        await click(page)
        while time.monotonic() < until:
            await asyncio.sleep(0.5)
            began = time.monotonic()
            await click(page)
            seconds[EMPTY].append(time.monotonic() - began)


async def use(
    addresses: Sequence[str], empty: str, ids: Sequence[str], sessions: int, lasting: float
) -> Seconds:
    """Let people click for so many seconds; return how long each kind took."""
    seconds: Seconds = defaultdict(list)
    end = time.monotonic() + lasting
    async with asyncio.TaskGroup() as group:
        group.create_task(look_at_nothing(empty, end, seconds))
        for number in range(sessions):
            address = addresses[number % len(addresses)]
            group.create_task(Person(address, ids, f"person {number}", seconds).live(end))
    return seconds


@contextmanager
def empty_page(folder: Path) -> Iterator[str]:
    """Serve a page of Streamlit with nothing on it; give its address."""
    script, port = folder / "nothing.py", free_port()
    script.write_text("")
    options = {"headless": "true", "port": str(port), "address": "127.0.0.1"}
    words = [f"--server.{name}={value}" for name, value in options.items()]
    command = [sys.executable, "-m", "streamlit", "run", str(script), *words]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        address = f"http://127.0.0.1:{port}"

        def answers() -> bool:
            with suppress(OSError):
                return request(address, "/_stcore/health").status == 200
            return False

        try:
            until(answers)
            yield address
        finally:
            process.terminate()


def processor_seconds(parent: int) -> float:
    """The processor time of a process and those that it started, so far."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            if parent in (int(stat.parent.name), int(fields[1])):
                ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def report(seconds: Seconds, processor: float, lasting: float) -> None:
    """Print what people waited, and what it cost."""
    empty = statistics.median(seconds.get(EMPTY) or [float("nan")])
    for kind in (*KINDS, EMPTY):
        taken = sorted(seconds.get(kind, []))
        if taken:
            median, p95 = statistics.median(taken), taken[max(0, -(-95 * len(taken) // 100) - 1)]
            print(
                f"{kind:12} p50 {median:6.3f} s   p95 {p95:6.3f} s   longest {taken[-1]:6.3f} s"
                f"   {median / empty:6.1f} x an empty page   n={len(taken)}"
            )
    clicks = sum(len(seconds.get(kind, [])) for kind in KINDS)
    lost, wrong = (len(seconds.get(each, [])) for each in (LOST, WRONG))
    print(
        f"{clicks} clicks in {lasting:.0f} s ({clicks / lasting:.1f} a second), {lost} lost,"
        f" {wrong} wrong, {1000 * processor / max(clicks, 1):.0f} ms of the servers' processors a"
        f" click, {processor / lasting:.2f} processors, load {os.getloadavg()[0]:.1f}"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sessions", type=int)
    parser.add_argument("--processes", type=int, default=1, help="web processes")
    parser.add_argument("--seconds", type=float, default=60, help="how long people click")
    parser.add_argument("--store", type=Path, help="a SQLite store; it is copied")
    parser.add_argument("--big", type=int, default=1_000, help="else, submissions to make up")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "store.sqlite3")
        if options.store is None:
            write_big_store(path, options.big)
        else:
            with (
                closing(sqlite3.connect(options.store)) as one,
                closing(sqlite3.connect(path)) as copy,
            ):
                one.backup(copy)
        with closing(sqlite3.connect(path)) as opened_store:
            chosen = "SELECT id FROM submissions ORDER BY random() LIMIT 500"
            ids = [id for (id,) in opened_store.execute(chosen)]
        several = ["--processes", str(options.processes)] if options.processes > 1 else []
        with (
            Server(f"sqlite:///{path}", options=["--no-work", *several]) as server,
            empty_page(Path(folder)) as empty,
        ):
            place, port = server.address.rsplit(":", 1)
            addresses = [f"{place}:{int(port) + each}" for each in range(options.processes)]
            # What is loaded and counted once only.
            asyncio.run(use(addresses, empty, ids, len(addresses), 15))
            before = processor_seconds(server.pid)
            seconds = asyncio.run(use(addresses, empty, ids, options.sessions, options.seconds))
            processor = processor_seconds(server.pid) - before
    report(seconds, processor, options.seconds)


if __name__ == "__main__":
    main()
