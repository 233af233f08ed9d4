"""Guards what a person's role allows at a desk where people sign in: a viewer reads everything and
changes nothing, by whatever way; roles come from the provider's groups and from the store.
"""

import json
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from typer.testing import CliRunner, Result
from websockets.sync.client import ClientConnection

from dashboard.addresses import SIDE_BY_SIDE
from dashboard.repairing import way_id
from reviewers import settings
from reviewers.backends.configured import ReviewerConfig, keep
from reviewers.cli import build
from reviewers.offers import Offer, Offers, ProvenWay
from reviewers.panel.version import own_version
from reviewers.records import Verdict
from reviewers.repairs.patch import patch
from reviewers.roles import Role
from reviewers.store import Store
from reviewers.store.authors import Signer
from reviewers.store.change_log import changes
from reviewers.store.desk_choices import saved_views
from reviewers.store.jobs import shown_works
from reviewers.store.person_roles import role_given
from reviewers.store.repairs import ProvenRepairs, keep_repairs
from reviewers.store.submission import load_submission
from tests.builders import make_submission
from tests.dashboard.clients import PATIENCE_SECONDS, request, websocket
from tests.dashboard.desk import RULES
from tests.dashboard.serving import Server, free_port
from tests.dashboard.signing_in import login_of, provider, sign_in, written
from tests.reviewers.store.making import content_of

PAPER = make_submission({"src/train.py": "print(absent)\n"}, name="the one to judge")
MENDED = make_submission({"src/train.py": "print(2)\n"}, name="the one to judge")
OFFER = Offer(
    finding=RULES.findings[0].id,
    rule="FS01",
    span=None,
    message="m",
    ways=(ProvenWay("Print it", patch(PAPER, MENDED)),),
    asks="",
    proof="it is gone",
)
WHY = "You are a viewer here: ask an operator for the role of a reviewer."
KEPT = (
    *("submissions", "decisions", "rulings", "own_findings", "remarks", "readings", "relations"),
    *(
        "assignments",
        "repair_choices",
        "contract_choices",
        "reviews",
        "jobs",
        "works",
        "roles",
        "change_log",
    ),
)


@dataclass(frozen=True, slots=True)
class Place:
    """A desk where people sign in, with its store and its reviewers' file."""

    address: str
    url: str
    issuer: str
    reviewers: Path
    server: Server


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("roles")
    url, port = settings.sqlite_url(folder / "store.sqlite3"), free_port()
    path = folder / "reviewers.toml"
    keep(path, ReviewerConfig(name="local", model="m", base_url="http://127.0.0.1:9/v1"))
    with closing(Store.open(url)) as store:
        store.add(PAPER, (RULES,))
        plan = ProvenRepairs(Offers((OFFER,)), OFFER.ways[0].patch, MENDED.id)
        keep_repairs(store, PAPER.id, own_version(), plan)
    with provider(groups={"ada": ["lab", "admins"]}) as issuer:
        own = {
            "AREACHAIR_REVIEWERS": str(path),
            "AREACHAIR_ROLE_OPERATOR": "admins",
            "XDG_CACHE_HOME": str(folder),
        }
        login = login_of(issuer, f"http://127.0.0.1:{port}")
        with Server(url, port, {**os.environ, **login, **own}, ["--no-work"]) as server:
            yield Place(server.address, url, issuer, path, server)
        assert "Traceback" not in "".join(server.log)


@pytest.fixture
def store(place: Place) -> Iterator[Store]:
    with closing(Store.open(place.url)) as opened:
        yield opened


def shown(text: str) -> str:
    """Text as a browser shows it, without what keeps it from being read as Markdown."""
    return text.replace("\u2060", "").replace("\\", "")


