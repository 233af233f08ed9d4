"""What each server and model supports, detected once and remembered in a small JSON file."""

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from weakref import WeakKeyDictionary

from reviewers.atomic_file import replace_file

_DAY = 24 * 60 * 60.0
_KEPT = 30 * _DAY
_LAST = 1e11
_MOST = 1_000
_LARGEST_FILE = 4_000_000
_APIS = ("responses", "chat")
_ANSWERS = ("schema", "json", "text")
OPTIONS = frozenset(
    {
        "temperature", "seed", "effort", "store", "stream", "stream_options", "system",
        "max_completion_tokens", "limit",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ability:
    """What may be asked for.

    Attributes:
        api: the API to speak.
        answer: how the form of an answer is asked for: by a JSON schema, as any JSON, or in words
            only.
        without: what is left out, of `OPTIONS`: `max_completion_tokens` gives way to `max_tokens`,
            `limit` leaves out every limit, and without `system` its text goes before the first user
            message.
    """

    api: Literal["responses", "chat"] = "responses"
    answer: Literal["schema", "json", "text"] = "schema"
    without: frozenset[str] = frozenset()


class Abilities:
    """What is known of servers; safe for several threads and processes, of which the last to learn
    something wins.

    Args:
        path: the file; None remembers for this object's life only. A damaged file counts as empty,
            one that cannot be written is done without.
        clock: seconds since 1970; what is older than 30 days is forgotten, since servers get
            better.
    """

    def __init__(self, path: Path | None, clock: Any = time.time) -> None:
        self._path = path
        self._clock = clock
        self._known: dict[str, dict[str, Any]] = {}
        self._read_at: tuple[int, int] | None = None
        self._guard = threading.Lock()
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, asyncio.Lock]] = (
            WeakKeyDictionary()
        )

    def find(self, server: str, model: str) -> Ability | None:
        """Return what is known; None if nothing is."""
        with self._guard:
            self._load()
            entry = self._known.get(_name(server, model))
        return None if entry is None or self._is_old(entry) else _ability(entry)

    def learn(self, server: str, model: str, ability: Ability) -> None:
        """Remember what a server has just accepted."""
        entry = {
            "api": ability.api,
            "answer": ability.answer,
            "without": sorted(ability.without),
            "at": self._clock(),
        }
        with self._guard:
            self._read_at = None
            self._load()
            self._known[_name(server, model)] = entry
            for name in sorted(self._known, key=lambda name: float(self._known[name]["at"]))[
                :-_MOST
            ]:
                del self._known[name]
            self._save()

    @asynccontextmanager
    async def turn(self, server: str, model: str) -> AsyncIterator[None]:
        """Let one task at a time find out about a server and model."""
        loop = asyncio.get_running_loop()
        with self._guard:
            lock = self._turns.setdefault(loop, {}).setdefault(_name(server, model), asyncio.Lock())
        async with lock:
            yield

    def _is_old(self, entry: Mapping[str, Any]) -> bool:
        # What lies in the future was written by a clock that was wrong.
        return not -_DAY < self._clock() - entry["at"] < _KEPT

    def _load(self) -> None:
        if self._path is None:
            return
        with suppress(OSError, ValueError, RecursionError):
            state = self._path.stat()
            if self._read_at == (state.st_mtime_ns, state.st_ino) or state.st_size > _LARGEST_FILE:
                return
            value = json.loads(self._path.read_bytes())
            if isinstance(value, dict):
                self._known |= {name: entry for name, entry in value.items() if _ability(entry)}
            self._read_at = (state.st_mtime_ns, state.st_ino)

    def _save(self) -> None:
        if self._path is None:
            return
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(self._path, json.dumps(self._known, indent=1, sort_keys=True))


def _name(server: str, model: str) -> str:
    return f"{server.rstrip('/')} {model}"


def _ability(entry: object) -> Ability | None:
    """Return what an entry of the file says; None if it is damaged."""
    match entry:
        case {
            "api": str(api),
            "answer": str(answer),
            "without": list(without),
            "at": int() | float() as at,
        } if 0 <= at <= _LAST:
            if (
                api in _APIS
                and answer in _ANSWERS
                and all(isinstance(each, str) and each in OPTIONS for each in without)
            ):
                return Ability(api, answer, frozenset(without))  # type: ignore[arg-type]
    return None
