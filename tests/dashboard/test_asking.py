"""Guards the way to ask models on the submission screen: what is shown before, what stands there
meanwhile, what can follow.
"""

import json
from contextlib import ExitStack

import pytest
from streamlit.testing.v1 import AppTest

from reviewers import settings
from reviewers.backends.prices import Prices
from reviewers.records import Check, Verdict
from reviewers.store import Store
from reviewers.store.submission import load_submission
from tests.builders import make_submission
from tests.dashboard.desk import RECORDED, RULES
from tests.dashboard.models import WRONG, always, configure, finding, model, said, until
from tests.dashboard.screens import components, drawn, open_page, reached_by_others, send
from tests.keys import allow_key
from tests.model_server import Fault, ModelServer

pytestmark = pytest.mark.usefixtures("worker")


@pytest.fixture
def id(store: Store) -> str:
    """A submission that the rules have reviewed."""
    submission = make_submission(name="first")
    store.add(submission, (RULES,))
    return submission.id


def the_list(id: str) -> AppTest:
    """Open the submission with the list of reviewers unfolded."""
    at = open_page("submission", s=id)
    at.session_state["ask"] = True
    return at.run()


def columns(at: AppTest) -> dict[str, dict]:  # type: ignore[type-arg]
    """The columns by name."""
    return {column["name"]: column for column in drawn(at, "verdict_columns")["columns"]}


def answered(at: AppTest, *names: str) -> dict[str, dict]:  # type: ignore[type-arg]
    """Run the page as the browser does, until nobody of these is asked any more."""

    def there() -> bool:
        known = columns(at.run())
        return all(name in known and not known[name]["live"] for name in names)

    until(there)
    return columns(at)


def test_without_a_reviewer_one_line_leads_to_the_page(id: str) -> None:
    at = open_page("submission", s=id)
    assert not at.exception
    assert drawn(at, "note_line") == {
        "words": "No LLM reviewer is configured.",
        "link": "Add one",
        "address": "reviewers",
        "failed": False,
    }
    assert "verdict_columns" in components(at)


def test_without_a_key_one_line_names_the_variable(id: str) -> None:
    configure(model("a", key_env="MY_KEY"))
    allow_key("MY_KEY", "http://127.0.0.1:9")
    at = the_list(id)
    assert (
        drawn(at, "note_line")["words"]
        == "No model can be asked: the environment variable MY_KEY is not set."
    )
    (row,) = drawn(at, "ask_list")["rows"]
    assert row["problem"] == "the environment variable MY_KEY is not set"


def test_a_broken_file_is_one_line_and_nothing_else_suffers(id: str) -> None:
    settings.reviewers_file().write_text("[[reviewer]")
    at = open_page("submission", s=id)
    assert not at.exception
    assert "not valid TOML" in drawn(at, "note_line")["words"]
    assert drawn(at, "code_view")["lines"]


def test_one_bad_entry_is_told_and_the_others_can_be_asked(id: str) -> None:
    configure(model("good"))
    file = settings.reviewers_file()
    file.write_text(f"{file.read_text()}\n[[reviewer]]\nname = 'bad'\nmodel = 'm'\nretries = -1\n")
    at = the_list(id)
    note = drawn(at, "note_line")
    assert note["failed"], "no grey line among others"
    assert "reviewer 'bad': retries is a number" in note["words"]
    (row,) = drawn(at, "ask_list")["rows"]
    assert (row["name"], row["problem"]) == ("good", "")
    (bad,) = drawn(at, "ask_list")["broken"]
    assert "reviewer 'bad': retries is a number" in bad
    page = open_page("reviewers")
    assert "Cannot be asked" in page.error[0].value
    assert [row["name"] for row in drawn(page, "reviewer_table")["rows"]] == ["good"]


def test_the_list_tells_what_would_be_sent_and_cost(id: str) -> None:
    configure(
        model("a", window=128_000, max_output_tokens=1_000, prices=Prices(input=2.0, output=8.0)),
        model("b", window=4_000, max_output_tokens=1_000),
    )
    a, b = drawn(the_list(id), "ask_list")["rows"]
    size, _, window = a["size"].partition(" tokens of ")
    tokens = int(size.replace(",", ""))
    assert sum(int(size.replace(",", "")) for _, size in a["parts"]) == pytest.approx(
        tokens, rel=0.05
    )
    assert {"system", "context", "src/train.py"} <= {title for title, _ in a["parts"]}
    assert a["usd"] == pytest.approx([tokens * 2 / 1e6, (tokens * 2 + 8_000) / 1e6])
    assert (window, a["problem"], a["known"]) == ("128,000", "", None)
    assert b["problem"].startswith(f"about {b['size'].partition(' ')[0]} tokens do not fit")
    assert b["cost"] == "cost unknown: no prices configured"


