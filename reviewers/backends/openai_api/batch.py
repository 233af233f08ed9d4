"""OpenAI's Batch API: many requests in one file, answered within a day at a lower price."""

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reviewers.backends.base import Reply, Request
from reviewers.backends.capabilities import Ability
from reviewers.backends.configured import ReviewerConfig
from reviewers.backends.connection import check_key
from reviewers.backends.error_mapping import host_of, redacted
from reviewers.backends.openai_api.batch_lines import endpoint, files, lines_of, outcome, question
from reviewers.backends.openai_api.client import connect, translating
from reviewers.errors import BackendError, UnusableReply

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_LABEL, _PART = "areachair", "part"
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_CAME_TO_NOTHING = frozenset({"failed", "expired", "cancelled", "cancelling"})
_A_PAGE, _MOST_PAGES = 100, 50
_SHOWN = 300
_UPLOAD = 600.0


@dataclass(frozen=True, slots=True)
class BatchState:
    """How far a batch is.

    Attributes:
        status: as the provider calls it: `validating`, `in_progress`, `finalizing`, `completed`,
            `failed`, `expired`, `cancelling` or `cancelled`.
        total, completed, failed: numbers of requests; 0 while the provider has not counted them.
        problem: why it failed, in the provider's words; None if it says nothing.
    """

    status: str
    total: int = 0
    completed: int = 0
    failed: int = 0
    problem: str | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing more will come of it; what was answered until then can be collected."""
        return self.status in _ENDED


class BatchJobs:
    """The batches of one configured reviewer; belongs to the event loop that first asks with it.

    Nothing is tried again here: submitting is safe to repeat, and the rest only looks.

    Args:
        key: None if there is none.
        ability: what is known of server and model, for the form of the requests.
        most_requests, most_bytes: of one batch, by the provider's rules.
    """

    def __init__(
        self,
        config: ReviewerConfig,
        key: str | None,
        ability: Ability | None = None,
        *,
        most_requests: int = 50_000,
        most_bytes: int = 200_000_000,
    ) -> None:
        self._config = config
        self._key = key
        self._ability = ability or Ability("chat" if config.api == "chat" else "responses")
        self._most_requests = most_requests
        self._most_bytes = most_bytes
        self._client: AsyncOpenAI | None = None

    async def submit(self, requests: Sequence[Request], label: str) -> tuple[str, ...]:
        """Hand requests in, each of them once, and return the ids of the batches: several where one
        would be too large.

        A batch with the same label and the same requests that is there already, and did not finish
        nothing, is not made again: who was interrupted submits once more.

        Args:
            label: at most 512 characters, by which `find` finds the batches again.

        Raises:
            BackendError: not all of them were accepted.
        """
        labelled = await self._labelled(label)
        there = {
            _metadata(batch).get(_PART): batch
            for batch in labelled
            if batch.get("status") not in _CAME_TO_NOTHING
        }
        lines = (
            question(request, self._ability)
            for request in {request.id: request for request in requests}.values()
        )
        ids = []
        for data in files(lines, self._most_requests, self._most_bytes):
            part = hashlib.sha256(data).hexdigest()
            batch = there.get(part) or await self._make(data, {_LABEL: label, _PART: part})
            ids.append(batch["id"])
        return tuple(ids)

    async def find(self, label: str) -> tuple[str, ...]:
        """Return the ids of all batches with this label, the oldest first.

        Raises:
            BackendError: the provider does not say.
        """
        return tuple(batch["id"] for batch in await self._labelled(label))

    async def poll(self, batch: str) -> BatchState:
        """Return how far a batch is.

        Raises:
            BackendError: the provider does not say.
        """
        found = await self._find(batch)
        counts, errors = _dict(found.get("request_counts")), _dict(found.get("errors")).get("data")
        said = [
            _dict(error).get("message") for error in (errors if isinstance(errors, list) else [])
        ]
        problem = next(
            (redacted(words, self._key)[:_SHOWN] for words in said if isinstance(words, str)), None
        )
        total, completed, failed = (
            _count(counts.get(name)) for name in ("total", "completed", "failed")
        )
        return BatchState(str(found.get("status"))[:50], total, completed, failed, problem)

    async def collect(self, batch: str) -> AsyncIterator[tuple[str, Reply | BackendError]]:
        """Yield the id of each request that has an outcome, and the outcome, in any order.

        What is damaged, or carries no id that a request of ours can have, is passed over: a request
        that is missing in the end has no answer. Of several outcomes of one request the first one
        counts.

        Raises:
            BackendError: the results cannot be had.
        """
        found = await self._find(batch)
        seen = set()
        for name in (found.get("output_file_id"), found.get("error_file_id")):
            if not isinstance(name, str) or not name:
                continue
            async with aclosing(self._read(name)) as lines:
                async for line in lines:
                    became = outcome(line, self._config.base_url, self._key)
                    if became is not None and became[0] not in seen:
                        seen.add(became[0])
                        yield became

    async def cancel(self, batch: str) -> None:
        """Ask the provider to stop; what is answered already is paid for, and can be collected.

        Raises:
            BackendError: it does not stop it.
        """
        await self._told(self._open().batches.with_raw_response.cancel(batch))

    async def close(self) -> None:
        """Let go of the connections."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()

    async def _make(self, data: bytes, metadata: dict[str, str]) -> dict[str, Any]:
        file = ("areachair.jsonl", data, "application/jsonl")
        sent = await self._told(
            self._open().files.with_raw_response.create(file=file, purpose="batch"), _UPLOAD
        )
        return await self._told(
            self._open().batches.with_raw_response.create(
                completion_window="24h",
                endpoint=endpoint(self._ability),
                input_file_id=sent["id"],
                metadata=metadata,
            )
        )

    async def _find(self, batch: str) -> dict[str, Any]:
        return await self._told(self._open().batches.with_raw_response.retrieve(batch))

    async def _labelled(self, label: str) -> list[dict[str, Any]]:
        """The batches with this label, the oldest first; the provider lists the newest first."""
        found: list[dict[str, Any]] = []
        after: dict[str, Any] = {}
        for _ in range(_MOST_PAGES):
            page = await self._told(
                self._open().batches.with_raw_response.list(limit=_A_PAGE, **after)
            )
            listed = page.get("data")
            batches = [
                batch
                for batch in (listed if isinstance(listed, list) else [])
                if isinstance(_dict(batch).get("id"), str)
            ]
            found += (batch for batch in batches if _metadata(batch).get(_LABEL) == label)
            if not batches or not page.get("has_more"):
                break
            after = {"after": batches[-1]["id"]}
        return found[::-1]

    async def _told(self, answer: Awaitable[Any], least_timeout: float = 0.0) -> dict[str, Any]:
        """The JSON object that the provider answers, unread by the SDK, which would believe all of
        it.
        """
        with translating(self._config, self._key):
            async with asyncio.timeout(max(self._config.timeout, least_timeout)):
                text: str = (await answer).text
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        # Lists have no id of their own.
        if not isinstance(value, dict) or not (
            isinstance(value.get("id"), str) or value.get("object") == "list"
        ):
            raise UnusableReply(
                f"{host_of(self._config.base_url)} does not speak the Batch API",
                redacted(text, self._key),
            )
        return value

    async def _read(self, file: str) -> AsyncGenerator[bytes, None]:
        with translating(self._config, self._key):
            async with self._open().files.with_streaming_response.content(file) as response:
                async for line in lines_of(response.iter_bytes()):
                    yield line

    def _open(self) -> "AsyncOpenAI":
        check_key(self._config, self._key)
        if self._client is None:
            self._client = connect(self._config, self._key, read_timeout=self._config.timeout)
        return self._client


def _metadata(batch: dict[str, Any]) -> dict[str, Any]:
    return _dict(batch.get("metadata"))


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
