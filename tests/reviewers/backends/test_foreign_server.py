"""Guards the main path against a server that we did not write: mock-ai-api, with its own idea of
both APIs.

It pins old versions of libraries that ours are newer than, so it lives in an environment of its
own: `uv tool install mock-ai-api==0.1.1`, or the variable MOCK_AI_API that names its command.
"""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewers.backends.base import Reply
from reviewers.errors import KeyRefused, RequestRefused, Unreachable, UnusableReply
from tests.dashboard.serving import free_port
from tests.reviewers.backends.provider_asking import ask, config, question

APIS = pytest.mark.parametrize("api", ["responses", "chat"])
STREAMS = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield from _served("openai_app", tmp_path_factory.mktemp("mock") / "log.txt", "/v1")


@pytest.fixture(scope="module")
def anthropic_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield from _served("anthropic_app", tmp_path_factory.mktemp("mock") / "log.txt")


def _served(app: str, log: Path, path: str = "") -> Iterator[str]:
    command = os.environ.get("MOCK_AI_API") or shutil.which("mock-ai-api")
    if command is None:
        if os.environ.get("CI") == "true":
            pytest.fail("mock-ai-api must be installed in CI", pytrace=False)
        pytest.skip("mock-ai-api is not installed: uv tool install mock-ai-api==0.1.1")
    # Its command starts two servers in sessions of their own, which a signal to it leaves behind.
    python, port = Path(command).resolve().parent / "python", free_port()
    with log.open("wb") as output:
        asked = [
            python,
            "-m",
            "uvicorn",
            f"app.{app}:app",
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
        ]
        process = subprocess.Popen(asked, stdout=output, stderr=output)
    try:
        _wait(port, process, log)
        yield f"http://127.0.0.1:{port}{path}"
    finally:
        process.terminate()
        process.wait(20)


@APIS
@STREAMS
def test_its_answers_are_read(url: str, api: str, stream: bool) -> None:
    (reply,) = ask(
        config(url, api=api, stream=stream), question("say something", model="gpt-4.1:mock-text")
    )
    assert isinstance(reply, Reply)
    assert reply.text
    assert reply.model == ("gpt-4.1" if api == "chat" else reply.model)
    assert reply.input_tokens


def test_the_api_is_found_out(url: str) -> None:
    (reply,) = ask(config(url), question(model="gpt-4.1:mock-text", form=None))
    assert isinstance(reply, Reply)


@APIS
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, RequestRefused),
        (401, KeyRefused),
        (429, Unreachable),
        (500, Unreachable),
        (503, Unreachable),
    ],
)
def test_its_errors_are_told(url: str, api: str, status: int, kind: type) -> None:
    (error,) = ask(config(url, api=api), question(model=f"gpt-4.1:mock-{status}"))
    assert type(error) is kind


@pytest.mark.parametrize(
    ("scenario", "stream"),
    [("mock-tool-call", False), ("mock-tool-stream", True), ("mock-bad-tool-json", False)],
)
def test_its_tool_calls_are_no_answers(url: str, scenario: str, stream: bool) -> None:
    (error,) = ask(config(url, api="chat", stream=stream), question(model=f"gpt-4.1:{scenario}"))
    assert type(error) is UnusableReply
    assert "called a tool" in str(error)


def test_its_slow_stream_is_read_to_its_end(url: str) -> None:
    (reply,) = ask(
        config(url, api="chat", stream=True), question("slowly", model="gpt-4.1:mock-delay")
    )
    assert isinstance(reply, Reply)


def test_many_at_once_are_all_answered(url: str) -> None:
    replies = ask(
        config(url), *(question(f"number {number}", model="gpt-4.1") for number in range(30))
    )
    assert all(isinstance(reply, Reply) for reply in replies)


def _asked_anthropic(url: str, scenario: str) -> Reply | BaseException:
    (said,) = ask(
        config(url, api="messages"), question(model=f"claude-sonnet-4-20250514:{scenario}")
    )
    return said


def test_its_messages_are_read(anthropic_url: str) -> None:
    said = _asked_anthropic(anthropic_url, "mock-text")
    assert isinstance(said, Reply)
    assert said.text
    assert said.input_tokens


@pytest.mark.parametrize(
    ("scenario", "kind"),
    [
        ("mock-400", RequestRefused),
        ("mock-401", KeyRefused),
        ("mock-429", Unreachable),
        ("mock-500", Unreachable),
        ("mock-tool-use", UnusableReply),
    ],
)
def test_what_its_messages_say_is_wrong_is_told(
    anthropic_url: str, scenario: str, kind: type[Exception]
) -> None:
    assert type(_asked_anthropic(anthropic_url, scenario)) is kind


def _wait(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(300):
        if process.poll() is not None:
            break
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError(f"mock-ai-api did not start: {log.read_text(errors='replace')[-2000:]}")
