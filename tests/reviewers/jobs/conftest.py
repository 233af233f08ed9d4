"""Stores of both databases, and workers that share them."""

from tests.reviewers.store.conftest import (
    clock,
    postgresql_server,
    postgresql_store_url,
    postgresql_url,
    sqlite_url,
    store,
    url,
)

__all__ = [
    "clock",
    "postgresql_server",
    "postgresql_store_url",
    "postgresql_url",
    "sqlite_url",
    "store",
    "url",
]
