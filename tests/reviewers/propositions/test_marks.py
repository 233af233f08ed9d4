"""Guards the fact check of a claim with parts: a finding is its head, with its parts beside it."""

from typing import Any

import pytest

from reviewers.facts import Facts
from reviewers.propositions import Mark, Truth, evaluate, mark, parse
from reviewers.propositions.marks import leaves
from reviewers.records import Failure, Span
from tests.builders import make_submission

SO: dict[str, Any] = {"p": "defines", "scope": "src/train.py", "name": "there"}
NOT_SO = {"p": "empty", "file": "src/train.py"}
OPEN = {"p": "calls", "scope": "src/train.py", "callee": "gone"}
FAILS = {"p": "fails", "command": "train", "error": "KeyError"}
SO_CALL = {"p": "calls", "scope": "src/train.py", "callee": "input"}
LACKS = {"not": {"p": "exists", "file": "src/gone.py"}}
OPINION = {"p": "judgement", "text": "bad"}
CASES = {
    "head and open part": ({"all": [SO, OPEN]}, Mark.CONFIRMED, Mark.UNVERIFIED),
    "open head": ({"all": [OPEN, SO]}, Mark.UNVERIFIED, Mark.UNVERIFIED),
    "false part": ({"all": [SO, NOT_SO]}, Mark.PARTLY, Mark.PARTLY),
    "false head": ({"all": [NOT_SO, OPEN]}, Mark.REFUTED, Mark.REFUTED),
    "cause alone": ({"because": SO, "then": OPEN}, Mark.CONFIRMED, Mark.UNVERIFIED),
    "what is there, and an open failure": (
        {"because": SO, "then": FAILS},
        Mark.UNVERIFIED,
        Mark.UNVERIFIED,
    ),
    "what is there, twice, and an open failure": (
        {"all": [SO, {"because": SO, "then": {"would": FAILS}}]},
        Mark.UNVERIFIED,
        Mark.UNVERIFIED,
    ),
    "what is not there, and an open failure": (
        {"because": LACKS, "then": FAILS},
        Mark.CONFIRMED,
        Mark.UNVERIFIED,
    ),
    "a call without an argument, and an open failure": (
        {"because": {"not": {**SO_CALL, "with": {"size": None}}}, "then": FAILS},
        Mark.UNVERIFIED,
        Mark.UNVERIFIED,
    ),
    "half a cause": (
        {"because": {"all": [SO, OPEN]}, "then": OPEN},
        Mark.UNVERIFIED,
        Mark.UNVERIFIED,
    ),
    "opinion first": ({"all": [OPINION, SO]}, Mark.CONFIRMED, Mark.UNVERIFIED),
    "only an opinion": (OPINION, Mark.UNVERIFIED, Mark.UNVERIFIED),
    "true head of two": (
        {"all": [{"because": SO, "then": OPEN}, OPEN]},
        Mark.CONFIRMED,
        Mark.UNVERIFIED,
    ),
    "effect is false": ({"because": SO, "then": NOT_SO}, Mark.PARTLY, Mark.PARTLY),
}


@pytest.mark.parametrize(("reading", "finding", "claim"), CASES.values(), ids=CASES)
def test_a_finding_is_its_head_and_a_claim_all_of_it(
    reading: dict[str, Any], finding: Mark, claim: Mark
) -> None:
    facts = Facts(make_submission({"src/train.py": "def there():\n    exec(input())\n"}))
    proposition = parse(reading)
    answer = evaluate(proposition, facts)
    assert mark(proposition, answer, is_finding=True) is finding
    assert mark(proposition, answer) is claim


def test_an_effect_whose_cause_is_open_is_open_where_it_names_no_place() -> None:
    facts = Facts(make_submission({"src/train.py": "import gone\nexec(input())\n"}))
    known = Failure(
        step="train",
        command="python -m src.train",
        error="KeyError",
        message="'lr'",
        place=Span("src/train.py", 1),
    )
    told = {}
    for at in ({}, {"at": {"file": "src/train.py"}}):
        proposition = parse({"because": OPEN, "then": {**FAILS, **at}})
        answer = evaluate(proposition, facts, [known])
        told[bool(at)] = [part.answer.truth for part in leaves(proposition, answer)]
    assert told == {False: [Truth.UNKNOWN] * 2, True: [Truth.UNKNOWN, Truth.TRUE]}
