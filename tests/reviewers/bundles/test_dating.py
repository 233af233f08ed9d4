"""Guards when a submission is said to be generated: by its content, commit, name or archive, in
this order, and never at a time that cannot be true.
"""

import io
import json
import tarfile
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import process_time

import pytest

from reviewers.bundles import open_bundle, read_submission_json, submission_to_json
from reviewers.bundles.history import read_history
from reviewers.errors import BundleError
from reviewers.records import DatedBy, Submission
from tests.builders import make_submission
from tests.reviewers.bundles.bundle_files import TREE, log_text, write_log, write_tree, zipped
from tests.reviewers.bundles.git_repository import Repository

NOON = datetime(2025, 10, 20, 12, 6, 59, tzinfo=UTC)


def when(submission: Submission) -> tuple[datetime | None, str | None]:
    known = submission.generated
    return (known.at, known.by) if known else (None, None)


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("20251020-120659_05", NOON),
        ("2025-10-20T12:06:59Z", NOON),
        ("run_2025-10-20_12-06-59_attempt_3", NOON),
        ("20251020-1206_05", NOON.replace(second=0)),
        ("20251014_01", datetime(2025, 10, 14, tzinfo=UTC)),
        ("review.2025_10_14", datetime(2025, 10, 14, tzinfo=UTC)),
        ("o3-2025-04-16_20251014_01", datetime(2025, 10, 14, tzinfo=UTC)),
        ("20251014-990000_01", datetime(2025, 10, 14, tzinfo=UTC)),
        ("20251332_01", None),
        ("000_6d5ee5f68d0bda55", None),
        ("a20251014b", None),
        ("120251014", None),
    ],
)
def test_a_logs_name_dates_it(tmp_path: Path, name: str, at: datetime | None) -> None:
    read = open_bundle(write_log(tmp_path / f"{name}.txt"))
    assert when(read) == ((at, DatedBy.NAME) if at else (None, None))
    assert not read.remarks


def test_a_date_before_the_prompt_of_a_log_goes_before_its_name(tmp_path: Path) -> None:
    text = "Date: 2025-10-20T21:06:59+09:00\n" + log_text()
    read = open_bundle(write_log(tmp_path / "20251001_01.txt", text))
    assert when(read) == (NOON, DatedBy.CONTENT)
    within = log_text().replace("# Instructions", "# Instructions\nDate: 2025-10-20\n", 1)
    assert when(open_bundle(write_log(tmp_path / "x_02.txt", within))) == (None, None)


def test_a_header_made_to_be_slow_is_read_in_no_time(tmp_path: Path) -> None:
    text = "Date: 1" + " " * 3_000_000 + "x\n" + log_text()
    begun = process_time()
    assert open_bundle(write_log(tmp_path / "x.txt", text)).generated is None
    assert process_time() - begun < 5


@pytest.mark.parametrize(
    ("name", "why"), [("20091020_01", "before 2015"), ("29991020_01", "in the future")]
)
def test_a_date_that_cannot_be_true_is_ignored_with_a_remark(
    tmp_path: Path, name: str, why: str
) -> None:
    if name.startswith("29"):
        name = f"{datetime.now(UTC) + timedelta(days=3):%Y%m%d}_01"
    read = open_bundle(write_log(tmp_path / f"{name}.txt"))
    assert read.generated is None
    (remark,) = read.remarks
    assert why in remark
    assert "its name says" in remark


