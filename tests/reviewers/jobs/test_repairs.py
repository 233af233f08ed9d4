"""Guards that workers prove the repairs of a submission once, exactly those that people took of
them together, and store the repaired version as an attempt behind its original.
"""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from reviewers.batch.repairing import taken_patch
from reviewers.errors import StoreError
from reviewers.exports.texts import TEXTS
from reviewers.jobs.handing_in import mend_job, repairs_job
from reviewers.offers import Hunk, hunks_of
from reviewers.panel.review import review_all
from reviewers.panel.version import own_version
from reviewers.records import DatedBy, Generated, Submission
from reviewers.store import Store
from reviewers.store.contracts import choose_contract
from reviewers.store.jobs import Job, JobState, NewJob, enqueue_jobs, jobs_of
from reviewers.store.lineages import lineage_of
from reviewers.store.repairs import (
    SubmissionRepairs,
    Wanted,
    choose_repairs,
    edit_key,
    edit_of,
    repairs_of,
    way_key,
)
from reviewers.store.submission import load_submission
from tests.builders import with_one_run
from tests.dashboard.models import until
from tests.reviewers.jobs.working import working
from tests.test_cli_fix import MERGED, OPENED

TABLE = {
    "pyproject.toml": """[project]
name = "gated-mlp"
version = "0.1.0"

[project.dependencies]
torch = "^2.2"
datasets = "*"
hydra-core = "*"
optuna = "*"
wandb = "*"
matplotlib = "*"
scipy = "*"
"""
}
BROKEN = with_one_run({**MERGED, **TABLE}, name="broken", lineage="line")


def done(store: Store, *new: NewJob) -> Job:
    work = enqueue_jobs(store, new)
    with working(store):
        until(lambda: not any(job.state.live for job in jobs_of(store, work)))
    return jobs_of(store, work)[-1]


def known(store: Store, submission: Submission = BROKEN) -> SubmissionRepairs:
    return repairs_of(store, submission.id, own_version())


def merged_of(repairs: SubmissionRepairs) -> Wanted:
    assert repairs.plan is not None
    offer = next(each for each in repairs.plan.offers.repairs if each.rule == "HY01")
    return Wanted(offer.finding, offer.rule, way_key(offer.ways[-1]))


def test_a_plan_is_kept_once_and_exported_with_the_findings(store: Store) -> None:
    store.add(BROKEN)
    assert known(store).plan is None
    assert done(store, repairs_job(BROKEN.id)).state is JobState.DONE
    plan = known(store).plan
    assert plan is not None
    assert OPENED.splitlines()[0] in plan.patch
    assert "proven before" in done(store, repairs_job(BROKEN.id)).progress
    assert repairs_of(store, BROKEN.id, "0" * 64).plan is None, "of other code"
    assert load_submission(store, BROKEN.id).offers is None, "nobody asked"
    assert load_submission(store, BROKEN.id, repairs_by=own_version()).offers == plan.offers
    store.add(BROKEN, review_all(BROKEN, ("rules",)))
    assert '"fixes"' in "".join(TEXTS["sarif"](store, [BROKEN.id]))


def test_another_contract_needs_another_plan(store: Store) -> None:
    store.add(BROKEN)
    done(store, repairs_job(BROKEN.id))
    choose_contract(store, BROKEN.id, 'extends = "plain"\n', "Ann")
    assert known(store).plan is None


def test_what_people_took_is_made_together_and_can_be_taken_back(store: Store) -> None:
    store.add(BROKEN)
    done(store, repairs_job(BROKEN.id))
    merged = merged_of(known(store))
    assert choose_repairs(store, BROKEN.id, [merged], "Ann") == 1
    assert choose_repairs(store, BROKEN.id, [merged], "Bob") == 0, "nothing new"
    taken = known(store).taken
    assert taken == {merged.finding_id: merged.way}
    assert known(store).made is None
    done(store, repairs_job(BROKEN.id, taken))
    made = known(store).made
    assert made is not None
    assert [each.finding for each in made.offers.repairs] == [merged.finding_id]
    assert {line[6:] for line in made.patch.splitlines() if line[:6] == "+++ b/"} == {
        edit.path for edit in made.offers.repairs[0].ways[0].edits
    }
    choose_repairs(store, BROKEN.id, [replace(merged, way=None)], "Bob")
    assert (known(store).taken, known(store).made) == ({}, None)
    assert known(store).plan is not None


