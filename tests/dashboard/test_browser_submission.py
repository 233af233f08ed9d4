"""Guards the submission screen's economy in a real browser: what leads, in which order, how wide,
and how many keys and clicks a triage takes.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from reviewers.records import DryRun, Failure, Followed, Review, Ruling, Severity, Span, Verdict
from reviewers.store import Store
from reviewers.store.submission import load_submission
from tests.builders import make_submission
from tests.dashboard.desk import MISSED, RECORDED, RULES, SMALL, flag, lineage
from tests.dashboard.models import until
from tests.dashboard.screens import open_panel

Dashboard = Callable[[], str]
STOPS = flag(
    "HY05",
    Span("src/train.py", 12),
    message="assigning `cfg.steps` fails: the run stops with ConfigAttributeError",
)
MAJOR = flag(
    "TR01", Span("src/model.py", 4), id="major00000000000", severity=Severity.MAJOR, message="major"
)
MET = DryRun(
    (Followed("main", "python -m src.main run=a", 2, 2, 1),),
    (
        Failure(
            step="main",
            command="python -m src.main run=a",
            error="ConfigAttributeError",
            message="Key 'steps' is not in struct",
            place=Span("src/train.py", 12),
            starts=2,
            finding=STOPS.id,
        ),
    ),
)
FOUND = replace(RULES, findings=(SMALL, MISSED, MAJOR, STOPS), dry_run=MET)
READY = Review(reviewer="llm", verdict=Verdict.READY, model="m", text="`x` is fine.", raw="{}")
COUNT = """window.made = 0
for (const kind of ["keydown", "mousedown"]) window.addEventListener(kind, () => made++, true)"""


@pytest.fixture
def id(store: Store) -> str:
    submission = make_submission(name="first")
    store.add(submission, (RECORDED, FOUND, READY))
    return submission.id


@pytest.fixture
def desk(page: Page, dashboard: Dashboard, id: str) -> Page:
    page.goto(f"{dashboard()}/submission?s={id[:16]}")
    expect(page.locator(".card.current")).to_contain_text("assigning cfg.steps fails")
    return page


def listed(page: Page) -> list[str]:
    return page.locator(".item .gist").all_inner_texts()


def test_it_opens_where_a_run_stops_and_the_keys_follow_the_list(desk: Page, store: Store) -> None:
    sentence = desk.locator(".sentence")
    expect(sentence).to_contain_text("Not ready: every run stops at train.py:12")
    expect(desk.locator(".card.current code").first).to_have_text("cfg.steps")
    before = listed(desk)
    assert before[:2] == [STOPS.message.replace("`", ""), MISSED.message]
    assert before.index("major") < before.index(SMALL.message)
    expect(desk.locator(".position").filter(has_text="of")).to_contain_text(f"1 of {len(before)}")
    # What a person says of a finding moves none.
    desk.keyboard.press("j")
    expect(desk.locator(".card.current")).to_contain_text(MISSED.message)
    desk.keyboard.press("d")
    desk.keyboard.press("1")
    desk.keyboard.press("Enter")
    expect(desk.locator(".item.is-refuted", has_text=MISSED.message)).to_be_visible()
    assert listed(desk) == before
    open_panel(desk, "Context")
    open_panel(desk, "Findings")
    expect(desk.locator(".item").first).to_be_visible()
    assert listed(desk) == before
    # By file they stand under the files' names, and the browser remembers that.
    desk.get_by_role("button", name="by weight").click()
    expect(desk.locator(".st-key-panel-body h3").first).to_be_visible()
    desk.reload()
    expect(desk.get_by_role("button", name="by file")).to_be_visible()
    expect(desk.locator(".st-key-panel-body h3").first).to_be_visible()


def test_a_rule_says_how_to_mend_it_and_a_line_of_reviewers_what_each_says(desk: Page) -> None:
    card = desk.locator(".card.current")
    expect(card.locator(".examples")).to_be_hidden()
    card.get_by_text("Why it matters, and how to mend it").click()
    expect(card.locator(".help")).to_contain_text("HY05 struct write")
    expect(card.get_by_text("Fine", exact=True)).to_be_visible()
    expect(card.locator("pre").first).not_to_contain_text("# flag")
    # A word on the finding leaves it open.
    desk.keyboard.press("c")
    expect(card.locator(".ruling")).to_be_visible()
    expect(card.get_by_text("Fine", exact=True)).to_be_visible()

    line = desk.locator(".st-key-reviewers .line")
    expect(line).to_contain_text("Not ready")
    said = desk.locator(".column", has_text="x is fine.")
    expect(said).to_be_hidden()
    line.get_by_role("button", name="llm: ready, missed 2").click()
    expect(said.locator("code")).to_have_text("x")
    said.get_by_text("2 missed").click()
    said.get_by_role("button", name=MISSED.message).click()
    expect(desk.locator(".card.current")).to_contain_text(MISSED.message)


def test_the_panel_is_as_wide_as_a_person_makes_it(desk: Page) -> None:
    def width() -> float:
        box = desk.locator(".st-key-zone-panel").bounding_box()
        assert box is not None
        return box["width"]

    line = desk.get_by_role("separator", name="Width of the panel")
    first = width()
    line.press("ArrowLeft")
    assert width() == pytest.approx(first + 24, abs=2)
    box = line.bounding_box()
    assert box is not None
    desk.mouse.move(box["x"] + 4, box["y"] + 100)
    desk.mouse.down()
    desk.mouse.move(box["x"] - 96, box["y"] + 100)
    desk.mouse.up()
    assert width() == pytest.approx(first + 124, abs=6)
    desk.reload()
    expect(desk.locator(".card.current")).to_be_visible()
    assert width() == pytest.approx(first + 124, abs=6)
    line.dblclick()
    assert width() == pytest.approx(first, abs=2)


def test_viewed_files_are_marked_and_remembered(desk: Page) -> None:
    tally = desk.locator(".viewed-count", has_text="viewed")
    desk.keyboard.press("x")
    button = desk.locator(".bar").get_by_role("button", name="Viewed")
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(tally).to_contain_text("viewed: 1 of ")
    desk.reload()
    entry = desk.locator(".entry.viewed")
    expect(entry).to_contain_text("train.py")
    expect(entry.get_by_role("img", name="viewed")).to_be_visible()
    button.click()
    expect(desk.locator(".entry.viewed")).to_have_count(0)


def test_nothing_is_cut_at_the_edge(desk: Page) -> None:
    card = desk.locator(".card.current")
    save = desk.get_by_role("button", name="Save", exact=True)
    for width in (1920, 1440, 820):
        desk.set_viewport_size({"width": width, "height": 900})
        if width == 820:
            desk.get_by_role("tab", name="Reviews and decision").click()
        expect(save).to_be_in_viewport(ratio=1)
        expect(desk.locator(".sentence")).to_be_in_viewport(ratio=1)
        assert desk.evaluate("document.scrollingElement.scrollWidth <= innerWidth"), width
        assert card.evaluate("node => node.scrollWidth <= node.clientWidth + 1"), width
        if width == 1920:
            box = card.bounding_box()
            assert box is not None
            assert box["width"] > 900


def test_twenty_keys_each_triage_a_list(page: Page, dashboard: Dashboard, store: Store) -> None:
    for submission in lineage("exp", 4):
        store.add(submission, (replace(FOUND, findings=(STOPS, SMALL)), READY))
    page.goto(dashboard())
    expect(page.locator("tbody tr")).to_have_count(4)
    page.evaluate(COUNT)
    page.keyboard.press("n")
    name = page.locator(".st-key-submission-head h1")
    for number in range(4):
        expect(page.locator(".card.current")).to_contain_text("assigning cfg.steps fails")
        shown = name.inner_text()
        page.keyboard.press("c")
        page.keyboard.press("j")
        expect(page.locator(".card.current")).to_contain_text(SMALL.message)
        page.keyboard.press("d")
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        expect(page.locator(".card .fold")).to_contain_text("dismissed")
        page.keyboard.press("2")
        page.keyboard.type("it stops")
        page.keyboard.press("Enter")
        if number < 3:
            expect(name).not_to_have_text(shown)
    expect(page.locator(".st-key-submission-head")).to_contain_text("4 of 4")
    assert page.evaluate("made") <= 80


def test_one_with_everything_takes_nine_clicks(
    page: Page, dashboard: Dashboard, store: Store, id: str
) -> None:
    page.goto(dashboard())
    page.evaluate(COUNT)
    page.get_by_role("link", name="first").click()
    card = page.locator(".card.current")
    expect(card).to_contain_text("assigning cfg.steps fails")
    page.get_by_role("button", name="llm: ready, missed 2").click()
    card.get_by_role("button", name="Confirm").click()
    page.locator(".item", has_text=SMALL.message).get_by_role("button").first.click()
    expect(card).to_contain_text(SMALL.message)
    card.get_by_role("button", name="Dismiss").click()
    card.get_by_role("button", name="Not required").click()
    card.locator("form.dismiss").get_by_role("button", name="Dismiss").click()
    page.get_by_role("button", name="Adopt").click()
    page.get_by_role("button", name="Save", exact=True).click()
    until(lambda: bool(load_submission(store, id).decisions))
    record = load_submission(store, id)
    assert {key: said.ruling for key, said in record.ruling_of.items()} == {
        STOPS.id: Ruling.CONFIRM,
        SMALL.id: Ruling.DISMISS,
    }
    (decision,) = record.decisions
    assert decision.verdict is Verdict.NOT_READY
    assert decision.reason.startswith("Not ready: every run stops at `src/train.py:12`")
    assert page.evaluate("made") <= 9
