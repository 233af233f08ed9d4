"""The server itself: HTTP by hand, so that a test can break any part of it, in a thread of its
own.
"""

import asyncio
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self, cast

from tests.model_server.answers import Says, default_answer
from tests.model_server.batches import Batches
from tests.model_server.dialects import refusal
from tests.model_server.exchange import Answer, Fault, Kind, Raw, Received, Script
from tests.model_server.replies import error, pieces, status_fault, whole


class ModelServer:
    """An OpenAI-compatible server on 127.0.0.1, to be used as a context manager.

    Every argument is an attribute too, and may be changed while it runs.

    Args:
        script: answers in order (text, Fault or Raw), or a function from what was received to one;
            without it the model gives a valid answer in the form that was asked for. A list that
            runs out answers 500, and leaving the context raises AssertionError.
        says: the verdict of that valid answer.
        latency: seconds before an answer.
        piece_seconds: seconds between two pieces of a stream.
        failures: share of questions, 0 to 1, that fail, by kind of fault; drawn by `seed`, the
            question and how often it came.
        retry_after: what drawn faults say in Retry-After.
        without: names of abilities that the server does not have (`dialects.ABILITIES`), said in
            the words of `dialect`.
        keys: what it takes for a key; None for every one.
        batch_seconds, batch_ends: see Batches.
        log: file that gets one JSON line for each question when its answer begins.

    Attributes:
        opened: nobody is answered while it is cleared.
    """

    def __init__(
        self,
        script: Script | None = None,
        *,
        says: Says = "not_ready",
        latency: float = 0.0,
        piece_seconds: float = 0.0,
        failures: Mapping[Kind, float] | None = None,
        seed: int = 0,
        retry_after: float | None = None,
        without: Sequence[str] = (),
        dialect: str = "openai",
        keys: Sequence[str] | None = None,
        batch_seconds: float = 0.0,
        batch_ends: str = "completed",
        log: Path | None = None,
        port: int = 0,
    ) -> None:
        self.opened = threading.Event()
        self.opened.set()
        self.script, self.says, self.latency, self.piece_seconds = (
            script,
            says,
            latency,
            piece_seconds,
        )
        self.failures, self.seed, self.retry_after = failures or {}, seed, retry_after
        self.without, self.dialect, self.keys, self.log, self.port = (
            without,
            dialect,
            keys,
            log,
            port,
        )
        self.batches = Batches(self._in_batch, batch_seconds, batch_ends)
        self.received: list[Received] = []
        self.ran_out = False
        self.busy, self.busiest = 0, 0
        self._used = 0
        self._seen: Counter[str] = Counter()
        self._systems: set[str] = set()
        self._ready = threading.Event()
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """The base URL for a client."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def questions(self) -> list[Received]:
        """What was asked of the model, in the order of coming."""
        return [each for each in self.received if each.is_question]

    def __enter__(self) -> Self:
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve()), name="model-server"
        )
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        if self.ran_out and kind is None:
            raise AssertionError(
                f"the model server was asked more than its script of {self._used} answers holds"
            )

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        tasks: set[asyncio.Task[None]] = set()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            tasks.add(cast("asyncio.Task[None]", asyncio.current_task()))
            try:
                while await self._exchange(reader, writer):
                    pass
            except (OSError, EOFError, asyncio.CancelledError):
                pass
            finally:
                writer.transport.abort()
                tasks.discard(cast("asyncio.Task[None]", asyncio.current_task()))

        server = await asyncio.start_server(
            connected, "127.0.0.1", self.port, limit=2**20, backlog=1000
        )
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in list(tasks):
            task.cancel()
        while tasks:
            await asyncio.sleep(0.001)

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        first = await reader.readexactly(1)
        if first == b"\x16":
            # Somebody who wants TLS.
            await _send(writer, Raw(400, "Bad Request", content_type="text/plain"))
            return False
        head = (first + await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in head[1:] if line)
        }
        data = await reader.readexactly(int(headers.get("content-length", 0)))
        method, path, _ = head[0].split(" ", 2)
        asked = Received(len(self.received) + 1, method, path, headers, data)
        self.received.append(asked)
        self.busy += 1
        self.busiest = max(self.busiest, self.busy)
        try:
            return await self._reply(asked, writer)
        finally:
            self.busy -= 1

    async def _reply(self, asked: Received, writer: asyncio.StreamWriter) -> bool:
        if (
            self.keys is not None
            and asked.headers.get("authorization", "").removeprefix("Bearer ") not in self.keys
        ):
            return await _send(
                writer,
                Raw(
                    401,
                    error(
                        "Incorrect API key provided.", "invalid_request_error", "invalid_api_key"
                    ),
                ),
            )
        if not asked.is_question:
            return await _send(writer, self._other(asked))
        if refused := refusal(asked, self.without, self.dialect):
            return await _send(writer, refused)
        answer = self._answer(asked)
        cached = self._cached(asked)
        await asyncio.sleep(self.latency)
        while not self.opened.is_set():
            await asyncio.sleep(0.01)
        self._note(asked, answer)
        if isinstance(answer, Fault):
            return await self._fail(asked, answer, writer)
        if isinstance(answer, Raw):
            return await _send(writer, answer)
        return await self._say(asked, whole(asked, answer, cached), writer)

    async def _say(
        self,
        asked: Received,
        reply: dict[str, object],
        writer: asyncio.StreamWriter,
        ends: str = "",
    ) -> bool:
        if not asked.body.get("stream"):
            raw = Raw(200, reply)
            if ends != "cut":
                return await _send(writer, raw)
            writer.write(_head(raw, len(raw.data)) + raw.data[: len(raw.data) // 2])
            await writer.drain()
            return False
        events = list(pieces(asked, reply))
        writer.write(_head(Raw(200, content_type="text/event-stream"), None))
        for event in events[: len(events) // 2] if ends else events:
            await asyncio.sleep(self.piece_seconds)
            writer.write(b"%x\r\n%s\r\n" % (len(event), event))
            await writer.drain()
        if ends != "cut":
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        return ends != "cut"

    async def _fail(self, asked: Received, fault: Fault, writer: asyncio.StreamWriter) -> bool:
        if raw := status_fault(fault):
            return await _send(writer, raw)
        match fault.kind:
            case "timeout":
                await self._stop.wait()
            case "dribble":
                writer.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                while not self._stop.is_set():
                    writer.write(b"x")
                    await writer.drain()
                    await asyncio.sleep(0.02)
            case "endless":
                writer.write(_head(Raw(200), None))
                while not self._stop.is_set():
                    writer.write(b"10000\r\n" + b"1" * 65536 + b"\r\n")
                    await writer.drain()
            case "reset":
                pass
            case "cut" | "unfinished":
                return await self._say(
                    asked, whole(asked, default_answer(asked, self.says)), writer, fault.kind
                )
            case _:
                return await self._say(asked, whole(asked, "I would rather not.", 0, fault), writer)
        return False

    def _answer(self, asked: Received) -> Answer:
        with self._lock:
            self._seen[asked.digest] += 1
            if fault := self._drawn(asked):
                return fault
            if callable(self.script):
                return self.script(asked)
            if self.script is None:
                return default_answer(asked, self.says)
            if self._used == len(self.script):
                self.ran_out = True
                return Raw(500, error("the script of this test ran out", "script"))
            self._used += 1
            return self.script[self._used - 1]

    def _drawn(self, asked: Received) -> Fault | None:
        left = random.Random(f"{self.seed} {asked.digest} {self._seen[asked.digest]}").random()
        for kind, share in self.failures.items():
            if left < share:
                return Fault(kind, self.retry_after)
            left -= share
        return None

    def _cached(self, asked: Received) -> int:
        system = "".join(
            str(turn["content"]) for turn in asked.messages if turn["role"] == "system"
        )
        known = system in self._systems
        self._systems.add(system)
        return len(system) // 4 if known else 0

    def _in_batch(self, asked: Received) -> Raw:
        answer = self._answer(asked)
        if isinstance(answer, Fault):
            return status_fault(answer) or Raw(200, whole(asked, "I would rather not.", 0, answer))
        return answer if isinstance(answer, Raw) else Raw(200, whole(asked, answer))

    def _other(self, asked: Received) -> Raw:
        if asked.path.startswith(("/v1/files", "/v1/batches")):
            return self.batches.handle(asked)
        if asked.path == "/v1/models":
            return Raw(
                200,
                {
                    "object": "list",
                    "data": [{"id": "model", "object": "model", "created": 1, "owned_by": "tests"}],
                },
            )
        return Raw(
            404, error(f"Invalid URL ({asked.method} {asked.path})", "invalid_request_error")
        )

    def _note(self, asked: Received, answer: Answer) -> None:
        if self.log is None:
            return
        kind = (
            answer
            if isinstance(answer, str)
            else answer.kind
            if isinstance(answer, Fault)
            else answer.status
        )
        line = {
            "number": asked.number,
            "at": time.time(),
            "path": asked.path,
            "model": asked.body.get("model"),
        }
        line |= {"digest": asked.digest, "answer": "text" if isinstance(answer, str) else kind}
        with self._lock, self.log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


async def _send(writer: asyncio.StreamWriter, raw: Raw) -> bool:
    writer.write(_head(raw, len(raw.data)) + raw.data)
    await writer.drain()
    return True


def _head(raw: Raw, length: int | None) -> bytes:
    size = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
    given = {"Content-Type": raw.content_type, **raw.headers}
    lines = [
        f"HTTP/1.1 {raw.status} Told",
        size,
        *(f"{name}: {value}" for name, value in given.items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
