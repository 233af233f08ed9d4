"""Guards the dry run on the submission screen: for each command the first failure, what
comes behind it, and the ways to its line and its finding.
"""

from dataclasses import replace

from playwright.sync_api import Page, expect

from reviewers.records import DryRun, Failure, Followed, Review, Ruling, Span
from reviewers.store import Store
from tests.builders import make_submission
from tests.dashboard import hostile
from tests.dashboard.desk import MISSED, RECORDED, RULES, SMALL
from tests.dashboard.screens import components, drawn, open_page, parameter, send

MET = Failure(
    step="main",
    command="python -m src.main run=a mode=full",
    run="a",
    mode="full",
    error="NameError",
    message="name 'x' is not defined",
    place=Span("src/train.py", 9),
    chain=(Span("src/main.py", 23), Span("src/train.py", 30)),
    starts=4,
    finding=SMALL.id,
)
LATER = replace(MET, message="later", place=Span("src/model.py", 3), certain=False, finding="none")
LAST = replace(MET, step="evaluate", place=MISSED.span, finding=MISSED.id, starts=1)
COMMANDS = (
    Followed("install", "uv sync", 1),
    Followed("main", "python -m src.main run=a mode=full", 4, 2, 2),
    Followed("evaluate", "python -m src.evaluate …", 1),
)
DRY_RUN = DryRun(COMMANDS, (MET, LATER, LAST), ("src/model.py: not read",), 7)


def kept(store: Store, dry_run: DryRun | None, *more: Review) -> str:
    submission = make_submission(name="first")
    store.add(submission, (replace(RULES, dry_run=dry_run), *more))
    return submission.id


def test_each_command_has_its_first_failure_and_what_comes_behind(store: Store) -> None:
    data = drawn(open_page("submission", s=kept(store, DRY_RUN, RECORDED)), "dry_run")
    install, main, evaluate = data["commands"]
    assert (install["state"], install["reached"], install["first"]) == ("clear", True, None)
    assert (main["state"], main["words"], main["reached"]) == ("stops", "2 runs in 2 modes", True)
    first = main["first"]
    assert (first["place"], first["error"], first["starts"]) == (
        "src/train.py:9",
        "NameError",
        "4 of 4 starts",
    )
    assert [each["place"] for each in first["chain"]] == ["src/main.py:23", "src/train.py:30"]
    assert (first["rule"], first["finding"]) == ("TR01", "src/train.py")
    assert [(each["certain"], each["key"]) for each in main["behind"]] == [(False, None)]
    # No command is reached behind one that stops every start.
    assert (evaluate["reached"], evaluate["first"]["rule"]) == (False, "EV02")
    assert data["summary"] == ""
    assert data["limits"] == [
        "7 statements under conditions that only a real run decides",
        "src/model.py: not read",
    ]


def test_places_and_findings_lead_to_the_code(store: Store) -> None:
    at = open_page("submission", s=kept(store, DRY_RUN))
    first = drawn(at, "dry_run")["commands"][1]["first"]
    send(at, "dry_run", {"kind": "open", "file": first["file"], "line": first["line"]})
    assert (parameter(at, "file"), parameter(at, "line")) == ("src/train.py", "9")
    send(at, "dry_run", {"kind": "open", "file": first["finding"], "key": first["key"]})
    assert parameter(at, "finding") == SMALL.id


def test_where_nothing_fails_it_says_what_was_followed(store: Store) -> None:
    data = drawn(open_page("submission", s=kept(store, DryRun(COMMANDS))), "dry_run")
    assert data["summary"] == "followed 2 runs in 2 modes; no failure found"
    assert {each["state"] for each in data["commands"]} == {"clear"}


def test_what_was_not_followed_is_no_good_news(store: Store) -> None:
    nothing = tuple(replace(each, starts=0) for each in COMMANDS)
    data = drawn(open_page("submission", s=kept(store, DryRun(nothing))), "dry_run")
    assert data["summary"].startswith("no command could be followed")
    assert [each["state"] for each in data["commands"]] == ["unknown"] * 3
    assert "`uv sync` is not followed" in data["limits"]


def test_a_failure_that_a_person_dismissed_is_left_out(store: Store) -> None:
    id = kept(store, DRY_RUN)
    store.rule_on(id, SMALL.id, Ruling.DISMISS, "it is defined", "ann")
    _, main, evaluate = drawn(open_page("submission", s=id), "dry_run")["commands"]
    assert (main["state"], main["first"]["message"]) == ("may", "later")
    assert evaluate["reached"]


def test_blind_it_is_hidden_and_without_a_look_there_is_none(store: Store) -> None:
    id = kept(store, DRY_RUN, RECORDED)
    assert "dry_run" not in components(open_page("submission", in_blind_mode=True, s=id))
    other = make_submission({"src/extra.py": "x = 1\n"}, name="other")
    store.add(other, (replace(RULES, dry_run=None),))
    assert "dry_run" not in components(open_page("submission", s=other.id))


def test_in_the_browser_it_leads_to_the_line_and_hostile_text_stays_text(
    page: Page, dashboard: object, store: Store
) -> None:
    id = kept(store, DRY_RUN, RECORDED)
    odd = hostile.SUBMISSION
    store.add(odd, hostile.REVIEWS)
    address = dashboard()  # type: ignore[operator]
    page.goto(f"{address}/submission?s={id[:16]}&file=src/evaluate.py")
    box = page.get_by_role("region", name="What a run would meet")
    expect(box).to_contain_text("2 runs in 2 modes")
    expect(box).to_contain_text("Not reached; then NameError at")
    box.get_by_role("button", name="train.py:9").click()
    expect(page.locator(".bar .path")).to_have_text("src/train.py")
    expect(page.locator(".row[data-line='9']")).to_be_in_viewport()
    behind = box.locator(".behind")
    expect(behind).to_contain_text("behind it: NameError: later")
    expect(behind.get_by_role("img")).to_have_attribute("aria-label", "may stop")
    box.get_by_role("button", name="by 2 calls").click()
    expect(box.get_by_role("button", name="train.py:30")).to_be_visible()
    box.get_by_role("button", name="EV02").click()
    expect(page.locator(".card.current")).to_contain_text(MISSED.message)
    # What is unfolded stays so.
    expect(box.get_by_role("button", name="train.py:30")).to_be_visible()

    page.goto(f"{address}/submission?s={odd.id[:16]}")
    expect(box).to_contain_text("window.pwned=1")
    expect(box).to_contain_text("[U+202E]")
    for fold in box.locator(".fold, .more-of, summary").all():
        fold.click()
    hostile.assert_harmless(page)
    wide = box.evaluate("node => node.scrollWidth <= node.clientWidth + 1")
    assert wide, "a long text makes it scroll sideways"
