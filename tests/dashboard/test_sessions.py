"""Guards who is in where people sign in: nobody else opens anything, and who signed out, was shut
out or stayed too long is out, with every copy of the cookie and in every open page.
"""

import json
import os
import socket
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from typer.testing import CliRunner, Result
from websockets.sync.client import ClientConnection

from reviewers import settings
from reviewers.cli import build
from reviewers.errors import AreachairError
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, inbox
from reviewers.store.sessions import LoginSession, begin_session, live_sessions
from reviewers.store.submission import load_submission
from tests.builders import make_submission
from tests.dashboard.clients import PATIENCE_SECONDS, request, websocket
from tests.dashboard.serving import Server, free_port
from tests.dashboard.signing_in import login_of, provider, sign_in, written

NAME = "only-for-who-is-in"


@dataclass(frozen=True, slots=True)
class Place:
    """A desk where people sign in, and its store."""

    address: str
    file: Path
    issuer: str

    @property
    def url(self) -> str:
        return settings.sqlite_url(self.file)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("sessions")
    file, port = folder / "store.sqlite3", free_port()
    with closing(Store.open(settings.sqlite_url(file))) as store:
        store.add(make_submission(name=NAME))
    with provider() as issuer:
        own = {"AREACHAIR_DEFAULT_ROLE": "reviewer"}
        environment = {**os.environ, **login_of(issuer, f"http://127.0.0.1:{port}"), **own}
        with Server(settings.sqlite_url(file), port, environment) as server:
            yield Place(server.address, file, issuer)
        assert "Traceback" not in "".join(server.log)


def is_in(place: Place, cookies: Mapping[str, str]) -> bool:
    """Whether these cookies open the desk; for pages, files and websockets alike."""
    page = request(place.address, "/trends", accept="text/html", cookie=written(cookies))
    file = request(place.address, "/_stcore/host-config", cookie=written(cookies))
    with websocket(place.address, cookies=cookies) as opened:
        answers = (page.status == 200, file.status == 200, isinstance(opened, ClientConnection))
    assert len(set(answers)) == 1, answers
    return answers[0]


def run(page: ClientConnection, message: BackMsg | None = None) -> list[ForwardMsg]:
    """Have the script run, and return all that the page gets."""
    page.send((message or BackMsg(rerun_script={})).SerializeToString())
    came: list[ForwardMsg] = []
    while not came or came[-1].WhichOneof("type") != "script_finished":
        part = page.recv(timeout=PATIENCE_SECONDS)
        assert isinstance(part, bytes)
        came.append(ForwardMsg.FromString(part))
    return came


def shown(page: ClientConnection, message: BackMsg | None = None) -> str:
    """All text that the page gets by a run."""
    came = b"".join(each.SerializeToString() for each in run(page, message))
    return came.decode("utf-8", "replace")


def test_who_is_not_in_gets_the_way_in_and_nothing_else(place: Place) -> None:
    wall = request(place.address, "/trends", accept="text/html")
    assert (wall.status, "Sign in" in wall.text, NAME in wall.text) == (401, True, False)
    assert "<script" not in wall.text
    for path in ("/", "/_stcore/host-config", "/_stcore/metrics", "/static/js/none.js", "/media/a"):
        assert request(place.address, path).status == 403, path
    with websocket(place.address) as opened:
        assert opened == 403
    assert request(place.address, "/health").text == "ok"


def test_a_file_of_who_is_not_in_is_refused_before_it_is_read(place: Place) -> None:
    target = urlsplit(place.address)
    for method in ("PUT", "POST"):
        with socket.create_connection((target.hostname, target.port), PATIENCE_SECONDS) as sent:
            head = f"{method} /_stcore/upload_file/a/b HTTP/1.1\r\nhost: {target.netloc}\r\n"
            sent.sendall(f"{head}content-length: 19000000\r\n\r\n".encode())
            # Nothing of the file is sent, and the answer is there.
            assert sent.recv(12) == b"HTTP/1.1 403"


def test_signing_out_ends_the_session_for_every_copy_of_its_cookie_and_every_open_page(
    place: Place,
) -> None:
    cookies, other = sign_in(place.address, "grace"), sign_in(place.address, "grace")
    with websocket(place.address, cookies=cookies) as page:
        assert isinstance(page, ClientConnection)
        assert NAME in shown(page)
        out = request(place.address, "/auth/logout", accept="text/html", cookie=written(cookies))
        assert out.status == 302
        for message in (None, BackMsg(clear_cache=True), BackMsg(load_git_info=True)):
            seen = shown(page, message)
            assert "Your session has ended" in seen
            assert NAME not in seen
    assert not is_in(place, cookies)
    assert is_in(place, other), "another session of the same person"


