"""Clients of a real server that are not browsers: they send what a test tells them to."""

import http.client
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from websockets.exceptions import InvalidHandshake
from websockets.sync.client import ClientConnection, connect

PATIENCE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Got:
    """An answer of the server."""

    status: int
    headers: http.client.HTTPMessage
    text: str

    @property
    def cookies(self) -> dict[str, str]:
        """What it asks the browser to keep."""
        pairs = (
            line.split(";")[0].split("=", 1) for line in self.headers.get_all("set-cookie", [])
        )
        return {name.strip(): value for name, value in pairs}


def request(
    address: str,
    path: str,
    method: str = "GET",
    body: bytes | None = None,
    **headers: str,
) -> Got:
    """Ask once, following nothing; underscores in names of headers stand for hyphens."""
    place = urlsplit(address).netloc
    connection = http.client.HTTPConnection(place, timeout=PATIENCE_SECONDS)
    try:
        connection.putrequest(method, path, skip_host=True)
        sent = {"host": place, **headers}
        if body is not None:
            sent["content-length"] = str(len(body))
        for name, value in sent.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        if body is not None:
            # Who refuses does not read it.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.send(body)
        answer = connection.getresponse()
        try:
            read = answer.read()
        except http.client.IncompleteRead as cut:
            # Who is refused while still sending may find the connection closed under the answer.
            read = cut.partial
        return Got(answer.status, answer.headers, read.decode("utf-8", "replace"))
    finally:
        connection.close()


@contextmanager
def websocket(
    address: str,
    *,
    host: str | None = None,
    origin: str | None = None,
    cookies: Mapping[str, str] | None = None,
    session: str = "",
) -> Iterator[ClientConnection | int]:
    """Open Streamlit's websocket; gives the status of the refusal where it is not opened.

    Args:
        origin: of the page; the server's own where none is given.
        session: id of a Streamlit session to go on with.
    """
    cookies = cookies or {}
    place = urlsplit(address)
    connection = socket.create_connection((place.hostname, place.port))
    headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}
    protocols = ["streamlit", cookies.get("_streamlit_xsrf", "none"), *filter(None, [session])]
    try:
        opened = connect(
            f"ws://{host or place.netloc}/_stcore/stream",
            sock=connection,
            origin=origin or address,  # type: ignore[arg-type]
            subprotocols=protocols,  # type: ignore[arg-type]
            additional_headers=headers if cookies else None,
            max_size=None,
            proxy=None,
        ).__enter__()
    except InvalidHandshake as error:
        connection.close()
        status: int = error.response.status_code  # type: ignore[attr-defined]
        yield status
        return
    try:
        yield opened
    finally:
        opened.close()
