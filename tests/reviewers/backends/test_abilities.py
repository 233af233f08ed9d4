"""Guards the memory of what servers can do: shared, never half written, and harmless when
damaged.
"""

import threading
from pathlib import Path

import pytest

from reviewers.backends.capabilities import Abilities, Ability
from tests.console import FORKING

CHAT = Ability("chat", "json", frozenset({"seed", "max_completion_tokens"}))


def test_nothing_is_known_at_first(tmp_path: Path) -> None:
    assert Abilities(tmp_path / "a.json").find("http://s/v1", "m") is None


@pytest.mark.parametrize("kept", [True, False], ids=["file", "memory"])
def test_what_is_learnt_is_known(tmp_path: Path, kept: bool) -> None:
    abilities = Abilities(tmp_path / "deep" / "a.json" if kept else None)
    abilities.learn("http://s/v1", "m", CHAT)
    assert abilities.find("http://s/v1/", "m") == CHAT
    assert abilities.find("http://s/v1", "n") is None
    assert abilities.find("http://t/v1", "m") is None


def test_another_process_sees_it_at_once(tmp_path: Path) -> None:
    one, two = Abilities(tmp_path / "a.json"), Abilities(tmp_path / "a.json")
    assert two.find("s", "m") is None
    one.learn("s", "m", CHAT)
    assert two.find("s", "m") == CHAT
    two.learn("s", "m", Ability())
    assert one.find("s", "m") == Ability()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"s m": 1}',
        '{"s m": {"api": "chat"}}',
        '{"s m": {"api": "x", "answer": "json", "without": [], "at": 1}}',
        '{"s m": {"api": "chat", "answer": "json", "without": [[]], "at": 1}}',
        '{"s m": {"api": "chat", "answer": "json", "without": [], "at": NaN}}',
        '{"s m": {"api": "chat", "answer": "json", "without": [], "at": 1' + "0" * 400 + "}}",
        "[" * 100_000,
        "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
    ],
    ids=range(12),
)
def test_a_damaged_file_is_an_empty_one(tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.json"
    file.write_text(text, encoding="latin-1")
    abilities = Abilities(file)
    assert abilities.find("s", "m") is None
    abilities.learn("s", "m", CHAT)
    assert Abilities(file).find("s", "m") == CHAT


def test_a_file_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "a.json").mkdir()
    abilities = Abilities(tmp_path / "a.json")
    abilities.learn("s", "m", CHAT)
    assert abilities.find("s", "m") == CHAT
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_what_a_wrong_clock_wrote_is_forgotten(tmp_path: Path) -> None:
    Abilities(tmp_path / "a.json", clock=lambda: 9e10).learn("s", "m", CHAT)
    assert Abilities(tmp_path / "a.json").find("s", "m") is None


def test_threads_do_not_lose_what_others_learnt(tmp_path: Path) -> None:
    shared = Abilities(tmp_path / "a.json")
    threads = [
        threading.Thread(target=shared.learn, args=("s", f"m{number}", CHAT))
        for number in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(Abilities(tmp_path / "a.json").find("s", f"m{number}") for number in range(20))


def _learn(file: Path, first: int) -> None:
    abilities = Abilities(file)
    for number in range(first, first + 20):
        abilities.learn("s", f"m{number}", CHAT)


def test_processes_never_leave_half_a_file(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    workers = [FORKING.Process(target=_learn, args=(file, 100 * number)) for number in range(2)]
    for worker in workers:
        worker.start()
    while any(worker.is_alive() for worker in workers):
        Abilities(file).find("s", "m0")
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    known = Abilities(file)
    assert any(known.find("s", f"m{number}") for number in (19, 119))
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_the_file_does_not_grow_without_end(tmp_path: Path) -> None:
    clock = iter(range(1, 10**9))
    abilities = Abilities(None, clock=lambda: float(next(clock)))
    for number in range(1_002):
        abilities.learn("s", f"m{number}", CHAT)
    assert abilities.find("s", "m0") is None
    assert abilities.find("s", "m1001") == CHAT
