"""Guards what of a reading model's answer is taken for a reading, and why the rest is refused."""

import json
from typing import Any

import pytest

from reviewers.panel.reading_prompt import (
    ReadingAnswer,
    again,
    answer_form,
    questions,
    read_answer,
)
from reviewers.propositions import parse
from tests.builders import make_submission

SUBMISSION = make_submission({"src/train.py": "import json\n"})
IMPORTS = {"p": "imports", "scope": "src/train.py", "name": "json"}
NO_JSON = {"not": IMPORTS}
CALLS = {"p": "calls", "scope": "src/train.py", "callee": "json.load"}
NO_CALL = {"not": CALLS}
CLAIM = "src/train.py imports json and src/gone.py"


def answered(answer: str, claim: str = CLAIM, said: str = "") -> ReadingAnswer:
    (asked,) = questions(SUBMISSION, said or claim, [claim], "file src/train.py", 40)
    return read_answer(SUBMISSION, asked, answer.replace("BEGINS", json.dumps(claim)[1:-1]), "m")


def saying(proposition: object, **fields: Any) -> str:
    """An answer about claim 1, which repeats the words that `answered` asks about."""
    said = {"claim": 1, "begins": "BEGINS", "proposition": proposition}
    said |= {"why_not": None, **fields}
    return json.dumps({"readings": [said]})


