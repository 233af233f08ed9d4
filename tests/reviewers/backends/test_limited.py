"""A backend that keeps to a server's limits: at once, and in any minute, in requests and in
tokens.
"""

import asyncio
import random

import pytest

from reviewers.backends.base import Reply, Request
from reviewers.backends.limited import Limited, OwnQuota
from reviewers.backends.scripted import Scripted
from reviewers.errors import Unreachable
from tests.reviewers.backends.asking import ask_at_once, make_request


class Clock:
    """A clock that stands still until somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


class Server:
    """Notes when each request came, and how many were there at a time."""

    def __init__(self, clock: Clock, tokens: int | None = None) -> None:
        self.clock, self.tokens = clock, tokens
        self.came: list[tuple[float, Request]] = []
        self.there = self.most = 0

    async def complete(self, request: Request) -> Reply:
        self.came.append((self.clock(), request))
        self.there += 1
        self.most = max(self.most, self.there)
        for _ in range(3):
            await asyncio.sleep(0)
        self.there -= 1
        if self.tokens is None:
            return Reply(text="yes")
        return Reply(text="yes", input_tokens=self.tokens, output_tokens=0)

    def fullest_minute(self) -> tuple[int, int]:
        """The most requests and the most tokens in any sixty seconds."""
        minutes = [
            [request for at, request in self.came if start <= at < start + 60]
            for start, _ in self.came
        ]
        return max(map(len, minutes)), max(
            sum(each.input_tokens + each.max_output_tokens for each in minute) for minute in minutes
        )


def limited(
    server: Server, concurrency: int, requests: int | None = None, tokens: int | None = None
) -> Limited:
    quota = OwnQuota(requests, tokens, clock=server.clock)
    return Limited(server, concurrency, quota, sleep=server.clock.sleep)


@pytest.mark.parametrize("concurrency", [1, 3, 8])
def test_no_more_are_sent_at_a_time_than_allowed(concurrency: int) -> None:
    server = Server(Clock())
    asyncio.run(ask_at_once(limited(server, concurrency), [make_request()] * 20))
    assert server.most == concurrency
    assert len(server.came) == 20
    assert server.clock() == 1000, "without a limit in a minute nobody waits"


def test_a_slot_is_free_again_after_an_error_and_after_a_cancelled_task() -> None:
    async def main() -> None:
        backend = Limited(Scripted([Unreachable("503"), "never", "yes"], seconds=0.01), 1)
        await ask_at_once(backend, [make_request()])
        task = asyncio.create_task(backend.complete(make_request()))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        assert (await backend.complete(make_request())).text == "yes"

    asyncio.run(main())


def test_no_minute_has_more_requests_than_allowed() -> None:
    server = Server(Clock())
    asyncio.run(ask_at_once(limited(server, 50, requests=10), [make_request()] * 35))
    assert server.fullest_minute()[0] == 10
    assert 180 <= server.clock() - 1000 < 182, "three more minutes, and no longer"


def test_no_minute_has_more_tokens_than_allowed() -> None:
    server, chance = Server(Clock()), random.Random(5)
    requests = [
        make_request(input_tokens=chance.randrange(900), max_output_tokens=100) for _ in range(60)
    ]
    asyncio.run(ask_at_once(limited(server, 8, tokens=3000), requests))
    assert server.fullest_minute()[1] <= 3000
    assert [request for _, request in server.came] == requests, "in the order in which they came"


def test_a_request_larger_than_a_minute_goes_through_alone() -> None:
    server = Server(Clock())
    small, large = make_request("small"), make_request("large", input_tokens=10_000)
    asyncio.run(ask_at_once(limited(server, 8, tokens=1000), [small, large, small]))
    assert [request for _, request in server.came] == [small, large, small]
    times = [at for at, _ in server.came]
    assert times[1] - times[0] >= 60
    assert times[2] - times[1] >= 60


def test_an_answer_shorter_than_feared_makes_room_at_once() -> None:
    server = Server(Clock(), tokens=100)
    requests = [make_request(input_tokens=100, max_output_tokens=800)] * 6
    asyncio.run(ask_at_once(limited(server, 1, tokens=1500), requests))
    assert server.clock() == 1000


def test_both_limits_hold_together() -> None:
    server = Server(Clock())
    requests = [make_request(input_tokens=400 if number % 2 else 0) for number in range(40)]
    asyncio.run(ask_at_once(limited(server, 8, requests=5, tokens=1300), requests))
    most, tokens = server.fullest_minute()
    assert most == 5
    assert tokens <= 1300


def test_who_is_cancelled_while_waiting_takes_no_place() -> None:
    server = Server(Clock())

    async def main() -> None:
        backend = limited(server, 8, requests=1)
        await backend.complete(make_request())
        task = asyncio.create_task(backend.complete(make_request("cancelled")))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        await backend.complete(make_request("last"))

    asyncio.run(main())
    assert [request.messages[0].text for _, request in server.came] == ["Can it run?", "last"]
    assert server.clock() < 1062


def test_one_instance_serves_one_event_loop_after_the_other() -> None:
    server = Server(Clock())
    backend = limited(server, 2, requests=10)
    for _ in range(3):
        asyncio.run(ask_at_once(backend, [make_request()] * 10))
    assert server.fullest_minute()[0] == 10, "what was sent is not forgotten between them"
