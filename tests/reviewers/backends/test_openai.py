"""Guards that both APIs are asked as they want to be, at once or as a stream, and that an answer
arrives as it was said.
"""

import asyncio
import gzip
import json
import subprocess
import sys
import time

import pytest

from reviewers.backends.base import Message, Reply
from reviewers.backends.budgeted import Budget
from reviewers.backends.capabilities import Abilities
from reviewers.backends.configured import BudgetConfig
from reviewers.backends.factory import Servers
from reviewers.backends.openai_api.backend import OpenAIBackend
from reviewers.errors import BackendError, KeyRefused, TooLong, Unreachable, UnusableReply
from tests.keys import allow_key
from tests.model_server import Fault, ModelServer, Raw
from tests.reviewers.backends.provider_asking import (
    FORM,
    answered,
    ask,
    config,
    error_of,
    question,
    said,
)

APIS = pytest.mark.parametrize("api", ["responses", "chat"])
STREAMS = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


@APIS
@STREAMS
def test_an_answer_comes_with_its_model_and_counts(api: str, stream: bool) -> None:
    text = 'a "quoted"\r\n\tanswer \u2028 with \U0001f600 and \x85 in it'
    with ModelServer([text, text]) as server:
        first, second = (ask(config(server.url, api=api, stream=stream))[0] for _ in range(2))
    assert first == Reply(
        text=text,
        model="m-2026-01-01",
        input_tokens=6,
        cached_tokens=0,
        output_tokens=len(text) // 4,
    )
    assert isinstance(second, Reply)
    assert second.cached_tokens == 2


def test_the_responses_api_is_asked_first_and_told_to_keep_nothing() -> None:
    with ModelServer() as server:
        (reply,) = ask(config(server.url), question(temperature=0.5, effort="low", seed=3))
    assert isinstance(reply, Reply)
    assert json.loads(reply.text) == {"verdict": "not_ready"}
    (asked,) = server.questions
    assert asked.path == "/v1/responses"
    assert asked.body == {
        "model": "m",
        "input": [
            {"role": "system", "content": "You review."},
            {"role": "user", "content": "Is it ready?"},
        ],
        "max_output_tokens": 1000,
        "store": False,
        "temperature": 0.5,
        "reasoning": {"effort": "low"},
        "text": {
            "format": {
                "type": "json_schema",
                "name": "verdicts",
                "schema": FORM.schema,
                "strict": True,
            }
        },
    }


def test_chat_completions_are_asked_in_their_own_words() -> None:
    with ModelServer() as server:
        ask(config(server.url, api="chat"), question(temperature=0.5, effort="low", seed=3))
    (asked,) = server.questions
    assert asked.body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "You review."},
            {"role": "user", "content": "Is it ready?"},
        ],
        "max_completion_tokens": 1000,
        "temperature": 0.5,
        "seed": 3,
        "reasoning_effort": "low",
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "verdicts", "schema": FORM.schema, "strict": True},
        },
    }


def test_free_text_is_asked_for_without_a_form() -> None:
    with ModelServer(["yes"]) as server:
        ask(config(server.url), question(form=None))
    assert "text" not in server.questions[0].body


def test_what_cannot_be_stored_is_replaced_in_answers_and_questions() -> None:
    broken = Raw(
        200, '{"choices": [{"message": {"content": "a\\u0000b\\ud800c"}, "finish_reason": "stop"}]}'
    )
    odd = question(messages=(Message("user", "x\ud800y\0"),))
    with ModelServer([broken]) as server:
        (reply,) = ask(config(server.url, api="chat"), odd)
    assert isinstance(reply, Reply)
    assert reply.text == "a\ufffdb\ufffdc"
    assert server.questions[0].text == "x\ufffdy\ufffd"


def test_a_comment_before_the_answer_is_not_the_answer() -> None:
    texts = {"commentary": "I look.", "final_answer": "ready"}
    output = [
        {"type": "message", "phase": phase, "content": [{"type": "output_text", "text": text}]}
        for phase, text in texts.items()
    ]
    reply = answered(Raw(200, {"status": "completed", "output": output}), api="responses")
    assert isinstance(reply, Reply)
    assert reply.text == "ready"


