"""A store with real logs in it, reviewed, with people's words on some; made once a session.

A sample of the sample, since each worker makes a store of its own.
"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from shutil import copyfile

import pytest

from reviewers.bundles import open_bundle
from reviewers.panel.review import review_all
from reviewers.records import Ruling, Verdict
from reviewers.store import Store
from reviewers.store.full_record import kept
from tests.reviewers.store.conftest import postgresql_server, postgresql_url
from tests.reviewers.store.making import Clock
from tests.shared_data import EVERYTHING, SAMPLE

__all__ = ["postgresql_server", "postgresql_url"]


@pytest.fixture(scope="session")
def logs_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"sqlite:///{tmp_path_factory.mktemp('logs') / 'store.sqlite3'}"
    with closing(Store.open(url, clock=Clock())) as store:
        for log in SAMPLE[:: 1 if EVERYTHING else 6]:
            submission = open_bundle(log)
            store.add(submission, review_all(submission))
        for place, each in enumerate(list(kept(store))[::3]):
            _decide(store, each.submission.id, place)
            for finding in [finding for said in each.reviews for finding in said.review.findings][
                :2
            ]:
                store.rule_on(
                    each.submission.id, finding.id, Ruling.DISMISS, "=the code is right", "Ann"
                )
                if place % 2:
                    store.rule_on(each.submission.id, finding.id, Ruling.WITHDRAWN, "", "Bob")
    return url


def _decide(store: Store, id: str, place: int) -> None:
    store.decide(
        id,
        Verdict.READY if place % 2 else Verdict.NOT_READY,
        "NUL \0, half \ud83d\ude00, turned \u202e",
        "Ann",
    )
    if place % 3 == 0:
        store.decide(id, None, "", "Bob")


@pytest.fixture
def logs_store(logs_url: str) -> Iterator[Store]:
    with closing(Store.open(logs_url)) as store:
        yield store


@pytest.fixture
def empty(tmp_path: Path, empty_store: Path) -> Iterator[Store]:
    copyfile(empty_store, tmp_path / "empty.sqlite3")
    with closing(Store.open(f"sqlite:///{tmp_path / 'empty.sqlite3'}", clock=Clock())) as store:
        yield store
