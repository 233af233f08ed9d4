"""Guards a first visit: an empty store gets the samples, an interrupted start is made up for, and
nobody else's store is touched; they are set aside with one click, and come back.
"""

import time

import pytest

from reviewers.batch.samples import keep_samples, lacking, samples
from reviewers.store import Store
from reviewers.store.aside import AsideCounts, counts
from reviewers.store.inbox import progress
from reviewers.store.restore import import_lines
from tests.builders import make_submission
from tests.dashboard.desk import RULES
from tests.dashboard.screens import components, drawn, open_page, send
from tests.dashboard.serving import Server
from tests.shared_data import EVERYTHING

PATIENCE = 240  # seconds, for a machine busy with other things


def waited(store: Store, **least: int) -> AsideCounts:
    """What a store has of the samples, once there are so many."""
    late = time.monotonic() + PATIENCE
    while time.monotonic() < late:
        now = counts(store, samples())
        if all(getattr(now, name) >= number for name, number in least.items()):
            return now
        time.sleep(0.1)
    raise AssertionError(f"never came: {least}, but {now}")


@pytest.mark.long
def test_an_empty_store_gets_the_samples_and_a_later_start_makes_up_for_an_interrupted_one(
    store: Store, url: str
) -> None:
    with Server(url) as server:
        waited(store, kept=24)
        server.stop()
    first = counts(store, samples())
    assert lacking(store) == (first.reviewed < 24)
    # All of them take half a minute, and go the same way as the first.
    more = 24 if EVERYTHING else min(first.reviewed + 2, 24)
    with Server(url):
        now = waited(store, reviewed=more)
    assert now == AsideCounts(24, 0, now.reviewed)
    assert lacking(store) == (now.reviewed < 24)
    # By people, of whom one decided on 18.
    assert progress(store) == (18, 24)


def test_a_store_of_somebodys_own_gets_none(store: Store) -> None:
    store.add(make_submission(name="own"), (RULES,))
    keep_samples(store)
    assert progress(store) == (0, 1)


def test_samples_are_set_aside_with_one_click_and_come_back(store: Store) -> None:
    for lines in samples().values():
        import_lines(store, lines)
    store.add(make_submission(name="own"), (RULES,))
    at = open_page()
    assert drawn(at, "samples_note")["kept"] == 24
    send(at, "samples_note", {"kind": "aside"})
    assert progress(store) == (0, 1)
    assert "samples_note" not in components(at)
    assert [row["name"] for row in drawn(at, "inbox_table")["rows"]] == ["own"]
    # A start does not bring back what somebody set aside.
    keep_samples(store)
    settings = open_page("settings", section="Data")
    (again,) = (each for each in settings.button if each.label == "Show the samples again")
    again.click().run()
    assert progress(store) == (18, 25)