def test_who_comes_back_to_an_earlier_choice_finds_it_proven(store: Store) -> None:
    store.add(BROKEN)
    done(store, repairs_job(BROKEN.id))
    plan = known(store).plan
    assert plan is not None
    merged = merged_of(known(store))
    other = next(each for each in plan.offers.repairs if each.finding != merged.finding_id)
    choose_repairs(store, BROKEN.id, [merged], "Ann")
    done(store, repairs_job(BROKEN.id, known(store).wanted))
    first = known(store).made
    declined = Wanted(other.finding, other.rule, None, "not this")
    choose_repairs(store, BROKEN.id, [replace(merged, way=None), declined], "Ann")
    done(store, repairs_job(BROKEN.id, known(store).wanted))
    choose_repairs(store, BROKEN.id, [merged], "Ann")
    assert known(store).made == first


def test_all_of_the_plan_needs_no_second_proof(store: Store) -> None:
    store.add(BROKEN)
    done(store, repairs_job(BROKEN.id))
    plan = known(store).plan
    assert plan is not None
    every = [Wanted(each.finding, each.rule, way_key(each.ways[0])) for each in plan.offers.repairs]
    choose_repairs(store, BROKEN.id, every, "Ann")
    assert known(store).made == plan


def edited_of(repairs: SubmissionRepairs, old: str, new: str, *, is_own: bool = False) -> Wanted:
    """The words of a person who changes the lines of the merge's repair."""
    wanted = merged_of(repairs)
    assert repairs.plan is not None
    (offer,) = (each for each in repairs.plan.offers.repairs if each.finding == wanted.finding_id)
    hunks = [
        replace(each, new=each.new.replace(old, new)) for each in hunks_of(offer.ways[0].patch)
    ]
    edited = edit_of(hunks)
    return replace(wanted, way=edit_key(edited, is_own=is_own), edited=edited)


def test_what_a_person_edits_is_proven_as_ours_is(store: Store) -> None:
    store.add(BROKEN)
    done(store, repairs_job(BROKEN.id))
    mine = edited_of(known(store), "set_struct(cfg, False)", "set_struct(cfg, False)  # mine")
    choose_repairs(store, BROKEN.id, [mine], "Ann")
    assert known(store).made is None
    done(store, repairs_job(BROKEN.id, known(store).wanted))
    made = known(store).made
    assert made is not None
    (offer,) = made.offers.repairs
    assert (offer.finding, made.unproven) == (mine.finding_id, {})
    assert "the finding is gone" in offer.proof
    assert "+    OmegaConf.set_struct(cfg, False)  # mine" in made.patch


def test_an_edit_that_does_not_hold_is_said_and_made_only_as_a_persons_own(store: Store) -> None:
    store.add(BROKEN)
    done(store, repairs_job(BROKEN.id))
    plan = known(store)
    choose_repairs(store, BROKEN.id, [edited_of(plan, "False)", "True)")], "Ann")
    done(store, repairs_job(BROKEN.id, known(store).wanted))
    made = known(store).made
    assert made is not None
    id = merged_of(plan).finding_id
    assert made.unproven == {id: "the finding is still there"}
    assert (made.patch, made.offers.repairs) == ("", ())
    assert made.offers.stops
    choose_repairs(store, BROKEN.id, [edited_of(plan, "False)", "True)", is_own=True)], "Ann")
    done(store, repairs_job(BROKEN.id, known(store).wanted))
    made = known(store).made
    assert made is not None
    assert made.unproven == {id: "the finding is still there"}
    assert [each.proof for each in made.offers.repairs] == [""]
    assert "OmegaConf.set_struct(cfg, True)" in made.patch
    assert taken_patch(store, BROKEN) == made.patch
    done(store, mend_job(BROKEN.id, known(store).wanted))
    mended = load_submission(store, made.repaired).submission
    assert "OmegaConf.set_struct(cfg, True)" in mended.by_path["src/train.py"].text


