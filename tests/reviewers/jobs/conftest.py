"""Stores of both databases, and the right time: leases are measured in it."""

from collections.abc import Callable
from datetime import UTC, datetime

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
