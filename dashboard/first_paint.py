"""Adds to a page's first bytes its background colour, so that a dark page does not flash white, the
theme for Streamlit, the page's own rules with the outlines of the screen, so that nothing moves
when it is drawn, and the cookie that identifies the browser.
"""

from pathlib import Path
from typing import Any

from starlette.requests import cookie_parser

from dashboard.viewing_memory import BROWSER_COOKIE, is_key, new_key

_COOKIE = "areachair_theme"  # written by theme_choice.js
_SCHEMES = {"light": "light", "dark": "dark"}
_EITHER = "light dark"
_TAG = b'<html lang="en"'
_HEAD = b"<head>"
# After the rules that Streamlit's scripts write into the head: of two alike the later one holds.
_END = b"</body>"
_PARTS = Path(__file__).parent / "parts"
_RULES = b"\n".join((_PARTS / f"{name}.css").read_bytes() for name in ("page", "ghost"))
_GHOST = b'<div id="ghost" class="%s" aria-hidden="true">' + b"<i></i>" * 5 + b"</div>"
_SCREENS = {"": "inbox"} | {
    each: each for each in ("inbox", "trends", "reviewers", "settings", "submission")
}
# Streamlit keeps a theme in the browser for each path, and reads it once its scripts begin; so our
# one choice for all paths is written there before. A new version of it counts its keys again.
THEME_SCRIPT = rb"""(() => {
  const kept = /(?:^|; )areachair_theme=(system|light|dark)(?:;|$)/.exec(document.cookie)?.[1]
  if (!kept) return
  const versionOf = (key) => /^stActiveTheme-.*-(v\d+)$/.exec(key)?.[1]
  const version = Object.keys(localStorage).map(versionOf).find(Boolean) ?? "v2"
  const name = JSON.stringify(kept[0].toUpperCase() + kept.slice(1))
  localStorage.setItem(`stActiveTheme-${location.pathname}-${version}`, name)
})()"""
# Parts whose height is known only once they are drawn come into sight together, when nothing has
# moved for some frames; nothing waits for longer than some seconds.
VEIL_SCRIPT = rb"""(() => {
  const root = document.documentElement
  let still = 0, before = ""
  const places = () => {
    const ready = document.querySelector("[data-testid=stApp][data-test-script-state=notRunning]")
    const main = document.querySelector(".stMain")
    const parts = main?.querySelectorAll(".stElementContainer, .stVerticalBlock") ?? []
    if (!ready || parts.length < 2 || main.querySelector("[data-testid=stSkeleton]")) return ""
    const boxes = [...parts].map((part) => part.getBoundingClientRect())
    return boxes.map(({ x, y, width }) => [x, y, width]).join()
  }
  const look = () => {
    const now = places()
    still = now && now === before ? still + 1 : 0
    before = now
    if (still > 3 || performance.now() > 10000) root.classList.remove("veiled")
    else requestAnimationFrame(look)
  }
  root.classList.add("veiled")
  look()
})()"""
SCRIPTS = (
    THEME_SCRIPT,
    VEIL_SCRIPT,
    Path(__file__).with_name("last_state.js").read_bytes(),
)
_CHANGED = {b"content-length", b"etag", b"last-modified"}


class FirstPaint:
    """ASGI middleware that writes the chosen colour scheme and theme into Streamlit's page, and
    gives each browser without one the cookie that identifies it.

    Args:
        secure: whether browsers reach the dashboard over TLS; the cookie is then limited to TLS.
    """

    def __init__(self, app: Any, secure: bool) -> None:
        self._app = app
        # Scripts cannot read it; the browser sends it when it opens Streamlit's websocket.
        self._end = "Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax" + "; Secure" * secure

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
                    screen = _SCREENS.get(scope["path"].rpartition("/")[2], "")
                    await self._send_page(start, bytes(body), screen, _cookies(scope), send)

        if _may_be_page(scope["path"]):
            # Read as it is, uncompressed; it is small.
            plain = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
            await self._app({**scope, "headers": plain}, receive, painted)
        else:
            await self._app(scope, receive, send)

    async def _send_page(
        self, start: dict[str, Any], page: bytes, screen: str, cookies: dict[str, str], send: Any
    ) -> None:
        scheme = _SCHEMES.get(cookies.get(_COOKIE, ""), _EITHER)
        page = page.replace(_TAG, _TAG + f' style="color-scheme: {scheme}"'.encode(), 1)
        scripts = b"".join(b"<script>%s</script>" % each for each in SCRIPTS)
        page = page.replace(_HEAD, _HEAD + scripts, 1)
        rules = b"<style>" + _RULES + b"</style>" + _GHOST % screen.encode()
        page = page.replace(_END, rules + _END, 1)
        headers = [pair for pair in start["headers"] if pair[0].lower() not in _CHANGED]
        # Another theme is another page, so browsers must not cache it.
        headers += [(b"content-length", str(len(page)).encode()), (b"vary", b"cookie")]
        if not is_key(cookies.get(BROWSER_COOKIE, "")):
            headers.append((b"set-cookie", f"{BROWSER_COOKIE}={new_key()}; {self._end}".encode()))
        await send({**start, "headers": headers})
        await send({"type": "http.response.body", "body": page})


def _may_be_page(path: str) -> bool:
    return "." not in path.rpartition("/")[2] and not path.startswith("/_stcore")


def _is_page(message: Any) -> bool:
    headers = dict(message.get("headers", []))
    kind: bytes = headers.get(b"content-type", b"")
    return message["status"] == 200 and kind.startswith(b"text/html")


def _cookies(scope: Any) -> dict[str, str]:
    # Parsed as Streamlit does, so that an invalid cookie of another program hides none of ours.
    sent = b"; ".join(value for name, value in scope["headers"] if name == b"cookie")
    return cookie_parser(sent.decode("latin-1"))
