"""Guards the security headers: nothing from elsewhere, no inline script but the pages' own."""

import asyncio
from typing import Any

from dashboard.headers import SecurityHeaders, content_security_policy


def test_only_the_pages_own_inline_scripts_are_allowed() -> None:
    policy = content_security_policy(b"<script>a()</script><script src='x.js'></script>")
    assert policy.count("'sha256-") == 2  # Streamlit's, and ours for the theme
    assert "'unsafe-inline'" not in policy.partition("script-src")[2].partition(";")[0]
    assert "'unsafe-eval'" not in policy


def test_every_answer_gets_the_headers_once() -> None:
    sent: list[dict[str, Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send(
            {
                "type": "http.response.start",
                "status": 404,
                "headers": [(b"X-Frame-Options", b"ALLOWALL"), (b"a", b"b")],
            }
        )

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(SecurityHeaders(app)({"type": "http"}, None, send))
    names = [name.lower() for name, _ in sent[0]["headers"]]
    assert len(names) == len(set(names))
    assert {
        b"content-security-policy",
        b"x-frame-options",
        b"x-content-type-options",
        b"referrer-policy",
        b"a",
    } <= set(names)
    assert dict(sent[0]["headers"])[b"x-frame-options"] == b"DENY"
