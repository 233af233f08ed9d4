"""Guards that a server is asked by what it can do, found out quickly, cheaply and once."""

import json
from pathlib import Path
from typing import Any

import pytest

from reviewers.backends.base import Reply
from reviewers.backends.capabilities import Abilities
from reviewers.errors import RequestRefused, UnusableReply
from tests.model_server import Fault, ModelServer, Raw
from tests.model_server.dialects import DIALECTS
from tests.reviewers.backends.provider_asking import ask, config, error_of, question, said

# What the server does not have, and the most questions until it answers.
LACKS: list[tuple[list[str], int]] = [
    (["responses"], 2),
    (["json_schema"], 2),
    (["responses", "json_schema"], 3),
    (["json_schema", "json_object"], 3),
    (["responses", "json_schema", "json_object", "max_completion_tokens"], 5),
    (["temperature"], 2),
    (["effort"], 2),
    (["store"], 2),
    (["responses", "seed", "temperature"], 4),
    (["max_output_tokens"], 2),
    (["responses", "max_completion_tokens"], 3),
    (["responses", "stream_options"], 3),
    (["stream"], 2),
]
SPEAKING = [dialect for dialect in DIALECTS if dialect != "bare"]
CASES = [(dialect, *lack) for dialect in SPEAKING for lack in LACKS] + [
    ("bare", *lack) for lack in LACKS[:4]
]


@pytest.mark.parametrize(
    ("dialect", "without", "most"), CASES, ids=[f"{case[0]}-{','.join(case[1])}" for case in CASES]
)
def test_a_server_is_asked_by_what_it_can_do(
    tmp_path: Path, dialect: str, without: list[str], most: int
) -> None:
    asked = question(temperature=0.5, seed=3, effort="low")
    stream = any(name.startswith("stream") for name in without)
    with ModelServer(without=without, dialect=dialect) as server:
        (reply,) = ask(
            config(server.url, stream=stream), asked, abilities=tmp_path / "abilities.json"
        )
        assert isinstance(reply, Reply), reply
        assert len(server.questions) <= most
        before = len(server.questions)
        (reply,) = ask(
            config(server.url, stream=stream), asked, abilities=tmp_path / "abilities.json"
        )
    assert isinstance(reply, Reply)
    assert len(server.questions) == before + 1, "what was learnt is forgotten"


EXTRA = {
    "type": "extra_forbidden",
    "loc": ["body", "max_completion_tokens"],
    "msg": "Extra inputs are not permitted",
    "input": 8192,
}
ODD = (
    "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1)"
    " value is supported."
)


FORM, JSON = "response_format", {"type": "json_object"}
UNKNOWN = 'Invalid JSON payload received. Unknown name "seed": Cannot find field.'
WORDS: list[tuple[int, Any, str, Any]] = [
    (400, said("This response_format type is unavailable now"), FORM, JSON),
    (422, "response_format.type `json_schema` is unavailable now at line 1 column 12", FORM, JSON),
    (400, {"error": "'response_format.type' must be 'text'"}, FORM, JSON),
    (500, said('response_format type must be one of "text" or "json_object"'), FORM, JSON),
    (400, {"message": "The provided JSON schema contains features not supported."}, FORM, JSON),
    (500, said("Failed to initialize samplers: failed to parse grammar"), FORM, JSON),
    (422, {"detail": [EXTRA]}, "max_completion_tokens", None),
    (422, {"detail": [EXTRA]}, "max_tokens", 1000),
    (400, said(ODD, "unsupported_value", "temperature"), "temperature", None),
    (400, [said(UNKNOWN)], "seed", None),
    (400, {"message": "body.seed: property 'body.seed' is unsupported"}, "seed", None),
    (400, said('"m" does not support thinking'), "reasoning_effort", None),
    (400, said("Your organization must be verified to stream.", None, "stream"), "stream", None),
]


@pytest.mark.parametrize(("status", "body", "option", "then"), WORDS, ids=range(len(WORDS)))
def test_the_words_of_real_servers_are_understood(
    status: int, body: Any, option: str, then: Any
) -> None:
    with ModelServer([Raw(status, body), "yes"]) as server:
        (reply,) = ask(
            config(server.url, api="chat", stream=option == "stream"),
            question(temperature=0.5, seed=3, effort="low"),
        )
    assert isinstance(reply, Reply), reply
    before, after = (asked.body for asked in server.questions)
    assert after.get(option) == then
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    assert changed - {"max_tokens", "max_completion_tokens", "stream_options"} <= {option}


def test_an_answer_that_the_server_finds_fault_with_is_no_matter_of_options() -> None:
    words = "Failed to validate JSON. See 'failed_generation'."
    assert type(error_of(Raw(400, said(words, "json_validate_failed")))) is UnusableReply


def test_a_server_that_gives_no_reasons_is_asked_for_less_and_less() -> None:
    without = [
        "responses",
        "json_schema",
        "json_object",
        "temperature",
        "seed",
        "max_completion_tokens",
    ]
    with ModelServer(without=without, dialect="bare") as server:
        (reply,) = ask(config(server.url), question(temperature=0.5, seed=3))
    assert isinstance(reply, Reply)
    assert server.questions[-1].body.keys() == {"model", "messages", "max_tokens"}
    assert len(server.questions) <= 8


