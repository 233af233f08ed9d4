"""The ground of a page's first bytes, so that a page in the dark does not begin white: Streamlit
paints only once its scripts have run.
"""

from http.cookies import CookieError, SimpleCookie
from typing import Any

_COOKIE = "areachair_theme"  # written by theme_choice.js
_SCHEMES = {"light": "light", "dark": "dark"}
_EITHER = "light dark"
_TAG = b'<html lang="en"'
_CHANGED = {b"content-length", b"etag", b"last-modified"}


class FirstPaint:
    """ASGI middleware that writes the chosen colour scheme into Streamlit's page."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start: dict[str, Any] = {}
        body = bytearray()

        async def painted(message: Any) -> None:
            if message["type"] == "http.response.start" and _is_page(message):
                start.update(message)
            elif not start or message["type"] != "http.response.body":
                await send(message)
            else:
                body.extend(message.get("body", b""))
                if not message.get("more_body"):
                    await _send_page(start, bytes(body), _scheme(scope), send)

        if _may_be_page(scope["path"]):
            # Read as it is, uncompressed; it is small.
            plain = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
            await self._app({**scope, "headers": plain}, receive, painted)
        else:
            await self._app(scope, receive, send)


def _may_be_page(path: str) -> bool:
    return "." not in path.rpartition("/")[2] and not path.startswith("/_stcore")


def _is_page(message: Any) -> bool:
    headers = dict(message.get("headers", []))
    return message["status"] == 200 and headers.get(b"content-type", b"").startswith(b"text/html")


async def _send_page(start: dict[str, Any], page: bytes, scheme: str, send: Any) -> None:
    page = page.replace(_TAG, _TAG + f' style="color-scheme: {scheme}"'.encode(), 1)
    kept = [pair for pair in start["headers"] if pair[0].lower() not in _CHANGED]
    sized = (b"content-length", str(len(page)).encode())
    # Another choice is another page: no copy of it may be shown again.
    await send({**start, "headers": [*kept, sized, (b"vary", b"cookie")]})
    await send({"type": "http.response.body", "body": page})


def _scheme(scope: Any) -> str:
    sent = b"; ".join(value for name, value in scope["headers"] if name == b"cookie")
    try:
        cookie = SimpleCookie(sent.decode("latin-1")).get(_COOKIE)
    except CookieError:
        return _EITHER
    return _SCHEMES.get(cookie.value, _EITHER) if cookie else _EITHER