@pytest.mark.parametrize(
    ("proposition", "why"),
    [
        ({"p": "smells", "scope": "src/train.py"}, "there is no predicate `smells`"),
        ({**IMPORTS, "scope": "src/other.py"}, "'src/other.py' is neither in the table nor"),
        ({"not": IMPORTS}, "it denies something, and the claim denies nothing"),
        ({"not": {"all": [IMPORTS, IMPORTS]}}, "it denies several things at once"),
        ({"all": [IMPORTS] * 10_000}, "more than 60 parts"),
        ({"only": {**IMPORTS, "name": "?"}, "hole": "name", "are": ["json"]}, "it says `only`"),
        ({**IMPORTS, "name": 7}, "expected a text"),
        ({**IMPORTS, "colour": "red"}, "`imports` has no `colour`"),
        ([], "expected an object"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_what_cannot_be_a_reading_is_refused_with_its_reason(proposition: object, why: str) -> None:
    found = answered(saying(proposition))
    assert not found.readings
    assert why in found.refused[1]


@pytest.mark.parametrize(
    ("variant", "usual"),
    [
        ({**IMPORTS, "scope": ["src/train.py"]}, IMPORTS),
        ({**IMPORTS, "scope": "train.py"}, IMPORTS),
        ({**IMPORTS, "scope": "./src/train.py:3-7"}, IMPORTS),
        ({**IMPORTS, "scope": {"file": "train.py:3", "name": None}}, IMPORTS),
        ({"p": "imports", "name": "json"}, {**IMPORTS, "scope": "code"}),
        ({**CALLS, "callee": "json.load()", "with": [], "when": "*"}, CALLS),
        ({**CALLS, "args": "x", "mentions": ""}, {**CALLS, "args": ["x"]}),
        ({"all": [{"any": [IMPORTS]}]}, IMPORTS),
        ({"not": {"not": IMPORTS}}, IMPORTS),
        (
            {"all": [IMPORTS, {"not": {"any": [CALLS, IMPORTS]}}]},
            {"all": [IMPORTS, {"all": [{"not": CALLS}, NO_JSON]}]},
        ),
        ({"all": [IMPORTS, {"not": {"would": CALLS}}]}, {"all": [IMPORTS, {"would": NO_CALL}]}),
    ],
    ids=lambda value: str(value)[:70],
)
def test_a_harmless_variant_is_read_as_what_is_usual(variant: object, usual: object) -> None:
    assert answered(saying(variant)).readings[1].proposition == parse(usual)


def test_a_name_that_is_not_there_is_taken_where_the_review_has_it() -> None:
    gone = {**IMPORTS, "scope": "src/gone.py"}
    assert answered(saying(gone)).readings[1].proposition == parse(gone)
    pad = {"p": "sets", "scope": "src/train.py", "target": "*.pad_token", "value": None}
    assert answered(saying(pad), "A pad token is set").readings
    assert "'*.pad_token' is neither" in answered(saying(pad), "A token is set").refused[1]


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        ("src/train.py never imports json", "it denies nothing, and the claim says 'never'"),
        (
            "The import of `json` is missing in src/train.py",
            "it denies nothing, and the claim says 'missing'",
        ),
    ],
    ids=str,
)
def test_a_denial_is_not_read_as_a_statement(claim: str, why: str) -> None:
    assert why in answered(saying(IMPORTS), claim).refused[1]


@pytest.mark.parametrize(
    ("begins", "is_taken"),
    [
        ("`src/train.py` Imports json", True),
        ("src/train.py imports json and", True),
        ("src train.py imports", False),
        ("src/train.py imports", False),
        ("src/train.py never imports", False),
        ("", False),
        (None, False),
    ],
    ids=str,
)
def test_an_entry_counts_only_where_it_repeats_its_claims_first_words(
    begins: object, is_taken: bool
) -> None:
    found = answered(saying(IMPORTS, begins=begins))
    assert bool(found.readings) is is_taken
    assert is_taken or "`begins` has other words" in found.refused[1]


def test_a_claim_that_begins_with_signs_is_repeated_with_them() -> None:
    claim = "‘x = (... )  # later’ – stands in src/train.py"
    for begins, is_taken in (("‘x = (... )  #", True), ("x = (... )", True), ("x later", False)):
        found = answered(saying(IMPORTS, begins=begins), claim)
        assert bool(found.readings) is is_taken


@pytest.mark.parametrize(
    ("claim", "proposition", "is_taken"),
    [
        ("src/train.py imports json in the wrong order", IMPORTS, False),
        ("src/train.py imports json in the `wrong` order", IMPORTS, True),
        ("The invalid import of json ends in an ImportError", None, True),
        ("src/train.py incorrectly sets cfg.a to 1", "sets", True),
    ],
    ids=str,
)
def test_what_a_claim_calls_wrong_is_not_read_as_what_is_there(
    claim: str, proposition: object, is_taken: bool
) -> None:
    fails = {"p": "fails", "command": "train", "error": "ImportError"}
    sets = {"p": "sets", "scope": "src/train.py", "target": "cfg.a", "value": 1}
    read = proposition or {"because": IMPORTS, "then": fails}
    found = answered(saying(sets if read == "sets" else read), claim)
    assert bool(found.readings) is is_taken
    assert is_taken or "the claim says 'wrong'" in found.refused[1]


FAILS = {"p": "fails", "command": "train", "error": "KeyError"}


@pytest.mark.parametrize(
    ("claim", "said", "proposition"),
    [
        ("json", "1. src/train.py does not import wandb,\n   json.\n2. All else is so.", "denied"),
        ("reads json", "src/train.py never\n- trains,\n- reads json", "denied"),
        (
            "a log of json",
            "1. Not there:\n   - a seed in src/train.py\n   - a log of json",
            "denied",
        ),
        ("All is so", "1. src/train.py does not import json.\n2. All is so.", "not here"),
        ("so it ends in a KeyError", "json is missing.\nso it ends in a KeyError", "because"),
        ("train.py still reads the whole json", "", "denied"),
        ("as only X is logged, it ends in a KeyError", "", "because only"),
    ],
    ids=[
        "in its item",
        "in its lead-in",
        "in its heading",
        "in another item",
        "its cause stands before",
        "by its opposite",
        "its cause is limited",
    ],
)
def test_a_piece_of_a_sentence_is_denied_by_what_it_was_cut_out_of(
    claim: str, said: str, proposition: str
) -> None:
    only = {"only": {"p": "logs", "scope": "code", "key": "?"}, "hole": "key", "are": ["X"]}
    read = {
        "because": {"because": NO_JSON, "then": FAILS},
        "because only": {"because": only, "then": FAILS},
    }.get(proposition, NO_JSON)
    found = answered(saying(read), claim, said)
    if proposition == "not here":
        assert found.refused == {1: "it denies something, and the claim denies nothing"}
    else:
        assert found.readings[1].proposition == parse(read)


@pytest.mark.parametrize(
    ("proposition", "claim", "refused"),
    [
        ({"p": "calls", "scope": "src/train.py::A.step", "callee": "x"}, "A.step calls x", ""),
        ({"p": "writes", "scope": "src/train.py", "file": "*_curve.pdf"}, "a {id}_curve.pdf", ""),
        (
            {"p": "writes", "scope": "src/train.py", "file": "made_up.pdf"},
            "a file",
            "neither in the",
        ),
        ({"p": "exists", "file": "*table*|*.csv"}, "a table as csv is there", ""),
        ({"p": "exists", "file": "*table*|made_up.py"}, "a table is there", "neither in the"),
        ({"p": "exists", "file": "train.py"}, "train.py is there", "table; 'src/train.py' is"),
        ({**FAILS, "command": "deploy"}, "it ends in KeyError", "no command of the table: main"),
        ({**FAILS, "mode": "tiny"}, "it ends in KeyError", "no mode of the table: full, trial"),
        ({**IMPORTS, "scope": {"file": "code", "mode": "tiny"}}, CLAIM, "no mode of the table"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_names_are_those_of_the_submission_of_its_contract_or_of_the_review(
    proposition: object, claim: str, refused: str
) -> None:
    found = answered(saying(proposition), claim)
    assert refused in found.refused[1] if refused else found.readings


def test_the_error_that_a_claim_names_is_kept() -> None:
    found = answered(saying(FAILS), "Training ends in a ValueError")
    assert found.refused[1] == "the claim says ValueError"


@pytest.mark.parametrize(
    "answer",
    ["", "no JSON", "[]", "{}", '{"readings": 3}', '{"readings": ' + "[" * 10_000, "{" * 90_000],
    ids=lambda answer: answer[:20],
)
def test_an_answer_that_cannot_be_read_refuses_all_with_one_reason(answer: str) -> None:
    found = answered(answer)
    assert found.refused[1].startswith("the answer cannot be read: ")
    assert "\n" not in found.refused[1]


def test_entries_for_no_claim_and_of_no_form_are_passed_over() -> None:
    odd = [7, {"claim": True}, {"claim": 99, "proposition": IMPORTS}, {"claim": "1"}]
    found = answered(json.dumps({"readings": odd}))
    assert found.refused == {1: "the answer leaves it out"}


def test_a_claim_that_is_read_twice_counts_only_where_both_say_the_same() -> None:
    other = {"p": "parses", "file": "src/train.py"}
    one, two = (json.loads(saying(each))["readings"] for each in (IMPORTS, other))
    assert answered(json.dumps({"readings": one + one})).readings[1].proposition == parse(IMPORTS)
    told = answered(json.dumps({"readings": one + two})).refused
    assert told == {1: "the answer reads it twice, in two ways"}


def test_a_character_that_was_shown_as_a_mark_is_read_as_it_stands_in_the_code() -> None:
    claim = "src/train.py contains `caf\u00ad`"
    (asked,) = questions(SUBMISSION, claim, [claim], "", 40)
    shown = "caf\u27e6U+00AD\u27e7"
    assert shown in asked.messages[1].text
    found = answered(saying({"p": "contains", "scope": "src/train.py", "text": shown}), claim)
    assert found.readings[1].proposition == parse(
        {"p": "contains", "scope": "src/train.py", "text": "caf\u00ad"}
    )


def test_null_is_a_claim_that_the_vocabulary_cannot_say() -> None:
    found = answered(saying(None, why_not="an opinion of colours"))
    assert found.readings[1].why_not == "an opinion of colours"


def test_the_form_is_closed_to_its_last_object() -> None:
    def objects(value: Any) -> Any:
        if isinstance(value, dict):
            if value.get("type") == "object":
                yield value
            for each in value.values():
                yield from objects(each)
        elif isinstance(value, list):
            for each in value:
                yield from objects(each)

    found = list(objects(answer_form().schema))
    assert len(found) > 20
    assert all(each["additionalProperties"] is False for each in found)
    assert all(set(each["required"]) == set(each["properties"]) for each in found)


def entries(*propositions: object, claims: tuple[str, ...]) -> ReadingAnswer:
    """What is made of an answer with these propositions of these claims."""
    (asked,) = questions(SUBMISSION, "\n".join(claims), claims, "file src/train.py", 40)
    said = [
        {"claim": number, "begins": claim, "proposition": one, "why_not": None}
        for number, (claim, one) in enumerate(zip(claims, propositions, strict=True), 1)
    ]
    return read_answer(SUBMISSION, asked, json.dumps({"readings": said}), "m")


def test_a_claim_may_stand_for_its_proposition_in_another_before_it_or_behind() -> None:
    claims = ("so it ends in KeyError", CLAIM)
    found = entries({"because": {"claim": 2}, "then": FAILS}, IMPORTS, claims=claims)
    assert found.readings[1].proposition == parse({"because": IMPORTS, "then": FAILS})


@pytest.mark.parametrize(
    ("propositions", "why"),
    [
        (({"claim": 2}, {"claim": 1}), "in a circle"),
        (({"claim": 7}, IMPORTS), "claim 7 has no proposition to refer to"),
        (({"claim": "2"}, IMPORTS), "has no proposition to refer to"),
        (({"claim": 2, "p": "imports"}, IMPORTS), "`imports` has no `claim`"),
    ],
    ids=str,
)
def test_a_claim_that_stands_for_nothing_is_refused(propositions: Any, why: str) -> None:
    assert why in entries(*propositions, claims=(CLAIM, CLAIM)).refused[1]


def test_a_claim_that_could_not_be_said_stands_for_what_nobody_can_check() -> None:
    read = {"because": {"claim": 2}, "then": FAILS}
    found = entries(read, None, claims=("so it ends in KeyError", CLAIM))
    opinion = {"p": "judgement", "text": CLAIM}
    assert found.readings[1].proposition == parse({"because": opinion, "then": FAILS})


def test_only_what_was_refused_is_asked_again_each_with_its_reading_and_the_reason() -> None:
    claims = (CLAIM, "src/train.py never imports json")
    (asked,) = questions(SUBMISSION, "\n".join(claims), claims, "file src/train.py", 40)
    first = [
        json.loads(saying(IMPORTS, claim=n, begins=claims[n - 1]))["readings"][0] for n in (1, 2)
    ]
    answer = json.dumps({"readings": first})
    refused = read_answer(SUBMISSION, asked, answer, "m").refused
    second = again(asked, answer, refused)
    text = second.messages[1].text
    assert second.claims == {2: claims[1]}
    assert f" claim 1\n> {CLAIM}" in asked.messages[1].text
    assert f" claim 1\n> {CLAIM}" not in text
    assert f"claim 2\n> {json.dumps(IMPORTS)}\n> {refused[2]}\n" in text


def test_claims_that_double_each_other_are_refused_at_once() -> None:
    doubled = [IMPORTS, *({"all": [{"claim": number}] * 2} for number in range(1, 40))]
    found = entries(*doubled, claims=(CLAIM,) * 40)
    assert set(found.readings) <= set(range(1, 8))
    assert "nested" in found.refused[40]


def test_a_claim_that_was_read_before_may_be_referred_to_when_others_are_asked_again() -> None:
    (asked,) = questions(SUBMISSION, CLAIM, [CLAIM, CLAIM], "", 40)
    first = json.loads(saying(IMPORTS))["readings"]
    second = again(asked, json.dumps({"readings": first}), {2: "the answer leaves it out"})
    said = json.loads(saying({"claim": 1}))["readings"][0] | {"claim": 2, "begins": CLAIM}
    found = read_answer(SUBMISSION, second, json.dumps({"readings": [said]}), "m")
    assert found.readings[2].proposition == parse(IMPORTS)


def test_claims_of_few_words_stand_below_their_sentence() -> None:
    said = "1. All is fine. It has no seed,\nno log or figure; and more.\n2. The end."
    (asked,) = questions(SUBMISSION, said, ["no log", "figure", said], "", 40)
    text = asked.messages[1].text
    assert "sentence\n> It has no seed,\n> no log or figure; and more.\n===" in text
    assert text.count("It has no seed") == 3  # in the review, once above both, in the whole
