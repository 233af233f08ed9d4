"""Guards what is set aside, on both databases: no question knows it, nothing of it is lost, and
taken back it stands as before.
"""

from datetime import UTC, datetime

from reviewers.exports.jsonl import export_lines
from reviewers.outcomes.outcome import Outcome, Stage
from reviewers.records import Ruling
from reviewers.store import Store
from reviewers.store.agreement import Against, GroundTruth, ruled, together, track_records
from reviewers.store.aside import AsideCounts, counts, set_aside
from reviewers.store.inbox import InboxQuery, inbox, view_counts
from reviewers.store.outcomes import add_outcome, foresight
from reviewers.store.reliability import past
from reviewers.store.stats_summary import headline
from reviewers.store.submission import load_submission
from reviewers.store.survivals import survivals
from reviewers.store.trends import TrendsQuery, by_category, by_reviewer, lineages, looked_at
from tests.reviewers.store.making import (
    NOT_READY,
    READY,
    make_experiment,
    make_finding,
    make_review,
    rules_found,
)


def fill(store: Store, experiment: str) -> list[str]:
    """Three attempts with all that can be said of one."""
    ids = []
    for name in ("first", "second", "third"):
        submission = make_experiment(experiment, f"{experiment}-{name}")
        store.add(
            submission,
            (make_review("recorded", READY, make_finding(f"c-{name}")), rules_found(f"r-{name}")),
        )
        store.decide(submission.id, NOT_READY, "no", "ada")
        store.rule_on(submission.id, f"c-{name}", Ruling.CONFIRM, "", "ada")
        at = datetime(2026, 3, 1, tzinfo=UTC)
        add_outcome(
            store,
            Outcome(
                submission=submission.id,
                stage=Stage.TRIAL,
                exit_code=1,
                at=at,
                source="run",
                error="KeyError",
                category="cli-contract",
                digest=name,
            ),
        )
        ids.append(submission.id)
    return ids


def answers(store: Store) -> list[object]:
    """What every screen and export asks for."""
    found = inbox(store, InboxQuery())
    looked = looked_at(store, TrendsQuery())
    return [
        [row.id for row in found.rows],
        view_counts(store),
        inbox(store, InboxQuery(text="train")).total,
        by_category(looked),
        by_reviewer(looked),
        lineages(store),
        *(track_records(store, Against(truth)) for truth in GroundTruth),
        together(store),
        ruled(store),
        past(store).reliabilities,
        foresight(store),
        survivals(store),
        headline(store),
        len([*export_lines(store)]),
    ]


def test_what_is_set_aside_is_in_no_answer_and_comes_back_whole(store: Store) -> None:
    own = fill(store, "own")
    alone = answers(store)
    away = fill(store, "samples")
    both = answers(store)
    assert alone != both
    assert set_aside(store, away) == 3
    assert set_aside(store, away) == 0
    assert answers(store) == alone
    assert counts(store, [*own, *away]) == AsideCounts(kept=6, aside=3, reviewed=6)
    # A link still opens it, and what is said of it meanwhile does not bring it back.
    assert load_submission(store, away[0]).decisions
    store.decide(away[0], READY, "after all", "ada")
    assert answers(store) == alone
    store.decide(away[0], NOT_READY, "no", "ada")
    assert set_aside(store, away, False) == 3
    assert answers(store)[:-1] == both[:-1]
    assert len([*export_lines(store)]) > len(alone)
