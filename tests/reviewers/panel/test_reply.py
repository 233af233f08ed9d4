"""Guards how an answer is read: tolerant of dress, never guessing, and bounded."""

import json
import time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reviewers.backends.configured import Form
from reviewers.panel.reply import joined, read_reply
from reviewers.panel.stated import without_numbers
from reviewers.records import Severity, Verdict
from tests.cases import cases

FINDING: dict[str, Any] = {
    "criterion": 4,
    "category": "call-signature",
    "severity": "blocker",
    "file": "src/model.py",
    "line": 3,
    "end_line": None,
    "quote": "x = f(1)",
    "message": "f takes no argument.",
}


def answered(*findings: object, verdict: object = "not_ready") -> str:
    return json.dumps({"verdict": verdict, "findings": findings})


ONE = answered(FINDING)
SAME = {
    "bare": ONE,
    "code fence": f"```json\n{ONE}\n```",
    "words around": f"Here is my {{review}}:\n{ONE}\nI hope it helps {{you}}.",
    "key case": json.dumps(
        {
            "Verdict": "NOT READY",
            "FINDINGS": [{key.title(): value for key, value in FINDING.items()}],
        }
    ),
    "camel case": json.dumps({"verdict": "notReady", "findings": [{**FINDING, "endLine": None}]}),
    "wrapped": json.dumps({"review": json.loads(ONE)}),
    "other verdict key": json.dumps({"is_experiment_code_ready": False, "findings": [FINDING]}),
    "thoughts before": f'<think>maybe {{"verdict": "ready", "findings": []}}?</think>{ONE}',
    "said twice": f"{ONE}\n{ONE}",
    "other names of fields": answered(
        {**{k: v for k, v in FINDING.items() if k != "message"}, "description": FINDING["message"]}
    ),
    "numbers as text": answered({**FINDING, "line": "3", "criterion": "4"}),
    "many braces before": "{ " * 5_000 + ONE,
}


@pytest.mark.parametrize("form", ["findings", "recorded"])
@pytest.mark.parametrize("text", SAME.values(), ids=SAME)
def test_an_answer_is_the_same_in_every_dress_and_whatever_was_asked_for(
    text: str, form: Form
) -> None:
    answer = read_reply(text, form)
    assert (answer.verdict, answer.failure) == (Verdict.NOT_READY, None)
    assert answer.text == "1. src/model.py:3: f takes no argument.\n\n   ```\n   x = f(1)\n   ```"
    (said,) = answer.stated
    told = said.finding
    assert (told.criterion, told.category, told.severity) == (4, "call-signature", Severity.BLOCKER)
    assert answer.text[said.cited.start : said.cited.end] == "f takes no argument."
    assert (said.cited.file, said.cited.line, said.cited.end_line, said.cited.quote) == (
        "src/model.py",
        3,
        3,
        "x = f(1)",
    )


@pytest.mark.parametrize("form", ["findings", "recorded"])
@cases(
    "text",
    {
        "as recorded": '{"is_code_ready": false, "code_issue": "src/model.py:3 is wrong"}',
        "in other dress": (
            '```\n{"isCodeReady": "false", "Code_Issue": "src/model.py:3 is wrong"}\n```'
        ),
    },
)
def test_the_recorded_form_is_read_whatever_was_asked_for(text: str, form: Form) -> None:
    answer = read_reply(text, form)
    assert (answer.verdict, answer.text, answer.stated) == (
        Verdict.NOT_READY,
        "src/model.py:3 is wrong",
        (),
    )


def test_ready_is_the_models_own_word_beside_a_blocker_and_without_one_claims_nothing() -> None:
    assert read_reply(answered(FINDING, verdict="ready"), "findings").verdict is Verdict.READY
    for text in (answered(verdict="ready"), '{"is_code_ready": true, "code_issue": ""}'):
        answer = read_reply(text, "findings")
        assert (answer.verdict, answer.text, answer.stated) == (Verdict.READY, None, ())


