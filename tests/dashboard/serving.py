"""The console script as a process on a free port, with all that it prints."""

import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self


def free_port() -> int:
    """A port of this machine that nobody listens on at this moment."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


class Server:
    """Serves a store; to be used as a context manager.

    Args:
        environment: of the process; this one's where none is given.
        options: further words of the command line.
        folder: that it is started in; this process' one where none is given.

    Attributes:
        log: the lines that it printed so far, errors among them.
    """

    def __init__(
        self,
        url: str,
        port: int | None = None,
        environment: Mapping[str, str] | None = None,
        options: Sequence[str] = (),
        folder: Path | None = None,
    ) -> None:
        self.log: list[str] = []
        self.address = ""
        script = Path(sys.executable).with_name("areachair")
        words = [
            script,
            "--store",
            url,
            "--port",
            str(port or free_port()),
            "--no-browser",
            *options,
        ]
        self._process = subprocess.Popen(
            words,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
            cwd=folder,
        )
        self._ready = threading.Event()
        self._reader = threading.Thread(target=self._read)

    def __enter__(self) -> Self:
        self._reader.start()
        self._ready.wait()
        assert self.address, f"the server did not start: {''.join(self.log)}"
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(timeout=20)
        self._reader.join()

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Let it do nothing meanwhile, as if its machine hung."""
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self.log.append(line)
                if ready := re.match(r"areachair is ready: (\S+)", line):
                    self.address = ready[1]
                    self._ready.set()
        self._ready.set()