def test_nothing_is_decided_by_a_page_whose_session_has_ended(place: Place) -> None:
    mine, other = sign_in(place.address, "grace"), sign_in(place.address, "grace")
    with (
        closing(Store.open(place.url)) as store,
        websocket(place.address, cookies=mine) as page,
        websocket(place.address, cookies=other) as alive,
    ):
        (submission,) = inbox(store, InboxQuery()).rows
        decide = {"action": "decide", "ids": [submission.id], "verdict": "ready", "reason": "read"}
        state = {"events": {"mount": "m", "queue": [{"seq": 1, **decide}]}}

        def decision_of(page: ClientConnection | int) -> BackMsg:
            assert isinstance(page, ClientConnection)
            drawn = [each.delta.new_element.bidi_component for each in run(page)]
            (id,) = {one.id for one in drawn if one.component_name == "areachair_inbox_table"}
            widget = {"id": id, "json_value": json.dumps(state)}
            return BackMsg(rerun_script={"widget_states": {"widgets": [widget]}})

        ended, lives = decision_of(page), decision_of(alive)
        request(place.address, "/auth/logout", cookie=written(mine))
        assert isinstance(page, ClientConnection)
        assert isinstance(alive, ClientConnection)
        assert "Your session has ended" in shown(page, ended)
        assert not load_submission(store, submission.id).decisions
        run(alive, lives)
        (decision,) = load_submission(store, submission.id).decisions
        assert decision.author.name == "Grace Hopper"


def test_a_cookie_that_was_never_given_out_is_refused_though_it_is_signed(place: Place) -> None:
    cookies = sign_in(place.address, "grace")
    assert is_in(place, cookies)
    claims = json.dumps(
        {"sub": "grace", "name": "Grace Hopper", "origin": place.address, "is_logged_in": True}
    )
    forged = create_signed_value("c" * 40, "_streamlit_user", claims).decode()
    assert not is_in(place, {**cookies, "_streamlit_user": forged})
    # The last letter of a signature also holds bits that decoding drops: the first one changes it.
    value, dot, signature = cookies["_streamlit_user"].rpartition(".")
    altered = value + dot + ("A" if signature[0] != "A" else "B") + signature[1:]
    assert not is_in(place, {**cookies, "_streamlit_user": altered})


def areachair(place: Place, *words: str) -> Result:
    """Run `areachair sessions`, as the operator does beside the server."""
    return CliRunner().invoke(build(lambda _: None), ["sessions", "--store", place.url, *words])


def test_the_operator_lists_sessions_and_ends_them(place: Place) -> None:
    grace, ada = sign_in(place.address, "grace"), sign_in(place.address, "ada")
    listed = areachair(place).stdout
    assert "Grace Hopper (grace at " in listed
    assert "Ada Lovelace (ada at " in listed
    for cookie in (grace["_streamlit_user"], ada["_streamlit_user"]):
        assert cookie not in listed
        assert cookie.encode() not in place.file.read_bytes()
    assert "ended" in areachair(place, "--revoke", "grace").stdout
    assert not is_in(place, grace)
    assert is_in(place, ada)
    (line,) = [line for line in areachair(place).stdout.splitlines() if "Ada" in line]
    assert areachair(place, "--revoke", line.split()[0]).stdout == "1 session ended\n"
    assert not is_in(place, ada)
    assert "nobody is signed in" in areachair(place).stdout
    wrong = areachair(place, "--revoke", "grace")
    assert (wrong.exit_code, wrong.stderr.count("\n")) == (2, 1)


def test_an_empty_word_ends_no_session(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'store.sqlite3'}"
    with closing(Store.open(url)) as store:
        until = store.now() + timedelta(hours=1)
        begin_session(
            store, LoginSession("a" * 64, "issuer", "subject", "", "", store.now(), until)
        )
        refused = CliRunner().invoke(
            build(lambda _: None), ["sessions", "--store", url, "--revoke", ""]
        )
        assert refused.exit_code == 2
        assert len(live_sessions(store)) == 1


def test_a_session_ends_by_itself(place: Place) -> None:
    cookies = sign_in(place.address, "ada")
    assert is_in(place, cookies)
    with closing(Store.open(place.url)) as store:
        (session, *_) = live_sessions(store, subject="ada")
    assert session.until - session.began == timedelta(hours=8)
    with closing(sqlite3.connect(place.file)) as database, database:
        database.execute("UPDATE login_sessions SET until = began + 1")
    assert not is_in(place, cookies)


@pytest.mark.parametrize("told", ["0", "-1", "eight", "721", "nan", "1e3", "8h"])
def test_a_lifetime_is_a_number_of_hours(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in login_of("https://sso.lab.example", "https://review.lab.example").items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AREACHAIR_LOGIN_HOURS", "0.5")
    login = settings.login()
    assert login is not None
    assert login.hours == 0.5
    monkeypatch.setenv("AREACHAIR_LOGIN_HOURS", told)
    with pytest.raises(AreachairError, match="AREACHAIR_LOGIN_HOURS is a number of hours"):
        settings.login()
