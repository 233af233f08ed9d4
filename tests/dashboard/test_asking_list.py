"""Guards the way to ask about a whole list: the price before anything is sent, what is answered
already is not paid again, failures as failures.
"""

import pytest
from streamlit.testing.v1 import AppTest

from reviewers import settings
from reviewers.backends.prices import Prices
from reviewers.records import Review, Verdict
from reviewers.store import Store
from reviewers.store.job_files import files_of
from reviewers.store.jobs import jobs_of
from reviewers.store.submission import load_submission
from tests.dashboard.desk import RULES, lineage
from tests.dashboard.models import always, configure, model, said, until
from tests.dashboard.screens import components, drawn, open_page, reached_by_others, send
from tests.model_server import Fault, ModelServer

PRICES = Prices(input=2.0, output=8.0)
pytestmark = pytest.mark.usefixtures("worker")


@pytest.fixture
def ids(store: Store) -> list[str]:
    """Three submissions that the rules have reviewed."""
    made = lineage("first", 3)
    for submission in made:
        store.add(submission, (RULES,))
    return [submission.id for submission in made]


def wished(ids: list[str], **params: str) -> AppTest:
    """Open the inbox and ask for the price of some rows."""
    return send(open_page(**params), "inbox_table", {"action": "ask", "ids": ids})


def work(at: AppTest) -> dict:  # type: ignore[type-arg]
    (one,) = drawn(at.run(), "works_list")["works"]
    return one


def ended(at: AppTest) -> dict:  # type: ignore[type-arg]
    until(lambda: not work(at)["live"])
    return work(at)


def test_a_list_is_exported_for_who_asked_and_nobody_in_blind_mode(
    ids: list[str], store: Store
) -> None:
    at = open_page()
    at.session_state["inbox-export"] = True
    at.run()
    next(each for each in at.button if each.label == "Export 3 submissions").click().run()
    done = ended(at)
    assert (done["title"], done["over"], done["failed"]) == ("Exported", 1, [])
    assert done["told"][0].startswith("3 submissions, ")
    (job,) = jobs_of(store, done["number"])
    (made,) = files_of(store, job.arguments["owner"])
    (shown,) = at.run().get("link_button")
    assert (shown.proto.label, shown.proto.url) == (made.name, f"./export/{made.key}")
    assert "works_list" not in components(open_page()), "others have nothing to do with it"
    assert "inbox-export" not in str(open_page(in_blind_mode=True).main)


def test_without_a_reviewer_there_is_nothing_to_press(ids: list[str]) -> None:
    at = open_page()
    assert not drawn(at, "inbox_table")["can_ask"]
    assert "Ask reviewers" not in [button.label for button in at.button]


def test_the_price_comes_first_and_nothing_is_sent(ids: list[str]) -> None:
    with ModelServer(always(said("ready"))) as server:
        configure(
            model("a", server, prices=PRICES, max_output_tokens=1_000),
            model("b", server, window=4_000, max_output_tokens=1_000),
            model("c", server, key_env="NO_SUCH_KEY"),
        )
        at = wished(ids[:2])
        a, b, c = drawn(at, "ask_list")["rows"]
        assert not server.questions
    tokens = int(a["size"].removesuffix(" tokens").replace(",", ""))
    assert a["asked"] == "2 submissions"
    assert a["usd"] == pytest.approx([tokens * 2 / 1e6, (tokens * 2 + 2 * 8_000) / 1e6])
    assert b["problem"] == "every prompt is too long for it"
    assert "NO_SUCH_KEY" in c["problem"]
    assert "works_list" not in components(at)


def test_the_whole_list_is_what_the_filters_left(ids: list[str]) -> None:
    configure(model("a"))
    at = open_page(q="first_02")
    next(button for button in at.button if button.label == "Ask reviewers").click().run()
    (row,) = drawn(at, "ask_list")["rows"]
    assert row["asked"] == "1 submission"
    at = send(open_page(), "inbox_table", {"action": "ask", "total": 3})
    assert drawn(at, "ask_list")["rows"][0]["asked"] == "3 submissions"
    at = send(open_page(), "inbox_table", {"action": "ask", "total": 99})
    assert "3 submissions match now" in at.error[0].value


