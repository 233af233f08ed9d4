"""Guards what waits for workers: each job is one worker's at a time, who dies loses it, money is
counted once, and nothing that ended badly is hidden.
"""

import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from reviewers.backends.configured import ReviewerConfig, keep
from reviewers.errors import StoreError
from reviewers.jobs.names import ASK, IMPORT, RULES
from reviewers.records import Review, Verdict
from reviewers.store import Store
from reviewers.store.change_log import changes
from reviewers.store.jobs import (
    ClaimedJob,
    Job,
    JobState,
    NewJob,
    await_jobs,
    cancel,
    claim,
    enqueue_jobs,
    finish,
    give_back,
    jobs_at,
    jobs_of,
    live_jobs,
    renew,
    reserve,
    retry,
    settle,
    shown_works,
)
from reviewers.store.submission import load_submission
from tests.builders import make_submission
from tests.dashboard.models import always, model, said, until
from tests.model_server import Fault, ModelServer
from tests.reviewers.jobs.working import working

MOMENT = 0.02


def rules(count: int = 1) -> list[NewJob]:
    return [NewJob(task=RULES, about=str(number)) for number in range(count)]


def take(
    store: Store, worker: str, most: int = 1, lease: float = 60.0, alone: bool = True
) -> Sequence[ClaimedJob]:
    return claim(store, worker, {RULES: most}, lease, alone=alone)


def die(store: Store, worker: str, most: int = 1) -> None:
    """Take jobs and never be heard of again."""
    assert len(take(store, worker, most, MOMENT)) == most
    time.sleep(2 * MOMENT)


def only(store: Store, work: int) -> Job:
    (job,) = jobs_of(store, work)
    return job


def test_each_job_is_one_workers_and_comes_in_turn(store: Store) -> None:
    work = enqueue_jobs(store, rules(5), by="ada")
    first, second, third = (take(store, name, 2) for name in ("a", "b", "c"))
    assert [each.about for each in (*first, *second, *third)] == list("01234")
    assert take(store, "d") == ()
    for each in (*first, *second, *third):
        finish(store, each, progress="done")
    assert {job.state for job in jobs_of(store, work)} == {JobState.DONE}
    (shown,) = shown_works(store)
    assert (shown.by, shown.live, shown.counts[JobState.DONE]) == ("ada", False, 5)


def test_who_is_being_asked_is_not_asked_twice(store: Store) -> None:
    submission = make_submission()
    store.add(submission)
    asked = [NewJob(task=ASK, submission_id=submission.id, reviewer="a")]
    for _ in range(3):
        enqueue_jobs(store, asked)
    assert live_jobs(store) == 1
    (taken,) = claim(store, "w", {ASK: 4}, 60.0, alone=True)
    enqueue_jobs(store, asked)
    assert live_jobs(store) == 1
    finish(store, taken)
    enqueue_jobs(store, asked)
    assert live_jobs(store) == 1
    (last,) = jobs_at(store, submission.id)
    assert (last.state, last.about) == (JobState.WAITING, "sample")


def test_a_dead_workers_job_is_taken_by_another_and_lost_to_it(store: Store) -> None:
    work = enqueue_jobs(store, rules())
    (lost,) = take(store, "dead", lease=MOMENT)
    time.sleep(2 * MOMENT)
    (taken,) = take(store, "next")
    assert renew(store, "dead", [lost.number], 60.0) == {lost.number}
    assert renew(store, "next", [taken.number], 60.0) == set()
    finish(store, lost, problem="too late", failed=True)
    give_back(store, lost)
    assert (only(store, work).state, only(store, work).worker) == (JobState.RUNNING, "next")
    finish(store, taken)
    assert (only(store, work).state, only(store, work).attempts) == (JobState.DONE, 2)


def test_one_that_kills_its_workers_is_done_alone_then_set_aside_and_shown(store: Store) -> None:
    work = enqueue_jobs(store, rules(3))
    die(store, "one", 3)
    die(store, "two", 3)
    assert take(store, "three", 3, alone=False) == (), "it takes no others along"
    new = enqueue_jobs(store, rules())
    (last,) = take(store, "three", 3, MOMENT)
    time.sleep(2 * MOMENT)
    (following,) = take(store, "four", 3)
    assert (following.about, following.work) == ("1", work), "it does not wait for ever"
    (sound,) = take(store, "five", 3, alone=False)
    assert sound.work == new
    aside = jobs_of(store, work)[0]
    assert (aside.number, aside.state) == (last.number, JobState.ASIDE)
    assert "3 workers died" in aside.problem
    shown, _ = shown_works(store)
    assert [job.number for job in shown.troubles] == [last.number]
    assert retry(store, work) == 1
    assert jobs_of(store, work)[0].state is JobState.WAITING


def test_what_is_cancelled_is_taken_from_its_worker(store: Store) -> None:
    work = enqueue_jobs(store, rules(2))
    (taken,) = take(store, "a")
    cancel(store, work=work)
    assert renew(store, "a", [taken.number], None) == {taken.number}
    finish(store, taken)
    assert [job.state for job in jobs_of(store, work)] == [JobState.CANCELLED] * 2
    assert take(store, "b") == ()


def test_a_budget_is_kept_to_the_last_picodollar(store: Store) -> None:
    enqueue_jobs(store, rules(3), most_usd=100 / 10**12, most_tokens=1_000)
    first, second, third = take(store, "a", 3)
    assert reserve(store, first, 60, 10) is None
    assert reserve(store, second, 41, 10) == (0, 0), "it may fit once the first one is settled"
    settle(store, first, (60, 10), (30, 5))
    assert reserve(store, second, 70, 10) is None
    settle(store, second, (70, 10), (70, 10))
    assert reserve(store, third, 1, 1) == (100, 15)
    (shown,) = shown_works(store)
    assert shown.usd == 100 / 10**12