def test_columns_fill_and_show_what_they_took(id: str, store: Store) -> None:
    wrong, page = ModelServer(always(said("not_ready", WRONG))), ModelServer(always(Fault("html")))
    with wrong, page:
        configure(model("a", wrong, prices=Prices(input=2.0, output=8.0)), model("b", page))
        at = send(the_list(id), "ask_list", {"kind": "ask", "names": ["a", "b"]})
        assert {"a", "b", "rules"} == columns(at).keys()
        filled = answered(at, "a", "b")
    a, b = filled["a"], filled["b"]
    assert (a["words"], a["counts"]["refuted"], a["prompt"]) == (
        "not ready",
        1,
        "prompt findings/5",
    )
    assert a["tokens"].endswith(" out")
    assert "$0." in a["took"]
    assert (b["words"], b["can"]) == ("failed", ["again"])
    assert "web page" in b["failure"]
    assert "502 Bad Gateway" in b["raw"]
    assert b["took"].endswith("cost —")
    assert [one.review.verdict for one in load_submission(store, id).reviews] == [
        Verdict.NOT_READY,
        None,
        Verdict.NOT_READY,
    ]


def test_an_answer_that_is_known_is_told_and_asked_for_afresh(id: str) -> None:
    with ModelServer(always(said("ready"))) as server:
        configure(model("a", server))
        answered(send(the_list(id), "ask_list", {"kind": "ask", "names": ["a"]}), "a")
        at = the_list(id)
        (row,) = drawn(at, "ask_list")["rows"]
        assert row["known"]["words"] == "Already answered: ready"
        asked = len(server.questions)
        send(at, "ask_list", {"kind": "ask", "names": ["a"]})
        until(lambda: len(server.questions) > asked)
        answered(at, "a")