def test_answers_and_failures_come_in_and_only_failures_are_asked_again(
    ids: list[str], store: Store
) -> None:
    with ModelServer(always(said("ready"))) as good, ModelServer(always(Fault("html"))) as bad:
        configure(model("a", good, prices=PRICES), model("b", bad))
        at = send(wished(ids), "ask_list", {"kind": "ask", "names": ["a", "b"]})
        assert "ask_list" not in components(at)
        done = ended(at)
        assert (done["over"], done["total"], done["told"][0]) == (6, 6, "3 failed")
        assert done["told"][1].startswith("$")
        (failed,) = done["failed"]
        assert failed["words"].startswith("b: ")
        assert failed["count"] == 3
        assert {name for name, _ in failed["about"]} == {"first_01", "first_02", "first_03"}
        for id in ids:
            verdicts = {
                one.review.reviewer: one.review.verdict
                for one in load_submission(store, id).reviews
            }
            assert (verdicts["a"], verdicts["b"]) == (Verdict.READY, None)
        asked = len(good.questions)
        a, b = drawn(wished(ids), "ask_list")["rows"]
        assert (a["problem"], b["problem"]) == ("has answered all of these", "")
        bad.script = always(said("not_ready"))
        again = send(wished(ids), "ask_list", {"kind": "ask", "names": ["a", "b"]})
        until(lambda: not any(one["live"] for one in drawn(again.run(), "works_list")["works"]))
        assert len(good.questions) == asked
    reviews = [one.review for id in ids for one in load_submission(store, id).reviews]
    assert [one.verdict for one in reviews if one.reviewer == "b"] == [Verdict.NOT_READY] * 3


def test_some_that_are_answered_are_told_and_left_out(ids: list[str]) -> None:
    with ModelServer(always(said("ready"))) as server:
        configure(model("a", server))
        ended(send(wished(ids[:2]), "ask_list", {"kind": "ask", "names": ["a"]}))
        (row,) = drawn(wished(ids), "ask_list")["rows"]
    assert row["asked"] == "1 submission"
    assert "2 already answered, skipped" in row["cost"]


def test_what_waits_can_be_cancelled_by_anyone_and_put_away(ids: list[str]) -> None:
    with ModelServer(always(Fault("timeout"))) as server:
        configure(model("a", server, concurrency=1))
        at = send(wished(ids), "ask_list", {"kind": "ask", "names": ["a"]})
        until(lambda: server.questions)
        assert work(at)["title"] == "ada asks a"
        other = open_page()
        send(other, "works_list", {"kind": "cancel", "number": work(other)["number"]})
        done = ended(at)
        assert done["told"] == ["3 cancelled"]
        send(at, "works_list", {"kind": "close", "number": done["number"]})
        assert "works_list" not in components(at.run())


def test_a_budget_is_one_for_the_whole_click(ids: list[str]) -> None:
    with ModelServer(says="ready") as server:
        configure(model("a", server, prices=Prices(input=2.0, output=8.0), max_output_tokens=1_000))
        file = settings.reviewers_file()
        file.write_text(f"[budget]\nusd = 0.02\n\n{file.read_text()}")
        data = drawn(wished(ids), "ask_list")
        assert data["budget_usd"] == 0.02
        assert data["rows"][0]["usd"][1] > 0.02
        done = ended(send(wished(ids), "ask_list", {"kind": "ask", "names": ["a"]}))
    assert any("of the budget of $0.0200" in each["words"] for each in done["failed"])


def test_in_blind_mode_nobody_is_asked(ids: list[str]) -> None:
    configure(model("a"))
    at = open_page(in_blind_mode=True)
    assert not drawn(at, "inbox_table")["can_ask"]
    assert "ask_list" not in components(send(at, "inbox_table", {"action": "ask", "ids": ids}))


def test_on_a_desk_that_others_reach_only_what_its_operator_configured_is_asked(
    ids: list[str], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-to-be-sent")
    configure(model("a"))
    with reached_by_others():
        at = send(wished(ids), "ask_list", {"kind": "ask", "names": ["openai:the-dearest"]})
        assert "is configured on the server" in at.error[0].value
        assert "works_list" not in components(at)
    assert "not-to-be-sent" not in str([drawn(at, name) for name in ("ask_list", "inbox_table")])


def test_a_large_list_is_priced_by_a_part_of_it(store: Store) -> None:
    made = lineage("many", 30)
    for submission in made:
        store.add(submission, (Review(reviewer="rules", verdict=Verdict.READY),))
    configure(model("a", prices=PRICES))
    at = send(open_page(), "inbox_table", {"action": "ask", "total": 30})
    (row,) = drawn(at, "ask_list")["rows"]
    assert row["asked"] == "about 30 submissions"
    assert "estimated from 15" in row["cost"]
