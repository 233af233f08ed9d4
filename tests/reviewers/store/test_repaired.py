"""Guards what areachair itself repaired: it stands beside its original, and counts nowhere."""

from dataclasses import replace

from reviewers.records import SourceFile
from reviewers.repairs.attempt import as_attempt
from reviewers.store import Store
from reviewers.store.carry_over import attempt_before
from reviewers.store.full_record import kept, kept_ids
from reviewers.store.inbox import InboxQuery, inbox, progress, undecided_count, view_counts
from reviewers.store.lineages import lineage_of
from reviewers.store.stats_summary import headline
from reviewers.store.submission import load_submission
from reviewers.store.survivals import survivals
from reviewers.store.trends import TrendsQuery, looked_at
from tests.reviewers.store.making import READY, make_submission, rules_found

FIRST, SECOND = (
    replace(
        make_submission(name=f"line_{number:02d}"),
        lineage="line",
        attempt=number,
        files=(SourceFile("src/train.py", b"a = 1\nb = 2\nc = 3\n" + b"d = 4\n" * number),),
    )
    for number in (1, 2)
)
OURS = as_attempt(
    FIRST, replace(FIRST, files=(SourceFile("src/train.py", b"a = 1\nb = 2\nc = 4\nd = 4\n"),))
)


def test_what_we_repaired_is_beside_its_original_and_counts_nowhere(store: Store) -> None:
    for each in (FIRST, SECOND, OURS):
        store.add(each, (rules_found("r1"),))
    places = [(each.number, each.repaired, each.id) for each in lineage_of(store, OURS.id).attempts]
    assert places == [(1, False, FIRST.id), (1, True, OURS.id), (2, False, SECOND.id)]
    assert [each.recognised for each in kept(store, [OURS.id])] == [("line", 1)]
    # As if it were not there.
    given = {FIRST.id, SECOND.id}
    assert {*kept_ids(store)} == given | {OURS.id}
    assert {row.id for row in inbox(store, InboxQuery()).rows} == given
    (row,) = inbox(store, InboxQuery(by_lineage=True)).rows
    assert (row.id, row.matching) == (SECOND.id, 2)
    assert {*view_counts(store).values()} == {0, 2}
    assert (progress(store), undecided_count(store, "ana")) == ((0, 2), 2)
    assert inbox(store, InboxQuery(text="repaired")).total == 0
    assert headline(store).submissions == 2
    assert looked_at(store, TrendsQuery()).of.sum() == 2
    assert [(each.defects, each.mean) for each in survivals(store)] == [(1, 2)]
    before = attempt_before(store, load_submission(store, SECOND.id))
    assert before is not None
    assert before.submission.id == FIRST.id
    of_ours = attempt_before(store, load_submission(store, OURS.id))
    assert of_ours is not None
    assert of_ours.submission.id == FIRST.id


def test_a_decision_on_what_we_repaired_is_kept_and_counts_for_nothing(store: Store) -> None:
    for each in (FIRST, OURS):
        store.add(each, (rules_found("r1"),))
    store.decide(OURS.id, READY, "runs", "ana")
    assert progress(store) == (0, 1)
    (_, ours) = lineage_of(store, FIRST.id).attempts
    assert (ours.repaired, ours.decision) == (True, READY)


def test_what_we_repaired_alone_is_found_by_its_id(store: Store) -> None:
    store.add(OURS, (rules_found("r1"),))
    (ours,) = lineage_of(store, OURS.id).attempts
    assert (ours.number, ours.repaired) == (1, True)
    assert inbox(store, InboxQuery(by_lineage=True)).rows == ()
