"""A provider of OpenID Connect that is not ours, and signing in there without a browser."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from tests.dashboard.clients import Got, request
from tests.dashboard.serving import free_port


def login_of(issuer: str, address: str) -> dict[str, str]:
    """The variables that configure signing in with this provider."""
    values = {
        "METADATA": f"{issuer}/.well-known/openid-configuration",
        "CLIENT_ID": "areachair",
        "CLIENT_SECRET": "kept-to-ourselves",
        "COOKIE_SECRET": "c" * 40,
        "ADDRESS": address,
    }
    return {f"AREACHAIR_LOGIN_{name}": value for name, value in values.items()}


def sign_in(address: str, subject: str, back_at: str = "") -> dict[str, str]:
    """Go the way that a browser goes, and return the cookies that it has then.

    Args:
        back_at: the web process that the way back leads to; the same one where none is given.
    """
    cookies: dict[str, str] = {}

    def ask(path: str, at: str = address) -> Got:
        got = request(at, path, accept="text/html", cookie=written(cookies))
        cookies.update(got.cookies)
        return got

    at_provider = ask(ask("/sign-in").headers["location"]).headers["location"]
    place = urlsplit(at_provider)
    form = urlencode({"sub": subject}).encode()
    way_back = request(
        f"{place.scheme}://{place.netloc}",
        f"{place.path}?{place.query}",
        "POST",
        form,
        content_type="application/x-www-form-urlencoded",
    ).headers["location"]
    back = urlsplit(way_back)
    ask(f"{back.path}?{back.query}", back_at or address)
    ask("/_stcore/health")
    assert {"_streamlit_user", "_streamlit_xsrf"} <= cookies.keys()
    return cookies


def written(cookies: Mapping[str, str]) -> str:
    """Cookies as a browser sends them."""
    return "; ".join(f"{name}={value}" for name, value in cookies.items())


@contextmanager
def provider(groups: Mapping[str, Sequence[str]] | None = None) -> Iterator[str]:
    """A provider as a process, which knows two people by name; gives its address.

    Args:
        groups: of a person, by subject.
    """
    port = free_port()
    script = Path(sys.executable).with_name("oidc-provider-mock")
    words = [str(script), "--port", str(port)]
    for sub, name in (("grace", "Grace Hopper"), ("ada", "Ada Lovelace")):
        known = {"sub": sub, "name": name, "email": f"{sub}@lab.example"}
        known |= {"groups": groups[sub]} if groups and sub in groups else {}
        words += ["--user-claims", json.dumps(known)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            while not _answers(port):
                assert process.poll() is None
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(0.2)
        return probe.connect_ex(("127.0.0.1", port)) == 0
