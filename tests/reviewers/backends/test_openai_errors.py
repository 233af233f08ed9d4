"""Guards that whatever a server does ends in one of our errors, of the right kind and worded so
that a person can act.
"""

import importlib
import json
import pkgutil
import re
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any
from urllib.parse import urlsplit

import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewers.backends.base import Reply
from reviewers.backends.error_mapping import redacted, without_key
from reviewers.backends.openai_api.bodies import reply_of_chat, reply_of_response
from reviewers.backends.openai_api.client import TRANSLATED, translated
from reviewers.errors import (
    BackendError,
    KeyRefused,
    RequestRefused,
    TooLong,
    Unreachable,
    UnusableReply,
)
from tests.model_server import Fault, ModelServer, Raw
from tests.reviewers.backends.provider_asking import answered, ask, config, error_of, said

BOTH = pytest.mark.parametrize("api", ["responses", "chat"])
STREAMS = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


@BOTH
@STREAMS
@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("html", "a web page instead of an answer"),
        ("empty", "nothing instead of an answer"),
        ("null", "not a JSON object"),
        ("no-choices", ""),
        ("error-200", "upstream said no"),
        ("refusal", "the model refused to answer: I would rather not."),
        (
            "length",
            "the answer was cut off after 4 tokens: give the reviewer a larger max_output_tokens",
        ),
        ("filter", "content filter"),
        ("tool-call", "called a tool"),
        ("reasoning", "wrote no answer"),
    ],
)
def test_what_is_no_answer_is_unusable(api: str, stream: bool, kind: Any, words: str) -> None:
    error = error_of(Fault(kind), api=api, stream=stream)
    assert type(error) is UnusableReply
    assert words in str(error)
    assert error.raw is not None
    if kind == "length":
        assert (error.input_tokens, error.output_tokens) == (6, 4)


@pytest.mark.parametrize(
    "body",
    [
        [],
        "text",
        7,
        {"choices": []},
        {"choices": None},
        {"choices": ["x"]},
        {"choices": [{"message": "x"}]},
        {"choices": [{"message": {"content": None}}]},
        {"choices": [{"message": {"content": " \n"}}]},
        {"choices": [{"message": {"content": {"text": "x"}}}]},
        {"choices": [{"finish_reason": "error", "message": {"content": "x"}}]},
    ],
    ids=str,
)
def test_a_chat_reply_of_another_form_is_unusable(body: Any) -> None:
    with pytest.raises(UnusableReply):
        reply_of_chat(body)


@pytest.mark.parametrize(
    "status", ["failed", "in_progress", "queued", "cancelled", "incomplete", "odd"]
)
def test_a_response_that_is_not_completed_is_unusable(status: str) -> None:
    text = {"type": "message", "content": [{"type": "output_text", "text": "ready"}]}
    with pytest.raises(UnusableReply):
        reply_of_response({"status": status, "output": [text]})


@pytest.mark.parametrize(
    "usage",
    [
        "many",
        [],
        {"prompt_tokens": "9"},
        {"prompt_tokens": -1},
        {"prompt_tokens": 10**30},
        {"prompt_tokens": True},
    ],
)
def test_counts_that_make_no_sense_are_unknown(usage: Any) -> None:
    reply = reply_of_chat({"choices": [{"message": {"content": "x"}}], "usage": usage})
    assert reply == Reply(text="x")


def test_more_cached_than_read_is_unknown() -> None:
    usage = {"prompt_tokens": 3, "prompt_tokens_details": {"cached_tokens": 5}}
    assert reply_of_chat({"choices": [{"message": {"content": "x"}}], "usage": usage}) == Reply(
        text="x", input_tokens=3
    )


def test_text_in_parts_is_joined() -> None:
    parts = [
        {"type": "text", "text": "a"},
        {"type": "thinking", "text": "no"},
        {"type": "text", "text": "b"},
    ]
    assert reply_of_chat({"choices": [{"message": {"content": parts}}]}).text == "ab"


def test_a_body_nested_too_deeply_is_unusable() -> None:
    assert type(error_of(Raw(200, "[" * 200_000))) is UnusableReply
    assert type(error_of(Raw(200, '{"a":' * 900 + "1" + "}" * 900))) is UnusableReply


_KEYS = """choices message content output type text status usage error model finish_reason refusal input_tokens prompt_tokens
input_tokens_details cached_tokens phase tool_calls delta incomplete_details"""  # noqa: E501
_VALUES = "message output_text completed stop length incomplete reasoning final_answer"
KEYS = st.sampled_from(_KEYS.split())
VALUES = st.sampled_from([*_VALUES.split(), "\0\ud800"])
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)


@given(ANY_JSON)
@settings(max_examples=150, deadline=None)
def test_any_json_is_a_reply_or_unusable(body: Any) -> None:
    for read in (reply_of_chat, reply_of_response):
        try:
            reply = read(body)
        except UnusableReply:
            continue
        assert reply.text.strip()
        assert not set(reply.text) & {"\0", "\ud800"}
        for count in (reply.input_tokens, reply.cached_tokens, reply.output_tokens):
            assert count is None or (type(count) is int and count >= 0)


