"""Guards that an author is more than a name: two people of one name are two, one who is renamed
stays one, and what was signed before is nobody else's.
"""

from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from reviewers.errors import NameInUse, StoreError
from reviewers.exports.jsonl import export_lines
from reviewers.records import Ruling, Severity, Span
from reviewers.store import Store
from reviewers.store.authors import Signer
from reviewers.store.corrections import correct_name
from reviewers.store.inbox import (
    InboxQuery,
    decided_ids,
    decided_of,
    given_reasons,
    inbox,
    undecided_count,
)
from reviewers.store.lineages import lineage_of, relate
from reviewers.store.restore import Restored, import_lines
from reviewers.store.submission import load_submission
from tests.reviewers.store.conftest import Older
from tests.reviewers.store.making import (
    NOT_READY,
    READY,
    Clock,
    make_finding,
    make_review,
    make_submission,
    rules_found,
    sql,
)

PAPER, OTHER = make_submission("first"), make_submission("second")
ANN = Signer("Ann Lee", "https://id.lab", "a-1")
NAMESAKE = Signer("Ann Lee", "https://id.lab", "b-2")
LEAK = {"severity": Severity.BLOCKER, "category": "data-leakage", "message": "it leaks"}


@pytest.fixture
def filled(store: Store) -> Store:
    for each in (PAPER, OTHER):
        store.add(each, (make_review("recorded", READY, make_finding("f1")), rules_found("r1")))
    return store


def signed_by(store: Store, signer: str | Signer) -> None:
    """One record of every kind, all by one person."""
    store.decide(PAPER.id, NOT_READY, "r1 stops it", signer)
    store.rule_on(PAPER.id, "f1", Ruling.CONFIRM, "", signer)
    store.remark(PAPER.id, "f1", author=signer, comment="see above")
    store.add_finding(PAPER.id, span=Span("src/train.py", 1), author=signer, **LEAK)
    relate(store, PAPER.id, OTHER.id, False, "another idea", signer)


def shown(store: Store) -> set[str]:
    """The authors of all that was said of the first submission, as people read them."""
    record = load_submission(store, PAPER.id)
    said = (*record.decisions, *record.rulings, *record.remarks, *record.own)
    return {str(each.author) for each in (*said, *lineage_of(store, PAPER.id).relations)}


def test_two_people_of_one_name_are_two(filled: Store) -> None:
    filled.decide(PAPER.id, READY, "it ran", ANN)
    filled.decide(OTHER.id, READY, "I think so", NAMESAKE)
    assert [row.decided_by and row.decided_by.name for row in inbox(filled, InboxQuery()).rows] == [
        "Ann Lee"
    ] * 2
    for signer, own, reason in ((ANN, PAPER, "it ran"), (NAMESAKE, OTHER, "I think so")):
        assert decided_ids(filled, signer.id, [PAPER.id, OTHER.id]) == {own.id}
        assert decided_of(filled, [PAPER.id, OTHER.id], by=signer.id) == {own.id}
        assert undecided_count(filled, signer.id) == 1
        assert given_reasons(filled, signer.id)[READY] == (reason,)
        assert inbox(filled, InboxQuery(undecided_by=signer.id)).total == 1
    for signer in (ANN, NAMESAKE):
        filled.add_finding(PAPER.id, span=Span("src/train.py", 1), author=signer, **LEAK)
    assert len(load_submission(filled, PAPER.id).own) == 2


def test_a_person_whom_the_provider_renames_stays_one(filled: Store, clock: Clock) -> None:
    filled.decide(PAPER.id, READY, "it ran", ANN)
    clock.now += timedelta(days=2)
    renamed = Signer("Ann Roe", ANN.issuer, ANN.subject)
    filled.decide(OTHER.id, READY, "it ran too", renamed)
    assert decided_ids(filled, renamed.id, [PAPER.id, OTHER.id]) == {PAPER.id, OTHER.id}
    (decision,) = load_submission(filled, PAPER.id).decisions
    assert (decision.author.name, decision.author.signed) == ("Ann Roe", "Ann Lee")


def test_a_name_given_by_mistake_is_corrected_by_a_record_of_its_own(
    filled: Store, url: str, clock: Clock
) -> None:
    signed_by(filled, "overruled: no blocker")
    third = make_submission("third")
    filled.add(third)
    filled.add_finding(
        third.id, span=Span("src/train.py", 1), author="overruled: no blocker", **LEAK
    )
    before = sql(url, "SELECT * FROM decisions")
    clock.now += timedelta(days=3)
    correct_name(filled, "overruled: no blocker", "Ann")
    day = f"{clock.now:%Y-%m-%d}"
    assert shown(filled) == {f"Ann (signed as “overruled: no blocker” until {day})"}
    assert sql(url, "SELECT * FROM decisions") == before, "nothing is overwritten"
    assert "Ann found a blocker" in {row.attention for row in inbox(filled, InboxQuery()).rows}
    filled.decide(OTHER.id, READY, "it ran", "Ann")
    assert decided_ids(filled, "Ann", [PAPER.id, OTHER.id]) == {PAPER.id, OTHER.id}
    filled.decide(OTHER.id, NOT_READY, "no", "overruled: no blocker")
    decision = load_submission(filled, OTHER.id).decision
    assert decision is not None
    assert str(decision.author) == "overruled: no blocker", "who gives it again is somebody else"


