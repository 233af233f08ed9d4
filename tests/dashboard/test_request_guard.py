"""Guards which addresses the desk may be served at, by which names and pages it is reached, and how
much a page may lay into its memory.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from websockets.sync.client import ClientConnection

from dashboard.uploads import OF_A_PAGE
from reviewers.cli.serving import Audience, DashboardOptions
from reviewers.errors import AreachairError
from reviewers.store import Store
from reviewers.store.sessions import LoginSession, begin_session
from tests.builders import make_submission
from tests.dashboard.clients import PATIENCE_SECONDS, Got, request, websocket
from tests.dashboard.serving import Server, free_port
from tests.dashboard.signing_in import login_of

LOGIN = login_of("https://sso.lab.example", "https://review.lab.example")
# Writes down whom the process connects to outside of this machine, and lets it reach nobody.
WATCH = """
import os, socket
connect = socket.socket.connect
look_up = socket.getaddrinfo
def told(name):
    with open(os.environ["WATCHED"], "a") as file:
        file.write(f"{name}\\n")
    raise OSError("nobody is reached in a test")
def connecting(self, address):
    if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in ("127.0.0.1", "::1"):
        told(address)
    return connect(self, address)
def looking_up(host, *rest, **more):
    if host not in (None, "", "127.0.0.1", "0.0.0.0", "localhost", b"127.0.0.1"):
        told(host)
    return look_up(host, *rest, **more)
