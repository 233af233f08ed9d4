"""Guards what is known of who saw a submission with what others say of it, on which blind mode
relies.
"""

from datetime import timedelta

from reviewers.store import Store
from reviewers.store.deletion import delete_submissions
from reviewers.store.looks import Viewer, keep_looks, seen
from tests.reviewers.store.making import Clock, make_submission

IDS = [make_submission(name).id for name in ("first", "second", "third")]
ANN, EVE = "a" * 64, "e" * 64


def fill(store: Store) -> None:
    for name in ("first", "second", "third"):
        store.add(make_submission(name))


def seen_by(store: Store, browser: str, author: str = "") -> list[int]:
    found = seen(store, Viewer(browser, author), IDS)
    return [place for place, id in enumerate(IDS) if id in found]


def test_who_is_known_takes_what_was_seen_along_and_the_nameless_do_not(store: Store) -> None:
    fill(store)
    keep_looks(store, {Viewer("desk", ""): [IDS[0]], Viewer("hall", ""): [IDS[1]]})
    assert seen_by(store, "desk", ANN) == [0]
    assert seen_by(store, "elsewhere", ANN) == [], "nobody knows yet whose look it was"
    keep_looks(store, {Viewer("desk", ANN): []})
    assert seen_by(store, "elsewhere", ANN) == [0]
    keep_looks(store, {Viewer("elsewhere", ANN): [IDS[2], IDS[2], "f" * 64]})
    keep_looks(store, {Viewer("desk", ANN): ()})
    assert seen_by(store, "desk", EVE) == [0, 2], "under another name one has seen what one saw"
    assert seen_by(store, "hall", EVE) == [1]


def test_a_browser_is_forgotten_with_its_cookie_and_an_author_is_not(
    store: Store, clock: Clock
) -> None:
    fill(store)
    keep_looks(store, {Viewer("desk", ""): [IDS[0]], Viewer("hall", ANN): [IDS[1]]})
    clock.now += timedelta(days=366)
    keep_looks(store, {Viewer("new", ""): [IDS[2]]})
    assert (seen_by(store, "desk"), seen_by(store, "hall")) == ([], [])
    assert seen_by(store, "new", ANN) == [1, 2]


def test_a_look_goes_with_its_submission_and_the_cookie_is_not_kept(store: Store) -> None:
    fill(store)
    keep_looks(store, {Viewer("0123456789abcdef", ANN): IDS})
    delete_submissions(store, [IDS[1]], "asked for", "ann")
    assert seen_by(store, "0123456789abcdef") == [0, 2]
    with store.reading() as connection:
        kept = connection.exec_driver_sql("SELECT viewer FROM looks").scalars().all()
    assert len(kept) == 4
    assert not any("0123456789abcdef" in each for each in kept)
