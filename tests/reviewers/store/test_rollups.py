"""Guards the counts that are kept along: after anything that is written they are what comes out
when everything is counted anew.
"""

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random

import pytest
from sqlalchemy import select

from reviewers.errors import StoreError
from reviewers.outcomes import Stage, outcome_of_run
from reviewers.records import Check, Review, Ruling, Severity, Submission
from reviewers.store import Store
from reviewers.store.agreement import Against, GroundTruth, ruled, stamp, track_records
from reviewers.store.aside import set_aside
from reviewers.store.assignments import assign
from reviewers.store.deletion import delete_submissions
from reviewers.store.full_record import kept_ids
from reviewers.store.health import examine
from reviewers.store.inbox import InboxQuery, View, inbox, progress, view_counts
from reviewers.store.inbox_choices import choices
from reviewers.store.outcomes import add_outcome
from reviewers.store.reliability import past
from reviewers.store.rollups import wrong_sums
from reviewers.store.spending import spending
from reviewers.store.tables import rollup_parts, rollups
from tests.reviewers.store.making import (
    NOT_READY,
    READY,
    content_of,
    make_finding,
    make_review,
    make_submission,
    rules_found,
    sql,
)

NAMES = [f"paper {number}" for number in range(6)]


PAPERS = {paper.id: paper for paper in map(make_submission, NAMES)}


def some_submission(dice: Random) -> Submission:
    return replace(dice.choice([*PAPERS.values()]), generator=dice.choice(["airas", None]))


def some_review(dice: Random) -> Review:
    if dice.random() < 0.3:
        return rules_found(*dice.sample(["r1", "r2", "r3"], dice.randrange(4)))
    found = [
        make_finding(f"f{number}", dice.choice([*Check]), severity=dice.choice([*Severity]))
        for number in dice.sample(range(4), dice.randrange(4))
    ]
    reviewer = dice.choice(["recorded", "openai:x", "qwen"])
    return make_review(
        reviewer,
        dice.choice([READY, NOT_READY, None]),
        *found,
        model=dice.choice(["o3", "o4", None]),
        seconds=dice.choice([None, 1.5, 12.0, 700.25]),
        cost_usd=dice.choice([None, 0.0, 0.1, 0.013]),
    )


def take_step(store: Store, dice: Random) -> None:
    """Do one thing of all that may be written."""
    ids = kept_ids(store)
    deed = dice.randrange(10) if ids else 0
    try:
        match deed:
            case 0 | 1 | 2:
                reviews = tuple(some_review(dice) for _ in range(dice.randrange(3)))
                store.add(some_submission(dice), reviews)
            case 3:
                store.add_review(dice.choice(ids), some_review(dice))
            case 4:
                verdict = dice.choice([READY, NOT_READY, None])
                blind = dice.choice([True, False, None])
                store.decide(dice.choice(ids), verdict, "why", "Ann", blind=blind)
            case 5:
                some = dice.sample(ids, dice.randint(1, len(ids)))
                store.decide_many(some, dice.choice([READY, None]), "why", "Bob", blind=some[:1])
            case 6:
                finding = dice.choice(["f0", "f1", "f2", "r1"])
                ruling = dice.choice([*Ruling])
                store.rule_on(dice.choice(ids), finding, ruling, "why", "Ann")
            case 7:
                set_aside(store, [dice.choice(ids)], dice.random() < 0.5)
            case 8:
                paper, code = PAPERS[dice.choice(ids)], dice.choice([0, 1])
                output = "NameError: name 'x' is not defined" if code else "done"
                came = outcome_of_run(paper, output, code, Stage.TRIAL, store.now())[0]
                if came is not None:
                    add_outcome(store, came)
            case 9 if dice.random() < 0.4:
                delete_submissions(store, [dice.choice(ids)], "asked", "Ann")
    except StoreError:
        pass  # nothing to withdraw, or no such finding: that, too, must change no count


def all_sums(url: str) -> Sequence[tuple[object, ...]]:
    return sorted(sql(url, "SELECT * FROM rollups WHERE what <> 'changes'"), key=repr)


@pytest.mark.parametrize("seed", [3, 14])
def test_counts_are_those_of_a_recount_after_any_writes(store: Store, url: str, seed: int) -> None:
    dice = Random(seed)
    for _ in range(2):
        for _ in range(25):
            take_step(store, dice)
        with store.reading() as connection:
            assert wrong_sums(connection) == 0
        agrees_with_the_rows(store)
        before, sums = content_of(url, ["rollup_parts"]), all_sums(url)
        store.recompute()
        assert content_of(url, ["rollup_parts"]) == before
        assert all_sums(url) == sums


