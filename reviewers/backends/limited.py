"""A backend that respects a server's limits on concurrency, requests and tokens per minute."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from reviewers.backends.base import LONGEST_ASKED_FOR, Backend, Reply, Request
from reviewers.errors import Unreachable

MINUTE = 60.0
# The oldest wait looks again this often, since an answer shorter than feared leaves room early.
_LOOK_AGAIN = 1.0


class Quota(Protocol):
    """What a server allows: in any sixty seconds at most so many requests and tokens, and nothing
    for as long as it asks to wait.

    A request that is larger than a minute's tokens goes through when nothing else was sent for a
    minute.
    """

    def take(self, tokens: int) -> tuple[float, int]:
        """Count a request as sent now, with the most tokens that it can take.

        Returns:
            0 and its number if it may be sent; else the seconds until something may have changed.
        """
        ...

    def settle(self, number: int, tokens: int) -> None:
        """Say how many tokens a request took."""
        ...

    def close(self, seconds: float) -> None:
        """Let nobody ask for so long."""
        ...


@dataclass(slots=True)
class _Sent:
    number: int
    at: float
    tokens: int


class OwnQuota:
    """The quota of one process.

    Args:
        requests, tokens: per minute; None for no limit.
        clock: seconds on a clock that never goes back; replaced in tests.
    """

    def __init__(
        self,
        requests: int | None = None,
        tokens: int | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._requests = requests
        self._tokens = tokens
        self._clock = clock
        self._sent: deque[_Sent] = deque()
        self._count = 0
        self._closed = float("-inf")

    def take(self, tokens: int) -> tuple[float, int]:
        """Count a request as sent now; see `Quota`."""
        now = self._clock()
        if self._closed > now:
            return self._closed - now, 0
        while self._sent and self._sent[0].at + MINUTE <= now:
            self._sent.popleft()
        taken = sum(sent.tokens for sent in self._sent)
        if is_full(len(self._sent), taken + tokens, self._requests, self._tokens):
            return self._sent[0].at + MINUTE - now, 0
        self._count += 1
        self._sent.append(_Sent(self._count, now, tokens))
        return 0.0, self._count

    def settle(self, number: int, tokens: int) -> None:
        """Say how many tokens a request took."""
        for sent in self._sent:
            if sent.number == number:
                sent.tokens = tokens

    def close(self, seconds: float) -> None:
        """Let nobody ask for so long."""
        self._closed = max(self._closed, self._clock() + seconds)


def is_full(sent: int, tokens: int, most_requests: int | None, most_tokens: int | None) -> bool:
    """Whether one more request has to wait.

    Args:
        sent: requests of the last minute without it.
        tokens: those of the last minute and its own.
    """
    if not sent:
        return False
    many = most_requests is not None and sent >= most_requests
    return many or (most_tokens is not None and tokens > most_tokens)


class Limited:
    """Sends at most so many requests at a time, and what the quota lets through, in the order in
    which they came.

    Tokens are counted as if the answer were as long as it may be, and as the server counted once
    it came. When the server asks to wait, all that share the quota do.

    Args:
        sleep: the time to wait; replaced in tests.
    """

    def __init__(
        self,
        backend: Backend,
        concurrency: int,
        quota: Quota | None = None,
        *,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._backend = backend
        self._concurrency = concurrency
        self._quota = quota or OwnQuota()
        self._sleep = sleep
        self._loop: asyncio.AbstractEventLoop | None = None

    async def complete(self, request: Request) -> Reply:
        """Wait for a turn, and return the answer.

        Raises:
            BackendError: there is none.
        """
        slots, turn = self._gates()
        async with slots:
            number = await self._send(request.input_tokens + request.max_output_tokens, turn)
            try:
                reply = await self._backend.complete(request)
            except Unreachable as error:
                # For longer it closes nothing: each request then fails and says so.
                if error.after is not None and 0 < error.after <= LONGEST_ASKED_FOR:
                    self._quota.close(error.after)
                raise
            if reply.input_tokens is not None and reply.output_tokens is not None:
                self._quota.settle(number, reply.input_tokens + reply.output_tokens)
            return reply

    def _gates(self) -> tuple[asyncio.Semaphore, asyncio.Lock]:
        """Those of the running loop: they cannot be taken from one `asyncio.run` to the next, what
        was sent can.
        """
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop = loop
            self._slots, self._turn = asyncio.Semaphore(self._concurrency), asyncio.Lock()
        return self._slots, self._turn

    async def _send(self, tokens: int, turn: asyncio.Lock) -> int:
        async with turn:
            while True:
                wait, number = self._quota.take(tokens)
                if wait <= 0:
                    return number
                await self._sleep(min(wait, _LOOK_AGAIN))
