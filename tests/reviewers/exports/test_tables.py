"""Guards the tables: everything is in them with its author and reason, unknown stays unknown, no
cell becomes a formula.
"""

import csv
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from shutil import copyfile

import pandas as pd
import pytest

from reviewers.errors import StoreError
from reviewers.exports.tables import Format, tables, write_tables
from reviewers.outcomes.outcome import Stage, outcome_of_run
from reviewers.records import Ruling, Severity, Span, Verdict
from reviewers.store import Store
from reviewers.store.outcomes import add_outcome
from tests.reviewers.store.making import Clock, make_finding, make_review, make_submission
from tests.shared_data import needs_shared

# How many rows each table has, in the order of the tables.
ROWS = {
    **{"submissions": 1, "runs": 1, "reviews": 3, "findings": 3, "claims": 2, "rulings": 3},
    **{"own_findings": 2, "remarks": 3, "outcomes": 1, "decisions": 1},
}
FORMATS: tuple[Format, ...] = ("csv", "parquet")


@pytest.fixture
def store(tmp_path: Path, empty_store: Path) -> Iterator[Store]:
    copyfile(empty_store, tmp_path / "store.sqlite3")
    submission = make_submission(lineage="line", attempt=2)
    with closing(Store.open(f"sqlite:///{tmp_path / 'store.sqlite3'}", clock=Clock())) as opened:
        opened.add(
            submission,
            (
                make_review(
                    "recorded", Verdict.READY, make_finding("f1"), make_finding("f2", span=None)
                ),
            ),
        )
        opened.add_review(
            submission.id,
            make_review("rules", Verdict.NOT_READY, make_finding("r1", rule="XX01"), seconds=1.5),
        )
        opened.add_review(submission.id, make_review("rules", Verdict.READY))
        opened.rule_on(submission.id, "f1", Ruling.DISMISS, "=1+1", "Ann")
        opened.rule_on(submission.id, "f1", Ruling.WITHDRAWN, "", "Bob")
        opened.decide(submission.id, Verdict.READY, "it ran", "@Ann", blind=True)
        seen = {"severity": Severity.MAJOR, "category": "data-leakage", "message": "=1+1"}
        opened.add_finding(submission.id, span=Span("src/train.py", 1), author="Ann", **seen)
        own = opened.add_finding(submission.id, span=Span("src/train.py"), author="Bob", **seen)
        opened.rule_on(submission.id, own, Ruling.DISMISS, "no", "Ann")
        opened.remark(submission.id, "f1", author="Ann", severity=Severity.MINOR)
        opened.remark(submission.id, "f1", author="Bob", severity=Severity.MAJOR, comment="worse")
        opened.remark(submission.id, "f1", author="Bob", comment="see above")
        add_outcome(
            opened,
            outcome_of_run(
                submission, "Killed", 137, Stage.TRIAL, datetime(2026, 1, 1, tzinfo=UTC)
            )[0],
        )
        yield opened


def test_there_is_a_row_for_everything_that_is_kept(store: Store) -> None:
    assert {name: len(frame) for name, frame in tables(store).items()} == ROWS


def test_an_empty_store_has_the_same_tables_and_columns(store: Store, empty: Store) -> None:
    full = tables(store)
    assert list(full) == list(ROWS)
    for name, frame in tables(empty).items():
        assert (list(frame.columns), list(frame.dtypes)) == (
            list(full[name].columns),
            list(full[name].dtypes),
        )
        assert frame.empty


def test_what_is_not_known_is_missing_and_never_0(store: Store) -> None:
    made = tables(store)
    assert made["reviews"]["seconds"].isna().tolist() == [True, False, True]
    assert made["findings"]["line"].tolist()[0] == 1
    assert made["findings"]["line"].isna().tolist() == [False, True, False]


def test_times_are_utc_in_iso_8601(store: Store) -> None:
    assert tables(store)["decisions"]["at"].tolist() == ["2026-03-01T12:00:06.000000Z"]


def test_what_counts_now_is_told_from_what_was_said_before(store: Store) -> None:
    made = tables(store)
    assert made["reviews"]["current"].tolist() == [True, False, True]
    assert made["rulings"]["counts"].tolist() == [False, False, True]
    assert made["own_findings"][["line", "author", "counts"]].to_numpy().tolist() == [
        [1, "Ann", True],
        [pd.NA, "Bob", False],
    ]
    assert made["remarks"]["severity"].tolist() == ["minor", "major", pd.NA]
    assert made["remarks"]["counts"].tolist() == [False, True, False]
    columns = ["verdict", "reason", "author", "counts", "blind"]
    assert made["decisions"][columns].to_numpy().tolist() == [
        ["ready", "it ran", "@Ann", True, True]
    ]
    assert made["rulings"]["blind"].isna().all(), "what is not known is missing"


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "=cmd|' /C calc'!A0"]
)
def test_no_cell_of_csv_is_a_formula(store: Store, tmp_path: Path, text: str) -> None:
    store.add(make_submission(text))
    write_tables(store, tmp_path / "out", "csv")
    with (tmp_path / "out" / "submissions.csv").open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert f"'{text}" in cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


def test_parquet_has_every_text_as_it_is(store: Store, tmp_path: Path) -> None:
    write_tables(store, tmp_path, "parquet")
    assert pd.read_parquet(tmp_path / "rulings.parquet")["reason"].tolist()[0] == "=1+1"
    assert pd.read_parquet(tmp_path / "decisions.parquet")["author"].tolist() == ["@Ann"]


@pytest.mark.parametrize("format", FORMATS)
def test_hostile_texts_are_written_and_read(empty: Store, tmp_path: Path, format: Format) -> None:
    empty.add(make_submission('NUL \0 half \ud800 "quote", comma\nline\u202e'))
    path = write_tables(empty, tmp_path / "out", format)[0]
    read = pd.read_csv(path) if format == "csv" else pd.read_parquet(path)
    assert read["name"].tolist()[0].endswith('"quote", comma\nline\u202e')


@pytest.mark.parametrize("format", FORMATS)
def test_the_same_store_gives_the_same_bytes(store: Store, tmp_path: Path, format: Format) -> None:
    first, second = (
        [path.read_bytes() for path in write_tables(store, tmp_path / name, format)]
        for name in ("a", "b")
    )
    assert first == second
    assert len(first) == len(ROWS)


def test_a_folder_that_cannot_be_made_is_one_line(store: Store, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be written"):
        write_tables(store, tmp_path / "file" / "out", "csv")


@needs_shared
def test_every_real_log_reads_back_from_both_formats(logs_store: Store, tmp_path: Path) -> None:
    made = tables(logs_store)
    for format in FORMATS:
        write_tables(logs_store, tmp_path, format)
    for name, frame in made.items():
        pd.testing.assert_frame_equal(
            pd.read_parquet(tmp_path / f"{name}.parquet"), frame, check_dtype=False
        )
        assert len(pd.read_csv(tmp_path / f"{name}.csv", dtype="string")) == len(frame)
