"""Guards, in a real browser, that models are asked beside a person's work and not in its way, and
that their words stay text.
"""

import re
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from reviewers.store import Store
from reviewers.store.submission import load_submission
from tests.builders import make_submission
from tests.dashboard import hostile
from tests.dashboard.conftest import PATIENCE, watched_page
from tests.dashboard.desk import MISSED, RULES, SMALL
from tests.dashboard.models import WRONG, Held, always, configure, model, said, until
from tests.dashboard.screens import open_panel
from tests.dashboard.serving import Server
from tests.keys import allow_key
from tests.model_server import Fault, ModelServer, Raw
from tests.reviewers.store.making import NOT_READY, READY, make_experiment, make_review

Dashboard = Callable[[], str]
pytestmark = pytest.mark.usefixtures("worker")
KEY = "sk-proj-not4nyone0123456789abcdef"
# Everything that the page holds: text, attributes and what stands in fields, in our components too.
ALL_OF_IT = """() => {
    const roots = [document, ...[...document.querySelectorAll("*")].map((node) => node.shadowRoot).filter(Boolean)]
    const fields = roots.flatMap((root) => [...root.querySelectorAll("input, textarea")].map((field) => field.value))
    const texts = roots.map((root) => root.innerHTML ?? root.documentElement.outerHTML)
    return [location.href, document.cookie, ...fields, ...texts].join()
}"""  # noqa: E501


@pytest.fixture
def id(store: Store) -> str:
    """A submission that the rules have reviewed."""
    submission = make_submission(name="first")
    store.add(submission, (RULES,))
    return submission.id


def open_desk(page: Page, address: str, id: str, file: str = "src/evaluate.py") -> None:
    page.goto(f"{address}/submission?s={id[:16]}&f={file}")
    expect(page.locator(".bar .path")).to_have_text(file)
    expect(column(page, "rules")).to_contain_text("not ready")


def ask(page: Page, count: int) -> None:
    """Ask those that are ticked from the start."""
    page.get_by_role("button", name="Ask reviewers").click()
    page.get_by_role("button", name=f"Ask {count} reviewer").click()


def column(page: Page, name: str):  # type: ignore[no-untyped-def]
    return page.locator(".column").filter(has=page.locator(".reviewer", has_text=name))


def test_three_reviewers_answer_side_by_side(
    page: Page, own_dashboard: Dashboard, store: Store, id: str
) -> None:
    with ExitStack() as stack:
        for name, seconds in (("one", 1), ("two", 2), ("three", 3)):
            server = stack.enter_context(ModelServer(always(said("ready")), latency=seconds))
            configure(model(name, server))
        open_desk(page, own_dashboard(), id)
        ask(page, 3)
        expect(page.locator(".column.is-live")).to_have_count(3)
        expect(column(page, "three").locator(".seconds")).to_contain_text("s")
        for name in ("one", "two", "three"):
            expect(column(page, name).locator(".verdict")).to_have_text("ready")
        expect(page.locator(".column.is-live")).to_have_count(0)
    came = {stored.review.reviewer: stored.at for stored in load_submission(store, id).reviews}
    assert came["one"] < came["two"] < came["three"]
    # One after the other they would have needed five seconds more after the first.
    assert (came["three"] - came["one"]).total_seconds() < 4.5


def test_the_coming_of_a_review_disturbs_nothing(
    page: Page, own_dashboard: Dashboard, id: str
) -> None:
    first, second = Held(said("not_ready", WRONG)), Held(said("ready"))
    with ModelServer(first) as one, ModelServer(second) as two:
        configure(model("one", one), model("two", two))
        open_desk(page, own_dashboard(), id)
        ask(page, 2)
        expect(page.locator(".column.is-live")).to_have_count(2)
        page.keyboard.press("Escape")
        page.locator(".entry", has_text="train.py").click()
        expect(page.locator(".bar .path")).to_have_text("src/train.py")
        card = page.locator(".card", has_text=SMALL.message)
        card.get_by_role("button", name="Dismiss").click()
        more = card.get_by_label("Why it is dismissed")
        more.fill("half a thought")
        reason = page.get_by_label("Reason", exact=True).and_(page.locator("textarea"))
        reason.press_sequentially("it trains, ")
        page.locator(".scroll").evaluate("node => node.scrollTop = 150")
        top = page.locator(".row[data-line='20']").bounding_box()

        first.let_go()
        expect(column(page, "one").locator(".verdict")).to_have_text("not ready")
        expect(column(page, "two").locator(".live")).to_be_visible()
        # Line 3 has a card now, and what the person looks at has not moved for it.
        expect(page.locator(".card.is-refuted")).to_have_count(1)
        assert top is not None
        assert page.locator(".row[data-line='20']").bounding_box()["y"] == pytest.approx(
            top["y"], abs=2
        )  # type: ignore[index]
        expect(reason).to_be_focused()
        page.keyboard.type("I ran it")
        second.let_go()
        expect(column(page, "two").locator(".verdict")).to_have_text("ready")
        expect(reason).to_have_value("it trains, I ran it")
        expect(more).to_have_value("half a thought")
        expect(page.locator(".bar .path")).to_have_text("src/train.py")


