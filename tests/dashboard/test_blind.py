"""Guards blind mode: what a page sends is the same whatever others say, and a decision records on
the server whether it was made blind.
"""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shutil import copyfile

import pytest
from playwright.sync_api import Browser, Page, WebSocket, expect
from streamlit.testing.v1 import AppTest

from dashboard.viewing_memory import BROWSER_COOKIE
from reviewers.outcomes.outcome import Outcome, Stage
from reviewers.records import Review, Ruling, Severity, Span, Submission, Verdict
from reviewers.store import Store
from reviewers.store.outcomes import add_outcome
from reviewers.store.submission import load_submission
from tests.dashboard.conftest import watched_page
from tests.dashboard.desk import CONFIRMED, MISSED, REFUTED, UNPLACED, lineage
from tests.dashboard.models import until
from tests.dashboard.screens import components, decide, drawn, open_page, rest, send
from tests.dashboard.serving import Server, SharedDesk
from tests.reviewers.store.making import Clock

READY, NOT_READY = Verdict.READY, Verdict.NOT_READY
# Whatever a reviewer or another person says anywhere in these stores.
SECRETS = ("zanzibar", "quokka", "it runs fine", "grace")
pytestmark = pytest.mark.usefixtures("said")


def submissions() -> list[Submission]:
    return lineage("exp", 4)


def fill(url: str, *, turned: bool) -> None:
    """A store in which reviewers and other people say this, or turned the opposite, of the same
    submissions; ada has decided on the first one.
    """
    with closing(Store.open(url, clock=Clock())) as store:
        first, *others = submissions()
        store.add(first, _reviews(READY, "aardvark"))
        store.decide(first.id, READY, "seen", "ada")
        word = "quokka" if turned else "zanzibar"
        are_good = [(place % 2 == 0) is not turned for place in range(len(others))]
        for submission, good in zip(others, are_good, strict=True):
            store.add(submission, _reviews(READY if good else NOT_READY, word))
        for submission, good in zip(others, are_good, strict=True):
            if good:
                store.decide(submission.id, READY, "it runs fine", "grace")
                store.rule_on(submission.id, MISSED.id, Ruling.DISMISS, "it runs fine", "grace")
                said = {"category": "data-leakage", "message": word, "author": "grace"}
                span = Span("src/train.py", 1)
                store.add_finding(submission.id, span=span, severity=Severity.BLOCKER, **said)
            code = {"exit_code": int(good), "error": "ValueError" if good else None}
            ran = Outcome(
                submission=submission.id,
                stage=Stage.FULL,
                at=Clock()(),
                source="run",
                digest=submission.id,
                category=None,
                **code,
            )
            add_outcome(store, ran)


def _reviews(verdict: Verdict, word: str) -> tuple[Review, ...]:
    """A model's review and that of the rules; what is ready is contradicted by a proven blocker."""
    found = (CONFIRMED, REFUTED) if verdict is READY else (UNPLACED,)
    named = tuple(
        replace(each, message=f"{word} {each.message}", claim=None, claim_at=None) for each in found
    )
    rules = (replace(MISSED, message=f"{word} by a rule"),) if verdict is READY else ()
    opposite = NOT_READY if rules else READY
    return (
        Review(reviewer="model", verdict=verdict, findings=named, raw=word, text=word),
        Review(reviewer="rules", verdict=opposite, findings=rules),
    )


def everything(at: AppTest) -> list[str]:
    """All that the page was sent, but for numbers that streamlit makes up."""
    texts = [element.value for kind in (at.markdown, at.caption, at.info) for element in kind]
    texts += [*(error.value for error in at.error), *(title.value for title in at.title)]
    return [*(one.proto.json for one in at.get("bidi_component")), *map(str, texts)]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which others have said much."""
    path = tmp_path_factory.mktemp("blind") / "store.sqlite3"
    fill(f"sqlite:///{path}", turned=False)
    return path


@pytest.fixture
def said(filled: Path, store: Store, tmp_path: Path) -> None:
    """That store as the dashboard's."""
    store.close()
    copyfile(filled, tmp_path / "store.sqlite3")


