"""A budget is never exceeded, whatever happens at once, and it is not given up before it is
spent.
"""

import asyncio
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewers.backends.base import AnswerForm, Reply, Request
from reviewers.backends.budgeted import Amount, Budget, Budgeted
from reviewers.backends.configured import BudgetConfig
from reviewers.backends.prices import Prices
from reviewers.backends.retrying import Retrying
from reviewers.backends.scripted import Scripted
from reviewers.errors import (
    BackendError,
    BudgetSpent,
    KeyRefused,
    RequestRefused,
    TooLong,
    Unreachable,
    UnusableReply,
)
from tests.cases import cases
from tests.reviewers.backends.asking import ask, ask_at_once, make_request

PRICES = Prices(input=2.0, cached=0.5, output=8.0)
# 1,000 estimated input tokens, a quarter more, and a hundred around them; and the whole answer.
REQUEST = make_request(input_tokens=1000, max_output_tokens=1000)
WORST_TOKENS = 1000 + 250 + 100 + 1000
WORST_USD = (1350 * 2 + 1000 * 8) / 1e6
REPLY = Reply(text="yes", input_tokens=1000, cached_tokens=400, output_tokens=50)


WORST = (WORST_USD, WORST_TOKENS)
REFUSALS = (RequestRefused, KeyRefused, TooLong, Unreachable, BudgetSpent)


@cases(
    ("outcome", "usd", "tokens"),
    {
        "counted": (REPLY, (600 * 2 + 400 * 0.5 + 50 * 8) / 1e6, 1050),
        "counted garbage": (
            UnusableReply("cut off", input_tokens=1000, cached_tokens=0, output_tokens=1000),
            0.01,
            2000,
        ),
        "from the cache": (replace(REPLY, from_cache=True), 0, 0),
        # What was not charged for costs nothing, what may have been the worst case.
        **{kind.__name__: (kind("no"), 0, 0) for kind in REFUSALS},
        "time-out": (Unreachable("timed out", billed=True), *WORST),
        "uncounted garbage": (UnusableReply("cut off"), *WORST),
        "half counted garbage": (UnusableReply("cut off", input_tokens=7), *WORST),
        "uncounted": (Reply(text="yes"), *WORST),
        "half counted": (Reply(text="yes", output_tokens=7), *WORST),
        "below zero": (Reply(text="yes", input_tokens=-7_000_000, output_tokens=7), *WORST),
    },
)
def test_an_outcome_costs_what_was_charged_for_it(
    outcome: Reply | BackendError, usd: float, tokens: int
) -> None:
    budget = Budget(BudgetConfig(usd=1))
    asyncio.run(ask_at_once(Budgeted(Scripted([outcome]), budget, PRICES), [REQUEST]))
    assert budget.spent_usd == pytest.approx(usd)
    assert (budget.spent_tokens, budget.reserved) == (tokens, Amount())


@cases(
    ("config", "said"),
    {
        "dollars": (
            BudgetConfig(usd=0.012),
            r"could cost up to \$0\.0107, and of the budget of \$0\.0120 only \$0\.0102 is left",
        ),
        "tokens": (
            BudgetConfig(tokens=3000),
            "could take up to 2,350 tokens, and of the budget of 3,000 only 1,950 are left",
        ),
    },
)
def test_what_does_not_fit_is_not_sent_and_the_figures_are_told(
    config: BudgetConfig, said: str
) -> None:
    scripted = Scripted([REPLY])
    budgeted = Budgeted(scripted, Budget(config), PRICES)
    ask(budgeted, REQUEST)
    with pytest.raises(BudgetSpent, match=said):
        ask(budgeted, REQUEST)
    assert len(scripted.asked) == 1


def test_without_limits_everything_is_sent_and_counted() -> None:
    budget = Budget(BudgetConfig())
    asyncio.run(ask_at_once(Budgeted(Scripted(lambda _: REPLY), budget, PRICES), [REQUEST] * 20))
    assert budget.spent_tokens == 20 * 1050


