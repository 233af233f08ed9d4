"""Stores of both databases, and the right time: leases are measured in it."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.reviewers.store.conftest import (
    postgresql_server,
    postgresql_store_url,
    postgresql_url,
    sqlite_url,
    store,
    url,
)

__all__ = [
    "postgresql_server",
    "postgresql_store_url",
    "postgresql_url",
    "sqlite_url",
    "store",
    "url",
]


@pytest.fixture
def clock() -> Callable[[], datetime]:
    return lambda: datetime.now(UTC)


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The reviewers' file of the workers."""
    path = tmp_path / "reviewers.toml"
    monkeypatch.setenv("AREACHAIR_REVIEWERS", str(path))
    monkeypatch.setenv("AREACHAIR_CACHE", str(tmp_path / "cache"))
    return path