def test_a_front_page_is_no_responses_api() -> None:
    page = Raw(200, "<!doctype html><title>Welcome</title>", content_type="text/html")
    with ModelServer([page, "yes", page, page]) as server:
        first, second = ask(config(server.url))[0], ask(config(server.url))[0]
    assert isinstance(first, Reply)
    assert type(second) is UnusableReply
    assert len(server.questions) == 4


def test_a_model_without_a_system_role_is_told_in_the_first_message() -> None:
    with ModelServer(without=["system"]) as server:
        (reply,) = ask(config(server.url, api="chat"))
    assert isinstance(reply, Reply)
    assert server.questions[-1].messages == [
        {"role": "user", "content": "You review.\n\nIs it ready?"}
    ]


def test_a_model_of_the_other_api_only_is_asked_there(tmp_path: Path) -> None:
    only = Raw(
        404, said("This model is only supported in v1/responses, not in v1/chat/completions.")
    )
    file = tmp_path / "abilities.json"
    with ModelServer(without=["responses"]) as server:
        ask(config(server.url), abilities=file)
        server.without = []
        server.script = lambda asked: only if "chat" in asked.path else "yes"
        (reply,) = ask(config(server.url), abilities=file)
    assert isinstance(reply, Reply)
    assert server.questions[-1].path == "/v1/responses"


@pytest.mark.parametrize(
    ("api", "path"), [("responses", "/v1/responses"), ("chat", "/v1/chat/completions")]
)
def test_a_forced_api_is_the_only_one_asked(api: str, path: str) -> None:
    with ModelServer(without=["responses", "chat"]) as server:
        (error,) = ask(config(server.url, api=api))
    assert isinstance(error, RequestRefused)
    assert {asked.path for asked in server.questions} == {path}


WRONG = "The reasoning effort 'low' is wrong. Supported values are: 'high'"


@pytest.mark.parametrize(
    "refused",
    [
        Raw(404, said("The model `m` does not exist", "model_not_found")),
        Raw(404, said('model "m" not found, try pulling it first')),
        Raw(400, said("max_output_tokens is too large: 1000. This model supports at most 500")),
        Raw(400, said(WRONG, None, "reasoning.effort")),
        Raw(400, said("Your request was flagged by our policy.")),
        Raw(401, said("temperature")),
        Raw(429, said("temperature", "insufficient_quota")),
    ],
    ids=["model", "model-ollama", "limit", "effort", "policy", "key", "quota"],
)
def test_what_is_no_matter_of_options_is_asked_once(refused: Raw) -> None:
    with ModelServer([refused]) as server:
        ask(config(server.url), question(effort="low", temperature=0.1))
    assert len(server.questions) == 1


def test_a_refusal_without_end_ends() -> None:
    words = (
        "temperature seed max_tokens max_completion_tokens max_output_tokens reasoning store"
        " response_format stream"
    )
    with ModelServer(lambda asked: Raw(400, {"error": {"message": f"unknown: {words}"}})) as server:
        (error,) = ask(
            config(server.url, stream=True), question(effort="low", temperature=0.1, seed=1)
        )
    assert isinstance(error, RequestRefused)
    assert len(server.questions) <= 8


def test_trouble_teaches_nothing(tmp_path: Path) -> None:
    with ModelServer([Fault("500"), Fault("timeout"), Fault("429")]) as server:
        for _ in range(3):
            ask(config(server.url, timeout=0.1), abilities=tmp_path / "abilities.json")
    assert not (tmp_path / "abilities.json").exists()


def test_first_questions_at_once_do_not_each_find_out() -> None:
    with ModelServer(without=["responses", "json_schema"], latency=0.05) as server:
        replies = ask(config(server.url), *(question(f"{number}") for number in range(20)))
    assert all(isinstance(reply, Reply) for reply in replies)
    assert len(server.questions) == 22


def test_first_questions_do_not_wait_for_a_slow_answer() -> None:
    with ModelServer(latency=1.5) as server:
        replies = ask(config(server.url), *(question(f"{number}") for number in range(5)))
    assert all(isinstance(reply, Reply) for reply in replies)
    assert server.busiest == 5


def test_a_server_that_got_better_is_asked_for_more_after_a_month(tmp_path: Path) -> None:
    def paths(now: float) -> list[str]:
        before = len(server.questions)
        ask(config(server.url), abilities=Abilities(tmp_path / "abilities.json", clock=lambda: now))
        return [asked.path for asked in server.questions[before:]]

    day = 86_400.0
    with ModelServer(without=["responses"]) as server:
        assert paths(day) == ["/v1/responses", "/v1/chat/completions"]
        server.without = []
        assert paths(30 * day) == ["/v1/chat/completions"]
        assert paths(32 * day) == ["/v1/responses"]


def test_a_server_that_got_worse_is_learnt_anew(tmp_path: Path) -> None:
    file = tmp_path / "abilities.json"
    with ModelServer() as server:
        ask(config(server.url), abilities=file)
        server.without = ["responses"]
        replies: list[Any] = [ask(config(server.url), abilities=file)[0] for _ in range(2)]
    assert all(isinstance(reply, Reply) for reply in replies)
    assert len(server.questions) == 4
    assert json.loads(file.read_text())[f"{server.url} m"]["api"] == "chat"


def test_an_unusable_answer_teaches_too(tmp_path: Path) -> None:
    with ModelServer([Fault("length"), "yes"], without=["responses"]) as server:
        for _ in range(2):
            ask(config(server.url), abilities=tmp_path / "abilities.json")
    assert len(server.questions) == 3