def test_what_was_spent_at_unknown_prices_is_not_zero_dollars() -> None:
    budget = Budget(BudgetConfig(tokens=10_000))
    assert budget.spent_usd == 0
    ask(Budgeted(Scripted([REPLY]), budget, Prices()), REQUEST)
    assert (budget.spent_usd, budget.spent_tokens) == (None, 1050)


def test_a_sum_of_prices_that_fits_exactly_fits() -> None:
    tenth = make_request(input_tokens=0, max_output_tokens=100_000)
    budget = Budget(BudgetConfig(usd=0.3))
    budgeted = Budgeted(
        Scripted(lambda _: Reply(text="yes", input_tokens=0, output_tokens=100_000)),
        budget,
        Prices(input=0, output=1),
    )
    for _ in range(3):
        ask(budgeted, tenth)
    assert budget.spent_usd == 0.3
    with pytest.raises(BudgetSpent):
        ask(budgeted, tenth)


LONG_FORM = AnswerForm("findings", {"type": "object", "description": "x" * 3000})
UNPRICED = "the prices of o9 are unknown: configure them"


@cases(
    ("request_", "config", "prices", "said"),
    {
        "no dollars": (REQUEST, BudgetConfig(usd=0), PRICES, "could cost"),
        "no tokens": (REQUEST, BudgetConfig(tokens=0), PRICES, "could take"),
        "no prices": (REQUEST, BudgetConfig(usd=100), Prices(), UNPRICED),
        "input priced": (REQUEST, BudgetConfig(usd=100), Prices(input=2.0), UNPRICED),
        "output priced": (REQUEST, BudgetConfig(usd=100), Prices(output=8.0), UNPRICED),
        # What nobody estimated is taken to be a token a byte.
        "not estimated": (
            make_request("ж" * 500, input_tokens=0, max_output_tokens=100),
            BudgetConfig(tokens=1199),
            PRICES,
            "up to 1,200 tokens",
        ),
        "the form counts": (
            make_request(input_tokens=10, max_output_tokens=10, form=LONG_FORM),
            BudgetConfig(tokens=1000),
            PRICES,
            "could take",
        ),
    },
)
def test_what_may_cost_too_much_is_not_sent(
    request_: Request, config: BudgetConfig, prices: Prices, said: str
) -> None:
    with pytest.raises(BudgetSpent, match=said):
        ask(Budgeted(Scripted([]), Budget(config), prices), request_)


def test_each_attempt_is_paid_for() -> None:
    async def no_time(_: float) -> None: ...

    budget = Budget(BudgetConfig(tokens=3 * WORST_TOKENS))
    scripted = Scripted(lambda _: Unreachable("timed out", billed=True))
    with pytest.raises(BudgetSpent):
        ask(Retrying(Budgeted(scripted, budget, PRICES), 9, sleep=no_time), REQUEST)
    assert len(scripted.asked) == 3


def test_a_request_waits_while_those_under_way_may_turn_out_cheaper() -> None:
    """The budget has room for one worst case at a time, and for eight real answers."""
    budget = Budget(BudgetConfig(tokens=WORST_TOKENS + 7 * 1050))
    scripted = Scripted(lambda _: REPLY, seconds=0.001)
    outcomes = asyncio.run(ask_at_once(Budgeted(scripted, budget, PRICES), [REQUEST] * 20))
    assert [isinstance(outcome, Reply) for outcome in outcomes] == [True] * 8 + [False] * 12
    assert budget.spent_tokens == 8 * 1050