ADDRESSES: list[tuple[str, dict[str, str]]] = [
    ("", {}),
    ("", {"view": "needs-decision", "sort": "needed"}),
    ("", {"view": "disagree", "sort": "blockers"}),
    ("", {"view": "contradicted", "sort": "refuted"}),
    ("", {"view": "refuted", "sort": "missed", "undecided_by": "ada"}),
    ("", {"view": "decided", "sort": "newest", "undecided_by": "grace"}),
    *(("", {"q": words}) for words in ("exp", "zanzibar", "utils.py")),
    ("", {"verdict": "ready", "reviewer": "model"}),
    ("", {"decision": "ready", "blind_decision": "ready", "proven": "1"}),
    ("", {"missed_by": "model", "failed_by": "model", "outcome": "failed", "mark": "refuted"}),
    ("", {"read_by": "offline", "reading": "refuted"}),
    ("", {"criterion": "5", "other": "rules", "other_verdict": "ready", "lineage": "exp"}),
    ("trends", {"category": "file-structure", "refuted": "1"}),
    ("reviewers", {"against": "blockers", "reviewer": "model"}),
    ("settings", {"section": "Data"}),
    ("submission", {"s": submissions()[1].id}),
    ("submission", {"s": submissions()[2].id, "view": "contradicted", "sort": "blockers"}),
    ("submission", {"s": submissions()[3].id, "against": submissions()[1].id, "q": "zanzibar"}),
]


