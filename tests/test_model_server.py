"""Guards the local server that the other tests ask: it does what it is told, the same each time,
and runs out loudly.
"""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import openai
import pytest

from tests.model_server import ModelServer


def client(url: str, key: str = "k") -> openai.OpenAI:
    return openai.OpenAI(base_url=url, api_key=key, max_retries=0)


def test_a_script_that_runs_out_is_an_error() -> None:
    server = ModelServer(["one"]).__enter__()
    with client(server.url) as asks:
        assert asks.responses.create(model="m", input="?").output_text == "one"
        with pytest.raises(openai.InternalServerError):
            asks.responses.create(model="m", input="?")
    with pytest.raises(AssertionError, match="script of 1 answers"):
        server.__exit__(None, None, None)


def test_failures_are_drawn_the_same_each_time() -> None:
    def outcomes(seed: int) -> list[bool]:
        with (
            ModelServer(failures={"500": 0.2, "429": 0.1}, seed=seed) as server,
            client(server.url) as asks,
        ):
            told = []
            for number in range(60):
                try:
                    asks.responses.create(model="m", input=f"{number}")
                    told.append(True)
                except openai.APIStatusError:
                    told.append(False)
            return told

    first = outcomes(1)
    assert first == outcomes(1) != outcomes(2)
    assert 5 <= first.count(False) <= 35


def test_the_sdk_understands_its_streams() -> None:
    with ModelServer(["a longer answer in pieces"] * 2) as server, client(server.url) as asks:
        with asks.responses.stream(model="m", input="?") as stream:
            assert stream.get_final_response().output_text == "a longer answer in pieces"
        messages = [{"role": "user", "content": "?"}]
        chunks = asks.chat.completions.create(model="m", messages=messages, stream=True)  # type: ignore[call-overload]
        assert (
            "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
            == "a longer answer in pieces"
        )


@pytest.mark.parametrize(
    ("ends", "done", "failed"), [("completed", 3, 0), ("expired", 2, 1), ("failed", 0, 0)]
)
def test_a_batch_ends_as_it_is_told(ends: str, done: int, failed: int) -> None:
    lines = [
        {
            "custom_id": f"c{number}",
            "method": "POST",
            "url": "/v1/responses",
            "body": {"model": "m", "input": f"{number}"},
        }
        for number in range(3)
    ]
    data = "\n".join(map(json.dumps, lines)).encode()
    with ModelServer(batch_ends=ends) as server, client(server.url) as asks:
        file = asks.files.create(purpose="batch", file=("a.jsonl", data))
        batch = asks.batches.create(
            input_file_id=file.id, endpoint="/v1/responses", completion_window="24h"
        )
        assert batch.status == ends
        assert [each.id for each in asks.batches.list()] == [batch.id]
        counts = {
            len(asks.files.content(name).text.splitlines()) if name else 0
            for name in (batch.output_file_id, batch.error_file_id)
        }
    assert counts == {done, failed}


def test_it_runs_as_a_process_and_writes_down_what_it_was_asked(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "tests.model_server",
        "--log",
        str(tmp_path / "log"),
        "--says",
        "ready",
        "--errors",
        "0",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        url = process.stdout.readline().strip()
        body = json.dumps({"model": "m", "input": "?"}).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{url}/responses", body)) as reply:
            assert "ready" in reply.read().decode()
        process.terminate()
    (line,) = (tmp_path / "log").read_text().splitlines()
    assert json.loads(line)["answer"] == "text"
