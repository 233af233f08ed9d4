"""Guards real runs on the submission screen: they stand at their lines with who predicted them, and
can be added.
"""

import pytest
from streamlit.testing.v1 import AppTest

from reviewers.store import Store
from reviewers.store.outcomes import outcomes_of
from tests.dashboard.attempted import Attempted, keep_attempts
from tests.dashboard.screens import drawn, open_page

OUTPUT = """Traceback (most recent call last):
  File "/work/exp/src/train.py", line 45, in start
    rate = cfg.optim.lr
omegaconf.errors.ConfigAttributeError: Key 'optim' is not in struct
    full_key: optim
wandb: ERROR api_key=0123456789abcdef0123456789abcdef01234567
"""


@pytest.fixture
def ids(store: Store) -> Attempted:
    """Three attempts of one lineage, and another submission."""
    return keep_attempts(store)


def opened(ids: Attempted) -> AppTest:
    at = open_page("submission", s=ids.third[:16], file="src/train.py")
    at.session_state["panel"] = "Outcomes"
    return at.run()


def add(at: AppTest, output: str, exit_code: int | None) -> AppTest:
    next(area for area in at.text_area if area.label.startswith("Standard error")).input(output)
    if exit_code is not None:
        next(field for field in at.number_input if field.label == "Exit code").set_value(exit_code)
    next(button for button in at.button if button.label == "Add this run").click()
    at.run()
    assert not at.exception
    return at


def test_a_run_is_added_and_stands_at_its_line_with_who_predicted_it(
    ids: Attempted, store: Store
) -> None:
    at = add(opened(ids), OUTPUT, 1)
    (kept,) = outcomes_of(store, ids.third)
    assert (kept.exit_code, kept.stage, kept.error) == (
        1,
        "trial",
        "omegaconf.errors.ConfigAttributeError",
    )
    assert "0123456789abcdef" not in kept.excerpt
    (row,) = drawn(at, "outcomes_panel")["outcomes"]
    assert (row["failed"], row["exit"], row["places"][0]["line"]) == (True, 1, 45)
    assert "[hidden]" in row["excerpt"]
    fates = {
        fate["reviewer"]: (fate["fate"], [each["key"] for each in fate["findings"]])
        for fate in row["fates"]
    }
    assert fates == {"recorded": ("missed", []), "rules": ("predicted", ["rules/mo0200000000000"])}
    (card,) = [card for card in drawn(at, "code_view")["cards"] if card["kind"] == "outcome"]
    assert (card["line"], card["fates"]) == (45, row["fates"])
    assert {entry["path"]: entry["failed"] for entry in drawn(at, "file_list")["entries"]}[
        "src/train.py"
    ] == 1


def test_the_same_run_twice_is_one(ids: Attempted, store: Store) -> None:
    at = add(add(opened(ids), OUTPUT, 1), OUTPUT, 1)
    assert len(outcomes_of(store, ids.third)) == 1
    assert len(drawn(at, "outcomes_panel")["outcomes"]) == 1
    assert "already recorded" in at.error[0].value


def test_without_an_exit_code_nothing_is_kept(ids: Attempted, store: Store) -> None:
    at = add(opened(ids), OUTPUT, None)
    assert "exit code" in at.error[0].value
    assert outcomes_of(store, ids.third) == ()


def test_a_run_that_passed_is_no_failure(ids: Attempted) -> None:
    (row,) = drawn(add(opened(ids), "", 0), "outcomes_panel")["outcomes"]
    assert (row["title"], row["failed"], row["message"], row["fates"]) == (
        "The trial run passed",
        False,
        "",
        [],
    )
