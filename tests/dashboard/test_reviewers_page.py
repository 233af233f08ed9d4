"""Guards the page of reviewers: what is configured, the form that loses nothing but a key in the
wrong place, and trials.
"""

from dataclasses import replace
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.addresses import inbox_query
from reviewers import settings
from reviewers.backends.configured import ReviewerConfig, load
from reviewers.backends.prices import Prices
from reviewers.batch.reading import judge_again, keep_how_read
from reviewers.propositions import parse
from reviewers.readers.reading import Reading
from reviewers.records import Verdict
from reviewers.store import Store
from reviewers.store.inbox import inbox
from tests.builders import make_submission
from tests.dashboard.desk import RECORDED, RULES, claim
from tests.dashboard.models import always, configure, model
from tests.dashboard.screens import components, drawn, open_page, reached_by_others, send
from tests.keys import allow_key
from tests.model_server import Fault, ModelServer


@pytest.fixture(autouse=True)
def _store(store: Store) -> None:
    """Every page opens the store."""


def kept() -> dict[str, ReviewerConfig]:
    """What the file holds."""
    return {reviewer.name: reviewer for reviewer in load(settings.reviewers_file()).reviewers}


def edited(name: str) -> AppTest:
    """Open the form for a reviewer."""
    return send(open_page("reviewers"), "reviewer_table", {"kind": "edit", "name": name})


def press(at: AppTest, label: str) -> AppTest:
    """Press a button by its label."""
    return next(button for button in at.button if button.label == label).click().run()


def words(at: AppTest) -> str:
    """All Markdown on the page, as it reads."""
    return " ".join(one.value for one in at.markdown).replace("\u2060", "").replace("\\", "")


def test_an_empty_page_says_what_to_do() -> None:
    at = open_page("reviewers")
    assert not at.exception
    assert "reviewer_table" not in components(at)
    assert words(at).startswith("No reviews yet.")
    assert "No LLM reviewer yet." in words(at)
    assert at.code[0].value == str(settings.reviewers_file())


def test_the_table_tells_whether_a_key_is_set_and_never_the_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SET_KEY", "a-key-that-nobody-sees")
    prices = Prices(input=2.0, output=8.0)
    configure(
        model("a", key_env="SET_KEY", window=128_000, prices=prices),
        model("b", key_env="UNSET_KEY"),
        model("c"),
    )
    allow_key("SET_KEY", "http://127.0.0.1:9")
    data = drawn(open_page("reviewers"), "reviewer_table")
    assert [row["cells"][2] for row in data["rows"]] == [
        "SET_KEY: yes",
        "UNSET_KEY: no",
        "none needed",
    ]
    assert data["rows"][0]["cells"][5:] == ["128,000", "2 / — / 8", "60 s", "8"]
    assert "nobody-sees" not in str(data)


def test_a_new_reviewer_is_written_to_the_file() -> None:
    at = press(open_page("reviewers"), "Add a reviewer")
    at.text_input(key="reviewer-form-name").set_value("mine")
    at.text_input(key="reviewer-form-model").set_value("qwen")
    at.selectbox(key="reviewer-form-base_url").set_value("http://localhost:11434/v1")
    at.text_input(key="reviewer-form-key_env").set_value("")
    at.number_input(key="reviewer-form-window").set_value(32_000)
    at.number_input(key="reviewer-form-price_input").set_value(0.5)
    at.number_input(key="reviewer-form-max_output_tokens").set_value(4_000)
    at.text_input(key="reviewer-form-seed").set_value("-7")
    at = press(at, "Save reviewer")
    assert not at.exception
    wanted = ReviewerConfig(
        name="mine",
        model="qwen",
        base_url="http://localhost:11434/v1",
        key_env=None,
        window=32_000,
        max_output_tokens=4_000,
        seed=-7,
        prices=Prices(input=0.5),
    )
    assert kept() == {"mine": wanted}
    assert not at.text_input


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("name", "rules", "the name is taken"),
        ("name", "b", "a reviewer named 'b' already"),
        ("model", "", "say what the server calls the model"),
        ("seed", "seven", "seed must be a whole number"),
        ("effort", "VERY", "effort is a word"),
    ],
)
def test_an_error_is_one_line_and_nothing_is_lost(field: str, value: str, problem: str) -> None:
    configure(model("a", window=99_000), model("b"))
    before = kept()
    at = edited("a")
    at.number_input(key="reviewer-form-retries").set_value(3)
    at.text_input(key=f"reviewer-form-{field}").set_value(value)
    at = press(at, "Save reviewer")
    assert problem in words(at)
    assert at.text_input(key=f"reviewer-form-{field}").value == value
    assert at.number_input(key="reviewer-form-retries").value == 3
    assert kept() == before


