"""Guards imports: what is known is not reviewed again, nothing is lost, and several at once make
one store.
"""

import json
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from reviewers.batch import Reviewed
from reviewers.batch.importing import Imported, import_bundles, import_read
from reviewers.bundles import submission_to_json
from reviewers.errors import StoreError
from reviewers.panel.version import own_version
from reviewers.records import RecordedAnswer, Submission, Verdict
from reviewers.store import Store
from reviewers.store.known_submissions import KnownSubmission
from reviewers.store.submission import load_submission
from tests.asking import write_bundles
from tests.builders import make_submission
from tests.reviewers.store.making import KEPT, READY, content_of, row_counts, sql

ANSWER = RecordedAnswer(raw="first", verdict=Verdict.NOT_READY, text="It cannot start.", model="o3")
SMALL = make_submission(files={"src/model.py": "def f(:\n"}, recorded=(ANSWER,))
REVIEWS = "SELECT reviewer, current, version FROM reviews ORDER BY number"


def imported(store: Store, *given: Submission, fresh: bool = False) -> list[tuple[Imported, bool]]:
    sources = [(Path(each.name), lambda each=each: (each,)) for each in given]
    return list(import_read(store, sources, fresh=fresh))


def reviewed(items: Iterable[tuple[Imported, bool]]) -> list[bool]:
    """Whether each submission was reviewed this time."""
    return [isinstance(item, Reviewed) for item, _ in items]


def test_what_the_store_knows_is_not_reviewed_again(store: Store, url: str) -> None:
    assert [new for _, new in imported(store, SMALL)] == [True]
    store.decide(SMALL.id, READY, "ran it", "ana")
    before = content_of(url, KEPT)
    ((item, new),) = imported(store, SMALL)
    assert (isinstance(item, KnownSubmission), new) == (True, False)
    assert content_of(url, KEPT) == before
    assert reviewed(imported(store, SMALL, fresh=True)) == [True]
    assert row_counts(url)["reviews"] == 2, "the same again is no other review"


def test_a_new_answer_on_a_known_submission_is_added(store: Store) -> None:
    imported(store, SMALL)
    second = replace(SMALL, recorded=(ANSWER, replace(ANSWER, raw="second", model="o4")))
    assert [new for _, new in imported(store, second)] == [True]
    reviews = [stored.review for stored in load_submission(store, SMALL.id).reviews]
    assert [(each.reviewer, each.model) for each in reviews] == [
        ("recorded", "o3"),
        ("recorded", "o4"),
        ("rules", None),
    ]
    assert reviewed(imported(store, second, SMALL)) == [False, False]


def test_who_generated_a_known_submission_is_filled_in(store: Store) -> None:
    imported(store, SMALL)
    assert [new for _, new in imported(store, replace(SMALL, generator="aide"))] == [True]
    assert load_submission(store, SMALL.id).submission.generator == "aide"
    assert reviewed(imported(store, replace(SMALL, generator="aide"))) == [False]


def test_another_version_of_the_rules_reviews_again_and_keeps_what_was_said(
    store: Store, url: str
) -> None:
    imported(store, SMALL)
    made = load_submission(store, SMALL.id).reviews[1].review
    older = replace(made, verdict=READY, findings=(), version="0" * 64)
    store.add_review(SMALL.id, older)
    assert reviewed(imported(store, SMALL)) == [True]
    assert load_submission(store, SMALL.id).reviews[1].review.findings == made.findings
    assert {(row[2], bool(row[1])) for row in sql(url, REVIEWS) if row[0] == "rules"} == {
        (own_version(), True),
        (older.version, False),
    }
    sql(url, "UPDATE reviews SET version = NULL")
    assert [new for _, new in imported(store, SMALL)] == [False], "it came to the same"
    assert reviewed(imported(store, SMALL)) == [False]


def test_a_review_that_is_not_whole_is_made_again(store: Store) -> None:
    imported(store, SMALL)
    whole = load_submission(store, SMALL.id).reviews[1].review
    partial = replace(whole, verdict=None, failure="a rule stopped", version=None)
    store.add_review(SMALL.id, partial)
    assert reviewed(imported(store, SMALL)) == [True]
    assert load_submission(store, SMALL.id).reviews[1].review.verdict == whole.verdict


def test_a_known_submission_still_tells_which_reviewer_gave_no_verdict(store: Store) -> None:
    cut = replace(ANSWER, verdict=None, failure="the answer stops in the middle")
    first, again = (imported(store, replace(SMALL, recorded=(cut,))) for _ in range(2))
    assert first[0][0].failures == again[0][0].failures
    assert "stops in the middle" in again[0][0].failures[0]


def test_results_of_several_processes_come_in_the_order_of_the_paths(
    store: Store, tmp_path: Path
) -> None:
    paths = write_bundles(tmp_path / "bundles", 7)
    paths[2].write_text("{", "utf-8")
    list(import_bundles(store, paths[4:6]))
    items = list(import_bundles(store, paths, jobs=2))
    assert [new for _, new in items] == [True, True, False, True, False, False, True]
    named = [Path(getattr(item, "path", "") or item.submission.source).name for item, _ in items]
    assert named == [path.name for path in paths]


def test_what_stands_before_a_submission_that_the_store_refuses_is_kept(store: Store) -> None:
    odd = make_submission(files={"src/main.py": "# odd\n"}, attempt=2**70)
    other = make_submission(files={"src/main.py": "# other\n"})
    with pytest.raises(StoreError, match="too large"):
        imported(store, SMALL, odd, other)
    assert reviewed(imported(store, SMALL, other)) == [False, True]


def test_two_imports_at_once_double_and_lose_nothing(url: str, tmp_path: Path) -> None:
    paths = write_bundles(tmp_path / "bundles", 8)

    def work(order: list[Path]) -> int:
        with closing(Store.open(url)) as store:
            return sum(new for _, new in import_bundles(store, order))

    with ThreadPoolExecutor(2) as pool:
        new = list(pool.map(work, (paths, paths[::-1]), timeout=120))
    assert sum(new) == 8
    counts = row_counts(url)
    assert (counts["submissions"], counts["reviews"], counts["standings"]) == (8, 8, 8)
    with closing(Store.open(url)) as store:
        assert reviewed(import_bundles(store, paths)) == [False] * 8
        before = content_of(url, ["attempts"])
        store.recompute()
        assert content_of(url, ["attempts"]) == before


def test_a_line_of_a_bundle_is_a_submission_of_its_own(store: Store, tmp_path: Path) -> None:
    given = [make_submission(files={"src/main.py": f"# {number}\n"}) for number in range(3)]
    lines = tmp_path / "three.jsonl"
    lines.write_text("".join(f"{json.dumps(submission_to_json(one))}\n" for one in given), "utf-8")
    assert [new for _, new in import_bundles(store, [lines])] == [True] * 3
    assert reviewed(import_bundles(store, [lines])) == [False] * 3