def test_what_can_never_fit_is_refused_while_others_are_under_way() -> None:
    async def main() -> None:
        budget = Budget(BudgetConfig(tokens=5000))
        slow = asyncio.create_task(
            Budgeted(Scripted([REPLY], seconds=0.2), budget, PRICES).complete(REQUEST)
        )
        await asyncio.sleep(0)
        with pytest.raises(BudgetSpent):
            await asyncio.wait_for(
                Budgeted(Scripted([]), budget, PRICES).complete(
                    make_request(max_output_tokens=5001)
                ),
                0.1,
            )
        await slow

    asyncio.run(main())


def test_a_large_request_is_not_passed_by_small_ones_for_ever() -> None:
    async def main() -> None:
        order: list[int] = []

        def answer(request: Request) -> Reply:
            order.append(request.max_output_tokens)
            return Reply(text="yes", input_tokens=0, output_tokens=0)

        budgeted = Budgeted(
            Scripted(answer, seconds=0.001), Budget(BudgetConfig(tokens=1000)), PRICES
        )
        await ask_at_once(
            budgeted, [make_request(max_output_tokens=most) for most in (500, 800, 10, 10)]
        )
        assert order == [500, 800, 10, 10]

    asyncio.run(main())


def test_who_is_cancelled_while_waiting_holds_nothing_and_stops_nobody() -> None:
    async def main() -> None:
        budget = Budget(BudgetConfig(tokens=WORST_TOKENS + 1050))
        scripted = Scripted(lambda _: REPLY, seconds=0.01)
        budgeted = Budgeted(scripted, budget, PRICES)
        first, second, third = (asyncio.create_task(budgeted.complete(REQUEST)) for _ in range(3))
        await asyncio.sleep(0)
        second.cancel()
        assert [await first, await third] == [REPLY, REPLY]
        assert second.cancelled()
        assert len(scripted.asked) == 2
        assert (budget.spent_tokens, budget.reserved) == (2 * 1050, Amount())

    asyncio.run(main())


def test_who_is_cancelled_while_first_in_line_lets_the_next_one_in_at_once() -> None:
    async def main() -> None:
        budget = Budget(BudgetConfig(tokens=1000))
        await budget.reserve(Amount(0, 500))
        large, small = (
            asyncio.create_task(budget.reserve(Amount(0, tokens))) for tokens in (800, 400)
        )
        await asyncio.sleep(0)
        large.cancel()
        await asyncio.wait_for(small, 1)
        assert budget.reserved.tokens == 900

    asyncio.run(main())


def test_who_is_cancelled_just_when_its_turn_has_come_gives_the_turn_back() -> None:
    async def main() -> None:
        budget = Budget(BudgetConfig(tokens=1000))
        await budget.reserve(Amount(0, 1000))
        task = asyncio.create_task(budget.reserve(Amount(0, 600)))
        await asyncio.sleep(0)
        budget.settle(Amount(0, 1000), Amount(0, 100))
        assert budget.reserved.tokens == 600
        task.cancel()
        await asyncio.wait([task])
        assert budget.reserved == Amount()
        assert budget.spent_tokens == 100

    asyncio.run(main())


def test_who_is_cancelled_under_way_may_have_been_charged() -> None:
    async def main() -> None:
        budget = Budget(BudgetConfig(usd=1))
        task = asyncio.create_task(
            Budgeted(Scripted(["never"], seconds=9), budget, PRICES).complete(REQUEST)
        )
        await asyncio.sleep(0.01)
        assert budget.reserved.tokens == WORST_TOKENS
        assert budget.reserved.usd == pytest.approx(WORST_USD)
        task.cancel()
        await asyncio.wait([task])
        assert (budget.spent_tokens, budget.reserved) == (WORST_TOKENS, Amount())

    asyncio.run(main())


