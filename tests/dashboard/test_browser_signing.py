"""Guards in a real browser that the name is asked for where the first record is made, and that what
somebody goes on typing is neither a name nor a record.
"""

import getpass
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from reviewers.records import Ruling, Verdict
from reviewers.store import Store
from reviewers.store.submission import load_submission
from tests.builders import make_submission
from tests.dashboard.desk import MISSED, RECORDED, RULES, lineage
from tests.dashboard.models import until

QUIET = 900  # milliseconds: longer than the pause after which Enter is meant for the dialog
WAITS = "Waiting for your name"


@pytest.fixture(autouse=True)
def _unnamed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AREACHAIR_AUTHOR")


def decided_by(store: Store, id: str) -> str:
    return load_submission(store, id).decisions[0].author.id


def test_the_name_is_asked_once_and_nothing_typed_becomes_one(
    page: Page, dashboard: Callable[[], str], store: Store
) -> None:
    submission = make_submission(name="gated units")
    store.add(submission, (RECORDED, RULES))

    def written() -> int:
        record = load_submission(store, submission.id)
        return len(record.decisions) + len(record.rulings) + len(record.remarks) + len(record.own)

    page.goto(f"{dashboard()}/submission?s={submission.id[:16]}")
    asked = page.get_by_role("dialog", name="Who signs this?")
    reason = page.get_by_label("Reason", exact=True).and_(page.locator("textarea"))
    expect(reason).to_be_visible()
    expect(page.locator(".card", has_text=MISSED.message)).to_be_visible()

    # Typing goes on over the question, and over an Enter that was meant for the text.
    page.keyboard.press("2")
    expect(reason).to_be_focused()
    page.keyboard.type("blockers are real")
    page.keyboard.press("Enter")
    page.keyboard.type(", because b c a d 1", delay=1000 / 12)
    page.keyboard.press("Enter")
    expect(asked).to_be_visible()
    expect(asked.get_by_role("button", name="Sign as")).to_contain_text(getpass.getuser())
    near, form = asked.bounding_box(), reason.bounding_box()
    assert near is not None
    assert form is not None
    assert abs(near["y"] + near["height"] - form["y"]) < 60, "it stands at the place of action"
    assert written() == 0
    page.keyboard.press("Escape")
    expect(asked).to_have_count(0)
    expect(reason).to_have_value("blockers are real, because b c a d 1")
    expect(page.get_by_role("switch", name="Blind mode")).to_have_attribute("aria-checked", "false")

    # A card's word waits as well, and its text comes back.
    page.locator(".card", has_text=MISSED.message).locator("header").click()
    page.keyboard.press("m")
    comment = page.locator("form.comment input, form.comment textarea").first
    keys = page.locator("form.comment kbd, .st-key-panel-decision .foot kbd").all_inner_texts()
    assert keys == ["Enter", "Esc", "Enter"], "a key has one name"
    comment.fill("see above")
    comment.press("Enter")
    expect(asked).to_be_visible()
    page.keyboard.press("Escape")
    expect(comment).to_have_value("see above")
    comment.press("Escape")
    assert written() == 0

    # Too long a name is refused, a deliberate one signs, and is not asked again.
    page.locator(".card", has_text=MISSED.message).locator("header").click()
    page.keyboard.press("c")
    asked.get_by_role("button", name="Another name").click()
    field = asked.get_by_label("Your name")
    field.fill("x" * 41)
    field.press("Enter")
    expect(asked).to_contain_text("at most 40 characters; this one has 41")
    assert written() == 0
    field.fill("grace")
    field.press("Enter")
    until(lambda: written() == 1)
    expect(page.get_by_role("button", name="as grace").first).to_be_visible()
    reason.click()
    page.keyboard.press("Enter")
    until(lambda: written() == 2)
    record = load_submission(store, submission.id)
    assert record.ruling_of[MISSED.id].ruling is Ruling.CONFIRM
    (decision,) = record.decisions
    assert decision.reason == "blockers are real, because b c a d 1"
    assert {each.author.name for each in (*record.decisions, *record.rulings)} == {"grace"}


