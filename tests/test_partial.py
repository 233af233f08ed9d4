"""Guards that what a review left out is seen wherever the review is: commands, exports, store."""

import json
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reviewers.exports.feedback import corrected_review, feedback_markdown
from reviewers.exports.jsonl import export_lines
from reviewers.exports.page import html_page
from reviewers.exports.rdjson import rdjson
from reviewers.panel.review import review_all
from reviewers.records import Review
from reviewers.store import Store
from reviewers.store.restore import import_lines
from reviewers.store.submission import load_submission, record_of
from tests.builders import SOUND_FILES, SOUND_RUNS, Run, make_submission, write_folder

FILES = {
    "src/model.py": f"# {'a' * 1_600_000}\n",
    "src/train.py": f"{SOUND_FILES['src/train.py']}\nprint(absent_name)\n",
}
LEFT_OUT = "src/model.py: not read"


@pytest.fixture(scope="module")
def review() -> Review:
    """Not ready, and partial."""
    (made,) = review_all(make_submission(FILES), ["rules"])
    return made


def test_every_format_of_the_command_says_that_a_review_is_partial(
    run: Run, tmp_path: Path
) -> None:
    path = write_folder(tmp_path / "large", make_submission(FILES))
    text, lines, sarif = (
        run("review", path, "--reviewers", "rules", "--format", form)
        for form in ("text", "json", "sarif")
    )
    assert [each.exit_code for each in (text, lines, sarif)] == [1, 1, 1]
    assert "partial: 1 part" in text.stdout
    assert LEFT_OUT in text.stdout
    (one,) = json.loads(lines.stdout)["reviews"]
    assert [part.startswith(LEFT_OUT) for part in one["partial"]] == [True]
    (told,) = json.loads(sarif.stdout)["runs"][0]["invocations"]
    assert told["executionSuccessful"] is False
    assert LEFT_OUT in told["toolExecutionNotifications"][0]["message"]["text"]


def test_a_hostile_run_config_loses_no_bundle(run: Run, tmp_path: Path) -> None:
    runs = {name: f'{text}\nzz: !!int ""\n' for name, text in SOUND_RUNS.items()}
    reviewed = run(
        "review", write_folder(tmp_path / "odd", make_submission({}, runs)), "--reviewers", "rules"
    )
    assert "please report" not in reviewed.output
    assert reviewed.exit_code == 1
    assert "IndexError: string index out of range" in reviewed.stdout


def test_the_store_and_an_export_keep_what_a_review_left_out(
    review: Review, tmp_path: Path
) -> None:
    submission = make_submission(FILES)
    with (
        closing(Store.open(f"sqlite:///{tmp_path / 'one.sqlite3'}")) as one,
        closing(Store.open(f"sqlite:///{tmp_path / 'two.sqlite3'}")) as two,
    ):
        assert one.add(submission, (review,))
        lines = list(export_lines(one))
        import_lines(two, lines, "export.jsonl")
        for store in (one, two):
            (kept,) = load_submission(store, submission.id).reviews
            # Which version of our code made it is not exported.
            assert replace(kept.review, version=review.version) == review
        assert list(export_lines(two)) == lines


def test_feedback_pages_and_rdjson_say_that_a_review_is_partial(review: Review) -> None:
    submission = make_submission(FILES)
    corrected = corrected_review([review])
    record = record_of(submission, (review,), datetime(2026, 3, 1, tzinfo=UTC))
    assert "There may be more" in corrected.because
    assert "Not looked at to the end" in feedback_markdown(submission, corrected)
    assert any(LEFT_OUT in each["message"] for each in rdjson(record)["diagnostics"])
    assert LEFT_OUT in html_page(record)


def begun_with(line: str) -> dict[str, str]:
    """train.py with a line at the beginning of what Hydra calls."""
    start = "def main(cfg: DictConfig) -> None:\n"
    return {"src/train.py": SOUND_FILES["src/train.py"].replace(start, f"{start}    {line}\n")}


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (begun_with("for i in range(10**30): pass"), "more turns than Python can count"),
        (begun_with(f"v = {'[x for x in ' * 30}[]{']' * 30}"), "comprehensions within 8 others"),
        (
            {
                "config/config.yaml": SOUND_FILES["config/config.yaml"]
                + "".join(f"\nk{number}: 1" for number in range(10_000))
            },
            "more than 4,000 values",
        ),
    ],
    ids=["an endless range", "30 comprehensions", "10,000 settings"],
)
def test_where_a_limit_is_met_the_command_and_the_page_give_no_plain_ready(
    run: Run, tmp_path: Path, files: dict[str, str], told: str
) -> None:
    path = write_folder(tmp_path / "limited", make_submission(files))
    reviewed = run("review", path, "--reviewers", "rules", "--format", "json")
    (one,) = json.loads(reviewed.stdout)["reviews"]
    assert (reviewed.exit_code, one["verdict"], one["findings"]) == (2, None, [])
    assert told in " ".join(one["partial"])
    assert told in one["failure"]
    submission = make_submission(files)
    shown = html_page(record_of(submission, review_all(submission, ["rules"]), datetime.now(UTC)))
    assert told in shown
