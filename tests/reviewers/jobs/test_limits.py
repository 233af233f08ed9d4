"""Guards that what a server allows is the lab's: all workers of a store keep to it together."""

import threading
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path

from sqlalchemy import update

from reviewers.backends.configured import keep
from reviewers.jobs.handing_in import Ask
from reviewers.store import Store
from reviewers.store.jobs import JobState, enqueue_jobs, jobs_of, live_jobs, server_time
from reviewers.store.rate_limits import close_lane, settle_turn, take_turn
from reviewers.store.tables import rate_limits, requests_sent
from tests.builders import make_submission
from tests.dashboard.models import model, said, until
from tests.model_server import Fault, ModelServer, Received
from tests.model_server.exchange import Answer
from tests.reviewers.jobs.working import working

LANE, OTHER = "a" * 64, "b" * 64
FEW, ALL = 10, 20  # more than one worker takes


def later(store: Store, seconds: float) -> None:
    """Bring all that was sent or closed so much further into the past."""
    with store.writing() as connection:
        now = server_time(connection, store)
        for column in (requests_sent.c.at, rate_limits.c.closed):
            past = update(column.table).where(column.is_not(None))
            connection.execute(past.values({column: now - timedelta(seconds=seconds)}))


def test_a_minutes_requests_and_tokens_are_counted_together(store: Store) -> None:
    numbers = []
    for _ in range(2):
        wait, number = take_turn(store, LANE, 400, 2, 1_000)
        assert wait == 0
        numbers.append(number)
    wait, _ = take_turn(store, LANE, 1, 2, 1_000)
    assert 0 < wait <= 60, "two requests were sent"
    wait, _ = take_turn(store, LANE, 201, 3, 1_000)
    assert 0 < wait <= 60, "it is a token too much"
    assert take_turn(store, OTHER, 400, 2, 1_000)[0] == 0, "another model or key"
    settle_turn(store, numbers[0], 100)
    assert take_turn(store, LANE, 500, 3, 1_000)[0] == 0, "the answer was shorter than feared"
    later(store, 61)
    assert take_turn(store, LANE, 9_000, 3, 1_000)[0] == 0, "by itself"
    assert take_turn(store, LANE, 9_000, 3, 1_000)[0] > 0
    later(store, -3_600)
    assert take_turn(store, LANE, 1, 3, 1_000)[0] == 0, "the clock was set back by an hour"


def test_a_server_that_asks_to_wait_is_left_alone_by_all(store: Store) -> None:
    assert take_turn(store, LANE, 1, None, None) == (0.0, 0)
    close_lane(store, LANE, 30)
    close_lane(store, LANE, 5)
    for most in (None, 9):
        wait, _ = take_turn(store, LANE, 1, most, None)
        assert 5 < wait <= 30, "the longer time counts"
    assert take_turn(store, OTHER, 1, None, None)[0] == 0
    later(store, 1)
    assert take_turn(store, LANE, 1, None, None)[0] == 0
    later(store, -3_600)
    assert take_turn(store, LANE, 1, None, None)[0] == 0, "the clock was set back by an hour"


def handed_in(store: Store, config: object) -> int:
    made = [make_submission({"src/main.py": f"# {n}\n"}, name=f"s{n}") for n in range(ALL)]
    store.add_many([(each, ()) for each in made])
    return enqueue_jobs(store, [Ask(each.id, config).job(made_up=False) for each in made])  # type: ignore[arg-type]


def test_two_groups_of_workers_send_no_more_than_one_may(store: Store, configured: Path) -> None:
    with ModelServer(lambda asked: said("ready")) as server:
        config = model("a", server, requests_per_minute=FEW)
        keep(configured, config)
        work = handed_in(store, config)
        with working(store), working(store):
            until(lambda: sum(not job.state.live for job in jobs_of(store, work)) >= FEW)
            until(lambda: len({job.worker for job in jobs_of(store, work) if job.worker}) == 2)
            # All that both still have waits for the minute to pass.
            assert len(server.questions) == FEW
            later(store, 61)
            until(lambda: not live_jobs(store))
    found = jobs_of(store, work)
    assert {(job.state, job.problem) for job in found} == {(JobState.DONE, "")}
    assert {*Counter(each.digest for each in server.questions).values()} == {1}
    assert len(server.questions) == ALL


def test_what_one_group_is_told_to_wait_for_the_other_waits_for_as_well(
    store: Store, configured: Path
) -> None:
    lock, came = threading.Lock(), []

    def script(asked: Received) -> Answer:
        with lock:
            came.append(time.monotonic())
            return Fault("429", after=0.4) if len(came) == 1 else said("ready")

    with ModelServer(script) as server:
        config = model("a", server, concurrency=1, retries=2)
        keep(configured, config)
        work = handed_in(store, config)
        with working(store), working(store):
            until(lambda: not live_jobs(store))
    assert {(job.state, job.problem) for job in jobs_of(store, work)} == {(JobState.DONE, "")}
    assert len(server.questions) == ALL + 1
    assert len({job.worker for job in jobs_of(store, work)}) == 2
    first, *rest = came
    # What the other one had under way by then could not know.
    assert sum(at < first + 0.4 for at in rest) <= 1
