"""Answers that are kept: asked once, whole, for this user only, and never in anybody's way."""

import asyncio
import gc
import json
import logging
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from reviewers.backends.base import Reply
from reviewers.backends.cached import Cached
from reviewers.backends.scripted import Scripted
from reviewers.errors import Unreachable
from tests.cases import cases
from tests.reviewers.backends.asking import ask, ask_at_once, make_request

REPLY = Reply(
    text="är\ud800 \x00 klar", model="o9-2026", input_tokens=9, cached_tokens=None, output_tokens=2
)


def kept(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def test_an_answer_is_asked_for_once_and_comes_back_whole_and_marked(tmp_path: Path) -> None:
    scripted = Scripted([REPLY])
    assert ask(Cached(scripted, tmp_path)) == REPLY
    again = ask(Cached(scripted, tmp_path))
    assert again.from_cache
    assert replace(again, from_cache=False) == REPLY
    assert len(scripted.asked) == 1


def test_another_question_is_asked(tmp_path: Path) -> None:
    scripted = Scripted(["a", "b", "c"])
    cached = Cached(scripted, tmp_path)
    requests = [make_request(), make_request("why?"), make_request(server="http://other/v1")]
    assert [ask(cached, request).text for request in requests] == ["a", "b", "c"]


def test_another_estimate_of_its_size_makes_no_other_question(tmp_path: Path) -> None:
    cached = Cached(Scripted(["a"]), tmp_path)
    ask(cached, make_request(input_tokens=1))
    assert ask(cached, make_request(input_tokens=2)).text == "a"


def test_fresh_asks_anew_and_keeps_the_new_answer(tmp_path: Path) -> None:
    scripted = Scripted(["old", "new"])
    ask(Cached(scripted, tmp_path))
    assert ask(Cached(scripted, tmp_path, fresh=True)) == Reply(text="new", model="o9")
    assert ask(Cached(scripted, tmp_path)).text == "new"


def test_files_are_for_this_user_only(tmp_path: Path) -> None:
    folder = tmp_path / "made" / "replies"
    before = os.umask(0)
    try:
        ask(Cached(Scripted(["yes"]), folder))
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(kept(folder).stat().st_mode) == 0o600
    assert kept(folder).name == f"{make_request().id}.json", "and nothing else lies there"


WHOLE = {
    **{"text": "a", "model": None, "from_cache": False},
    **dict.fromkeys(("input_tokens", "cached_tokens", "output_tokens"), 1),
}


@cases(
    "damage",
    {
        "empty": b"",
        "half": b"{",
        "no text": b"\xff\xfe",
        "list": b"[]",
        "null": b"null",
        "deep": b"[" * 100_000,
        "huge number": b"9" * 100_000,
        "fields missing": b'{"text": "yes"}',
        "no words": json.dumps({**WHOLE, "text": ""}).encode(),
        "a list": json.dumps({**WHOLE, "text": []}).encode(),
        "wrong types": json.dumps({**WHOLE, "model": 3, "from_cache": 0}).encode(),
    },
)
def test_a_damaged_file_is_as_good_as_none_and_is_replaced(tmp_path: Path, damage: bytes) -> None:
    ask(Cached(Scripted(["old"]), tmp_path))
    kept(tmp_path).write_bytes(damage)
    assert ask(Cached(Scripted(["new"]), tmp_path)) == Reply(text="new", model="o9")
    assert ask(Cached(Scripted([]), tmp_path)).text == "new"


def test_errors_are_never_kept(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cached = Cached(Scripted([Unreachable("503"), "yes"]), tmp_path)
    with pytest.raises(Unreachable):
        ask(cached)
    assert list(tmp_path.iterdir()) == []
    assert ask(cached).text == "yes"
    gc.collect()
    assert not caplog.records, "asyncio has nothing to complain of"


@pytest.mark.parametrize("fresh", [False, True], ids=["kept", "fresh"])
def test_tasks_that_ask_the_same_at_once_ask_once_and_pay_once(tmp_path: Path, fresh: bool) -> None:
    scripted = Scripted(["yes"], seconds=0.01)
    replies = asyncio.run(
        ask_at_once(Cached(scripted, tmp_path, fresh=fresh), [make_request()] * 10)
    )
    assert [reply.text for reply in replies if isinstance(reply, Reply)] == ["yes"] * 10
    assert [reply.from_cache for reply in replies if isinstance(reply, Reply)] == [False] + [
        True
    ] * 9


def test_tasks_that_ask_the_same_at_once_share_an_error(tmp_path: Path) -> None:
    scripted = Scripted([Unreachable("503")], seconds=0.01)
    outcomes = asyncio.run(ask_at_once(Cached(scripted, tmp_path), [make_request()] * 10))
    assert [type(outcome) for outcome in outcomes] == [Unreachable] * 10


def test_who_is_cancelled_takes_nobody_along(tmp_path: Path) -> None:
    async def main() -> None:
        scripted = Scripted(["yes", "yes"], seconds=0.3)
        cached = Cached(scripted, tmp_path)
        asks, waits, stays = (
            asyncio.create_task(cached.complete(make_request())) for _ in range(3)
        )
        await asyncio.sleep(0.01)
        waits.cancel()
        asks.cancel()
        assert (await stays).text == "yes"
        assert asks.cancelled()
        assert waits.cancelled()
        assert len(scripted.asked) == 2

    asyncio.run(main())


@pytest.mark.parametrize("place", ["a file", "below a file"])
def test_a_folder_that_cannot_be_written_stops_nobody_and_is_told_once(
    tmp_path: Path, place: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    cached = Cached(
        Scripted(["a", "b"]), tmp_path / "file" / ("" if place == "a file" else "replies")
    )
    with caplog.at_level(logging.WARNING):
        assert ask(cached).text == "a"
        assert ask(cached).text == "b"
    assert [record.getMessage().split(" in ")[0] for record in caplog.records] == [
        "answers are not kept"
    ]
    assert len(caplog.text.splitlines()) == 1


def test_a_place_that_is_taken_leaves_no_half_written_file(tmp_path: Path) -> None:
    (tmp_path / f"{make_request().id}.json" / "full").mkdir(parents=True)
    assert ask(Cached(Scripted(["a"]), tmp_path)).text == "a"
    assert kept(tmp_path).is_dir()
