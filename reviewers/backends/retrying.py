"""A backend that repeats a request if that may help."""

import asyncio
import random
from collections.abc import Awaitable, Callable

from reviewers.backends.base import LONGEST_ASKED_FOR, Backend, Reply, Request
from reviewers.errors import Unreachable

_FIRST = 0.5
_LONGEST = 60.0


class Retrying:
    """Tries again after `Unreachable`, up to `retries` further times; every other error is passed
    on at once.

    It waits a random part of 0.5 s, 1 s, 2 s, … 60 s, so that requests that failed together do not
    come back together, and before that as long as the server asks. Every attempt may be charged
    for: a budget belongs inside.

    Args:
        sleep, random: the time to wait, and a number from 0 to 1; replaced in tests.
    """

    def __init__(
        self,
        backend: Backend,
        retries: int,
        *,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        random: Callable[[], float] = random.random,
    ) -> None:
        self._backend = backend
        self._retries = retries
        self._sleep = sleep
        self._random = random

    async def complete(self, request: Request) -> Reply:
        """Return the first answer.

        Raises:
            BackendError: there is none; `Unreachable` says how many attempts there were, and is
                `billed` where one of them was.
        """
        attempts, billed = 0, False
        while True:
            attempts += 1
            try:
                return await self._backend.complete(request)
            except Unreachable as error:
                billed |= error.billed
                asked_for = error.after or 0.0
                # Not `>`: NaN is not a time to wait either.
                absurd = not asked_for <= LONGEST_ASKED_FOR
                if absurd or attempts > self._retries:
                    why = (
                        f", and the server asks to wait {asked_for:,.0f} seconds more"
                        if absurd
                        else ""
                    )
                    tried = (
                        f"{error} (tried {'once' if attempts == 1 else f'{attempts} times'}{why})"
                    )
                    raise Unreachable(tried, error.raw, after=error.after, billed=billed) from error
            backoff = min(_LONGEST, _FIRST * 2 ** (attempts - 1))
            await self._sleep(max(0.0, asked_for) + self._random() * backoff)
