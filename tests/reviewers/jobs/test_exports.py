"""Guards exports as jobs: the file is what the command line writes, belongs to who asked for it,
and whatever dies on the way leaves nothing behind.
"""

import gzip
import io
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

from reviewers.errors import StoreError
from reviewers.jobs.handing_in import ExportedAs, export_job
from reviewers.jobs.names import EXPORT
from reviewers.jobs.scratch import scratch, sweep
from reviewers.store import Store
from reviewers.store.deletion import delete_submissions
from reviewers.store.job_files import PART_BYTES, files_of, keep_file, parts_of
from reviewers.store.job_files import file_of as find_file
from reviewers.store.jobs import JobState, cancel, claim, enqueue_jobs, finish, jobs_of, live_jobs
from tests.builders import Run, make_submission
from tests.dashboard.models import until
from tests.reviewers.jobs.working import working


def file_of(store: Store, owner: str) -> bytes:
    (made,) = files_of(store, owner)
    assert find_file(store, made.key) == made
    for wrong in (made.key[:-1], f"{made.key}ü", "\ud800"):
        assert find_file(store, wrong) is None
    data = b"".join(parts_of(store, made.job))
    assert len(data) == made.size
    return data


def test_an_export_is_what_the_command_line_writes(store: Store, run: Run, tmp_path: Path) -> None:
    made = [make_submission({"src/main.py": f"# {n}\n"}, name=f"s{n}") for n in range(3)]
    store.add_many([(each, ()) for each in made])
    ids = [each.id for each in made]
    jobs = [export_job([*ids, "f" * 64], kind, "all", f"for {kind}") for kind in ExportedAs]
    with working(store):
        work = enqueue_jobs(store, jobs)
        until(lambda: not live_jobs(store))
    assert [job.problem for job in jobs_of(store, work)] == [""] * len(jobs)
    assert all("3 submissions, " in job.progress for job in jobs_of(store, work))
    for kind in ExportedAs:
        path = tmp_path / f"own.{kind}"
        told = run("export", "--format", kind, "--output", path)
        assert told.exit_code == 0, told.output
        data = file_of(store, f"for {kind}")
        if kind.is_tables:
            with ZipFile(io.BytesIO(data)) as archive:
                found = {name: archive.read(name) for name in archive.namelist()}
            assert found == {each.name: each.read_bytes() for each in path.iterdir()}
        else:
            assert gzip.decompress(data) == path.read_bytes()
    assert not files_of(store, "somebody else")
    delete_submissions(store, ids[:1], "asked to", "ada")
    assert not files_of(store, "for jsonl"), "what was deleted is in no file any more"


def test_a_file_is_whole_or_nobodys(store: Store) -> None:
    def breaks() -> Iterator[bytes]:
        yield b"x" * (3 * PART_BYTES)
        raise StoreError("it was killed")

    enqueue_jobs(store, [export_job([], ExportedAs.JSONL, "all", "ada")])
    (lost,) = claim(store, "one", {EXPORT: 1}, 0.01, alone=True)
    with pytest.raises(StoreError, match="killed"):
        keep_file(store, lost, breaks())
    assert not files_of(store, "ada")
    (own,) = until(lambda: claim(store, "two", {EXPORT: 1}, 60.0, alone=True))
    keep_file(store, own, [b"whole"])
    with pytest.raises(StoreError, match="another worker"):
        keep_file(store, lost, [b"late"])
    assert b"".join(parts_of(store, own.number)) == b"whole"


@pytest.mark.parametrize("ends", [JobState.DONE, JobState.CANCELLED])
def test_what_was_left_of_a_file_goes_with_the_next_work(store: Store, ends: JobState) -> None:
    work = enqueue_jobs(store, [export_job([], ExportedAs.JSONL, "all", "ada")])
    (taken,) = claim(store, "one", {EXPORT: 1}, 60.0, alone=True)
    keep_file(store, taken, [b"ab", b"cd"])
    finish(store, taken) if ends is JobState.DONE else cancel(store, work=work)
    enqueue_jobs(store, [])
    assert b"".join(parts_of(store, taken.number)) == (b"abcd" if ends is JobState.DONE else b"")


_DIES = """
import sys, time
from reviewers.jobs.scratch import scratch
with scratch() as folder:
    (folder / "half").write_text("half of it")
    print(folder, flush=True)
    time.sleep(600)
"""


def test_a_killed_workers_temporary_files_are_removed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    with subprocess.Popen([sys.executable, "-c", _DIES], stdout=subprocess.PIPE, text=True) as one:
        assert one.stdout is not None
        folder = Path(one.stdout.readline().strip())
        sweep()
        assert (folder / "half").exists(), "its process lives"
        os.kill(one.pid, signal.SIGKILL)
        one.wait()
    with scratch() as own:
        assert [*tmp_path.iterdir()] == [own]
    assert not [*tmp_path.iterdir()]
