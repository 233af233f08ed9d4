"""The file of reviewers: invalid settings are reported in one line, and keys are never repeated."""

import time
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from reviewers.backends.configured import BudgetConfig, Configuration, ReviewerConfig, keep, load
from reviewers.backends.prices import Prices
from reviewers.errors import ReviewerError
from tests.reviewers.backends.reviewers_file import BY_HAND, write

KEY = "sk-proj-nobody-may-see-this"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "settings" / "reviewers.toml"


def problem(path: Path, text: str | bytes) -> str:
    """What is said of a file or of the first reviewer in it that cannot be asked, which is always
    one line that begins with its path.
    """
    try:
        said = load(write(path, text)).broken[0].problem
    except ReviewerError as error:
        said = str(error)
    assert said.startswith(f"{path}: ")
    assert said.isprintable()
    return said.removeprefix(f"{path}: ")


def test_without_a_file_there_is_nothing(path: Path) -> None:
    assert load(path) == Configuration()


def test_what_a_person_wrote_is_read(path: Path) -> None:
    o3 = ReviewerConfig(name="o3", model="o3-2025-04-16", prices=Prices(2, None, 8))
    local = ReviewerConfig(
        name="local",
        model="qwen3:32b",
        base_url="http://localhost:11434/v1",
        key_env="",
        timeout=1800,
        prices=Prices(0, None, 0),
    )
    assert load(write(path, BY_HAND)) == Configuration((o3, local), BudgetConfig(usd=5))