def test_an_edit_whose_lines_are_gone_is_left_out_and_said(store: Store) -> None:
    store.add(BROKEN)
    done(store, repairs_job(BROKEN.id))
    mine = edited_of(known(store), "False)", "False)")
    lost = edit_of([Hunk("src/train.py", 3, "not there\n", "x = 1\n")])
    choose_repairs(
        store, BROKEN.id, [replace(mine, edited=lost, way=edit_key(lost, is_own=True))], "Ann"
    )
    done(store, repairs_job(BROKEN.id, known(store).wanted))
    made = known(store).made
    assert made is not None
    (reason,) = made.unproven.values()
    assert "src/train.py that it replaces are not there" in reason
    assert (made.patch, made.offers.repairs) == ("", ())


def test_what_is_declined_is_made_no_more_until_somebody_takes_that_back(store: Store) -> None:
    store.add(BROKEN)
    done(store, repairs_job(BROKEN.id))
    plan = known(store).plan
    assert plan is not None
    merged = replace(merged_of(known(store)), way=None, reason="I write it myself")
    choose_repairs(store, BROKEN.id, [merged], "Ann")
    assert choose_repairs(store, BROKEN.id, [merged], "Bob") == 0, "nothing new"
    declined = known(store).declined[merged.finding_id]
    assert (declined.reason, declined.author.name) == ("I write it myself", "Ann")
    wanted = known(store).wanted
    assert wanted is not None
    assert merged.finding_id not in wanted
    assert len(wanted) == len(plan.offers.repairs) - 1
    done(store, repairs_job(BROKEN.id, wanted))
    made = known(store).made
    assert made is not None
    assert merged.finding_id not in {each.finding for each in made.offers.repairs}
    assert OPENED.splitlines()[0] not in made.patch
    assert taken_patch(store, BROKEN) == "", "nobody took the others"
    told = load_submission(store, BROKEN.id, repairs_by=own_version()).offers
    assert told is not None
    assert merged.finding_id not in {each.finding for each in told.repairs}
    done(store, repairs_job(BROKEN.id))
    assert known(store).declined, "another plan leaves it declined"
    choose_repairs(store, BROKEN.id, [replace(merged, reason=None)], "Bob")
    assert (known(store).declined, known(store).wanted) == ({}, None)


@pytest.mark.parametrize(
    "odd",
    [
        {"way": None, "reason": ""},
        {"way": "w", "reason": "both"},
        {"way": None, "reason": "x" * 501},
        {"way": None, "edited": "[]"},
        {"way": "w", "edited": "x" * 200_001},
    ],
    ids=["no reason", "taken and declined", "long reason", "edited, not taken", "long edit"],
)
def test_words_that_say_nothing_or_too_much_are_refused(
    store: Store, odd: dict[str, str | None]
) -> None:
    store.add(BROKEN)
    with pytest.raises(StoreError, match="say why in at most 500"):
        choose_repairs(store, BROKEN.id, [Wanted("f", "HY01", **odd)], "Ann")


def test_a_way_without_words_is_refused(store: Store) -> None:
    store.add(BROKEN)
    with pytest.raises(StoreError, match="no such way"):
        choose_repairs(store, BROKEN.id, [Wanted("f", "HY01", "")], "Ann")


def test_the_repaired_version_is_the_next_attempt_and_marked_as_ours(store: Store) -> None:
    day = datetime(2026, 3, 1, tzinfo=UTC)
    attempts = [
        replace(
            with_one_run({**MERGED, "notes.md": f"try {number}\n"}),
            name=f"line_{number:02d}",
            lineage="line",
            attempt=number,
            generated=Generated(day.replace(day=number), DatedBy.CONTENT),
        )
        for number in (1, 2, 3)
    ]
    store.add_many([(each, ()) for each in attempts])
    second = attempts[1]
    assert done(store, repairs_job(second.id), mend_job(second.id)).state is JobState.DONE
    plan = known(store, second).plan
    assert plan is not None
    mended = load_submission(store, plan.repaired)
    assert (mended.submission.generator, mended.submission.lineage) == ("areachair", "line")
    assert [stored.review.reviewer for stored in mended.reviews] == ["rules"]
    assert OPENED in mended.submission.by_path["src/train.py"].text
    order = [each.id for each in lineage_of(store, second.id).attempts]
    assert order == [attempts[0].id, second.id, plan.repaired, attempts[2].id]


def test_nothing_to_mend_is_said(store: Store) -> None:
    store.add(BROKEN)
    job = done(store, mend_job(BROKEN.id, {}))
    assert (job.state, job.problem) == (JobState.FAILED, "nothing of it could be repaired")
