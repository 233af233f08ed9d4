"""Guards uploads: a bundle from the browser is reviewed and kept, a broken one refused in one line,
and browsers lay only so much into the server's memory.
"""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from streamlit.testing.v1 import AppTest

from dashboard import session
from dashboard.uploads import FileAmount, Uploads
from reviewers.bundles import submission_to_json
from reviewers.errors import BundleError
from reviewers.jobs.tasks import uploaded_bundles
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, inbox
from reviewers.store.jobs import live_jobs
from tests.builders import make_submission
from tests.dashboard.desk import ANSWER
from tests.dashboard.models import until
from tests.dashboard.screens import components, drawn, open_page, send

pytestmark = pytest.mark.usefixtures("worker")
JSON = json.dumps(submission_to_json(replace(make_submission(), recorded=(ANSWER,)))).encode()


def put(at: AppTest, *files: tuple[str, bytes]) -> AppTest:
    """Upload files and wait until all are read."""
    at.get("file_uploader")[0].set_value(
        [(name, data, "application/octet-stream") for name, data in files]
    ).run()
    until(lambda: not live_jobs(session.store()))
    return at.run()


def said(at: AppTest) -> list[tuple[str, str, str]]:
    """What is said of each file."""
    return [(one["name"], one["state"], one["said"]) for one in drawn(at, "inbox_import")["files"]]


def test_an_upload_is_reviewed_and_kept_and_again_it_changes_nothing(store: Store) -> None:
    at = put(open_page(), ("gate.json", JSON))
    assert not at.exception
    assert said(at) == [("gate.json", "read", "1 new or changed")]
    assert "inbox_table" in components(at)
    (row,) = inbox(store, InboxQuery()).rows
    assert {chip.reviewer for chip in row.chips} == {"recorded", "rules"}
    assert said(put(at, ("gate.json", JSON))) == [("gate.json", "already known", "1 already known")]
    assert inbox(store, InboxQuery()).total == 1


@pytest.mark.parametrize(
    ("name", "data"),
    [
        pytest.param("empty.txt", b"", id="empty"),
        pytest.param("cut.json", JSON[:200], id="truncated"),
        pytest.param("noise.zip", b"PK\x03\x04 nothing", id="broken archive"),
        pytest.param(
            "<img src=x onerror=alert(1)>.json", b"[" * 20_000, id="deep nesting and a hostile name"
        ),
    ],
)
def test_a_broken_upload_is_one_line(store: Store, name: str, data: bytes) -> None:
    at = put(open_page(), (name, data))
    assert not at.exception
    ((shown, state, words),) = said(at)
    assert (shown, state) == (name, "refused")
    assert words
    assert "\n" not in words
    assert "/tmp" not in words
    assert inbox(store, InboxQuery()).total == 0


def test_broken_files_among_others_end_nothing_but_themselves(store: Store) -> None:
    runs = {"odd": 'run_id: odd\nzz: !!int ""\n'}
    odd = json.dumps(submission_to_json(make_submission(runs=runs, name="odd"))).encode()
    at = put(
        open_page(),
        ("noise.zip", b"PK\x03\x04 nothing"),
        ("odd.json", odd),
        ("deep.json", b"[" * 20_000),
        ("gate.json", JSON),
    )
    assert not at.exception
    assert [(name, state) for name, state, _ in said(at)] == [
        ("noise.zip", "refused"),
        ("odd.json", "read"),
        ("deep.json", "refused"),
        ("gate.json", "read"),
    ]
    assert inbox(store, InboxQuery()).total == 2


def test_a_file_that_the_browser_did_not_send_is_told_beside_the_others(store: Store) -> None:
    at = put(open_page(), ("gate.json", JSON))
    send(at, "inbox_views", {"action": "large", "names": ["<b>huge.zip"]})
    assert [(name, state) for name, state, _ in said(at)] == [
        ("gate.json", "read"),
        ("<b>huge.zip", "refused"),
    ]
    assert "areachair import" in said(at)[1][2]
    assert drawn(at, "inbox_views")["large"] == 1
    send(at, "inbox_import", {"action": "close"})
    assert "inbox_import" not in components(at)


@pytest.mark.parametrize(
    "name", ["../../evil.json", "/etc/evil.json", "..\\..\\evil.json", "a/b/evil.json"]
)
def test_a_name_with_a_path_stays_in_its_folder(name: str) -> None:
    (submission,) = uploaded_bundles(name, JSON)
    assert submission.source == f"uploaded {name}"


def test_a_name_without_letters_is_read_all_the_same() -> None:
    with pytest.raises(BundleError):
        uploaded_bundles("...", b"")


MEGABYTE = 2**20


class Stand:
    """An app that keeps what is sent, slowly, behind the limits."""

    def __init__(
        self, of_a_page: FileAmount, of_all: FileAmount, processes: int = 1, waiting: int = 0
    ) -> None:
        self.kept: dict[str, FileAmount] = {}
        self.read = 0
        self.app = Uploads(
            self._keep,
            20 * MEGABYTE,
            held=lambda: self.kept,
            of_a_page=of_a_page,
            of_all=of_all,
            waiting=lambda: waiting,
            processes=processes,
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


def test_each_of_several_processes_has_its_part_and_a_page_finds_room_in_any() -> None:
    of_a_page, of_all = FileAmount(100, 100), FileAmount(400, 400)
    for processes, taken in ((2, 4), (4, 2), (64, 2)):
        stand = Stand(of_a_page, of_all, processes)
        assert stand.send(*[(page, 50) for page in "abcdef"]).count(200) == taken
    assert Stand(of_a_page, of_all, 2, waiting=200).send(("a", 50), ("b", 51)) == [200, 413]