# Of each setting, values that make no sense.
BAD: dict[str, list[str]] = {
    "model": ['""', '"   "', '"a\\nb"', "3", f'"{"m" * 201}"'],
    "base_url": [
        '""',
        '"api.openai.com"',
        '"file:///etc/passwd"',
        '"http://"',
        '"http://h:99999"',
        '"http://h/v1?a=b"',
        '"http://h h/v1"',
        '"http://[::1"',
        '"http://h\\u0000"',
        "3",
        f'"http://h/{"a" * 500}"',
    ],
    "key_env": ['"my key"', '"1A"', "3", "true",
    f'"{"A" * 101}"', f'"{"A_" * 50}B"', '"secretpassword"'],
    "api": ['"rest"', "[]", "{}", "1"],
    "form": ['"poem"', '["findings"]'],
    "window": ["999", "1e6", '"big"', "true", "10000000000", "24999"],
    "max_output_tokens": ["15", "-1", "1.5", "[1]"],
    "temperature": ["2.1", "-0.1", "nan", "inf", '"hot"', "false", "9" * 400],
    "seed": ["1.0", "9223372036854775808", '"x"'],
    "effort": ['""', '"Very High"', "1", '"\\u0000"'],
    "stream": ['"yes"', "1"],
    "split": ["0", "[]"],
    "prices": ["3", "[1]", "{ input = -1 }", "{ input = nan }", "{ inputs = 1 }",
    '{ output = "1" }', "{ input = 1e12 }"],
    "batch_share": ["-0.1", "1.1", "2", "nan", '"half"'],
    "timeout": ["0", "-1", "86401", "nan", "inf", "2020-01-01", "9" * 400],
    "concurrency": ["0", "1001", "true", "1.0"],
    "retries": ["-1", "21"],
    "requests_per_minute": ["0", "1000001", "0.5"],
    "tokens_per_minute": ["0", "1e9", "[]"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("setting", "value"),
    [(name, value) for name, values in BAD.items() for value in values],
    ids=lambda v: v[:30],
)
def test_a_value_that_makes_no_sense_is_told_with_reviewer_and_setting(
    path: Path, setting: str, value: str
) -> None:
    model = "" if setting == "model" else 'model = "m"\n'
    said = problem(
        path,
        '[[reviewer]]\nname = "good"\nmodel = "m"\n[[reviewer]]\nname = "bad'
        f' one"\n{model}{setting} = {value}\n',
    )
    assert said.startswith("reviewer 'bad one': ")
    assert setting in said


def test_one_bad_entry_disables_itself_only(path: Path) -> None:
    entry = '[[reviewer]]\nname = "{}"\nmodel = "m"\n{}\n'
    bad = [entry.format("bad", "retries = -1"), entry.format("twice", ""), "[[reviewer]]\n"]
    write(path, "".join([entry.format("good", ""), *bad, bad[1], entry.format("fine", "seed = 1")]))
    known = load(path)
    assert [reviewer.name for reviewer in known.reviewers] == ["good", "fine"]
    assert [entry.name for entry in known.broken] == ["bad", "twice", ""]
    assert known.find("good").model == "m"
    with pytest.raises(ReviewerError, match=r"reviewer 'bad': retries is a number"):
        known.find("bad")
    with pytest.raises(ReviewerError, match="two reviewers are called 'twice'"):
        known.find("twice")
    keep(path, ReviewerConfig(name="new", model="m"))
    assert [reviewer.name for reviewer in load(path).reviewers] == ["good", "fine", "new"]
    with pytest.raises(ReviewerError, match="a reviewer named 'bad' already"):
        keep(path, ReviewerConfig(name="bad", model="m"), instead_of="new")


def test_every_setting_is_tried_with_values_that_make_no_sense() -> None:
    assert {"name", *BAD} == {field.name for field in fields(ReviewerConfig)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[reviewer]]\nmodel = 'm'", "a reviewer: give it a name"),
        ("[[reviewer]]\nname = 3\nmodel = 'm'", "a reviewer: give it a name"),
        ("[[reviewer]]\nname = 'a'", "reviewer 'a': give it a model"),
        ("[[reviewer]]\nname = ''\nmodel = 'm'", "reviewer '': a name has 1 to 60"),
        ("[[reviewer]]\nname = 'a '\nmodel = 'm'", "reviewer 'a ': a name has 1 to 60"),
        ("[[reviewer]]\nname = ' a'\nmodel = 'm'", "reviewer ' a': a name has 1 to 60"),
        ("[[reviewer]]\nname = 'a,b'\nmodel = 'm'", "reviewer 'a,b': a name has 1 to 60"),
        ('[[reviewer]]\nname = "a\\u001b[31m\\n"\nmodel = "m"', r"reviewer 'a\x1b[31m\n': a name has 1 to 60"),  # noqa: E501
        (f"[[reviewer]]\nname = '{'a' * 200_000}'\nmodel = 'm'", f"reviewer '{'a' * 60}': a name has 1 to 60"),  # noqa: E501
        ("[[reviewer]]\nname = 'rules'\nmodel = 'm'", "reviewer 'rules': the name is taken"),
        ("[[reviewer]]\nname = 'sarif:x'\nmodel = 'm'", "reviewer 'sarif:x': the name is taken"),
        ("[[reviewer]]\nname = 'a'\nmodel = 'm'\n" * 2, "two reviewers are called 'a'"),
        ("[[reviewer]]\nname = 'a'\nmodel = 'm'\ntemperatur = 1", "reviewer 'a': there is no setting 'temperatur'"),  # noqa: E501
        ("[[reviewers]]\nname = 'a'", "'reviewers' is not a known section"),
        ("[reviewer]\nname = 'a'", "write each reviewer under a heading [[reviewer]]"),
        ("reviewer = 3", "write each reviewer under a heading [[reviewer]]"),
        ("reviewer = [1, 2]", "write each reviewer under a heading [[reviewer]]"),
        ("[[reviewer.x]]", "write each reviewer under a heading [[reviewer]]"),
        ("".join(f"[[reviewer]]\nname = 'a{n}'\nmodel = 'm'\n" for n in range(201)), "write each reviewer under"),  # noqa: E501
        ("budget = 3", "a budget has `usd` and `tokens`"),
        ("[[budget]]\nusd = 3", "a budget has `usd` and `tokens`"),
        ("[budget]\nusd = -1", "a budget has `usd` and `tokens`"),
        ("[budget]\nusd = inf", "a budget has `usd` and `tokens`"),
        ("[budget]\nusd = nan", "a budget has `usd` and `tokens`"),
        ("[budget]\ntokens = true", "a budget has `usd` and `tokens`"),
        ("[budget]\neuro = 3", "a budget has `usd` and `tokens`"),
        (f"[budget]\ntokens = {'9' * 400}", "a budget has `usd` and `tokens`"),
        ("[[reviewer]", "not valid TOML"),
        ("name = 'a' # \0", "not valid TOML"),
        ("\0", "not valid TOML"),
        ('"a\\nb" = 1\n"a\\nb" = 1', "not valid TOML"),
        (b"\xff\xfen\x00", "not valid TOML"),
        (f"seed = {'9' * 5000}", "not valid TOML"),
        ("a = " + "[" * 100_000, "not valid TOML"),
        ("a = " + "{a = " * 20_000, "not valid TOML"),
        ("a" + ".a" * 100_000 + " = 1", "not valid TOML"),
        (f"[a{'.a' * 100_000}]", "not valid TOML"),
        (f"'{'a' * 200_000}' = 1", f"'{'a' * 60}' is not a known section"),
        ("#" * 300_000, "larger than 250,000 bytes"),
    ],
    ids=lambda case: repr(case[:30]),
)  # fmt: skip
def test_a_file_that_makes_no_sense_is_told_in_one_short_line(
    path: Path, text: str | bytes, said: str
) -> None:
    told = problem(path, text)
    assert told.startswith(said)
    assert len(told) < 400


