"""A backend that respects a server's limits on concurrency, requests and tokens per minute."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from reviewers.backends.base import Backend, Reply, Request

_MINUTE = 60.0
# The oldest wait looks again this often, since an answer shorter than feared leaves room early.
_LOOK_AGAIN = 1.0


@dataclass(slots=True)
class _Sent:
    at: float
    tokens: int


class Limited:
    """Sends at most so many requests at a time, and in any sixty seconds at most so many requests
    and tokens.

    Requests wait in the order in which they came. One that is larger than a minute's tokens goes
    through when nothing else was sent for a minute. Tokens are counted as if the answer were as
    long as it may be, and as the server counted once it came.

    Args:
        requests_per_minute, tokens_per_minute: None for no limit.
        clock, sleep: seconds on a clock that never goes back, and the time to wait; replaced in
            tests.
    """

    def __init__(
        self,
        backend: Backend,
        concurrency: int,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._backend = backend
        self._concurrency = concurrency
        self._requests = requests_per_minute
        self._tokens = tokens_per_minute
        self._clock = clock
        self._sleep = sleep
        self._sent: deque[_Sent] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def complete(self, request: Request) -> Reply:
        """Wait for a turn, and return the answer.

        Raises:
            BackendError: there is none.
        """
        slots, turn = self._gates()
        async with slots:
            sent = await self._send(request.input_tokens + request.max_output_tokens, turn)
            reply = await self._backend.complete(request)
            if reply.input_tokens is not None and reply.output_tokens is not None:
                sent.tokens = reply.input_tokens + reply.output_tokens
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

    async def _send(self, tokens: int, turn: asyncio.Lock) -> _Sent:
        async with turn:
            while (wait := self._wait(tokens)) > 0:
                await self._sleep(min(wait, _LOOK_AGAIN))
            sent = _Sent(self._clock(), tokens)
            self._sent.append(sent)
            return sent

    def _wait(self, tokens: int) -> float:
        """Return the seconds until something may have changed; 0 if the request may be sent
        now.
        """
        now = self._clock()
        while self._sent and self._sent[0].at + _MINUTE <= now:
            self._sent.popleft()
        if not self._sent:
            return 0.0
        full = self._requests is not None and len(self._sent) >= self._requests
        if not full and self._tokens is not None:
            full = sum(sent.tokens for sent in self._sent) + tokens > self._tokens
        return self._sent[0].at + _MINUTE - now if full else 0.0
