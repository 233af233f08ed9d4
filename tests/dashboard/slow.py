"""A line between browser and server that is slow, as a distant server's is."""

import asyncio
import threading
from contextlib import suppress
from typing import Self
from urllib.parse import urlsplit

from tests.dashboard.serving import free_port


class SlowLine:
    """Forwards to a server whatever comes, some time later; to be used as a context manager.

    Args:
        address: of the server.
        seconds: by which each way is delayed.

    Attributes:
        address: where the browser goes instead.
    """

    def __init__(self, address: str, seconds: float) -> None:
        self._server = urlsplit(address)
        self._seconds = seconds
        self._port = free_port()
        self.address = f"http://127.0.0.1:{self._port}"
        self._listens = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))

    def __enter__(self) -> Self:
        self._thread.start()
        self._listens.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._done.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._loop, self._done = asyncio.get_running_loop(), asyncio.Event()
        self._writers: set[asyncio.StreamWriter] = set()
        server = await asyncio.start_server(self._join, "127.0.0.1", self._port)
        self._listens.set()
        await self._done.wait()
        server.close()
        for writer in self._writers:
            writer.transport.abort()
        # The forwarding ends by itself once nothing is left to be read.
        while len(asyncio.all_tasks()) > 1:
            await asyncio.sleep(0.01)

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(self._server.hostname, self._server.port)
        await asyncio.gather(self._forward(reader, back), self._forward(there, writer))

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        with suppress(ConnectionError):
            while data := await reader.read(65_536):
                # What comes in order leaves in order: each call is due later than the one before.
                self._loop.call_later(self._seconds, writer.write, data)
        self._loop.call_later(self._seconds, writer.close)