def test_two_people_are_joined_only_where_that_is_said(filled: Store) -> None:
    signed_by(filled, "Ann")
    filled.decide(OTHER.id, READY, "it ran", "Bob")
    with pytest.raises(NameInUse, match="5 records are signed Ann") as caught:
        correct_name(filled, "Bob", "Ann")
    assert caught.value.records == 5
    assert shown(filled) == {"Ann"}
    assert decided_ids(filled, "Bob", [OTHER.id]) == {OTHER.id}, "nothing was corrected"
    correct_name(filled, "Bob", "Ann", join=True)
    assert decided_ids(filled, "Ann", [PAPER.id, OTHER.id]) == {PAPER.id, OTHER.id}
    decision = load_submission(filled, OTHER.id).decision
    assert decision is not None
    assert str(decision.author).startswith("Ann (signed as “Bob” until ")
    filled.decide(PAPER.id, READY, "it ran", ANN)
    correct_name(filled, "Ann", ANN.name)
    assert decided_ids(filled, ANN.id, [OTHER.id]) == frozenset(), "a provider's person is no other"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        pytest.param("nobody", "Ann", "no record is signed", id="unknown"),
        pytest.param("Ann Lee", "Eve", "no record is signed", id="a provider's"),
        pytest.param("Bob", "x" * 41, "at most 40 characters, this one has 41", id="long"),
        pytest.param("Bob", "B\u200bob", "invisible", id="invisible"),
        pytest.param("Bob", " ", "at least one letter", id="empty"),
    ],
)
def test_a_correction_that_cannot_be_is_refused(
    filled: Store, old: str, new: str, says: str
) -> None:
    filled.decide(PAPER.id, READY, "it ran", ANN)
    filled.decide(PAPER.id, READY, "it ran", "Bob")
    with pytest.raises(StoreError, match=says):
        correct_name(filled, old, new)


def test_an_export_brings_authors_and_corrections_back(filled: Store, tmp_path: Path) -> None:
    signed_by(filled, ANN)
    filled.decide(PAPER.id, READY, "it ran", NAMESAKE)
    filled.decide(PAPER.id, READY, "it ran", "rot")
    correct_name(filled, "rot", "root")
    lines = list(export_lines(filled))
    with closing(Store.open(f"sqlite:///{tmp_path / 'back'}")) as back:
        back.add(PAPER)
        back.decide(PAPER.id, READY, "mine", "rot")
        import_lines(back, lines)
        assert import_lines(back, lines) == Restored()
        assert shown(back) == shown(filled) | {"rot"}, "a correction is of its own store's author"
        assert {each.author.id for each in load_submission(back, PAPER.id).decisions} == {
            ANN.id,
            NAMESAKE.id,
            "root",
            "rot",
        }
    with closing(Store.open(f"sqlite:///{tmp_path / 'new'}")) as new:
        import_lines(new, lines)
        assert list(export_lines(new)) == lines


def said_by_ann(store: Store) -> None:
    for each in (PAPER, OTHER):
        store.add(each, (make_review("recorded", READY, make_finding("f1")),))
    signed_by(store, "Ann")


def test_records_of_an_older_store_stay_apart_from_who_has_their_name_now(
    older: Older, tmp_path: Path
) -> None:
    old = older("0008", said_by_ann)
    sql(old, "UPDATE standings SET decided_by = 'Ann' WHERE decided_by <> ''")
    with closing(Store.open(old)) as store:
        assert shown(store) == {"Ann"}
        record = load_submission(store, PAPER.id)
        (decision,) = record.decisions
        assert decision.author.is_earlier
        assert decided_ids(store, "Ann", [PAPER.id]) == frozenset()
        row = next(row for row in inbox(store, InboxQuery()).rows if row.id == PAPER.id)
        assert row.decided_by is not None
        assert (row.decided_by.name, row.decided_by.id) == ("Ann", decision.author.id)
        store.decide(OTHER.id, READY, "it ran", "Ann")
        assert decided_ids(store, "Ann", [PAPER.id, OTHER.id]) == {OTHER.id}
        lines = list(export_lines(store))
        correct_name(store, "Ann", "Anna", earlier=True)
        assert all(name.startswith("Anna (signed as “Ann”") for name in shown(store))
        ids = {load_submission(store, each.id).decisions[0].author.id for each in (PAPER, OTHER)}
        assert ids == {decision.author.id, "Anna"}, "one name, and still two"
    with closing(Store.open(f"sqlite:///{tmp_path / 'back'}")) as back:
        import_lines(back, lines)
        assert list(export_lines(back)) == lines
