"""Guards what the inbox says of a submission: how much it needs a person, in words that are
true.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest

from reviewers.records import Check, Review, Ruling, Severity
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, InboxRow, inbox
from reviewers.store.trends import TrendsQuery, by_category, looked_at
from tests.cases import cases
from tests.reviewers.store.making import (
    NOT_READY,
    READY,
    make_finding,
    make_review,
    make_submission,
    rules_found,
)

PAPER = make_submission()
REFUTED, UNVERIFIED = Check.REFUTED, Check.UNVERIFIED
MINOR = {"severity": Severity.MINOR}


def row_after(store: Store, reviews: Sequence[Review]) -> InboxRow:
    store.add(PAPER, tuple(reviews))
    (row,) = inbox(store, InboxQuery()).rows
    return row


recorded, other = partial(make_review, "recorded"), partial(make_review, "openai:x")
ONE, TWO, NONE = rules_found("r1"), rules_found("r1", "r2"), rules_found()
WRONG, WRONG_TOO = make_finding("c1", REFUTED), make_finding("c2", REFUTED)
OPEN, CLAIM = make_finding("c1", UNVERIFIED), make_finding("c1")
SLIGHT = make_finding("c2", UNVERIFIED, **MINOR)
CONTRADICTED = "recorded says ready, but 1 confirmed blocker"

CASES = {
    "nobody reviewed": ([], 10, "not reviewed yet"),
    "ready, one confirmed blocker": ([recorded(READY), ONE], 60, CONTRADICTED),
    "ready, two confirmed blockers": (
        [recorded(READY), TWO],
        60,
        "recorded says ready, but 2 confirmed blockers",
    ),
    "two ready, a blocker": (
        [recorded(READY), other(READY), ONE],
        60,
        "recorded and openai:x say ready, but 1 confirmed blocker",
    ),
    "three ready, a blocker": (
        [recorded(READY), other(READY), make_review("openai:y", READY), ONE],
        60,
        "3 reviewers say ready, but 1 confirmed blocker",
    ),
    "two recorded answers ready, a blocker": (
        [recorded(READY, raw="a"), recorded(READY, raw="b"), ONE],
        60,
        CONTRADICTED,
    ),
    "one defect found by two reviewers counts once": (
        [recorded(READY), other(NOT_READY, CLAIM), ONE],
        60,
        CONTRADICTED,
    ),
    "ready against not ready, nothing confirmed": (
        [recorded(NOT_READY, OPEN), NONE],
        50,
        "reviewers disagree",
    ),
    "ready, a confirmed minor finding": (
        [recorded(READY), make_review("rules", NOT_READY, make_finding(rule="XX01", **MINOR))],
        50,
        "reviewers disagree",
    ),
    "not ready, its only blocker refuted": (
        [recorded(NOT_READY, WRONG, SLIGHT)],
        40,
        "recorded says not ready, but its only blocker is refuted",
    ),
    "not ready, all blockers refuted": (
        [recorded(NOT_READY, WRONG, WRONG_TOO)],
        40,
        "recorded says not ready, but all its 2 blockers are refuted",
    ),
    "two not ready, all blockers refuted": (
        [recorded(NOT_READY, WRONG), other(NOT_READY, WRONG)],
        40,
        "recorded and openai:x say not ready, but all their blockers are refuted",
    ),
    "all its blockers refuted, the rules have another": (
        [recorded(NOT_READY, WRONG), ONE],
        20,
        "1 claim refuted, 1 blocker missed",
    ),
    "a reviewer failed": ([recorded(None), ONE], 30, "no verdict from recorded"),
    "two reviewers failed": (
        [recorded(None), other(None), NONE],
        30,
        "no verdict from recorded and openai:x",
    ),
    "some claims refuted": (
        [recorded(NOT_READY, WRONG, WRONG_TOO, make_finding("c3"))],
        20,
        "2 claims refuted",
    ),
    "blockers missed": ([recorded(NOT_READY), TWO], 20, "2 blockers missed"),
    "all agree": ([recorded(NOT_READY, CLAIM), ONE], 10, "no decision yet"),
}


@pytest.mark.parametrize(("reviews", "rank", "attention"), CASES.values(), ids=CASES)
def test_what_needs_a_person_is_said_in_words(
    store: Store, reviews: list[Review], rank: int, attention: str
) -> None:
    row = row_after(store, reviews)
    assert (row.attention, row.rank) == (attention, rank)


def test_a_decided_submission_needs_nobody(store: Store) -> None:
    row_after(store, [recorded(READY), ONE])
    store.decide(PAPER.id, NOT_READY, "r1 is right", "Ann")
    (row,) = inbox(store, InboxQuery()).rows
    assert (row.rank, row.attention, row.missed) == (0, "", 1)


def test_chips_count_findings_by_fact_check(store: Store) -> None:
    findings = [
        make_finding("a"),
        make_finding("b", **MINOR),
        make_finding("c", REFUTED),
        make_finding("d", UNVERIFIED),
    ]
    row = row_after(store, [other(NOT_READY, *findings, model="x-1"), recorded(None)])
    failed, chip = row.chips
    said = (chip.reviewer, chip.model, chip.verdict, chip.failure)
    assert said == ("openai:x", "x-1", NOT_READY, None)
    assert (chip.confirmed, chip.refuted, chip.unverified, chip.blockers) == (2, 1, 1, 1)
    assert (failed.verdict, failed.failure) == (None, "the answer stops in the middle")


def test_a_dismissed_blocker_of_the_rules_no_longer_counts(store: Store) -> None:
    row_after(store, [recorded(READY), ONE])
    store.rule_on(PAPER.id, "r1", Ruling.DISMISS, "the file is made at run time", "Ann")
    (row,) = inbox(store, InboxQuery()).rows
    chip = row.chips[1]
    assert (chip.confirmed, chip.refuted, chip.blockers) == (0, 1, 0)
    assert chip.verdict is NOT_READY, "the rules' own word stays"
    assert (row.attention, row.missed) == ("reviewers disagree", 0)


def test_a_confirmed_claim_counts_as_confirmed(store: Store) -> None:
    row_after(store, [recorded(NOT_READY, OPEN), other(READY)])
    store.rule_on(PAPER.id, "c1", Ruling.CONFIRM, "", "Ann")
    (row,) = inbox(store, InboxQuery()).rows
    assert row.attention == "openai:x says ready, but 1 confirmed blocker"
    store.rule_on(PAPER.id, "c1", Ruling.WITHDRAWN, "", "Ann")
    (row,) = inbox(store, InboxQuery()).rows
    assert row.attention == "reviewers disagree"


def test_a_long_failure_is_cut_in_its_cell(store: Store) -> None:
    (chip,) = row_after(store, [recorded(None, failure="no " * 1000)]).chips
    assert chip.failure == "no " * 100


def test_findings_under_no_criterion_are_counted_together(store: Store) -> None:
    found = (make_finding("a", criterion=None), make_finding("b", criterion=0))
    row_after(store, [recorded(NOT_READY, *found)])
    assert by_category(looked_at(store, TrendsQuery()))[0].findings == 2


@cases(
    "reviews",
    {
        "nobody": [],
        "rules alone": [ONE],
        "a recorded answer alone": [recorded(READY)],
        "an answer that cannot be read": [recorded(None), ONE],
        "rules that crashed": [recorded(READY), make_review("rules", None)],
    },
)
def test_what_was_missed_is_unknown_without_both_sides(store: Store, reviews: list[Review]) -> None:
    assert row_after(store, reviews).missed is None


NO_HYPOTHESIS = {"hypothesis": {}}
GATES = {"hypothesis": {"open_problems": "Sparse gates"}}


@cases(
    ("changes", "title"),
    {
        "method": ({**GATES, "method": "# 1. Gated\tadapters"}, "Gated adapters"),
        "the hypothesis' method": (
            {"hypothesis": {"open_problems": "Sparse", "method": "Gates"}, "method": None},
            "Gates",
        ),
        "hypothesis": ({**GATES, "method": " \n"}, "Sparse gates"),
        "first line": ({**NO_HYPOTHESIS, "method": "4-D gates (4DG)\n1. First"}, "4-D gates (4DG)"),
        "up to its points": (
            {**NO_HYPOTHESIS, "method": "Gates (G)  1. First  2. Second"},
            "Gates (G)",
        ),
        "method of a JSON object": (
            {**NO_HYPOTHESIS, "method": '{"Problems": "Slow", "Methods": "Fast gates", "n": 1}'},
            "Fast gates",
        ),
        "JSON object without method": ({**NO_HYPOTHESIS, "method": '{"Problems": "Slow"}'}, "Slow"),
        "broken JSON": ({**NO_HYPOTHESIS, "method": '{"Problems": "Slow'}, 'Problems": "Slow'),
        "JSON nested deep": (
            {**NO_HYPOTHESIS, "method": '{"a":' * 9000},
            'a":' + '{"a":' * 19 + '{" …',
        ),
        "run ids": ({**NO_HYPOTHESIS, "method": None}, "proposed-1"),
        "many words": ({**NO_HYPOTHESIS, "method": "word " * 100}, "word " * 19 + "word …"),
        "one long word": ({**NO_HYPOTHESIS, "method": "w" * 200}, "w" * 100 + " …"),
    },
)
def test_a_title_is_the_first_words_of_the_idea(
    store: Store, changes: dict[str, object], title: str
) -> None:
    store.add(replace(PAPER, context=replace(PAPER.context, **changes)))
    assert inbox(store, InboxQuery()).rows[0].title == title