def test_one_enter_after_a_pause_signs_with_the_login_name_and_the_next_visit_knows_it(
    page: Page, dashboard: Callable[[], str], store: Store
) -> None:
    submission = make_submission(name="gated units")
    store.add(submission, (RECORDED, RULES))
    page.goto(dashboard())
    expect(page.locator("tbody tr")).to_have_count(1)
    page.keyboard.press("j")
    page.keyboard.press("1")
    page.keyboard.type("it ran")
    page.keyboard.press("Enter")
    asked = page.get_by_role("dialog", name="Who signs this?")
    expect(asked).to_be_visible()
    expect(page.locator("tbody tr")).to_contain_text(WAITS)
    page.wait_for_timeout(QUIET)
    page.keyboard.press("Enter")
    until(lambda: load_submission(store, submission.id).decision is not None)
    (decision,) = load_submission(store, submission.id).decisions
    assert (decision.author.name, decision.reason) == (getpass.getuser(), "it ran")
    page.reload()
    who = page.get_by_role("button", name=re.compile(f"as {getpass.getuser()}"))
    expect(who).to_be_visible()

    # A correction to a name that is in use waits for a second, deliberate click.
    other = make_submission({"src/extra.py": "# another\n"})
    store.add(other)
    store.decide(other.id, Verdict.READY, "it ran", "Ann")
    me = getpass.getuser()
    header = page.locator("button.who").first
    for choice, name, author in (
        ("Escape", me, me),
        ("a reload", me, me),
        ("No, keep my name", me, me),
        ("Use this name from now on, leave those as they are", "Ann", me),
        ("These are mine too", "Ann", "Ann"),
    ):
        page.get_by_role("button", name=re.compile("^as ")).first.click()
        field = page.get_by_label("Your name")
        field.fill(getpass.getuser())
        field.press("Enter")
        page.wait_for_timeout(QUIET)  # the answer to Enter closes the field
        page.get_by_role("button", name=re.compile("^as ")).first.click()
        field.fill("Ann")
        page.get_by_role("button", name="Also correct what I signed").click()
        asked = page.get_by_role("dialog", name="Is this you?")
        expect(asked).to_contain_text("1 record is signed Ann already")
        expect(header).to_have_text(f"as {me}")
        if choice == "Escape":
            page.keyboard.press("Escape")
        elif choice == "a reload":
            page.reload()
        else:
            asked.get_by_role("button", name=choice).click()
        expect(asked).to_have_count(0)
        expect(header).to_have_text(f"as {name}")
        until(lambda author=author: decided_by(store, submission.id) == author)


