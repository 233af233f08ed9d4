"""Guards two machines' worth of workers on one store: each job is done once, money is counted to
the cent, and what a killed worker had is done by the others.
"""

import os
import signal
from collections import Counter
from contextlib import closing
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from reviewers.backends.configured import ReviewerConfig, keep
from reviewers.backends.prices import Prices
from reviewers.records import Verdict
from reviewers.store import Store
from reviewers.store.jobs import JobState, jobs_of, shown_works
from reviewers.store.submission import load_submission
from tests.builders import Run, make_submission
from tests.console import start_console
from tests.dashboard.models import until
from tests.model_server import ModelServer

REVIEWS = 24
AT_ONCE = 4
BUDGET_USD = 1.0


def machine(folder: Path, url: str, *words: str) -> BaseProcess:
    """Start workers with a temporary folder, a cache and a reviewers' file of their own."""
    variables = {
        "AREACHAIR_CACHE": str(folder / "cache"),
        "XDG_CACHE_HOME": str(folder / "cache-home"),
        "TMPDIR": str(folder),
        "AREACHAIR_STORE": url,
    }
    with (folder / "log").open("w") as log:
        environment = {**os.environ, **variables}
        told = ["work", "--concurrency", "1", "--lease", "3", "--patience", "0", *words]
        return start_console(told, environment, log.fileno(), log.fileno())


def _done_by(store: Store, work: int) -> set[str]:
    return {job.worker for job in jobs_of(store, work) if job.state is JobState.DONE}


@pytest.mark.long
def test_two_machines_share_reviews_and_one_is_killed_half_way(
    url: str, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.setenv("AREACHAIR_REVIEWERS", str(tmp_path / "reviewers.toml"))
    made = [
        make_submission({"src/main.py": f"# {number}\n"}, name=f"s{number}")
        for number in range(REVIEWS)
    ]
    store.add_many([(submission, ()) for submission in made])
    folders = [tmp_path / name for name in ("one", "other")]
    for folder in folders:
        folder.mkdir()
    with ModelServer(says="ready", latency=0.1) as server:
        config = ReviewerConfig(
            name="a",
            model="m",
            base_url=server.url,
            key_env="",
            api="chat",
            max_output_tokens=1_000,
            concurrency=4,
            prices=Prices(input=2.0, output=8.0),
        )
        keep(Path(os.environ["AREACHAIR_REVIEWERS"]), config)
        handed_in = run("jobs", "--ask", "a", "--budget-usd", BUDGET_USD)
        assert handed_in.exit_code == 0, handed_in.output
        # One machine has all that it may ask at a time under way until the other one asks, too.
        server.opened.clear()
        killed = machine(folders[0], url)
        until(lambda: server.busy == AT_ONCE)
        other = machine(folders[1], url, "--until-done")
        until(lambda: server.busy > AT_ONCE)
        server.opened.set()
        (shown,) = shown_works(store)
        until(lambda: len(_done_by(store, shown.number)) == 2)
        assert killed.pid
        os.kill(killed.pid, signal.SIGKILL)
        other.join(60)
        said = "".join((folder / "log").read_text() for folder in folders)
        assert other.exitcode == 0, said
        questions = server.questions
    (shown,) = shown_works(store)
    found = jobs_of(store, shown.number)
    assert {job.state for job in found} == {JobState.DONE}, said
    assert len(_done_by(store, shown.number)) == 2, "both did some of it"
    for submission in made:
        (stored,) = load_submission(store, submission.id).reviews
        assert stored.review.verdict is Verdict.READY
    again = [job for job in found if job.attempts > 1]
    asked = Counter(question.digest for question in questions)
    assert len(asked) == REVIEWS
    # Its workers end when they hear of it: until then they may begin as many once more.
    assert len(questions) - REVIEWS <= 2 * AT_ONCE, "only what was under way is asked again"
    cost = sum(
        stored.review.cost_usd or 0.0
        for submission in made
        for stored in load_submission(store, submission.id).reviews
    )
    assert shown.usd == pytest.approx(sum(job.usd for job in found), abs=1e-12)
    if len(questions) == REVIEWS and not again:
        assert shown.usd == pytest.approx(cost, abs=1e-12)
    assert cost <= shown.usd <= BUDGET_USD
    with closing(Store.open(url)) as opened, opened.reading() as connection:
        held = connection.exec_driver_sql("SELECT held_pico, held_tokens FROM works").one()
    assert tuple(held) == (0, 0), "nothing stays reserved"
    assert f"ask a: {REVIEWS} done  ${shown.usd:.4f}" in run("jobs").output