class Page:
    """A page as a browser has it open: what is drawn, and what is sent."""

    def __init__(self, connection: ClientConnection, path: str, query: str) -> None:
        self._connection = connection
        self._state = {"query_string": query, "page_name": path}
        self.run()

    def run(self, **widgets: Any) -> None:
        """Run the script with these states of widgets, by their ids."""
        states = [
            {"id": id, **(value if isinstance(value, dict) else {"trigger_value": value})}
            for id, value in widgets.items()
        ]
        sent = {**self._state, "widget_states": {"widgets": states}}
        self._connection.send(BackMsg(rerun_script=sent).SerializeToString())
        self.came: list[ForwardMsg] = []
        while not self.came or self.came[-1].WhichOneof("type") != "script_finished":
            part = self._connection.recv(timeout=PATIENCE_SECONDS)
            assert isinstance(part, bytes)
            self.came.append(ForwardMsg.FromString(part))

    def send(self, component: str, **event: Any) -> None:
        """Send an event as a component would."""
        (id,) = {one.id for one in self._components() if one.component_name.endswith(component)}
        state = {"events": {"mount": os.urandom(4).hex(), "queue": [{"seq": 1, **event}]}}
        self.run(**{id: {"json_value": json.dumps(state)}})

    def _components(self) -> list[Any]:
        return [each.delta.new_element.bidi_component for each in self.came]

    @property
    def text(self) -> str:
        """All that came with the last run."""
        return shown(
            b"".join(each.SerializeToString() for each in self.came).decode(errors="replace")
        )

    @property
    def refusals(self) -> list[str]:
        """What the page says was refused."""
        told = [shown(each.delta.new_element.alert.body) for each in self.came]
        forms = [one for one in self._components() if one.component_name.endswith("decision_form")]
        told += [(json.loads(one.json)["refused"] or {}).get("words", "") for one in forms]
        return [each for each in told if each]

    @property
    def buttons(self) -> dict[str, str]:
        """The ids of the buttons by their words."""
        drawn = (each.delta.new_element.button for each in self.came)
        return {one.label: one.id for one in drawn if one.id}

    def data(self, component: str) -> dict[str, Any]:
        """What a component was given."""
        found = [one for one in self._components() if one.component_name.endswith(component)]
        told: dict[str, Any] = json.loads(found[-1].json)
        return told


@contextmanager
def opened(
    place: Place, cookies: Mapping[str, str], path: str = "", query: str = ""
) -> Iterator[Page]:
    with websocket(place.address, cookies=cookies) as connection:
        assert isinstance(connection, ClientConnection)
        yield Page(connection, path, query)


@pytest.fixture(scope="module")
def viewer(place: Place) -> dict[str, str]:
    """The cookies of somebody without a role."""
    return sign_in(place.address, "grace")


SUBMISSION = f"s={PAPER.id[:16]}"
KEY = f"rules/{RULES.findings[0].id}"
DECIDE = {"kind": "decide", "id": PAPER.id, "verdict": "ready", "reason": "r", "next": False}
WAY = way_id(OFFER.ways[0])
SAID: list[dict[str, Any]] = [
    {"kind": "repair", "way": WAY},
    {"kind": "repair_all"},
    {"kind": "repair_decline", "why": "r"},
    {"kind": "repair_edit", "way": WAY, "texts": ["print(3)"]},
    {"kind": "mend"},
]
FORGED: list[tuple[str, str, dict[str, Any]]] = [
    ("", "inbox_table", {"action": "decide", "ids": [PAPER.id], "verdict": "ready", "reason": "r"}),
    ("", "inbox_table", {"action": "decide_all", "verdict": "ready", "reason": "r", "total": 1}),
    ("", "inbox_table", {"action": "claim", "ids": [PAPER.id]}),
    ("", "inbox_table", {"action": "assign", "ids": [PAPER.id], "to": "Eve"}),
    ("submission", "decision_form", DECIDE),
    ("submission", "code_view", {"kind": "rule", "key": KEY, "word": "confirm", "reason": ""}),
    ("submission", "code_view", {"kind": "remark", "key": KEY, "severity": "minor", "comment": ""}),
    *(("submission", "code_view", {"key": KEY, "finding": OFFER.finding, **each}) for each in SAID),
    (
        *("submission", "code_view"),
        {"kind": "find", "file": "src/train.py", "line": 1, "end": 1, "message": "m"}
        | {"severity": "minor", "category": "data-leakage"},
    ),
    (SIDE_BY_SIDE, "side_table", {"kind": "rule", "key": KEY, "word": "confirm", "reason": ""}),
    ("submission", "verdict_columns", {"kind": "again", "name": "local"}),
    ("submission", "verdict_columns", {"kind": "cancel", "name": "local"}),
    ("reviewers", "reviewer_table", {"kind": "remove", "name": "local"}),
    ("reviewers", "reviewer_table", {"kind": "try", "name": "local"}),
]