@given(st.lists(ANY_JSON, max_size=4), st.sampled_from(["responses", "chat"]))
@settings(max_examples=40, deadline=None)
def test_any_stream_ends_in_a_reply_or_an_error_of_ours(events: list[Any], api: str) -> None:
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
    stream = Raw(200, body, content_type="text/event-stream")
    result = answered(stream, api=api, stream=True)
    assert isinstance(result, Reply | UnusableReply | Unreachable | TooLong)


SENT = {"message": "maximum context length is 8192 tokens. However, you requested 9000 tokens"}
TOO_LONG = [
    (400, said("This model's maximum context length is 8192 tokens.", "context_length_exceeded")),
    (400, said("Your input exceeds the context window of this model. Please adjust your input.")),
    (400, {"object": "error", **SENT, "code": 400}),
    (400, said("'max_tokens' is too large: 9000. This model's maximum context length is 8192")),
    (400, said("request (9000 tokens) exceeds the available context size (8192 tokens)")),
    (500, said("input length exceeds the context length")),
    (400, {"error": "the first 9000 tokens; context length of only 8192 tokens"}),
    (400, {"error": "Cannot truncate prompt with n_keep (9000) >= n_ctx (8192)"}),
    (400, said("prompt is too long: 9000 tokens > 8192 maximum")),
    (400, [said("The input token count (9000) exceeds the maximum number of tokens allowed")]),
    (
        400,
        {"code": 20015, "message": "number of input tokens (9000) has exceeded max_prompt_tokens"},
    ),
    (429, said("Request too large for m: Limit 8192, Requested 9000.", "rate_limit_exceeded")),
    (413, "<html>Payload Too Large</html>"),
]


@pytest.mark.parametrize(("status", "body"), TOO_LONG, ids=range(len(TOO_LONG)))
def test_a_question_that_is_too_long_is_told_with_the_figures(status: int, body: Any) -> None:
    error = error_of(Raw(status, body))
    assert type(error) is TooLong
    assert "9000" in str(error) or "9000" not in str(body)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7),
        ({"Retry-After": "0.5"}, 0.5),
        ({"Retry-After": "-3"}, 0),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "9", "Retry-After-Ms": "1500"}, 1.5),
    ],
    ids=str,
)
@pytest.mark.parametrize("status", [429, 503])
def test_the_time_to_wait_is_taken_over(
    headers: dict[str, str], seconds: float | None, status: int
) -> None:
    error = error_of(Raw(status, said("slow down", "rate_limit_exceeded"), headers))
    assert isinstance(error, Unreachable)
    assert error.after == seconds
    assert not error.billed


def test_the_time_to_wait_may_be_a_date() -> None:
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    error = error_of(Fault("429", after=then))
    assert isinstance(error, Unreachable)
    assert error.after == pytest.approx(100, abs=5)


NO_MODEL = "The model `m` does not exist or you do not have access to it."
TOO_LARGE = "max_tokens is too large: 25000. This model supports at most 4096 completion tokens"
STATUS = [
    (401, said("Incorrect API key: sk-proj-abcdef"), KeyRefused, "a key (401): set key_env"),
    (403, "<html>Forbidden</html>", KeyRefused, "does not let this key in"),
    (403, said("no access to model m", "model_not_found"), RequestRefused, "access to model m"),
    (404, said(NO_MODEL, "model_not_found"), RequestRefused, "`m`"),
    (404, said('model "m" not found, try pulling it first'), RequestRefused, "try pulling it"),
    (404, "404 page not found", RequestRefused, "is the base_url right?"),
    (400, said(TOO_LARGE), RequestRefused, "4096"),
    (402, said("Payment required"), RequestRefused, "Payment required"),
    (429, said("You exceeded your quota", "insufficient_quota"), RequestRefused, "no credit left"),
    (302, "", RequestRefused, "sends us on to another address"),
    (408, "", Unreachable, "408"),
    (500, "<html>oops</html>", Unreachable, "has trouble (500)"),
    (502, "", Unreachable, "502"),
    (503, said("Too many tokens are waiting already"), Unreachable, "waiting"),
    (529, said("Overloaded", "overloaded_error"), Unreachable, "Overloaded"),
    (418, "[[[[", RequestRefused, "418"),
]


@pytest.mark.parametrize(
    ("status", "body", "kind", "words"), STATUS, ids=lambda value: str(value)[:30]
)
def test_each_status_is_told_as_what_it_is(status: int, body: Any, kind: type, words: str) -> None:
    error = error_of(Raw(status, body))
    assert type(error) is kind
    assert words in str(error)
    assert "sk-proj" not in str(error) + str(error.raw)
    assert "<html>" not in str(error)


def test_a_gateway_that_gave_up_waiting_may_have_been_billed() -> None:
    error = error_of(Raw(504, ""))
    assert isinstance(error, Unreachable)
    assert error.billed


