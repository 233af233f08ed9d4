"""The only module that reads the environment: where data is stored, and who is using areachair."""

import getpass
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlsplit

from platformdirs import user_cache_path, user_config_path, user_data_path

from reviewers.errors import AreachairError
from reviewers.origins import origin
from reviewers.providers import PROVIDERS
from reviewers.roles import GroupRoles, Role
from reviewers.toml_text import read_toml

_SHORTEST_SECRET = 32
_MOST_HOURS = 720  # the lifetime of Streamlit's own cookie
_REVIEW_SECONDS = 10.0
_OWN_VARIABLES = "AREACHAIR_"
_LARGEST_KEYS_FILE = 250_000


def store_url() -> str:
    """`AREACHAIR_STORE` if set (any SQLAlchemy URL), else a SQLite file in the user's data
    directory.
    """
    return os.environ.get("AREACHAIR_STORE") or sqlite_url(
        user_data_path("areachair") / "areachair.sqlite3"
    )


def sqlite_url(path: Path) -> str:
    """The SQLAlchemy URL of a SQLite file."""
    # Percent signs and question marks in a folder's name would be read as parts of the URL.
    return f"sqlite:///{quote(str(path))}"


def author() -> str:
    """The author on the command line: `AREACHAIR_AUTHOR` if set, else the login name."""
    if named := os.environ.get("AREACHAIR_AUTHOR"):
        return named
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def child_environment(**more: str) -> dict[str, str]:
    """The environment of a child process: this one's, and what it lacks."""
    return {**more, **os.environ}


def review_seconds() -> float:
    """The processor time that the rules may take on one submission: `AREACHAIR_REVIEW_SECONDS` if
    that is a number above 0, else 10.

    Steps bound the work much earlier; this limit covers what they do not count.
    """
    try:
        seconds = float(os.environ.get("AREACHAIR_REVIEW_SECONDS") or _REVIEW_SECONDS)
    except ValueError:
        return _REVIEW_SECONDS
    return seconds if 0 < seconds < float("inf") else _REVIEW_SECONDS


def author_given() -> bool:
    """Whether `AREACHAIR_AUTHOR` is set."""
    return bool(os.environ.get("AREACHAIR_AUTHOR"))


def sample_bundles() -> Path:
    """The folder of sample bundles, beside the packages both in a checkout and in an installed
    wheel.
    """
    return Path(__file__).resolve().parent.parent / "sample_bundles"


def sample_history() -> Path:
    """The packed history that fills an empty store (`python -m docs.history` makes it)."""
    return sample_bundles() / "history.jsonl.xz"


def reviewers_file() -> Path:
    """The file that configures LLM reviewers: `AREACHAIR_REVIEWERS` if set, else `reviewers.toml`
    in the user's settings folder.
    """
    named = os.environ.get("AREACHAIR_REVIEWERS")
    return Path(named) if named else user_config_path("areachair") / "reviewers.toml"


def rubric_file() -> Path | None:
    """The user's own wording of the rubric: `AREACHAIR_RUBRIC`; None if it is not set."""
    named = os.environ.get("AREACHAIR_RUBRIC")
    return Path(named) if named else None


def replies_folder() -> Path:
    """The folder of cached model answers: `AREACHAIR_CACHE` if set, else in the user's cache."""
    named = os.environ.get("AREACHAIR_CACHE")
    return Path(named) if named else user_cache_path("areachair") / "replies"


def abilities_file() -> Path:
    """The file that remembers what models' servers support."""
    return replies_folder().parent / "abilities.json"


def keys_file() -> Path:
    """The file that allows further keys and servers: `AREACHAIR_KEYS` if set, else `keys.toml` in
    the user's settings folder. The operator writes it by hand; the dashboard never changes it.
    """
    named = os.environ.get("AREACHAIR_KEYS")
    return Path(named) if named else user_config_path("areachair") / "keys.toml"


def api_key(variable: str, address: str) -> str | None:
    """Return the key in an environment variable, to be sent to a server; None if it is not set,
    empty, or not allowed there (`key_problem` says why).

    A reviewer's configuration names both variable and server, so this function guards every key.
    """
    if key_problem(variable, address) is not None:
        return None
    return os.environ.get(variable, "").strip() or None


def anthropic_headers() -> tuple[str, ...]:
    """Return the names of the headers in `ANTHROPIC_CUSTOM_HEADERS`, which Anthropic's SDK sends
    with every request.
    """
    lines = os.environ.get("ANTHROPIC_CUSTOM_HEADERS", "").splitlines()
    return tuple(line.partition(":")[0].strip() for line in lines)


