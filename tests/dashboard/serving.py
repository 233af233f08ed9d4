"""The console script as a process on a free port, with all that it prints."""

import os
import random
import re
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing.connection import Connection, Pipe
from multiprocessing.process import BaseProcess
from pathlib import Path
from subprocess import Popen
from typing import Self

from reviewers.cli.serving import DashboardOptions
from tests.console import start_console

# Another one in each process, whatever seed a test sets.
_CHANCE = random.SystemRandom()


def free_port() -> int:
    """A port of this machine that nobody listens on, and that no connection is given until then."""
    while True:
        port = _CHANCE.randrange(10_000, 32_000)
        with socket.socket() as free, suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port


class Server:
    """Serves a store; to be used as a context manager.

    Args:
        environment: of the process; this one's where none is given.
        options: further words of the command line.
        afresh_in: the folder in which it is started as a user would, loading its libraries.
        orders: where it hears of another store to serve; see `SharedDesk`.

    Attributes:
        log: the lines that it printed so far, errors among them.
    """

    def __init__(
        self,
        url: str,
        port: int | None = None,
        environment: Mapping[str, str] | None = None,
        options: Sequence[str] = (),
        afresh_in: Path | None = None,
        orders: Connection | None = None,
    ) -> None:
        self.log: list[str] = []
        self.address = ""
        words = ["--store", url, "--port", str(port or free_port()), "--no-browser", *options]
        read, write = os.pipe()
        self._printed = read
        if afresh_in is None:
            process = start_console(words, environment, write, write, orders)
            self._process, self._wait = process, process.join
        else:
            script = Path(sys.executable).with_name("areachair")
            started = Popen(
                [script, *words], stdout=write, stderr=write, env=environment, cwd=afresh_in
            )
            self._process, self._wait = started, started.wait
        os.close(write)
        self._ready = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)

    def __enter__(self) -> Self:
        self._reader.start()
        self._ready.wait()
        assert self.address, f"the server did not start: {''.join(self.log)}"
        return self

    def __exit__(self, *_: object) -> None:
        """Kill it: one that is asked to stop waits some seconds for pages that are still open."""
        self._process.kill()
        self._reader.join(20)
        self._wait(20)

    @property
    def pid(self) -> int:
        """The process that was started."""
        assert self._process.pid is not None
        return self._process.pid

    def kill(self) -> None:
        """Kill it."""
        self._process.kill()
        self._wait(20)

    def ended(self) -> int:
        """Wait until it ends by itself, and return its exit code."""
        self._wait(20)
        self._reader.join(20)
        code = self._process.exitcode if isinstance(self._process, BaseProcess) else None
        assert code is not None
        return code

    def stop(self) -> None:
        """Stop it as a user does."""
        self._process.terminate()
        self._wait(20)
        self._reader.join(20)
        assert not self._reader.is_alive(), f"the server does not stop: {self.log[-5:]}"

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Let it do nothing meanwhile, as if its machine hung."""
        assert self._process.pid is not None
        os.kill(self._process.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self._process.pid, signal.SIGCONT)

    def _read(self) -> None:
        with open(self._printed, encoding="utf-8") as lines:
            for line in lines:
                self.log.append(line)
                if ready := re.match(r"areachair is ready: (\S+)", line):
                    self.address = ready[1]
                    self._ready.set()
        self._ready.set()


class SharedDesk(ExitStack):
    """One desk process for many tests, started for the first of them."""

    _server: Server | None = None

    @property
    def address(self) -> str:
        """Its address; empty until it is started."""
        return self._server.address if self._server else ""

    def serve(self, url: str) -> str:
        """Serve this store under this process's environment, and nothing of what was served
        before; return the address.
        """
        if self._server is None:
            self._port = free_port()
            self._orders, theirs = Pipe()
            self._server = self.enter_context(
                Server(url, self._port, options=["--no-work"], orders=theirs)
            )
            theirs.close()
        else:
            options = DashboardOptions(
                url, "127.0.0.1", self._port, open_browser=False, works=False
            )
            self._orders.send((options, dict(os.environ)))
            assert self._orders.poll(20), f"the desk does not answer: {self._server.log[-5:]}"
            self._orders.recv()
        return self.address