@cases(
    ("text", "why"),
    {
        "empty": ("  \n", "it is empty"),
        "prose": ("It looks fine to me.", "no JSON object"),
        "a page": ("<html><body>{}</body></html>", "no JSON object"),
        "cut off": (ONE[:-30], "it breaks off"),
        "cut off around another": (
            f'{{"draft": {answered(verdict="ready")}, "verdict": "not_re',
            "it breaks off",
        ),
        "cut off in thought": ("<think>so far", "no JSON object"),
        "two verdicts": (answered(verdict="ready") + ONE, "contradict"),
        "two verdicts in one": (
            '{"verdict": "ready", "is_ready": false, "findings": []}',
            "contradict",
        ),
        "a key twice": ('{"verdict": "ready", "verdict": "not_ready"}', "occurs twice"),
        "no verdict": (json.dumps({"findings": [FINDING]}), "no verdict"),
        "another verdict": (answered(verdict="maybe"), "neither ready nor not_ready"),
        "verdict of another type": (answered(verdict=True), "neither ready nor not_ready"),
        "findings no list": ('{"verdict": "ready", "findings": {}}', "not a list"),
        "a finding that is a number": (answered(7), "neither an object nor a text"),
        "bare list": (json.dumps([FINDING]), "no JSON object"),
        "deep": ('{"findings":' * 3_000, ""),
        "endless": ("x" * 3_000_000, "longer than"),
        "a number of thousands of digits": (
            '{"verdict": "ready", "findings": [{"line": %s}]}' % ("9" * 9_000),
            "",
        ),
    },
)
@pytest.mark.parametrize("form", ["findings", "recorded"])
def test_what_cannot_be_read_is_a_failure_in_one_line(text: str, why: str, form: Form) -> None:
    answer = read_reply(text, form)
    assert (answer.verdict, answer.text, answer.stated) == (None, None, ())
    assert answer.failure is not None
    assert why in answer.failure
    assert answer.failure.isprintable()


def test_a_finding_keeps_its_words_where_its_fields_make_no_sense() -> None:
    odd = {"criterion": 77, "category": "style", "severity": "awful", "line": -3, "end_line": "x"}
    (said,) = read_reply(answered({**FINDING, **odd, "file": 5, "quote": []}), "findings").stated
    cited = said.cited
    assert (said.finding.category, said.finding.severity) == ("uncategorised", Severity.MAJOR)
    assert {cited.file, cited.line, cited.end_line, cited.quote} == {None}


@pytest.mark.parametrize(
    ("line", "end_line", "expected"),
    [
        (3, 5, (3, 5)),
        (5, 3, (5, 5)),
        ("12-15", None, (12, 15)),
        ([2, 4], None, (2, 4)),
        (None, 4, (None, None)),
        (0, 0, (None, None)),
        (["9" * 5_000], None, (None, None)),
        (["9" * 5_000, "7", 8], None, (7, 8)),
        ("9" * 5_000, None, (None, None)),
        (int("9" * 4_000), None, (None, None)),
    ],
)
def test_lines_are_read_as_they_are_meant(
    line: object, end_line: object, expected: tuple[int | None, int | None]
) -> None:
    (said,) = read_reply(
        answered({**FINDING, "line": line, "end_line": end_line}), "findings"
    ).stated
    assert (said.cited.line, said.cited.end_line) == expected


@cases(
    ("quote", "read"),
    {
        "copied line numbers": ("3 x = f(1)\n4     y = 2\n5", "x = f(1)\n    y = 2\n"),
        "a number of the code": ("4 + x", "4 + x"),
        "a marked character": ("role = 'a⟦U+200B⟧b'", "role = 'a\u200bb'"),
    },
)
def test_a_quote_is_what_stands_in_the_code(quote: str, read: str) -> None:
    answer = read_reply(answered({**FINDING, "quote": quote}), "findings")
    assert answer.stated[0].cited.quote == read
    assert "⟦" not in quote or "'a⟦U+200B⟧b'" in (answer.text or "")


def test_a_quote_of_thousands_of_digits_is_a_quote() -> None:
    quote = "9" * 5_000
    assert without_numbers(quote, 1) == quote
    (said,) = read_reply(answered({**FINDING, "quote": quote}), "findings").stated
    assert (said.cited.quote or "").startswith("999")


def test_texts_that_no_store_takes_are_repaired() -> None:
    answer = read_reply(
        answered({**FINDING, "message": "a\0b\ud800", "quote": "⟦U+D800⟧\0", "file": "x\0.py"}),
        "findings",
    )
    told = f"{answer.text}{answer.stated[0].cited}"
    told.encode()
    assert "\0" not in told


def test_fences_in_words_and_quotes_swallow_nothing() -> None:
    fenced = {**FINDING, "message": "See\n```\nx fails", "quote": "```\nfoo is broken.\n~~~"}
    answer = read_reply(answered(fenced, FINDING), "findings")
    assert answer.text is not None
    assert len(answer.stated) == 2
    last = answer.stated[1].cited
    assert answer.text[last.start : last.end] == "f takes no argument."