def test_on_a_desk_that_others_reach_only_what_its_operator_configured_is_asked(
    id: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-to-be-sent")
    configure(model("a"))
    with reached_by_others():
        at = send(the_list(id), "ask_list", {"kind": "ask", "names": ["openai:the-dearest"]})
        assert "is configured on the server" in at.error[0].value
        at = send(at, "verdict_columns", {"kind": "again", "name": "openai:the-dearest"})
        assert "is configured on the server" in at.error[0].value
        assert set(columns(at)) == {"rules"}


def test_a_cancelled_one_says_so_and_can_be_asked_again(id: str, store: Store) -> None:
    with ModelServer(always(Fault("timeout"))) as server:
        configure(model("a", server))
        at = send(the_list(id), "ask_list", {"kind": "ask", "names": ["a"]})
        until(lambda: server.questions)
        # Another browser sees the same, and may cancel as well.
        other = open_page("submission", s=id)
        assert columns(other)["a"]["live"]["state"] == "asking"
        send(other, "verdict_columns", {"kind": "cancel", "name": "a"})
        a = answered(at, "a")["a"]
        assert a["ended"].startswith("cancelled after")
        assert a["can"] == ["again"]
        server.script = always(said("ready"))
        send(at, "verdict_columns", {"kind": "again", "name": "a"})
        assert answered(at, "a")["a"]["words"] == "ready"
    assert len(load_submission(store, id).reviews) == 2


def test_evidence_brings_a_second_look_beside_the_first(id: str, store: Store) -> None:
    with ModelServer(always(said("not_ready", WRONG))) as server:
        configure(model("a", server))
        at = send(the_list(id), "ask_list", {"kind": "ask", "names": ["a"]})
        assert "evidence" in answered(at, "a")["a"]["can"]
        server.script = always(said("ready"))
        send(at, "verdict_columns", {"kind": "evidence", "name": "a"})
        a = answered(at, "a")["a"]
        shown = server.questions[-1].text
    assert (a["words"], a["before"]["words"]) == ("ready", "not ready")
    assert a["before"]["changes"].startswith(
        "Now ready instead of not ready: it took back 1 of 1 refuted finding"
    )
    assert "does not parse" in a["before"]["text"]
    assert "evidence" not in a["can"]
    # The model was shown what refutes it, and the blocker of the rules that it missed.
    assert "Refuted by the code" in shown
    assert "EV02 flags" in shown
    review = next(one for one in load_submission(store, id).reviews if one.review.reviewer == "a")
    assert review.before is not None
    assert review.before.findings[0].check.result is Check.REFUTED


def test_each_reviewer_has_missed_what_it_does_not_name_itself(id: str) -> None:
    named = finding(
        "evaluate.py stops at its command line",
        "src/evaluate.py",
        category="cli-contract",
        line=5,
        end_line=7,
    )
    with ExitStack() as stack:
        servers = [
            stack.enter_context(ModelServer(always(said("not_ready", *told))))
            for told in ([named], [])
        ]
        configure(*(model(name, server) for name, server in zip("ab", servers, strict=True)))
        filled = answered(
            send(the_list(id), "ask_list", {"kind": "ask", "names": ["a", "b"]}), "a", "b"
        )
    assert [len(filled[name]["missed"]) for name in ("a", "b")] == [0, 1]


@pytest.mark.parametrize("part", ["ask_list", "verdict_columns"])
def test_the_prompt_is_shown_as_it_is_sent(id: str, part: str) -> None:
    with ModelServer(always(said("ready"))) as server:
        configure(model("a", server))
        at = send(the_list(id), "ask_list", {"kind": "ask", "names": ["a"]})
        answered(at, "a")
        sent = [message["content"] for message in server.questions[-1].messages]
    at.session_state["ask"] = True
    at.run()
    send(
        at, part, {"kind": "prompt", "name": "a", **({"of": "list"} if part == "ask_list" else {})}
    )
    (prompt,) = drawn(at, "prompt_view")["prompts"]
    assert prompt["title"].startswith("findings/5 · ")
    assert [message["text"] for message in prompt["messages"]] == sent
    assert not at.caption


def test_a_prompt_that_would_differ_today_says_so(id: str) -> None:
    with ModelServer(always(said("ready"))) as server:
        configure(model("a", server))
        at = send(the_list(id), "ask_list", {"kind": "ask", "names": ["a"]})
        answered(at, "a")
        configure(model("a", server, form="recorded"))
    send(at, "verdict_columns", {"kind": "prompt", "name": "a"})
    assert at.caption[0].value.startswith("Rebuilt with today's settings")


def test_a_reviewer_that_is_gone_from_the_file_is_a_problem_in_words(id: str) -> None:
    configure(model("a"))
    at = send(the_list(id), "ask_list", {"kind": "ask", "names": ["b"]})
    assert not at.exception
    assert "there is no reviewer" in at.error[0].value.replace("\u2060", "")


def test_a_model_reads_the_claims_and_the_card_says_how(store: Store, id: str) -> None:
    store.add(make_submission(name="first"), (RECORDED,))
    absent = {"not": {"p": "exists", "file": "src/utils.py"}}
    rest = {"why_not": "a guess"}
    readings = [
        {"claim": 1, "begins": "train.py does not", "proposition": None, **rest},
        {"claim": 2, "begins": "utils.py is missing", "proposition": absent, **rest},
        {"claim": 3, "begins": "The data may", "proposition": None, **rest},
    ]
    with ModelServer([json.dumps({"readings": readings})]) as server:
        configure(model("a", server, api="chat"))
        at = send(the_list(id), "ask_list", {"kind": "read", "name": "a"})

        def read() -> bool:
            (stored,) = [
                each
                for each in load_submission(store, id).reviews
                if each.review.reviewer == "recorded"
            ]
            return any(each.understood for each in stored.review.findings)

        until(read)
    at.query_params["file"] = "src/utils.py"
    cards = {card["claim"]: card for card in drawn(at.run(), "code_view")["cards"]}
    card = cards["utils.py is missing."]
    assert card["check"] == "confirmed"
    told = card["understood"]
    (other,) = told["otherwise"]
    assert (told["reader"], other["reader"]) == ("a", "offline")
    assert [(part["words"], part["check"]) for part in told["parts"]] == [
        ("`src/utils.py` is not in the submission", "confirmed")
    ]
    assert told["looked_at"]
