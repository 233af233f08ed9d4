"""Several web processes and one worker, started, watched and ended by one parent.

A child gets what it needs as the first line of its input, since the list of processes would show a
password on its command line, and ends where its input ends: even a parent that is killed leaves
none behind.
"""

import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from reviewers import settings
from reviewers.cli.serving import DashboardOptions
from reviewers.errors import AreachairError
from reviewers.jobs.names import COMMAND

_PACKAGES = Path(__file__).parents[1]
# Not found by the folder in which the desk was started: that may be a submission's.
_SCRIPT = f"import sys, runpy; sys.path.insert(0, {str(_PACKAGES)!r});" + (
    " runpy.run_module('dashboard.processes', run_name='__main__')"
)
_WEB: Sequence[str] = (sys.executable, "-P", "-c", _SCRIPT)

_LOOK_SECONDS = 0.1
_AT_ONCE_SECONDS = 10.0
"""A child that lived no longer died at once."""

_MOST_DEATHS = 4
"""So often in a row a child may die at once; the pause before each start is twice the last one."""

_FIRST_PAUSE = 0.5
_SECONDS_TO_END = 8.0


class _Child:
    """A child process, started again when it dies.

    Args:
        name: what messages call it.
        line: the first line of its input.
        environment: of the process.
    """

    def __init__(
        self, name: str, command: Sequence[str], line: str, environment: Mapping[str, str]
    ) -> None:
        self._name = name
        self._command = command
        self._line = line
        self._environment = environment
        self._deaths = 0
        self._due = 0.0
        self._begun = 0.0
        self._process: subprocess.Popen[str] | None = None
        self._start()

    def look(self) -> None:
        """Start it again if it died and its pause is over.

        Raises:
            AreachairError: it died at once too often.
        """
        now = time.monotonic()
        if self._process is None:
            if now >= self._due:
                self._start()
            return
        code = self._process.poll()
        if code is None:
            return
        self._process = None
        self._deaths = self._deaths + 1 if now - self._begun < _AT_ONCE_SECONDS else 1
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        if self._deaths >= _MOST_DEATHS:
            raise AreachairError(
                f"{self._name} ended {how}, {self._deaths} times right after its start: see what it"
                " printed above, put that right, and start areachair again"
            )
        self._due = now + _FIRST_PAUSE * 2 ** (self._deaths - 1)
        print(f"areachair: {self._name} ended {how}; it starts again", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Tell it to end."""
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()

    def end(self, deadline: float) -> None:
        """Wait for its end; kill it after the deadline."""
        if self._process is None:
            return
        try:
            self._process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _start(self) -> None:
        self._begun = time.monotonic()
        # In a group of its own: Ctrl+C reaches the parent, which ends all in order.
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            text=True,
            process_group=0,
            env=self._environment,
        )
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it died already
            self._process.stdin.write(f"{self._line}\n")
            self._process.stdin.flush()


def run_processes(options: DashboardOptions) -> None:
    """Run the web processes, and a worker if the desk has one, until SIGINT or SIGTERM.

    Raises:
        AreachairError: one of them died at once again and again.
    """
    asked_to_end = threading.Event()
    before = {
        each: signal.signal(each, lambda *_: asked_to_end.set())
        for each in (signal.SIGINT, signal.SIGTERM)
    }
    # Streamlit signs with it what a browser brings back from the provider, to whichever process.
    environment = settings.child_environment(STREAMLIT_SERVER_COOKIE_SECRET=secrets.token_hex(32))
    children: list[_Child] = []
    try:
        for number in range(1, options.processes + 1):
            each = options.web_process(number)
            name = f"web process {number} (port {each.listens[1]})"
            children.append(_Child(name, _WEB, json.dumps(asdict(each)), environment))
        if options.works:
            children.append(_Child("the worker", COMMAND, options.store_url, environment))
        while not asked_to_end.wait(_LOOK_SECONDS):
            for child in children:
                child.look()
    finally:
        for child in children:
            child.close()
        deadline = time.monotonic() + _SECONDS_TO_END
        for child in children:
            child.end(deadline)
        for signal_number, handler in before.items():
            signal.signal(signal_number, handler)


def _main() -> None:
    """Be one web process, as the first line of the input says, until the input ends."""
    from dashboard.serve import serve
    from reviewers.cli.printing import UNUSABLE, complain

    told = json.loads(sys.stdin.readline())
    options = DashboardOptions(**{**told, "allowed_hosts": tuple(told["allowed_hosts"])})
    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        serve(options)
    except AreachairError as error:
        complain([str(error)])
        raise SystemExit(UNUSABLE) from None


def _end_with_input() -> None:
    sys.stdin.read()
    # As if a user stopped it: what is under way gets its seconds.
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    _main()
