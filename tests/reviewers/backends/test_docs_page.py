"""Guards the page on LLM reviewers: its example loads, and its table tells every setting with its
default.
"""

import re
from dataclasses import MISSING, fields
from pathlib import Path

import pytest

from reviewers.backends.configured import ReviewerConfig, load
from reviewers.backends.factory import provider_module
from reviewers.backends.prices import Prices
from reviewers.providers import PROVIDERS, Provider
from tests.reviewers.backends.reviewers_file import write

PAGE = (Path(__file__).parents[3] / "docs" / "llm-reviewers.md").read_text("utf-8")
NOTHING = ("unknown", "none", "the server's", "by server")
DEFAULTS = {
    each.name: each.default if each.default_factory is MISSING else each.default_factory()
    for each in fields(ReviewerConfig)
}


def told() -> dict[str, str]:
    """Each setting of the table with the default that it gives; one default may stand for several
    settings.
    """
    found = {}
    for names, default in re.findall(r"^\| (`[^|]+`) \| ([^|]*?) ?\|", PAGE, re.MULTILINE):
        settings, defaults = (
            names.replace("`", "").split(", "),
            default.replace("`", "").split(", "),
        )
        assert len(defaults) in (1, len(settings)), names
        found |= dict(
            zip(settings, defaults * len(settings) if len(defaults) == 1 else defaults, strict=True)
        )
    return found


def test_the_example_loads_and_its_budget_can_be_kept(tmp_path: Path) -> None:
    (example,) = re.findall(r"```toml\n(\[\[reviewer\]\].*?)```", PAGE, re.DOTALL)
    known = load(write(tmp_path / "reviewers.toml", example))
    assert known.budget.usd is not None
    assert [(each.key_variable, each.prices.known) for each in known.reviewers] == [
        ("OPENAI_API_KEY", True),
        (None, True),
        ("ANTHROPIC_API_KEY", True),
    ]


def test_the_table_has_every_setting() -> None:
    assert set(told()) == set(DEFAULTS)


@pytest.mark.parametrize("setting", DEFAULTS)
def test_the_table_tells_the_default(setting: str) -> None:
    default, words = DEFAULTS[setting], told()[setting]
    if default is MISSING:
        assert words == ""
    elif default is None or default == Prices():
        assert words in NOTHING
    elif isinstance(default, int | float) and not isinstance(default, bool):
        assert float(words.removesuffix(" s").replace(",", "")) == default
    else:
        assert words == str(default).removesuffix("True").replace("False", "false")


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda each: each.name)
def test_a_provider_is_known_by_its_entry_alone(provider: Provider, tmp_path: Path) -> None:
    for api in provider.apis:
        assert ReviewerConfig(name="mine", model="m", api=api).provider is provider
    unconfigured = load(tmp_path / "none.toml").find(f"{provider.name}:m")
    assert (unconfigured.provider, unconfigured.key_variable) == (provider, provider.key_variable)
    module = provider_module(unconfigured)
    assert callable(module.open_server)
    assert callable(module.load_sdk)
    assert {provider.url, *provider.apis, provider.key_variable} <= set(re.findall(r"[^`]+", PAGE))
