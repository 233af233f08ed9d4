"""Guards when two findings state one defect, independent of author and wording."""

import json
from dataclasses import replace
from typing import Any

import pytest

from reviewers.matching.missed import missed_blockers
from reviewers.matching.rows import merged
from reviewers.matching.statements import say_the_same
from reviewers.records import Check, FactCheck, Finding, Severity, Span, Understood

GONE = {"not": {"p": "exists", "file": "src/surrogate.py"}}
FAILS = {"p": "fails", "command": "main", "error": "KeyError", "at": {"file": "a.py", "line": 9}}


def rule(says: Any, **fields: Any) -> Finding:
    check = FactCheck(Check.CONFIRMED, "seen")
    base = Finding(
        id="r", category="packaging-invalid", severity=Severity.BLOCKER, message="by a rule",
        check=check, rule="XX01", span=Span("a.py", 9), says=json.dumps(says),
    )  # fmt: skip
    return replace(base, **fields)


def claim(proposition: Any, **fields: Any) -> Finding:
    said = Understood(reader="m", proposition=json.dumps(proposition))
    check = FactCheck(Check.UNVERIFIED, "open")
    base = Finding(
        id="c", category="data-leakage", severity=Severity.MAJOR, message="words of its own",
        check=check, claim="words of its own", kind="other", span=Span("b.py", 90), understood=said,
    )  # fmt: skip
    return replace(base, **fields)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(GONE, GONE, id="equal"),
        pytest.param(
            {"p": "before", "scope": "a.py", "first": "f", "then": "g"},
            {"p": "before", "scope": "a.py", "first": "f", "then": "g"},
            id="argument-named-then",
        ),
        pytest.param(GONE, {"because": GONE, "then": FAILS}, id="cause"),
        pytest.param({"all": [{"p": "empty", "file": "a.py"}, GONE]}, GONE, id="among-parts"),
        pytest.param(
            FAILS, {**FAILS, "command": "train", "at": {"file": "a.py", "line": 10}}, id="place"
        ),
        pytest.param(FAILS, {"p": "fails", "command": "main", "at": FAILS["at"]}, id="no-error"),
        pytest.param(
            {"not": {"p": "composes", "command": "main", "run": "a"}},
            {"not": {"p": "composes", "command": "train"}},
            id="any-start",
        ),
    ],
)
def test_two_that_say_the_same_are_one_defect(one: object, other: object) -> None:
    assert say_the_same(rule(one), claim(other))
    assert say_the_same(claim(other), rule(one))
    assert missed_blockers([claim(other)], [rule(one)]) == frozenset()
    rows = merged({"rules": [rule(one)], "m": [claim(other)]})
    assert [set(row.mentions) for row in rows] == [{"rules", "m"}]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(GONE, GONE["not"], id="polarity"),
        pytest.param(GONE, {"not": {"p": "exists", "file": "src/b.py"}}, id="argument"),
        pytest.param(FAILS, {**FAILS, "error": "TypeError"}, id="error"),
        pytest.param(FAILS, {**FAILS, "at": {"file": "a.py", "line": 40}}, id="line"),
        pytest.param(FAILS, {"p": "fails", "command": "main", "error": "KeyError"}, id="nowhere"),
        pytest.param({"p": "sound"}, {"p": "sound"}, id="praise"),
    ],
)
def test_two_that_say_something_else_are_not_one_by_what_they_say(
    one: object, other: object
) -> None:
    assert not say_the_same(rule(one), claim(other))
    assert missed_blockers([claim(other)], [rule(one)]) == {"r"}