def test_a_hostile_file_takes_no_time_to_speak_of(path: Path) -> None:
    write(path, "".join(f"[reviewer.a{number}]\n" for number in range(12_000)))
    started = time.process_time()
    with pytest.raises(ReviewerError):
        load(path)
    assert time.process_time() - started < 10


# In the form of names, and none of them is one.
KEYS = [
    "hf_AbCdEfGhIjKlMnOpNobody",
    "gsk_0123456789abcdefnobody",
    "AKIAIOSFODNN7NOBODY",
    "AKIANOBODYNOBODYNOBO",
    "sknobody0123456789",
]


@pytest.mark.parametrize(
    "setting",
    [
        *(f'key_env = "{key}"' for key in KEYS),
        f'key_env = "{KEY}"',
        f"key_env = {KEY}",
        f'key_env = "{KEY}',
        f'base_url = "https://user:{KEY}@api.example/v1"',
        f'base_url = "https://{KEY}@api.example/v1"',
        f'base_url = "https://api.example/v1?key={KEY}"',
        f'base_url = "https://api.example/v1#{KEY}"',
        f'base_url = "{KEY}"',
    ],
)
def test_a_key_in_the_wrong_place_is_refused_and_never_repeated(path: Path, setting: str) -> None:
    said = problem(path, f'[[reviewer]]\nname = "a"\nmodel = "m"\n{setting}\n')
    assert "nobody" not in said.lower()
    if setting.startswith('key_env = "') and setting.endswith('"'):
        assert said.endswith("never the key")


@pytest.mark.parametrize(
    "values",
    [{"key_env": KEY}, {"base_url": f"http://u:{KEY}@h/v1"}, {"base_url": f"http://h/?{KEY}"}],
    ids=str,
)
def test_a_key_typed_into_a_form_is_refused_and_never_repeated(values: dict[str, Any]) -> None:
    with pytest.raises(ReviewerError, match="reviewer 'a': ") as caught:
        ReviewerConfig(name="a", model="m", **values)
    assert "nobody" not in str(caught.value)


@pytest.mark.parametrize(
    "name",
    ["OPENAI_API_KEY", "KEY", "K", "_LAB_KEY", "GPU1_KEY_2", "KEY2", "hf_token", "my_api_key_2"],
)
def test_names_of_variables_are_taken(path: Path, name: str) -> None:
    (config,) = load(
        write(path, f'[[reviewer]]\nname = "a"\nmodel = "m"\nkey_env = "{name}"\n')
    ).reviewers
    assert (config.key_env, config.key_variable) == (name, name)


@pytest.mark.parametrize(
    ("base_url", "variable"),
    [
        ("https://api.openai.com/v1", "OPENAI_API_KEY"),
        ("https://API.OpenAI.com:443/v1/", "OPENAI_API_KEY"),
        ("http://api.openai.com/v1", None),
        ("https://api.openai.com.example/v1", None),
        ("https://example.com/api.openai.com/v1", None),
        ("http://localhost:11434/v1", None),
    ],
)
def test_the_key_of_openai_goes_nowhere_else_unless_it_is_said(
    base_url: str, variable: str | None
) -> None:
    one = ReviewerConfig(name="a", model="m", base_url=base_url)
    assert one.key_variable == variable
    assert replace(one, key_env="OPENAI_API_KEY").key_variable == "OPENAI_API_KEY"
    assert replace(one, key_env="").key_variable is None


@pytest.mark.parametrize("limit", [float("inf"), float("nan"), -1, 1e300, True, "5"], ids=str)
@pytest.mark.parametrize("kind", ["usd", "tokens"])
def test_a_budget_that_is_no_amount_is_refused_in_one_line(kind: str, limit: Any) -> None:
    with pytest.raises(
        ReviewerError, match=r"^a budget has `usd` and `tokens`, both numbers"
    ) as caught:
        BudgetConfig(**{kind: limit})
    assert str(caught.value).isprintable()


def test_a_model_of_the_provider_needs_no_configuration_and_one_configured_so_is_taken() -> None:
    assert Configuration().find("openai:o9") == ReviewerConfig(name="openai:o9", model="o9")
    own = ReviewerConfig(name="openai:o9", model="o9", seed=3)
    assert Configuration((own,)).find("openai:o9") is own
    named = ReviewerConfig(name="qwen on the lab's server", model="m")
    assert Configuration((named,)).find("qwen on the lab's server") is named


@pytest.mark.parametrize("name", ["nobody", "openai:", "rules", ""])
def test_a_name_that_nobody_has_is_told_with_those_that_there_are(name: str) -> None:
    configuration = Configuration((ReviewerConfig(name="mine", model="m"),))
    with pytest.raises(ReviewerError, match=r"choose from recorded, rules, mine, openai:MODEL"):
        configuration.find(name)
