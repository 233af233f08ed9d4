"""Guards *Read differently*: a person's reading is judged at once, kept with their name, and counts
before any reader's.
"""

import json

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.reading_parts import ReadingPart, parts_of, proposition_of
from reviewers.batch.reading import judge_again
from reviewers.propositions import PREDICATES, InvalidReading, parse
from reviewers.records import Check, Finding
from reviewers.store import Store
from reviewers.store.submission import load_submission
from tests.builders import make_submission
from tests.dashboard.desk import CONFIRMED, RECORDED
from tests.dashboard.screens import components, drawn, open_page, send

CLAIM = "utils.py is missing."
EXAMPLES = [{"p": name, **known.example} for name, known in PREDICATES.items()]
JOINED = [
    {"not": EXAMPLES[0]},
    {"possible": EXAMPLES[1]},
    {"every": "file", "holds": {"not": {"p": "parses", "file": "$file"}}},
    {"only": {"p": "draws", "scope": "src/evaluate.py"}, "hole": "figure", "are": ["bar", "box"]},
    {"all": [EXAMPLES[0], {"not": EXAMPLES[3]}]},
    {"because": {"all": [EXAMPLES[0], EXAMPLES[1]]}, "then": {"possible": EXAMPLES[2]}},
    {"p": "calls", "scope": {"file": "src/a.py", "name": "f", "mode": "trial"}, "callee": "g"},
    {"p": "fails", "command": "train", "at": {"file": "src/a.py", "line": 3, "expression": "x"}},
    {"p": "calls", "scope": "code", "callee": "g", "with": {"n": 2, "s": "2"}, "args": ["a", 1]},
]


@pytest.fixture
def id(store: Store) -> str:
    submission = make_submission(name="first")
    store.add(submission, (RECORDED,))
    return submission.id


@pytest.fixture
def form(id: str) -> AppTest:
    """The form of a claim at its file."""
    page = open_page("submission", s=id, file="src/utils.py")
    return send(page, "code_view", {"kind": "reread", "key": f"recorded/{CONFIRMED.id}"})


def kept(store: Store, id: str) -> Finding:
    """The claim as the store has it."""
    (review,) = [one.review for one in load_submission(store, id).reviews]
    return next(finding for finding in review.findings if finding.claim == CLAIM)


def press(at: AppTest, words: str) -> AppTest:
    return next(one for one in at.button if one.label == words).click().run()


def fill(at: AppTest, label: str, value: object) -> AppTest:
    return next(one for one in at.selectbox if one.label == label).set_value(value).run()


@pytest.mark.parametrize("told", [*EXAMPLES, *JOINED], ids=lambda told: str(told)[:50])
def test_what_the_form_begins_with_says_what_was_read(told: dict[str, object]) -> None:
    proposition = parse(told)
    assert proposition_of(parts_of(proposition)) == proposition


def test_what_is_no_number_in_a_field_of_values_is_a_text() -> None:
    part = ReadingPart("has_key", {"where": "composed", "key": "a.b", "value": "[1, 2"})
    assert proposition_of([part]) == parse(
        {"p": "has_key", "where": "composed", "key": "a.b", "value": "[1, 2"}
    )
    with pytest.raises(InvalidReading, match="`with` must be"):
        proposition_of(
            [ReadingPart("calls", {"scope": "code", "callee": "f", "with": "[" * 99_999})]
        )


def test_a_saved_reading_counts_and_has_its_author(store: Store, id: str, form: AppTest) -> None:
    form = fill(form, "Relation", "exists")
    form = fill(form, "File", "src/train.py")
    next(one for one in form.checkbox if one.label == "not").check()
    form = form.run()
    assert any(text.value.startswith("Refuted: ") for text in form.text)
    press(form, "Save")
    finding = kept(store, id)
    assert finding.check.result is Check.REFUTED
    assert finding.understood is not None
    assert finding.understood.reader == "ada"
    assert json.loads(finding.understood.proposition) == {
        "not": {"p": "exists", "file": "src/train.py"}
    }


def test_who_withdraws_a_reading_leaves_the_verdict_to_the_reader_before(
    store: Store, id: str, form: AppTest
) -> None:
    judge_again(store, load_submission(store, id).submission)
    before = kept(store, id)
    assert not any(one.label.startswith("Withdraw") for one in form.button)
    press(form, "Not a statement about the code")
    assert kept(store, id) != before
    again = open_page("submission", s=id, file="src/utils.py")
    again = send(again, "code_view", {"kind": "reread", "key": f"recorded/{CONFIRMED.id}"})
    press(again, "Withdraw my reading")
    assert kept(store, id) == before
    page = open_page("submission", s=id, file="src/utils.py")
    (card,) = [one for one in drawn(page, "code_view")["cards"] if one["claim"] == CLAIM]
    told = [(one["author"], one["sentence"]) for one in card["understood"]["history"]]
    assert told == [("ada", f"an opinion: `{CLAIM}`"), ("ada", "")]
    again = send(page, "code_view", {"kind": "reread", "key": f"recorded/{CONFIRMED.id}"})
    assert not any(one.label.startswith("Withdraw") for one in again.button)


def test_a_form_that_is_not_whole_cannot_be_saved(form: AppTest) -> None:
    form = fill(form, "Relation", "exists")
    assert next(one for one in form.button if one.label == "Save").disabled
    assert any("needs" in caption.value for caption in form.caption)


def test_an_opinion_and_two_meanings_are_kept_as_such(store: Store, id: str, form: AppTest) -> None:
    press(form, "Not a statement about the code")
    said = kept(store, id).understood
    assert said is not None
    assert json.loads(said.proposition) == {"p": "judgement", "text": CLAIM}
    again = open_page("submission", s=id, file="src/utils.py")
    again = send(again, "code_view", {"kind": "reread", "key": f"recorded/{CONFIRMED.id}"})
    press(again, "Ambiguous")
    said = kept(store, id).understood
    assert said is not None
    assert (said.proposition, said.why_not) == ("", "it means two things")
    listed = drawn(open_page("submission", s=id), "findings_list")["cards"]
    assert [one["reading"] for one in listed if one["key"].endswith(CONFIRMED.id)] == ["unread"]


def test_parts_come_and_go(form: AppTest) -> None:
    form = press(fill(form, "Relation", "parses"), "Add a part")
    form = fill(form, "Relation", "empty")
    assert any(one.label == "Remove it" for one in form.button)
    form = press(form, "Remove it")
    assert not any(one.label == "Remove it" for one in form.button)
    assert next(one for one in form.selectbox if one.label == "Relation").value == "parses"


def test_in_blind_mode_no_form_opens(id: str) -> None:
    page = open_page("submission", in_blind_mode=True, s=id, file="src/utils.py")
    page = send(page, "code_view", {"kind": "reread", "key": f"recorded/{CONFIRMED.id}"})
    assert not any(one.label == "Relation" for one in page.selectbox)


def test_an_event_that_names_no_claim_opens_nothing(id: str) -> None:
    page = open_page("submission", s=id, file="src/utils.py")
    page = send(page, "code_view", {"kind": "reread", "key": "nobody/nothing"})
    assert not page.exception
    assert "code_view" in components(page)
    assert drawn(page, "code_view")["path"] == "src/utils.py"
