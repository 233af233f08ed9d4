"""Guards that one store serves many threads at once and loses nothing."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from reviewers.records import Ruling
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, View, inbox, view_counts
from reviewers.store.submission import load_submission
from reviewers.store.trends import TrendsQuery, by_category, looked_at
from tests.reviewers.store.making import (
    DERIVED,
    NOT_READY,
    READY,
    content_of,
    make_finding,
    make_review,
    make_submission,
    row_counts,
    rules_found,
)

PAPERS = [make_submission(f"paper {number}") for number in range(4)]


def work(store: Store, worker: int) -> None:
    for paper in PAPERS:
        store.add(paper, (rules_found("r1"),))
        store.add_review(
            paper.id,
            make_review(f"openai:{worker}", READY if worker % 2 else NOT_READY, make_finding("c1")),
        )
        store.rule_on(
            paper.id,
            "r1",
            Ruling.DISMISS if worker % 2 else Ruling.CONFIRM,
            "seen",
            f"worker {worker}",
        )
        store.decide(paper.id, READY, "fine", f"worker {worker}")
        assert load_submission(store, paper.id).submission.id == paper.id
        assert inbox(store, InboxQuery(text="paper")).total >= 1
        by_category(looked_at(store, TrendsQuery()))


def test_threads_that_write_and_read_at_once_lose_nothing(store: Store, url: str) -> None:
    workers = 6
    with ThreadPoolExecutor(workers) as pool:
        for future in [pool.submit(work, store, worker) for worker in range(workers)]:
            future.result(timeout=120)
    counts = row_counts(url)
    assert counts["submissions"] == len(PAPERS)
    assert counts["reviews"] == len(PAPERS) * (workers + 1)
    assert counts["decisions"] == counts["rulings"] == len(PAPERS) * workers
    assert view_counts(store)[View.DECIDED] == len(PAPERS)
    before = content_of(url, DERIVED)
    store.recompute()
    assert content_of(url, DERIVED) == before


def test_threads_that_open_new_stores_at_once_do_not_mix_them_up(tmp_path: Path) -> None:
    def make(number: int) -> int:
        with closing(Store.open(f"sqlite:///{tmp_path / str(number)}.sqlite3")) as store:
            store.add(PAPERS[number])
            return inbox(store, InboxQuery()).total

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(make, range(4))) == [1, 1, 1, 1]


def test_a_page_and_its_total_are_of_one_moment(store: Store) -> None:
    done = False

    def read() -> None:
        while not done:
            page = inbox(store, InboxQuery(limit=1000))
            assert page.total == len(page.rows)

    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(read)
        for number in range(15):
            store.add(make_submission(f"many {number}"))
        done = True
        reader.result(timeout=60)
