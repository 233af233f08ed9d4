"""The only reader of the environment: where things lie and who is speaking."""

import getpass
import os
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlsplit

from platformdirs import user_cache_path, user_config_path, user_data_path

from reviewers.errors import AreachairError

_SHORTEST_SECRET = 32
_REVIEW_SECONDS = 10.0


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
    """Who decides on the command line: `AREACHAIR_AUTHOR` if set, else the login name."""
    if named := os.environ.get("AREACHAIR_AUTHOR"):
        return named
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def review_seconds() -> float:
    """The processor time that the rules may take on one submission: `AREACHAIR_REVIEW_SECONDS` if
    that is a number above 0, else 10.

    Steps bound the work long before it; this is for what they do not count.
    """
    try:
        seconds = float(os.environ.get("AREACHAIR_REVIEW_SECONDS") or _REVIEW_SECONDS)
    except ValueError:
        return _REVIEW_SECONDS
    return seconds if 0 < seconds < float("inf") else _REVIEW_SECONDS


def author_given() -> bool:
    """Whether `AREACHAIR_AUTHOR` names who decides."""
    return bool(os.environ.get("AREACHAIR_AUTHOR"))


def sample_bundles() -> Path:
    """The folder of sample bundles, which lies beside the packages in a checkout and in an
    installed wheel alike.
    """
    return Path(__file__).resolve().parent.parent / "sample_bundles"


def reviewers_file() -> Path:
    """Where LLM reviewers are configured: `AREACHAIR_REVIEWERS` if set, else `reviewers.toml` in
    the user's settings folder.
    """
    named = os.environ.get("AREACHAIR_REVIEWERS")
    return Path(named) if named else user_config_path("areachair") / "reviewers.toml"


def rubric_file() -> Path | None:
    """The user's own wording of the rubric: `AREACHAIR_RUBRIC`; None where it is not set."""
    named = os.environ.get("AREACHAIR_RUBRIC")
    return Path(named) if named else None


def replies_folder() -> Path:
    """Where answers of models are kept to be had again without asking: `AREACHAIR_CACHE` if set,
    else the user's cache.
    """
    named = os.environ.get("AREACHAIR_CACHE")
    return Path(named) if named else user_cache_path("areachair") / "replies"


def abilities_file() -> Path:
    """Where it is remembered what models' servers can do."""
    return replies_folder().parent / "abilities.json"


def api_key(variable: str) -> str | None:
    """Return the key that an environment variable holds; None where it is not set or empty."""
    return os.environ.get(variable, "").strip() or None


@dataclass(frozen=True, slots=True)
class Login:
    """Who tells the dashboard's people apart: a provider of OpenID Connect.

    Attributes:
        metadata: address of the provider's discovery document, which ends in
            `/.well-known/openid-configuration`.
        cookie_secret: signs the browser's cookie; the same for all processes, and over a restart.
        address: of the dashboard, as browsers see it, without a slash at its end.
    """

    metadata: str
    client_id: str
    client_secret: str = field(repr=False)
    cookie_secret: str = field(repr=False)
    address: str


def login() -> Login | None:
    """Return what `AREACHAIR_LOGIN_…` says; None where nothing of it is set: then everybody who
    reaches the dashboard is let in.

    Raises:
        AreachairError: only a part of it is set, or an address is none.
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
        # Who guesses it signs cookies in anybody's name.
        raise AreachairError(
            f"AREACHAIR_LOGIN_COOKIE_SECRET must have at least {_SHORTEST_SECRET} characters:"
            " openssl rand -hex 32"
        )
    return Login(
        **{
            name.lower(): value.rstrip("/") if name == "ADDRESS" else value
            for name, value in values.items()
        }
    )


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and text.isprintable()
    except ValueError:
        return False