def key_problem(variable: str, address: str) -> str | None:
    """Say in one line why a variable's value is not sent to a server, and what the operator may do
    about it; None if it is allowed.
    """
    if variable.upper().startswith(_OWN_VARIABLES):
        return f"{variable} is areachair's own and is sent nowhere: name another variable"
    server = origin(address)
    if server is None:
        return f"{variable} is not sent to an address of this form: write it as https://host:port/…"
    if any((each.key_variable, origin(each.url)) == (variable, server) for each in PROVIDERS):
        return None
    path = keys_file()
    try:
        allowed = _allowed(path).get(variable, [])
    except ValueError as problem:
        return f"{path}: {problem}"
    if server in map(origin, allowed):
        return None
    return (
        f"{variable} may not be sent to {server}: to allow it, write the line"
        f' {variable} = "{server}" into {path} on the machine that asks'
    )


def _allowed(path: Path) -> dict[str, list[str]]:
    """The operator's file: the allowed addresses by variable."""
    try:
        written = read_toml(path, _LARGEST_KEYS_FILE)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ValueError(f"cannot be read ({error.strerror or error})") from None
    pairs = {name: value if isinstance(value, list) else [value] for name, value in written.items()}
    if not all(isinstance(one, str) and origin(one) for value in pairs.values() for one in value):
        raise ValueError('write each line as VARIABLE = "https://host:port", or a list of such')
    return pairs


@dataclass(frozen=True, slots=True)
class Login:
    """The OpenID Connect provider that signs people in.

    Attributes:
        metadata: address of the provider's discovery document, which ends in
            `/.well-known/openid-configuration`.
        cookie_secret: signs the browser's cookie; the same for all processes and after a restart.
        address: of the dashboard, as browsers see it, without a slash at its end.
        hours: after which people sign in again.
    """

    metadata: str
    client_id: str
    client_secret: str = field(repr=False)
    cookie_secret: str = field(repr=False)
    address: str
    hours: float = 8.0


def login() -> Login | None:
    """Return the settings of `AREACHAIR_LOGIN_…`; None if none is set, in which case everybody who
    reaches the dashboard is admitted.

    Raises:
        AreachairError: only some are set, or an address or the number of hours is invalid.
    """
    names = ("METADATA", "CLIENT_ID", "CLIENT_SECRET", "COOKIE_SECRET", "ADDRESS")
    values = {name: os.environ.get(f"AREACHAIR_LOGIN_{name}", "").strip() for name in names}
    if not any(values.values()):
        return None
    if absent := [name for name, value in values.items() if not value]:
        raise AreachairError(
            f"set AREACHAIR_LOGIN_{absent[0]} too: AREACHAIR_LOGIN_{', _'.join(names)} go together"
        )
    for name in ("METADATA", "ADDRESS"):
        if not _is_address(values[name]):
            raise AreachairError(
                f"AREACHAIR_LOGIN_{name} must be an address that begins with https://"
            )
    if len(values["COOKIE_SECRET"]) < _SHORTEST_SECRET:
        # Anyone who guesses it can sign cookies in anybody's name.
        raise AreachairError(
            f"AREACHAIR_LOGIN_COOKIE_SECRET must have at least {_SHORTEST_SECRET} characters:"
            " openssl rand -hex 32"
        )
    return Login(
        **{
            name.lower(): value.rstrip("/") if name == "ADDRESS" else value
            for name, value in values.items()
        },
        hours=_login_hours(),
    )


def _login_hours() -> float:
    """`AREACHAIR_LOGIN_HOURS` if set, else a working day."""
    told = os.environ.get("AREACHAIR_LOGIN_HOURS", "").strip() or "8"
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,4})?", told) or not 0 < float(told) <= _MOST_HOURS:
        raise AreachairError(
            f"AREACHAIR_LOGIN_HOURS is a number of hours above 0, at most {_MOST_HOURS}"
        )
    return float(told)


def group_roles() -> GroupRoles:
    """Which groups of the provider are operators (`AREACHAIR_ROLE_OPERATOR`) and reviewers
    (`AREACHAIR_ROLE_REVIEWER`), separated by commas; in which claim it tells them
    (`AREACHAIR_LOGIN_GROUPS_CLAIM`), and the role of everybody else who signs in
    (`AREACHAIR_DEFAULT_ROLE`).

    Raises:
        AreachairError: there is no such role.
    """
    groups: dict[Role, frozenset[str]] = {}
    for role in (Role.REVIEWER, Role.OPERATOR):
        told = os.environ.get(f"AREACHAIR_ROLE_{role.upper()}", "").split(",")
        if named := frozenset(filter(None, map(str.strip, told))):
            groups[role] = named
    otherwise = os.environ.get("AREACHAIR_DEFAULT_ROLE", "").strip() or Role.VIEWER
    if otherwise not in [*Role]:
        raise AreachairError(f"AREACHAIR_DEFAULT_ROLE is one of: {', '.join(Role)}")
    claim = os.environ.get("AREACHAIR_LOGIN_GROUPS_CLAIM", "").strip() or "groups"
    return GroupRoles(claim, groups, Role(otherwise))


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and text.isprintable()
    except ValueError:
        return False
