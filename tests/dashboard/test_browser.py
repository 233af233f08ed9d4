"""Guards the way of a researcher through the dashboard in a real browser, and that hostile text
stays text there.
"""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from reviewers.records import Ruling, Span, Verdict
from reviewers.store import Store
from reviewers.store.submission import load_submission
from tests.builders import CONTEXT, make_submission
from tests.dashboard import hostile
from tests.dashboard.desk import MISSED, RECORDED, RULES, SMALL, lineage
from tests.dashboard.models import until
from tests.dashboard.screens import open_panel

Dashboard = Callable[[], str]
pytestmark = pytest.mark.usefixtures("worker")


@pytest.fixture
def id(store: Store) -> str:
    """Three attempts of one lineage and the submission that the researcher opens."""
    for one in lineage("exp", 3):
        store.add(one, (RULES,))
    another = replace(
        CONTEXT, hypothesis={**CONTEXT.hypothesis, "open_problems": "Closed gates waste units."}
    )
    submission = make_submission(name="gated units", context=another)
    store.add(submission, (RECORDED, RULES))
    return submission.id


def test_from_the_inbox_to_a_decision_that_stays(
    page: Page, dashboard: Dashboard, store: Store, id: str
) -> None:
    page.goto(dashboard())
    row = page.locator("tbody tr", has_text="gated units")
    expect(row).to_contain_text("not ready")
    row.click()
    page.wait_for_url(re.compile(rf"/submission\?s={id[:16]}"))

    # The flagged line, with its card right below.
    card = page.locator(".card", has_text=MISSED.message)
    expect(card).to_be_in_viewport()
    expect(page.locator(".row.flagged")).to_have_count(3)
    assert card.evaluate("node => node.previousElementSibling.dataset.line") == "7"

    # Dismiss the finding by keys, with a reason.
    page.keyboard.press("d")
    page.keyboard.press("Enter")
    expect(card.locator("form.dismiss .note")).to_contain_text("Say why")
    page.keyboard.press("1")
    page.keyboard.type("see the readme: 2 of them")
    page.keyboard.press("Alt+3")
    page.keyboard.press("Enter")
    expect(card.locator(".fold")).to_contain_text("dismissed")
    expect(page.locator(".row.flagged")).to_have_count(0)

    # The outcome of the reviews fills in the form and decides nothing; a reason that is typed
    # stays.
    reason = page.get_by_label("Reason", exact=True).and_(page.locator("textarea"))
    page.get_by_role("button", name="Adopt").click()
    expect(page.get_by_role("button", name="Not ready", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(reason).to_have_value(re.compile("^Not ready"))
    reason.fill("mine")
    page.get_by_role("button", name="Adopt").click()
    expect(reason).to_have_value("mine")
    assert not load_submission(store, id).decisions
    reason.fill("")

    # Overrule the verdict with a reason.
    page.get_by_role("button", name="as ada").first.click()
    page.get_by_label("Your name").fill("grace")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="as grace")).to_have_count(2)
    page.get_by_role("button", name="Ready", exact=True).click()
    page.keyboard.type("I ran it, it trains")
    page.get_by_role("button", name="Save", exact=True).click()
    word = page.locator(".st-key-panel-decision .word")
    expect(word).to_contain_text("I ran it, it trains")

    page.reload()
    expect(word).to_contain_text("I ran it, it trains")
    expect(page.get_by_role("button", name="as grace")).to_have_count(2)
    # The same verdict again takes it back, once that is confirmed.
    page.keyboard.press("1")
    expect(page.get_by_role("button", name="Withdraw decision")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Withdraw decision")).to_have_count(0)
    expect(word).to_have_count(1)
    page.locator(".entry", has_text="evaluate.py").click()
    page.locator(".card .fold").click()
    expect(page.locator(".card .ruling")).to_contain_text(
        "Dismissed by ada: Not required: see the readme: 2 of them"
    )
    record = load_submission(store, id)
    assert record.decision is not None
    assert (record.decision.verdict, record.decision.author.name) == (Verdict.READY, "grace")
    assert record.ruling_of[MISSED.id].ruling is Ruling.DISMISS

    page.locator("a.back").click()
    expect(page.locator("tbody tr", has_text="gated units").locator(".decision")).to_contain_text(
        "grace"
    )


def test_keys_walk_findings_and_files_and_are_ignored_while_typing(
    page: Page, dashboard: Dashboard, store: Store, id: str
) -> None:
    page.goto(f"{dashboard()}/submission?s={id[:16]}&f=src/train.py")
    current = page.locator(".card.current")
    expect(current).to_contain_text(SMALL.message)
    reason = page.get_by_label("Reason", exact=True).and_(page.locator("textarea"))
    reason.press_sequentially("jjcd[]")
    expect(reason).to_have_value("jjcd[]")
    expect(current).to_contain_text(SMALL.message)
    page.locator(".bar .path").click()
    page.keyboard.press("c")
    expect(page.locator(".card .ruling")).to_contain_text("Confirmed by ada")
    page.keyboard.press("j")
    expect(page.locator(".bar .path")).not_to_have_text("src/train.py")
    expect(current).to_be_visible()
    expect(current).not_to_contain_text(SMALL.message)
    page.keyboard.press("k")
    expect(page.locator(".bar .path")).to_have_text("src/train.py")
    page.keyboard.press("[")
    expect(page.locator(".bar .path")).to_have_text("src/preprocess.py")
    assert {ruling.finding_id for ruling in load_submission(store, id).rulings} == {SMALL.id}


def test_five_quick_words_are_all_kept(page: Page, dashboard: Dashboard, store: Store) -> None:
    findings = [
        replace(SMALL, id=f"quick{n:011d}", span=Span("src/train.py", 5 * n)) for n in range(1, 6)
    ]
    submission = make_submission(name="quick")
    store.add(submission, (replace(RULES, findings=tuple(findings)),))
    page.goto(f"{dashboard()}/submission?s={submission.id[:16]}&f=src/train.py")
    buttons = page.locator(".card [data-action=confirm]")
    expect(buttons).to_have_count(5)
    buttons.evaluate_all("all => all.forEach((one) => one.click())")
    expect(page.locator(".card .ruling")).to_have_count(5)
    until(lambda: len(load_submission(store, submission.id).rulings) == 5)


def test_a_narrow_screen_shows_one_zone_at_a_time(
    page: Page, dashboard: Dashboard, id: str
) -> None:
    page.set_viewport_size({"width": 800, "height": 900})
    page.goto(f"{dashboard()}/submission?s={id[:16]}")
    save, code = page.get_by_role("button", name="Save", exact=True), page.locator(".bar .path")
    expect(code).to_be_visible()
    expect(save).to_be_hidden()
    # What comes after the code is the loud one of its page.
    page.get_by_role("button", name="Decide").click()
    expect(page.get_by_role("tab", name="Reviews and decision")).to_be_focused()
    expect(save).to_be_visible()
    expect(code).to_be_hidden()
    expect(page.get_by_role("button", name="Decide")).to_be_hidden()
    page.locator(".item", has_text=SMALL.message).locator(".open").click()
    expect(code).to_have_text("src/train.py")
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")


def test_hostile_text_is_shown_as_text_everywhere(
    page: Page, dashboard: Dashboard, store: Store
) -> None:
    store.add(hostile.SUBMISSION, hostile.REVIEWS)
    store.rule_on(hostile.SUBMISSION.id, "h2", Ruling.DISMISS, hostile.REASON, hostile.AUTHOR)
    store.decide(hostile.SUBMISSION.id, Verdict.READY, hostile.REASON, hostile.AUTHOR)
    address = dashboard()

    page.goto(address)
    expect(page.locator("tbody tr")).to_contain_text(
        "name <script>window.pwned=1</script></span><img src=x onerror=window.pwned=2> **b**"
        " :material/delete:"
    )
    expect(page.locator("tbody tr")).to_contain_text("a[U+0000]b[U+001B][31mc[U+202E]d[U+200B]e")
    page.keyboard.press("f")
    options = page.locator("select[name=reviewer] option")
    expect(options.filter(has_text="openai:<img src=x onerror=window.pwned=6>**m**")).to_have_count(
        1
    )
    hostile.assert_harmless(page)
    page.keyboard.press("Escape")
    page.locator(".st-key-inbox-import").get_by_role("button").click()
    name = (
        "<img src=x onerror=window.pwned=9> **b** :material-delete: :red[r] $x^2$"
        " www.elsewhere.example.json"
    )
    page.locator("input[type=file]").set_input_files(
        {"name": name, "mimeType": "application/json", "buffer": b"{"}
    )
    refused = page.locator(".st-key-inbox-import-files li.refused")
    expect(refused).to_contain_text(name)
    expect(refused.locator("strong, em, a, img, code, .katex")).to_have_count(0)
    hostile.assert_harmless(page)

    page.goto(f"{address}/submission?s={hostile.SUBMISSION.id[:16]}")
    card = page.locator(".card", has_text="claim <script>")
    expect(card.locator("blockquote")).to_contain_text("[31mc[U+202E]d")
    expect(page.locator(".row").first).to_contain_text(
        "# <script>window.pwned=1</script></span><img src=x onerror=window.pwned=2>"
    )
    expect(page.locator(".hid").first).to_be_visible()
    expect(page.locator(".st-key-panel-decision .word")).to_contain_text(
        "author **b** <img src=x onerror=window.pwned=8>"
    )
    hostile.assert_harmless(page)
    for panel, shown in (
        ("Review text", "text <script>"),
        ("Context", "field <script>"),
        ("History", "reason <script>"),
    ):
        open_panel(page, panel)
        if panel == "Review text":
            page.locator(
                ".st-key-panel-body [data-action=choose]", has_text=hostile.REVIEWER
            ).click()
        expect(page.locator(".st-key-panel-body")).to_contain_text(shown, ignore_case=True)
        hostile.assert_harmless(page)

    page.goto(f"{address}/side-by-side?s={hostile.SUBMISSION.id[:16]}")
    expect(page.locator(".row").first).to_be_visible()
    page.keyboard.press("o")
    expect(page.locator(".told").first).to_be_visible()
    hostile.assert_harmless(page)

    page.goto(f"{address}/trends")
    opener = page.locator(".st-key-dots-category .opener").first
    expect(opener).to_contain_text("<script>")
    opener.click()
    expect(page.locator(".st-key-dots-category code").first).to_be_visible()
    hostile.assert_harmless(page)