def test_a_redirect_is_not_followed_with_a_submission() -> None:
    with (
        ModelServer() as other,
        ModelServer([Raw(307, "", {"Location": f"{other.url}/chat/completions"})]) as server,
    ):
        (error,) = ask(config(server.url, api="chat"))
    assert isinstance(error, RequestRefused)
    assert other.url in str(error)
    assert not other.received


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("http://127.0.0.1:{bound}/v1", "is the server running"),
        ("http://no-such-host.invalid/v1", "no-such-host.invalid"),
        ("https://127.0.0.1:{plain}/v1", ""),
        ("https://127.0.0.1:{silent}/v1", ""),
    ],
    ids=["refused", "unknown name", "without TLS", "never comes about"],
)
def test_a_connection_that_fails_costs_nothing(address: str, words: str) -> None:
    with (
        socket.socket() as bound,
        socket.create_server(("127.0.0.1", 0)) as silent,
        ModelServer() as plain,
    ):
        bound.bind(("127.0.0.1", 0))
        ports = {"bound": bound.getsockname()[1], "silent": silent.getsockname()[1]}
        url = address.format(**ports, plain=urlsplit(plain.url).port)
        (error,) = ask(config(url, timeout=2.0))
    assert isinstance(error, Unreachable)
    assert not error.billed
    assert words in str(error)


def test_what_does_not_speak_http_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def greet() -> None:
            peer, _ = listener.accept()
            with peer:
                peer.recv(100)
                peer.sendall(b"220 mail.example ESMTP\r\n")

        thread = threading.Thread(target=greet)
        thread.start()
        (error,) = ask(config(f"http://127.0.0.1:{listener.getsockname()[1]}/v1"))
        thread.join()
    assert isinstance(error, Unreachable)


@pytest.mark.parametrize(
    ("key", "echo"),
    [
        ('a-long-key/with"all', 'a-long-key/with"all'),
        ('a-long-key/with"all', '{"message": "a-long-key/with\\"all"}'),
        ('a-long-key/with"all', '{"message": "a-long-key\\/with\\"all"}'),
        ('a-long-key/with"all', '{"message": "{\\"inner\\": \\"a-long-key/with\\\\\\"all\\"}"}'),
        ("a-long-key&<more>", r"a-long-key\u0026\u003Cmore\u003e"),
        ("a-long\\key", r"a-long\\key"),
        ("pass", '{"got": "pass"}'),
        ("p/s", r"p\/s"),
    ],
)
def test_a_key_is_taken_out_however_it_is_written(key: str, echo: str) -> None:
    told = redacted(f"no key: {echo}.", key)
    assert "[key]" in told
    assert not {"long", "more", "pass", "p"} & set(re.findall("[a-z]+", told))


def test_a_key_that_is_a_word_is_hidden_by_itself_only_and_spoils_no_answer() -> None:
    assert redacted("test it in the latest tests", "test") == "[key] it in the latest tests"
    assert without_key("def test(): pass", "test") == "def test(): pass"


def test_a_row_of_backslashes_is_searched_for_a_key_in_good_time() -> None:
    start = time.process_time()
    redacted("\\" * 1_000_000, "\\\\\\\\-a-key")
    assert time.process_time() - start < 3


@BOTH
def test_a_key_that_a_server_echoes_escaped_stays_out_of_error_and_raw(api: str) -> None:
    key = 'my/own"key-1234'
    error = error_of(Raw(400, said(f"what is {key}?")), api=api, key=key)
    assert isinstance(error, RequestRefused)
    assert "1234" not in f"{error} {error.raw}"


def _all_errors() -> Iterator[type[Exception]]:
    for name in ("_response", "lib.azure", "lib._old_api"):
        importlib.import_module(f"openai.{name}")
    assert {module.name for module in pkgutil.iter_modules(openai.__path__)} >= {"_response", "lib"}
    waiting: list[type[Exception]] = [openai.OpenAIError]
    while waiting:
        each = waiting.pop()
        below = [kind for kind in each.__subclasses__() if kind.__module__.startswith("openai")]
        waiting += below
        if each is not openai.OpenAIError:
            yield each


def test_every_error_of_the_sdk_is_translated() -> None:
    import httpx2

    found = {kind.__name__: kind for kind in _all_errors()}
    assert set(found) == TRANSLATED
    request = httpx2.Request("POST", "http://host/v1")
    for kind in found.values():
        error = kind.__new__(kind)
        Exception.__init__(error, "key-1234567890")
        error.request, error.message, error.body = request, "key-1234567890", None  # type: ignore[attr-defined]
        error.response = httpx2.Response(400, request=request, text="no")  # type: ignore[attr-defined]
        ours = translated(error, "http://host/v1", "key-1234567890")
        assert isinstance(ours, BackendError)
        assert "key-1234567890" not in f"{ours} {ours.raw}"


def test_every_error_of_the_http_library_is_translated() -> None:
    import httpx2

    names = "ReadError ReadTimeout RemoteProtocolError ConnectError DecodingError TooManyRedirects"
    for error in (*(getattr(httpx2, name)("x") for name in names.split()), ssl.SSLError("x")):
        assert type(translated(error, "http://host/v1", None)) is Unreachable
    assert type(translated(httpx2.InvalidURL("x"), "http://host/v1", None)) is RequestRefused
    assert type(translated(httpx2.StreamClosed(), "http://host/v1", None)) is RequestRefused
