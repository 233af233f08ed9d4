"""Providers of models with an API of their own: all that areachair outside the backends knows about
them.

A new one needs an entry in `PROVIDERS`, a module of `reviewers.backends`, and an extra in
pyproject.toml.
"""

from dataclasses import dataclass

from reviewers.origins import origin


@dataclass(frozen=True, slots=True)
class Provider:
    """One kind of server.

    Attributes:
        name: `name:MODEL` asks its model, without a configured reviewer.
        title: what it is called on screen.
        url: of its own server; others may speak its API, too.
        key_variable: environment variable whose key goes to its own server, unasked.
        apis: what `api` may say for its servers, wherever they are.
        module: of `reviewers.backends`, with `load_sdk()`, `open_server(config, key, abilities)`
            and, where it has a Batch API that is used, `open_batch` of the same.
    """

    name: str
    title: str
    url: str
    key_variable: str
    apis: tuple[str, ...]
    module: str
    has_batch: bool = False


OPENAI = Provider(
    "openai",
    "OpenAI",
    "https://api.openai.com/v1",
    "OPENAI_API_KEY",
    ("responses", "chat"),
    "openai_api",
    has_batch=True,
)
ANTHROPIC = Provider(
    "anthropic",
    "Anthropic",
    "https://api.anthropic.com",
    "ANTHROPIC_API_KEY",
    ("messages",),
    "anthropic_api",
)
PROVIDERS = (OPENAI, ANTHROPIC)
APIS = ("auto", *(api for each in PROVIDERS for api in each.apis))
TITLES = " or ".join(each.title for each in PROVIDERS)


def provider_of(url: str, api: str) -> Provider:
    """Return whose API a server speaks: as `api` says, else by whose server it is; most others
    speak that of OpenAI.
    """
    for provider in PROVIDERS:
        if api in provider.apis:
            return provider
    return at_home(url) or OPENAI


def at_home(url: str) -> Provider | None:
    """Return the provider whose own server this is; None if it is nobody's."""
    return next((each for each in PROVIDERS if origin(each.url) == origin(url)), None)
