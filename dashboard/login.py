"""Signs people in through the lab's OpenID Connect provider, if one is configured; otherwise the
dashboard is open.
"""

from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from importlib.util import find_spec
from typing import Any
from urllib.parse import quote, unquote

import streamlit as st

from reviewers.errors import AreachairError
from reviewers.settings import Login, login
from reviewers.store.authors import Signer, shortened_name

_WISH = "areachair_wish"
_LONGEST_WISH = 2_000


def secrets(login: Login) -> dict[str, Any]:
    """Return the provider's settings in Streamlit's format.

    Raises:
        AreachairError: what signing in needs is not installed.
    """
    if find_spec("authlib") is None:
        raise AreachairError("signing in needs one more package: pip install 'areachair[login]'")
    return {
        "auth": {
            "redirect_uri": f"{login.address}/oauth2callback",
            "cookie_secret": login.cookie_secret,
            "client_id": login.client_id,
            "client_secret": login.client_secret,
            "server_metadata_url": login.metadata,
        }
    }


def signed_in() -> str | None:
    """Return the name of the signed-in person, empty if nobody is signed in; None without a
    provider.
    """
    return _name(st.user.to_dict(), login())


def _name(user: Mapping[str, Any], configured: Login | None) -> str | None:
    if "is_logged_in" not in user:
        # Where a provider is configured nobody gets in by Streamlit not knowing of it.
        return None if configured is None else ""
    if not user["is_logged_in"]:
        return ""
    return next(
        (
            name.strip()
            for key in ("name", "email", "sub")
            if isinstance(name := user.get(key), str) and name.strip()
        ),
        "",
    )


def account(configured: Login | None) -> Signer | None:
    """Return the provider's account: issuer and subject identify the person, the name is displayed.

    None if nobody is signed in, or the provider tells no subject.

    Args:
        configured: how people sign in, as the settings say.
    """
    return account_of(st.user.to_dict(), configured)


def account_of(user: Mapping[str, Any], configured: Login | None) -> Signer | None:
    """Return `account` from what the provider told of a person."""
    name = _name(user, configured)
    subject, issuer = user.get("sub"), user.get("iss") or (configured and configured.metadata)
    if not name or not isinstance(subject, str) or not subject or not isinstance(issuer, str):
        return None
    return Signer(shortened_name(name) or "?", issuer, subject)


def wall() -> None:
    """Draw the way in; nothing of the store is on this page."""
    with st.container(key="empty"):
        st.subheader("areachair", anchor=False)
        if st.user.to_dict().get("is_logged_in"):
            st.error(
                "The provider sent no name to sign your decisions with. Request the scope"
                " `profile` there."
            )
            st.button("Sign out", on_click=st.logout)
        else:
            st.markdown("Sign in to review and decide; your name signs each decision.")
            st.button("Sign in", type="primary", on_click=st.login)


def session_ended() -> None:
    """Lead a page whose session has ended back to the way in; nothing of the store is on it."""
    with st.container(key="empty"):
        st.subheader("areachair", anchor=False)
        st.markdown("Your session has ended. Reload this page to sign in.")
    # Here, since components ask who signs, and so import this module.
    from dashboard.parts.page import reload_page

    reload_page()


class ReturnAfterLogin:
    """ASGI middleware that leads back to the page that was asked for; Streamlit comes back to the
    first page always.

    Args:
        secure: whether browsers reach the dashboard over TLS; then every cookie is for such
            connections only.
    """

    def __init__(self, app: Any, secure: bool) -> None:
        self._app = app
        self._end = "; Secure" if secure else ""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        asked = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        cookies = _cookies(asked.get(b"cookie", ""))
        path, query = scope["path"], scope["query_string"].decode("latin-1")
        is_page = scope["method"] == "GET" and "text/html" in asked.get(b"accept", "")

        async def leading_back(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = [self._kept(name, value) for name, value in message.get("headers", [])]
                if is_page and message["status"] == 401:
                    wish = quote(f"{path}?{query}" if query else path, safe="")
                    if len(wish) <= _LONGEST_WISH:
                        headers.append(self._cookie(f"{_WISH}={wish}; Max-Age=600"))
                if (
                    path == "/oauth2callback"
                    and message["status"] in (302, 303, 307)
                    and _WISH in cookies
                ):
                    wish = unquote(cookies[_WISH].value)
                    if _is_own(wish):
                        headers = [
                            (name, value) for name, value in headers if name.lower() != b"location"
                        ]
                        headers.append((b"location", quote(wish, safe="/?&=%:,+~").encode()))
                    headers.append(self._cookie(f"{_WISH}=; Max-Age=0"))
                message = {**message, "headers": headers}
            await send(message)

        await self._app(scope, receive, leading_back)

    def _cookie(self, said: str) -> tuple[bytes, bytes]:
        return b"set-cookie", f"{said}; Path=/; HttpOnly; SameSite=Lax{self._end}".encode()

    def _kept(self, name: bytes, value: bytes) -> tuple[bytes, bytes]:
        bare = self._end and name.lower() == b"set-cookie" and b"secure" not in value.lower()
        return name, value + self._end.encode() if bare else value


def _cookies(header: str) -> SimpleCookie:
    try:
        return SimpleCookie(header)
    except CookieError:
        return SimpleCookie()


def _is_own(wish: str) -> bool:
    """Whether it is a page of ours; browsers read `//host` and `/\\host` as another machine."""
    return wish.startswith("/") and not wish.startswith(("//", "/\\")) and wish.isprintable()