def test_a_reload_and_another_browser_see_the_same(
    page: Page, chromium: Browser, own_dashboard: Dashboard, id: str
) -> None:
    answer = Held(said("ready"))
    with ModelServer(answer) as server, watched_page(chromium) as other:
        configure(model("one", server))
        address = own_dashboard()
        open_desk(page, address, id)
        ask(page, 1)
        expect(column(page, "one").locator(".live")).to_be_visible()
        page.reload()
        open_desk(other, address, id)
        for browser in (page, other):
            expect(column(browser, "one").locator(".live")).to_contain_text("Asking")
        answer.let_go()
        for browser in (page, other):
            expect(column(browser, "one").locator(".verdict")).to_have_text("ready")
        assert len(server.questions) == 1


def test_one_that_hangs_is_cancelled_and_the_others_stand(
    page: Page, own_dashboard: Dashboard, id: str
) -> None:
    with ExitStack() as stack:
        for name, answer in (
            ("hangs", Fault("timeout")),
            ("page", Fault("html")),
            ("good", said("ready")),
        ):
            configure(model(name, stack.enter_context(ModelServer(always(answer)))))
        open_desk(page, own_dashboard(), id)
        ask(page, 3)
        expect(column(page, "good").locator(".verdict")).to_have_text("ready")
        expect(column(page, "page")).to_contain_text("web page")
        column(page, "hangs").get_by_role("button", name="Cancel").click()
        expect(column(page, "hangs")).to_contain_text("cancelled after")
        expect(column(page, "page").get_by_role("button", name="Ask again")).to_be_visible()


def test_what_a_model_says_is_shown_as_text(page: Page, own_dashboard: Dashboard, id: str) -> None:
    claim = {
        **WRONG,
        "message": f"claim {hostile.ALL} {'long ' * 20_000}",
        "quote": hostile.MARKUP,
        "file": "src/train.py",
    }
    with ExitStack() as stack:
        for name, answer in (
            ("form", said("not_ready", claim)),
            ("none", f"no JSON {hostile.ALL} {'x' * 100_000}"),
        ):
            configure(model(name, stack.enter_context(ModelServer(always(answer)))))
        page_of = stack.enter_context(
            ModelServer(always(Raw(500, {"error": {"message": f"server {hostile.ALL}"}})))
        )
        configure(model("error", page_of))
        open_desk(page, own_dashboard(), id)
        ask(page, 3)
        expect(column(page, "form").locator(".verdict")).to_have_text("not ready")
        expect(column(page, "none").locator(".verdict")).to_have_text("failed")
        expect(column(page, "error").locator(".verdict")).to_have_text("failed")
    column(page, "none").locator("summary").click()
    expect(column(page, "none").locator("pre")).to_contain_text(
        "no JSON <script>window.pwned=1</script>"
    )
    for panel in ("Findings", "Review text"):
        open_panel(page, panel)
        expect(page.locator(".st-key-panel-body")).to_contain_text("<script>window.pwned=1")
        hostile.assert_harmless(page)
    shown = page.evaluate(ALL_OF_IT)
    assert not [mark for mark in ("\x00", "\u202e", "\u200b") if mark in shown]
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")


def test_keys_walk_the_matrix_and_the_list_of_reviewers(
    page: Page, own_dashboard: Dashboard, id: str
) -> None:
    with ModelServer(always(said("not_ready", WRONG))) as server:
        configure(model("one", server))
        open_desk(page, own_dashboard(), id)
        page.get_by_role("button", name="Ask reviewers").focus()
        page.keyboard.press("Enter")
        box = page.get_by_role("checkbox")
        expect(box).to_be_checked()
        box.press("Space")
        expect(page.get_by_role("button", name="Ask", exact=True)).to_be_disabled()
        box.press("Space")
        page.get_by_role("button", name="Ask 1 reviewer").press("Enter")
        expect(column(page, "one").locator(".verdict")).to_have_text("not ready")
    page.get_by_role("button", name="Adopt").press("Enter")
    expect(page.get_by_role("button", name="Not ready", exact=True, pressed=True)).to_be_visible()
    reason = page.get_by_label("Reason", exact=True).and_(page.locator("textarea"))
    expect(reason).to_have_value(
        f"Not ready: a blocker is confirmed, {MISSED.span}: {MISSED.message} (rules proves it)."
    )


