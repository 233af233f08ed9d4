"""The scripts of the submission that code starts in processes of their own."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Protocol

from reviewers.facts.config_flow.files import path_of
from reviewers.facts.config_flow.values import (
    ANYTHING,
    UNKNOWN,
    PartlyKnown,
    Process,
    SomePath,
    Value,
)
from reviewers.facts.python_file import PythonFile

STARTING = frozenset(
    {
        "os.system",
        *(f"subprocess.{name}" for name in ("Popen", "call", "check_call", "check_output", "run")),
    }
)
_MOST = 64


class Follower(Protocol):
    """What is needed of the one that follows the code; `may_not_happen` says that what is done now
    may be left undone.
    """

    python: Mapping[str, PythonFile]
    written: dict[tuple[str, ...], Value]
    handed_over: list[tuple[str, Value]]
    processes: list[Process]
    moved: bool

    @property
    def may_not_happen(self) -> bool: ...


def note(
    follower: Follower, name: str, args: Sequence[Value], keywords: Mapping[str, Value]
) -> None:
    """Keep what a call that starts a process is given, and the script that it certainly starts."""
    given = args[0] if args else keywords.get("args", UNKNOWN)
    follower.handed_over.append((name, given))
    folder = path_of(keywords.get("cwd", SomePath(())))
    starts_here = folder is not None and not folder.parts and ANYTHING not in keywords
    started = script(_words(given), follower.python)
    # Of a start in a loop that may have no turn, or under an unknown condition, nothing is certain.
    if (
        started is not None
        and starts_here
        and not follower.may_not_happen
        and len(follower.processes) < _MOST
    ):
        path, words = started
        moved = follower.moved and "cwd" not in keywords
        follower.processes.append(Process(path, words, dict(follower.written), moved))


def _words(given: Value) -> Sequence[Value]:
    """The words of a command line."""
    if isinstance(given, list | tuple):
        return given
    text = given.text if isinstance(given, PartlyKnown) else given
    try:
        words = shlex.split(text) if isinstance(text, str) else []
    except ValueError:
        return []
    return [PartlyKnown(word) if "{}" in word else word for word in words]


def script(
    words: Sequence[Value], python: Mapping[str, PythonFile]
) -> tuple[str, tuple[Value, ...]] | None:
    """The script of the submission that a command line starts, and the words after it."""
    for at, word in enumerate(words):
        if isinstance(word, str) and word == "-m" and at + 1 < len(words):
            module = words[at + 1]
            path = f"{module.replace('.', '/')}.py" if isinstance(module, str) else ""
            return (path, tuple(words[at + 2 :])) if path in python else None
        where = path_of(word) if isinstance(word, str | SomePath) else None
        if where is not None and str(where) in python:
            return str(where), tuple(words[at + 1 :])
    return None
