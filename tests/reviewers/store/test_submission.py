"""Guards how one submission is found by its id, and that its record holds everything that was said
of it.
"""

from dataclasses import replace

import pytest

from reviewers.batch.effective_reviews import effective_reviews
from reviewers.errors import UnknownSubmission
from reviewers.matching.rows import MergedFinding
from reviewers.records import Ruling, Span
from reviewers.store import Store
from reviewers.store.submission import load_submission
from tests.cases import cases
from tests.reviewers.store.making import (
    NOT_READY,
    Clock,
    make_experiment,
    make_finding,
    make_review,
    make_submission,
    rules_found,
)

PAPER = make_submission()


def test_a_submission_is_found_by_its_id_and_by_the_beginning_of_it(store: Store) -> None:
    store.add(PAPER)
    store.add(make_experiment("another", "other"))
    for beginning in (PAPER.id, PAPER.id[:8], PAPER.id[:20].upper(), f" {PAPER.id[:12]}\n"):
        assert load_submission(store, beginning).submission == PAPER


@cases(
    "beginning",
    {
        "empty": "",
        "too short": PAPER.id[:7],
        "unknown": "0" * 64,
        "too long": "0" * 65,
        "no hex": "zzzzzzzz",
        "percent": "%%%%%%%%",
        "underscore": "________",
        "NUL": "\x00" * 8,
        "surrogates": "\ud800" * 8,
        "huge": "x" * 1_000_000,
    },
)
def test_what_is_no_beginning_of_an_id_is_refused_in_one_line(store: Store, beginning: str) -> None:
    store.add(PAPER)
    with pytest.raises(UnknownSubmission) as caught:
        load_submission(store, beginning)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 1000


def test_a_beginning_that_several_have_is_refused(store: Store) -> None:
    twins = [make_submission("64632"), make_submission("73999")]
    assert len({twin.id[:8] for twin in twins}) == 1, (
        "two names found by trying, whose ids begin alike"
    )
    for twin in twins:
        store.add(twin)
    with pytest.raises(UnknownSubmission, match="several submission ids begin with"):
        load_submission(store, twins[0].id[:8])
    for twin in twins:
        assert load_submission(store, twin.id[:16]).submission.id == twin.id


def test_a_record_says_who_imported_decided_and_ruled_when(store: Store, clock: Clock) -> None:
    store.add(PAPER, (make_review("recorded", NOT_READY, make_finding("c1")), rules_found("r1")))
    imported = clock.now
    store.rule_on(PAPER.id, "c1", Ruling.CONFIRM, "", "Ann")
    ruled = clock.now
    store.decide(PAPER.id, NOT_READY, "c1", "Bob")
    record = load_submission(store, PAPER.id)
    assert record.imported_at == imported
    assert {stored.at for stored in record.reviews} == {imported}
    assert [(ruling.finding_id, ruling.author.name, ruling.at) for ruling in record.rulings] == [
        ("c1", "Ann", ruled)
    ]
    assert [(decision.author.name, decision.at) for decision in record.decisions] == [
        ("Bob", clock.now)
    ]


def test_missed_are_the_rules_blockers_that_no_claim_covers(store: Store) -> None:
    claim = make_finding("c1")
    other = make_finding("r2", rule="XX02", category="packaging-invalid", span=None)
    store.add(
        PAPER,
        (
            make_review("recorded", NOT_READY, claim),
            make_review("rules", NOT_READY, *rules_found("r1").findings, other),
        ),
    )
    assert load_submission(store, PAPER.id).missed == {"r2"}
    store.rule_on(PAPER.id, "c1", Ruling.DISMISS, "it says something else", "Ann")
    assert load_submission(store, PAPER.id).missed == {"r1", "r2"}
    store.rule_on(PAPER.id, "r2", Ruling.DISMISS, "it is there", "Ann")
    assert load_submission(store, PAPER.id).missed == {"r1"}


def test_what_is_kept_of_a_large_submission_is_what_comparing_its_findings_gives(
    store: Store,
) -> None:
    submission = make_submission()
    places = [Span("src/train.py", 7 * number + 1) for number in range(110)]
    rules = [make_finding(f"r{at.line}", rule="EV01", span=at, names=("lr",)) for at in places]
    claims = [make_finding(f"c{at.line}", span=at, message="the `lr` is fixed") for at in places]
    store.add(
        submission,
        (
            make_review("rules", NOT_READY, *rules),
            make_review("recorded", NOT_READY, *claims[:90], text="its words"),
        ),
    )
    few = make_submission("few")
    store.add(few, (make_review("rules", NOT_READY, *rules[:9]),))
    assert load_submission(store, few.id).grouped is None

    def rows() -> tuple[MergedFinding, ...]:
        record = load_submission(store, submission.id)
        assert record.grouped is not None
        compared, kept = effective_reviews(replace(record, grouped=None)), effective_reviews(record)
        assert (kept.judged.rows, kept.missed) == (compared.judged.rows, compared.missed)
        assert len(kept.missed["recorded"]) == 20
        # It is looked at, and passed over where it is of other findings.
        none = replace(record.grouped, rows=())
        assert effective_reviews(replace(record, grouped=none)).judged.rows == ()
        other = replace(none, stamp="another")
        assert effective_reviews(replace(record, grouped=other)).judged.rows == kept.judged.rows
        return kept.judged.rows

    before = rows()
    store.rule_on(submission.id, "c1", Ruling.DISMISS, "it is not", "ada")
    assert rows() != before