def test_a_key_is_nowhere_to_be_seen(
    page: Page, url: str, id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    refuses = always(
        Raw(
            401,
            {"error": {"message": f"Incorrect API key provided: {KEY}", "code": "invalid_api_key"}},
        )
    )
    with ModelServer(always(said("ready")), keys=[KEY]) as takes, ModelServer(refuses) as tells:
        allow_key("MY_KEY", takes.url, tells.url)
        configure(
            *(
                model(name, server, key_env="MY_KEY")
                for name, server in (("takes", takes), ("tells", tells))
            )
        )
        with Server(url) as server:
            open_desk(page, server.address, id)
            ask(page, 2)
            expect(column(page, "takes").locator(".verdict")).to_have_text("ready")
            expect(column(page, "tells").locator(".verdict")).to_have_text("failed")
            assert KEY not in page.evaluate(ALL_OF_IT)
            page.goto(f"{server.address}/reviewers")
            expect(
                page.locator(".st-key-reviewer-table tr", has_text="takes").first
            ).to_contain_text("MY_KEY: yes")
            page.get_by_role("button", name="Try tells").click()
            expect(page.locator(".trial.failed")).to_be_visible()
            # The key in the field for its variable's name: refused, not repeated, and gone from the
            # field.
            page.get_by_role("button", name="Edit takes").click()
            field = page.get_by_role("textbox", name="Environment variable with the key")
            field.fill(KEY)
            page.get_by_role("button", name="Save reviewer").click()
            expect(page.get_by_text("is the name of the environment variable")).to_be_visible()
            expect(field).to_have_value("")
            assert KEY not in page.evaluate(ALL_OF_IT)
        assert KEY not in "".join(server.log)
    assert [len(asked.questions) > 0 for asked in (takes, tells)] == [True, True]
    with sqlite3.connect(tmp_path / "store.sqlite3") as database:
        assert KEY not in "\n".join(database.iterdump())
    database.close()
    assert not [
        path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()
    ]


def test_stopping_the_server_is_quiet_while_models_are_asked(
    page: Page, url: str, id: str, store: Store
) -> None:
    answer = Held(said("ready"))
    with ModelServer(answer) as model_server:
        configure(model("one", model_server))
        with Server(url) as server:
            open_desk(page, server.address, id)
            ask(page, 1)
            until(lambda: model_server.questions)
            server.stop()
        answer.let_go()
    assert not [
        line for line in server.log if "Traceback" in line or "destroyed" in line or "Error" in line
    ], server.log
    assert len(load_submission(store, id).reviews) == 1


def test_reviewers_are_added_tried_and_removed(
    page: Page, own_dashboard: Dashboard, store: Store
) -> None:
    page.set_default_timeout(PATIENCE)
    with ModelServer() as server:
        page.goto(f"{own_dashboard()}/reviewers")
        page.get_by_role("button", name="Add a reviewer").click()
        page.get_by_role("textbox", name="Name", exact=True).fill("mine")
        page.get_by_role("textbox", name="Model", exact=True).fill("m-1")
        server_field = page.get_by_role("combobox", name="Server")
        server_field.fill(server.url)
        page.keyboard.press("Enter")
        page.get_by_role("textbox", name="Environment variable with the key").fill("")
        page.get_by_role("button", name="Save reviewer").click()
        row = page.locator("tr", has_text="m-1").first
        expect(row).to_contain_text("none needed")
        page.get_by_role("button", name="Try mine").click()
        expect(page.locator(".trial")).to_contain_text("m-1-2026-01-01 answered in")
        expect(page.locator(".trial")).to_contain_text("speaks the Responses API")
        page.get_by_role("button", name="Remove mine").click()
        page.get_by_role("button", name="Remove permanently mine").click()
        expect(page.get_by_text("No LLM reviewer yet.")).to_be_visible()


def test_keys_choose_a_reviewer_and_a_cell_of_its_matrix_opens_what_it_counts(
    page: Page, dashboard: Dashboard, store: Store
) -> None:
    name = f"two {hostile.MARKUP}"
    for place in range(4):
        experiment = make_experiment(f"x{place}", f"x{place}")
        verdicts = (make_review("one", NOT_READY), make_review(name, READY if place else NOT_READY))
        store.add(experiment, (*verdicts, RULES))
        store.decide(experiment.id, NOT_READY, "it does not run", "ada")
    page.goto(f"{dashboard()}/reviewers")
    chosen = page.locator("tr.is-chosen .name")
    cell = page.locator(".cell", has_text="wrongly passed")
    expect(page.locator(".note.few").first).to_contain_text("4 decisions: too few")
    expect(chosen).to_have_text(name)
    expect(chosen).to_be_visible()  # what nobody sees yet takes no key
    page.keyboard.press("j")
    expect(chosen).to_have_text("one")
    expect(chosen).to_be_focused()
    expect(cell).to_contain_text("0")
    page.keyboard.press("k")
    expect(chosen).to_have_text(name)
    expect(cell).to_contain_text("3")
    expect(page).to_have_url(re.compile("reviewer=two"))
    page.reload()
    expect(chosen).to_have_text(name)
    page.get_by_text("Another reviewer", exact=True).click()
    expect(page.get_by_text("is the reference")).to_have_count(1)
    page.get_by_text("People's decisions", exact=True).click()
    expect(page.get_by_text("is the reference")).to_have_count(0)
    expect(cell).to_contain_text("3")
    hostile.assert_harmless(page)
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    cell.press("Enter")
    expect(page.locator("tbody tr[data-id]")).to_have_count(3)
    page.go_back()
    expect(chosen).to_have_text(name)
