"""Keeps every test on this machine and away from the user's own data and keys."""

import ipaddress
import os
import socket
from pathlib import Path

import pytest

from reviewers.store import Store


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with all its tables and nothing in them: a copy is made in a tenth of the time."""
    path = tmp_path_factory.mktemp("stores") / "empty.sqlite3"
    Store.open(f"sqlite:///{path}").close()
    return path


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [
        name for name in os.environ if name.startswith("AREACHAIR_") or name.endswith("_API_KEY")
    ]:
        monkeypatch.delenv(name)
    for place in ("DATA", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{place}_HOME", str(tmp_path / place.lower()))


@pytest.fixture(autouse=True)
def _loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.socket.connect

    def checked(self: socket.socket, address: tuple[str, int] | str | bytes) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_loopback(str(address[0])):
            raise OSError(f"a test must not reach {address[0]}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", checked)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
