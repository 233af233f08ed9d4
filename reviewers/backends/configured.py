"""The configuration of reviewers: one TOML file, edited by hand or by the dashboard, which
preserves comments.

The file holds names of environment variables, never keys.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT

from reviewers.atomic_file import replace_file
from reviewers.backends.prices import Prices
from reviewers.errors import ReviewerError
from reviewers.providers import APIS, OPENAI, PROVIDERS, Provider, at_home, provider_of
from reviewers.toml_text import TomlProblem, read_toml

OWN_NAMES = frozenset({"rules", "recorded"})
_NAME = re.compile(r"\w[\w .:/@+'-]{0,59}")
# A key may have the form of a name, too (hf_…, gsk_…, AKIA…), so only names as people write them
# are taken for one.
_VARIABLE = re.compile(
    r"_*[A-Z][A-Z0-9]*(?:_+[A-Z0-9]+)+_*|(?!AKIA|ASIA)[A-Z]{1,30}[0-9]{0,2}|_*[a-z]{1,15}(?:_+(?:[a-z]{1,15}[0-9]{0,2}|[0-9]{1,2}))+"
)
_LONGEST_VARIABLE = 100
_MOST_REVIEWERS = 200
_LARGEST_FILE = 250_000
_SHOWN = 60

Form = Literal["findings", "recorded"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerConfig:
    """One LLM reviewer.

    Attributes:
        name: what it is called on screen and in the store.
        model: what the server calls the model.
        base_url: of the server's API, without `/responses`, `/chat/completions` or `/v1/messages`.
        key_env: name of the environment variable that holds the key; empty if none is to be
            sent, None for what is usual at the server (see `key_variable`).
        api: which API to speak, of `APIS`; `auto` finds out once and remembers.
        form: `findings` asks for findings with places and quotes, `recorded` for `is_code_ready`
            and `code_issue`.
        window: tokens that go into the model at once, its answer included; None if unknown.
        max_output_tokens: of one answer, reasoning included.
        temperature, seed, effort: left to the server where None.
        stream: whether the answer is read as it is written; then `timeout` counts from its last
            sign of life.
        split: whether a submission that is too long is asked file by file.
        batch_share: of the prices, what the provider's Batch API asks; half is what OpenAI asks.
        timeout: seconds for one attempt.
        concurrency: requests at a time.
        retries: further attempts after the first.
        requests_per_minute, tokens_per_minute: None for no limit.
    """

    name: str
    model: str
    base_url: str = OPENAI.url
    key_env: str | None = None
    api: str = "auto"
    form: Form = "findings"
    window: int | None = None
    max_output_tokens: int = 25_000
    temperature: float | None = None
    seed: int | None = None
    effort: str | None = None
    stream: bool = False
    split: bool = False
    prices: Prices = field(default_factory=Prices)
    batch_share: float = 0.5
    timeout: float = 600.0
    concurrency: int = 8
    retries: int = 4
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None

    def __post_init__(self) -> None:
        """Raise ReviewerError with one line where a value is invalid."""
        if problem := _problem(self):
            raise ReviewerError(f"{_who(self.name)}: {problem}")

    @property
    def key_variable(self) -> str | None:
        """Environment variable whose key is sent; None if none is. Unasked, a provider's key
        goes to its own server and nowhere else.
        """
        if self.key_env is not None:
            return self.key_env or None
        home = at_home(self.base_url)
        return home.key_variable if home else None

    @property
    def provider(self) -> Provider:
        """Whose API its server speaks."""
        return provider_of(self.base_url, self.api)


@dataclass(frozen=True, slots=True)
class BudgetConfig:
    """What one command or one click may cost; None for no limit."""

    usd: float | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        """Raise ReviewerError with one line where a limit is not one: infinite, no number, below
        0.
        """
        if not all(limit is None or _is_amount(limit) for limit in (self.usd, self.tokens)):
            raise ReviewerError(_NO_BUDGET)


@dataclass(frozen=True, slots=True)
class BrokenEntry:
    """A reviewer of the file that cannot be asked.

    Attributes:
        name: as it is there; empty if it has none.
        problem: what is wrong, in one line that begins with the file's path.
    """

    name: str
    problem: str


@dataclass(frozen=True, slots=True)
class Configuration:
    """The whole file.

    Attributes:
        broken: invalid entries; the others can be asked.
    """

    reviewers: tuple[ReviewerConfig, ...] = ()
    budget: BudgetConfig = BudgetConfig()
    broken: tuple[BrokenEntry, ...] = ()

    def find(self, name: str, *, made_up: bool = True) -> ReviewerConfig:
        """Return the reviewer of this name, or one made up for `openai:MODEL` and the like where
        none is configured so.

        Args:
            made_up: whether one may be: it costs whatever the model does.

        Raises:
            ReviewerError: there is none, or its entry is invalid.
        """
        for entry in self.broken:
            if entry.name == name:
                raise ReviewerError(entry.problem)
        for reviewer in self.reviewers:
            if reviewer.name == name:
                return reviewer
        provider, _, model = name.partition(":")
        for each in PROVIDERS if made_up and model else ():
            if each.name == provider:
                return ReviewerConfig(name=name, model=model, base_url=each.url)
        if not made_up:
            raise ReviewerError(f"no reviewer {name[:_SHOWN]!r} is configured on the server")
        raise ReviewerError(f"there is no reviewer {name!r}; choose from {self.known_names}")

    @property
    def known_names(self) -> str:
        """Every name that a reviewer can be asked by, for a person to choose from."""
        return ", ".join(
            [
                *sorted(OWN_NAMES),
                *(reviewer.name for reviewer in self.reviewers),
                *(f"{each.name}:MODEL" for each in PROVIDERS),
            ]
        )


def load(path: Path) -> Configuration:
    """Read the configuration; one without anything if there is no such file.

    Raises:
        ReviewerError: it cannot be read, or something beside its reviewers is invalid.
    """
    document = _document(path)
    unknown = sorted(set(document) - {"reviewer", "budget"})
    if unknown:
        raise ReviewerError(
            f"{path}: {unknown[0][:_SHOWN]!r} is not a known section; use [[reviewer]] and [budget]"
        )
    tables = document.get("reviewer", [])
    if (
        not isinstance(tables, list)
        or not all(isinstance(table, dict) for table in tables)
        or len(tables) > _MOST_REVIEWERS
    ):
        raise ReviewerError(
            f"{path}: write each reviewer under a heading [[reviewer]] of its own, at most"
            f" {_MOST_REVIEWERS}"
        )
    try:
        budget = _budget(document.get("budget", {}))
    except ReviewerError as error:
        raise ReviewerError(f"{path}: {error}") from None
    names = Counter(str(table.get("name", "")) for table in tables)
    reviewers: list[ReviewerConfig] = []
    broken: dict[str, BrokenEntry] = {}
    for place, table in enumerate(tables):
        name = str(table.get("name", ""))
        try:
            reviewer = _reviewer(table)
            if names[name] > 1:
                raise ReviewerError(
                    f"two reviewers are called {name!r}; give each a name of its own"
                )
            reviewers.append(reviewer)
        except ReviewerError as error:
            broken.setdefault(name or str(place), BrokenEntry(name, f"{path}: {error}"))
    return Configuration(tuple(reviewers), budget, tuple(broken.values()))


def keep(path: Path, reviewer: ReviewerConfig, *, instead_of: str | None = None) -> None:
    """Write a reviewer into the file, in the place of the one called `instead_of` (or by its own
    name), else at the end.

    Raises:
        ReviewerError: the file cannot be read or written, or another reviewer has the name.
    """
    known = load(path)
    former = instead_of or reviewer.name
    taken = {other.name for other in known.reviewers} | {entry.name for entry in known.broken}
    if reviewer.name != former and reviewer.name in taken:
        raise ReviewerError(f"a reviewer named {reviewer.name!r} already exists")
    document = _document(path)
    tables = _tables(document)
    place = next((place for place, table in enumerate(tables) if table.get("name") == former), None)
    if place is None:
        table = tomlkit.table()
        table.trivia.indent = "\n" if document.body else ""
        _fill(table, reviewer)
        tables.append(table)
    else:
        _fill(tables[place], reviewer)
    _write(path, document)


def remove(path: Path, name: str) -> None:
    """Take a reviewer out of the file; nothing happens if it has none of this name.

    Raises:
        ReviewerError: the file cannot be read or written.
    """
    load(path)
    document = _document(path)
    tables = _tables(document)
    for place, table in enumerate(tables):
        if table.get("name") == name:
            del tables[place]
            if not tables:
                del document[
                    "reviewer"
                ]  # an empty one is written as an array, to which nothing can be added
            _write(path, document)
            return


def _tables(document: tomlkit.TOMLDocument) -> Any:
    """The reviewers, each under a heading; written as one array (`reviewer = [{ … }]`) they get
    headings.
    """
    tables = document.get("reviewer")
    if not isinstance(tables, AoT):
        document["reviewer"] = tomlkit.aot()
        for values in tables or []:
            table = tomlkit.table()
            table.update(values)
            document["reviewer"].append(table)
    return document["reviewer"]


def _document(path: Path) -> tomlkit.TOMLDocument:
    try:
        document: tomlkit.TOMLDocument = read_toml(path, _LARGEST_FILE, _parsed)
    except FileNotFoundError:
        return tomlkit.document()
    except OSError as error:
        raise ReviewerError(f"{path}: cannot be read ({error.strerror or error})") from None
    except TomlProblem as problem:
        raise ReviewerError(f"{path}: {problem}") from None
    return document


def _parsed(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:  # some of which are no ValueError
        raise ValueError(str(error)) from None


def _write(path: Path, document: tomlkit.TOMLDocument) -> None:
    """Replace the file; a link stays one."""
    place, text = path.resolve(), tomlkit.dumps(document)
    try:
        tomllib.loads(text)
    except ValueError:
        raise ReviewerError(f"{path}: cannot be edited in this form; rewrite it by hand") from None
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        replace_file(place, text)
    except OSError as error:
        raise ReviewerError(f"{path}: cannot be written ({error.strerror or error})") from None


_PRICES = tuple(price.name for price in fields(Prices))


def _fill(table: Any, reviewer: ReviewerConfig) -> None:
    """Set what the table says otherwise, and what differs from the default; the rest of it,
    comments included, stays.
    """
    for each in fields(ReviewerConfig):
        if each.name != "prices":
            _set(table, each.name, getattr(reviewer, each.name), each.default)
    if reviewer.prices == Prices():
        table.pop("prices", None)
        return
    if "prices" not in table:
        table["prices"] = tomlkit.inline_table()
    for name in _PRICES:
        _set(table["prices"], name, getattr(reviewer.prices, name), None)


def _set(table: Any, name: str, value: object, default: object) -> None:
    if value is None:
        table.pop(name, None)
    elif value != table.get(name, default):
        table[name] = value


def _reviewer(table: Mapping[str, Any]) -> ReviewerConfig:
    values = {
        key: getattr(value, "unwrap", lambda value=value: value)() for key, value in table.items()
    }
    named = values.get("name")
    who = _who(named)
    for key in ("name", "model"):
        if not isinstance(values.get(key), str):
            raise ReviewerError(f"{who}: give it a {key}")
    if unknown := sorted(set(values) - {each.name for each in fields(ReviewerConfig)}):
        raise ReviewerError(f"{who}: there is no setting {unknown[0][:_SHOWN]!r}")
    if "prices" in values:
        values["prices"] = _prices(values["prices"], who)
    return ReviewerConfig(**values)


def _who(name: object) -> str:
    return f"reviewer {name[:_SHOWN]!r}" if isinstance(name, str) else "a reviewer"


def _prices(value: object, who: str) -> Prices:
    if (
        not isinstance(value, dict)
        or set(value) - set(_PRICES)
        or not all(map(_is_amount, value.values()))
    ):
        raise ReviewerError(
            f"{who}: prices are US dollars for a million tokens: {{ input = 2.0, cached = 0.5,"
            " output = 8.0 }"
        )
    return Prices(**{name: float(price) for name, price in value.items()})


_NO_BUDGET = "a budget has `usd` and `tokens`, both numbers of at least 0 and less than a trillion"


def _budget(value: object) -> BudgetConfig:
    if (
        not isinstance(value, dict)
        or set(value) - {"usd", "tokens"}
        or not all(map(_is_amount, value.values()))
    ):
        raise ReviewerError(_NO_BUDGET)
    tokens = value.get("tokens")
    return BudgetConfig(
        None if "usd" not in value else float(value["usd"]), None if tokens is None else int(tokens)
    )


def _is_amount(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12


def key_env_problem(value: object) -> str | None:
    """Say why this cannot be a reviewer's `key_env`; it may be the key itself, and is not repeated.
    None if it can.
    """
    if value in (None, "") or (
        isinstance(value, str) and len(value) <= _LONGEST_VARIABLE and _VARIABLE.fullmatch(value)
    ):
        return None
    return (
        "key_env is the name of the environment variable that holds the key, in capitals as"
        " OPENAI_API_KEY, never the key"
    )


_LIMITS: Mapping[str, tuple[type[int] | type[float], float, float]] = {
    "window": (int, 1_000, 100_000_000),
    "max_output_tokens": (int, 16, 10_000_000),
    "temperature": (float, 0, 2),
    "batch_share": (float, 0, 1),
    "seed": (int, -(2**63), 2**63 - 1),
    "timeout": (float, 0.05, 86_400),
    "concurrency": (int, 1, 1_000),
    "retries": (int, 0, 20),
    "requests_per_minute": (int, 1, 1_000_000),
    "tokens_per_minute": (int, 1, 1_000_000_000),
}
_OPTIONAL = frozenset({"window", "temperature", "seed", "requests_per_minute", "tokens_per_minute"})


def _problem(config: ReviewerConfig) -> str | None:
    """Say in a few words what is invalid; None if nothing is."""
    if (
        not isinstance(config.name, str)
        or not _NAME.fullmatch(config.name)
        or config.name.endswith(" ")
    ):
        return "a name has 1 to 60 letters, digits, spaces between them and . : / @ + - '"
    if config.name in OWN_NAMES or config.name.startswith("sarif:"):
        return (
            f"the name is taken; areachair has reviewers called {', '.join(sorted(OWN_NAMES))} and"
            " sarif:… of its own"
        )
    if (
        not isinstance(config.model, str)
        or not config.model.strip()
        or not config.model.isprintable()
        or len(config.model) > 200
    ):
        return "say what the server calls the model"
    if (
        problem := _url_problem(config.base_url)
        or _choice_problem(config)
        or key_env_problem(config.key_env)
    ):
        return problem
    for name, (kind, least, most) in _LIMITS.items():
        value = getattr(config, name)
        if value is None and name in _OPTIONAL:
            continue
        if (
            not isinstance(value, kind | int)
            or isinstance(value, bool)
            or not least <= value <= most
        ):
            return f"{name} is a number from {least:,} to {most:,}"
    if config.window is not None and config.max_output_tokens >= config.window:
        return (
            f"max_output_tokens ({config.max_output_tokens:,}) leaves nothing of the window"
            f" ({config.window:,}) for the question"
        )
    return None


def _choice_problem(config: ReviewerConfig) -> str | None:
    for name, known in (("api", APIS), ("form", get_args(Form))):
        if getattr(config, name) not in known:
            return f"{name} is one of {', '.join(known)}"
    for name in ("stream", "split"):
        if not isinstance(getattr(config, name), bool):
            return f"{name} is true or false"
    if config.effort is not None and not (
        isinstance(config.effort, str) and re.fullmatch("[a-z]{1,20}", config.effort)
    ):
        return "effort is a word such as low, medium or high"
    return None


def _url_problem(url: object) -> str | None:
    wanted = "base_url is an address such as https://api.openai.com/v1 or http://localhost:11434/v1"
    if not isinstance(url, str) or not url.isprintable() or " " in url or len(url) > 500:
        return wanted
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return wanted
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        return wanted
    if parts.username or parts.password:
        return "base_url must not contain a user or password; keys belong in environment variables"
    return None