def test_a_refused_name_is_asked_for_anew_and_another_tab_knows_the_one_that_was_given(
    page: Page, dashboard: Callable[[], str], store: Store
) -> None:
    submission = make_submission(name="gated units")
    store.add(submission, (RULES,))
    address = f"{dashboard()}/submission?s={submission.id[:16]}"
    # What is routed stays so: not the page that tests share.
    other, page = page, page.context.new_page()
    other.goto(address)
    expect(other.get_by_text("no name yet").first).to_be_visible()

    # A server that is stricter than the page, as one is whose Unicode is older.
    def forward(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def spoil(message: str | bytes) -> None:
            assert isinstance(message, bytes)
            server.send(message.replace(b"grace-x", "gr\u200ba".encode() + b"c"))

        route.on_message(spoil)

    page.route_web_socket(re.compile("_stcore/stream"), forward)
    page.goto(address)
    asked = page.get_by_role("dialog", name="Who signs this?")
    card = page.locator(".card", has_text=MISSED.message)
    card.locator("header").click()
    page.keyboard.press("d")
    page.keyboard.type("not so")
    page.keyboard.press("Enter")
    asked.get_by_role("button", name="Another name").click()
    field = asked.get_by_label("Your name")
    for space in ("\u00a0", "\u3000"):
        field.fill(f"grace{space}hopper")
        field.press("Enter")
        expect(asked).to_contain_text("contains invisible characters")
    field.fill("grace-x")
    field.press("Enter")
    expect(asked).to_contain_text("The server refused grace-x")
    expect(page.get_by_text("no name yet").first).to_be_visible()
    expect(card).to_contain_text(f"{WAITS}: dismissed, not so")
    assert not load_submission(store, submission.id).rulings
    asked.get_by_role("button", name="Another name").click()
    field.fill("grace hopper")
    field.press("Enter")
    expect(asked).to_have_count(0)
    expect(card).to_have_class(re.compile("is-refuted"))
    expect(card).not_to_have_class(re.compile("busy"))

    other.get_by_role("button", name="Ready", exact=True).click()
    other.keyboard.type("fine")
    other.keyboard.press("Enter")
    until(lambda: load_submission(store, submission.id).decisions)
    record = load_submission(store, submission.id)
    (ruling,), (decision,) = record.rulings, record.decisions
    assert (ruling.author.name, ruling.reason) == ("grace hopper", "not so")
    assert (decision.author.name, decision.reason) == ("grace hopper", "fine")


def test_nothing_that_waits_for_a_name_looks_done_and_all_of_it_comes_back_unsent(
    page: Page, dashboard: Callable[[], str], store: Store
) -> None:
    submission = make_submission(name="gated units")
    store.add(submission, (RULES,))
    store.decide(submission.id, Verdict.READY, "it runs", "ada")
    page.goto(f"{dashboard()}/submission?s={submission.id[:16]}")
    asked = page.get_by_role("dialog", name="Who signs this?")
    form = page.locator(".st-key-panel-decision")
    reason = form.locator("textarea")
    card = page.locator(".card", has_text=MISSED.message)
    expect(reason).to_be_visible()
    card.locator("header").click()
    card.get_by_role("button", name="Dismiss").click()
    page.keyboard.type("1")
    page.keyboard.type("not so")
    page.keyboard.press("Enter")
    waits = card.locator(".state")
    expect(waits).to_have_text(f"{WAITS}: dismissed, The code is right: not so")
    expect(card.locator(".fold")).to_have_count(0)
    expect(card.locator(".check")).to_have_text("Confirmed")
    near, line = asked.bounding_box(), waits.bounding_box()
    assert near is not None
    assert line is not None
    assert 0 <= near["y"] - line["y"] - line["height"] < 20, "it stands at the place of action"

    # No field has the focus: Backspace is one of the keys that are kept.
    page.keyboard.type("ly")
    page.keyboard.press("Backspace")
    for verdict, words in (("Ready", "it ran"), ("Not ready", "it stops")):
        form.get_by_role("button", name=verdict, exact=True).click()
        reason.fill(words)
        form.get_by_role("button", name="Save", exact=True).click()
    form.get_by_role("button", name="Save", exact=True).click()
    expect(form.locator(".note")).to_have_text(f"{WAITS}: “Ready: it ran”")
    page.keyboard.press("Escape")
    expect(asked).to_have_count(0)
    words = card.locator("form.dismiss input")
    expect(words).to_have_value("not sol")
    expect(card.locator(".reason[aria-pressed=true]")).to_contain_text("The code is right")
    expect(reason).to_have_value("it ran\nit stops")
    expect(form.locator(".note")).to_contain_text("Ready and Not ready: choose one")
    words.press("Escape")
    page.keyboard.press("c")
    expect(waits).to_have_text(f"{WAITS}: confirmed")
    asked.get_by_role("button", name="Not now").click()
    expect(waits).to_contain_text("Not saved: not signed yet: confirmed")
    waits.get_by_role("button", name="Save").click()
    expect(waits).to_have_text(f"{WAITS}: confirmed")
    page.keyboard.press("Escape")

    # Letters over a withdrawal are another reason for the verdict that stands.
    reason.fill("")
    form.get_by_role("button", name="Withdraw", exact=True).click()
    form.get_by_role("button", name="Withdraw decision").click()
    expect(form.locator(".note")).to_have_text(f"{WAITS}: the withdrawal")
    page.keyboard.type("nb")
    page.keyboard.press("Backspace")
    asked.get_by_role("button", name="Not now").click()
    expect(reason).to_have_value("n")
    record = load_submission(store, submission.id)
    assert [len(record.decisions), len(record.rulings)] == [1, 0]


def test_who_goes_on_while_a_decision_waits_is_told_that_it_was_not_saved(
    page: Page, dashboard: Callable[[], str], store: Store
) -> None:
    made = lineage("exp", 3)
    for submission in made:
        store.add(submission)
    first = f"{dashboard()}/submission?s={made[0].id[:16]}"
    page.goto(first)
    form = page.locator(".st-key-panel-decision")
    note, reason = form.locator(".note"), form.locator("textarea")
    expect(reason).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.type("it ran")
    page.keyboard.press("Enter")
    expect(note).to_contain_text(f"{WAITS}: “Ready: it ran”")
    page.get_by_role("link", name="Next undecided").click()
    expect(page.get_by_role("heading", name=made[0].name)).to_have_count(0)
    expect(note).to_contain_text(f"Your decision on {made[0].name} was not saved")
    expect(reason).to_have_value("")
    expect(page.get_by_role("dialog", name="Who signs this?")).to_have_count(0)
    page.locator("a.back").click()
    left = page.get_by_role("button", name="Not saved")
    expect(left).to_have_count(1)
    page.goto(first)
    expect(reason).to_have_value("it ran")
    expect(note).to_contain_text("Not saved: not signed yet")
    page.locator("a.back").click()
    left.click()
    expect(page.get_by_label(re.compile("^Reason why"))).to_have_value("it ran")
    assert not load_submission(store, made[0].id).decisions


def test_every_row_that_waited_comes_back_to_where_it_was_decided(
    page: Page, dashboard: Callable[[], str], store: Store
) -> None:
    made = lineage("exp", 51)
    for submission in made:
        store.add(submission)
    store.decide(made[0].id, Verdict.READY, "it runs", "ada")
    page.goto(dashboard())
    rows = page.locator("tbody tr[data-id]")
    expect(rows).to_have_count(50)
    asked = page.get_by_role("dialog", name="Who signs this?")
    reason = page.get_by_label(re.compile("^Reason why"))
    head = page.locator("thead .decision")
    before = head.bounding_box()
    for at, (verdict, words) in enumerate((("Ready", "it ran"), ("Not ready", "it stops"))):
        rows.nth(at).hover()
        rows.nth(at).get_by_role("button", name=re.compile(f"^{verdict}")).click()
        reason.fill(words)
        page.get_by_role("button", name="Save").click()
        expect(rows.nth(at)).to_contain_text(WAITS)
    page.keyboard.press("Escape")
    expect(asked).to_have_count(0)
    expect(page.locator("tr.asking")).to_contain_text(made[0].name[:3])
    expect(reason).to_have_value("it ran")
    assert head.bounding_box() == before, "the question moves no column"
    expect(rows.get_by_text(WAITS)).to_have_count(0)
    reason.press("Escape")
    left = rows.nth(1).get_by_role("button", name="Not saved")
    left.click()
    expect(reason).to_have_value("it stops")
    reason.press("Escape")
    expect(left).to_have_count(0)

    page.keyboard.press("a")
    page.get_by_role("button", name="Select all 51 that match").click()
    page.locator(".bar").get_by_role("button", name="Ready", exact=False).first.click()
    keep = page.get_by_role("checkbox", name="skip the 1")
    keep.uncheck()
    reason.fill("all of them")
    for _ in range(2):
        page.get_by_role("button", name=re.compile("^(Save|Yes, decide)")).click()
    expect(asked).to_be_visible()
    page.keyboard.press("Escape")
    expect(reason).to_have_value("all of them")
    expect(keep).not_to_be_checked()
    expect(page.locator(".bar")).to_contain_text("51 submissions")
    assert len(load_submission(store, made[0].id).decisions) == 1