def test_an_archives_newest_file_dates_it_unless_its_name_does(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for day, (name, content) in enumerate(TREE.items(), 16):
            archive.writestr(zipfile.ZipInfo(name, (2025, 10, day, 12, 6, 58)), content)
    (tmp_path / "a.zip").write_bytes(out.getvalue())
    assert when(open_bundle(tmp_path / "a.zip")) == (NOON.replace(second=58), DatedBy.ARCHIVE)
    (tmp_path / "20250901_02.zip").write_bytes(out.getvalue())
    assert when(open_bundle(tmp_path / "20250901_02.zip")) == (
        datetime(2025, 9, 1, tzinfo=UTC),
        DatedBy.NAME,
    )
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name in TREE:
            info = tarfile.TarInfo(name)
            info.mtime = NOON.timestamp()
            tar.addfile(info)
    (tmp_path / "b.tgz").write_bytes(out.getvalue())
    assert when(open_bundle(tmp_path / "b.tgz")) == (NOON, DatedBy.ARCHIVE)


def test_times_in_an_archive_that_are_none_refuse_nothing(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("src/train.py", (2025, 10, 1, 0, 0, 0))
        archive.writestr(info, "x = 1\n")
    data = out.getvalue()
    day = ((2025 - 1980) << 9 | 10 << 5 | 1).to_bytes(2, "little")
    (tmp_path / "a.zip").write_bytes(data.replace(b"\0\0" + day, b"\xff\xff\0\0"))
    assert open_bundle(tmp_path / "a.zip").generated is None
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        info = tarfile.TarInfo("src/train.py")
        info.mtime = 2**60
        tar.addfile(info)
    (tmp_path / "b.tar").write_bytes(out.getvalue())
    assert open_bundle(tmp_path / "b.tar").generated is None


def test_a_folder_says_in_its_context_when_it_was_generated(tmp_path: Path) -> None:
    said = {"context.json": json.dumps({"generated_at": "2025-10-20T12:06:59"})}
    folder = write_tree(tmp_path / "20250901_02", {**TREE, **said})
    assert when(open_bundle(folder)) == (NOON, DatedBy.CONTENT)
    (tmp_path / "x.zip").write_bytes(zipped({**TREE, **said}))
    assert when(open_bundle(tmp_path / "x.zip")) == (NOON, DatedBy.CONTENT)
    write_tree(folder, {"context.json": '{"generated_at": "20th of October"}'})
    with pytest.raises(BundleError, match="generated_at must be a date of ISO 8601"):
        open_bundle(folder)


def test_a_commit_dates_what_it_holds_whatever_the_repository_is_called(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "exp-20240101")
    stamp = f"{int(NOON.timestamp())} +0900"
    repository.commit(make_submission(), date=stamp)
    (attempt,) = read_history(repository.path).attempts
    assert when(attempt.submission) == (NOON, DatedBy.COMMIT)


def test_a_commit_of_1970_is_no_date(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "exp")
    repository.commit(make_submission(), date="0 +0000")
    (attempt,) = read_history(repository.path).attempts
    assert attempt.submission.generated is None
    assert "its commit says 1970-01-01" in attempt.submission.remarks[0]


def test_a_log_that_was_committed_late_keeps_its_own_date(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "exp")
    stamp = f"{int(NOON.timestamp()) + 9_000_000} +0000"
    repository.commit({"logs/20251020-120659_01.txt": log_text()}, date=stamp)
    (attempt,) = read_history(repository.path).attempts
    assert when(attempt.submission) == (NOON, DatedBy.NAME)


def test_the_date_goes_through_json_and_is_no_part_of_the_id(tmp_path: Path) -> None:
    read = open_bundle(write_log(tmp_path / "20251020-120659_05.txt"))
    again = open_bundle(write_log(tmp_path / "other.txt"))
    assert read.id == again.id
    said = submission_to_json(read)
    assert said["generated_at"] == "2025-10-20T12:06:59.000000Z"
    assert said["dated_by"] == "name"
    assert said["date_is_guess"] is True
    assert read_submission_json(said, read.source) == read
    own = {**said, "dated_by": None, "generated_at": "2025-10-01"}
    assert when(read_submission_json(own, "x")) == (
        datetime(2025, 10, 1, tzinfo=UTC),
        DatedBy.CONTENT,
    )
    for wrong in ({"generated_at": "yesterday"}, {"dated_by": "a feeling"}):
        with pytest.raises(BundleError, match=f"{next(iter(wrong))} must be"):
            read_submission_json({**said, **wrong}, "x")
