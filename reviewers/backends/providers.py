"""Who serves models by an API of its own: all that the rest of areachair knows of a provider.

A provider is a line in `PROVIDERS`, a module with its server, and an extra in pyproject.toml.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from reviewers.backends.base import Reply, Request
from reviewers.settings import origin

if TYPE_CHECKING:
    from reviewers.backends.abilities import Abilities
    from reviewers.backends.configured import ReviewerConfig
    from reviewers.backends.openai_api.batch import BatchJobs


class Server(Protocol):
    """A backend that holds connections."""

    async def complete(self, request: Request) -> Reply:
        """Return the answer, or raise a BackendError."""
        ...

    async def close(self) -> None:
        """Let go of the connections."""
        ...


@dataclass(frozen=True, slots=True)
class Provider:
    """One kind of server.

    Attributes:
        name: `name:MODEL` asks its model, without a configured reviewer.
        title: what it is called on screen.
        url: of its own server; others may speak its API, too.
        key_variable: environment variable whose key goes to its own server, unasked.
        apis: what `api` may say for its servers, wherever they are.
        module: of this package, with `open_server(config, key, abilities)` and, where it has a
            Batch API, `open_batch`; loaded when it is first asked.
        has_batch: whether it has one.
    """

    name: str
    title: str
    url: str
    key_variable: str
    apis: frozenset[str]
    module: str
    has_batch: bool = False

    def open_server(
        self, config: "ReviewerConfig", key: str | None, abilities: "Abilities"
    ) -> Server:
        """Return what asks the server of a reviewer."""
        opened: Callable[..., Server] = self._loaded().open_server
        return opened(config, key, abilities)

    def open_batch(
        self, config: "ReviewerConfig", key: str | None, abilities: "Abilities"
    ) -> "BatchJobs":
        """Return the Batch API of a reviewer's server; only where it has one."""
        opened: Callable[..., BatchJobs] = self._loaded().open_batch
        return opened(config, key, abilities)

    def load(self) -> None:
        """Import the provider's SDK, which takes about a second, before somebody waits for it."""
        self._loaded().load_sdk()

    def _loaded(self) -> Any:
        return import_module(f"{__package__}.{self.module}")


OPENAI = Provider(
    "openai",
    "OpenAI",
    "https://api.openai.com/v1",
    "OPENAI_API_KEY",
    frozenset({"responses", "chat"}),
    "openai_api",
    has_batch=True,
)
ANTHROPIC = Provider(
    "anthropic",
    "Anthropic",
    "https://api.anthropic.com",
    "ANTHROPIC_API_KEY",
    frozenset({"messages"}),
    "anthropic_api",
)
PROVIDERS = (OPENAI, ANTHROPIC)


def provider_of(url: str, api: str) -> Provider:
    """Return whose API a server speaks: as `api` says, else by whose server it is; most others
    speak that of OpenAI.
    """
    for provider in PROVIDERS:
        if api in provider.apis:
            return provider
    return at_home(url) or OPENAI


def at_home(url: str) -> Provider | None:
    """Return the provider whose own server this is; None where it is nobody's."""
    return next((each for each in PROVIDERS if origin(each.url) == origin(url)), None)
