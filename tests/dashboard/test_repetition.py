"""Guards that a card says nothing twice: what its evidence adds to its message, and no more."""

from dataclasses import replace

import pytest

from dashboard.parts.repetition import without_repetition
from reviewers.records import Check, FactCheck
from reviewers.store import Store
from tests.builders import make_submission
from tests.dashboard.desk import MISSED, RULES
from tests.dashboard.screens import drawn, open_page

MESSAGE = (
    "`cfg.window` is read, but the configuration composed for a puts it under `cfg.run.window`"
)


@pytest.mark.parametrize(
    ("text", "beside", "kept"),
    [
        pytest.param(MESSAGE, [MESSAGE], "", id="the same"),
        pytest.param(
            "the configuration composed for a has no `cfg.window`", [MESSAGE], "", id="other order"
        ),
        pytest.param(
            "config/a.yaml:4 sets it to 96", [MESSAGE], "config/a.yaml:4 sets it to 96", id="more"
        ),
        pytest.param(
            "3 of 3 parts confirmed; src/main.py:15: cfg.limit = 2",
            ["it writes cfg.limit", "src/main.py:15: cfg.limit = 2"],
            "",
            id="a tally and what stands beside its part",
        ),
        pytest.param("one; two; one", [], "two", id="a filler, and itself"),
        pytest.param("", [MESSAGE], "", id="nothing"),
    ],
)
def test_only_what_adds_something_is_kept(text: str, beside: list[str], kept: str) -> None:
    assert without_repetition(text, *beside) == kept


def test_a_card_leaves_out_what_its_message_says(store: Store) -> None:
    said = f"{MISSED.message}; look below"
    twice = replace(MISSED, check=FactCheck(Check.CONFIRMED, said, MISSED.span))
    submission = make_submission()
    store.add(submission, (replace(RULES, findings=(twice,)),))
    (card,) = drawn(open_page("submission", s=submission.id), "code_view")["cards"]
    assert (card["message"], card["evidence"]) == (MISSED.message, "look below")
