"""The only reader of the environment: where things lie and who is speaking."""

import getpass
import os
from pathlib import Path
from urllib.parse import quote

from platformdirs import user_data_path


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
