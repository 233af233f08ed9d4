"""Guards what nothing tells a category of: it is filed once it is read, or by a person for a whole
group of similar words, and counts there from then on.
"""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from reviewers.batch.reading import judge_again, keep_how_read, withdraw_reading
from reviewers.errors import StoreError
from reviewers.exports.jsonl import export_lines
from reviewers.propositions import parse
from reviewers.readers.reading import Reading
from reviewers.records import Check, FactCheck, Finding
from reviewers.settings import sqlite_url
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, inbox
from reviewers.store.restore import import_lines
from reviewers.store.submission import load_submission
from reviewers.store.uncategorised import OpenClaim, alike, file_claims, open_claims
from tests.reviewers.store.making import READY, make_finding, make_review, make_submission

OPEN = FactCheck(Check.UNVERIFIED, "nobody knows")
SAID = ("All other core requirements appear satisfied", "It prints nothing")
DECLARES = {"p": "declares", "package": "torch"}


def claim(id: str, words: str) -> Finding:
    found = make_finding(id=id, kind="other", claim=words, check=OPEN, span=None)
    return replace(found, category="uncategorised")


@pytest.fixture
def filled(store: Store) -> Store:
    for name in ("one", "two"):
        claims = [claim(f"c{at}", words) for at, words in enumerate(SAID)]
        store.add(make_submission(name), (make_review("recorded", READY, *claims),))
    return store


def counted(store: Store, category: str) -> int:
    return inbox(store, InboxQuery(category=category)).total


def test_claims_of_similar_words_are_one_group_whatever_names_are_in_them() -> None:
    words = (
        "The loader in `src/data.py` ignores the seed.",
        "something else entirely",
        "The loader in `code/io/loading.py` ignores the seed",
        "`x`",
        "`y = 1`",
    )
    claims = [OpenClaim("s", "s", str(at), said) for at, said in enumerate(words)]
    groups = [[int(each.finding) for each in group] for group in alike(claims)]
    assert groups == [[0, 2], [1], [3], [4]]
    assert alike([OpenClaim("s", "s", "c", "." * 5_000)])


def test_a_group_that_a_person_files_counts_there_and_can_be_taken_back(
    filled: Store, tmp_path: Path
) -> None:
    groups = alike(open_claims(filled))
    assert [{each.claim for each in group} for group in groups] == [{SAID[0]}, {SAID[1]}]
    assert [len(group) for group in groups] == [2, 2]
    assert (counted(filled, "uncategorised"), counted(filled, "data-leakage")) == (2, 0)
    file_claims(filled, groups[1], "data-leakage", "ana")
    assert {each.claim for each in open_claims(filled)} == {SAID[0]}
    file_claims(filled, groups[0], "data-leakage", "ana")
    assert open_claims(filled) == []
    assert (counted(filled, "uncategorised"), counted(filled, "data-leakage")) == (0, 2)
    told = load_submission(filled, groups[0][0].submission)
    assert {each.comment for each in told.remarks} == {"filed under Data leakage"}
    assert {told.said.filed(each).category for each in told.findings} == {"data-leakage"}
    with closing(Store.open(sqlite_url(tmp_path / "other.sqlite3"))) as other:
        import_lines(other, export_lines(filled))
        assert counted(other, "data-leakage") == 2
        assert list(export_lines(other)) == list(export_lines(filled))
    file_claims(filled, groups[0], "uncategorised", "bob")
    assert {each.claim for each in open_claims(filled)} == {SAID[0]}


def test_a_claim_that_somebody_reads_is_filed_under_what_it_says(filled: Store) -> None:
    submission = make_submission("one")
    read = Reading(reader="person", proposition=parse(DECLARES), is_final=True)
    keep_how_read(filled, submission, {SAID[1]: read}, "ana")
    judge_again(filled, submission)
    assert counted(filled, "packaging-invalid") == 1
    assert len(open_claims(filled)) == 3
    withdraw_reading(filled, submission, SAID[1], "ana")
    assert (counted(filled, "packaging-invalid"), len(open_claims(filled))) == (0, 4)


def test_what_cannot_be_filed_is_refused_and_files_nothing(filled: Store) -> None:
    claims = open_claims(filled)
    for category, author in (("no-such", "ana"), ("data-leakage", "")):
        with pytest.raises(StoreError):
            file_claims(filled, claims, category, author)
    assert open_claims(filled) == claims
