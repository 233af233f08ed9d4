"""Reduces server addresses to the part that decides who gets a key and who may connect."""

import re
from urllib.parse import urlsplit

_HOST = re.compile(r"[a-z0-9][a-z0-9._-]*|[0-9a-f:.]*:[0-9a-f:.]*")


def origin(address: str) -> str | None:
    """Return scheme, host and port of an address, the port always included; None for an address
    that readers of addresses may read differently.
    """
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    shown = f"[{host}]" if ":" in host else host
    # `[::1]other.example` has a host that is not the whole of what is there.
    told, _, _ = parts.netloc.lower().removeprefix(shown).partition(":")
    if usual is None or told or "@" in parts.netloc or "\\" in address or not is_host(host):
        return None
    return f"{parts.scheme}://{shown}:{usual if port is None else port}"


def is_host(name: str) -> bool:
    """Whether this is a host's name or address, in lower case and without a port."""
    return _HOST.fullmatch(name) is not None
