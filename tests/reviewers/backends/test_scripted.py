"""The honest fake: says what the script says, remembers what it was asked, and runs out loudly."""

import asyncio
import time

import pytest

from reviewers.backends.base import Reply
from reviewers.backends.scripted import Scripted
from reviewers.errors import BackendError, KeyRefused
from tests.reviewers.backends.asking import ask, ask_at_once, make_request


def test_answers_come_in_turn_as_text_reply_or_error() -> None:
    scripted = Scripted(["yes", Reply(text="no", output_tokens=3), KeyRefused("no key")])
    assert ask(scripted) == Reply(text="yes", model="o9")
    assert ask(scripted) == Reply(text="no", output_tokens=3)
    with pytest.raises(KeyRefused, match="no key"):
        ask(scripted)


def test_it_remembers_what_it_was_asked_also_where_the_answer_is_an_error() -> None:
    scripted = Scripted([KeyRefused("no key"), "yes"])
    requests = [make_request("a"), make_request("b")]
    asyncio.run(ask_at_once(scripted, requests))
    assert scripted.asked == requests


def test_a_script_that_is_over_fails_the_test_that_asks_on() -> None:
    scripted = Scripted(["yes"])
    ask(scripted)
    with pytest.raises(AssertionError, match="the script is over") as caught:
        ask(scripted)
    assert not isinstance(caught.value, BackendError)


def test_a_function_may_answer() -> None:
    scripted = Scripted(lambda request: request.messages[-1].text.upper())
    assert ask(scripted, make_request("why")).text == "WHY"


def test_an_answer_takes_its_time_while_others_are_given() -> None:
    started = time.monotonic()
    asyncio.run(ask_at_once(Scripted(["a", "b", "c"], seconds=0.3), [make_request()] * 3))
    assert 0.29 < time.monotonic() - started < 0.89