@APIS
@STREAMS
@pytest.mark.parametrize("kind", ["timeout", "dribble"])
def test_a_server_that_does_not_answer_in_time_is_unreachable(
    api: str, stream: bool, kind: str
) -> None:
    start = time.perf_counter()
    error = error_of(Fault(kind), api=api, stream=stream, timeout=0.3)  # type: ignore[arg-type]
    assert isinstance(error, Unreachable)
    assert error.billed
    assert "within 0.3 seconds" in str(error)
    assert time.perf_counter() - start < 30


@APIS
def test_a_stream_may_take_longer_than_the_timeout_while_it_shows_signs_of_life(api: str) -> None:
    with ModelServer(["word " * 120], piece_seconds=0.05) as server:
        start = time.perf_counter()
        (reply,) = ask(config(server.url, api=api, stream=True, timeout=1.0))
    assert isinstance(reply, Reply)
    assert time.perf_counter() - start > 1.2


def test_a_stream_cannot_go_on_for_ever() -> None:
    start = time.perf_counter()
    with ModelServer(["word " * 4000], piece_seconds=0.03) as server:
        (error,) = ask(config(server.url, api="chat", stream=True, timeout=0.2))
    assert isinstance(error, Unreachable)
    assert 1 <= time.perf_counter() - start < 20


@APIS
@pytest.mark.parametrize(
    ("kind", "stream"),
    [("cut", False), ("cut", True), ("reset", False), ("reset", True), ("unfinished", True)],
    ids=str,
)
def test_a_cut_off_answer_is_never_a_short_one(api: str, kind: str, stream: bool) -> None:
    error = error_of(Fault(kind), api=api, stream=stream)  # type: ignore[arg-type]
    assert isinstance(error, Unreachable)
    assert error.billed


@APIS
@STREAMS
def test_an_endless_body_is_not_read_to_its_end(api: str, stream: bool) -> None:
    error = error_of(Fault("endless"), api=api, stream=stream)
    assert isinstance(error, UnusableReply)
    assert "8,000,000" in str(error)


@pytest.mark.parametrize("status", [200, 500])
def test_a_body_that_unpacks_to_a_giant_is_not_read_to_its_end(status: int) -> None:
    bomb = Raw(status, gzip.compress(b" " * 60_000_000, 9), {"Content-Encoding": "gzip"})
    error = error_of(bomb)
    assert isinstance(error, UnusableReply if status == 200 else Unreachable)
    assert len(error.raw or "") < 8_000_000


def test_a_packed_answer_is_read_though_none_was_asked_for() -> None:
    whole = json.dumps(
        {"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}]}
    ).encode()
    with ModelServer([Raw(200, gzip.compress(whole), {"Content-Encoding": "gzip"})]) as server:
        (reply,) = ask(config(server.url, api="chat"))
    assert isinstance(reply, Reply)
    assert server.questions[0].headers["accept-encoding"] == "identity"


EVENTS = "text/event-stream"


def test_an_error_in_the_middle_of_a_stream_is_told() -> None:
    begun, died = {"choices": [{"delta": {"content": "so"}}]}, said("engine died")
    body = f"data: {json.dumps(begun)}\n\ndata: {json.dumps(died)}\n\n"
    error = error_of(Raw(200, body, content_type=EVENTS), stream=True)
    assert isinstance(error, Unreachable)
    assert "engine died" in str(error)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("server_error", Unreachable),
        ("context_length_exceeded", TooLong),
        ("invalid_prompt", UnusableReply),
    ],
)
def test_a_stream_that_ends_in_failure_is_told_as_what_it_is(code: str, kind: type) -> None:
    failed = {
        "type": "response.failed",
        "response": {"status": "failed", "error": {"code": code, "message": "it failed"}},
    }
    body = f"data: {json.dumps(failed)}\n\n"
    error = error_of(Raw(200, body, content_type=EVENTS), api="responses", stream=True)
    assert type(error) is kind
    assert "it failed" in str(error)