def test_an_answer_is_bounded() -> None:
    start = time.process_time()
    answer = read_reply(
        answered(*[{**FINDING, "message": "x" * 50_000, "quote": "y" * 50_000}] * 10), "findings"
    )
    many = read_reply(answered(*[FINDING] * 5_000), "findings")
    assert time.process_time() - start < 3
    assert answer.text is not None
    assert len(answer.text) < 100_000
    assert len(many.stated) == 300


def test_answers_on_parts_are_one_answer() -> None:
    first, other = (
        read_reply(ONE, "findings"),
        read_reply(answered({**FINDING, "message": "g fails."}), "findings"),
    )
    ready, unreadable = (
        read_reply(answered(verdict="ready"), "findings"),
        read_reply("", "findings"),
    )
    whole = joined([first, ready, other])
    assert whole.verdict is Verdict.NOT_READY
    assert whole.text is not None
    assert [whole.text[said.cited.start : said.cited.end] for said in whole.stated] == [
        "f takes no argument.",
        "g fails.",
    ]
    assert joined([ready, ready]).verdict is Verdict.READY
    assert joined([first, unreadable]).failure == unreadable.failure
    assert joined([first]) == first


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*FINDING, "verdict", "findings", "x"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@settings(max_examples=80, deadline=None)
@given(
    verdict=st.sampled_from(["ready", "not_ready", "x", None, True]),
    findings=st.lists(
        st.dictionaries(st.sampled_from(list(FINDING)), _VALUES) | _VALUES, max_size=4
    )
    | _VALUES,
    cut=st.none() | st.integers(0, 60),
)
def test_any_answer_gives_a_verdict_or_a_failure_and_text_that_can_be_kept(
    verdict: object, findings: object, cut: int | None
) -> None:
    answer = read_reply(json.dumps({"verdict": verdict, "findings": findings})[:cut], "findings")
    assert (answer.verdict is None) == (answer.failure is not None)
    (answer.text or "").encode()
    for said in answer.stated:
        assert answer.text is not None
        assert 0 <= said.cited.start < said.cited.end <= len(answer.text)


_KEYS = [
    *(*FINDING, "verdict", "findings", "is_code_ready", "code_issue", "isReady"),
    *("lines", "start_line", "path", "x", "\ud800"),
]
_DIGITS = "9" * 5_000
_ODD = ("\ud800", "\0", "⟦U+D800⟧", "⟦U+FFFFFF⟧", "12-15", _DIGITS)
_WORDS = st.sampled_from(["ready", "not_ready", "true", "false", *_ODD])
_ANY_CHARACTERS = st.text(st.characters(exclude_categories=[]), max_size=8)
_NUMBERS = st.integers() | st.floats() | st.sampled_from([10**4_299, -(10**4_299), 1e308])
_ANY_JSON = st.recursive(
    st.none() | st.booleans() | _NUMBERS | _ANY_CHARACTERS | _WORDS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=5)
    ),
    max_leaves=15,
)
_FINDINGS = st.fixed_dictionaries(
    {
        "verdict": st.sampled_from(["ready", "not_ready"]),
        "findings": st.lists(st.fixed_dictionaries(dict.fromkeys(FINDING, _ANY_JSON))),
    }
)
_RECORDED = st.fixed_dictionaries(
    {"is_code_ready": st.booleans() | _WORDS, "code_issue": _ANY_JSON}
)


@settings(max_examples=80, deadline=None)
@given(
    value=_ANY_JSON | _FINDINGS | _RECORDED,
    form=st.sampled_from(["findings", "recorded"]),
    escaped=st.booleans(),
)
@example(
    value={"verdict": "ready", "findings": [{"message": "m", "line": [_DIGITS]}]},
    form="findings",
    escaped=True,
)
@example(
    value={"is_code_ready": False, "code_issue": {"a": "\ud800"}}, form="recorded", escaped=True
)
def test_any_json_of_either_form_is_read_without_an_error_and_can_be_kept(
    value: object, form: Form, escaped: bool
) -> None:
    answer = read_reply(json.dumps(value, ensure_ascii=escaped), form)
    assert (answer.verdict is None) == (answer.failure is not None)
    f"{answer.text}{answer.failure}".encode()


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_read_without_an_error(text: str) -> None:
    assert read_reply(text, "recorded").verdict is None
