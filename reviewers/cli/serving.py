"""The options of the dashboard's server, and who can reach it."""

import ipaddress
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from reviewers import settings
from reviewers.errors import AreachairError
from reviewers.origins import is_host

_LAST_PORT = 65_535


class Audience(StrEnum):
    """Who reaches the dashboard: those at this machine alone, everybody (`--open`), or those who
    sign in with the configured provider.
    """

    ALONE = "alone"
    OPEN = "open"
    LOGIN = "login"


class Proxy(StrEnum):
    """The reverse proxies whose configuration is known."""

    CADDY = "caddy"
    NGINX = "nginx"


@dataclass(frozen=True, slots=True)
class DashboardOptions:
    """How the dashboard is served.

    Attributes:
        host: address to listen on; of several processes, where their proxy does.
        open_browser: whether the desktop is asked to show it.
        open: whether everybody who reaches the address may come in, under any name.
        allowed_hosts: names by which browsers reach an open desk, besides the address itself.
        works: whether the desk has a worker of its own.
        processes: number of web processes; several are reached through a proxy at `host` and
            `port`, and listen on the loopback address, at the ports after that.
        process: which of several this is, from 1; 0 for the only one, or what starts them.
        proxy: whose configuration is wanted.
        proxy_file: where it is written to; else it is printed, and nothing is served.
    """

    store_url: str
    host: str
    port: int
    open_browser: bool
    open: bool = False
    allowed_hosts: tuple[str, ...] = ()
    works: bool = True
    processes: int = 1
    process: int = 0
    proxy: Proxy | None = None
    proxy_file: str | None = None

    def __post_init__(self) -> None:
        """Raise AreachairError where others would be let in and nobody said so."""
        if self.open and settings.login() is not None:
            raise AreachairError(
                "--open lets everyone in, AREACHAIR_LOGIN_… requires signing in: remove one of them"
            )
        if self.allowed_hosts and not self.open:
            raise AreachairError("--allow-host requires --open")
        if odd := [name for name in self.allowed_hosts if not is_host(name.lower())]:
            raise AreachairError(
                f"--allow-host takes a name without scheme and port, such as desk.lab.example, not"
                f" {odd[0][:60]!r}"
            )
        if self.reach is Audience.ALONE and not is_loopback(self.host):
            raise AreachairError(
                f"others can reach {self.host or 'every address of this machine'} without signing"
                " in: configure signing in (AREACHAIR_LOGIN_…, docs/team.md), or use --open to let"
                " everyone read and decide under any name"
            )
        if self.processes > 1 and self.port + self.processes > _LAST_PORT:
            raise AreachairError(
                f"{self.processes} processes need the {self.processes} ports after --port, which"
                f" end at {_LAST_PORT}: choose a smaller --port"
            )
        if self.proxy and self.processes == 1:
            raise AreachairError("--proxy is for several processes: add --processes 2 or more")
        if self.proxy_file and not self.proxy:
            raise AreachairError("--proxy-file requires --proxy caddy or nginx")

    @property
    def listens(self) -> tuple[str, int]:
        """The address and the port that this process listens on."""
        return ("127.0.0.1", self.port + self.process) if self.process else (self.host, self.port)

    def web_process(self, number: int) -> Self:
        """Return how one of several processes is served, from 1."""
        return replace(self, process=number, proxy=None, proxy_file=None)

    @property
    def reach(self) -> Audience:
        """Who reaches the dashboard when it is served so.

        Raises:
            AreachairError: signing in is set up by halves.
        """
        if settings.login() is not None:
            return Audience.LOGIN
        return Audience.OPEN if self.open else Audience.ALONE


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address; a name other than `localhost` may lead
    anywhere.
    """
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"
