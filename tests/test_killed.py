"""Guards a run that is killed at any moment: started again it completes, and asks twice only what
was under way.
"""

import random
import sqlite3
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from reviewers.records import Verdict
from reviewers.store import Store
from reviewers.store.copying import damage_in
from reviewers.store.full_record import kept as kept_records
from reviewers.store.packing import MARK, unpacked
from reviewers.store.submission import load_submission
from tests.asking import Desk, rows, write_bundles
from tests.model_server import ModelServer

SUBMISSIONS = 12
REVIEWERS = ("one", "two")
AT_ONCE = 4


@pytest.mark.long
@pytest.mark.parametrize("seed", [2])
def test_a_run_that_is_killed_again_and_again_completes(tmp_path: Path, seed: int) -> None:
    kills = killed_and_completed(tmp_path, random.Random(seed), most=3)
    assert kills >= 2


@pytest.mark.parametrize("kills", [1, pytest.param(3, marks=pytest.mark.long)])
def test_an_import_that_is_killed_leaves_whole_submissions_and_completes(
    tmp_path: Path, kills: int
) -> None:
    desk, chance = Desk(tmp_path), random.Random(kills)
    write_bundles(tmp_path / "bundles", 24)
    words = "import", tmp_path / "bundles", "--jobs", 2
    before = 0
    for _ in range(kills):
        with desk.start(*words) as process:
            while process.poll() is None and kept(tmp_path / "store.sqlite3") <= before:
                time.sleep(0.01)
            time.sleep(chance.uniform(0, 0.3) * (kills > 1))
            process.kill()
        assert gone(str(tmp_path)), "a process outlived the one that it worked for"
        before = kept(tmp_path / "store.sqlite3")
    done = desk.run(*words)
    assert done.returncode == 0, done.stderr
    known = f"24 submissions read: {24 - before} new or changed, {before} already known"
    assert known in done.stdout, "what was there was whole"
    assert kept(tmp_path / "store.sqlite3") == 24
    assert sound(desk)


@pytest.mark.long
def test_a_migration_that_is_killed_again_and_again_completes(tmp_path: Path) -> None:
    desk, chance = Desk(tmp_path), random.Random(3)
    write_bundles(tmp_path / "bundles", 24)
    assert desk.run("import", tmp_path / "bundles").returncode == 0
    with closing(Store.open(desk.store_url)) as store:
        before = [*kept_records(store)]
    path = tmp_path / "store.sqlite3"
    unpack(path)
    for _ in range(5):
        with desk.start("lineage", before[0].submission.id) as process:
            time.sleep(chance.uniform(0.4, 1.6))
            process.kill()
    with closing(Store.open(desk.store_url)) as store:
        assert [*kept_records(store)] == before
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT * FROM upkeep").fetchall() == []
        held = [data for (data,) in connection.execute(CONTENTS)]
        assert all(data.startswith(MARK) or data == b"" for data in held)
    assert sound(desk)


CONTENTS = "SELECT data FROM contents"


def unpack(path: Path) -> None:
    """Bring a store into the state in which its migration leaves an older one."""
    with closing(sqlite3.connect(path)) as connection:
        for task in ("contents", "answers", "findings", "reviews", "search_texts"):
            connection.execute("INSERT INTO upkeep VALUES (?, '')", [task])
        for name, data in connection.execute("SELECT sha256, data FROM contents").fetchall():
            connection.execute(
                "UPDATE contents SET data = ? WHERE sha256 = ?", [unpacked(data), name]
            )
        connection.commit()


def sound(desk: Desk) -> bool:
    """Whether `doctor` finds no damage."""
    with closing(Store.open(desk.store_url)) as store:
        return not damage_in(store)


def kept(path: Path) -> int:
    """How many submissions a store holds with all that an import gives them."""
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path)) as connection:
        try:
            found = connection.execute(
                "SELECT count(*) FROM submissions JOIN reviews ON submission = submissions.number"
                " JOIN standings USING (submission) JOIN search_texts USING (submission)"
            ).fetchone()
        except sqlite3.OperationalError:  # its tables are not made yet
            return 0
    return int(found[0])


def killed_and_completed(folder: Path, chance: random.Random, most: int) -> int:
    """Kill a run at most so many times at random moments, let it complete, and check what is there;
    return the kills.
    """
    desk = Desk(folder)
    write_bundles(folder / "bundles", SUBMISSIONS)
    words = (
        "review",
        folder / "bundles",
        "--reviewers",
        ",".join(REVIEWERS),
        "--at-once",
        AT_ONCE,
        "--format",
        "json",
    )
    kills = 0
    with ModelServer(says="ready", latency=0.1) as server:
        desk.configure(*({"name": name, "base_url": server.url} for name in REVIEWERS))
        while kills < most and len(server.questions) < SUBMISSIONS * len(REVIEWERS):
            with desk.start(*words) as process:
                wanted = len(server.questions) + chance.randint(0, 8)
                while process.poll() is None and len(server.questions) < wanted:
                    time.sleep(0.005)
                time.sleep(chance.uniform(0, 0.2))
                process.kill()
            kills += 1
        done = desk.run(*words)
    assert done.returncode == 0, done.stderr
    assert gone(str(folder)), "a process outlived the one that it worked for"
    assert len(rows(done)) == SUBMISSIONS
    with closing(Store.open(desk.store_url)) as store:
        for row in rows(done):
            kept = load_submission(store, row["submission"]["id"]).reviews
            assert [(stored.review.reviewer, stored.review.verdict) for stored in kept] == [
                (name, Verdict.READY) for name in REVIEWERS
            ]
    asked = Counter(question.digest for question in server.questions)
    assert len(asked) == SUBMISSIONS * len(REVIEWERS)
    assert len(server.questions) - len(asked) <= kills * AT_ONCE
    return kills


def gone(folder: str) -> bool:
    """Whether within ten seconds no process is left that has the folder on its command line."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if not any(
            folder.encode() in _command(place) for place in Path("/proc").glob("[0-9]*/cmdline")
        ):
            return True
        time.sleep(0.1)
    return False


def _command(place: Path) -> bytes:
    try:
        return place.read_bytes()
    except OSError:
        return b""


if __name__ == "__main__":
    import sys
    import tempfile

    for number in range(int(sys.argv[1])):
        with tempfile.TemporaryDirectory() as place:
            print(
                killed_and_completed(Path(place), random.Random(number), most=20),
                "kills",
                flush=True,
            )
