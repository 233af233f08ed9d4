"""What was asked and answered, written down and played back: in order, of the same kinds, and
nothing made up.
"""

import asyncio
import json
import logging
import os
import stat
from pathlib import Path

import pytest

from reviewers.backends.base import AnswerForm, Reply
from reviewers.backends.recording import Recording, Replay
from reviewers.backends.scripted import Scripted
from reviewers.errors import (
    BackendError,
    BudgetSpent,
    KeyRefused,
    RequestRefused,
    ReviewerError,
    TooLong,
    Unreachable,
    UnusableReply,
)
from tests.reviewers.backends.asking import ask, ask_at_once, make_request

REPLY = Reply(
    text="är\ud800 \u2028\x85 klar\n",
    model="o9-2026",
    input_tokens=9,
    cached_tokens=None,
    output_tokens=2,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "made" / "recording.jsonl"


def test_an_answer_comes_back_as_it_was(path: Path) -> None:
    assert ask(Recording(Scripted([REPLY]), path)) == REPLY
    assert ask(Replay(path)) == REPLY


@pytest.mark.parametrize(
    "error",
    [
        Unreachable("503\nbusy", "raw\ud800", after=2.5, billed=True),
        Unreachable("no connection"),
        KeyRefused("no key"),
        RequestRefused("no such model", "{}"),
        TooLong("too long"),
        UnusableReply("cut off", "half", input_tokens=7, cached_tokens=0, output_tokens=100),
        BudgetSpent("spent"),
    ],
    ids=lambda error: f"{type(error).__name__} {error}",
)
def test_an_error_comes_back_as_its_kind_with_all_it_holds(path: Path, error: BackendError) -> None:
    with pytest.raises(type(error)):
        ask(Recording(Scripted([error]), path))
    with pytest.raises(type(error)) as caught:
        ask(Replay(path))
    assert caught.value is not error
    assert (type(caught.value), str(caught.value), vars(caught.value)) == (
        type(error),
        str(error),
        vars(error),
    )


def test_several_answers_to_one_request_come_in_order_and_the_last_one_stays(path: Path) -> None:
    recording = Recording(Scripted([Unreachable("503"), "first", "second"]), path)
    asyncio.run(ask_at_once(recording, [make_request()] * 3))
    replay = Replay(path)
    with pytest.raises(Unreachable):
        ask(replay)
    assert [ask(replay).text for _ in range(4)] == ["first", "second", "second", "second"]


def test_each_request_has_its_own_answers(path: Path) -> None:
    recording = Recording(Scripted(lambda request: request.messages[0].text.upper()), path)
    asyncio.run(ask_at_once(recording, [make_request("a"), make_request("b")]))
    assert ask(Replay(path), make_request("b")).text == "B"
    assert ask(Replay(path), make_request("a", input_tokens=99)).text == "A"


def test_what_was_never_recorded_is_refused_in_words(path: Path) -> None:
    ask(Recording(Scripted(["yes"]), path))
    with pytest.raises(
        RequestRefused, match=r"recording\.jsonl: no answer to this request of o8 was recorded"
    ):
        ask(Replay(path), make_request(model="o8"))


def test_a_line_holds_the_request_and_the_file_is_for_this_user_only(path: Path) -> None:
    request = make_request(
        "Can\nit run?", form=AnswerForm("findings", {"type": "object"}), effort="low"
    )
    before = os.umask(0)
    try:
        ask(Recording(Scripted(["yes"]), path), request)
    finally:
        os.umask(before)
    (line,) = path.read_text("ascii").splitlines()
    value = json.loads(line)
    assert value["id"] == request.id
    assert value["request"]["messages"] == [{"role": "user", "text": "Can\nit run?"}]
    assert value["request"]["form"] == {"name": "findings", "schema": {"type": "object"}}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_recording_goes_on_where_an_earlier_one_stopped(path: Path) -> None:
    ask(Recording(Scripted(["yes"]), path))
    ask(Recording(Scripted(["no"]), path), make_request("b"))
    assert [ask(Replay(path)).text, ask(Replay(path), make_request("b")).text] == ["yes", "no"]


@pytest.mark.parametrize(
    "line",
    [
        b"\xff",
        b"[" * 100_000,
        b"9" * 100_000,
        b"null",
        b"[]",
        b"{}",
        b'{"id": "x", "reply": null}',
        b'{"id": "x", "reply": {"text": 3}}',
        b'{"id": "x", "error": {"kind": "SystemExit", "problem": "x"}}',
        b'{"id": "x", "error": {"kind": [], "problem": "x"}}',
        b'{"id": "x", "error": {"kind": "KeyRefused", "problem": "x", "after": 3}}',
        b'{"id": "x", "error": {"kind": "Unreachable", "problem": "x", "after": "3"}}',
        b'{"id": "x", "error": {"kind": "Unreachable", "problem": 3}}',
    ],
    ids=lambda line: line[:40].decode("ascii", "replace"),
)
def test_a_damaged_line_is_passed_over(path: Path, line: bytes) -> None:
    ask(Recording(Scripted(["yes"]), path))
    path.write_bytes(
        line.replace(b'"x"', json.dumps(make_request().id).encode(), 1) + b"\n" + path.read_bytes()
    )
    assert ask(Replay(path)).text == "yes"


def test_half_of_a_last_line_is_passed_over(path: Path) -> None:
    ask(Recording(Scripted(["yes"]), path))
    path.write_bytes(path.read_bytes() * 2)
    path.write_bytes(path.read_bytes()[:-9])
    assert ask(Replay(path)).text == "yes"


def test_a_recording_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ReviewerError, match="the recording cannot be read"):
        Replay(tmp_path / "none")


def test_an_answer_that_cannot_be_written_down_is_given(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert ask(Recording(Scripted(["yes"]), tmp_path)).text == "yes"
    assert "nothing is recorded" in caplog.text
