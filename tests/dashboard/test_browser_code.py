"""Guards, in a real browser, what a person does in the code: words on findings that show at once,
and findings of one's own.
"""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Locator, Page, expect

from reviewers.records import Check, Found, Place, Review, Severity, Span, Verdict
from reviewers.store import Store
from reviewers.store.submission import load_submission
from tests.builders import make_submission
from tests.dashboard.desk import MISSED, RECORDED, RULES, SMALL, claim

Dashboard = Callable[[], str]
LONG = "".join(
    f"value_{n} = {n}  # {'a long line that goes on ' * (8 if n == 2 else 1)}\n"
    for n in range(1, 401)
)
FAR = replace(
    SMALL,
    id="far",
    span=Span("src/extra.py", 390),
    message="far down",
    places=(Place(Span("src/evaluate.py", 2), Found.SYMPTOM),),
)
SAID = claim(
    "`json.loads` takes no such word.",
    Check.CONFIRMED,
    id="named",
    kind="cli-contract",
    category="cli-contract",
    span=MISSED.span,
)


@pytest.fixture
def id(store: Store) -> str:
    """Four reviewers, three of whom flag one line."""
    submission = make_submission({"src/extra.py": LONG}, name="first")
    models = [
        Review(reviewer=name, verdict=Verdict.NOT_READY, findings=(SAID,), raw="{}", model="m")
        for name in ("one", "two")
    ]
    store.add(submission, (RECORDED, replace(RULES, findings=(*RULES.findings, FAR)), *models))
    return submission.id


@pytest.fixture
def desk(page: Page, dashboard: Dashboard, id: str) -> Callable[..., Page]:
    """Opens the submission at a file."""
    address = dashboard()

    def opened(file: str, more: str = "") -> Page:
        page.goto(f"{address}/submission?s={id[:16]}&file={file}{more}")
        expect(page.locator(".bar .path")).to_have_text(file)
        return page

    return opened


def answered(page: Page) -> None:
    """Python has taken every word."""
    expect(page.locator(".card.busy")).to_have_count(0)


def test_words_on_a_finding_show_at_once_and_are_kept(
    desk: Callable[..., Page], store: Store, id: str
) -> None:
    page = desk("src/evaluate.py")
    # What shows here and is explained elsewhere leads there.
    pointer = page.locator(".row[data-line='2'] + .pointer")
    expect(pointer).to_contain_text("appears here; its cause is at src/extra.py:390")
    pointer.get_by_role("button").click()
    expect(page.locator(".bar .path")).to_have_text("src/extra.py")
    expect(page.locator(".places")).to_have_text("Also: src/evaluate.py:2 (the symptom)")
    page = desk("src/evaluate.py")
    # Three reviewers at one line: three marks that differ without colour, three cards, the defect
    # said once.
    marks = page.locator(".row[data-line='5'] .mark")
    expect(marks).to_have_text(["Ru", "On", "Tw"])
    cards = page.locator(".card")
    expect(cards).to_have_count(3)
    expect(page.locator(".code").get_by_text(MISSED.message, exact=True)).to_have_count(1)
    marks.nth(2).click()
    current: Locator = page.locator(".card.current")
    expect(current).to_contain_text("two")
    expect(page).to_have_url(re.compile("finding=named"))
    marks.nth(0).click()

    page.keyboard.press("c")
    expect(current.get_by_role("button", name="Confirm")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("m")
    page.keyboard.type("jk: does it run?")
    # Closed by Esc it waits, and its button says so.
    page.keyboard.press("Escape")
    expect(current.get_by_label("Comment")).to_be_hidden()
    current.get_by_role("button", name="Restore comment").click()
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("1 d?")
    page.keyboard.press("Control+Enter")
    expect(current.locator(".remark")).to_contain_text("jk: does it run?")
    current.get_by_label("Severity").select_option("minor")
    expect(current.locator(".was")).to_have_text("was blocker")
    answered(page)
    record = load_submission(store, id)
    assert [(one.author.name, one.comment) for one in record.remarks if one.comment] == [
        ("ada", "jk: does it run?\n1 d?")
    ]
    assert record.severity_of == {MISSED.id: Severity.MINOR}
    # The same key again takes the word back.
    page.keyboard.press("c")
    expect(current.locator(".ruling")).to_have_count(0)
    answered(page)
    assert not load_submission(store, id).ruling_of

    # Refuted ones are folded until somebody wants to see them all.
    page.keyboard.press("d")
    page.keyboard.type("4")
    page.keyboard.press("Enter")
    expect(page.locator(".card.folded")).to_have_count(1)
    page.get_by_role("button", name="Show 1 refuted").click()
    expect(page.locator(".card.folded")).to_have_count(0)
    answered(page)
    page.reload()
    expect(page.locator(".card.current")).to_contain_text("Dismissed by ada: Outdated version")


def test_a_finding_of_ones_own_by_dragging_and_by_key(
    desk: Callable[..., Page], store: Store, id: str
) -> None:
    page = desk("src/extra.py")
    expect(page.locator(".card.current")).to_contain_text("far down")
    expect(page.locator(".card.current")).to_be_visible()  # what nobody sees yet takes no click
    # The overview leads to the beginning again, and says what is seen.
    box = page.locator(".ruler").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 2)
    first, last = (page.locator(f".row[data-line='{line}'] .number") for line in (3, 5))
    expect(first).to_be_in_viewport()
    assert (
        float(
            str(page.locator(".ruler .view").get_attribute("style")).split("top: ")[1].split("%")[0]
        )
        < 10
    )

    first.hover()
    page.mouse.down()
    last.hover()
    page.mouse.up()
    form = page.locator("form.own")
    expect(form).to_contain_text("lines 3 to 5")
    expect(page).to_have_url(re.compile(r"line=3"))
    page.keyboard.type("<b>nobody</b> reads these, jk")
    form.get_by_label("Severity").select_option("blocker")
    form.get_by_label("Category").select_option("data-leakage")
    # Given up by a key, it is had back by another one.
    form.get_by_label("Message").press("Escape")
    expect(form).to_have_count(0)
    expect(page.get_by_role("button", name="Restore finding")).to_be_visible()
    page.keyboard.press("a")
    expect(form.get_by_label("Severity")).to_have_value("blocker")
    form.get_by_label("Message").press("Enter")
    card = page.locator(".card", has_text="<b>nobody</b> reads these, jk")
    expect(card).to_contain_text("ada")
    expect(form).to_have_count(0)
    expect(card).to_have_class(re.compile("current"))
    assert card.evaluate("node => node.previousElementSibling.dataset.line") == "5"
    (own,) = load_submission(store, id).own
    assert (own.author.name, own.finding.span, own.finding.severity) == (
        "ada",
        Span("src/extra.py", 3, 5),
        Severity.BLOCKER,
    )
    expect(page).to_have_url(re.compile(f"finding={own.finding.id}"))

    # On the chosen lines by key, and given up by key.
    page.keyboard.press("a")
    expect(form).to_contain_text("lines 3 to 5")
    page.keyboard.press("Escape")
    expect(form).to_have_count(0)
    # A click into the code only names the line.
    page.locator(".row[data-line='7'] .text").click()
    expect(page).to_have_url(re.compile(r"line=7$"))
    expect(form).to_have_count(0)
    # Long lines break where that is wished.
    code = page.locator(".code")
    wide = "node => node.scrollWidth > node.parentElement.clientWidth"
    assert code.evaluate(wide)
    page.keyboard.press("w")
    expect(page.get_by_role("button", name="Wrap")).to_have_attribute("aria-pressed", "true")
    assert not code.evaluate(wide)


