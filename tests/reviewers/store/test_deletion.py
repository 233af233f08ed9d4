"""Guards deletion: all of a submission goes, nothing of another one, and only with a record."""

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reviewers.errors import DeletedSubmission, StoreError
from reviewers.records import SourceFile
from reviewers.store import Store
from reviewers.store.deletion import deletable, delete_submissions
from reviewers.store.health import examine
from reviewers.store.inbox import InboxQuery, inbox
from reviewers.store.jobs import NewJob, enqueue_jobs, jobs_of
from reviewers.store.lineages import lineage_of
from reviewers.store.submission import load_submission
from reviewers.store.trends import TrendsQuery, by_category, looked_at
from reviewers.store.upkeep import free_pages
from tests.reviewers.store.making import (
    DERIVED,
    KEPT,
    READY,
    content_of,
    make_finding,
    make_review,
    make_submission,
    rules_found,
    sql,
)
from tests.reviewers.store.test_decisions import OTHER, PAPER, fill, fill_up

SECRET = "unmistakable_word_of_the_deleted_one"


def test_all_of_it_goes_and_all_of_the_others_stays(store: Store, url: str) -> None:
    fill(store)
    fill_up(store)
    store.add(make_submission("third"), (rules_found("r9"),))
    both = [NewJob(task="rules", submission_id=each.id) for each in (PAPER, OTHER)]
    work = enqueue_jobs(store, both)
    seen = by_category(looked_at(store, TrendsQuery()))  # what a page keeps of the trends
    counts = delete_submissions(store, [PAPER.id], "asked by its authors", "Ann")
    assert counts.submissions == 1
    assert counts.files >= 1
    assert [job.submission_id for job in jobs_of(store, work)] == [OTHER.id]
    left = {table: sql(url, f"SELECT * FROM {table}") for table in (*KEPT, *DERIVED)}
    assert [row[1] for row in left["submissions"]] == [OTHER.id, make_submission("third").id]
    assert PAPER.id not in repr({**left, "deletions": ()})
    assert left["decisions"] == left["rulings"] == left["relations"] == []
    with pytest.raises(DeletedSubmission, match=r"deleted by Ann on 2026-.* asked by its authors"):
        load_submission(store, PAPER.id)
    assert load_submission(store, OTHER.id).submission.files == OTHER.files
    assert [row.id for row in inbox(store, InboxQuery()).rows].count(PAPER.id) == 0
    assert PAPER.id not in {each.id for each in lineage_of(store, OTHER.id).attempts}
    assert by_category(looked_at(store, TrendsQuery())) != seen
    assert not [each for each in examine(store, url) if each.what == "integrity" and each.remedy]
    assert store.add(PAPER), "it may come again, and then it begins anew"
    assert load_submission(store, PAPER.id).decisions == ()
    delete_submissions(store, [PAPER.id], "again", "Ann")
    assert sql(url, "SELECT reason FROM deletions ORDER BY number") == [
        ("asked by its authors",),
        ("again",),
    ]


def test_nothing_goes_in_any_other_way(store: Store, url: str) -> None:
    fill(store)
    fill_up(store)
    said = content_of(url, KEPT)
    told = (
        "INSERT INTO deletions (submission_id, imported_at, reason, author, at)"
        f" SELECT id, imported_at, 'r', 'Eve', imported_at FROM submissions WHERE id = '{PAPER.id}'"
    )
    gone = f"DELETE FROM submissions WHERE id = '{PAPER.id}'"
    for statements in (
        ["DELETE FROM decisions"],
        [gone],
        [told, "DELETE FROM decisions"],  # a part of it
        [told, "DELETE FROM reviews"],
        [told, gone],
    ):
        with pytest.raises(StoreError):
            _run(store, statements)
    delete_submissions(store, [OTHER.id], "r", "Ann")
    for statement in ("DELETE FROM deletions", "UPDATE deletions SET author = 'Eve'"):
        with pytest.raises(StoreError, match="never changed or deleted"):
            _run(store, [statement])
    kept = content_of(url, ["decisions", "rulings", "remarks"])
    assert kept == {name: said[name] for name in kept}


def _run(store: Store, statements: Sequence[str]) -> None:
    with store.writing() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_no_byte_of_it_stays_in_the_file(store: Store, url: str) -> None:
    path = Path(url.removeprefix("sqlite:///"))
    code = f"{SECRET} = 1\n" + "".join(f"{os.urandom(30).hex()} = 1\n" for _ in range(300))
    submission = make_submission("gone", files=(SourceFile("src/a.py", code.encode()),))
    claim = make_finding(claim=SECRET)
    store.add(submission, (make_review("recorded", READY, claim),))
    store.add(make_submission("other"))
    store.decide(submission.id, READY, SECRET, "Ann")
    delete_submissions(store, [submission.id], "r", "Ann")
    with store.outside() as connection:
        freed = free_pages(connection)
    assert freed is not None
    assert freed > 10_000
    held = b"".join(each.read_bytes() for each in path.parent.glob(f"{path.name}*"))
    for word in (SECRET, SECRET.replace("_", "")):
        assert word.encode() not in held


def test_the_command_lists_asks_and_deletes_what_is_old(store: Store, url: str) -> None:
    from reviewers.cli import build

    old, decided, new = (make_submission(name) for name in ("old", "decided", "new"))
    store.add_many([(old, ()), (decided, ())])
    store.decide(decided.id, READY, "ran", "Ann")
    with closing(Store.open(url)) as today:
        today.add(new)
        assert len(deletable(today, older_than=timedelta(days=30))) == 2

    def run(*words: str, said: str = "") -> tuple[int, str]:
        app = build(lambda options: None)
        done = CliRunner().invoke(app, ["delete", *words, "--store", url], input=said)
        return done.exit_code, done.output

    month = "--older-than", "30d", "--keep-decided"
    code, text = run(*month, "--dry-run")
    assert (code, old.id[:12] in text, decided.id[:12] in text) == (0, True, False)
    assert "needs a reason" in run(*month)[1]
    assert run(*month, "--reason", "old", said="n\n")[0] == 2
    assert [each.id for each in deletable(store, [old.id])] == [old.id]
    code, text = run(*month, "--reason", "old", "--yes")
    assert (code, "deleted 1 submission" in text) == (0, True), text
    assert deletable(store, [old.id]) == ()
    assert deletable(store, [decided.id, new.id], keep_decided=True)[0].id == new.id
    assert "is not a number of days; write it like 180d" in run("--older-than", "soon")[1]


def test_base_code_goes_with_the_last_that_was_derived_from_it(store: Store, url: str) -> None:
    base = make_submission("base", attempt=0)
    one, other = (replace(make_submission(name), base=base) for name in ("one", "other"))
    store.add_many([(one, ()), (other, ())])
    with pytest.raises(StoreError, match="derived from this base code"):
        delete_submissions(store, [base.id], "r", "Ann")
    assert delete_submissions(store, [one.id], "r", "Ann").submissions == 1
    assert delete_submissions(store, [other.id], "r", "Ann").submissions == 2
    assert sql(url, "SELECT count(*) FROM contents") == [(0,)]
