"""Security headers for every answer; Streamlit sends none."""

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

import streamlit

from dashboard.first_paint import SCRIPTS

_INLINE = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


def content_security_policy(index: bytes) -> str:
    """Return the policy: no external sources, and only the inline scripts of Streamlit's page and
    our own.

    Args:
        index: Streamlit's `index.html`; its inline scripts are allowed by their hash, which changes
            with its versions.
    """
    hashes = [
        f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"
        for script in [*SCRIPTS, *_INLINE.findall(index)]
    ]
    parts = {
        "default-src": ["'self'"],
        # Our components arrive as text and are imported from blob: addresses.
        "script-src": ["'self'", "blob:", *hashes],
        "style-src": ["'self'", "'unsafe-inline'"],
        "img-src": ["'self'", "data:", "blob:"],
        "font-src": ["'self'", "data:"],
        "connect-src": ["'self'"],
        "worker-src": ["'self'", "blob:"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "object-src": ["'none'"],
        "base-uri": ["'self'"],
    }
    return "; ".join(f"{name} {' '.join(values)}" for name, values in parts.items())


def security_headers() -> list[tuple[bytes, bytes]]:
    """Return the headers for the Streamlit that is installed."""
    index = Path(streamlit.__file__).parent / "static" / "index.html"
    return [
        (b"content-security-policy", content_security_policy(index.read_bytes()).encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"x-frame-options", b"DENY"),
        (b"referrer-policy", b"same-origin"),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ]


class SecurityHeaders:
    """ASGI middleware that adds the headers; a plain one, since Starlette's base class costs more
    and hides websockets.
    """

    def __init__(self, app: Any) -> None:
        self._app = app
        self._headers = security_headers()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                ours = {name for name, _ in self._headers}
                message["headers"] = [
                    *(pair for pair in message.get("headers", []) if pair[0].lower() not in ours),
                    *self._headers,
                ]
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)
