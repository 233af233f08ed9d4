"""A backend that sends each question once and keeps the answers on disk."""

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import get_type_hints

from reviewers.atomic_file import replace_file
from reviewers.backends.base import Backend, Reply, Request
from reviewers.errors import BackendError

_log = logging.getLogger(__name__)
_REPLY = get_type_hints(Reply)


class Cached:
    """Answers what it was asked before; errors are never kept, nor is what nobody can read.

    Tasks that ask the same at once share one answer, or one error.

    Args:
        folder: see `Replies`; if it cannot be written everything is asked.
        fresh: ask even where there is an answer, and keep the new one in its place.
        usable: whether an answer is worth keeping; asked again, a model may answer better.
    """

    def __init__(
        self,
        backend: Backend,
        folder: Path,
        *,
        fresh: bool = False,
        usable: Callable[[Reply], bool] = lambda reply: True,
    ) -> None:
        self._backend = backend
        self._replies = Replies(folder)
        self._fresh = fresh
        self._usable = usable
        self._asking: dict[str, asyncio.Future[Reply]] = {}

    async def complete(self, request: Request) -> Reply:
        """Return the kept answer, marked as such, or a new one.

        Raises:
            BackendError: there is none.
        """
        if not self._fresh and (kept := self._replies.find(request.id)):
            return kept
        while (asking := self._asking.get(request.id)) is not None:
            # Not awaited itself: who is cancelled here must not take the others along, and who asks
            # may be cancelled too.
            await asyncio.wait([asking])
            if not asking.cancelled():
                return replace(asking.result(), from_cache=True)
        return await self._ask(request)

    async def _ask(self, request: Request) -> Reply:
        answer = self._asking[request.id] = asyncio.get_running_loop().create_future()
        try:
            reply = await self._backend.complete(request)
            answer.set_result(reply)
        except BackendError as error:
            answer.set_exception(error)
            answer.exception()  # nobody may be waiting for it, which asyncio would complain of
            raise
        finally:
            answer.cancel()  # does nothing if there is a result
            del self._asking[request.id]
        if self._usable(reply):
            self._replies.keep(request.id, reply)
        return reply


class Replies:
    """A folder with one file an answer, named by the request's id.

    A damaged file is as good as none. A folder that cannot be written is worth one warning in the
    log.

    Args:
        folder: made, for this user only, when the first answer is kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._warned = False

    def find(self, name: str) -> Reply | None:
        """Return the answer to the request of this id, marked as kept; None if there is none."""
        try:
            return replace(
                _reply_of(json.loads((self._folder / f"{name}.json").read_bytes())),
                from_cache=True,
            )
        except (OSError, ValueError, RecursionError):
            return None

    def forget(self, name: str) -> bool:
        """Delete the answer to the request of this id; return whether there was one."""
        try:
            (self._folder / f"{name}.json").unlink()
        except OSError:
            return False
        return True

    def keep(self, name: str, reply: Reply) -> None:
        """Keep an answer in the place of an earlier one."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_file(self._folder / f"{name}.json", json.dumps(asdict(reply)))
        except OSError as error:
            if not self._warned:
                self._warned = True
                _log.warning(
                    "answers are not kept in %s (%s)", self._folder, error.strerror or error
                )


def _reply_of(value: object) -> Reply:
    """Return the answer that a file holds.

    Raises:
        ValueError: it holds none.
    """
    if (
        not isinstance(value, dict)
        or set(value) != {field.name for field in fields(Reply)}
        or not value["text"]
    ):
        raise ValueError("no answer")
    if not all(isinstance(value[name], kind) for name, kind in _REPLY.items()):
        raise ValueError("no answer")
    return Reply(**value)