def test_what_is_half_typed_waits_and_no_key_says_what_was_not_meant(
    desk: Callable[..., Page], store: Store, id: str
) -> None:
    kinds = (
        "data-leakage",
        "cli-contract",
        "syntax-invalid",
        "tracking-mismatch",
        "file-structure",
        "metric-integrity",
    )
    words = "this is said at great length "
    many = [
        claim(f"{kind}: {words * 20}", id=f"of-{kind}", category=kind, kind=kind, span=SMALL.span)
        for kind in kinds
    ]
    three = Review(
        reviewer="three",
        verdict=Verdict.NOT_READY,
        findings=tuple(many),
        prompt="findings/2",
        raw="{}",
    )
    store.add_review(id, three)
    page = desk("src/train.py")
    current = page.locator(".card.current")
    # The last of many cards at one line is seen when it is chosen.
    for _ in many:
        page.keyboard.press("j")
        expect(current.get_by_role("button", name="Comment")).to_be_in_viewport()
    # A key sets no severity once the list of them is closed, and no ruling while a dialog is
    # open.
    page.keyboard.press("s")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="three: not ready").click()
    page.get_by_role("button", name="prompt findings/2").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    page.keyboard.press("c")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    current.get_by_label("Severity").focus()
    page.keyboard.press("m")
    page.keyboard.type("half a comment")
    page.locator(".row[data-line='2'] .number").click()
    page.keyboard.type("half a finding")
    for file in ("src/extra.py", "src/train.py"):
        page.locator(f".entry[data-path='{file}']").click()
        expect(page.locator(".bar .path")).to_have_text(file)
    expect(page.locator("form.own").get_by_label("Message")).to_have_value("half a finding")
    expect(page.locator("form.comment").get_by_label("Comment").filter(visible=True)).to_have_value(
        "half a comment"
    )
    record = load_submission(store, id)
    assert not record.severity_of
    assert not record.ruling_of


def test_a_person_says_in_a_form_what_a_claim_means(
    desk: Callable[..., Page], store: Store, id: str
) -> None:
    page = desk("src/utils.py")
    card = page.locator(".card", has_text="utils.py is missing.")
    card.get_by_role("button", name="Read differently").click()
    form = page.get_by_role("dialog")
    expect(form).to_contain_text("“utils.py is missing.”")
    form.get_by_role("combobox", name="Relation").click()
    page.keyboard.type("is in the submission")
    page.keyboard.press("Enter")
    form.get_by_role("combobox", name="File").click()
    page.keyboard.type("src/utils.py")
    page.keyboard.press("Enter")
    expect(form).to_contain_text("Refuted: `src/utils.py` is in the submission")
    form.get_by_text("not", exact=True).click()
    expect(form).to_contain_text("Confirmed: ")
    form.get_by_role("button", name="Save").click()
    expect(form).to_have_count(0)
    expect(card.locator(".understood")).to_contain_text("read by ada")
