"""Builds the backend for a reviewer's configuration: the wrappers, from the outside to the server.

cache → retry → budget → limits → server
"""

import asyncio
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from reviewers.backends.base import Backend, Reply, Request
from reviewers.backends.budgeted import Budget, Budgeted
from reviewers.backends.cached import Cached
from reviewers.backends.capabilities import Abilities
from reviewers.backends.configured import ReviewerConfig
from reviewers.backends.limited import Limited, OwnQuota, Quota
from reviewers.backends.retrying import Retrying
from reviewers.errors import ReviewerError
from reviewers.settings import api_key

if TYPE_CHECKING:
    from reviewers.backends.openai_api.batch import BatchJobs


class Server(Protocol):
    """A backend that holds connections."""

    async def complete(self, request: Request) -> Reply:
        """Return the answer, or raise a BackendError."""
        ...

    async def close(self) -> None:
        """Let go of the connections."""
        ...


def provider_module(config: ReviewerConfig) -> Any:
    """Return the module that speaks the API of a reviewer's server; its SDK is loaded later."""
    return import_module(f"{__package__}.{config.provider.module}")


class Servers:
    """Connections to models' servers, one for each configuration, shared by everything that asks in
    one event loop.

    Args:
        abilities: file that remembers what servers can do; None remembers it in the process only.
        replies: folder of answers that need not be asked for again; None keeps none.
        at_once: requests in flight at a time over all servers; None for what the configurations
            say.
        quota: gives what a configuration's server allows with a key; workers share one.
    """

    def __init__(
        self,
        abilities: Path | None,
        replies: Path | None,
        *,
        at_once: int | None = None,
        quota: Callable[[ReviewerConfig, str | None], Quota] | None = None,
    ) -> None:
        self._abilities = Abilities(abilities)
        self._replies = replies
        self._quota = quota or _own_quota
        self._gate = asyncio.Semaphore(at_once or sys.maxsize)
        self._jobs: list[BatchJobs] = []
        self._open: dict[ReviewerConfig, tuple[Server, Limited]] = {}

    def backend(
        self,
        config: ReviewerConfig,
        budget: Budget,
        *,
        fresh: bool = False,
        usable: Callable[[Reply], bool] = lambda reply: True,
    ) -> Backend:
        """Return what asks this reviewer's model.

        Args:
            budget: of the run; several reviewers may share one.
            fresh: whether to ask even where an answer is kept.
            usable: whether an answer is worth keeping.
        """
        if config not in self._open:
            key = _key(config)
            server = provider_module(config).open_server(config, key, self._abilities)
            quota = self._quota(config, key)
            limits = Limited(_Gated(server, self._gate), config.concurrency, quota)
            self._open[config] = server, limits
        backend: Backend = Retrying(
            Budgeted(self._open[config][1], budget, config.prices), config.retries
        )
        return (
            backend
            if self._replies is None
            else Cached(backend, self._replies, fresh=fresh, usable=usable)
        )

    def batch_jobs(self, config: ReviewerConfig) -> "BatchJobs":
        """Return the Batch API of this reviewer's server.

        Raises:
            ReviewerError: areachair knows none of its provider's.
        """
        if not config.provider.has_batch:
            raise ReviewerError(
                f"--batch is not for models of {config.provider.title}: ask {config.name} without"
            )
        module = provider_module(config)
        jobs: BatchJobs = module.open_batch(config, _key(config), self._abilities)
        self._jobs.append(jobs)
        return jobs

    async def close(self) -> None:
        """Let go of all connections."""
        for server, _ in self._open.values():
            await server.close()
        for jobs in self._jobs:
            await jobs.close()
        self._open.clear()
        self._jobs.clear()


def _own_quota(config: ReviewerConfig, key: str | None) -> Quota:
    return OwnQuota(config.requests_per_minute, config.tokens_per_minute)


def _key(config: ReviewerConfig) -> str | None:
    return config.key_variable and api_key(config.key_variable, config.base_url)


class _Gated:
    """Lets so many requests through at a time, of all servers together."""

    def __init__(self, backend: Backend, gate: asyncio.Semaphore) -> None:
        self._backend = backend
        self._gate = gate

    async def complete(self, request: Request) -> Reply:
        async with self._gate:
            return await self._backend.complete(request)