def test_what_is_sent_is_the_same_whatever_others_say(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turned = f"sqlite:///{tmp_path / 'turned' / 'store.sqlite3'}"
    fill(turned, turned=True)
    for path, params in ADDRESSES:
        sent = []
        for each in (url, turned):
            monkeypatch.setenv("AREACHAIR_STORE", each)
            at = open_page(path, in_blind_mode=True, **params)
            sent.append([text.replace("turned/", "") for text in everything(at)])
            assert not at.exception
        assert sent[0] == sent[1], (path, params)
        asked = " ".join(params.values())
        for secret in SECRETS:
            assert secret in asked or not any(secret in text for text in sent[0]), (path, secret)


def test_blind_mode_says_in_words_what_is_off() -> None:
    at = open_page(
        in_blind_mode=True,
        view="contradicted",
        verdict="ready",
        sort="blockers",
        model="m",
        since="2020-01-01",
    )
    bar = drawn(at, "inbox_bar")
    assert "ignores its view, the filter Verdict, its order" in bar["ignored"]
    assert {field["name"] for field in bar["fields"]} == {
        *("lineage", "attempt", "model", "dataset", "generator", "contract", "since", "until"),
        *("assigned_to", "unassigned"),
    }
    assert "Off in blind mode" in bar["off"]
    assert "Blocker missed by" in bar["off"]
    assert [sort for sort, _ in bar["sorts"]] == ["newest", "oldest", "name"]
    at = open_page(in_blind_mode=True)
    assert drawn(at, "inbox_bar")["ignored"] == ""
    counts = {view["words"]: view["count"] for view in drawn(at, "inbox_views")["views"]}
    assert counts == {
        "Needs a decision": None,
        "Undecided by me": 3,
        "Assigned to me": 0,
        "Reviewers disagree": None,
        "Ready, but contradicted": None,
        "Refuted claims": None,
        "Decided": None,
        "All": 4,
    }
    assert [row["name"] for row in drawn(at, "inbox_table")["rows"]] == [
        f"exp_{n:02d}" for n in range(1, 5)
    ]
    trends = open_page("trends", in_blind_mode=True)
    assert "3 submissions you have not decided on" in trends.info[0].value
    assert "press `b`" in trends.info[0].value


def test_trends_open_once_all_is_decided(url: str) -> None:
    with closing(Store.open(url)) as store:
        for submission in submissions()[1:]:
            store.decide(submission.id, READY, "seen", "ada")
    at = open_page("trends", in_blind_mode=True)
    assert "trend_filters" in components(at) or at.caption


def test_a_decision_is_blind_only_where_nothing_was_shown(url: str) -> None:
    _, second, third, fourth = submissions()
    open_page()
    at = open_page("submission", in_blind_mode=True, s=second.id)
    assert "recorded as blind" in " ".join(everything(at))
    decide(at, second.id, "ready", blind=True)
    assert blind_of(url, second)[0] is True
    decide(at, second.id, "not_ready", blind=True)
    assert blind_of(url, second)[:2] == [False, True], "by then all stood there"

    at = open_page("submission", in_blind_mode=True, s=third.id)
    for on in (False, True):
        send(at, "identity_bar", {"kind": "blind", "on": on})
    assert "verdict_columns" not in components(at), "hidden again"
    assert "will not count as blind" in " ".join(everything(at))
    decide(at, third.id, "ready", blind=True)
    assert blind_of(url, third)[:1] == [False], "it was looked at in between"

    at = open_page("submission", s=fourth.id)
    decide(at, fourth.id, "ready", blind=True)
    assert blind_of(url, fourth)[0] is False


def test_what_somebody_without_a_name_saw_nobody_else_has_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("AREACHAIR_AUTHOR")
    submission = submissions()[1]
    open_page("submission", s=submission.id)
    at = open_page("submission", in_blind_mode=True, s=submission.id)
    assert "recorded as blind" in " ".join(everything(at))


def test_under_another_name_one_has_seen_what_one_saw(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AREACHAIR_AUTHOR")
    _, second, third, fourth = submissions()
    at = open_page("submission", s=second.id)
    named = {"kind": "author", "name": "Anne", "correct": False}
    send(at, "identity_bar", named)
    send(at, "identity_bar", {**named, "name": "Ann"})
    # A record of another page is signed: that, too, says whose looks these are.
    other = open_page("submission", s=third.id)
    event = {"kind": "decide", "id": third.id, "verdict": "ready", "reason": "fine", "next": False}
    send(other, "decision_form", {**event, "signed": "Ann"})
    monkeypatch.setenv("AREACHAIR_AUTHOR", "Ann")
    for submission, blind in ((second, False), (fourth, True)):
        at = open_page("submission", in_blind_mode=True, s=submission.id)
        decide(at, submission.id, "ready", blind=True)
        assert blind_of(url, submission)[0] is blind
    send(at, "identity_bar", {**named, "name": "Eve"})
    monkeypatch.setenv("AREACHAIR_AUTHOR", "Eve")
    at = open_page("submission", in_blind_mode=True, s=third.id)
    decide(at, third.id, "ready", blind=True)
    assert blind_of(url, third)[0] is False, "what Ann saw elsewhere went along with her name"


def test_a_withdrawn_decision_hides_again_and_the_next_one_is_not_blind(url: str) -> None:
    second = submissions()[1]
    with closing(Store.open(url)) as store:
        # Before this server ran, which therefore knows of no look.
        store.decide(second.id, READY, "sound", "ada", blind=True)
        store.decide(second.id, None, "withdrawn", "ada", blind=False)
    rows = {
        each["id"]: each for each in drawn(open_page(in_blind_mode=True), "inbox_table")["rows"]
    }
    assert rows[second.id]["attention"] == "hidden until you decide"
    at = open_page("submission", in_blind_mode=True, s=second.id)
    assert "verdict_columns" not in components(at), "as the inbox says"
    assert drawn(at, "code_view")["hidden"] is True
    assert "will not count as blind" in " ".join(everything(at))
    decide(at, second.id, "ready", blind=True)
    assert blind_of(url, second)[0] is False
    assert "verdict_columns" in components(at)
    assert drawn(at, "code_view")["hidden"] is False


def test_decisions_on_many_say_of_each_whether_it_was_blind(url: str) -> None:
    first, second, third, _ = submissions()
    open_page("submission", s=third.id)
    at = open_page(in_blind_mode=True)
    ids = [first.id, second.id, third.id]
    said = {"action": "decide", "ids": ids, "verdict": "ready", "reason": "fine"}
    send(at, "inbox_table", {**said, "blind": True})
    assert [blind_of(url, each)[0] for each in submissions()[:3]] == [False, True, False]
    everybody = {"action": "decide_all", "verdict": "ready", "reason": "fine"}
    send(at, "inbox_table", {**everybody, "total": 4, "keep": True})
    assert len(blind_of(url, first)) == 2, "what is decided by oneself is kept"
    assert blind_of(url, submissions()[3])[0] is True


def test_history_marks_what_was_blind_and_the_page_measures_by_it(url: str) -> None:
    second = submissions()[1]
    with closing(Store.open(url)) as store:
        store.decide(second.id, READY, "looks sound", "ada", blind=True)
        store.decide(second.id, NOT_READY, "it does not", "ada", blind=False)
    at = open_page("submission", s=second.id)
    at.session_state["panel"] = "History"
    at.run()
    assert [each["blind"] for each in drawn(at, "decisions")["decisions"]] == [False, True, None]
    at = open_page("reviewers", against="decisions", blind="1", reviewer="model")
    assert "before they saw" in " ".join(caption.value for caption in at.caption)
    cells = [cell for row in drawn(at, "confusion_matrix")["rows"] for cell in row["cells"]]
    assert sum(int(cell["count"]) for cell in cells) == 1
    assert any("blind_decision=ready" in (cell["href"] or "") for cell in cells)


def test_a_look_without_a_name_counts_in_this_browser_after_a_reload(
    url: str, page: Page, chromium: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AREACHAIR_AUTHOR")
    submission = submissions()[1]
    with Server(url) as server, watched_page(chromium) as elsewhere:
        address = f"{server.address}/submission?s={submission.id[:16]}"
        page.goto(address)
        expect(page.get_by_text("dismissed by grace").first).to_be_visible()
        (cookie,) = (each for each in page.context.cookies() if each["name"] == BROWSER_COOKIE)
        assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Lax")
        for each, name, blind in ((page, "ann", False), (elsewhere, "eve", True)):
            # Beside a cookie of another program on this machine that is none by the book.
            odd = {"name": "other", "value": '{"a":[1, 2]}', "url": server.address}
            each.context.add_cookies([odd, {**odd, "name": "areachair_blind", "value": "1"}])
            each.goto(address)
            expect(each.locator(".st-key-veil")).to_contain_text("Blind mode is on")
            expect(each.get_by_label("Reason", exact=True)).to_be_visible()
            each.keyboard.press("1")
            each.keyboard.type("fine")
            each.keyboard.press("Enter")
            asked = each.get_by_role("dialog", name="Who signs this?")
            asked.get_by_role("button", name="Another name").click()
            asked.get_by_label("Your name").fill(name)
            asked.get_by_label("Your name").press("Enter")
            until(lambda blind=blind: blind_of(url, submission)[0] is blind)
        after = page.context.cookies()
        assert cookie["value"] in {each["value"] for each in after}, "it stays the same browser"
        assert cookie["value"] not in "".join(server.log)


def test_no_frame_tells_a_blind_person_what_others_say(
    url: str, page: Page, shared_desk: SharedDesk
) -> None:
    frames: list[bytes] = []

    def listen(socket: WebSocket) -> None:
        socket.on(
            "framereceived",
            lambda data: frames.append(data if isinstance(data, bytes) else data.encode()),
        )

    page.on("websocket", listen)
    address = shared_desk.serve(url)
    cookies = [{"name": "areachair_blind", "value": "1", "url": address}]
    page.context.add_cookies([*cookies, {**cookies[0], "name": "areachair_author", "value": "ada"}])
    page.goto(f"{address}/?view=contradicted")
    expect(page.locator(".ignored")).to_contain_text("its view")
    expect(page.locator("tbody tr[data-id]")).to_have_count(4)
    expect(page.locator(".view.off")).to_have_count(5)
    page.keyboard.press("n")
    expect(page.locator(".st-key-veil")).to_contain_text("Blind mode is on")
    expect(page.locator(".tally")).to_contain_text("Findings hidden")
    for key, words in (("t", "What fails most"), ("r", "How reliable is each")):
        rest(page)
        page.keyboard.press("g")
        page.keyboard.press(key)
        expect(page.get_by_role("heading", name=words)).to_be_visible()
        expect(page.get_by_text("Blind mode is on.").first).to_be_visible()
    sent = b"".join(frames)
    assert b"exp_02" in sent
    for secret in SECRETS:
        assert secret.encode() not in sent, secret
    # The way out, as the words on the page say.
    page.keyboard.press("b")
    expect(page.get_by_text("All decisions")).to_be_visible()


def blind_of(url: str, submission: Submission) -> list[bool | None]:
    """Whether each decision on it was made blind, the newest first."""
    with closing(Store.open(url)) as store:
        return [each.blind for each in load_submission(store, submission.id).decisions]
