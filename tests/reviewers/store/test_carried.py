"""Guards which words of people hold on from one attempt to the next, and which do not."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from reviewers.panel.review import review_all
from reviewers.records import Ruling, Submission
from reviewers.store import Store
from reviewers.store.carry_over import Carried, attempt_before, carried, compared
from reviewers.store.submission import load_submission
from tests.builders import changed, make_submission
from tests.reviewers.store.making import Clock

FIRST = replace(
    make_submission(
        changed("src/train.py", ("import hydra\n", "import hydra\nfirst = missing_one\n"))
    ),
    lineage="run",
    attempt=1,
)
SECOND = replace(
    make_submission(
        changed(
            "src/train.py", ("import hydra\n", "import hydra\nimport json\nfirst = missing_one\n")
        )
    ),
    lineage="run",
    attempt=2,
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store.open(f"sqlite:///{tmp_path / 'store.sqlite3'}", clock=Clock())) as opened:
        for submission in (FIRST, SECOND):
            opened.add(submission, review_all(submission))
        yield opened


def finding_of(store: Store, submission: Submission) -> str:
    (id,) = {
        finding.id
        for stored in load_submission(store, submission.id).reviews
        for finding in stored.review.findings
        if "missing_one" in finding.message
    }
    return id


def carried_to(store: Store, id: str) -> Mapping[str, Carried]:
    after = load_submission(store, id)
    before = attempt_before(store, after)
    return {} if before is None else carried(before, after, compared(before, after))


def test_a_dismissal_holds_on_for_the_next_attempt(store: Store) -> None:
    store.rule_on(FIRST.id, finding_of(store, FIRST), Ruling.DISMISS, "bound elsewhere", "ada")
    ((id, word),) = carried_to(store, SECOND.id[:12]).items()
    assert (id, word.ruling.author.name, word.ruling.reason, word.same_code) == (
        finding_of(store, SECOND),
        "ada",
        "bound elsewhere",
        True,
    )
    assert carried_to(store, FIRST.id) == {}


def test_what_was_withdrawn_or_ruled_on_since_holds_on_for_nothing(store: Store) -> None:
    old, new = finding_of(store, FIRST), finding_of(store, SECOND)
    assert carried_to(store, SECOND.id) == {}
    store.rule_on(FIRST.id, old, Ruling.CONFIRM, "", "ada")
    store.rule_on(SECOND.id, new, Ruling.DISMISS, "not so", "bob")
    assert carried_to(store, SECOND.id) == {}
    store.rule_on(SECOND.id, new, Ruling.WITHDRAWN, "", "bob")
    assert len(carried_to(store, SECOND.id)) == 1
    store.rule_on(FIRST.id, old, Ruling.WITHDRAWN, "", "ada")
    assert carried_to(store, SECOND.id) == {}


def test_only_the_reviewer_that_is_wanted_is_compared(store: Store) -> None:
    one, other = (load_submission(store, each.id) for each in (FIRST, SECOND))
    assert list(compared(one, other)) == list(compared(one, other, "rules")) == ["rules"]
    assert compared(one, other, "recorded") == {}
    assert carried(one, other, {}) == {}
