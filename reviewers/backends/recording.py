"""Backends that write down what was asked and answered, and that answer from what was written down.

A recording is one JSON object a line: `id` and `request`, and `reply` or `error`. Requests hold no
keys, so none is in there.
"""

import json
import logging
import os
from collections import defaultdict, deque
from dataclasses import asdict
from pathlib import Path
from typing import Any

from reviewers.backends.base import Backend, Reply, Request
from reviewers.backends.serialization import error_value, read_error, read_reply, reply_value
from reviewers.errors import BackendError, RequestRefused, ReviewerError

_log = logging.getLogger(__name__)


class Recording:
    """Appends every request and what became of it to a file that only this user can read.

    An answer that cannot be written down is given all the same, with a warning in the log.
    """

    def __init__(self, backend: Backend, path: Path) -> None:
        self._backend = backend
        self._path = path

    async def complete(self, request: Request) -> Reply:
        """Return the answer.

        Raises:
            BackendError: there is none.
        """
        try:
            reply = await self._backend.complete(request)
        except BackendError as error:
            self._append(request, {"error": error_value(error)})
            raise
        self._append(request, {"reply": reply_value(reply)})
        return reply

    def _append(self, request: Request, outcome: dict[str, Any]) -> None:
        line = json.dumps({"id": request.id, "request": asdict(request), **outcome}) + "\n"
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(handle, "ab") as file:
                file.write(line.encode("ascii"))
        except OSError as error:
            _log.warning("nothing is recorded in %s (%s)", self._path, error.strerror or error)


class Replay:
    """Answers from a recording: what was answered to a request in order, then the last answer again
    and again.

    Errors come back as their kinds. Lines that are no recorded answer, such as half of a last one,
    are passed over.

    Raises:
        ReviewerError: the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._outcomes: defaultdict[str, deque[Reply | BackendError]] = defaultdict(deque)
        try:
            lines = path.read_bytes().splitlines()
        except OSError as error:
            raise ReviewerError(
                f"{path}: the recording cannot be read ({error.strerror or error})"
            ) from None
        for line in lines:
            try:
                value = json.loads(line)
                outcome = (
                    read_reply(value["reply"]) if "reply" in value else read_error(value["error"])
                )
                self._outcomes[str(value["id"])].append(outcome)
            except (ValueError, TypeError, KeyError, RecursionError):
                continue

    async def complete(self, request: Request) -> Reply:
        """Return what was answered.

        Raises:
            BackendError: that was the answer; `RequestRefused` where this request was never
                recorded.
        """
        outcomes = self._outcomes.get(request.id)
        if not outcomes:
            raise RequestRefused(
                f"{self._path}: no answer to this request of {request.model} was recorded"
                f" ({request.id[:12]})"
            )
        outcome = outcomes.popleft() if len(outcomes) > 1 else outcomes[0]
        if isinstance(outcome, BackendError):
            raise outcome
        return outcome