@pytest.mark.parametrize(
    ("path", "component", "event"),
    FORGED,
    ids=lambda each: each.get("action", each.get("kind")) if isinstance(each, dict) else "",
)
def test_what_a_viewers_browser_forges_is_refused_in_one_sentence(
    place: Place,
    viewer: dict[str, str],
    path: str,
    component: str,
    event: dict[str, Any],
) -> None:
    file = place.reviewers.read_bytes()
    with opened(place, viewer, path, SUBMISSION if path.startswith("s") else "") as page:
        before = content_of(place.url, KEPT)
        page.send(component, **event)
        (told,) = page.refusals
        assert told.startswith("You are a viewer here: ask an operator for the role of")
    assert content_of(place.url, KEPT) == before
    assert place.reviewers.read_bytes() == file


def test_a_viewer_reads_all_pages_and_is_offered_nothing(
    place: Place, viewer: dict[str, str]
) -> None:
    with opened(place, viewer) as page:
        assert (PAPER.name in page.text, WHY in page.text) == (True, True)
        assert page.data("inbox_table")["only_reads"]
        assert not page.data("inbox_table")["can_ask"]
        assert "upload_file" not in page.text
        assert not {"Ask reviewers", "Import"} & page.buttons.keys()
    with opened(place, viewer, "submission", SUBMISSION) as page:
        assert page.data("decision_form")["why_not"] == WHY
        assert "absent" in page.text
        assert "Run rules again" not in page.buttons
    with opened(place, viewer, "reviewers") as page:
        assert not page.data("reviewer_table")["writable"]
        assert "Add a reviewer" not in page.buttons
    with opened(place, viewer, "settings") as page:
        assert "Your role: viewer." in page.text
        assert "People" not in page.text
    with opened(place, viewer, "settings", "section=People") as page:
        assert "Give this role" not in page.buttons
    with opened(place, viewer, "trends") as page:
        assert "only_reads" in page.text or page.came


def test_a_viewers_own_view_is_the_viewers(
    place: Place, viewer: dict[str, str], store: Store
) -> None:
    with opened(place, viewer) as page:
        page.send("inbox_views", action="save_view", name="mine")
    assert "mine" in saved_views(store, Signer("", place.issuer, "grace").id)


@pytest.mark.parametrize("method", ["PUT", "POST", "DELETE", "PATCH"])
def test_nothing_that_a_viewer_sends_is_read(
    place: Place, viewer: dict[str, str], method: str
) -> None:
    target = urlsplit(place.address)
    for path in ("/_stcore/upload_file/a/b", "/export/key", "/health/", "/", "/anything"):
        with socket.create_connection((target.hostname, target.port), PATIENCE_SECONDS) as sent:
            head = f"{method} {path} HTTP/1.1\r\nhost: {target.netloc}\r\ncookie: {written(viewer)}"
            sent.sendall(f"{head}\r\ncontent-length: 1900000\r\n\r\n".encode())
            # Nothing of the body is sent, and the answer is there.
            answer = sent.recv(2_000)
        assert answer.startswith(b"HTTP/1.1 403"), path
    told = request(place.address, "/export/none", cookie=written(viewer))
    assert (told.status, "no longer there" in told.text) == (404, True), "to read is no act"


def test_who_is_not_in_reaches_nothing(place: Place) -> None:
    for method in ("GET", "PUT", "POST", "DELETE"):
        for path in ("/_stcore/upload_file/a/b", "/export/key", "/_stcore/host-config"):
            assert request(place.address, path, method, b"").status == 403, (method, path)
    with websocket(place.address) as refused:
        assert refused == 403


def role(place: Place, *words: str) -> Result:
    return CliRunner().invoke(build(lambda _: None), ["role", *words, "--store", place.url])


