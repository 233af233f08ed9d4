"""Guards the start of the server where no browser is needed, and the headers of every answer."""

import asyncio
import gzip
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from dashboard.headers import SecurityHeaders, content_security_policy
from dashboard.request_guard import EXPORTS
from dashboard.serve import serve
from reviewers.cli import DashboardOptions
from reviewers.errors import AreachairError
from reviewers.jobs.handing_in import ExportedAs, export_job
from reviewers.jobs.names import RULES
from reviewers.store import Store
from reviewers.store.jobs import JobState, NewJob, enqueue_jobs, jobs_of, live_jobs
from tests.builders import make_submission
from tests.dashboard.models import until
from tests.dashboard.serving import Server, free_port


def test_a_taken_port_is_one_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(AreachairError, match=f"cannot listen on 127.0.0.1:{port} .*--port"):
            serve(DashboardOptions("sqlite://", "127.0.0.1", port, False))


@pytest.mark.parametrize(
    ("store", "author", "problem"),
    [
        ("there/store.sqlite3", "ada", "there/store.sqlite3: the store cannot be opened"),
        ("new.sqlite3", "a" * 41, "AREACHAIR_AUTHOR: a name has at most 40 characters"),
    ],
)
def test_what_cannot_be_served_ends_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: str, author: str, problem: str
) -> None:
    (tmp_path / "there").write_text("not a folder")
    monkeypatch.setenv("AREACHAIR_AUTHOR", author)
    code = "import sys; sys.argv[0] = 'areachair'; from dashboard.serve import main; main()"
    options = ("--store", f"sqlite:///{tmp_path / store}", "--port", str(free_port()))
    ended = subprocess.run(
        [sys.executable, "-c", code, *options], check=False, capture_output=True, text=True
    )
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert problem in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_the_command_line_does_not_import_streamlit() -> None:
    code = (
        "import sys, dashboard.serve; sys.exit(bool({'streamlit', 'pandas', 'plotly'} &"
        " sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.long
def test_a_request_that_never_ends_does_not_keep_the_server(url: str) -> None:
    with Server(url) as server:
        address = urlsplit(server.address)
        waiting = socket.create_connection((address.hostname, address.port))
        head = "POST /_stcore/health HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n"
        waiting.sendall(head.encode() + b"half")
        server.stop()
    waiting.close()


@pytest.mark.long
def test_a_desk_does_what_was_left_behind_and_replaces_a_worker_that_dies(
    url: str, store: Store
) -> None:
    submission = make_submission()
    store.add(submission)

    rules = NewJob(task=RULES, submission_id=submission.id, reviewer="rules")

    def process_of(work: int) -> int:
        """Wait for the end of a job, and return the process that did it."""
        until(lambda: not live_jobs(store))
        (job,) = jobs_of(store, work)
        assert (job.state, job.problem) == (JobState.DONE, "")
        return int(str(job.worker).split(":")[1])

    left = enqueue_jobs(store, [rules])
    asked = export_job([submission.id], ExportedAs.JSONL, "all", "")
    with Server(url) as server:
        first = process_of(left)
        os.kill(first, signal.SIGKILL)
        second = process_of(enqueue_jobs(store, [rules]))
        process_of(enqueue_jobs(store, [asked]))
        where = f"{server.address.rstrip('/')}{EXPORTS}"
        with urlopen(f"{where}{asked.arguments['key']}") as answer:
            assert answer.headers["content-disposition"] == 'attachment; filename="all.jsonl.gz"'
            assert submission.id in gzip.decompress(answer.read()).decode()
        with pytest.raises(HTTPError, match="404"):
            urlopen(f"{where}{'a' * 32}")
    assert first != second
    until(lambda: not Path(f"/proc/{second}").exists())


def test_only_the_pages_own_inline_scripts_are_allowed() -> None:
    policy = content_security_policy(b"<script>a()</script><script src='x.js'></script>")
    assert policy.count("'sha256-") == 4  # Streamlit's, and ours for theme, last state and veil
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
