"""Rejects requests for other host names and from other sites' pages."""

import ipaddress
import socket
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from reviewers.cli.serving import DashboardOptions, is_loopback
from reviewers.origins import origin

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

HEALTH = "/health"
EXPORTS = "/export/"
"""Where exported files are fetched, each under its key."""
_WRONG_HOST = (
    "areachair does not answer to this host name: use the address printed at start, serve it"
    " with --open --allow-host NAME, or set AREACHAIR_LOGIN_ADDRESS"
)
_WRONG_ORIGIN = "areachair only answers its own pages"


class RequestGuard:
    """ASGI middleware that rejects requests for another host name or from another site's page.

    A browser sends the host name of the page, which exposes a foreign name that points here (DNS
    rebinding). Streamlit alone would accept pages from any port of this machine, and would look up
    this machine's external address before it rejects others.

    Args:
        options: how the desk is served.
        address: of the desk, as browsers see it, where people sign in; else None.
    """

    def __init__(self, app: Any, options: DashboardOptions, address: str | None) -> None:
        self._app = app
        # With a wildcard address, the connection shows which of the machine's addresses was used.
        self._is_wildcard = options.host in ("", "0.0.0.0", "::")
        own = socket.gethostname() if self._is_wildcard else options.host
        self._origin = None if address is None else origin(address)
        at = urlsplit(address or "").hostname
        self._names = {name.lower() for name in (own, *options.allowed_hosts, *filter(None, [at]))}

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket") and (problem := self._problem(scope)):
            await refuse(scope, receive, send, 403, problem)
        else:
            await self._app(scope, receive, send)

    def _problem(self, scope: Any) -> str | None:
        if scope["type"] == "http" and scope["path"] == HEALTH:
            return None  # health check
        hosts, origins = values_of(scope, b"host"), values_of(scope, b"origin")
        if len(hosts) != 1 or not self._is_name(hosts[0], scope.get("server")):
            return _WRONG_HOST
        return None if all(self._is_own(each, hosts[0]) for each in origins) else _WRONG_ORIGIN

    def _is_name(self, host: str, server: Any) -> bool:
        parts = urlsplit(f"//{host}")
        # Text after the name and port would be read by one parser and dropped by another.
        if origin(f"http://{host}") is None or parts.netloc != host:
            return False
        name = parts.hostname or ""
        return (
            is_loopback(name)
            or name in self._names
            or (self._is_wildcard and bool(server) and _is_same_machine(name, server[0]))
        )

    def _is_own(self, sender: str, host: str) -> bool:
        told = origin(sender)
        if told is None or self._origin is not None:
            return told is not None and told == self._origin
        return urlsplit(sender).netloc == host


def _is_same_machine(name: str, local: str) -> bool:
    """Whether a name is the address on which the connection arrived."""
    try:
        here = ipaddress.ip_address(local)
        mapped = here.ipv4_mapped if isinstance(here, ipaddress.IPv6Address) else None
        return ipaddress.ip_address(name) == (mapped or here)
    except ValueError:
        return False


def values_of(scope: Any, name: bytes) -> list[str]:
    """Return all values of a request's header."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


async def refuse(
    scope: Any,
    receive: Receive,
    send: Send,
    status: int,
    words: str,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Answer a request with one line and read nothing of its body; a websocket is not opened."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    from starlette.responses import PlainTextResponse

    # The rest of the body would be taken for the next request.
    kept = {"connection": "close", "cache-control": "no-store", **(headers or {})}
    await PlainTextResponse(f"{words}\n", status, kept)(scope, receive, send)
