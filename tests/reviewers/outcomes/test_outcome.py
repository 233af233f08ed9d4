"""Guards what is kept of a run or a fix."""

from datetime import UTC, datetime

import pytest

from reviewers.outcomes import Form
from reviewers.outcomes.fix import Fix
from reviewers.outcomes.outcome import MOST_EXCERPT, Stage, outcome_of_fix, outcome_of_run
from reviewers.propositions import parse
from reviewers.records import Span
from tests.builders import make_submission
from tests.reviewers.outcomes.outputs import HEAD, line_of, own

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
FAILED = (
    HEAD
    + own("src/train.py", "loss.backward()", "fit")
    + "RuntimeError: element 0 of tensors does not require grad\n"
)


def test_a_failed_run_is_kept_with_its_place_and_category() -> None:
    submission = make_submission()
    outcome, failure = outcome_of_run(submission, FAILED, 1, Stage.TRIAL, NOON)
    assert failure is not None
    assert (outcome.submission, outcome.failed, outcome.error, outcome.category) == (
        submission.id,
        True,
        "RuntimeError",
        "tensor-or-runtime",
    )
    assert (outcome.spans, outcome.form) == (
        (Span("src/train.py", line_of("src/train.py", "loss.backward()")),),
        Form.TRACEBACK,
    )
    place = {"file": "src/train.py", "line": outcome.spans[0].line}
    assert outcome.says == {
        "p": "fails", "command": "main", "error": "RuntimeError", "at": place, "mode": "trial",
    }  # fmt: skip
    assert parse(outcome.says)


def test_a_run_that_ended_well_is_an_outcome_too() -> None:
    outcome, failure = outcome_of_run(make_submission(), "done\n", 0, Stage.FULL, NOON)
    assert (outcome.failed, outcome.category, failure) == (False, None, None)


def test_the_end_of_the_output_is_kept_and_all_of_it_counts_for_the_hash() -> None:
    one, _ = outcome_of_run(make_submission(), "a" + "x" * 100_000 + FAILED, 1, Stage.TRIAL, NOON)
    other, _ = outcome_of_run(make_submission(), "b" + "x" * 100_000 + FAILED, 1, Stage.TRIAL, NOON)
    assert len(one.excerpt) == MOST_EXCERPT
    assert one.excerpt == other.excerpt
    assert one.digest != other.digest


@pytest.mark.parametrize(("code", "failed"), [(1, True), (0, False), (None, None)])
def test_without_a_word_the_exit_code_says_whether_it_failed(
    code: int | None, failed: bool | None
) -> None:
    outcome, _ = outcome_of_run(make_submission(), "", code, Stage.TRIAL, NOON)
    assert outcome.failed is failed


def test_a_fix_is_kept_with_its_lines_and_its_commit() -> None:
    outcome = outcome_of_fix(
        make_submission(),
        Fix((Span("pyproject.toml", 5, 9),), "pyproject is not valid"),
        "abc123",
        Stage.TRIAL,
        NOON,
    )
    assert (outcome.source, outcome.failed, outcome.category) == (
        "fix abc123",
        True,
        "packaging-invalid",
    )
