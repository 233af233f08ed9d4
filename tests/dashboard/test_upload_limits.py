"""Guards how much browsers may lay into the server's memory: by page, in all, and while it is under
way.
"""

import asyncio
from typing import Any

from starlette.responses import PlainTextResponse

from dashboard.uploads import FileAmount, Uploads

MEGABYTE = 2**20


class Stand:
    """An app that keeps what is sent, slowly, behind the limits."""

    def __init__(self, of_a_page: FileAmount, of_all: FileAmount) -> None:
        self.kept: dict[str, FileAmount] = {}
        self.read = 0
        self.app = Uploads(
            self._keep, 20 * MEGABYTE, held=lambda: self.kept, of_a_page=of_a_page, of_all=of_all
        )

    async def _keep(self, scope: Any, receive: Any, send: Any) -> None:
        self.read += 1
        await asyncio.sleep(0.01)
        page, size = scope["path"].split("/")[-2], int(dict(scope["headers"])[b"content-length"])
        self.kept[page] = self.kept.get(page, FileAmount()) + FileAmount(1, size)
        await PlainTextResponse("kept")(scope, receive, send)

    def send(self, *files: tuple[str, int], method: str = "PUT") -> list[int]:
        """Send files of so many bytes at once, each from a page; return the statuses."""
        answers: list[int] = []

        async def one(page: str, size: int) -> None:
            async def told(message: Any) -> None:
                if message["type"] == "http.response.start":
                    answers.append(message["status"])

            headers = [(b"content-length", str(size).encode())]
            path = f"/_stcore/upload_file/{page}/file"
            scope = {"type": "http", "method": method, "path": path, "headers": headers}
            await self.app(scope, None, told)  # type: ignore[arg-type]

        async def all_at_once() -> None:
            await asyncio.gather(*(one(*file) for file in files))

        asyncio.run(all_at_once())
        return sorted(answers)


def test_files_of_one_page_are_counted_and_weighed_also_while_they_are_under_way() -> None:
    by_size = Stand(FileAmount(100, 100), FileAmount(1_000, 1_000))
    assert by_size.send(*[("a", 40)] * 5) == [200, 200, 413, 413, 413]
    assert by_size.read == 2, "what is refused is not read"
    assert by_size.send(("a", 30)) == [413]
    assert by_size.send(("b", 30), ("a", 20)) == [200, 200]
    by_number = Stand(FileAmount(3, 100), FileAmount(1_000, 1_000))
    assert by_number.send(*[("a", 1)] * 5) == [200, 200, 200, 413, 413]
    by_number.kept.clear()
    assert by_number.send(("a", 1)) == [200], "what was taken makes room"


def test_files_of_all_pages_are_bounded_together() -> None:
    stand = Stand(FileAmount(100, 100), FileAmount(100, 200))
    assert stand.send(*[(page, 50) for page in "abcdef"]) == [200] * 4 + [413] * 2
    assert stand.send(("g", 1), method="POST") == [413]