def test_a_server_that_streams_not_although_asked_is_understood() -> None:
    whole = {"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}]}
    assert isinstance(answered(Raw(200, whole), stream=True), Reply)


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_stream_without_its_last_mark_is_understood(ends: str) -> None:
    lines = [
        ": a comment",
        'data: {"choices": [{"delta": {"content": "ye"}}]}',
        "",
        'data: {"choices": [{"delta": {"content": "s"}, "finish_reason": "stop"}]}',
        "",
        'data: {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 1}}',
    ]
    reply = answered(Raw(200, ends.join(lines), content_type=EVENTS), stream=True)
    assert reply == Reply(text="yes", input_tokens=3, output_tokens=1)


def test_a_question_that_the_server_cut_is_no_review() -> None:
    counted = {
        "choices": [{"message": {"content": "ready"}}],
        "usage": {"prompt_tokens": 4096, "completion_tokens": 2},
    }
    with ModelServer([Raw(200, counted)]) as server:
        (error,) = ask(config(server.url, api="chat"), question(input_tokens=20_000))
    assert isinstance(error, UnusableReply)
    assert "read 4,096 of about 20,000 tokens" in str(error)
    assert error.input_tokens == 4096


def test_a_missing_key_is_told_and_nothing_is_sent() -> None:
    with ModelServer() as server:
        (error,) = ask(config(server.url, key_env="SOME_API_KEY"))
    assert isinstance(error, KeyRefused)
    assert "SOME_API_KEY" in str(error)
    assert not server.received


@pytest.mark.parametrize("key_env", [None, "", "OPENAI_API_KEY"], ids=repr)
def test_the_key_of_openai_is_sent_to_another_server_only_where_it_is_named(
    key_env: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")

    async def asked(url: str) -> None:
        servers = Servers(None, None)
        try:
            await servers.backend(config(url, key_env=key_env), Budget(BudgetConfig())).complete(
                question()
            )
        finally:
            await servers.close()

    with ModelServer() as server:
        allow_key("OPENAI_API_KEY", server.url)
        asyncio.run(asked(server.url))
    assert any("sk-of-openai" in str(each.headers) for each in server.received) == (
        key_env == "OPENAI_API_KEY"
    )


@pytest.mark.parametrize("key", ["sk-with space", "sk-ä", "sk-line\nbreak"])
def test_a_key_that_no_header_can_carry_is_refused_without_repeating_it(key: str) -> None:
    (error,) = ask(config("http://127.0.0.1:9/v1", key_env="SOME_API_KEY"), key=key)
    assert isinstance(error, KeyRefused)
    assert "sk-" not in repr(error)


def test_the_key_is_sent_to_the_server_and_found_nowhere_else() -> None:
    key = "key-1234567890"
    script = [
        f"you sent {key}",
        Raw(400, {"error": {"message": f"bad {key}"}}),
        Raw(200, f"<html>{key} sk-abcdefghijk"),
    ]
    with ModelServer(script) as server:
        backend = OpenAIBackend(config(server.url, key_env="K", api="chat"), key, Abilities(None))
        results = [ask(config(server.url, key_env="K", api="chat"), key=key)[0] for _ in script]
    assert [asked.headers["authorization"] for asked in server.questions] == [f"Bearer {key}"] * 3
    shown = repr(backend) + repr(results) + repr([getattr(result, "raw", "") for result in results])
    assert key not in shown
    assert "sk-abc" not in shown


def test_an_organisation_is_told_to_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    with ModelServer() as server:
        ask(config(server.url))
    assert "org-secret" not in str(server.questions[0].headers)


@pytest.mark.parametrize(
    "url", ["a..b/v1", "*/v1", "xn--/v1", "127.0.0.1:9/%zz", "\u2603.invalid/v1"]
)
def test_an_address_that_makes_no_sense_is_an_error_of_ours(url: str) -> None:
    (error,) = ask(config(f"http://{url}"))
    assert isinstance(error, BackendError)


def test_commands_that_ask_no_model_do_not_pay_for_the_sdk() -> None:
    code = (
        "import sys, reviewers.backends.openai_api.backend;"
        " sys.exit('openai' in sys.modules or 'httpx2' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_cancelled_request_stays_cancelled() -> None:
    async def cancelled(server: ModelServer) -> None:
        backend = OpenAIBackend(config(server.url), None, Abilities(None))
        task = asyncio.ensure_future(backend.complete(question()))
        while not server.received:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await backend.close()

    with ModelServer([Fault("timeout")]) as server:
        asyncio.run(cancelled(server))
