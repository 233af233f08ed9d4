"""The only reader of the environment: where things lie and who is speaking."""

import getpass
import os
from pathlib import Path
from urllib.parse import quote

from platformdirs import user_cache_path, user_config_path, user_data_path


def store_url() -> str:
    """`AREACHAIR_STORE` if set (any SQLAlchemy URL), else a SQLite file in the user's data directory."""
    return os.environ.get("AREACHAIR_STORE") or sqlite_url(user_data_path("areachair") / "areachair.sqlite3")


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


def sample_bundles() -> Path:
    """The folder of sample bundles, which lies beside the packages in a checkout and in an installed wheel alike."""
    return Path(__file__).resolve().parent.parent / "sample_bundles"


def reviewers_file() -> Path:
    """Where LLM reviewers are configured: `AREACHAIR_REVIEWERS` if set, else `reviewers.toml` in the user's settings folder."""
    named = os.environ.get("AREACHAIR_REVIEWERS")
    return Path(named) if named else user_config_path("areachair") / "reviewers.toml"


def rubric_file() -> Path | None:
    """The user's own wording of the rubric: `AREACHAIR_RUBRIC`; None where it is not set."""
    named = os.environ.get("AREACHAIR_RUBRIC")
    return Path(named) if named else None


def replies_folder() -> Path:
    """Where answers of models are kept to be had again without asking: `AREACHAIR_CACHE` if set, else the user's cache."""
    named = os.environ.get("AREACHAIR_CACHE")
    return Path(named) if named else user_cache_path("areachair") / "replies"


def abilities_file() -> Path:
    """Where it is remembered what models' servers can do."""
    return replies_folder().parent / "abilities.json"


def api_key(variable: str) -> str | None:
    """Return the key that an environment variable holds; None where it is not set or empty."""
    return os.environ.get(variable, "").strip() or None
