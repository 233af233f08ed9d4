"""Guards several web processes on one store: what one of them acknowledged the others show, one
that dies comes back, and none outlives what started it.
"""

import os
import re
import signal
import socket
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from reviewers.records import Submission
from reviewers.store import Store
from reviewers.store.submission import load_submission
from tests.dashboard.clients import request
from tests.dashboard.desk import RECORDED, RULES, lineage
from tests.dashboard.models import until
from tests.dashboard.serving import Server, free_port
from tests.dashboard.signing_in import login_of, provider, sign_in, written

PROCESSES = ["--processes", "2"]


def both(server: Server) -> tuple[str, str]:
    """The addresses of two web processes."""
    place, port = server.address.rsplit(":", 1)
    return f"{place}:{port}", f"{place}:{int(port) + 1}"


def children(parent: int) -> Sequence[int]:
    """The processes that a process started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if int((folder / "stat").read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(folder.name))
    return sorted(found)


def listening(address: str) -> bool:
    """Whether a web process answers."""
    with suppress(OSError):
        return request(address, "/health").text == "ok"
    return False


def taken_over(by: socket.socket, port: int) -> bool:
    """Listen on a port once the process that did is gone."""
    with suppress(OSError):
        by.bind(("127.0.0.1", port))
        by.listen()
        return True
    return False


@pytest.fixture
def made(store: Store) -> Sequence[Submission]:
    """Three attempts with two reviews each."""
    made = lineage("exp", 3)
    for each in made:
        store.add(each, (RECORDED, RULES))
    return made


@pytest.mark.browser
@pytest.mark.long
def test_what_one_web_process_acknowledged_the_other_shows(
    made: Sequence[Submission], url: str, store: Store, page: Page, tmp_path: Path, worker: None
) -> None:
    dropped = tmp_path / "dropped.txt"
    dropped.write_bytes(Path("sample_bundles/retrieval-head.txt").read_bytes())
    with Server(url, options=[*PROCESSES, "--no-work"]) as server:
        one, two = both(server)
        page.context.add_cookies([{"name": "areachair_author", "value": "ann", "url": one}])
        first, second, _ = (f"/submission?s={each.id[:16]}" for each in made)

        page.goto(one + first)
        page.locator(".card").first.get_by_role("button", name="Confirm").click()
        expect(page.locator(".card .ruling", has_text="ann")).to_have_count(1)
        page.keyboard.press("1")
        page.keyboard.type("it runs")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.locator(".st-key-decision")).to_contain_text("it runs")
        page.goto(two + first)
        expect(page.locator(".card .ruling", has_text="ann")).to_have_count(1)
        expect(page.locator(".st-key-decision")).to_contain_text("it runs")

        # What was looked at in one process is not judged blind in the other.
        page.goto(two + second)
        page.context.add_cookies([{"name": "areachair_blind", "value": "1", "url": one}])
        page.goto(one + second)
        expect(page.locator(".st-key-veil")).to_contain_text("will not count as blind")
        page.context.add_cookies([{"name": "areachair_blind", "value": "0", "url": one}])

        page.goto(f"{one}/?sort=name&lineage=exp")
        page.get_by_role("button", name="Save this view").click()
        page.keyboard.type("mine")
        page.keyboard.press("Enter")
        expect(page.locator(".saved")).to_contain_text("mine")
        page.get_by_role("button", name="Import", exact=True).click()
        page.locator("input[type=file]").set_input_files(dropped)
        expect(page.locator(".st-key-inbox-main li")).to_contain_text("1 new or changed")
        page.goto(two)
        expect(page.locator(".saved")).to_contain_text("mine")
        expect(page.locator("tbody tr", has_text="dropped")).to_have_count(1)
        assert "Traceback" not in "".join(server.log)

        # What a process did not acknowledge before it died is given back, and saved once.
        page.goto(one + second)
        os.kill(children(server.pid)[0], signal.SIGKILL)
        page.keyboard.press("1")
        page.keyboard.type("after the death")
        page.keyboard.press("Enter")
        expect(page.locator(".st-key-decision")).to_contain_text("Perhaps not saved")
        page.get_by_label("Reason", exact=True).press("Enter")
        until(lambda: load_submission(store, made[1].id).decisions)
        said = [each.reason for each in load_submission(store, made[1].id).decisions]
        assert said == ["after the death"]

        started = children(server.pid)
        server.kill()
        until(lambda: not any(Path(f"/proc/{each}").exists() for each in started))


@pytest.mark.long
def test_a_session_is_one_of_all_and_a_web_process_that_dies_comes_back_unless_it_cannot(
    made: Sequence[Submission], url: str
) -> None:
    port = free_port()
    with provider() as issuer:
        environment = {**os.environ, **login_of(issuer, f"http://127.0.0.1:{port}")}
        with Server(url, port, environment, PROCESSES) as server:
            one, two = both(server)
            # The process that leads to the provider may be another one than is come back to.
            cookies = written(sign_in(one, "grace", back_at=two))

            def is_in(address: str) -> bool:
                return request(address, "/", accept="text/html", cookie=cookies).status == 200

            assert is_in(one)
            assert is_in(two)
            out = request(two, "/auth/logout", accept="text/html", cookie=cookies)
            assert out.status == 302
            assert not is_in(one)
            assert not is_in(two)

            started = children(server.pid)
            assert len(started) == 3, "two web processes and one worker"
            os.kill(started[0], signal.SIGKILL)
            until(lambda: any("it starts again" in line for line in server.log))
            until(lambda: listening(one))
            assert len(children(server.pid)) == 3
            assert listening(two)

            (again,) = set(children(server.pid)) - set(started)
            os.kill(again, signal.SIGKILL)
            with socket.socket() as taken:
                taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                until(partial(taken_over, taken, int(one.rsplit(":", 1)[1])))
                assert server.ended() == 2
            (said,) = [line for line in server.log if "right after its start" in line]
            assert re.search(r"web process 1 \(port \d+\) ended with exit code 2, 4 times", said)
            assert not listening(two)