def test_a_role_that_is_given_counts_at_the_next_click_and_so_does_taking_it_back(
    place: Place, viewer: dict[str, str], store: Store
) -> None:
    with opened(place, viewer, "submission", SUBMISSION) as page:
        page.send("decision_form", **DECIDE)
        assert load_submission(store, PAPER.id).decision is None
        assert "Grace Hopper is reviewer" in role(place, "grace", "reviewer").stdout
        page.send("decision_form", **DECIDE)
        decision = load_submission(store, PAPER.id).decision
        assert decision is not None
        assert (decision.verdict, decision.author.name) == (Verdict.READY, "Grace Hopper")
        with opened(place, viewer, "reviewers") as other:
            other.send("reviewer_table", kind="remove", name="local")
            assert "ask an operator for the role of an operator" in other.refusals[0]
        role(place, "grace", "none")
        page.send("decision_form", **{**DECIDE, "verdict": "not_ready"})
        assert load_submission(store, PAPER.id).decision == decision
    logged = [(each.before, each.after) for each in changes(store) if each.kind == "role"]
    assert logged == [("reviewer", None), (None, "reviewer")]


def test_an_operator_by_group_configures_and_gives_roles(place: Place, store: Store) -> None:
    cookies, grace = sign_in(place.address, "ada"), Signer("", place.issuer, "grace").id
    sign_in(place.address, "grace")
    with opened(place, cookies, "settings", "section=People") as page:
        assert "Grace Hopper" in page.text
        drawn = {
            each.delta.new_element.selectbox.label: each.delta.new_element.selectbox.id
            for each in page.came
        }
        people = page.data("facts_table")["rows"]
        at = [row[0]["text"] for row in people].index("Grace Hopper")
        choices = {
            drawn["Person"]: {"string_value": "Grace Hopper (grace)"},
            drawn["Role given here"]: {"string_value": "reviewer"},
        }
        assert at >= 0
        page.run(**choices, **{page.buttons["Give this role"]: True})
    assert role_given(store, grace) is Role.REVIEWER
    with opened(place, cookies, "reviewers") as page:
        assert page.data("reviewer_table")["writable"]
        page.send("reviewer_table", kind="remove", name="local")
    assert b"local" not in place.reviewers.read_bytes()
    first, *_ = changes(store)
    assert str(first.author) == "Ada Lovelace"
    assert first.about.startswith("reviewers.toml on ")
    assert (first.before or "").startswith("local; no budget; sha256 ")
    with opened(place, cookies, "settings", "section=Changes") as page:
        assert "reviewers.toml on" in page.text
    role(place, "grace", "none")


def test_the_command_lists_people_and_refuses_what_it_does_not_know(
    place: Place, viewer: dict[str, str]
) -> None:
    listed = role(place).stdout
    assert "Grace Hopper (grace at " in listed
    assert "everybody else who signs in: viewer" in listed
    for words, told in (
        (("nobody", "viewer"), "let them sign in once"),
        (("grace", "admin"), "is no role"),
        (("grace",), "say which role"),
    ):
        done = role(place, *words)
        assert (done.exit_code, done.stderr.count("\n"), told in done.stderr) == (2, 1, True)
    assert "eve is operator" in role(place, "eve", "operator", "--issuer", place.issuer).stdout
    assert "eve is viewer" in role(place, "eve", "none", "--issuer", place.issuer).stdout
    said = CliRunner().invoke(build(lambda _: None), ["changes", "--store", place.url]).stdout
    assert f"role  eve (eve at {place.issuer}): nothing → operator" in said


def test_exports_of_a_person_are_bounded(
    place: Place, viewer: dict[str, str], store: Store
) -> None:
    before = len(shown_works(store, every=True))
    with opened(place, viewer) as page:
        (popover,) = [
            each.delta.add_block.popover.id
            for each in page.came
            if each.delta.add_block.popover.label == "Export"
        ]
        page.run(**{popover: {"bool_value": True}})
        for _ in range(4):
            button = next(id for words, id in page.buttons.items() if words.startswith("Export "))
            page.run(**{popover: {"bool_value": True}, button: True})
        assert "3 exports of yours are under way" in page.refusals[0]
    assert len(shown_works(store, every=True)) - before == 3


def test_the_start_says_that_nobody_is_an_operator(tmp_path: Path) -> None:
    url, port = settings.sqlite_url(tmp_path / "store.sqlite3"), free_port()
    with closing(Store.open(url)) as store:
        store.add(PAPER)
    login = login_of("http://127.0.0.1:9", f"http://127.0.0.1:{port}")
    with Server(url, port, {**os.environ, **login}, ["--no-work"]) as server:
        (said,) = [line for line in server.log if "operator" in line]
    assert "areachair role PERSON operator" in said
