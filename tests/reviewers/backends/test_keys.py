"""Guards that a key is sent only where the operator of the machine allows it, whatever a reviewer's
configuration says.
"""

import asyncio

import pytest

from reviewers import settings
from reviewers.backends.base import Reply
from reviewers.backends.budgeted import Budget
from reviewers.backends.configured import BudgetConfig, ReviewerConfig
from reviewers.backends.factory import Servers
from reviewers.errors import BackendError, KeyRefused
from tests.keys import allow_key
from tests.model_server import ModelServer, Raw
from tests.reviewers.backends.provider_asking import config, question

SECRET = "a-secret-that-nobody-else-sees"


def asked(config: ReviewerConfig) -> Reply | BackendError:
    """What comes of asking, with the key read from the environment."""

    async def main() -> Reply | BackendError:
        servers = Servers(None, None)
        try:
            return await servers.backend(config, Budget(BudgetConfig())).complete(question())
        except BackendError as error:
            return error
        finally:
            await servers.close()

    return asyncio.run(main())


@pytest.mark.parametrize(
    "variable",
    ["AREACHAIR_LOGIN_COOKIE_SECRET", "areachair_login_client_secret", "AREACHAIR_X"],
)
def test_what_areachair_itself_is_configured_by_is_sent_nowhere_whatever_the_file_allows(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, SECRET)
    with ModelServer() as server:
        allow_key(variable, server.url)
        error = asked(config(server.url, key_env=variable, retries=0))
    assert isinstance(error, KeyRefused)
    assert "areachair's own" in str(error)
    assert not server.received


@pytest.mark.parametrize(
    "variable", ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "PGPASSWORD", "AWS_SECRET_ACCESS_KEY"]
)
def test_any_other_variable_is_sent_nowhere_before_the_operator_allows_it(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, SECRET)
    with ModelServer() as server:
        reviewer = config(server.url, key_env=variable, retries=0)
        error = asked(reviewer)
        assert isinstance(error, KeyRefused)
        line = f'{variable} = "{server.url.removesuffix("/v1")}"'
        assert f"write the line {line} into {settings.keys_file()}" in str(error)
        assert not server.received
        settings.keys_file().parent.mkdir(parents=True)
        settings.keys_file().write_text(f"{line}\n", "utf-8")
        assert isinstance(asked(reviewer), Reply)
    assert server.questions[0].headers["authorization"] == f"Bearer {SECRET}"


@pytest.mark.parametrize(
    ("allowed", "address", "sent"),
    [
        ("https://gpu1.lab.example", "https://gpu1.lab.example/v1", True),
        ("https://gpu1.lab.example", "https://GPU1.lab.example:443/v1", True),
        ("https://gpu1.lab.example/v1", "https://gpu1.lab.example/v2", True),
        ("http://[::1]:8000", "http://[::1]:8000/v1", True),
        ("https://gpu1.lab.example", "https://gpu1.lab.example:0/v1", False),
        ("https://gpu1.lab.example", "http://gpu1.lab.example/v1", False),
        ("https://gpu1.lab.example", "https://gpu1.lab.example:8443/v1", False),
        ("https://gpu1.lab.example", "https://gpu1.lab.example.evil.example/v1", False),
        ("https://gpu1.lab.example", "https://gpu1.lab.example./v1", False),
        ("https://gpu1.lab.example", "https://gpu1.lab.example\\.evil.example/v1", False),
        ("https://gpu1.lab.example", "https://evil.example/https://gpu1.lab.example", False),
    ],
)
def test_an_allowed_address_is_scheme_host_and_port_exactly(
    allowed: str, address: str, sent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_KEY", SECRET)
    allow_key("LAB_KEY", allowed)
    assert settings.api_key("LAB_KEY", address) == (SECRET if sent else None)


def test_the_providers_own_keys_go_to_them_alone_and_need_no_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, SECRET)
    openai, anthropic = "https://api.openai.com/v1", "https://api.anthropic.com/v1"
    settings.keys_file().parent.mkdir(parents=True)
    settings.keys_file().write_text("= broken", "utf-8")
    assert settings.api_key("OPENAI_API_KEY", openai) == SECRET
    assert settings.api_key("ANTHROPIC_API_KEY", anthropic) == SECRET
    assert settings.api_key("OPENAI_API_KEY", anthropic) is None
    assert settings.api_key("ANTHROPIC_API_KEY", openai) is None
    assert settings.api_key("OPENAI_API_KEY", "https://api.openai.com:8443/v1") is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("= broken", "not valid TOML: "),
        ("LAB_KEY = 3", 'write each line as VARIABLE = "https://host:port"'),
        ('LAB_KEY = "gpu1"', 'write each line as VARIABLE = "https://host:port"'),
        ('LAB_KEY = "https://u:p@gpu1"', 'write each line as VARIABLE = "https://host:port"'),
    ],
)
def test_a_broken_list_of_keys_is_one_line_and_allows_nothing(
    text: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_KEY", SECRET)
    settings.keys_file().parent.mkdir(parents=True)
    settings.keys_file().write_text(text, "utf-8")
    error = asked(config("http://127.0.0.1:9/v1", key_env="LAB_KEY", retries=0))
    assert isinstance(error, KeyRefused)
    assert str(error).startswith(f"{settings.keys_file()}: {problem}")


def test_a_redirect_leads_no_key_to_another_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_KEY", SECRET)
    with ModelServer() as other:
        leads_on = Raw(307, "", {"Location": f"{other.url}/chat/completions"})
        with ModelServer([leads_on]) as server:
            allow_key("LAB_KEY", server.url)
            error = asked(config(server.url, key_env="LAB_KEY", api="chat", retries=0))
    assert isinstance(error, BackendError)
    assert [each.headers["authorization"] for each in server.received] == [f"Bearer {SECRET}"]
    assert not other.received


def test_what_the_sdk_reads_from_the_environment_by_itself_is_sent_nowhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID", "WEBHOOK_SECRET"):
        monkeypatch.setenv(f"OPENAI_{name}", SECRET)
    with ModelServer() as server:
        assert isinstance(asked(config(server.url)), Reply)
    assert SECRET not in str([(each.headers, each.data) for each in server.received])


def test_a_server_on_this_machine_without_a_key_needs_no_file() -> None:
    with ModelServer() as server:
        assert isinstance(asked(config(server.url)), Reply)
