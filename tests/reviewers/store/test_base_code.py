"""Guards base code: kept once a lineage, opened from its attempts, counted nowhere."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from reviewers.batch.importing import import_bundles
from reviewers.bundles import open_bundle, read_submission_json, submission_to_json
from reviewers.exports.jsonl import export_lines
from reviewers.records import Verdict
from reviewers.store import Store
from reviewers.store.full_record import kept_ids
from reviewers.store.inbox import InboxQuery, inbox, progress, undecided_count
from reviewers.store.lineages import lineage_of
from reviewers.store.restore import import_lines
from reviewers.store.stats_summary import headline
from reviewers.store.submission import load_submission
from reviewers.store.trends import TrendsQuery, looked_at
from tests.reviewers.bundles.bundle_files import write_log

BASE = {"train_py": "TAIL = 'PLACEHOLDER'\n", "main_py": "import src.train\n"}
ABOUT = "# Current Research Method\nShorten the tail.\n# Experimental Design\n- Strategy: Fly.\n"


def derived(number: int) -> str:
    code = {**BASE, "train_py": f"TAIL = {number}\n"}
    return (
        f"Input:\n# Instructions\nBe strict.\n{ABOUT}# Base Code (Reference)\n{json.dumps(BASE)}\n"
        f"# Current Experiment\n- Experiment ID: exp-1\n# Derived Experiment Code\n"
        f'{json.dumps(code)}\nOutput:\n{{"is_experiment_code_ready": false}}'
    )


BASE_REVIEW = (
    f"Input:\n# Instructions\nBe kind.\n{ABOUT}# Generated Base Code Files\n{json.dumps(BASE)}\n"
    'Output:\n{"is_base_code_ready": true, "base_code_issue": ""}'
)


@pytest.fixture
def logs(tmp_path: Path) -> list[Path]:
    texts = [derived(1), BASE_REVIEW, derived(2)]
    return [
        write_log(tmp_path / f"kites_0{number}.txt", text) for number, text in enumerate(texts, 1)
    ]


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with closing(Store.open(url)) as opened:
        yield opened


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0)], ids=["attempts first", "base first"])
def test_base_code_is_attempt_0_of_its_lineage_and_counts_nowhere(
    store: Store, logs: list[Path], order: tuple[int, ...]
) -> None:
    (first, base, second) = (open_bundle(path) for path in logs)
    assert first.base is not None
    assert base.is_base
    assert first.base.id == base.id
    paths = [logs[at] for at in order]
    assert [new for _, new in import_bundles(store, paths)] == [True] * 3
    assert [new for _, new in import_bundles(store, paths)] == [False] * 3
    assert len(kept_ids(store)) == 3
    assert {row.id for row in inbox(store, InboxQuery()).rows} == {first.id, second.id}
    assert inbox(store, InboxQuery(text="PLACEHOLDER")).total == 0
    assert progress(store) == (0, 2)
    assert undecided_count(store, "ana") == 2
    figures = headline(store)
    assert (figures.submissions, [each.reviews for each in figures.reviewers]) == (2, [2])
    assert looked_at(store, TrendsQuery()).of.sum() == 2
    for id in (first.id, base.id, second.id):
        lineage = lineage_of(store, id)
        assert lineage.name == "kites"
        assert [(each.number, each.id) for each in lineage.attempts] == [
            (0, base.id),
            (1, first.id),
            (3, second.id),
        ]
    assert {chip.reviewer: chip.verdict for chip in lineage.attempts[0].chips}["recorded"] == (
        Verdict.READY
    )
    opened = load_submission(store, base.id)
    assert (opened.submission.lineage, opened.submission.attempt) == ("kites", 0)
    assert {stored.review.reviewer for stored in opened.reviews} == {"recorded", "rules"}
    kept = load_submission(store, first.id).submission.base
    assert kept is not None
    assert kept.files == base.files


def test_an_export_brings_base_code_along_and_the_tie_to_it(
    store: Store, logs: list[Path], tmp_path: Path
) -> None:
    list(import_bundles(store, logs))
    first = open_bundle(logs[0])
    for ids in (None, [first.id]):
        lines = list(export_lines(store, ids))
        with closing(Store.open(f"sqlite:///{tmp_path / str(bool(ids))}")) as other:
            import_lines(other, lines)
            assert import_lines(other, lines).submissions == 0
            assert load_submission(other, first.id).submission.base is not None
            assert lineage_of(other, first.id).attempts[0].number == 0
            assert list(export_lines(other, ids)) == lines


def test_a_submission_alone_goes_through_its_json_with_its_base_code(logs: list[Path]) -> None:
    first = open_bundle(logs[0])
    again = read_submission_json(json.loads(json.dumps(submission_to_json(first))), first.source)
    assert again == first


def test_what_was_kept_without_its_base_code_gets_it(store: Store, logs: list[Path]) -> None:
    first = open_bundle(logs[0])
    store.add(replace(first, base=None))
    assert [new for _, new in import_bundles(store, logs[:1])] == [True]
    assert lineage_of(store, first.id).attempts[0].number == 0
    store.recompute()
    assert inbox(store, InboxQuery()).total == 1
