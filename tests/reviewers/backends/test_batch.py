"""Batches over HTTP: nothing asked or paid for twice, and every outcome reported as what it is."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

import pytest

from reviewers.backends.base import AnswerForm, Reply, Request
from reviewers.backends.capabilities import Ability
from reviewers.backends.configured import ReviewerConfig
from reviewers.backends.openai_api.batch import BatchJobs, BatchState
from reviewers.errors import (
    BackendError,
    KeyRefused,
    RequestRefused,
    TooLong,
    Unreachable,
    UnusableReply,
)
from tests.keys import allow_key
from tests.model_server import Fault, ModelServer, Raw, Received
from tests.reviewers.backends.asking import make_request
from tests.reviewers.backends.provider_asking import said

KEY = "sk-nobody-may-see-this-key"
CHAT = Ability("chat")
Outcomes = dict[str, Reply | BackendError]
T = TypeVar("T")


def config_of(server: ModelServer, **values: Any) -> ReviewerConfig:
    named = {"name": "batch", "model": "o9", "key_env": "OPENAI_API_KEY"}
    return ReviewerConfig(**{**named, "base_url": server.url, "timeout": 5.0, **values})


def use(
    server: ModelServer,
    what: Callable[[BatchJobs], Coroutine[Any, Any, T]],
    ability: Ability | None = None,
    api: str = "auto",
    **limits: int,
) -> T:
    """Let `what` use a client, and close it."""

    async def main() -> T:
        jobs = BatchJobs(config_of(server, api=api), KEY, ability, **limits)
        try:
            return await what(jobs)
        finally:
            await jobs.close()

    return asyncio.run(main())


def asked(count: int) -> list[Request]:
    return [make_request(f"Question {number}?") for number in range(count)]


def submit(
    server: ModelServer, requests: Sequence[Request], ability: Ability | None = None, **given: Any
) -> tuple[str, ...]:
    return use(server, lambda jobs: jobs.submit(requests, "run 1"), ability, **given)


def collect(server: ModelServer, *batches: str) -> Outcomes:
    async def main(jobs: BatchJobs) -> Outcomes:
        return {
            name: became
            for batch in batches
            for name, became in [each async for each in jobs.collect(batch)]
        }

    return use(server, main)


def files(server: ModelServer) -> list[list[dict[str, Any]]]:
    """What was handed in, file by file."""
    handed_in = [batch["input_file_id"] for batch in server.batches.made.values()]
    return [
        [json.loads(line) for line in server.batches.files[name][1].splitlines()]
        for name in handed_in
    ]


def echo(received: Received) -> str:
    return f"on {received.text}"


@pytest.mark.parametrize("ability", [Ability(), CHAT], ids=["responses", "chat"])
def test_each_request_gets_its_own_answer(ability: Ability) -> None:
    requests = asked(20)
    with ModelServer(echo) as server:
        outcomes = collect(server, *submit(server, requests, ability))
        made = server.batches.made["batch_1"]
    assert set(outcomes) == {request.id for request in requests}
    for request in requests:
        reply = outcomes[request.id]
        assert isinstance(reply, Reply)
        assert reply.text == f"on {request.messages[0].text}"
        assert (reply.model, reply.output_tokens) == ("o9-2026-01-01", len(reply.text) // 4)
    assert made["endpoint"] == (
        "/v1/responses" if ability.api == "responses" else "/v1/chat/completions"
    )
    assert made["metadata"]["areachair"] == "run 1"
    assert made["completion_window"] == "24h"


def test_a_line_asks_what_the_request_asks_in_the_form_that_the_server_knows() -> None:
    form = AnswerForm("findings", {"type": "object"})
    request = make_request("Är\u2028det\nklart?", form=form, max_output_tokens=77)
    with ModelServer() as server:
        submit(server, [request], Ability("chat", "json", frozenset({"max_completion_tokens"})))
        ((line,),) = files(server)
    assert (line["custom_id"], line["method"], line["url"]) == (
        request.id,
        "POST",
        "/v1/chat/completions",
    )
    assert line["body"]["messages"] == [{"role": "user", "content": "Är\u2028det\nklart?"}]
    assert line["body"]["max_tokens"] == 77
    assert line["body"]["response_format"] == {"type": "json_object"}


def test_the_same_request_is_handed_in_once_and_nothing_is_no_batch() -> None:
    with ModelServer() as server:
        assert submit(server, []) == ()
        assert not server.batches.made
        submit(server, asked(3) + asked(3), api="chat")
        assert len(files(server)[0]) == 3
        assert server.batches.made["batch_1"]["endpoint"] == "/v1/chat/completions"


def test_too_many_requests_for_one_batch_make_several() -> None:
    requests = asked(10)
    with ModelServer(echo) as server:
        ids = submit(server, requests, most_requests=4)
        assert [len(lines) for lines in files(server)] == [4, 4, 2]
        assert set(collect(server, *ids)) == {request.id for request in requests}


def test_too_many_bytes_for_one_batch_make_several() -> None:
    with ModelServer() as server:
        submit(server, asked(10), most_bytes=1000)
        handed_in = [
            server.batches.files[batch["input_file_id"]][1]
            for batch in server.batches.made.values()
        ]
    assert len(handed_in) > 2
    assert all(len(data) <= 1000 for data in handed_in)


def test_a_batch_is_found_again_by_its_label_among_many() -> None:
    with ModelServer() as server:
        ids = submit(server, asked(120), most_requests=1)
        use(server, lambda jobs: jobs.submit(asked(1), "run 2"))
        assert use(server, lambda jobs: jobs.find("run 1")) == ids
        assert use(server, lambda jobs: jobs.find("run 3")) == ()


def test_who_was_interrupted_submits_again_and_pays_for_nothing_twice() -> None:
    with ModelServer() as server:
        ids = submit(server, asked(10), most_requests=4)
        del server.batches.made["batch_3"]  # as if it had been interrupted before the last one
        assert submit(server, asked(10), most_requests=4) == ids
        assert len(server.batches.made) == 3


def test_other_requests_of_the_same_label_are_another_batch() -> None:
    with ModelServer() as server:
        assert submit(server, asked(2)) != submit(server, asked(3))


@pytest.mark.parametrize("ends", ["failed", "expired"])
def test_what_came_to_nothing_is_submitted_anew(ends: str) -> None:
    with ModelServer(batch_ends=ends) as server:
        assert submit(server, asked(2)) != submit(server, asked(2))


def test_a_batch_under_way_says_how_far_it_is() -> None:
    with ModelServer(batch_seconds=99) as server:
        (batch,) = submit(server, asked(3))
        state = use(server, lambda jobs: jobs.poll(batch))
        assert state == BatchState("in_progress", total=3)
        assert not state.ended
        assert collect(server, batch) == {}


def test_a_batch_that_is_done_says_so() -> None:
    with ModelServer([Fault("500"), "yes", "yes"]) as server:
        (batch,) = submit(server, asked(3))
        state = use(server, lambda jobs: jobs.poll(batch))
    assert state == BatchState("completed", total=3, completed=2, failed=1)
    assert state.ended


def test_a_batch_that_failed_says_why() -> None:
    with ModelServer(batch_ends="failed") as server:
        (batch,) = submit(server, asked(1))
        state = use(server, lambda jobs: jobs.poll(batch))
        assert collect(server, batch) == {}
    assert (state.status, state.ended, state.problem) == ("failed", True, "This line is no JSON.")


@pytest.mark.parametrize("ends", ["expired", "cancelled"])
def test_what_was_answered_in_time_is_collected_and_the_rest_may_be_asked_again(ends: str) -> None:
    requests = asked(4)
    with ModelServer(echo, batch_ends=ends) as server:
        outcomes = collect(server, *submit(server, requests))
    kinds = [type(outcomes[request.id]) for request in requests]
    assert kinds == [Reply, Unreachable, Reply, Unreachable]
    assert "not done in time" in str(outcomes[requests[1].id])


def test_a_batch_can_be_cancelled() -> None:
    with ModelServer(batch_seconds=99) as server:
        (batch,) = submit(server, asked(1))
        use(server, lambda jobs: jobs.cancel(batch))
        assert use(server, lambda jobs: jobs.poll(batch)).status == "cancelling"


NO_ANSWERS = {
    Unreachable: [Fault("500"), Fault("503"), Fault("429")],
    RequestRefused: [
        Fault("quota"),
        Raw(400, said("Unsupported parameter: 'temperature'.", None, "temperature")),
        Raw(418, []),
    ],
    KeyRefused: [Fault("401")],
    TooLong: [Raw(400, said("too long", "context_length_exceeded"))],
    UnusableReply: [
        Fault(kind)  # type: ignore[arg-type]
        for kind in ("html", "null", "no-choices", "error-200", "refusal", "length")
    ],
}


@pytest.mark.parametrize(
    ("kind", "fault"),
    [(kind, fault) for kind, faults in NO_ANSWERS.items() for fault in faults],
    ids=lambda case: str(getattr(case, "__name__", None) or getattr(case, "kind", "raw")),
)
@pytest.mark.parametrize("ability", [Ability(), CHAT], ids=["responses", "chat"])
def test_an_outcome_that_is_no_answer_is_the_error_that_it_would_be_at_once(
    fault: Fault | Raw, kind: type[BackendError], ability: Ability
) -> None:
    (request,) = asked(1)
    with ModelServer([fault]) as server:
        error = collect(server, *submit(server, [request], ability))[request.id]
    assert type(error) is kind
    if fault == Fault("length"):
        assert error.output_tokens, "it says what it cost"


def line(name: object, **values: object) -> bytes:
    body = {"output": [{"content": "ok"}], "model": "o9"}
    return json.dumps(
        {"custom_id": name, "response": {"status_code": 200, "body": body}, "error": None, **values}
    ).encode()


GOOD = make_request("good").id


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"7",
        b"[" * 100_000,
        b"9" * 100_000,
        line(make_request().id, more="x" * 8_000_000),
        line(GOOD)[:-5],
        line("somebody-else's"),
        line(None),
        line([GOOD]),
        line(GOOD, response=None),
        line(GOOD, response=[]),
        line(GOOD, response={}),
        line(GOOD, response={"status_code": "200", "body": {}}),
        line(GOOD, response=None, error="no"),
    ],
    ids=lambda damage: f"{damage[:8].decode('ascii', 'replace')} of {len(damage)}",
)
def test_a_damaged_line_is_passed_over(damage: bytes) -> None:
    with ModelServer() as server:
        (batch,) = submit(server, asked(1))
        collect(server, batch)
        name = server.batches.made[batch]["output_file_id"]
        server.batches.files[name] = ("batch_output", damage + b"\n" + line(GOOD) + b"\n" + damage)
        outcomes = collect(server, batch)
    assert outcomes == {GOOD: Reply(text="ok", model="o9")}


def test_a_long_answer_comes_whole() -> None:
    (request,) = asked(1)
    with ModelServer(["word " * 400_000]) as server:
        reply = collect(server, *submit(server, [request]))[request.id]
    assert isinstance(reply, Reply)
    assert reply.text == "word " * 400_000


def test_of_two_outcomes_of_one_request_the_first_one_counts() -> None:
    with ModelServer() as server:
        (batch,) = submit(server, asked(1))
        collect(server, batch)
        name = server.batches.made[batch]["output_file_id"]
        later = line(GOOD, response=None, error={"code": "batch_expired"})
        server.batches.files[name] = ("batch_output", line(GOOD) + b"\n" + later)

        async def main(jobs: BatchJobs) -> list[str]:
            return [type(became).__name__ async for _, became in jobs.collect(batch)]

        assert use(server, main) == ["Reply"]


def test_a_wrong_key_and_no_key_are_told_without_the_key() -> None:
    with ModelServer(keys=["sk-another"]) as server:
        with pytest.raises(KeyRefused) as caught:
            submit(server, asked(1))
        assert KEY not in str(caught.value) + repr(caught.value.raw)
        allow_key("OPENAI_API_KEY", server.url)
        with pytest.raises(
            KeyRefused, match="there is no key: set the environment variable OPENAI_API_KEY"
        ):
            asyncio.run(BatchJobs(config_of(server), None).submit(asked(1), "run"))


def test_a_key_that_the_provider_repeats_is_taken_out() -> None:
    requests = asked(3)
    script = [
        f"your key is {KEY}",
        Raw(400, {"error": {"message": f"bad {KEY}"}}),
        Raw(200, {"error": {"message": KEY}}),
    ]
    with ModelServer(script) as server:
        outcomes = collect(server, *submit(server, requests))
    assert len(outcomes) == 3
    assert "nobody-may-see" not in repr(
        [(became, str(became), getattr(became, "raw", "")) for became in outcomes.values()]
    )


def test_a_batch_that_is_not_there_is_refused() -> None:
    with ModelServer() as server, pytest.raises(RequestRefused):
        collect(server, "batch_9")


def test_a_server_that_is_not_there_is_unreachable() -> None:
    with ModelServer() as server:
        gone = server
    with pytest.raises(Unreachable):
        submit(gone, asked(1))


class Odd:
    """Answers every question about batches with the same bytes."""

    def __init__(self, raw: Raw) -> None:
        self.raw = raw

    def handle(self, _: Received) -> Raw:
        return self.raw


ODD = [
    Raw(200, b"<html>", content_type="text/html"),
    Raw(200, b""),
    Raw(200, None),
    Raw(200, []),
    Raw(200, {}),
    Raw(200, {"id": 7}),
    Raw(200, b"[" * 100_000),
]


@pytest.mark.parametrize("raw", ODD, ids=lambda raw: str(raw.body)[:10])
def test_a_server_without_batches_is_told(raw: Raw) -> None:
    with ModelServer() as server:
        server.batches = Odd(raw)
        for what in (
            lambda jobs: jobs.submit(asked(1), "run"),
            lambda jobs: jobs.find("run"),
            lambda jobs: jobs.poll("b"),
        ):
            with pytest.raises(UnusableReply, match="does not speak the Batch API"):
                use(server, what)


def test_odd_values_in_a_batch_are_no_trouble() -> None:
    data = [None, {}, {"id": 3}, {"id": "b", "metadata": []}]
    odd = {"id": "b", "object": "list", "status": ["x"], "request_counts": [1], "data": data}
    odd |= {"errors": {"data": [3, {"message": 4}]}, "output_file_id": 5, "error_file_id": ""}
    odd |= {"has_more": True}
    with ModelServer() as server:
        server.batches = Odd(Raw(200, odd))
        assert use(server, lambda jobs: jobs.poll("b")) == BatchState("['x']")
        assert use(server, lambda jobs: jobs.find("run")) == ()
        assert collect(server, "b") == {}
