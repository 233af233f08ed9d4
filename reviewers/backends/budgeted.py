"""The budget of a run, and a backend that sends nothing that could exceed it."""

import asyncio
import json
import math
from collections import deque
from dataclasses import dataclass

from reviewers.backends.base import Backend, Reply, Request
from reviewers.backends.configured import BudgetConfig
from reviewers.backends.prices import Prices
from reviewers.errors import (
    BudgetSpent,
    KeyRefused,
    RequestRefused,
    TooLong,
    Unreachable,
    UnusableReply,
)

# Estimates of the input are a little off; servers also add words of their own around each message,
# and the form.
_MARGIN = 1.25
_AROUND = 100
_CHARACTERS_A_TOKEN = 3
_PICO = 10**12


@dataclass(frozen=True, slots=True)
class Amount:
    """Money and tokens.

    Attributes:
        picodollars: whole, so that sums are exact; 0 if the prices are unknown.
    """

    picodollars: int = 0
    tokens: int = 0

    @property
    def usd(self) -> float:
        """US dollars."""
        return self.picodollars / _PICO

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(self.picodollars + other.picodollars, self.tokens + other.tokens)

    def __sub__(self, other: "Amount") -> "Amount":
        return Amount(self.picodollars - other.picodollars, self.tokens - other.tokens)


_NOTHING = Amount()


class Budget:
    """What all reviewers of one run may cost together; for the tasks of one event loop.

    Who asks reserves the most that it can cost first, and settles what it did cost afterwards.
    A reservation that does not fit waits its turn for as long as those before it may turn out
    cheaper; it is refused once they cannot.

    Attributes:
        reserved: what the requests that are under way can cost at most.
    """

    def __init__(self, config: BudgetConfig) -> None:
        self._usd = None if config.usd is None else round(config.usd * _PICO)
        self._tokens = config.tokens
        self._spent = _NOTHING
        self._unpriced = False
        self.reserved = _NOTHING
        self._waiting: deque[tuple[Amount, asyncio.Future[None]]] = deque()

    def demand(self, prices: Prices, model: str) -> None:
        """Refuse prices that a limit in dollars cannot be kept with.

        Raises:
            BudgetSpent: there is a limit in dollars, and the prices are unknown.
        """
        if self._usd is not None and not prices.known:
            raise BudgetSpent(
                f"the budget is in dollars, but the prices of {model} are unknown: configure them"
            )

    @property
    def spent_usd(self) -> float | None:
        """US dollars; None if something was asked for at unknown prices."""
        return None if self._unpriced else self._spent.usd

    @property
    def spent_tokens(self) -> int:
        """Input and output together."""
        return self._spent.tokens

    async def reserve(self, worst: Amount) -> None:
        """Set aside the most that a request can cost; `settle` must follow, whatever happens.

        Raises:
            BudgetSpent: it would not fit even if everything under way turned out to cost nothing.
        """
        future = asyncio.get_running_loop().create_future()
        self._waiting.append((worst, future))
        self._admit()
        try:
            await future
        except asyncio.CancelledError:
            if future.cancelled():
                self._admit()
            elif future.exception() is None:
                self.settle(worst, _NOTHING)
            raise

    def settle(self, worst: Amount, spent: Amount, *, priced: bool = True) -> None:
        """Give a reservation back and count what was really spent."""
        self.reserved -= worst
        self._spent += spent
        self._unpriced |= not priced and spent != _NOTHING
        self._admit()

    def _admit(self) -> None:
        """Let in who waits, in order, up to the first one that must wait on."""
        while self._waiting:
            worst, future = self._waiting[0]
            if future.done():
                pass
            elif problem := self._problem(worst, self._spent):
                future.set_exception(BudgetSpent(problem))
            elif self._problem(worst, self._spent + self.reserved):
                return
            else:
                self.reserved += worst
                future.set_result(None)
            self._waiting.popleft()

    def _problem(self, worst: Amount, taken: Amount) -> str | None:
        if self._usd is not None and taken.picodollars + worst.picodollars > self._usd:
            limit, left = self._usd / _PICO, max(0, self._usd - taken.picodollars) / _PICO
            return (
                f"asking could cost up to ${worst.usd:,.4f}, and of the budget of ${limit:,.4f}"
                f" only ${left:,.4f} is left"
            )
        if self._tokens is not None and taken.tokens + worst.tokens > self._tokens:
            left = max(0, self._tokens - taken.tokens)
            return (
                f"asking could take up to {worst.tokens:,} tokens, and of the budget of"
                f" {self._tokens:,} only {left:,} are left"
            )
        return None


class Budgeted:
    """Asks only what the budget can pay in the worst case.

    What a server did not count, and what may have been charged although no answer came (a time-out,
    a task that was cancelled under way), is taken to have cost the worst case. An answer can cost
    more than that only where the estimate of the input is more than a quarter too low.

    Every attempt is one request here, so it belongs inside of `Retrying`.
    """

    def __init__(self, backend: Backend, budget: Budget, prices: Prices) -> None:
        self._backend = backend
        self._budget = budget
        self._prices = prices

    async def complete(self, request: Request) -> Reply:
        """Wait until the budget has room, and return the answer.

        Raises:
            BackendError: there is none; `BudgetSpent` if nothing was sent.
        """
        self._budget.demand(self._prices, request.model)
        worst = worst_case(request, self._prices)
        await self._budget.reserve(worst)
        spent = worst
        try:
            reply = await self._backend.complete(request)
            spent = _NOTHING if reply.from_cache else self._counted(reply, worst)
            return reply
        except UnusableReply as error:
            spent = self._counted(error, worst)
            raise
        except Unreachable as error:
            spent = worst if error.billed else _NOTHING
            raise
        except (RequestRefused, KeyRefused, TooLong, BudgetSpent):
            spent = _NOTHING
            raise
        finally:
            self._budget.settle(worst, spent, priced=self._prices.known)

    def _counted(self, answer: Reply | UnusableReply, worst: Amount) -> Amount:
        given, said = answer.input_tokens, answer.output_tokens
        if given is None or said is None or given < 0 or said < 0:
            return worst
        return _amount(self._prices, given, said, max(0, answer.cached_tokens or 0))


def worst_case(request: Request, prices: Prices) -> Amount:
    """Return the most that a request can cost; an estimate of its input may be a quarter too
    low.
    """
    size = math.ceil(request.input_tokens * _MARGIN)
    if not size:
        # Nobody estimated it. No text has more tokens than bytes.
        size = sum(len(message.text.encode(errors="replace")) for message in request.messages)
    form = (
        0
        if request.form is None
        else len(json.dumps(dict(request.form.schema))) // _CHARACTERS_A_TOKEN
    )
    size += form + _AROUND
    return max(
        _amount(prices, size, request.max_output_tokens, 0),
        _amount(prices, size, request.max_output_tokens, size),
        key=lambda amount: amount.picodollars,
    )


def _amount(prices: Prices, given: int, said: int, cached: int) -> Amount:
    cost = prices.cost(given, said, cached)
    return Amount(0 if cost is None else round(cost * _PICO), given + said)