socket.socket.connect = connecting
socket.getaddrinfo = looking_up
"""


def options(host: str, open: bool = False, allowed: tuple[str, ...] = ()) -> DashboardOptions:
    return DashboardOptions("sqlite://", host, 8501, False, open, allowed)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.5", "::1", "localhost"])
def test_on_this_machine_alone_nothing_is_asked_for(host: str) -> None:
    assert options(host).reach is Audience.ALONE


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "192.168.1.7", "desk", "", "0", "localhost.evil.example", "127.1"]
)
def test_an_address_that_others_reach_wants_signing_in_or_open(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(AreachairError, match=r"without signing in.*--open"):
        options(host)
    assert options(host, open=True).reach is Audience.OPEN
    for name, value in LOGIN.items():
        monkeypatch.setenv(name, value)
    assert options(host).reach is Audience.LOGIN
    with pytest.raises(AreachairError, match="remove one of them"):
        options(host, open=True)


@pytest.mark.parametrize("name", ["https://desk.lab.example", "desk:80", "*", "*.lab", "a b", ""])
def test_a_further_name_is_a_name_of_an_open_desk(name: str) -> None:
    with pytest.raises(AreachairError, match="--allow-host takes a name"):
        options("0.0.0.0", True, (name,))
    with pytest.raises(AreachairError, match="requires --open"):
        options("127.0.0.1", False, ("desk.lab.example",))


def test_without_signing_in_others_are_not_let_in_by_mistake(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            Path(sys.executable).with_name("areachair"),
            *("--store", f"sqlite:///{tmp_path / 'none.sqlite3'}"),
            *("--host", "0.0.0.0", "--port", str(free_port()), "--no-browser"),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "use --open" in done.stderr
    assert not any(tmp_path.glob("none*"))


CLAIMS = json.dumps(
    {"iss": "https://sso.lab.example", "sub": "ada", "name": "Ada"}
    | {"origin": LOGIN["AREACHAIR_LOGIN_ADDRESS"], "is_logged_in": True}
)


def signed_in_before(store: Store) -> None:
    """A session that somebody began with the provider, which no test reaches."""
    began = store.now()
    id = hashlib.sha256(CLAIMS.encode()).hexdigest()
    until = began + timedelta(hours=1)
    begin_session(store, LoginSession(id, "https://sso", "ada", "Ada", "", began, until))


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Server]]:
    """A desk on this machine alone, an open one, and one where people sign in, each watched."""
    folder = tmp_path_factory.mktemp("doors")
    (folder / "sitecustomize.py").write_text(WATCH, "utf-8")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("AREACHAIR_")},
        "PYTHONPATH": str(folder),
        "WATCHED": str(folder / "watched"),
        "XDG_CONFIG_HOME": str(folder),
    }
    url = f"sqlite:///{folder / 'store.sqlite3'}"
    with closing(Store.open(url)) as store:
        store.add(make_submission())  # an empty store is filled with samples first
        signed_in_before(store)
    opened = ("--host", "0.0.0.0", "--open", "--allow-host", "Desk.lab.example")
    with (
        Server(url, environment=environment, afresh_in=folder) as alone,
        Server(url, environment=environment, options=opened) as open,
        Server(url, environment={**environment, **LOGIN}, options=opened[:2]) as login,
    ):
        yield {"alone": alone, "open": open, "login": login}
    watched = folder / "watched"
    assert not watched.exists(), watched.read_text("utf-8")
    log = "".join([*alone.log, *open.log, *login.log])
    assert "external" not in log
    assert "Traceback" not in log


@pytest.mark.parametrize(
    ("desk", "host", "status"),
    [
        ("alone", "127.0.0.1", 200),
        ("alone", "localhost:9000", 200),
        ("alone", "[::1]:8501", 200),
        ("alone", "[::1]evil.example", 403),
        ("alone", "evil.example", 403),
        ("alone", "localhost.evil.example", 403),
        ("alone", "127.0.0.1.evil.example", 403),
        ("alone", "localhost@evil.example", 403),
        ("alone", "localhost#.evil.example", 403),
        ("alone", "localhost?.evil.example", 403),
        ("alone", "desk.lab.example", 403),
        ("alone", "192.168.1.7", 403),
        ("alone", "", 403),
        ("open", "desk.lab.example", 200),
        ("open", "DESK.lab.example:8501", 200),
        ("open", "127.0.0.1", 200),
        ("open", "evil.example", 403),
        ("open", "192.0.2.7", 403),
        ("login", "evil.example", 403),
        ("login", "desk.lab.example", 403),
    ],
)
def test_a_name_that_is_not_the_desks_is_refused(
    places: dict[str, Server], desk: str, host: str, status: int
) -> None:
    address = places[desk].address
    for path in ("/", "/_stcore/host-config", "/static/none.js", "/trends"):
        got = request(address, path, host=host)
        assert (got.status == 403) == (status == 403), path
        assert "content-security-policy" in got.headers
    assert request(address, "/health", host=host).text == "ok"
    assert "--allow-host NAME" in got.text or status == 200
    if set(host) & set("@#?") or "]e" in host:
        return  # no client writes such an address
    with websocket(address, host=host or "evil.example", origin=f"http://{host.lower()}") as opened:
        assert isinstance(opened, ClientConnection) == (status == 200)


@pytest.mark.parametrize(
    ("desk", "origin"),
    [
        ("alone", "http://localhost:3000"),
        ("alone", "http://127.0.0.1:3000"),
        ("alone", "http://127.0.0.1"),
        ("alone", "null"),
        ("alone", "https://evil.example"),
        ("open", "http://localhost:3000"),
        ("open", "https://evil.example"),
        ("login", "http://127.0.0.1:3000"),
        ("login", "http://review.lab.example"),
        ("login", "https://evil.example"),
    ],
)
def test_only_the_desks_own_pages_open_its_websocket_or_send_anything(
    places: dict[str, Server], desk: str, origin: str
) -> None:
    address = places[desk].address
    with websocket(address, origin=origin) as opened:
        assert opened == 403
    for method in ("PUT", "OPTIONS", "GET"):
        got = request(address, "/_stcore/upload_file/a/b", method, b"x", origin=origin)
        assert got.status == 403
        assert "access-control-allow-origin" not in got.headers


def test_the_desks_own_page_is_one_of_the_same_name_and_port(places: dict[str, Server]) -> None:
    for desk, host in (("alone", None), ("open", None), ("open", "desk.lab.example:8443")):
        address = places[desk].address
        origin = f"http://{host}" if host else None
        with websocket(address, host=host, origin=origin) as opened:
            assert isinstance(opened, ClientConnection)


@pytest.mark.parametrize("passed_on", [True, False], ids=["host passed on", "host of the upstream"])
def test_behind_a_proxy_the_configured_address_counts_and_no_header_of_the_proxy(
    places: dict[str, Server], passed_on: bool
) -> None:
    address, ours = places["login"].address, LOGIN["AREACHAIR_LOGIN_ADDRESS"]
    host = "review.lab.example" if passed_on else urlsplit(address).netloc
    told = {"x_forwarded_proto": "https", "x_forwarded_host": "review.lab.example"}
    wall = request(address, "/trends", accept="text/html", host=host, **told)
    assert wall.status == 401
    assert "; Secure" in wall.headers["set-cookie"]
    assert request(address, "/", accept="text/html", host="evil.example", **told).status == 403
    secret = LOGIN["AREACHAIR_LOGIN_COOKIE_SECRET"]
    signed = create_signed_value(secret, "_streamlit_user", CLAIMS).decode()
    cookies = {"_streamlit_user": signed}
    for origin, opens in ((ours, True), (f"http://{host}", False), (f"{ours}:8443", False)):
        with websocket(address, host=host, origin=origin, cookies=cookies) as opened:
            assert isinstance(opened, ClientConnection) == opens, origin
    page = request(address, "/", accept="text/html", host=host, cookie=f"_streamlit_user={signed}")
    assert page.status == 200


def put(address: str, page: str, name: str, size: int) -> Got:
    """Send a file as the browser does."""
    token = request(address, "/_stcore/health").cookies["_streamlit_xsrf"]
    head = b'--x\r\ncontent-disposition: form-data; name="f"; filename="f"\r\n\r\n'
    return request(
        address,
        f"/_stcore/upload_file/{page}/{name}",
        "PUT",
        head + bytes(size) + b"\r\n--x--\r\n",
        origin=address,
        cookie=f"_streamlit_xsrf={token}",
        x_xsrftoken=token,
        content_type="multipart/form-data; boundary=x",
    )


def test_a_page_cannot_fill_the_servers_memory(places: dict[str, Server]) -> None:
    address = places["alone"].address
    with websocket(address) as page:
        assert isinstance(page, ClientConnection)
        page.send(BackMsg(rerun_script={}).SerializeToString())
        id = ""
        while not id:
            part = page.recv(timeout=PATIENCE_SECONDS)
            assert isinstance(part, bytes)
            id = ForwardMsg.FromString(part).new_session.initialize.session_id
        statuses = [put(address, id, str(at), 19 * 2**20).status for at in range(7)]
    fit = OF_A_PAGE.size // (19 * 2**20)
    assert statuses == [204] * fit + [413] * (7 - fit)


@pytest.mark.long
def test_the_folder_it_is_started_in_says_nothing_about_how_the_desk_is_served(
    tmp_path: Path,
) -> None:
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text(
        '[server]\nbaseUrlPath = "x"\nenableXsrfProtection = false\n[logger]\nlevel = "debug"\n'
    )
    (tmp_path / ".streamlit" / "secrets.toml").write_text(
        '[auth]\nredirect_uri = "http://localhost/oauth2callback"\ncookie_secret = "c"\n'
        'client_id = "a"\nclient_secret = "b"\nserver_metadata_url = "http://127.0.0.1:9/"\n'
    )
    url = f"sqlite:///{tmp_path / 'store.sqlite3'}"
    with closing(Store.open(url)) as store:
        store.add(make_submission())
    with Server(url, afresh_in=tmp_path) as desk:
        assert request(desk.address, "/_stcore/host-config").status == 200
        assert "_streamlit_xsrf" in request(desk.address, "/_stcore/health").cookies
        with websocket(desk.address) as page:
            assert isinstance(page, ClientConnection)
            page.send(BackMsg(rerun_script={}).SerializeToString())
            shown = ""
            while "script_finished" not in shown:
                shown += str(ForwardMsg.FromString(bytes(page.recv(timeout=PATIENCE_SECONDS))))
    assert "areachair_inbox_table" in shown
    assert "Registered component" not in "".join(desk.log)
