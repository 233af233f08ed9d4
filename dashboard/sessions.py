"""Who is signed in. A browser's cookie counts only while its session is active in the store; every
request and every run of a page checks that.
"""

import asyncio
import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

import streamlit as st

from dashboard import access
from dashboard.open_store import server_store
from dashboard.request_guard import HEALTH, Receive, Send, refuse, values_of
from reviewers import settings
from reviewers.errors import AreachairError
from reviewers.roles import Act, refusal
from reviewers.settings import Login
from reviewers.store.sessions import LoginSession, begin_session, end_sessions, find_session

SIGN_IN = "/sign-in"
_USER = "_streamlit_user"
_CALLBACK, _LOGOUT = "/oauth2callback", "/auth/logout"
# What who is not in needs in order to get in, and what watches over the process.
_FOR_EVERYBODY = frozenset({HEALTH, "/auth/login", _CALLBACK})
_LONGEST = 300
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_WALL = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sign in · areachair</title>
<meta name="viewport" content="width=device-width">
<style>
:root {{ color-scheme: light dark }}
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 20vh auto 0;
  padding: 0 1rem }}
a {{ display: inline-block; padding: .45rem .9rem; border-radius: .375rem; background: #3b5bdb;
  color: #fff; text-decoration: none }}
</style></head>
<body><main><h1>areachair</h1>
<p>Sign in to read and decide; your name goes with each decision.</p>
<a href="{SIGN_IN}" role="button">Sign in</a></main></body></html>
"""


def session_of(cookies: Mapping[str, str]) -> LoginSession | None:
    """Return the session that a browser's cookies belong to; None if it is not in: it never
    signed in here, signed out, was shut out, or its time is over.

    Raises:
        StoreError: the store cannot be read.
    """
    login = settings.login()
    held = None if login is None else _held(login, cookies)
    found = None if held is None else find_session(server_store(), _id(held))
    return found if found is not None and found.lives(server_store().now()) else None


def current_session() -> LoginSession | None:
    """Return the session that the present run belongs to; None if it is not in."""
    cookies = st.context.cookies.to_dict()
    return session_of(cookies)


def _id(held: bytes) -> str:
    return hashlib.sha256(held).hexdigest()


def _held(login: Login, cookies: Mapping[str, str]) -> bytes | None:
    """The content of Streamlit's login cookie, with its nonce; None if it is not signed by us."""
    from streamlit.auth_util import get_cookie_with_chunks
    from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value

    def single(name: str) -> bytes | None:
        value = cookies.get(name, "").encode("latin-1", "replace")
        return decode_signed_value(login.cookie_secret, name, value)

    return get_cookie_with_chunks(single, _USER)


class Sessions:
    """ASGI middleware that admits signed-in people and keeps the list of sessions.

    Args:
        login: the provider, as it is configured.
    """

    def __init__(self, app: Any, login: Login) -> None:
        self._app = app
        self._login = login

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        from starlette.requests import HTTPConnection

        cookies = HTTPConnection(scope).cookies
        is_http = scope["type"] == "http"
        if is_http and scope["path"] in _FOR_EVERYBODY:
            kept = partial(self._begin, scope, send) if scope["path"] == _CALLBACK else send
            await self._app(scope, receive, kept)
            return
        try:
            session = await asyncio.to_thread(session_of, cookies)
            if session is not None and is_http and scope["path"] == _LOGOUT:
                await asyncio.to_thread(end_sessions, server_store(), [session.id])
            refused = await asyncio.to_thread(_refusal, self._login, scope, cookies)
        except AreachairError as error:
            await refuse(scope, receive, send, 503, str(error))
            return
        if session is not None and refused:
            await refuse(scope, receive, send, 403, refused)
            return
        if session is not None or (is_http and scope["path"] == _LOGOUT):
            await self._app(scope, receive if is_http else partial(_gated, receive, cookies), send)
        elif is_http and scope["path"] == SIGN_IN:
            await _lead_to_provider(scope, receive, send)
        elif is_http and _is_page(scope):
            await _show_wall(scope, receive, send)
        else:
            await refuse(scope, receive, send, 403, "sign in first")

    async def _begin(self, scope: Any, send: Send, message: Any) -> None:
        """Write a session down before the browser hears of it."""
        if message["type"] == "http.response.start":
            from starlette.requests import cookie_parser

            lines = [
                value.decode("latin-1").split(";")[0]
                for name, value in message.get("headers", [])
                if name.lower() == b"set-cookie"
            ]
            held = _held(self._login, cookie_parser("; ".join(lines)))
            if held is not None:
                # Where it cannot be kept, nobody is in, and the next request says why.
                with suppress(AreachairError):
                    await asyncio.to_thread(self._keep, held, values_of(scope, b"user-agent"))
        await send(message)

    def _keep(self, held: bytes, agents: list[str]) -> None:
        claims = json.loads(held)
        began = server_store().now()
        session = LoginSession(
            id=_id(held),
            issuer=str(claims.get("iss") or self._login.metadata)[:_LONGEST],
            subject=str(claims.get("sub") or "")[:_LONGEST],
            name=str(claims.get("name") or claims.get("email") or "")[:_LONGEST],
            agent="".join(agents)[:_LONGEST],
            began=began,
            until=began + timedelta(hours=self._login.hours),
            role=settings.group_roles().of(claims),
        )
        begin_session(server_store(), session)


def _refusal(login: Login, scope: Any, cookies: Mapping[str, str]) -> str:
    """Why a person's request is refused, whatever it is for: who may not import only reads. Empty
    if it is not.
    """
    if scope["type"] != "http" or scope["method"] in _READING:
        return ""
    role = access.role_of(json.loads(_held(login, cookies) or b"{}"))
    return "" if role is not None and role.may(Act.IMPORT) else refusal(role, Act.IMPORT)


async def _gated(receive: Receive, cookies: Mapping[str, str]) -> Any:
    """Read what a page sends; of a page whose session has ended nothing is carried out, callbacks
    run before the script does. What is left of it is a run that shows that.
    """
    message = await receive()
    if message["type"] != "websocket.receive" or not message.get("bytes"):
        return message
    try:
        is_in = await asyncio.to_thread(session_of, cookies) is not None
    except AreachairError:
        is_in = False
    return message if is_in else {**message, "bytes": _bare_run(message["bytes"])}


def _bare_run(sent: bytes) -> bytes:
    from google.protobuf.message import DecodeError
    from streamlit.proto.BackMsg_pb2 import BackMsg
    from streamlit.proto.ClientState_pb2 import ClientState

    asked = BackMsg()
    with suppress(DecodeError):
        asked.ParseFromString(sent)
    state = asked.rerun_script
    bare = ClientState(query_string=state.query_string, page_script_hash=state.page_script_hash)
    run: bytes = BackMsg(rerun_script=bare).SerializeToString()
    return run


def _is_page(scope: Any) -> bool:
    accepted = values_of(scope, b"accept")
    return scope["method"] in ("GET", "HEAD") and any("text/html" in each for each in accepted)


async def _show_wall(scope: Any, receive: Receive, send: Send) -> None:
    from starlette.responses import HTMLResponse

    await HTMLResponse(_WALL, 401, {"cache-control": "no-store"})(scope, receive, send)


async def _lead_to_provider(scope: Any, receive: Receive, send: Send) -> None:
    from starlette.responses import RedirectResponse
    from streamlit.user_info import generate_login_redirect_url

    await RedirectResponse(generate_login_redirect_url("default"), 302)(scope, receive, send)
