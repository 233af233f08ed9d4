"""A backend that tries again: only where that may help, never all at once, and not for ever."""

import asyncio

import pytest

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
from tests.reviewers.backends.asking import ask, make_request


class Waits:
    """A sleep that takes no time, and remembers."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0)


def test_it_answers_as_soon_as_the_server_does() -> None:
    scripted, waits = Scripted([Unreachable("503"), Unreachable("no connection"), "yes"]), Waits()
    assert ask(Retrying(scripted, 4, sleep=waits)).text == "yes"
    assert len(scripted.asked) == 3
    assert len(waits.seconds) == 2


@pytest.mark.parametrize(
    "kind",
    [KeyRefused, RequestRefused, TooLong, UnusableReply, BudgetSpent],
    ids=lambda kind: kind.__name__,
)
def test_other_errors_are_passed_on_at_once(kind: type[BackendError]) -> None:
    error = kind("no")
    scripted = Scripted([error])
    with pytest.raises(kind) as caught:
        ask(Retrying(scripted, 4, sleep=Waits()))
    assert caught.value is error


@pytest.mark.parametrize(
    ("retries", "said"), [(0, "tried once"), (1, "tried 2 times"), (4, "tried 5 times")], ids=str
)
def test_the_last_error_says_how_many_attempts_there_were(retries: int, said: str) -> None:
    scripted = Scripted(
        [Unreachable(f"503 no. {number}", f"raw {number}") for number in range(retries + 1)]
    )
    with pytest.raises(Unreachable, match=rf"^503 no. {retries} \({said}\)$") as caught:
        ask(Retrying(scripted, retries, sleep=Waits()))
    assert caught.value.raw == f"raw {retries}"


def test_waits_double_up_to_a_minute_and_only_a_random_part_is_waited() -> None:
    waits = Waits()
    with pytest.raises(Unreachable):
        ask(Retrying(Scripted(lambda _: Unreachable("503")), 9, sleep=waits, random=lambda: 1.0))
    assert waits.seconds == [0.5, 1, 2, 4, 8, 16, 32, 60, 60]
    waits.seconds.clear()
    with pytest.raises(Unreachable):
        ask(Retrying(Scripted(lambda _: Unreachable("503")), 200, sleep=waits, random=lambda: 0.25))
    assert waits.seconds[:3] == [0.125, 0.25, 0.5]
    assert max(waits.seconds) == 15


def test_requests_that_failed_together_do_not_come_back_together() -> None:
    waits = Waits()
    for _ in range(20):
        ask(Retrying(Scripted([Unreachable("503"), "yes"]), 1, sleep=waits))
    assert len(set(waits.seconds)) > 15
    assert all(0 <= seconds <= 0.5 for seconds in waits.seconds)


@pytest.mark.parametrize(
    ("after", "chance", "seconds"), [(20, 0.5, 20.25), (-5, 0.0, 0)], ids=["asked for", "past"]
)
def test_the_server_is_waited_for_as_long_as_it_asks_and_a_little_more(
    after: float, chance: float, seconds: float
) -> None:
    scripted, waits = Scripted([Unreachable("429", after=after), "yes"]), Waits()
    ask(Retrying(scripted, 1, sleep=waits, random=lambda: chance))
    assert waits.seconds == [seconds]


@pytest.mark.parametrize("after", [601.0, 1e30, float("inf"), float("nan")], ids=str)
def test_a_server_that_asks_for_an_absurd_wait_is_given_up(after: float) -> None:
    scripted = Scripted([Unreachable("429", after=after)])
    with pytest.raises(
        Unreachable, match=r"^429 \(tried once, and the server asks to wait .* seconds more\)$"
    ):
        ask(Retrying(scripted, 4, sleep=Waits()))


def test_an_attempt_that_may_have_been_charged_for_is_not_forgotten() -> None:
    scripted = Scripted([Unreachable("timed out", billed=True), Unreachable("no connection")])
    with pytest.raises(Unreachable) as caught:
        ask(Retrying(scripted, 1, sleep=Waits()))
    assert caught.value.billed


@pytest.mark.parametrize("seconds", [0.0, 60.0], ids=["while it waits", "while it asks"])
def test_it_can_be_cancelled_at_any_time(seconds: float) -> None:
    async def cancelled() -> None:
        scripted = Scripted(lambda _: Unreachable("429", after=60), seconds)
        task = asyncio.create_task(Retrying(scripted, 4).complete(make_request()))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(scripted.asked) == 1

    asyncio.run(cancelled())
