"""Guards what is said of failures: only what is known to fail, and only as it fails."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from reviewers.facts import Facts
from reviewers.propositions import Truth, evaluate, parse
from reviewers.records import Failure, Span
from tests.builders import make_submission

KEY = Failure(
    step="train",
    command="python -m src.train run=a mode=full",
    error="ConfigAttributeError",
    message="Key 'lr' is not in struct",
    place=Span("src/train.py", 3),
    run="a",
    mode="full",
    chain=(Span("src/main.py", 5),),
)
UNSURE = replace(
    KEY, step="main", error="OSError", message="x", place=Span("src/main.py", 1), certain=False
)


def truth(failures: Sequence[Failure] = (KEY, UNSURE), **arguments: object) -> str:
    reading = {"p": "fails", "command": "train", **arguments}
    return evaluate(parse(reading), Facts(make_submission()), failures).truth


@pytest.mark.parametrize(
    "arguments",
    [
        {"error": "ConfigAttributeError", "at": "src/train.py"},
        {"error": "AttributeError", "run": "a"},
        {"error": "KeyError|AttributeError", "at": {"line": 3}},
        {"message": "not in struct"},
        {"at": {"file": "src/train.py", "line": 3}},
        {"at": {"file": "src/main.py", "line": 5}},
        {"command": None, "at": {"file": "src/train.py"}},
        {"at": "src/train.py", "run": "a", "mode": "full"},
        {"command": "main", "error": "AttributeError", "message": "not in struct"},
    ],
    ids=str,
)
def test_a_failure_that_is_known_is_confirmed(arguments: dict[str, object]) -> None:
    assert truth(**arguments) == Truth.TRUE


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"error": "AttributeError"},  # any of that kind may be meant
        {"at": "src/train.py", "when": "the run id is missing"},  # another failure of that file
        {"error": "TypeError", "at": "src/train.py"},
        {"error": "KeyError", "at": "src/train.py"},
        {"error": "ConfigAttributeError", "run": "b"},
        {"error": "ConfigAttributeError", "mode": "trial"},
        {"at": {"file": "src/train.py", "line": 9}},
        {"at": "src/model.py"},
        {"at": "src/main.py"},  # each failure of training passes there
        {"message": "out of memory"},
        {"error": "AttributeError", "when": "CUDA is available"},
        {"command": "evaluate", "error": "AttributeError"},
        {"command": "main", "error": "OSError"},
    ],
    ids=str,
)
def test_whatever_else_is_said_of_it_stays_open(arguments: dict[str, object]) -> None:
    assert truth(**arguments) == Truth.UNKNOWN


def test_a_command_that_nobody_types_is_what_is_run_of_its_script() -> None:
    typed = replace(KEY, step="python -m src.main --quick", run="", mode="")
    where = {"error": "AttributeError", "at": "src/train.py"}
    for command, expected in (
        ("train", Truth.TRUE),
        ("main", Truth.TRUE),
        ("evaluate", Truth.UNKNOWN),  # it is a command of its own
        ("install", Truth.UNKNOWN),
    ):
        assert truth([typed], command=command, **where) is expected


def test_an_error_is_also_of_the_kind_that_its_text_names() -> None:
    local = replace(KEY, error="NameError", message="`x` is used too early: UnboundLocalError")
    for error, expected in (
        ("UnboundLocalError", Truth.TRUE),
        ("NameError", Truth.TRUE),
        ("KeyError", Truth.UNKNOWN),
    ):
        assert truth([local], error=error, at="src/train.py") is expected


def test_what_may_fail_is_enough_where_a_claim_only_says_that_it_may() -> None:
    reading = {
        "possible": {"p": "fails", "command": "main", "error": "OSError", "at": "src/main.py"}
    }
    assert evaluate(parse(reading), Facts(make_submission()), [UNSURE]).truth is Truth.TRUE


def test_what_cannot_be_installed_does_not_run() -> None:
    install = replace(KEY, step="install", run="", mode="", place=Span("pyproject.toml", 1))
    facts = Facts(make_submission())
    for reading, expected in (
        ({"not": {"p": "fails", "command": "train"}}, Truth.FALSE),
        ({"not": {"p": "fails", "command": "train", "mode": "trial"}}, Truth.UNKNOWN),
        ({"p": "fails", "command": "train"}, Truth.UNKNOWN),
        ({"p": "fails", "command": "train", "error": "KeyError"}, Truth.UNKNOWN),
    ):
        assert evaluate(parse(reading), facts, [install]).truth is expected


def test_a_cause_needs_no_further_words_but_a_link() -> None:
    files = {"src/train.py": "", "src/main.py": "import src.train\n"}
    facts = Facts(make_submission(files))
    because = {
        "because": {"p": "empty", "file": "src/train.py"},
        "then": {"p": "fails", "command": "train"},
    }
    assert evaluate(parse(because), facts, [KEY]).truth is Truth.TRUE
    elsewhere = replace(KEY, message="x", place=Span("src/model.py", 1), chain=())
    assert evaluate(parse(because), facts, [elsewhere]).truth is Truth.UNKNOWN
    because = {
        "because": {"not": {"p": "imports", "scope": "src/main.py", "name": "os"}},
        "then": {"p": "fails", "command": "train"},
    }
    for message, expected in (
        ("`os` is never imported", Truth.TRUE),
        ("the os refuses it", Truth.UNKNOWN),  # a short word may be another
    ):
        said = replace(elsewhere, message=message)
        assert evaluate(parse(because), facts, [said]).truth is expected
