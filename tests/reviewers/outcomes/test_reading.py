"""Guards what is read from a run's output: the failure, its place in the submission and its
category.
"""

import pytest

from reviewers.outcomes import Form, read_failure
from reviewers.outcomes.category import category_of
from reviewers.outcomes.place import place_of
from tests.builders import changed, make_submission
from tests.reviewers.outcomes.messages_printed import MESSAGES
from tests.reviewers.outcomes.outputs import HEAD, Printed, own
from tests.reviewers.outcomes.tracebacks_printed import TRACEBACKS

PRINTED = (*TRACEBACKS, *MESSAGES)
SOUND = make_submission()


@pytest.mark.parametrize("printed", PRINTED, ids=lambda printed: printed.name)
def test_the_failure_its_place_and_its_category_are_read(printed: Printed) -> None:
    failure = read_failure(printed.text)
    assert failure is not None
    span = place_of(failure, SOUND)
    assert (failure.type, str(span or ""), category_of(failure, span)) == (
        printed.type,
        printed.place,
        printed.category,
    )
    assert printed.message in failure.message


@pytest.mark.parametrize("printed", PRINTED, ids=lambda printed: printed.name)
def test_what_was_printed_before_changes_nothing(printed: Printed) -> None:
    noise = (
        "epoch 1: loss 0.3\nwandb: Syncing run p\n[2026-03-01 10:00:00][src.train][INFO] -"
        " started\n\n"
    )
    assert read_failure(noise + printed.text) == read_failure(printed.text)


def test_a_run_that_ended_well_did_not_fail_whatever_it_printed() -> None:
    assert read_failure(TRACEBACKS[0].text, exit_code=0) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "epoch 1: loss 0.3\nwandb: View run at x\n",
        "Traceback (most recent call last):\n",
    ],
)
def test_an_output_without_a_failure_gives_none(text: str) -> None:
    assert read_failure(text) is None


@pytest.mark.parametrize(
    ("code", "type"),
    [(137, "Killed"), (-9, "Killed"), (139, "Segmentation fault"), (124, "Timeout"), (1, None)],
)
def test_an_exit_code_tells_of_a_death_that_nobody_printed(code: int, type: str | None) -> None:
    failure = read_failure("epoch 1: loss 0.3\n", exit_code=code)
    assert (failure.type if failure else None) == type


def test_the_error_that_ended_the_program_is_kept_beside_its_cause() -> None:
    printed = next(printed for printed in TRACEBACKS if printed.name == "child-before-its-parent")
    failure = read_failure(printed.text)
    assert failure is not None
    assert failure.outer is not None
    assert failure.outer.name == "CalledProcessError"


def test_the_form_says_what_told_of_the_failure() -> None:
    forms = {
        printed.name: failure.form for printed in PRINTED if (failure := read_failure(printed.text))
    }
    assert {
        name: forms[name]
        for name in (
            "plain",
            "hydra-override",
            "uv-table",
            "argparse",
            "killed",
            "syntax-error-of-the-script",
        )
    } == {
        "plain": Form.TRACEBACK,
        "hydra-override": Form.HYDRA,
        "uv-table": Form.INSTALLER,
        "argparse": Form.COMMAND_LINE,
        "killed": Form.DEATH,
        "syntax-error-of-the-script": Form.SYNTAX,
    }


def test_a_run_after_an_installers_warning_is_read_and_not_the_warning() -> None:
    warned = (
        "ERROR: Could not find a version that satisfies the requirement old (from versions: none)\n"
    )
    failure = read_failure(warned + TRACEBACKS[0].text)
    assert failure is not None
    assert failure.type == "RuntimeError"


def test_a_start_without_a_configuration_is_the_place_of_the_override_that_it_refuses() -> None:
    submission = make_submission(changed("src/main.py", (', config_name="config"', "")))
    failure = read_failure(
        next(printed.text for printed in MESSAGES if printed.name == "hydra-override")
    )
    assert failure is not None
    assert str(place_of(failure, submission)) == "src/main.py:11"


def test_an_interpolation_and_a_group_are_found_in_the_configuration() -> None:
    submission = make_submission(
        changed("config/config.yaml", ("  - _self_\n", "  - _self_\n  - runs: ${run}\n"))
    )
    places = {}
    for printed in MESSAGES:
        if printed.name in ("hydra-interpolation", "hydra-no-such-run"):
            failure = read_failure(printed.text)
            assert failure is not None
            places[printed.name] = str(place_of(failure, submission))
    assert places == {
        "hydra-interpolation": "config/config.yaml:3",
        "hydra-no-such-run": "config/config.yaml:3",
    }


def test_an_option_is_found_where_the_program_declares_it() -> None:
    submission = make_submission(
        {
            "src/evaluate.py": (
                'import argparse\np = argparse.ArgumentParser()\np.add_argument("--run-ids",'
                " required=True)\n"
            )
        }
    )
    failure = read_failure(
        "usage: evaluate.py [-h] --run-ids R\nevaluate.py: error: the following arguments are"
        " required: --run-ids\n"
    )
    assert failure is not None
    assert str(place_of(failure, submission)) == "src/evaluate.py:3"


def test_without_a_pyproject_an_installers_complaint_is_about_its_absence() -> None:
    failure = read_failure("error: No `project` table found in: `/app/pyproject.toml`\n")
    assert failure is not None
    assert str(place_of(failure, make_submission({"pyproject.toml": None}))) == "pyproject.toml"


def test_a_failure_in_libraries_only_has_no_place() -> None:
    failure = read_failure(
        HEAD + '  File "/opt/tool/run.py", line 3, in main\n    go()\nValueError: no\n'
    )
    assert failure is not None
    assert place_of(failure, SOUND) is None


def test_a_cause_is_the_cause_where_no_code_is_shown() -> None:
    frame = '  File "/app/src/train.py", line 30, in fit\n'
    caused = "\nThe above exception was the direct cause of the following exception:\n\n"
    failure = read_failure(
        HEAD + frame + "KeyError: 'lr'\n" + caused + HEAD + frame + "ValueError: no settings\n"
    )
    assert failure is not None
    assert failure.outer is not None
    assert (failure.type, failure.outer.type) == ("KeyError", "ValueError")


def test_of_two_tracebacks_the_later_one_counts() -> None:
    first = (
        HEAD
        + own("src/train.py", "model = build_model(cfg)", "fit")
        + "ValueError: retried\n\nretrying\n"
    )
    failure = read_failure(first + TRACEBACKS[0].text)
    assert failure is not None
    assert failure.type == "RuntimeError"
