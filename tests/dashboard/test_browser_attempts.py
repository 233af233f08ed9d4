"""Guards the diff against an earlier attempt and real runs at their lines in a real browser, and
that hostile code stays text.
"""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from reviewers.outcomes import Stage, outcome_of_run
from reviewers.store import Store
from reviewers.store.outcomes import add_outcome
from reviewers.store.submission import load_submission
from tests.dashboard import hostile
from tests.dashboard.attempted import CHANGED, TRAIN, keep_attempts
from tests.dashboard.screens import open_panel
from tests.dashboard.test_outcomes import OUTPUT

ODD = f"    odd = '''{hostile.MARKUP} \U0001f600 '''"


def test_a_submission_beside_an_earlier_attempt(
    page: Page, dashboard: Callable[[], str], store: Store
) -> None:
    train, changed = TRAIN + ODD + "  # before\n", CHANGED + ODD + "  # after\n"
    ids = keep_attempts(store, train, changed)
    third = load_submission(store, ids.third).submission
    add_outcome(
        store, outcome_of_run(third, f"{hostile.MARKUP}\n{OUTPUT}", 1, Stage.TRIAL, store.now())[0]
    )
    page.goto(f"{dashboard()}/submission?s={ids.third[:16]}&file=src/train.py&q=exp")
    outcome = page.locator(".card.is-outcome")
    expect(outcome).to_contain_text("ConfigAttributeError")
    assert outcome.evaluate(
        "node => [...node.parentElement.children].findLast((row) => row.dataset.line === '45') !=="
        " undefined"
    )
    expect(outcome.locator(".said-predicted")).to_have_count(1)

    page.keyboard.press("e")
    expect(page.locator(".code.beside")).to_be_visible()
    page.wait_for_url(re.compile(rf"q=exp&against={ids.second[:16]}"))
    gone, came = page.locator(".row.gone"), page.locator(".row.came")
    expect(gone).to_have_count(3)
    expect(came).to_have_count(2)
    assert gone.first.locator(".number").all_text_contents() == ["45", ""]
    assert came.first.locator(".number").all_text_contents() == ["", "45"]
    expect(came.first.locator(".w")).to_have_text(re.compile(r"^\.?optim\.?$"))
    expect(came.last.locator(".w")).to_have_text("after")
    expect(came.last).to_contain_text("<script>window.pwned=1</script>")
    hostile.assert_harmless(page)

    # Split, what came stands beside what it was; a finding stays where it stood.
    page.keyboard.press("S")
    expect(page.locator(".row.came .earlier.was")).to_have_count(2)
    assert came.first.locator(".number").all_text_contents() == ["45", "45"]
    expect(gone).to_have_count(1)
    hostile.assert_harmless(page)
    page.keyboard.press("S")
    expect(page.locator(".earlier")).to_have_count(0)
    expect(gone).to_have_count(3)

    # The finding that was fixed stands folded at the line that is gone.
    fixed = page.locator(".past", has_text="cfg.stop is nowhere")
    assert (
        fixed.evaluate("node => node.previousElementSibling.querySelector('.number').textContent")
        == "46"
    )
    expect(fixed.locator(".past-body")).to_be_hidden()
    fixed.locator(".past-fold").click()
    expect(fixed.locator(".past-body")).to_contain_text("blocker in attempt 2: src/train.py:46")
    expect(page.locator(".card", has_text="cfg.optim is nowhere").locator(".fate")).to_have_text(
        "came"
    )

    # Unchanged lines are folded, open on demand and wherever something leads to them.
    fold = page.locator(".stretch .more")
    expect(fold).to_have_count(1)
    rows = page.locator(".row").count()
    page.locator(".stretch").evaluate("node => node.scrollIntoView()")
    fold.click()
    expect(page.locator(".stretch")).to_have_count(0)
    assert page.locator(".row").count() > rows + 20

    # The summary filters the list, and a finding that is gone leads to where it stood.
    part = page.locator(".strip .part", has_text="fixed")
    expect(part).to_have_text("1 fixed")
    part.click()
    item = page.locator(".item")
    expect(item).to_have_count(1)
    expect(fixed.locator(".past-body")).to_be_visible()
    fixed.locator(".past-fold").click()
    item.locator(".open").click()
    expect(fixed.locator(".past-body")).to_be_visible()

    page.get_by_label("Compare with", exact=True).select_option(label="attempt 1")
    page.wait_for_url(re.compile(rf"against={ids.first[:16]}"))
    expect(page.locator(".entry", has_text="old.py")).to_contain_text("gone")
    page.reload()
    expect(page.get_by_label("Compare with", exact=True)).to_have_value(ids.first[:16])

    open_panel(page, "Attempts")
    page.get_by_role("button", name="Compare with attempt 2").click()
    page.wait_for_url(re.compile(rf"against={ids.second[:16]}"))
    open_panel(page, "Outcomes")
    page.get_by_text("End of its output").click()
    expect(page.locator(".st-key-panel-body pre")).to_contain_text(
        "<script>window.pwned=1</script>"
    )
    hostile.assert_harmless(page)
    page.locator(".st-key-panel-body .foretold").click()
    expect(page.locator(".card.current")).to_contain_text("cfg.optim is nowhere")
    # So it does whichever panel is open.
    part.click()
    expect(fixed.locator(".past-body")).to_be_visible()
    expect(item.locator(".open")).to_have_count(1)
    page.keyboard.press("e")
    expect(page.locator(".code.beside")).to_have_count(0)
    page.get_by_label("Previous attempt").click()
    page.wait_for_url(re.compile(rf"s={ids.second[:16]}&q=exp"))
