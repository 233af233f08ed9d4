"""Guards `areachair review --batch`: handed over once, collected by whichever process comes later,
never paid for twice.
"""

import time
from contextlib import closing
from pathlib import Path

import pytest

from reviewers.records import Verdict
from reviewers.store import Store
from reviewers.store.submission import load_submission
from tests.asking import Desk, rows, write_bundles
from tests.model_server import ModelServer

PRICES = {"input": 2.0, "output": 8.0}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    write_bundles(tmp_path / "bundles", 3)
    return Desk(tmp_path)


def ask(desk: Desk, *more: object) -> tuple[object, ...]:
    return (
        "review",
        desk.folder / "bundles",
        "--reviewers",
        "local",
        "--format",
        "json",
        "--batch",
        "--poll-seconds",
        0.05,
        *more,
    )


def made(server: ModelServer) -> int:
    """How many batches the provider was given."""
    return sum((asked.method, asked.path) == ("POST", "/v1/batches") for asked in server.received)


def test_a_batch_is_handed_over_polled_and_collected(desk: Desk) -> None:
    with ModelServer(says="not_ready", batch_seconds=0.3) as server:
        desk.configure({"name": "local", "base_url": server.url, "prices": PRICES})
        done = desk.run(*ask(desk))
        again = desk.run(*ask(desk))
    assert done.returncode == 1, done.stderr
    reviews = [row["reviews"][0] for row in rows(done)]
    assert [review["verdict"] for review in reviews] == ["not_ready"] * 3
    assert all(review["findings"] for review in reviews)
    assert "batch" in done.stderr
    with closing(Store.open(desk.store_url)) as store:
        review = load_submission(store, rows(done)[0]["submission"]["id"]).reviews[0].review
    assert review.input_tokens is not None
    assert review.output_tokens is not None
    assert review.cost_usd == pytest.approx(
        (review.input_tokens * 2.0 + review.output_tokens * 8.0) / 2_000_000
    ), "half the price"
    assert made(server) == 1, "what is kept is not asked again"
    assert [row["reviews"][0]["verdict"] for row in rows(again)] == ["not_ready"] * 3


def test_a_later_process_collects_what_a_killed_one_handed_over(desk: Desk) -> None:
    with ModelServer(says="ready", batch_seconds=2.0) as server:
        desk.configure({"name": "local", "base_url": server.url})
        with desk.start(*ask(desk)) as process:
            while not any(asked.path.startswith("/v1/batches/") for asked in server.received):
                assert process.poll() is None
                time.sleep(0.01)
            process.kill()
        done = desk.run(*ask(desk))
    assert done.returncode == 0, done.stderr
    assert made(server) == 1


def test_a_batch_whose_name_was_never_heard_is_found_by_its_label(desk: Desk) -> None:
    with ModelServer(says="ready", batch_seconds=0.5, latency=0.5) as server:
        desk.configure({"name": "local", "base_url": server.url})
        with desk.start(*ask(desk)) as process:
            # The provider has it as soon as it was asked to make it; its answer is on its way for
            # half a second more.
            while made(server) == 0:
                assert process.poll() is None
                time.sleep(0.002)
            time.sleep(0.1)
            process.kill()
        server.latency = 0.0
        done = desk.run(*ask(desk))
    assert done.returncode == 0, done.stderr
    assert made(server) == 1


def test_what_a_batch_left_unanswered_has_failed_and_is_asked_anew(desk: Desk) -> None:
    with ModelServer(says="ready", batch_ends="expired") as server:
        desk.configure({"name": "local", "base_url": server.url})
        failed = desk.run(*ask(desk))
        server.batches.ends = "completed"
        done = desk.run(*ask(desk))
    reviews = [row["reviews"][0] for row in rows(failed)]
    assert failed.returncode == 2
    assert all(
        "without an answer" in review["failure"] for review in reviews if review["verdict"] is None
    )
    assert any(review["verdict"] is None for review in reviews)
    assert [row["reviews"][0]["verdict"] for row in rows(done)] == [Verdict.READY] * 3
    assert made(server) == 2


def test_a_budget_that_could_be_exceeded_hands_nothing_over(desk: Desk) -> None:
    with ModelServer() as server:
        desk.configure({"name": "local", "base_url": server.url, "prices": PRICES})
        done = desk.run(*ask(desk, "--budget-usd", 0.01))
    assert done.returncode == 2
    assert all("budget" in row["reviews"][0]["failure"] for row in rows(done))
    assert made(server) == 0


def test_what_a_budget_has_room_for_is_handed_over(desk: Desk) -> None:
    with ModelServer(says="ready") as server:
        desk.configure(
            {"name": "local", "base_url": server.url, "prices": PRICES, "max_output_tokens": 1000}
        )
        done = desk.run(*ask(desk, "--budget-usd", 0.03))
    verdicts = [row["reviews"][0]["verdict"] for row in rows(done)]
    assert done.returncode == 2
    assert 0 < verdicts.count("ready") < 3
    assert made(server) == 1


def test_one_reviewer_that_cannot_be_asked_takes_no_other_along(desk: Desk) -> None:
    with ModelServer(says="ready") as server:
        desk.configure(
            {"name": "local", "base_url": server.url},
            {"name": "locked", "base_url": server.url, "key_env": "LOCKED_API_KEY"},
        )
        words = [*ask(desk)]
        words[words.index("local")] = "rules,locked,local"
        done = desk.run(*words)
    assert done.returncode == 2
    for row in rows(done):
        by_name = {review["reviewer"]: review for review in row["reviews"]}
        assert by_name["rules"]["verdict"] is not None
        assert by_name["local"]["verdict"] == "ready"
        assert "LOCKED_API_KEY" in by_name["locked"]["failure"]


def test_a_batch_that_the_provider_lost_is_asked_anew(desk: Desk) -> None:
    with ModelServer(says="ready", batch_seconds=60) as server:
        desk.configure({"name": "local", "base_url": server.url})
        with desk.start(*ask(desk)) as process:
            while not any(asked.path.startswith("/v1/batches/") for asked in server.received):
                assert process.poll() is None
                time.sleep(0.01)
            process.kill()
        server.batches.made.clear()
        server.batches.seconds = 0.1
        done = desk.run(*ask(desk))
    assert done.returncode == 0, done.stderr
    assert "no longer has" in done.stderr


def test_a_renamed_reviewer_collects_what_was_asked_under_its_old_name(desk: Desk) -> None:
    with ModelServer(says="ready", batch_seconds=1.5) as server:
        desk.configure({"name": "old", "model": "m", "base_url": server.url})
        words = [*ask(desk)]
        words[words.index("local")] = "old"
        with desk.start(*words) as process:
            while not any(asked.path.startswith("/v1/batches/") for asked in server.received):
                assert process.poll() is None
                time.sleep(0.01)
            process.kill()
        desk.configure({"name": "local", "model": "m", "base_url": f"{server.url}"})
        done = desk.run(*ask(desk))
    assert done.returncode == 0, done.stderr
    assert made(server) == 1


def test_a_server_without_batches_is_told_for_each_submission(desk: Desk) -> None:
    with ModelServer() as server:
        desk.configure({"name": "local", "base_url": f"{server.url}/elsewhere"})
        done = desk.run(*ask(desk))
    assert done.returncode == 2
    assert [row["reviews"][0]["verdict"] for row in rows(done)] == [None] * 3
    assert "Traceback" not in done.stderr
