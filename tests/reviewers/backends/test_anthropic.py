"""Guards how Anthropic's API is spoken: what is sent, what of its answers is believed, and that no
key or header goes where it should not.
"""

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from reviewers.backends.base import Message, Reply
from reviewers.backends.budgeted import Budget
from reviewers.backends.capabilities import Abilities
from reviewers.backends.configured import BudgetConfig, Configuration, ReviewerConfig
from reviewers.backends.factory import Servers, provider_module
from reviewers.errors import (
    BackendError,
    KeyRefused,
    RequestRefused,
    ReviewerError,
    TooLong,
    Unreachable,
    UnusableReply,
)
from reviewers.providers import ANTHROPIC, OPENAI, PROVIDERS, provider_of
from tests.reviewers.backends.provider_asking import FORM, ask, question
from tests.reviewers.backends.provider_asking import config as any_config

KEY = "sk-ant-" + "aB3dE5fG7h" * 3
TEXT = {"type": "text", "text": "ready"}
USAGE = {"input_tokens": 12, "output_tokens": 3}


def message(*blocks: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    """A message of the shape that Anthropic documents."""
    return {
        "id": "msg_01",
        "type": "message",
        "role": "assistant",
        "model": "claude-x-20260101",
        "content": list(blocks or (TEXT,)),
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": USAGE,
        **fields,
    }


def error(kind: str, words: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": words}, "request_id": "req_1"}


class Recorder:
    """A server that gives prepared answers one after the other, and keeps what it was sent."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, Any, Mapping[str, str]]] = []
        self.asked: list[tuple[str, dict[str, str], Any]] = []
        recorder = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers["content-length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                recorder.asked.append((self.path, headers, json.loads(data)))
                status, body, extra = recorder.answers.pop(0)
                raw = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in {"content-type": "application/json", **extra}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def gives(self, body: Any, status: int = 200, **headers: str) -> None:
        self.answers.append((status, body, {k.replace("_", "-"): v for k, v in headers.items()}))

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[Recorder]:
    recorder = Recorder()
    yield recorder
    recorder.close()


def config(server: Recorder, **given: Any) -> ReviewerConfig:
    return any_config(server.url, **{"api": "messages"} | given)


def one(server: Recorder, **given: Any) -> Reply | BaseException:
    (said,) = ask(config(server), question(**given), key=KEY)
    return said


def test_a_question_is_a_message_with_its_form_and_a_beginning_that_may_be_kept(
    server: Recorder,
) -> None:
    server.gives(message())
    said = one(server, temperature=0.5, effort="low", seed=7)
    assert said == Reply(text="ready", model="claude-x-20260101", input_tokens=12, output_tokens=3)
    ((path, headers, body),) = server.asked
    assert path == "/v1/messages"
    # Under which header the SDK sends the key is its own matter.
    assert KEY in {headers.get("x-api-key"), headers.get("authorization", "")[len("Bearer ") :]}
    assert headers["anthropic-version"]
    kept = {"type": "text", "text": "You review.", "cache_control": {"type": "ephemeral"}}
    assert body == {
        "model": "m",
        "max_tokens": 1000,
        "system": [kept],
        "messages": [{"role": "user", "content": "Is it ready?"}],
        "temperature": 0.5,
        "output_config": {
            "effort": "low",
            "format": {"type": "json_schema", "schema": FORM.schema},
        },
    }


def test_a_conversation_keeps_its_turns_and_an_address_may_name_the_version(
    server: Recorder,
) -> None:
    server.gives(message())
    turns = (Message("user", "a"), Message("assistant", "b"), Message("user", "c"))
    asked = question(messages=turns, form=None)
    ask(any_config(f"{server.url}/v1/", api="messages"), asked, key=KEY)
    ((path, _, body),) = server.asked
    assert path == "/v1/messages"
    assert [(each["role"], each["content"]) for each in body["messages"]] == [
        ("user", "a"),
        ("assistant", "b"),
        ("user", "c"),
    ]
    assert not {"system", "output_config"} & body.keys()


def test_tokens_that_are_kept_are_among_those_that_were_read(server: Recorder) -> None:
    kept = {"cache_read_input_tokens": 70, "cache_creation_input_tokens": 8}
    server.gives(message({"type": "thinking", "thinking": "…"}, TEXT, usage=USAGE | kept))
    said = one(server)
    assert isinstance(said, Reply)
    assert (said.text, said.input_tokens, said.cached_tokens) == ("ready", 90, 70)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (message(stop_reason="max_tokens"), "cut off: give the reviewer a larger"),
        (message(stop_reason="model_context_window_exceeded"), "cut off"),
        (message(stop_reason="refusal"), "refused to answer"),
        (message({"type": "tool_use", "name": "x", "input": {}}), "called a tool"),
        (message({"type": "thinking", "thinking": "…"}), "thought, but wrote no answer"),
        (message({"type": "text", "text": " "}), "the answer is empty"),
        (message({"type": "text", "text": 7}, {"type": None}), "the answer is empty"),
        (message() | {"content": "ready"}, "it is not a message"),
        (error("api_error", f"Broken with {KEY}"), "reports an error: Broken with [key]"),
        ([], "it is not a message"),
        (b"<html>hello</html>", "not send JSON; is the base_url right?"),
        (b"", "not send JSON"),
        (b"[" * 90_000, "not send JSON"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_no_answer_is_said_to_be_none(server: Recorder, body: Any, why: str) -> None:
    server.gives(body)
    said = one(server)
    assert isinstance(said, UnusableReply)
    assert why in str(said)
    assert KEY not in f"{said}{said.raw}"


def test_counts_that_are_none_are_unknown(server: Recorder) -> None:
    server.gives(message(usage={"input_tokens": "many", "output_tokens": -1}, model=None))
    said = one(server)
    assert said == Reply(text="ready")


@pytest.mark.parametrize(
    ("status", "body", "kind", "why"),
    [
        (401, error("authentication_error", f"invalid x-api-key {KEY}"), KeyRefused, "the key"),
        (403, error("permission_error", "no"), KeyRefused, "does not let this key in"),
        (404, error("not_found_error", "model: claude-9"), RequestRefused, "claude-9"),
        (400, error("invalid_request_error", "messages: odd"), RequestRefused, "messages: odd"),
        (400, error("invalid_request_error", "prompt is too long: 9 > 8"), TooLong, "too long"),
        (429, error("rate_limit_error", "slower"), Unreachable, "asks for fewer requests"),
        (500, error("api_error", "oops"), Unreachable, "has trouble (500)"),
        (529, error("overloaded_error", "Overloaded"), Unreachable, "overloaded"),
        (302, b"", RequestRefused, "sends us on to http://other.example/"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_errors_are_ours(
    server: Recorder, status: int, body: Any, kind: type[BackendError], why: str
) -> None:
    server.gives(body, status, retry_after="7", location="http://other.example/")
    said = one(server)
    assert type(said) is kind
    assert why in str(said)
    assert KEY not in str(said)
    assert len(server.asked) == 1
    if status == 429:
        assert getattr(said, "after", None) == 7


def test_an_option_that_the_server_does_not_know_is_left_out_from_then_on(server: Recorder) -> None:
    refused = error("invalid_request_error", "output_config.format.schema: recursion is not known")
    server.gives(refused, 400)
    server.gives(error("invalid_request_error", "temperature: is deprecated for this model"), 400)
    for _ in range(2):
        server.gives(message())
    reviewer = config(server, concurrency=1)

    async def both() -> list[Reply]:
        backend = provider_module(reviewer).open_server(reviewer, KEY, Abilities(None))
        try:
            return [await backend.complete(question(temperature=0.1)) for _ in range(2)]
        finally:
            await backend.close()

    assert [each.text for each in asyncio.run(both())] == ["ready", "ready"]
    sent = [sorted({"output_config", "temperature"} & body.keys()) for _, _, body in server.asked]
    assert sent == [["output_config", "temperature"], ["temperature"], [], []]


def test_a_reply_without_an_end_is_not_read_to_it(server: Recorder) -> None:
    server.gives(message({"type": "text", "text": "x" * 9_000_000}))
    said = one(server)
    assert isinstance(said, UnusableReply)
    assert "larger than 8,000,000 bytes" in str(said)


def test_nobody_there_is_one_line(server: Recorder) -> None:
    (said,) = ask(any_config("http://127.0.0.1:9", api="messages"), key=KEY)
    assert isinstance(said, Unreachable)
    assert "no connection to 127.0.0.1:9" in str(said)


def test_another_server_gets_nothing_of_the_users_own(
    server: Recorder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "secret-token-of-the-user")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret-key-of-the-user")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Team: secret-team\nX-Other: secret-other")
    server.gives(message())
    (said,) = ask(config(server), key=None)
    assert isinstance(said, Reply)
    ((_, headers, _),) = server.asked
    assert "secret" not in json.dumps(headers)


def test_a_key_goes_to_its_own_provider_and_is_asked_for() -> None:
    made = Configuration().find("anthropic:claude-x")
    assert (made.model, made.base_url, made.provider) == ("claude-x", ANTHROPIC.url, ANTHROPIC)
    assert made.key_variable == "ANTHROPIC_API_KEY"
    assert Configuration().find("openai:o9").provider is OPENAI
    elsewhere = ReviewerConfig(name="a", model="m", base_url="http://here:1/v1", api="messages")
    assert (elsewhere.provider, elsewhere.key_variable) == (ANTHROPIC, None)
    assert provider_of("http://here:1/v1", "auto") is OPENAI
    (said,) = ask(made, key=None)
    assert isinstance(said, KeyRefused)
    assert "set the environment variable ANTHROPIC_API_KEY" in str(said)
    with pytest.raises(ReviewerError, match="anthropic:MODEL"):
        Configuration().find("odd:model")


def test_a_batch_is_refused_where_the_provider_has_none_for_us() -> None:
    servers = Servers(None, None)
    made = Configuration().find("anthropic:claude-x")
    assert servers.backend(made, Budget(BudgetConfig())) is not None
    with pytest.raises(ReviewerError, match="--batch is not for models of Anthropic"):
        servers.batch_jobs(made)


def test_without_the_sdk_it_says_how_to_install_it() -> None:
    code = (
        "import sys; sys.modules['anthropic'] = None\n"
        "from reviewers.backends.anthropic_api import load_sdk\n"
        "try:\n    load_sdk()\nexcept Exception as error:\n    print(type(error).__name__, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    told = "RequestRefused Anthropic models need its SDK: pip install 'areachair[anthropic]'\n"
    assert done.stdout == told


def test_every_provider_is_whole() -> None:
    names = [each.name for each in PROVIDERS]
    assert len({*names}) == len(names)
    apis = [api for each in PROVIDERS for api in each.apis]
    assert len({*apis}) == len(apis)
    for each in PROVIDERS:
        asked = ReviewerConfig(name="a", model="m", base_url=each.url)
        assert asked.provider is each
        provider_module(asked).load_sdk()