def agrees_with_the_rows(store: Store) -> None:
    """Count by other means: from the rows of the inbox, as a person would."""
    rows = inbox(store, InboxQuery(limit=1000)).rows
    for view, count in view_counts(store).items():
        assert count == inbox(store, InboxQuery(view=view)).total, view
    reviews: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    sides: Counter[tuple[str, str, str]] = Counter()
    for row in rows:
        for chip in row.chips:
            failed[chip.reviewer] += chip.verdict is None
            reviews[chip.reviewer] += chip.verdict is not None
        if row.decision is not None:
            given = {(chip.reviewer, chip.verdict) for chip in row.chips if chip.verdict}
            given = {one for one in given if one[0] != "recorded"}
            sides.update((who, said, row.decision) for who, said in given if said)
    found: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for record in track_records(store, Against()):
        found[record.reviewer] += record.reviews
        lost[record.reviewer] += record.failed
        if record.reviewer != "recorded" and record.beside is not None:
            cells = record.beside
            assert cells.caught == sides[record.reviewer, NOT_READY, NOT_READY]
            assert cells.missed == sides[record.reviewer, READY, NOT_READY]
            assert cells.passed == sides[record.reviewer, READY, READY]
    assert +found == +reviews
    assert +lost == +failed
    assert {*choices(store).reviewers} == {chip.reviewer for row in rows for chip in row.chips}


def test_names_of_what_is_deleted_stay_nowhere(store: Store, url: str) -> None:
    paper = make_submission(generator="known to be secret")
    store.add(paper, (make_review("recorded", READY, model="a secret model"), rules_found("r1")))
    assert "secret" in repr(all_sums(url))
    delete_submissions(store, [paper.id], "asked", "Ann")
    assert all_sums(url) == []
    assert progress(store) == (0, 0)


def test_a_stamp_differs_after_what_may_change_an_answer(store: Store) -> None:
    paper = make_submission()
    store.add(paper, (make_review("qwen", READY, make_finding("f1")),))
    before = stamp(store)
    store.rule_on(paper.id, "f1", Ruling.CONFIRM, "", "Ann")
    assert stamp(store) != before
    assert ruled(store)["qwen"].cases == 1
    again = stamp(store)
    assign(store, [paper.id], "Ann", "Ann")
    assert stamp(store) == again, "who looks after it changes no count"


def test_the_past_of_one_submission_is_its_part(store: Store) -> None:
    for name in NAMES[:3]:
        reviews = (make_review("qwen", READY, make_finding(name)), rules_found("r1"))
        store.add(make_submission(name), reviews)
    one = make_submission(NAMES[0]).id
    assert past(store, only=one).counts["qwen"]["verdicts"] == 1
    assert past(store).without(past(store, only=one)).counts["qwen"]["verdicts"] == 2
    assert past(store, only="0" * 64).counts == {}


def test_a_median_is_exact_whatever_the_steps_of_its_histogram(store: Store) -> None:
    dice = Random(5)
    took = [round(dice.lognormvariate(2, 1), 3) for _ in range(8)] + [0.0]
    for number, seconds in enumerate(took):
        store.add(make_submission(f"s{number}"), (make_review("qwen", READY, seconds=seconds),))
    (found,) = spending(store)
    assert found.seconds.median == sorted(took)[4]
    assert found.seconds.total == pytest.approx(sum(took))


def test_writers_at_the_same_time_lose_no_count(store: Store, url: str) -> None:
    papers = [make_submission(name) for name in NAMES]
    store.add_many([(paper, (rules_found("r1", "r2"),)) for paper in papers])

    def write(nth: int) -> None:
        for number in range(6):
            store.decide(papers[(nth + number) % 6].id, READY, f"{nth}.{number}", f"p{nth}")
            store.rule_on(papers[(nth * number) % 6].id, "r1", Ruling.CONFIRM, "", f"p{nth}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    with store.reading() as connection:
        assert wrong_sums(connection) == 0
    assert progress(store) == (6, 6)
    assert view_counts(store)[View.NEEDS_DECISION] == 0


def test_doctor_finds_and_mends_a_wrong_count(store: Store, url: str) -> None:
    store.add(make_submission(), (rules_found("r1"),))
    sql(url, "UPDATE rollups SET n1 = n1 + 3 WHERE what = 'views'")
    assert progress(store) == (0, 4)
    told = {each.what: each.found for each in examine(store, url)}
    assert "1 count differed" in told["counts"] or "counts differed" in told["counts"]
    assert progress(store) == (0, 1)
    told = {each.what: each.found for each in examine(store, url)}
    assert "differed" not in told["counts"]


def test_reviewers_are_measured_by_each_other(store: Store) -> None:
    reviews = (
        make_review("qwen", READY),
        make_review("recorded", NOT_READY, model="o3"),
        make_review("recorded", READY, model="o4"),
    )
    store.add(make_submission(), reviews)
    for other, caught, passed in (("recorded", 0, 1), ("recorded o3", 0, 0), ("recorded o4", 0, 1)):
        against = Against(GroundTruth.REVIEWER, other)
        found = {each.name: each.beside for each in track_records(store, against)}["qwen"]
        assert found is not None
        assert (found.caught, found.passed) == (caught, passed), other
    with store.reading() as connection:
        assert connection.execute(select(rollup_parts)).first() is not None
        assert connection.execute(select(rollups)).first() is not None