@pytest.mark.parametrize(
    "typed",
    ["sk-proj-abc123DEF456", "hf_AbCdEfGhIjKlMnOp", "gsk_0123456789abcdef", "AKIAIOSFODNN7EXAMPLE"],
)
def test_a_key_in_the_wrong_field_is_neither_kept_nor_repeated(typed: str) -> None:
    configure(model("a"))
    at = edited("a")
    at.text_input(key="reviewer-form-key_env").set_value(typed)
    at = press(at, "Save reviewer")
    assert "never the key" in words(at)
    assert at.text_input(key="reviewer-form-key_env").value == ""
    assert typed not in repr(at.session_state)
    assert typed not in words(at)
    assert typed not in settings.reviewers_file().read_text("utf-8")


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "KEY", "lower_case_but_set"])
def test_a_variables_name_is_taken(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("lower_case_but_set", "x")
    configure(model("a"))
    at = edited("a")
    at.text_input(key="reviewer-form-key_env").set_value(name)
    press(at, "Save reviewer")
    assert kept()["a"].key_env == name


def test_a_renamed_reviewer_stays_in_its_place_with_its_comments() -> None:
    configure(model("a"), model("b"))
    path = settings.reviewers_file()
    path.write_text(path.read_text("utf-8").replace('name = "a"', 'name = "a"  # the good one'))
    at = edited("a")
    at.text_input(key="reviewer-form-name").set_value("z")
    press(at, "Save reviewer")
    assert list(kept()) == ["z", "b"]
    assert "# the good one" in path.read_text("utf-8")


def test_a_copy_is_a_new_reviewer_and_never_takes_the_place_of_another() -> None:
    configure(model("a", window=99_000), model("b"))
    at = send(open_page("reviewers"), "reviewer_table", {"kind": "copy", "name": "a"})
    at.text_input(key="reviewer-form-name").set_value("b")
    at = press(at, "Save reviewer")
    assert "a reviewer named" in words(at)
    assert kept()["b"].window is None
    at.text_input(key="reviewer-form-name").set_value("a copy")
    press(at, "Save reviewer")
    assert list(kept()) == ["a", "b", "a copy"]
    assert kept()["a copy"].window == 99_000


def test_a_trial_says_what_came() -> None:
    with ModelServer() as good, ModelServer(always(Fault("html"))) as page:
        configure(model("good", good), model("page", page), model("keyless", key_env="UNSET_KEY"))
        at = open_page("reviewers")
        send(
            at,
            "reviewer_table",
            *({"kind": "try", "name": name} for name in ("good", "page", "keyless")),
        )
        trials = {row["name"]: row["trial"] for row in drawn(at, "reviewer_table")["rows"]}
        assert good.questions[-1].body["max_output_tokens"] <= 300
    assert trials["good"]["ok"]
    assert trials["good"]["words"].startswith("m-good-2026-01-01 answered in ")
    assert "speaks the Responses API and answers in a given schema" in trials["good"]["words"]
    assert (trials["page"]["ok"], "web page" in trials["page"]["words"]) == (False, True)
    assert "UNSET_KEY" in trials["keyless"]["words"]


def test_a_trial_reaches_an_old_server() -> None:
    with ModelServer(without=["responses", "schema"]) as server:
        configure(model("old", server))
        at = send(open_page("reviewers"), "reviewer_table", {"kind": "try", "name": "old"})
    (row,) = drawn(at, "reviewer_table")["rows"]
    assert "speaks the Chat Completions API" in row["trial"]["words"]


def test_a_broken_file_is_one_line_and_the_rest_of_the_page_stays(store: Store) -> None:
    store.add(make_submission(), (RECORDED, RULES))
    settings.reviewers_file().write_text("reviewer = 1")
    at = open_page("reviewers")
    assert not at.exception
    assert "under a heading" in at.error[0].value.replace("\u2060", "").replace("\\", "")
    assert "agreement_table" in components(at)


def test_the_past_is_told_in_words_beside_its_weight(store: Store) -> None:
    submission = make_submission()
    store.add(submission, (RECORDED, RULES))
    store.decide(submission.id, Verdict.NOT_READY, "it does not run", "ada")
    (weight,) = (
        row["cells"][-1]
        for row in drawn(open_page("reviewers"), "agreement_table")["rows"]
        if "o9" in row["name"]
    )
    assert weight["title"] == "agreed with people in 1 of 1 decision, 1 of 2 claims confirmed"
    assert weight["text"] == "0.59"


def test_each_number_of_a_reader_opens_the_submissions_that_it_counts(store: Store) -> None:
    one, two = (make_submission({f"{name}.py": ""}, name=name) for name in ("one", "two"))
    words = "`src/utils.py` is missing."
    for each in (one, two):
        store.add(each, (replace(RECORDED, findings=(claim(words),)),))
        judge_again(store, each)
    said = Reading(reader="person", proposition=parse({"p": "exists", "file": "src/train.py"}))
    keep_how_read(store, one, {words: said}, "ada")
    judge_again(store, one)
    table = drawn(open_page("reviewers"), "facts_table")
    assert [row[0]["text"] for row in table["rows"]] == ["offline", "people"]
    cells = {
        (row[0]["text"], heading): cell
        for row in table["rows"]
        for heading, cell in zip(table["headings"], row, strict=True)
    }
    assert [cells["offline", name]["text"] for name in ("Claims given", "Read")] == ["2", "1"]
    assert cells["offline", "Overruled"]["text"] == "1 (2 claims: too few)"
    assert cells["people", "Confirmed"]["text"] == "1"
    for (_, heading), cell in cells.items():
        if "href" in cell:
            query = inbox_query(dict(parse_qsl(cell["href"].partition("?")[2])))
            assert inbox(store, query).total == int(cell["text"][0]), heading
    assert "href" not in cells["people", "Overruled"]


def test_the_budget_is_told() -> None:
    configure(model("a"))
    path = settings.reviewers_file()
    assert any("No budget is set" in one.value for one in open_page("reviewers").caption)
    path.write_text(f"[budget]\nusd = 1.5\n{path.read_text('utf-8')}")
    told = (
        " ".join(one.value for one in open_page("reviewers").caption)
        .replace("\u2060", "")
        .replace("\\", "")
    )
    assert "One click may cost at most $1.5000." in told


def test_on_a_desk_that_others_reach_reviewers_are_configured_on_the_server_alone() -> None:
    configure(model("a"))
    before = settings.reviewers_file().read_text("utf-8")
    at = edited("a")
    at.text_input(key="reviewer-form-name").set_value("b")
    with reached_by_others():
        # The form that was open before, and every event that a client may send.
        press(at, "Save reviewer")
        at = open_page("reviewers")
        assert [button.label for button in at.button if "eviewer" in button.label] == []
        assert not drawn(at, "reviewer_table")["writable"]
        for kind in ("edit", "copy", "remove"):
            at = send(at, "reviewer_table", {"kind": kind, "name": "a"})
            assert "only somebody on the server" in at.error[0].value
            assert not at.text_input
        at = send(at, "reviewer_table", {"kind": "try", "name": "openai:the-dearest"})
        assert "is configured on the server" in at.error[0].value
    assert settings.reviewers_file().read_text("utf-8") == before