def test_what_a_dead_worker_had_sent_counts_as_spent(store: Store) -> None:
    enqueue_jobs(store, rules(), most_usd=100 / 10**12)
    (lost,) = take(store, "dead", lease=MOMENT)
    assert reserve(store, lost, 60, 10) is None
    time.sleep(2 * MOMENT)
    (taken,) = take(store, "next")
    settle(store, lost, (60, 10), (1, 1))
    with pytest.raises(StoreError, match="another worker"):
        reserve(store, lost, 1, 1)
    assert reserve(store, taken, 41, 10) == (60, 10)
    assert reserve(store, taken, 40, 10) is None


def test_a_paid_review_is_kept_with_the_end_of_its_job(store: Store) -> None:
    submission = make_submission()
    store.add(submission)
    work = enqueue_jobs(store, [NewJob(task=ASK, submission_id=submission.id, reviewer="a")])
    (taken,) = claim(store, "w", {ASK: 1}, 60.0, alone=True)
    cancel(store, work=work)
    finish(
        store,
        taken,
        review=Review(reviewer="a", verdict=Verdict.READY, model="m", request="1" * 64),
    )
    assert only(store, work).state is JobState.DONE
    (stored,) = load_submission(store, submission.id).reviews
    assert stored.review.verdict is Verdict.READY


def test_a_waiting_worker_hears_of_a_job_at_once(store: Store) -> None:
    assert not await_jobs(store, [RULES], MOMENT)
    late = threading.Timer(0.1, lambda: enqueue_jobs(store, rules()))
    late.start()
    begun = time.monotonic()
    assert await_jobs(store, [RULES], 60.0)
    assert time.monotonic() - begun < 30
    assert not await_jobs(store, [ASK], 0.0), "it is none of these"
    late.join()


def asks(ids: Sequence[str], *names: str) -> list[NewJob]:
    return [
        NewJob(task=ASK, submission_id=id, reviewer=name, arguments={"reviewer": name})
        for id in ids
        for name in names
    ]


def ended(store: Store, work: int) -> list[Job]:
    until(lambda: not live_jobs(store))
    return [*jobs_of(store, work)]


def kept(path: Path, *configs: ReviewerConfig) -> None:
    for config in configs:
        keep(path, config)


def test_troubles_are_one_jobs_and_said_in_one_line(
    store: Store, configured: Path, tmp_path: Path
) -> None:
    submission = make_submission()
    store.add(submission)
    with ModelServer(always(said("ready"))) as server, working(store):
        kept(configured, model("a", server))
        new = [
            *asks([submission.id, "f" * 64], "a"),
            *asks([submission.id], "gone"),
            NewJob(task=RULES, submission_id=submission.id, arguments={"odd": 1}),
            NewJob(task=IMPORT, arguments={"paths": [str(tmp_path / "nothing")]}),
        ]
        found = ended(store, enqueue_jobs(store, new))
    assert [job.state for job in found] == [JobState.DONE] + [JobState.FAILED] * 4
    told = ["has no submission", "no reviewer 'gone'", "(TypeError)", "nothing"]
    for job, words in zip(found[1:], told, strict=True):
        assert words in job.problem
        assert "\n" not in job.problem


def test_a_worker_logs_once_that_a_file_was_changed_on_disk_and_nothing_secret_of_it(
    store: Store, configured: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(make_submission())
    keys = tmp_path / "keys.toml"
    monkeypatch.setenv("AREACHAIR_KEYS", str(keys))
    with working(store):
        keep(configured, ReviewerConfig(name="a", model="m", key_env="SECRET_OF_MINE"))
        keys.write_text('SECRET_OF_MINE = "https://llm.lab.example"\n')
        for _ in range(2):
            ended(store, enqueue_jobs(store, [NewJob(task=RULES, submission_id="f" * 64)]))
    logged = {each.about.partition(" on ")[0]: each for each in changes(store)}
    assert logged.keys() == {"reviewers.toml", "keys.toml"}
    assert [each.author for each in changes(store)] == [None, None]
    assert (logged["reviewers.toml"].after or "").startswith("a; no budget; sha256 ")
    assert "SECRET" not in repr(changes(store))


def test_a_budget_is_shared_by_those_asked_together(store: Store, configured: Path) -> None:
    submission = make_submission()
    store.add(submission)
    with ModelServer(always(said("ready"))) as server, working(store):
        kept(configured, *(model(name, server, max_output_tokens=1_000) for name in "ab"))
        # Room for the worst of one, and not for that of another one after it.
        work = enqueue_jobs(store, asks([submission.id], "a", "b"), most_tokens=16_000)
        found = ended(store, work)
    assert sorted("budget" in job.problem for job in found) == [False, True], found
    failures = [one.review.failure for one in load_submission(store, submission.id).reviews]
    assert sorted(failure is None for failure in failures) == [False, True]


def test_what_is_under_way_at_the_end_waits_for_the_next_start(
    store: Store, configured: Path
) -> None:
    submission = make_submission()
    store.add(submission)
    with ModelServer(always(Fault("timeout"))) as server:
        kept(configured, model("a", server))
        with working(store):
            work = enqueue_jobs(store, asks([submission.id], "a"))
            until(lambda: server.questions)
        assert only(store, work).state is JobState.WAITING
        assert not load_submission(store, submission.id).reviews
        server.script = always(said("ready"))
        with working(store):
            (job,) = ended(store, work)
    assert (job.state, job.problem, job.attempts) == (JobState.DONE, "", 2)