class Server:
    """Charges a random part of what a request may cost, after a random time; and fails, or hangs,
    at random.
    """

    def __init__(self, budget: Budget, limit: BudgetConfig, chance: random.Random) -> None:
        self.budget, self.limit, self.chance = budget, limit, chance
        self.charged_tokens, self.charged_usd = 0, 0.0

    async def complete(self, request: Request) -> Reply:
        given = self.chance.randrange(request.input_tokens * 5 // 4 + 1)
        said = self.chance.randrange(request.max_output_tokens + 1)
        fate = self.chance.choice(
            [
                "reply", "reply", "reply", "uncounted", "refused", "unreachable", "timed out",
                "garbage", "hangs",
            ]
        )  # fmt: skip
        if fate not in ("refused", "unreachable"):
            self.charged_tokens += given + said
            self.charged_usd += PRICES.cost(given, said) or 0
        self.watch()
        for _ in range(1000 if fate == "hangs" else self.chance.randrange(4)):
            await asyncio.sleep(0)
        self.watch()
        match fate:
            case "refused":
                raise RequestRefused("no")
            case "unreachable":
                raise Unreachable("no")
            case "timed out":
                raise Unreachable("timed out", billed=True)
            case "garbage":
                raise UnusableReply("garbage", input_tokens=given, output_tokens=said)
            case "uncounted":
                return Reply(text="yes")
        return Reply(text="yes", input_tokens=given, output_tokens=said)

    def watch(self) -> None:
        """What was charged for never exceeds what was taken from the budget, and that never the
        limit.
        """
        spent, reserved = self.budget.spent_tokens, self.budget.reserved.tokens
        assert self.charged_tokens <= spent + reserved <= (self.limit.tokens or 10**12)
        usd = (self.budget.spent_usd or 0) + self.budget.reserved.usd
        assert self.charged_usd - 1e-9 <= usd <= (self.limit.usd or 10**12) + 1e-9


async def storm(limit: BudgetConfig, tasks: int, seed: int) -> tuple[Budget, Server]:
    """Ask all at once through three reviewers of one budget, and cancel one in ten on the way."""
    budget, chance = Budget(limit), random.Random(seed)
    server = Server(budget, limit, chance)
    reviewers = [Budgeted(server, budget, PRICES) for _ in range(3)]
    asked = []
    for number in range(tasks):
        request = make_request(
            input_tokens=chance.randrange(1, 2000), max_output_tokens=chance.randrange(1, 3000)
        )
        asked.append(asyncio.create_task(chance.choice(reviewers).complete(request)))
        if number % 10 == 0:
            asyncio.get_running_loop().call_soon(chance.choice(asked).cancel)
            await asyncio.sleep(0)
    outcomes = await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), 60)
    assert all(
        isinstance(outcome, Reply | BackendError | asyncio.CancelledError) for outcome in outcomes
    ), outcomes
    server.watch()
    assert budget.reserved == Amount()
    return budget, server


@cases(
    "limit",
    {
        "dollars": BudgetConfig(usd=1.0),
        "tokens": BudgetConfig(tokens=200_000),
        "both": BudgetConfig(usd=1.0, tokens=200_000),
        "none": BudgetConfig(),
    },
)
def test_a_storm_of_500_tasks_never_exceeds_the_budget_and_spends_it(limit: BudgetConfig) -> None:
    budget, _ = asyncio.run(storm(limit, 500, seed=5))
    largest = Amount(round((2600 * 2 + 3000 * 8) / 1e6 * 1e12), 5600)
    used_up = [
        limit.usd is not None and (budget.spent_usd or 0) > limit.usd - largest.usd,
        limit.tokens is not None and budget.spent_tokens > limit.tokens - largest.tokens,
    ]
    assert any(used_up) == (limit != BudgetConfig()), (
        "what could not be asked would not have fitted"
    )


@settings(max_examples=60, deadline=None)
@given(
    tokens=st.integers(0, 40_000),
    usd=st.floats(0, 0.3),
    tasks=st.integers(1, 40),
    seed=st.integers(0, 2**32),
)
def test_no_interleaving_exceeds_the_budget_or_hangs(
    tokens: int, usd: float, tasks: int, seed: int
) -> None:
    asyncio.run(storm(BudgetConfig(usd, tokens), tasks, seed))
