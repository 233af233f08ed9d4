"""Keeps every test on this machine and away from the user's own data and keys."""

import ipaddress
import os
import socket
from itertools import pairwise
from pathlib import Path

import pytest

from reviewers.store import Store


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let long tests begin first, some in each worker, which begins with its share of the list: a
    long one at the end would keep all others waiting.
    """
    workers = int(getattr(config, "workerinput", {}).get("workercount", 1))
    long = [each for each in items if each.get_closest_marker("long")]
    rest = [each for each in items if not each.get_closest_marker("long")]
    shares = [len(rest) * number // workers for number in range(workers + 1)]
    items[:] = [
        each
        for number, (begin, end) in enumerate(pairwise(shares))
        for each in (*long[number::workers], *rest[begin:end])
    ]


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
